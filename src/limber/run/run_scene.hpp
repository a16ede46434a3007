#pragma once

#include "limber/base/error.hpp"
#include "limber/base/progress.hpp"
#include "limber/run/checkpoint_run.hpp"
#include "limber/run/run_result.hpp"
#include "limber/scene/scene.hpp"

#include <filesystem>
#include <functional>
#include <optional>
#include <string>

namespace limber {

/// What was computed could not be written, although the input was good.
class OutputError : public Error {
 public:
  explicit OutputError(const std::string& text, std::filesystem::path checkpoint = {})
      : Error("{}", text), checkpoint_(std::move(checkpoint)) {}

  /// That the run can go on from; empty: there is none.
  [[nodiscard]] const std::filesystem::path& checkpoint() const { return checkpoint_; }

 private:
  std::filesystem::path checkpoint_;
};

struct RunOptions {
  std::filesystem::path folder;  ///< made, with its parents, before the first output; empty: none
  std::optional<CheckpointOptions> checkpoints;  ///< used where the scene steps through time
  double read_seconds = 0.0;                     ///< that it took to read the scene, for the result

  Progress on_progress;  ///< of making the bodies, then of the steps
  LogSink on_note;       ///< what was decided: where a run goes on; and notes_about() the result
  LogSink on_warning;
  /// Called at the end, when all is written and before the checkpoint is removed: a process that is killed
  /// here can still be resumed. Where it throws, the checkpoint stays.
  std::function<void(const RunResult&)> on_end;
};

/// Runs a scene to its end and writes what it asks for: displacements, a series of .vtu files, a picture, an
/// animation, a timeline. Everything is checked (where the output goes, the bodies, the start state) before
/// the first file is written. A step that fails ends the run: the result says so, the series up to there
/// stays and nothing else is written. Where writing fails the series goes too, unless there is a checkpoint
/// to go on from. Throws Error for bad input and OutputError where writing fails.
RunResult run_scene(const Scene& scene, const RunOptions& options = {});

/// Whether a scene steps through time.
inline bool steps_in_time(const Scene& scene) { return scene.solver.type != SimulationType::statics; }

}  // namespace limber
