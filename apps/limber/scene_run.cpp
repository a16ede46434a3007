#include "apps/limber/scene_run.hpp"

#include "apps/limber/command.hpp"
#include "apps/limber/console.hpp"
#include "apps/limber/describe.hpp"
#include "apps/limber/output_files.hpp"
#include "apps/limber/picture.hpp"
#include "apps/limber/progress_bar.hpp"
#include "limber/base/error.hpp"
#include "limber/base/timer.hpp"
#include "limber/io/csv.hpp"
#include "limber/io/png.hpp"
#include "limber/io/vtu.hpp"
#include "limber/scene/modal_body.hpp"

#include <nlohmann/json.hpp>

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

/// The series of .vtu files of a run, one per body.
class Series {
 public:
  explicit Series(const Scene& scene)
      : scene_(scene), names_(file_names(scene)), entries_(scene.bodies.size()) {}

  /// One displacement (3 x n) per body.
  void write(double time, const std::vector<Matrix3X>& displacements) {
    if (frames_ == 0) make_folder(scene_.output.vtu);
    for (std::size_t i = 0; i < names_.size(); ++i) {
      const std::string file = fmt::format("{}_{:04}.vtu", names_[i], frames_);
      write_vtu(scene_.output.vtu / file, scene_.bodies[i].mesh, {.displacement = displacements[i]});
      entries_[i].push_back({time, file});
    }
    ++frames_;
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
  const Scene& scene_;
  std::vector<std::string> names_;
  std::vector<std::vector<PvdEntry>> entries_;
  int frames_ = 0;
};

void check_outputs(const Scene& scene, const fs::path& folder) {
  const OutputSettings& output = scene.output;
  if (!folder.empty()) check_output_folder(folder);
  if (!output.picture.empty()) check_extension(output.picture, ".png", "the picture");
  if (!output.animation.empty()) check_extension(output.animation, ".glb", "the animation");
  std::set<fs::path> files;
  for (const fs::path& file : {output.displacements, output.picture, output.animation}) {
    if (file.empty()) continue;
    require(files.insert(file.lexically_normal()).second, "two outputs go to {}; choose different names",
            file.string());
    check_spares(file, scene.inputs);
    std::error_code status;
    const bool folder_comes = !folder.empty() && !fs::exists(folder, status) &&
                              file.parent_path().lexically_normal() == folder.lexically_normal();
    if (!folder_comes) check_output_file(file);
  }
  if (!output.vtu.empty()) check_output_folder(output.vtu);
}

/// Throws Error for outputs that this kind of simulation does not have.
void check_outputs_exist(const Scene& scene) {
  const OutputSettings& output = scene.output;
  require(output.animation.empty() ||
              (scene.solver.order != ModelOrder::full && scene.solver.type == SimulationType::dynamics),
          "output.animation: a .glb holds the motion of reduced bodies; set solver.order to 'reduced', "
          "'warped' or 'linear' and solver.type to 'dynamic', or ask for 'vtu'");
  for (const Body& body : scene.bodies) {
    require(body.mesh.element_count() > 0 || (output.displacements.empty() && output.vtu.empty()),
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

/// The steps of a run, with a frame of the series and of the animation where one is due.
void run_steps(const Scene& scene, SceneState& state, Series& series, MotionRecording& recording,
               RunResult& result) {
  const bool statics = scene.solver.type == SimulationType::statics;
  const int count = step_count(scene);
  const auto write_frame = [&](double time, const auto& displacements) {
    if (scene.output.vtu.empty()) return;
    write_timed(result.write_seconds, [&] { series.write(time, displacements()); });
  };

  ProgressBar bar;
  const std::vector<Matrix3X> start = displacements_of(state);
  const auto at_start = [&] { return start; };
  const auto now = [&] { return displacements_of(state); };
  if (!statics) write_frame(0.0, at_start);
  recording.add(state);
  for (int i = 1; i <= count; ++i) {
    const int iterations = result.report.iterations;
    {
      const ScopedTimer timer(result.solve_seconds);
      result.report = step(scene, state, statics ? bar.callback() : Progress{});
    }
    result.report.iterations += iterations;
    if (!result.report.ok()) break;
    if (statics) write_frame(0.0, at_start);  // not before: a static solve that fails leaves nothing
    if (statics || i % scene.output.every == 0) {
      write_frame(statics ? 1.0 : state.time, now);
      recording.add(state);
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

void summarize(const Scene& scene, const SceneState& state, RunResult& result) {
  result.statics = scene.solver.type == SimulationType::statics;
  result.steps = state.step;
  result.time = state.time;
  double smallest = std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < state.bodies.size(); ++i) {
    const BodySimulation& simulation = *state.bodies[i];
    const Body& body = scene.bodies[i];
    const Matrix3X moved =
        body.mesh.element_count() > 0 ? simulation.displacement() : simulation.surface_displacement();
    result.bodies.push_back({body.name, body.mesh.vertex_count(), body.mesh.element_count(),
                             simulation.unknowns(), moved.colwise().norm().maxCoeff()});
    if (const auto* const modal = dynamic_cast<const ModalBody*>(&simulation)) {
      for (const ConstraintOutcome& outcome : modal->outcomes())
        result.constraints.push_back({body.name, outcome, modal->most_held(), modal->unknowns()});
    }
    const double ratio = simulation.smallest_volume_ratio();
    smallest = ratio < smallest || std::isnan(ratio) ? ratio : smallest;
  }
  result.report.smallest_volume_ratio = smallest;
}

/// A reduced model has no rigid motion: nothing that a person would expect from gravity happens where that is possible.
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

std::string missed_text(const BodyConstraintOutcome& one) {
  const ConstraintOutcome& outcome = one.outcome;
  std::string by;
  if (outcome.position_error > 0.0) by = fmt::format("{:.3g} m", outcome.position_error);
  if (outcome.orientation_error > 0.0)
    by += fmt::format("{}{:.3g} rad", by.empty() ? "" : " and ", outcome.orientation_error);
  return fmt::format("'{}' of {} by up to {}, most at {:.6g} s", outcome.name, one.body, by,
                     outcome.worst_time);
}

void warn_of_missed_constraints(const RunResult& result) {
  std::string missed, crowded;
  std::set<std::string> named;
  for (const BodyConstraintOutcome& one : result.constraints) {
    if (one.outcome.met) continue;
    missed += (missed.empty() ? "" : "; ") + missed_text(one);
    if (one.held <= one.modes || !named.insert(one.body).second) continue;
    crowded += fmt::format("; in {} {} numbers are held by {} modes", one.body, one.held, one.modes);
  }
  if (missed.empty()) return;
  print_warning(fmt::format("constraints were missed: {}{}; raise basis.modes or rank, or {}", missed,
                            crowded, crowded.empty() ? "move them less" : "hold fewer vertices"));
}

/// A small length in the unit that suits it.
std::string length_text(double metres) {
  return metres < 0.1 ? fmt::format("{:.3g} mm", 1e3 * metres) : fmt::format("{:.3g} m", metres);
}

void warn_of_inexact_animations(const RunResult& result) {
  for (const AnimationFit& fit : result.animations) {
    if (fit.largest_error <= fit.tolerance) continue;
    print_warning(fmt::format(
        "{}: the animation misses vertices by up to {}, more than output.animation_tolerance, which is {}, "
        "with all of its {} targets; raise the tolerance or write a shorter motion",
        fit.body, length_text(fit.largest_error), length_text(fit.tolerance), fit.targets));
  }
}

SceneState make_state_with_progress(const Scene& scene) {
  ProgressBar bar;
  return make_state(scene, bar.callback());
}

}  // namespace

RunResult run_scene(const Scene& scene, const fs::path& folder) {
  check_outputs_exist(scene);
  check_outputs(scene, folder);
  RunResult result;
  Timer setup;
  SceneState state = make_state_with_progress(scene);
  result.setup_seconds = setup.seconds();
  warn_of_loose_bodies(scene, state);

  Series series(scene);
  MotionRecording recording(scene);
  run_steps(scene, state, series, recording, result);
  summarize(scene, state, result);
  write_timed(result.write_seconds, [&] {
    const OutputSettings& output = scene.output;
    const bool files = !(output.displacements.empty() && output.picture.empty() && output.animation.empty());
    if (!folder.empty() && result.report.ok() && files) make_folder(folder);
    if (result.report.ok()) write_last_state(scene, state, result);
    if (result.report.ok() && !output.animation.empty()) {
      result.animations = recording.write(state);
      result.outputs.push_back(output.animation.lexically_normal());
    }
    for (fs::path& path : series.finish()) result.outputs.push_back(std::move(path));
  });
  warn_of_missed_constraints(result);
  warn_of_inexact_animations(result);
  return result;
}

namespace {

nlohmann::ordered_json constraints_json(const RunResult& result) {
  nlohmann::ordered_json json{{"met", true}, {"each", nlohmann::ordered_json::array()}};
  for (const auto& [body, outcome, held, modes] : result.constraints) {
    if (!outcome.met) json["met"] = false;
    json["each"].push_back({{"body", body},
                            {"name", outcome.name},
                            {"met", outcome.met},
                            {"position_error", outcome.position_error},
                            {"orientation_error", outcome.orientation_error},
                            {"worst_time", outcome.worst_time}});
  }
  return json;
}

nlohmann::ordered_json animations_json(const RunResult& result) {
  nlohmann::ordered_json json = nlohmann::ordered_json::array();
  for (const AnimationFit& fit : result.animations) {
    json.push_back({{"body", fit.body},
                    {"targets", fit.targets},
                    {"largest_error", fit.largest_error},
                    {"tolerance", fit.tolerance}});
  }
  return json;
}

}  // namespace

nlohmann::ordered_json to_json(const RunResult& result) {
  nlohmann::ordered_json json{{"status", name_of(result.report.status)},
                              {"steps", result.steps},
                              {"time", result.time},
                              {"iterations", result.report.iterations},
                              {"residual", result.report.residual},
                              {"energy", result.report.energy},
                              {"load_steps", result.report.load_steps},
                              {"smallest_volume_ratio", number_or_null(result.report.smallest_volume_ratio)}};
  json["seconds"] = {{"read", result.read_seconds},
                     {"setup", result.setup_seconds},
                     {"solve", result.solve_seconds},
                     {"write", result.write_seconds}};
  json["bodies"] = nlohmann::ordered_json::array();
  for (const BodyResult& body : result.bodies) {
    json["bodies"].push_back({{"name", body.name},
                              {"vertices", body.vertices},
                              {"elements", body.elements},
                              {"unknowns", body.unknowns},
                              {"max_displacement", body.max_displacement}});
  }
  if (!result.constraints.empty()) json["constraints"] = constraints_json(result);
  if (!result.animations.empty()) json["animation"] = animations_json(result);
  json["outputs"] = nlohmann::ordered_json::array();
  for (const fs::path& path : result.outputs) json["outputs"].push_back(path.string());
  return json;
}

std::string to_text(const RunResult& result) {
  const StepReport& report = result.report;
  std::string text = fmt::format("{}: ", name_of(report.status));
  if (result.statics) {
    text += fmt::format("{} load step{}", report.load_steps, report.load_steps == 1 ? "" : "s");
  } else {
    text += fmt::format("{} time step{}, {:.6g} s simulated", result.steps, result.steps == 1 ? "" : "s",
                        result.time);
  }
  text += fmt::format(", {} iterations, residual {:.2g}, energy {:.6g} J\n", report.iterations,
                      report.residual, report.energy);
  for (const BodyResult& body : result.bodies) {
    text += fmt::format("{}: {} vertices, {} elements, {} unknowns, largest displacement {:.6g} m\n",
                        body.name, body.vertices, body.elements, body.unknowns, body.max_displacement);
  }
  if (result.steps > 0 && !result.statics && result.solve_seconds > 0.0)
    text += fmt::format("{:.4g} steps per second, {:.3g} times real time\n",
                        result.steps / result.solve_seconds, result.time / result.solve_seconds);
  if (report.smallest_volume_ratio <= 0.0) text += "warning: some element is inverted at the end\n";
  text += fmt::format("seconds: read {:.2f}, setup {:.2f}, solve {:.2f}, write {:.2f}\n", result.read_seconds,
                      result.setup_seconds, result.solve_seconds, result.write_seconds);
  for (const AnimationFit& fit : result.animations) {
    text +=
        fmt::format("animation{}: {} target{}, largest error {} (tolerance {})\n",
                    result.animations.size() > 1 ? " of " + fit.body : "", fit.targets,
                    fit.targets == 1 ? "" : "s", length_text(fit.largest_error), length_text(fit.tolerance));
  }
  for (const fs::path& path : result.outputs) text += fmt::format("wrote {}\n", path.string());
  return text;
}

void require_success(const RunResult& result, std::string_view scene) {
  const StepReport& report = result.report;
  if (report.ok()) return;
  const std::string outcome = fmt::format("{}, residual {:.2g}", name_of(report.status), report.residual);
  if (result.statics) {
    throw Failure(
        fmt::format("{}: no static solution found: {}; apply a smaller load or give more solver.load_steps",
                    scene, outcome));
  }
  throw Failure(
      fmt::format("{}: the solve failed after {} step{} (t = {:.6g} s): {}; use a shorter solver.timestep",
                  scene, result.steps, result.steps == 1 ? "" : "s", result.time, outcome));
}

}  // namespace limber::app
