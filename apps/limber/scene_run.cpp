#include "apps/limber/scene_run.hpp"

#include "apps/limber/command.hpp"
#include "apps/limber/console.hpp"
#include "apps/limber/online_report.hpp"
#include "apps/limber/output_files.hpp"
#include "apps/limber/picture.hpp"
#include "apps/limber/progress_bar.hpp"
#include "limber/base/error.hpp"
#include "limber/base/file.hpp"
#include "limber/base/timer.hpp"
#include "limber/io/csv.hpp"
#include "limber/io/png.hpp"
#include "limber/io/vtu.hpp"
#include "limber/scene/modal_body.hpp"
#include "limber/scene/online_body.hpp"
#include "limber/scene/tree_body.hpp"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <set>

namespace limber::app {
namespace {

namespace fs = std::filesystem;

/// Names for the files of each body: its own where it has one, with only what every file system takes.
std::vector<std::string> file_names(const Scene& scene) {
  std::vector<std::string> names;
  std::set<std::string> taken;
  for (std::size_t i = 0; i < scene.bodies.size(); ++i) {
    std::string name = scene.bodies[i].name;
    std::replace_if(
        name.begin(), name.end(),
        [](unsigned char c) { return c >= 0x80 || (!std::isalnum(c) && c != '-' && c != '_'); }, '_');
    while (!taken.insert(name).second) name += fmt::format("_{}", i);
    names.push_back(name);
  }
  return names;
}

/// Whether a file of this name belongs to the series of one of the bodies: BODY.pvd or BODY_DIGITS.vtu.
bool is_of_series(const std::vector<std::string>& bodies, std::string_view name) {
  return std::any_of(bodies.begin(), bodies.end(), [&](const std::string& body) {
    if (name == body + ".pvd") return true;
    const std::string_view start = name.substr(0, body.size() + 1), end = ".vtu";
    if (start != body + "_" || !name.ends_with(end) || name.size() <= start.size() + end.size()) return false;
    const std::string_view digits = name.substr(start.size(), name.size() - start.size() - end.size());
    return digits.find_first_not_of("0123456789") == std::string_view::npos;
  });
}

/// The series of .vtu files of a run, one per body.
class Series {
 public:
  /// folders: gets those that are made for it.
  Series(const Scene& scene, NewFolders& folders)
      : scene_(scene), folders_(folders), names_(file_names(scene)), entries_(scene.bodies.size()) {}

  /// One displacement (3 x n) per body.
  void write(double time, const std::vector<Matrix3X>& displacements) {
    if (frames_ == 0) folders_.make(scene_.output.vtu);
    for (std::size_t i = 0; i < names_.size(); ++i) {
      const std::string file = file_name(i);
      write_vtu(scene_.output.vtu / file, scene_.bodies[i].mesh, {.displacement = displacements[i]});
      entries_[i].push_back({time, file});
    }
    ++frames_;
  }

  /// Goes on after `count` frames, which an earlier process wrote. Throws Error where one is missing.
  void resume(int count) {
    for (; frames_ < count; ++frames_) {
      const double time = frames_ * scene_.output.every * scene_.solver.timestep;  // as step() has it
      for (std::size_t i = 0; i < names_.size(); ++i) {
        entries_[i].push_back({time, file_name(i)});
        std::error_code status;
        require(fs::is_regular_file(scene_.output.vtu / file_name(i), status),
                "{}: is missing, the checkpoint speaks of it; delete the checkpoint and start anew",
                (scene_.output.vtu / file_name(i)).string());
      }
    }
  }

  /// Removes all frames that were written, and nothing else that may be there.
  void discard() {
    std::error_code ignored;
    for (auto& entries : entries_) {
      for (const auto& entry : entries) fs::remove(scene_.output.vtu / entry.file, ignored);
      entries.clear();
    }
    frames_ = 0;
  }

  /// Writes the .pvd files and returns their paths.
  [[nodiscard]] std::vector<fs::path> finish() const {
    std::vector<fs::path> paths;
    if (frames_ == 0) return paths;
    for (std::size_t i = 0; i < names_.size(); ++i) {
      paths.push_back((scene_.output.vtu / (names_[i] + ".pvd")).lexically_normal());
      write_pvd(paths.back(), entries_[i]);
    }
    return paths;
  }

 private:
  [[nodiscard]] std::string file_name(std::size_t body) const {
    return fmt::format("{}_{:04}.vtu", names_[body], frames_);
  }

  const Scene& scene_;
  NewFolders& folders_;
  std::vector<std::string> names_;
  std::vector<std::vector<PvdEntry>> entries_;
  int frames_ = 0;
};

OutputPlan output_plan(const Scene& scene, const fs::path& folder, const CheckpointRun* checkpoints) {
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
  plan.add(OutputFolder{
      output.vtu, [names = file_names(scene)](std::string_view name) { return is_of_series(names, name); }});
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
            "without; ask for "
            "'animation' or 'picture'",
            body.name);
  }
}

std::vector<Matrix3X> displacements_of(const SceneState& state) {
  std::vector<Matrix3X> all;
  for (const auto& body : state.bodies) all.push_back(body->displacement());
  return all;
}

/// write_results, and the time that it takes.
template <class Action>
void write_timed(double& seconds, const Action& action) {
  const ScopedTimer timer(seconds);
  write_results(action);
}

/// A run of a scene on its way.
struct Run {
  const Scene& scene;
  SceneState& state;
  NewFolders& folders;
  Series series;
  MotionRecording recording;
  CheckpointRun* checkpoints;
  RunResult& result;
};

void resume(Run& run, const Checkpoint& from) {
  const int threads = run.state.bodies.front()->executor().threads();
  if (threads != from.threads)
    print_warning(
        fmt::format("the run was begun with {} thread{} and goes on with {}: results may differ by rounding",
                    from.threads, from.threads == 1 ? "" : "s", threads));
  run.state.step = from.step;
  run.state.time = from.step * run.scene.solver.timestep;
  for (std::size_t i = 0; i < from.bodies.size(); ++i) {
    StateReader reader(from.bodies[i], run.scene.bodies[i].name);
    try {
      run.state.bodies[i]->restore(reader);
      reader.finish();
    } catch (const Error& error) {
      throw Error("{}: {}; delete it and start anew", run.checkpoints->file().string(), error.what());
    }
  }
  run.result.report = from.report;
  run.result.read_seconds += from.read_seconds;
  run.result.setup_seconds += from.setup_seconds;
  run.result.solve_seconds += from.solve_seconds;
  run.result.write_seconds += from.write_seconds;
  if (!run.scene.output.vtu.empty()) run.series.resume(1 + from.step / run.scene.output.every);
  if (FrameStore* const frames = run.recording.frames())
    frames->resume(static_cast<Index>(from.frames), from.frame_hash);
}

/// All that a checkpoint speaks of is on the disk before it.
void save(const Run& run, Checkpoint& to) {
  if (!run.scene.output.vtu.empty()) sync_folder(run.scene.output.vtu);
  if (FrameStore* const frames = run.recording.frames()) {
    frames->save();
    to.frames = static_cast<std::uint64_t>(frames->count());
    to.frame_hash = frames->hash();
  }
  to.threads = run.state.bodies.front()->executor().threads();
  to.step = run.state.step;
  to.report = run.result.report;
  to.read_seconds = run.result.read_seconds;
  to.setup_seconds = run.result.setup_seconds;
  to.solve_seconds = run.result.solve_seconds;
  to.write_seconds = run.result.write_seconds;
  for (const auto& body : run.state.bodies) {
    StateWriter writer;
    body->save(writer);
    to.bodies.push_back(writer.bytes());
  }
}

/// The steps of a run that are left, with a frame of the series and of the animation where one is due.
void run_steps(Run& run) {
  const auto& [scene, state, folders, series, recording, checkpoints, result] = run;
  const bool statics = !steps_in_time(scene);
  const int count = step_count(scene);
  const auto write_frame = [&run](double time, const auto& displacements) {
    if (run.scene.output.vtu.empty()) return;
    write_timed(run.result.write_seconds, [&] { run.series.write(time, displacements()); });
  };

  ProgressBar bar;
  const std::vector<Matrix3X> start = displacements_of(state);
  const auto at_start = [&] { return start; };
  const auto now = [&run] { return displacements_of(run.state); };
  if (state.step == 0) {
    if (!statics) write_frame(0.0, at_start);
    run.recording.add();
  } else {  // what was done before does not count for the time that is left
    bar.show(fmt::format("step {} of {}", state.step, count), static_cast<double>(state.step) / count);
  }
  for (int i = state.step + 1; i <= count; ++i) {
    const int iterations = result.report.iterations, rescued = result.report.rescued_steps;
    {
      const ScopedTimer timer(result.solve_seconds);
      result.report = step(scene, state, statics ? bar.callback() : Progress{});
    }
    result.report.iterations += iterations;
    result.report.rescued_steps += rescued;
    if (!result.report.ok()) break;
    if (statics) write_frame(0.0, at_start);  // not before: a static solve that fails leaves nothing
    if (statics || i % scene.output.every == 0) {
      write_frame(statics ? 1.0 : state.time, now);
      run.recording.add();
    }
    if (checkpoints != nullptr) {
      const ScopedTimer timer(result.write_seconds);
      checkpoints->offer([&run](Checkpoint& checkpoint) { save(run, checkpoint); });
    }
    bar.show(fmt::format("step {} of {}", i, count), static_cast<double>(i) / count);
  }
}

void write_last_state(const Scene& scene, const SceneState& state, RunResult& result) {
  const OutputSettings& output = scene.output;
  if (!output.displacements.empty()) {
    const std::vector<Matrix3X> all = displacements_of(state);
    Index columns = 0;
    for (const Matrix3X& one : all) columns += one.cols();
    Matrix3X joined(3, columns);
    Index column = 0;
    for (const Matrix3X& one : all) {
      joined.middleCols(column, one.cols()) = one;
      column += one.cols();
    }
    write_csv(output.displacements, joined);
    result.outputs.push_back(output.displacements.lexically_normal());
  }
  if (!output.picture.empty()) {
    write_png(output.picture, draw_state(scene, state));
    result.outputs.push_back(output.picture.lexically_normal());
  }
}

/// Relative, with the throttle.
double accepted_error(const Scene& scene) {
  return scene.solver.online.error * std::max(1.0, scene.solver.online.throttle);
}

BodyTreeResult tree_result(const std::string& name, const TreeBody& body) {
  const Model& tree = body.tree();
  BodyTreeResult result{
      name, tree.domain_count(), tree.coordinate_count(), tree.depth(), tree.free, body.largest_gap(), {}};
  if (result.gap.domain >= 0)
    result.gap_domain = tree.domains[static_cast<std::size_t>(result.gap.domain)].name;
  return result;
}

/// What to do where a run found no solution.
std::string_view remedy(const SolverSettings& solver) {
  switch (solver.type) {
    case SimulationType::dynamics:
      return "use a shorter solver.timestep";
    case SimulationType::quasistatic:
      return "the body may have no equilibrium there: lower the loads, move what holds it less far or more "
             "slowly, or simulate it dynamically";
    case SimulationType::statics:
      return solver.order == ModelOrder::full ? "apply a smaller load or give more solver.load_steps"
                                              : "apply a smaller load";
  }
  return {};
}

void summarize(const Scene& scene, const SceneState& state, RunResult& result) {
  result.statics = scene.solver.type == SimulationType::statics;
  result.steps = state.step;
  result.time = state.time;
  result.energy = energy(state);
  result.remedy = remedy(scene.solver);
  double smallest = std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < state.bodies.size(); ++i) {
    const BodySimulation& simulation = *state.bodies[i];
    const SceneBody& body = scene.bodies[i];
    const Matrix3X moved =
        body.mesh.element_count() > 0 ? simulation.displacement() : simulation.surface_displacement();
    const auto* const domains = dynamic_cast<const TreeBody*>(&simulation);
    const Index elements = domains != nullptr ? domains->element_count() : body.mesh.element_count();
    result.bodies.push_back({body.name, body.mesh.vertex_count(), elements, simulation.unknowns(),
                             moved.colwise().norm().maxCoeff()});
    if (const auto* const modal = dynamic_cast<const ModalBody*>(&simulation)) {
      for (const ConstraintOutcome& outcome : modal->outcomes())
        result.constraints.push_back({body.name, outcome, modal->most_held(), modal->unknowns()});
      if (modal->warped()) result.warped.push_back({body.name, modal->largest_distortion()});
    }
    if (const auto* const online = dynamic_cast<const OnlineBody*>(&simulation))
      result.online.push_back({body.name, online->report(), accepted_error(scene)});
    if (const auto* const tree = dynamic_cast<const TreeBody*>(&simulation))
      result.trees.push_back(tree_result(body.name, *tree));
    const double ratio = simulation.smallest_volume_ratio();
    smallest = ratio < smallest || std::isnan(ratio) ? ratio : smallest;
  }
  result.report.smallest_volume_ratio = smallest;
}

TimelinePlot timeline_plot(const Scene& scene, const RunResult& result) {
  TimelinePlot plot;
  plot.timestep = scene.solver.timestep;
  plot.accepted_error = accepted_error(scene);
  for (const BodyOnlineResult& one : result.online) plot.bars.push_back({one.body, one.report.timeline, {}});
  return plot;
}

/// What a process that was killed left of its single files.
void remove_unfinished_outputs(const Scene& scene, const CheckpointRun& checkpoints) {
  const OutputSettings& output = scene.output;
  for (const fs::path& file :
       {output.displacements, output.picture, output.animation, output.timeline, checkpoints.file()}) {
    if (file.empty()) continue;
    limber::remove_unfinished(file.parent_path(),
                              [&](std::string_view name) { return name == file.filename(); });
  }
  if (output.vtu.empty()) return;
  limber::remove_unfinished(
      output.vtu, [names = file_names(scene)](std::string_view name) { return is_of_series(names, name); });
}

/// A reduced model has no rigid motion: nothing that a person would expect from gravity happens where that is
/// possible.
void warn_of_loose_bodies(const Scene& scene, const SceneState& state) {
  for (std::size_t i = 0; i < state.bodies.size(); ++i) {
    const ReducedModel* const model = state.bodies[i]->reduced_model();
    if (model == nullptr) continue;
    const auto& simulation = model->simulation;
    if (!simulation || unheld_parts(simulation->mesh, simulation->fixed).empty()) continue;
    print_warning(
        fmt::format("{}: its supports let it move or turn as a whole; the reduced model deforms in place and "
                    "does neither",
                    scene.bodies[i].name));
  }
}

/// What is written after the last step. folder: made for it where it is missing.
void write_end(Run& run, const fs::path& folder) {
  const OutputSettings& output = run.scene.output;
  RunResult& result = run.result;
  const bool files = !(output.displacements.empty() && output.picture.empty() && output.animation.empty() &&
                       output.timeline.empty());
  if (result.report.ok()) {
    if (!folder.empty() && files) run.folders.make(folder);
    write_last_state(run.scene, run.state, result);
    if (!output.animation.empty()) {
      result.animations = run.recording.write();
      result.outputs.push_back(output.animation.lexically_normal());
    }
    if (!output.timeline.empty()) {
      write_timeline(output.timeline, timeline_plot(run.scene, result));
      result.outputs.push_back(output.timeline.lexically_normal());
    }
  }
  for (fs::path& path : run.series.finish()) result.outputs.push_back(std::move(path));
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

SceneState make_state_with_progress(const Scene& scene) {
  ProgressBar bar;
  return make_state(scene, bar.callback());
}

}  // namespace

RunResult run_scene(const Scene& scene, const fs::path& folder, CheckpointRun* checkpoints) {
  if (!steps_in_time(scene)) checkpoints = nullptr;
  check_outputs_exist(scene);
  if (!scene.output.timeline.empty()) check_timeline_path(scene.output.timeline);
  const OutputPlan outputs = output_plan(scene, folder, checkpoints);
  check_outputs(outputs);
  check_spares(outputs, scene.inputs);
  std::optional<Checkpoint> from;
  if (checkpoints != nullptr) from = checkpoints->find(scene);
  RunResult result;
  Timer setup;
  SceneState state = make_state_with_progress(scene);
  result.setup_seconds = setup.seconds();
  warn_of_loose_bodies(scene, state);

  const fs::path frames = checkpoints != nullptr ? checkpoints->frames_file() : fs::path();
  NewFolders folders;
  Run run{scene,       state, folders, Series(scene, folders), MotionRecording(scene, state, frames),
          checkpoints, result};
  if (checkpoints != nullptr && checkpoints->resumes()) remove_unfinished_outputs(scene, *checkpoints);
  if (from) {
    resume(run, *from);
  } else if (checkpoints != nullptr) {
    checkpoints->clear();
  }
  const std::vector<fs::path> before = existing_files(outputs);
  try {
    run_steps(run);
    summarize(scene, state, result);
    write_timed(result.write_seconds, [&] { write_end(run, folder); });
  } catch (const std::exception& error) {
    const bool resumable = checkpoints != nullptr && checkpoints->interrupt();
    if (!resumable) {
      run.series.discard();
      discard_new(result.outputs, before);
      folders.remove_empty();
    } else if (dynamic_cast<const Failure*>(&error) != nullptr) {
      throw Failure(fmt::format("{}; --resume goes on from {}", error.what(), checkpoints->file().string()));
    }
    throw;
  }
  if (checkpoints != nullptr && !result.report.ok()) checkpoints->finish();
  print_warnings(result);
  return result;
}

}  // namespace limber::app
