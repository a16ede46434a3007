// Online model reduction against full simulation: the experiments of Kim & James 2009, section 5 and Tables 1
// and 2, and some more.
//   online FOLDER NAME...
// NAME: beam, pendulum, head, others, table1, table2, or small, which takes seconds. Full runs are kept in
// the folder (NAME.full, with their time) and used again; delete them to measure anew. Writes plots (.svg)
// and prints the tables of docs/online.md.

#include "limber/base/error.hpp"
#include "limber/base/file.hpp"
#include "limber/base/timer.hpp"
#include "limber/draw/line_plot.hpp"
#include "limber/draw/timeline_plot.hpp"
#include "limber/io/scene_file.hpp"
#include "limber/scene/scene.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <map>
#include <string>
#include <vector>

namespace limber::bench {
namespace {

namespace fs = std::filesystem;

/// Displacements of all vertices at all steps, and what they took to compute.
struct FullRun {
  Eigen::MatrixXf fields;  ///< 3n x steps, m
  double seconds = 0.0;    ///< of stepping
};

struct OnlineRun {
  std::string name;
  double error = 0.0, throttle = 0.0;
  OnlineReport report;
  double seconds = 0.0;
  /// Rms over the mass at each step, as a share of the largest displacement of the full run; empty without
  /// one.
  Vector errors;
};

void show_progress(const std::string& what, int step, int steps, double seconds) {
  if (step % std::max(1, steps / 50) != 0 && step != steps) return;
  std::fprintf(stderr, "\r%s: step %d of %d, %.1f s ", what.c_str(), step, steps, seconds);
  if (step == steps) std::fprintf(stderr, "\n");
}

FullRun compute_full(const std::string& name, Scene scene) {
  scene.bodies[0].method = Method::full;
  SceneState state = make_state(scene);
  FullRun motion;
  motion.fields.resize(3 * scene.bodies[0].mesh.vertex_count(), scene.solver.steps);
  for (int i = 0; i < scene.solver.steps; ++i) {
    const Timer timer;
    if (!step(scene, state).ok()) throw Error("{}: the full run failed at step {}", name, i + 1);
    motion.seconds += timer.seconds();
    motion.fields.col(i) = mesh_displacement(scene, state, 0).reshaped().cast<float>();
    show_progress(name + ", full", i + 1, scene.solver.steps, motion.seconds);
  }
  return motion;
}

FullRun full_motion(const fs::path& folder, const std::string& name, const Scene& scene) {
  const fs::path file = folder / (name + ".full");
  const Index rows = 3 * scene.bodies[0].mesh.vertex_count();
  if (fs::exists(file)) {
    std::ifstream in(file, std::ios::binary);
    FullRun motion;
    motion.fields.resize(rows, scene.solver.steps);
    in.read(reinterpret_cast<char*>(&motion.seconds), sizeof motion.seconds);
    in.read(reinterpret_cast<char*>(motion.fields.data()),
            static_cast<std::streamsize>(sizeof(float)) * motion.fields.size());
    if (in && in.peek() == EOF) return motion;
  }
  const FullRun motion = compute_full(name, scene);
  std::ofstream out(file, std::ios::binary);
  out.write(reinterpret_cast<const char*>(&motion.seconds), sizeof motion.seconds);
  out.write(reinterpret_cast<const char*>(motion.fields.data()),
            static_cast<std::streamsize>(sizeof(float)) * motion.fields.size());
  return motion;
}

/// Of each vertex in the whole.
Vector mass_shares(const SceneBody& body) {
  const FullModel model(body.mesh, body.materials, std::vector<int>{}, {body.mass});
  return model.vertex_masses() / model.vertex_masses().sum();
}

/// full: nothing is compared where it has no steps.
OnlineRun run_online(const std::string& name, Scene scene, double error, double throttle,
                     const FullRun& full) {
  scene.bodies[0].method = Method::online;
  scene.solver.online.error = error;
  scene.solver.online.throttle = throttle;
  SceneState state = make_state(scene);
  const Vector masses = mass_shares(scene.bodies[0]);
  const auto mean = [&](const Matrix3X& field) {
    return std::sqrt(field.colwise().squaredNorm().dot(masses));
  };
  OnlineRun run{fmt::format("throttle {:g}", throttle), error, throttle, {}, 0.0, Vector(full.fields.cols())};
  double largest = 0.0;
  for (int i = 0; i < scene.solver.steps; ++i) {
    const Timer timer;
    if (!step(scene, state).ok()) throw Error("{}: the online run failed at step {}", name, i + 1);
    const Matrix3X field = mesh_displacement(scene, state, 0);  // what an animator keeps of each step
    run.seconds += timer.seconds();
    if (full.fields.cols() > i) {
      const Matrix3X expected = full.fields.col(i).cast<double>().reshaped(3, field.cols());
      run.errors(i) = mean(field - expected);
      largest = std::max(largest, mean(expected));
    }
    show_progress(fmt::format("{}, online, throttle {:g}", name, throttle), i + 1, scene.solver.steps,
                  run.seconds);
  }
  run.report = *state.body(0).online_report();
  if (largest > 0.0) run.errors /= largest;
  return run;
}

void print_head() {
  fmt::print(
      "| scene | tets | steps | asked | throttle | skipped | rank (added, down-dated) | key elements | "
      "seconds full | online | "
      "speed-up | error | estimate |\n| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | "
      "--- | --- |\n");
}

void print_row(const std::string& name, const Scene& scene, const FullRun& full, const OnlineRun& run) {
  const OnlineReport& report = run.report;
  const bool compared = full.fields.cols() > 0;
  const bool whole = full.fields.cols() == scene.solver.steps;
  // Of a part of the steps: what all of them would take.
  const double full_seconds =
      compared ? full.seconds * scene.solver.steps / static_cast<double>(full.fields.cols()) : 0.0;
  fmt::print(
      "| {} | {} | {} | {:g} % | {:g} | {:.1f} % | {} ({}, {}) | {} | {} | {:.1f} | {} | {} | {:.2g} % |\n",
      name, scene.bodies[0].mesh.element_count(), scene.solver.steps, 100.0 * run.error, run.throttle,
      100.0 * report.skipped_share(), report.rank, report.basis_grown, report.basis_shrunk,
      report.key_elements, compared ? fmt::format("{}{:.1f}", whole ? "" : "~", full_seconds) : "-",
      run.seconds, compared ? fmt::format("{:.1f}", full_seconds / run.seconds) : "-",
      compared ? fmt::format("{:.2g} %", 100.0 * run.errors.maxCoeff()) : "-", 100.0 * report.error);
  std::fflush(stdout);
}

void write_plots(const fs::path& folder, const std::string& name, const Scene& scene,
                 const std::vector<OnlineRun>& runs) {
  TimelinePlot bars;
  bars.timestep = scene.solver.timestep;
  bars.accepted_error = runs[0].error;
  LinePlot errors;
  errors.title = "Error against the full run";
  errors.x_label = "time, s";
  errors.y_label = "error, % of the largest displacement";
  const Index steps = runs[0].errors.size();
  const Vector times =
      Vector::LinSpaced(steps, scene.solver.timestep, static_cast<double>(steps) * scene.solver.timestep);
  for (const OnlineRun& run : runs) {
    bars.bars.push_back({fmt::format("{}: {:.1f} % skipped", run.name, 100.0 * run.report.skipped_share()),
                         run.report.timeline,
                         {}});
    if (steps > 0) errors.curves.push_back({run.name, times, 100.0 * run.errors});
  }
  write_file(folder / (name + "_timeline.svg"), to_svg(bars));
  if (steps > 0) write_file(folder / (name + "_error.svg"), to_svg(errors));
}

/// full_steps: of the full run, which the first steps are compared with; 0: all.
void compare(const fs::path& folder, const std::string& name, const Scene& scene, double error,
             const std::vector<double>& throttles, int full_steps = 0) {
  Scene shorter = scene;
  if (full_steps > 0) shorter.solver.steps = full_steps;
  const FullRun full = full_motion(folder, name, shorter);
  std::vector<OnlineRun> runs;
  for (const double throttle : throttles) {
    runs.push_back(run_online(name, scene, error, throttle, full));
    print_row(name, scene, full, runs.back());
  }
  write_plots(folder, name, scene, runs);
}

/// The paper's beam: length 1 m, Lame parameters 20,000 and 100,000 Pa. What it weighs and how it is damped
/// is not told; this one falls to hang nearly straight, and swings back.
Scene beam(const std::string& cells, double timestep, int steps) {
  const std::string text = fmt::format(
      R"({{"bodies": [{{"name": "beam", "mesh": "builtin:beam?size=1,0.0446428571428571,0.0446428571428571&cells={}",
      "material": {{"law": "stvk", "lambda": 20000, "mu": 100000, "density": 20}}, "fixed": {{"where": "x < 0.0001"}},
      "damping": {{"mass": 0.1, "stiffness": 0.002}}}}], "gravity": [0, 0, -9.81],
      "solver": {{"type": "dynamic", "timestep": {}, "steps": {}}}}})",
      cells, timestep, steps);
  return parse_scene(text, ".", "beam");
}

/// Another number of steps for the same motion.
Scene refined(Scene scene, int factor) {
  scene.solver.steps *= factor;
  scene.solver.timestep /= factor;
  return scene;
}

/// Compared with the first 100 steps of the full run, which hold the push; all 1,500 take an hour.
void pendulum(const fs::path& folder) {
  compare(folder, "pendulum", read_scene("examples/scenes/online_pendulum.json"), 0.05, {1.0}, 100);
}

void table1(const fs::path& folder) {
  for (const char* cells : {"34,2,2", "53,2,2", "112,5,5"})
    compare(folder, fmt::format("beam_{}", std::string(cells).substr(0, std::string(cells).find(','))),
            beam(cells, 0.01, 1500), 0.02, {1.0});
  for (const int factor : {2, 4, 8})
    compare(folder, fmt::format("beam_34_in_{}", factor), refined(beam("34,2,2", 0.01, 1500), factor), 0.02,
            {1.0});
}

void table2(const fs::path& folder) {
  Scene head = read_scene("examples/scenes/online_head.json");
  compare(folder, "head", head, 0.005, {1.0});
  for (const int factor : {2, 4, 8}) {
    const Scene finer = refined(head, factor);
    const std::string name = fmt::format("head_in_{}", factor);
    print_row(name, finer, {}, run_online(name, finer, 0.005, 1.0, {}));
  }
  std::string text = read_file("examples/scenes/online_head.json");
  text.replace(text.find("builtin:head"), 12, "builtin:head?cells=54");
  const Scene fine = parse_scene(text, "examples/scenes", "head");
  print_row("head_fine", fine, {}, run_online("head_fine", fine, 0.005, 1.0, {}));
}

/// Other materials, loads and elements.
void others(const fs::path& folder) {
  compare(folder, "heart",
          parse_scene(R"({"bodies": [{"name": "heart", "mesh": "builtin:heart?cells=24",
      "material": {"law": "neo-hookean", "young": 20000, "poisson": 0.4, "density": 1000},
      "loads": [{"acceleration": [6, 0, 0], "to": 0.1}, {"acceleration": [0, 8, 0], "from": 0.5, "to": 0.6}],
      "damping": {"mass": 0.5, "stiffness": 0.002}}], "gravity": [0, 0, -9.81],
      "solver": {"type": "dynamic", "timestep": 0.005, "steps": 300}})",
                      ".", "heart"),
          0.02, {1.0, 2.0});
  compare(folder, "bricks",
          parse_scene(
              R"({"bodies": [{"name": "bar", "mesh": "builtin:beam?element=brick&size=1,0.2,0.2&cells=30,6,6",
      "material": {"law": "mooney-rivlin", "young": 300000, "poisson": 0.45, "density": 1000}, "fixed": {"where": "x < 0.001"},
      "loads": [{"where": "x > 0.999 and y > 0", "force": [0, 0, 2], "to": 0.6}, {"where": "x > 0.999 and y < 0", "force": [0, 0, -2], "to": 0.6}],
      "damping": {"mass": 0.2, "stiffness": 0.001}}], "gravity": [0, 0, -9.81],
      "solver": {"type": "dynamic", "timestep": 0.01, "steps": 300}})",
              ".", "bricks"),
          0.02, {1.0, 2.0});
  compare(folder, "twisted",
          parse_scene(R"({"bodies": [{"name": "bar", "mesh": "builtin:beam?size=1,0.2,0.2&cells=30,6,6",
      "material": {"law": "neo-hookean", "young": 100000, "poisson": 0.4}, "fixed": {"where": "x < 0.001"},
      "constraints": [{"where": "x > 0.999", "keys": [{"time": 0}, {"time": 2, "rotation": [0.7071067811865476, 0, 0, 0.7071067811865476]},
      {"time": 4, "position": [-0.2, 0.3, 0], "rotation": [0.7071067811865476, 0, 0, 0.7071067811865476]}, {"time": 6}]}]}],
      "solver": {"type": "quasistatic", "timestep": 0.01, "steps": 600}})",
                      ".", "twisted"),
          0.02, {1.0, 2.0});
}

void run(const fs::path& folder, const std::string& name) {
  if (name == "beam") return compare(folder, name, beam("112,5,5", 0.01, 1500), 0.02, {1.0, 2.0});
  if (name == "pendulum") return pendulum(folder);
  if (name == "head")
    return compare(folder, name, read_scene("examples/scenes/online_head.json"), 0.005, {1.0, 3.0});
  if (name == "others") return others(folder);
  if (name == "table1") return table1(folder);
  if (name == "table2") return table2(folder);
  if (name == "small") return compare(folder, name, beam("20,1,1", 0.01, 150), 0.05, {1.0, 2.0});
  throw Error("no experiment '{}'; there are beam, pendulum, head, others, table1, table2 and small", name);
}

}  // namespace
}  // namespace limber::bench

int main(int argc, char** argv) {
  try {
    limber::require(argc >= 3, "usage: online FOLDER NAME...");
    limber::bench::print_head();
    for (int i = 2; i < argc; ++i) limber::bench::run(argv[1], argv[i]);
    return 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "online: %s\n", error.what());
    return 1;
  }
}
