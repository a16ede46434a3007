#include "limber/run/run_scene.hpp"

#include "limber/base/file.hpp"
#include "limber/base/length_text.hpp"
#include "limber/base/timer.hpp"
#include "limber/io/csv.hpp"
#include "limber/io/png.hpp"
#include "limber/run/motion_recorder.hpp"
#include "limber/run/scene_picture.hpp"
#include "limber/run/timeline_file.hpp"
#include "limber/run/vtu_series.hpp"
#include "limber/scene/start_check.hpp"

#include <algorithm>
#include <limits>
#include <utility>

namespace limber {
namespace {

namespace fs = std::filesystem;

OutputPlan plan_outputs(const Scene& scene, const fs::path& folder, const CheckpointRun* checkpoints) {
  const OutputSettings& output = scene.output;
  OutputPlan plan;
  plan.coming = folder;
  plan.add(OutputFile{output.displacements});
  plan.add(OutputFile{output.picture, ".png", "the picture"});
  plan.add(OutputFile{output.animation, ".glb", "the animation"});
  plan.add(OutputFile{output.timeline});
  if (checkpoints != nullptr) {
    for (const fs::path& file : {checkpoints->file(), checkpoints->frames_file()})
      plan.add(OutputFile{.path = file, .needed = checkpoints->file_stated()});
  }
  plan.add(VtuSeries::plan(scene));
  return plan;
}

/// Throws Error for outputs that this kind of simulation does not have.
void check_outputs_exist(const Scene& scene) {
  const OutputSettings& output = scene.output;
  require(
      output.animation.empty() || steps_in_time(scene),
      "output.animation: a .glb holds a motion, and a static solve has none; set solver.type to 'dynamic' "
      "or 'quasistatic', or ask for 'vtu'");
  for (const SceneBody& body : scene.bodies) {
    require(body.mesh.element_count() > 0 || body.mesh.vertex_count() == 0 || output.vtu.empty(),
            "{}: its domains do not make one mesh, which output.vtu needs; ask for 'animation', 'picture' or "
            "'displacements'",
            body.name);
    require(body.mesh.vertex_count() > 0 || (output.displacements.empty() && output.vtu.empty()),
            "{}: output.displacements and output.vtu need the mesh, which the reduced model was kept "
            "without; ask for 'animation' or 'picture'",
            body.name);
  }
  if (!output.timeline.empty()) check_timeline_path(output.timeline);
}

std::vector<Matrix3X> displacements_of(const Scene& scene, const SceneState& state) {
  std::vector<Matrix3X> all;
  for (std::size_t i = 0; i < state.body_count(); ++i) all.push_back(mesh_displacement(scene, state, i));
  return all;
}

/// Runs what writes results, and adds up the time that it takes. An error there is one of the output.
template <class Action>
void write_timed(double& seconds, const Action& action) {
  const ScopedTimer timer(seconds);
  try {
    action();
  } catch (const Error& error) {
    throw OutputError(error.what());
  }
}

MotionRecorderOptions recorder_options(const Scene& scene, const CheckpointRun* checkpoints) {
  MotionRecorderOptions options;
  for (const SceneBody& body : scene.bodies) options.names.push_back(body.name);
  options.up = up_of(scene);
  options.tolerance = scene.output.animation_tolerance;
  if (checkpoints != nullptr) options.frames = checkpoints->frames_file();
  return options;
}

/// A run of a scene on its way.
struct SceneRun {
  const Scene& scene;
  const RunOptions& options;
  SceneState& state;
  const Executor& executor;
  NewFolders& folders;
  VtuSeries series;
  std::optional<MotionRecorder> recorder;  ///< none: no animation is asked for
  CheckpointRun* checkpoints;              ///< null: none
  RunResult& result;
};

void go_on_from(SceneRun& run, const Checkpoint& from) {
  const int threads = run.executor.threads();
  if (threads != from.threads)
    report(
        run.options.on_warning,
        fmt::format("the run was begun with {} thread{} and goes on with {}: results may differ by rounding",
                    from.threads, from.threads == 1 ? "" : "s", threads));
  run.state.step = from.step;
  run.state.time = from.step * run.scene.solver.timestep;
  try {
    for (std::size_t i = 0; i < from.bodies.size(); ++i) {
      StateReader reader(from.bodies[i], run.scene.bodies[i].name);
      restore(run.state, i, reader);
      reader.finish();
    }
    StateReader reader(from.world, "the world");
    restore_world(run.state, reader);
    reader.finish();
  } catch (const Error& error) {
    throw Error("{}: {}; delete it and start anew", run.checkpoints->file().string(), error.what());
  }
  run.result.report = from.report;
  run.result.read_seconds += from.read_seconds;
  run.result.setup_seconds += from.setup_seconds;
  run.result.solve_seconds += from.solve_seconds;
  run.result.write_seconds += from.write_seconds;
  if (!run.scene.output.vtu.empty()) run.series.resume(1 + from.step / run.scene.output.every);
  if (run.recorder) run.recorder->frames().resume(static_cast<Index>(from.frames), from.frame_hash);
}

/// All that a checkpoint speaks of is on the disk before it.
void fill_checkpoint(SceneRun& run, Checkpoint& to) {
  if (!run.scene.output.vtu.empty()) sync_folder(run.scene.output.vtu);
  if (run.recorder) {
    FrameStore& frames = run.recorder->frames();
    frames.save();
    to.frames = static_cast<std::uint64_t>(frames.count());
    to.frame_hash = frames.hash();
  }
  to.threads = run.executor.threads();
  to.step = run.state.step;
  to.report = run.result.report;
  to.read_seconds = run.result.read_seconds;
  to.setup_seconds = run.result.setup_seconds;
  to.solve_seconds = run.result.solve_seconds;
  to.write_seconds = run.result.write_seconds;
  for (std::size_t i = 0; i < run.state.body_count(); ++i) {
    StateWriter writer;
    save(run.state, i, writer);
    to.bodies.push_back(writer.bytes());
  }
  StateWriter world;
  save_world(run.state, world);
  to.world = world.bytes();
}

void write_frame(SceneRun& run, double time, const std::vector<Matrix3X>& displacements) {
  write_timed(run.result.write_seconds, [&] { run.series.write(time, displacements); });
}

/// A frame of the series and of the animation.
void add_frame(SceneRun& run, double time) {
  if (!run.scene.output.vtu.empty()) write_frame(run, time, displacements_of(run.scene, run.state));
  if (run.recorder) run.recorder->add(run.state.time);
}

/// One step, whose report joins those before.
void take_step(SceneRun& run, const Progress& progress) {
  StepReport& total = run.result.report;
  const int iterations = total.iterations, rescued = total.rescued_steps;
  const ScopedTimer timer(run.result.solve_seconds);
  total = step(run.scene, run.state, progress);
  total.iterations += iterations;
  total.rescued_steps = rescued + (total.rescued ? 1 : 0);  // once, whatever its parts and bodies say
}

/// One equilibrium. A solve that fails leaves nothing.
void run_statics(SceneRun& run) {
  const bool series = !run.scene.output.vtu.empty();
  std::vector<Matrix3X> start;
  if (series) start = displacements_of(run.scene, run.state);
  take_step(run, run.options.on_progress);
  if (!run.result.report.ok() || !series) return;
  write_frame(run, 0.0, start);
  write_frame(run, 1.0, displacements_of(run.scene, run.state));
}

/// Of those that touch, m; obstacles have none.
double size_of(const World& world, const Touching& one) {
  if (one.of == Touching::Of::body) return world.shell(one.number).size();
  if (one.of == Touching::Of::rigid) return 2.0 * world.rigid(one.number).radius();
  return std::numeric_limits<double>::infinity();
}

/// Of those that start in each other.
void warn_of_overlaps(const SceneRun& run) {
  for (const StartOverlap& one : run.state.overlaps)
    report(
        run.options.on_warning,
        fmt::format("{:.0f} % of {} is inside of {} at the start, up to {} deep, where contact may not take "
                    "them apart; give one of them another 'position'",
                    100.0 * one.share, name_of(run.scene, run.state, one.first),
                    name_of(run.scene, run.state, one.second), small_length(one.depth)));
}

bool is_known(const std::vector<StartOverlap>& overlaps, const ContactPoint& contact) {
  const Touching &a = contact.first, &b = contact.second;
  return std::any_of(overlaps.begin(), overlaps.end(), [&](const StartOverlap& one) {
    return (one.first == a && one.second == b) || (one.first == b && one.second == a);
  });
}

/// After the first step: of what else was inside of something at its start, the deepest.
void warn_of_depth(const SceneRun& run) {
  double deepest = 0.0;
  std::string words;
  for (const ContactPoint& contact : run.state.world.contacts()) {
    if (is_known(run.state.overlaps, contact)) continue;
    const double depth = -contact.distance;
    const double size =
        std::min(size_of(run.state.world, contact.first), size_of(run.state.world, contact.second));
    if (depth <= deepest || depth <= counted_depth * size) continue;
    deepest = depth;
    words = fmt::format(
        "{} is {} deep in {} at the start, from where it is pushed out over some time; start them apart",
        name_of(run.scene, run.state, contact.first), small_length(depth),
        name_of(run.scene, run.state, contact.second));
  }
  if (!words.empty()) report(run.options.on_warning, words);
}

/// The steps of a run that are left, with a frame where one is due.
void run_steps(SceneRun& run) {
  const int count = step_count(run.scene);
  const auto tell = [&](int done) {
    report(run.options.on_progress, fmt::format("step {} of {}", done, count),
           static_cast<double>(done) / count);
  };
  if (run.state.step == 0) {
    warn_of_overlaps(run);
    add_frame(run, 0.0);
  } else {
    tell(run.state.step);  // what was done before does not count for the time that is left
  }
  for (int i = run.state.step + 1; i <= count; ++i) {
    take_step(run, {});
    if (!run.result.report.ok()) break;
    if (i == 1) warn_of_depth(run);
    if (i % run.scene.output.every == 0) add_frame(run, run.state.time);
    if (run.checkpoints != nullptr) {
      const ScopedTimer timer(run.result.write_seconds);
      run.checkpoints->offer([&run](Checkpoint& checkpoint) { fill_checkpoint(run, checkpoint); });
    }
    tell(i);
  }
}

void write_last_state(SceneRun& run) {
  const OutputSettings& output = run.scene.output;
  if (!output.displacements.empty()) {
    const std::vector<Matrix3X> all = displacements_of(run.scene, run.state);
    Index columns = 0;
    for (const Matrix3X& one : all) columns += one.cols();
    Matrix3X joined(3, columns);
    Index column = 0;
    for (const Matrix3X& one : all) {
      joined.middleCols(column, one.cols()) = one;
      column += one.cols();
    }
    write_csv(output.displacements, joined);
    run.result.outputs.push_back(output.displacements.lexically_normal());
  }
  if (!output.picture.empty()) {
    write_png(output.picture, draw_state(run.scene, run.state, run.executor));
    run.result.outputs.push_back(output.picture.lexically_normal());
  }
}

TimelinePlot timeline_plot(const Scene& scene, const RunResult& result) {
  TimelinePlot plot;
  plot.timestep = scene.solver.timestep;
  for (const BodyOnlineResult& one : result.online) {
    plot.accepted_error = one.accepted_error;
    plot.bars.push_back({one.body, one.report.timeline, {}});
  }
  return plot;
}

/// What is written after the last step.
void write_end(SceneRun& run) {
  const OutputSettings& output = run.scene.output;
  RunResult& result = run.result;
  const bool files = !(output.displacements.empty() && output.picture.empty() && output.animation.empty() &&
                       output.timeline.empty());
  if (result.report.ok()) {
    if (!run.options.folder.empty() && files) run.folders.make(run.options.folder);
    write_last_state(run);
    if (run.recorder) {
      result.animations = run.recorder->write(output.animation);
      result.outputs.push_back(output.animation.lexically_normal());
    }
    if (!output.timeline.empty()) {
      write_timeline(output.timeline, timeline_plot(run.scene, result));
      result.outputs.push_back(output.timeline.lexically_normal());
    }
  }
  for (fs::path& path : run.series.finish()) result.outputs.push_back(std::move(path));
}

/// What a process that was killed left of its single files.
void remove_unfinished_outputs(const Scene& scene, const CheckpointRun& checkpoints) {
  const OutputSettings& output = scene.output;
  for (const fs::path& file :
       {output.displacements, output.picture, output.animation, output.timeline, checkpoints.file()}) {
    if (file.empty()) continue;
    remove_unfinished(file.parent_path(), [&](std::string_view name) { return name == file.filename(); });
  }
  if (!output.vtu.empty()) remove_unfinished(output.vtu, VtuSeries::plan(scene).is_ours);
}

std::vector<fs::path> existing_files(const OutputPlan& outputs) {
  std::vector<fs::path> existing;
  std::error_code ignored;
  for (const OutputFile& file : outputs.files) {
    if (fs::exists(file.path, ignored)) existing.push_back(file.path.lexically_normal());
  }
  return existing;
}

/// Removes files that were written, but for those that took the place of older ones.
void discard_new(const std::vector<fs::path>& written, const std::vector<fs::path>& before) {
  std::error_code ignored;
  for (const fs::path& path : written) {
    if (std::find(before.begin(), before.end(), path) == before.end()) fs::remove(path, ignored);
  }
}

/// From the start, or from where a checkpoint is, to the end of all output.
void run_to_end(SceneRun& run, const std::vector<fs::path>& before) {
  const bool statics = !steps_in_time(run.scene);
  try {
    statics ? run_statics(run) : run_steps(run);
    summarize(run.scene, run.state, run.result);
    write_timed(run.result.write_seconds, [&] { write_end(run); });
  } catch (const std::exception& error) {
    const bool resumable = run.checkpoints != nullptr && run.checkpoints->interrupt();
    if (!resumable) {
      run.series.discard();
      discard_new(run.result.outputs, before);
      run.folders.remove_empty();
    } else if (dynamic_cast<const OutputError*>(&error) != nullptr) {
      throw OutputError(error.what(), run.checkpoints->file());
    }
    throw;
  }
}

}  // namespace

RunResult run_scene(const Scene& scene, const RunOptions& options) {
  std::optional<CheckpointRun> keeper;
  if (options.checkpoints && steps_in_time(scene))
    keeper.emplace(*options.checkpoints, options.on_note, options.on_warning);
  CheckpointRun* const checkpoints = keeper ? &*keeper : nullptr;
  check_outputs_exist(scene);
  const OutputPlan outputs = plan_outputs(scene, options.folder, checkpoints);
  check_outputs(outputs);
  check_spares(outputs, scene.inputs);
  for (const std::string& warning : scene.warnings) report(options.on_warning, warning);
  std::optional<Checkpoint> from;
  if (checkpoints != nullptr) from = checkpoints->find(scene);

  RunResult result;
  result.read_seconds = options.read_seconds;
  const Timer setup;
  SceneState state = make_state(scene, options.on_progress);
  result.setup_seconds = setup.seconds();
  report(options.on_progress, "bodies", 1.0);  // the steps are other work

  const Executor executor(scene.solver.threads);
  NewFolders folders;
  SceneRun run{scene, options, state, executor, folders, VtuSeries(scene, folders), {}, checkpoints, result};
  if (!scene.output.animation.empty())
    run.recorder.emplace(state.world, recorder_options(scene, checkpoints));
  if (checkpoints != nullptr && checkpoints->resumes()) remove_unfinished_outputs(scene, *checkpoints);
  if (from) {
    go_on_from(run, *from);
  } else if (checkpoints != nullptr) {
    checkpoints->clear();
  }
  run_to_end(run, existing_files(outputs));
  if (checkpoints != nullptr && !result.report.ok()) checkpoints->finish();
  for (const std::string& warning : warnings_about(result)) report(options.on_warning, warning);
  for (const std::string& note : notes_about(result)) report(options.on_note, note);
  if (options.on_end) options.on_end(result);
  if (checkpoints != nullptr) checkpoints->finish();
  return result;
}

}  // namespace limber
