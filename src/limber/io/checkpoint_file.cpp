#include "limber/io/checkpoint_file.hpp"

#include "limber/base/error.hpp"
#include "limber/base/file.hpp"
#include "limber/base/text.hpp"
#include "limber/io/byte_order.hpp"
#include "limber/linalg/state_stream.hpp"

#include <algorithm>
#include <limits>

namespace limber {
namespace {

// The file: magic, version (8 bytes), size of the content (8), the content (StateWriter), its hash (8).
constexpr std::string_view checkpoint_magic = "limber checkpoint\n";
constexpr std::size_t head_size = checkpoint_magic.size() + 16, tail_size = 8;

std::uint64_t mixed(
    std::uint64_t h) {  // the finaliser of MurmurHash3, public domain: every bit reaches every other
  h ^= h >> 33U;
  h *= 0xff51afd7ed558ccdULL;
  h ^= h >> 33U;
  h *= 0xc4ceb9fe1a85ec53ULL;
  return h ^ (h >> 33U);
}

void write(StateWriter& out, const CheckpointIdentity& identity) {
  out.write(std::string_view(identity.program));
  out.write(std::uint64_t{identity.inputs.size()});
  for (const CheckpointIdentity::Input& input : identity.inputs) {
    out.write(std::string_view(input.name));
    out.write(input.hash);
  }
  out.write(std::uint64_t{identity.settings.size()});
  for (const std::string& setting : identity.settings) out.write(std::string_view(setting));
}

/// Reads as many as the stream says, without trusting that number: one that is too large meets the end of the
/// bytes.
template <class ReadOne>
void read_list(StateReader& in, const ReadOne& read_one) {
  std::uint64_t count = 0;
  in.read(count);
  for (std::uint64_t i = 0; i < count; ++i) read_one();
}

void read(StateReader& in, CheckpointIdentity& identity) {
  in.read(identity.program);
  read_list(in, [&] {
    CheckpointIdentity::Input input;
    in.read(input.name);
    in.read(input.hash);
    identity.inputs.push_back(std::move(input));
  });
  read_list(in, [&] {
    std::string setting;
    in.read(setting);
    identity.settings.push_back(std::move(setting));
  });
}

void write(StateWriter& out, const StepReport& report) {
  out.write(std::int64_t{report.iterations});
  out.write(std::int64_t{report.rescued_steps});
  out.write(report.residual);
  out.write(report.smallest_volume_ratio);
  out.write(std::int64_t{report.load_steps});
}

void read_count(StateReader& in, int& value, std::string_view what, std::string_view where) {
  std::int64_t number = 0;
  in.read(number);
  require(number >= 0 && number <= std::numeric_limits<int>::max(), "{}: {} {}, expected 0 to {}", where,
          number, what, std::numeric_limits<int>::max());
  value = static_cast<int>(number);
}

void read(StateReader& in, StepReport& report, std::string_view where) {
  read_count(in, report.iterations, "iterations", where);
  read_count(in, report.rescued_steps, "rescued steps", where);
  in.read(report.residual);
  in.read(report.smallest_volume_ratio);
  read_count(in, report.load_steps, "load steps", where);
}

Checkpoint read_content(std::string_view content, std::string_view where) {
  StateReader in(content, where);
  Checkpoint checkpoint;
  read(in, checkpoint.identity);
  read_count(in, checkpoint.threads, "threads", where);
  read_count(in, checkpoint.step, "steps", where);
  read(in, checkpoint.report, where);
  for (double* seconds : {&checkpoint.read_seconds, &checkpoint.setup_seconds, &checkpoint.solve_seconds,
                          &checkpoint.write_seconds})
    in.read(*seconds);
  in.read(checkpoint.frames);
  in.read(checkpoint.frame_hash);
  read_list(in, [&] {
    checkpoint.bodies.emplace_back();
    in.read(checkpoint.bodies.back());
  });
  in.read(checkpoint.world);
  in.finish();
  return checkpoint;
}

/// The first setting of a list that the other has not, for a message.
std::string first_other(const std::vector<std::string>& settings, const std::vector<std::string>& others) {
  for (const std::string& one : settings) {
    if (std::find(others.begin(), others.end(), one) == others.end())
      return fmt::format("'{}'", printable(one));
  }
  return "without that";
}

}  // namespace

std::uint64_t content_hash(std::string_view bytes, std::uint64_t start) {
  std::uint64_t h = mixed(start ^ (0x9e3779b97f4a7c15ULL * (bytes.size() + 1)));
  for (; bytes.size() >= 8; bytes.remove_prefix(8)) {
    h = (h ^ load_number<std::uint64_t>(bytes, ByteOrder::little)) * 0x9fb21c651e98df25ULL;
    h ^= h >> 29U;  // high bits take part in the next product
  }
  std::uint64_t rest = 0;
  for (std::size_t i = 0; i < bytes.size(); ++i)
    rest |= std::uint64_t{static_cast<unsigned char>(bytes[i])} << (8 * i);
  return mixed(h ^ rest);
}

std::string difference(const CheckpointIdentity& before, const CheckpointIdentity& now) {
  if (before.program != now.program)
    return fmt::format("it was written by {}, this is {}", printable(before.program), now.program);
  // The scene file, which is last, first: another scene has other inputs.
  if (before.inputs.empty() != now.inputs.empty() ||
      (!now.inputs.empty() && !(before.inputs.back() == now.inputs.back())))
    return fmt::format("{} has changed", now.inputs.empty() ? "the scene" : now.inputs.back().name);
  if (before.inputs.size() != now.inputs.size())
    return fmt::format("it is of {} input files, now there are {}", before.inputs.size(), now.inputs.size());
  for (std::size_t i = 0; i < now.inputs.size(); ++i) {
    if (!(before.inputs[i] == now.inputs[i])) return fmt::format("{} has changed", now.inputs[i].name);
  }
  if (before.settings != now.settings)
    return fmt::format("the options have changed: now {}, before {}",
                       first_other(now.settings, before.settings),
                       first_other(before.settings, now.settings));
  return {};
}

bool looks_like_checkpoint(std::string_view content) { return content.starts_with(checkpoint_magic); }

std::string encode_checkpoint(const Checkpoint& checkpoint) {
  StateWriter out;
  write(out, checkpoint.identity);
  out.write(std::int64_t{checkpoint.threads});
  out.write(std::int64_t{checkpoint.step});
  write(out, checkpoint.report);
  for (const double seconds : {checkpoint.read_seconds, checkpoint.setup_seconds, checkpoint.solve_seconds,
                               checkpoint.write_seconds})
    out.write(seconds);
  out.write(checkpoint.frames);
  out.write(checkpoint.frame_hash);
  out.write(std::uint64_t{checkpoint.bodies.size()});
  for (const std::string& body : checkpoint.bodies) out.write(std::string_view(body));
  out.write(std::string_view(checkpoint.world));

  std::string file(checkpoint_magic);
  file.reserve(head_size + out.bytes().size() + tail_size);
  append_number(file, checkpoint_version, ByteOrder::little);
  append_number(file, std::uint64_t{out.bytes().size()}, ByteOrder::little);
  file += out.bytes();
  append_number(file, content_hash(out.bytes()), ByteOrder::little);
  return file;
}

Checkpoint parse_checkpoint(std::string_view content, std::string_view where) {
  constexpr std::string_view advice = "delete it and start anew";
  require(looks_like_checkpoint(content), "{}: is no checkpoint of limber; {}", where, advice);
  require(content.size() >= head_size + tail_size, "{}: the checkpoint is cut short; {}", where, advice);
  const auto found = load_number<std::uint64_t>(content.substr(checkpoint_magic.size()), ByteOrder::little);
  require(found == checkpoint_version, "{}: a checkpoint of version {}, expected {}; {}", where, found,
          checkpoint_version, advice);
  const auto size =
      load_number<std::uint64_t>(content.substr(checkpoint_magic.size() + 8), ByteOrder::little);
  require(size == content.size() - head_size - tail_size,
          "{}: the checkpoint has {} bytes, expected {}; it is damaged: {}", where,
          content.size() - head_size - tail_size, size, advice);
  const std::string_view inside = content.substr(head_size, size);
  require(
      content_hash(inside) == load_number<std::uint64_t>(content.substr(head_size + size), ByteOrder::little),
      "{}: the checkpoint is damaged, its checksum does not fit; {}", where, advice);
  try {
    return read_content(inside, where);
  } catch (const Error& error) {
    throw Error("{}; {}", error.what(), advice);
  }
}

Checkpoint read_checkpoint(const std::filesystem::path& path) {
  return parse_checkpoint(read_file(path), path.string());
}

void write_checkpoint(const std::filesystem::path& path, const Checkpoint& checkpoint) {
  write_file(path, encode_checkpoint(checkpoint));
}

}  // namespace limber
