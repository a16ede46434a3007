#include "limber/run/checkpoint_run.hpp"

#include "limber/base/error.hpp"
#include "limber/base/file.hpp"

#include <algorithm>
#include <array>
#include <fstream>

namespace limber {
namespace {

namespace fs = std::filesystem;

/// Time between two checkpoints, in times that the last one took: it is then 1/20 of all.
constexpr double least_pause = 19.0;

/// A path as seen from a folder: the same wherever both are moved together.
std::string seen_from(const fs::path& folder, const fs::path& path) {
  if (path.empty()) return {};
  const fs::path from = fs::absolute(folder.empty() ? "." : folder).lexically_normal();
  return fs::absolute(path).lexically_normal().lexically_relative(from).generic_string();
}

CheckpointIdentity identity_of(const Scene& scene, const CheckpointOptions& options) {
  CheckpointIdentity identity;
  identity.program = "limber " LIMBER_VERSION;
  for (const fs::path& input : scene.inputs) {
    std::error_code missing;
    const bool readable = fs::is_regular_file(input, missing);
    identity.inputs.push_back({input.string(), readable ? content_hash(read_file(input)) : 0});
  }
  identity.settings = options.settings;
  const fs::path folder = options.file.parent_path();
  const OutputSettings& output = scene.output;
  for (const auto& [name, path] :
       {std::pair<const char*, const fs::path&>("displacements", output.displacements),
        {"vtu", output.vtu},
        {"picture", output.picture},
        {"animation", output.animation}})
    identity.settings.push_back(fmt::format("{}: {}", name, seen_from(folder, path)));
  return identity;
}

bool begins_like_checkpoint(const fs::path& path) {
  std::array<char, 64> start{};
  std::ifstream stream(path, std::ios::binary);
  stream.read(start.data(), start.size());
  return looks_like_checkpoint({start.data(), static_cast<std::size_t>(stream.gcount())});
}

}  // namespace

fs::path CheckpointRun::frames_file() const {
  fs::path path = options_.file;
  path += ".frames";
  return path;
}

std::optional<Checkpoint> CheckpointRun::find(const Scene& scene) {
  identity_ = identity_of(scene, options_);
  const std::string name = options_.file.lexically_normal().string();
  std::error_code status;
  if (!fs::exists(options_.file, status)) {
    if (options_.resume)
      report(note_, fmt::format("there is no checkpoint {}: starting at the beginning", name));
    return {};
  }
  if (!options_.resume) {
    require(fs::is_regular_file(options_.file, status) && begins_like_checkpoint(options_.file),
            "{}: is where checkpoints go, but is none; delete it or choose another file", name);
    report(warning_,
           fmt::format("{} is the checkpoint of an earlier run and will be replaced; resume to go on from it",
                       name));
    return {};
  }
  Checkpoint found = read_checkpoint(options_.file);
  if (const std::string other = difference(found.identity, identity_); !other.empty())
    throw Error("{}: this is not the run of the checkpoint: {}; delete it, or do not resume, to start anew",
                name, other);
  require(
      found.bodies.size() == scene.bodies.size() && found.step >= 1 && found.step <= step_count(scene),
      "{}: the checkpoint is of {} bodies after {} steps, the scene has {} and {}; delete it and start anew",
      name, found.bodies.size(), found.step, scene.bodies.size(), step_count(scene));
  report(note_, fmt::format("going on after step {} of {}", found.step, step_count(scene)));
  return found;
}

void CheckpointRun::clear() {
  std::error_code status;
  // The checkpoint first: without it the frames mean nothing, with it they must be there.
  for (const fs::path& path : {options_.file, frames_file()}) {
    fs::remove(path, status);
    require(!status, "{}: cannot be removed ({})", path.string(), status.message());
  }
  since_last_.restart();
}

bool CheckpointRun::due() const {
  return options_.every == 0.0 || since_last_.seconds() >= std::max(options_.every, least_pause * last_took_);
}

void CheckpointRun::offer(const std::function<void(Checkpoint&)>& save) {
  if (!due()) return;
  const Timer timer;
  try {
    const fs::path folder = options_.file.parent_path();
    if (!folder.empty()) folders_.make(folder);
    Checkpoint checkpoint;
    checkpoint.identity = identity_;
    save(checkpoint);
    write_checkpoint(options_.file, checkpoint);
    sync_folder(folder);
  } catch (const std::exception& error) {
    if (!failed_)
      report(warning_, fmt::format("no checkpoint could be written: {}; the run goes on", error.what()));
    failed_ = true;
  }
  last_took_ = timer.seconds();
  since_last_.restart();
}

bool CheckpointRun::interrupt() {
  std::error_code ignored;
  if (fs::exists(options_.file, ignored)) return true;
  fs::remove(frames_file(), ignored);
  return false;
}

void CheckpointRun::finish() {
  std::error_code ignored;
  for (const fs::path& path : {options_.file, frames_file()}) fs::remove(path, ignored);
  folders_.remove_empty();
}

}  // namespace limber
