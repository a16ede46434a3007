#pragma once

#include "limber/base/progress.hpp"
#include "limber/base/timer.hpp"
#include "limber/io/checkpoint_file.hpp"
#include "limber/run/output_files.hpp"
#include "limber/scene/scene.hpp"

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace limber {

/// Where and when a run that steps through time is saved, to go on from after whatever end.
struct CheckpointOptions {
  std::filesystem::path file;
  bool file_stated = false;  ///< by the user: it must then be possible to write it
  double every = 30.0;       ///< s of wall time, at least; 0: after each step
  bool resume = false;
  /// What the outcome depends on beside the files of the scene, and not the outputs: only a run with the same
  /// goes on from a checkpoint.
  std::vector<std::string> settings;
};

/// The checkpoints of one run of a scene that steps through time: a file, replaced now and then, that the run
/// can go on from after whatever end. Frames of the animation are beside it in FILE.frames. When one is
/// written follows the clock, so that no more than about 5 % of the time goes there; what the run computes
/// does not.
class CheckpointRun {
 public:
  /// note, warning: told what a person should know.
  explicit CheckpointRun(CheckpointOptions options, LogSink note = {}, LogSink warning = {})
      : options_(std::move(options)), note_(std::move(note)), warning_(std::move(warning)) {}

  [[nodiscard]] const std::filesystem::path& file() const { return options_.file; }
  [[nodiscard]] std::filesystem::path frames_file() const;
  [[nodiscard]] bool file_stated() const { return options_.file_stated; }
  [[nodiscard]] bool resumes() const { return options_.resume; }

  /// Before anything is computed: the checkpoint to go on from, none where the run starts at the beginning,
  /// which is said where a resume was asked for or an older checkpoint will be replaced. Throws Error, saying
  /// what to do, for a checkpoint of another run, a damaged one and a file that is none.
  std::optional<Checkpoint> find(const Scene& scene);
  /// Before the first output of a run that starts at the beginning: removes the checkpoint of an earlier one,
  /// whose frames will go.
  void clear();

  /// After a step, when it is time: save() brings the rest to the disk and fills in a checkpoint, which is
  /// written. Where that fails the run goes on, and it is said once.
  void offer(const std::function<void(Checkpoint&)>& save);

  /// After the end of the run and all of its output, or after a step that failed, which it would again:
  /// removes everything.
  void finish();
  /// After a failure to write: whether there is a checkpoint to go on from. Frames that no checkpoint speaks
  /// of go.
  bool interrupt();

 private:
  [[nodiscard]] bool due() const;

  CheckpointOptions options_;
  LogSink note_, warning_;
  CheckpointIdentity identity_;
  NewFolders folders_;
  Timer since_last_;
  double last_took_ = 0.0;  ///< s
  bool failed_ = false;     ///< which was said
};

}  // namespace limber
