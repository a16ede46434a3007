#include "apps/limber/scene_run.hpp"

#include "apps/limber/command.hpp"
#include "apps/limber/output_files.hpp"
#include "apps/limber/picture.hpp"
#include "apps/limber/progress_bar.hpp"
#include "limber/base/error.hpp"
#include "limber/base/timer.hpp"
#include "limber/io/csv.hpp"
#include "limber/io/png.hpp"
#include "limber/io/vtu.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cctype>
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

void check_outputs(const OutputSettings& output, const fs::path& folder) {
  if (!folder.empty()) check_output_folder(folder);
  if (!output.picture.empty()) check_extension(output.picture, ".png", "the picture");
  for (const fs::path& file : {output.displacements, output.picture}) {
    if (file.empty()) continue;
    std::error_code status;
    const bool folder_comes = !folder.empty() && !fs::exists(folder, status) &&
                              file.parent_path().lexically_normal() == folder.lexically_normal();
    if (!folder_comes) check_output_file(file);
  }
  if (!output.vtu.empty()) check_output_folder(output.vtu);
}

std::vector<Matrix3X> displacements_of(const SceneState& state) {
  std::vector<Matrix3X> all;
  for (const BodyState& body : state.bodies) all.push_back(body.displacement());
  return all;
}

/// Takes the time of writing, and turns its errors into failures: where the input was bad is known by then.
template <class Action>
void write_timed(double& seconds, const Action& action) {
  const ScopedTimer timer(seconds);
  try {
    action();
  } catch (const Error& error) {
    throw Failure(error.what());
  }
}

/// The steps of a run, with a frame of the series where one is due.
void run_steps(const Scene& scene, SceneState& state, Series& series, RunResult& result) {
  const bool statics = scene.solver.type == SimulationType::statics;
  const int count = step_count(scene);
  const auto write_frame = [&](double time, const std::vector<Matrix3X>& displacements) {
    if (scene.output.vtu.empty()) return;
    write_timed(result.write_seconds, [&] { series.write(time, displacements); });
  };

  ProgressBar bar;
  const std::vector<Matrix3X> start = displacements_of(state);
  if (!statics) write_frame(0.0, start);
  for (int i = 1; i <= count; ++i) {
    const int iterations = result.report.iterations;
    {
      const ScopedTimer timer(result.solve_seconds);
      result.report = step(scene, state, statics ? bar.callback() : Progress{});
    }
    result.report.iterations += iterations;
    if (!result.report.ok()) break;
    if (statics) write_frame(0.0, start);  // not before: a static solve that fails leaves nothing
    if (statics || i % scene.output.every == 0)
      write_frame(statics ? 1.0 : state.time, displacements_of(state));
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
    const BodyState& body = state.bodies[i];
    const FullModel& model = *body.model;
    result.bodies.push_back({scene.bodies[i].name, model.mesh().vertex_count(), model.mesh().element_count(),
                             model.dof_count(), body.displacement().colwise().norm().maxCoeff()});
    smallest = std::min(smallest, model.smallest_volume_ratio(body.u));
  }
  result.report.smallest_volume_ratio = smallest;
}

}  // namespace

RunResult run_scene(const Scene& scene, const fs::path& folder) {
  check_outputs(scene.output, folder);
  RunResult result;
  Timer setup;
  SceneState state = make_state(scene);
  result.setup_seconds = setup.seconds();

  Series series(scene);
  run_steps(scene, state, series, result);
  summarize(scene, state, result);
  write_timed(result.write_seconds, [&] {
    const OutputSettings& output = scene.output;
    if (!folder.empty() && result.report.ok() && !(output.displacements.empty() && output.picture.empty())) {
      make_folder(folder);
    }
    if (result.report.ok()) write_last_state(scene, state, result);
    for (fs::path& path : series.finish()) result.outputs.push_back(std::move(path));
  });
  return result;
}

nlohmann::ordered_json to_json(const RunResult& result) {
  nlohmann::ordered_json json{{"status", name_of(result.report.status)},
                              {"steps", result.steps},
                              {"time", result.time},
                              {"iterations", result.report.iterations},
                              {"residual", result.report.residual},
                              {"energy", result.report.energy},
                              {"load_steps", result.report.load_steps},
                              {"smallest_volume_ratio", result.report.smallest_volume_ratio}};
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
  if (report.smallest_volume_ratio <= 0.0) text += "warning: some element is inverted at the end\n";
  text += fmt::format("seconds: read {:.2f}, setup {:.2f}, solve {:.2f}, write {:.2f}\n", result.read_seconds,
                      result.setup_seconds, result.solve_seconds, result.write_seconds);
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
