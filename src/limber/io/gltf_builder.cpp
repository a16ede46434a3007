#include "limber/base/error.hpp"
#include "limber/io/byte_order.hpp"
#include "limber/io/gltf_container.hpp"

#include <algorithm>
#include <array>
#include <limits>

namespace limber {
namespace {

/// Fills up to `rest` beyond a multiple of 8 bytes: chunks need multiples of 4, doubles of 8.
void pad(std::string& bytes, char filler, std::size_t rest = 0) {
  bytes.append((rest + 8 - bytes.size() % 8) % 8, filler);
}

template <class Number>
void append_numbers(std::string& bytes, std::span<const Number> values) {
  if constexpr (native_order == ByteOrder::little) {
    bytes.append(reinterpret_cast<const char*>(values.data()), values.size_bytes());
  } else {
    for (const Number value : values) append_number(bytes, value, ByteOrder::little);
  }
}

void append_chunk(std::string_view kind, const std::string& chunk, std::string& content) {
  append_number(content, static_cast<std::uint32_t>(chunk.size()), ByteOrder::little);
  content += kind;
  content += chunk;
}

}  // namespace

GlbBuilder::GlbBuilder() : document({{"asset", {{"version", "2.0"}, {"generator", "limber"}}}}) {}

GlbBuilder::GlbBuilder(const GltfContainer& file) : document(file.root().json()) {
  std::vector<std::size_t> starts;
  for (const std::string_view buffer : file.buffers()) {
    starts.push_back(buffer_.size());
    buffer_ += buffer;
    pad(buffer_, '\0');
  }
  document.erase("buffers");
  const auto views = file.root().find("bufferViews");
  for (std::size_t v = 0; views && v < views->size(); ++v) {
    const JsonValue view = views->at(v);
    const auto number =
        static_cast<std::size_t>(view.at("buffer").integer(0, static_cast<std::int64_t>(starts.size()) - 1));
    const std::int64_t offset = view.integer_or("byteOffset", 0, std::int64_t{1} << 40, 0);
    const std::int64_t length = view.at("byteLength").integer(0, std::int64_t{1} << 40);
    const auto bytes = static_cast<std::int64_t>(file.buffers()[number].size());
    if (offset + length > bytes)
      view.fail(fmt::format("bytes {} to {}, but buffer {} has {}", offset, offset + length, number, bytes));
    nlohmann::json& copy = document["bufferViews"][v];
    copy["buffer"] = 0;
    copy["byteOffset"] = starts[number] + static_cast<std::size_t>(offset);
  }
}

/// Adds a view of the last `bytes` of the buffer.
int GlbBuilder::add_view(std::size_t bytes, std::optional<int> target) {
  nlohmann::json view = {{"buffer", 0}, {"byteOffset", buffer_.size() - bytes}, {"byteLength", bytes}};
  if (target) view["target"] = *target;
  document["bufferViews"].push_back(std::move(view));
  pad(buffer_, '\0');
  return static_cast<int>(document["bufferViews"].size() - 1);
}

/// Adds an accessor, complete but for its view, of the last `bytes` of the buffer.
int GlbBuilder::add_accessor(std::size_t bytes, nlohmann::json accessor, std::optional<int> target) {
  accessor["bufferView"] = add_view(bytes, target);
  document["accessors"].push_back(std::move(accessor));
  return static_cast<int>(document["accessors"].size() - 1);
}

int GlbBuilder::add_doubles(std::span<const double> values) {
  append_numbers(buffer_, values);
  return add_view(values.size_bytes(), std::nullopt);
}

int GlbBuilder::add_singles(std::span<const float> values) {
  append_numbers(buffer_, values);
  return add_view(values.size_bytes(), std::nullopt);
}

int GlbBuilder::add_integers(std::span<const int> values) {
  static_assert(sizeof(int) == 4);
  append_numbers(buffer_, values);
  return add_view(values.size_bytes(), std::nullopt);
}

int GlbBuilder::add_floats(const Eigen::Ref<const Eigen::MatrixXf>& values, bool vertices) {
  constexpr std::array<std::string_view, 5> names{"", "SCALAR", "VEC2", "VEC3", "VEC4"};
  require(values.rows() >= 1 && values.rows() <= 4 && values.cols() > 0 && values.allFinite(),
          "glTF holds 1 to 4 finite numbers per element and at least one element, found {} x {}",
          values.rows(), values.cols());
  std::vector<float> least;
  std::vector<float> most;
  for (const auto row : values.rowwise()) {
    least.push_back(row.minCoeff());
    most.push_back(row.maxCoeff());
  }
  for (const auto element : values.colwise()) {
    append_numbers(buffer_, std::span<const float>(element.data(), static_cast<std::size_t>(element.size())));
  }
  return add_accessor(static_cast<std::size_t>(values.size()) * sizeof(float),
                      {{"componentType", static_cast<int>(GltfType::float32)},
                       {"type", names[static_cast<std::size_t>(values.rows())]},
                       {"count", values.cols()},
                       {"min", least},
                       {"max", most}},
                      vertices ? std::optional(34962) : std::nullopt);
}

int GlbBuilder::add_indices(std::span<const std::uint32_t> indices) {
  // The largest number of each type restarts a strip, so it is no index.
  const bool small = std::all_of(indices.begin(), indices.end(), [](std::uint32_t i) { return i < 0xffff; });
  for (const std::uint32_t index : indices) {
    if (small) {
      append_number(buffer_, static_cast<std::uint16_t>(index), ByteOrder::little);
    } else {
      append_number(buffer_, index, ByteOrder::little);
    }
  }
  const GltfType type = small ? GltfType::uint16 : GltfType::uint32;
  return add_accessor(
      indices.size() * (small ? 2 : 4),
      {{"componentType", static_cast<int>(type)}, {"type", "SCALAR"}, {"count", indices.size()}}, 34963);
}

std::string GlbBuilder::encode(std::string_view where, std::string_view remedy) const {
  nlohmann::json complete = document;
  if (!buffer_.empty()) complete["buffers"] = {{{"byteLength", buffer_.size()}}};
  std::string text;
  try {
    text = complete.dump();
  } catch (const nlohmann::json::exception&) {
    throw Error("{}: a name is not UTF-8, which glTF needs; rename it", where);
  }
  pad(text, ' ', 4);  // after 20 bytes before the text and 8 after it, the data starts at a multiple of 8
  const std::size_t length = 12 + 8 + text.size() + (buffer_.empty() ? 0 : 8 + buffer_.size());
  require(length <= std::numeric_limits<std::uint32_t>::max(),
          "{}: {} bytes are too many for a .glb file; {}", where, length, remedy);
  std::string content = "glTF";
  content.reserve(length);
  append_number(content, std::uint32_t{2}, ByteOrder::little);
  append_number(content, static_cast<std::uint32_t>(length), ByteOrder::little);
  append_chunk("JSON", text, content);
  if (!buffer_.empty()) append_chunk(std::string_view("BIN\0", 4), buffer_, content);
  return content;
}

}  // namespace limber
