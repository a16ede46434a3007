#pragma once

#include "limber/body/step_report.hpp"

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace limber {

/// A hash of bytes, to tell whether they changed; not against intent. start: of what comes before, to hash
/// piece by piece (other pieces give another value). Cost: a multiplication per eight bytes.
std::uint64_t content_hash(std::string_view bytes, std::uint64_t start = 0);

/// What a run is made from. Only one with the same may continue it.
struct CheckpointIdentity {
  struct Input {
    std::string name;  ///< for messages only: a folder may be moved
    std::uint64_t hash = 0;
    bool operator==(const Input& other) const { return hash == other.hash; }
  };
  std::string program;                ///< that runs it, with its version
  std::vector<Input> inputs;          ///< the scene file last
  std::vector<std::string> settings;  ///< of the command, e.g. "--seconds 3"
};

/// What differs, e.g. "scene.json has changed"; empty for the same.
std::string difference(const CheckpointIdentity& before, const CheckpointIdentity& now);

/// A run of a scene after some of its steps.
struct Checkpoint {
  CheckpointIdentity identity;
  int threads = 1;  ///< that it ran with

  int step = 0;       ///< steps done
  StepReport report;  ///< of the last one; iterations: of all
  // Spent so far, s.
  double read_seconds = 0.0, setup_seconds = 0.0, solve_seconds = 0.0, write_seconds = 0.0;

  // Frames of the animation that were recorded, in a file of their own; what that holds beyond them is of no
  // worth.
  std::uint64_t frames = 0;
  std::uint64_t frame_hash = 0;  ///< of all of them

  std::vector<std::string> bodies;  ///< what their simulations save
  std::string world;                ///< what is saved of all that is no body of the scene
};

/// Of the file, and of what bodies save: another is refused. tests/fuzz/corpus/checkpoint holds files of it.
inline constexpr std::uint64_t checkpoint_version = 13;

/// The name that checkpoint files begin with.
bool looks_like_checkpoint(std::string_view content);

/// A checkpoint, checked in full by its checksum. Throws Error, naming the file and saying what to do, for
/// anything else.
Checkpoint read_checkpoint(const std::filesystem::path& path);
Checkpoint parse_checkpoint(std::string_view content, std::string_view where);

/// Reads back to the same bits; replaces the file at once or not at all.
void write_checkpoint(const std::filesystem::path& path, const Checkpoint& checkpoint);
std::string encode_checkpoint(const Checkpoint& checkpoint);

}  // namespace limber
