// Substructuring, Barbic & Zhao 2011: Figure 7 (a flower by trees of domains with three kinds of subtree
// inertia against full finite elements), Table 1 (cost of a step for bodies of the paper's sizes),
// interfaces, momentum in free flight, and how the cost grows with the number of domains.
//   substructuring FOLDER [quick]
// Writes plots (.svg) into the folder and prints the tables of docs/substructuring.md.

#include "limber/base/file.hpp"
#include "limber/base/timer.hpp"
#include "limber/basis/linear_modes.hpp"
#include "limber/bodies/builtin.hpp"
#include "limber/draw/line_plot.hpp"
#include "limber/full/dynamics.hpp"
#include "limber/linalg/symmetric_solve.hpp"
#include "limber/multidomain/decompose.hpp"
#include "limber/multidomain/reduce_tree.hpp"
#include "limber/multidomain/tree_shape.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <numbers>
#include <string>
#include <vector>

namespace limber::bench {
namespace {

struct Level {
  SubtreeInertia inertia;
  std::string name;
};
const std::vector<Level> levels{{SubtreeInertia::interface, "L1, at the interface"},
                                {SubtreeInertia::center, "L2, at the centre of mass"},
                                {SubtreeInertia::full, "L3, full inertia"}};

struct Reduced {
  std::shared_ptr<const Model> tree;
  Index elements = 0;
  double seconds = 0.0;
};

Reduced reduce_parts(const PartTree& parts, int rank, int total_rank = 0) {
  TreeReduceOptions options;
  options.rank = rank;
  options.total_rank = total_rank;
  TreeReduceReport report;
  Reduced result;
  const Timer timer;
  result.tree = std::make_shared<const Model>(reduce_tree(parts, options, report));
  result.seconds = timer.seconds();
  for (const Placement& placement : parts.placements)
    result.elements += parts.parts[static_cast<std::size_t>(placement.part)].mesh.element_count();
  return result;
}

PartTree parts_of(const BuiltinBody& body) {
  return make_parts({body.mesh, body.materials, body.render, body.part_colors, body.fixed},
                    decompose_by_regions(body.mesh));
}

/// Frequency of a swing from where it passes its mean, Hz.
double frequency(const Vector& times, const Vector& values) {
  const double mean = values.mean();
  double first = -1.0, last = -1.0;
  int crossings = 0;
  for (Index i = 1; i < values.size(); ++i) {
    const double a = values(i - 1) - mean, b = values(i) - mean;
    if (!(a < 0.0 && b >= 0.0)) continue;
    last = times(i - 1) + (times(i) - times(i - 1)) * a / (a - b);
    if (first < 0.0) first = last;
    ++crossings;
  }
  return crossings > 1 ? (crossings - 1) / (last - first) : 0.0;
}

// Figure 7.

constexpr double flower_step = 1e-3;  // s
constexpr RayleighDamping flower_damping{0.0, 1e-3};
constexpr double swing = 0.55;  // of the top, as a share of its height: the stem bends by about 45 degrees

/// Where the two points go in time, 3 x steps each.
struct Motion {
  std::string name;
  Vector times;
  Matrix3X top, bud;
  double seconds_per_step = 0.0, lowest = 0.0;  ///< s, Hz
};

int vertex_of(const VolumeMesh& mesh, const std::string& region) {
  double highest = -1.0;
  int found = -1;
  for (Index e = 0; e < mesh.element_count(); ++e) {
    const Region& own = mesh.regions[static_cast<std::size_t>(mesh.region[static_cast<std::size_t>(e)])];
    if (own.name != region) continue;
    for (const int v : mesh.elements.col(e))
      if (mesh.vertices(2, v) > highest) {
        highest = mesh.vertices(2, v);
        found = v;
      }
  }
  return found;
}

class Flower {
 public:
  Flower()
      : body_(make_builtin("builtin:lily")),
        full_(body_.mesh, body_.materials, body_.fixed),
        modes_(compute_linear_modes(full_, 6)),
        top_(vertex_of(body_.mesh, "head")),
        bud_(vertex_of(body_.mesh, "bud")) {
    const Matrix3X shape = full_.dofs().expand(modes_.shapes.col(0));
    const double omega = 2.0 * std::numbers::pi * modes_.frequencies_hz(0);
    speed_ = swing * body_.mesh.vertices(2, top_) * omega / shape.col(top_).norm();
  }

  [[nodiscard]] Motion by_finite_elements(double duration) const {
    Motion motion = start("full finite elements", duration);
    motion.lowest = modes_.frequencies_hz(0);
    FullDynamics dynamics(full_, [](double, double, Vector& f) { f.setZero(); },
                          Vector::Zero(full_.dof_count()), speed_ * modes_.shapes.col(0),
                          {.newmark = {.max_iterations = 1}, .damping = flower_damping});
    const Timer timer;
    for (Index i = 0; i < motion.times.size(); ++i) {
      if (!dynamics.step(flower_step).ok()) fmt::print("a step of the full flower failed\n");
      const Matrix3X u = full_.dofs().expand(dynamics.state().u);
      motion.top.col(i) = body_.mesh.vertices.col(top_) + u.col(top_);
      motion.bud.col(i) = body_.mesh.vertices.col(bud_) + u.col(bud_);
    }
    motion.seconds_per_step = timer.seconds() / static_cast<double>(motion.times.size());
    return motion;
  }

  [[nodiscard]] Motion by_domains(const std::shared_ptr<const Model>& tree, const Level& level,
                                  double duration, InterfaceGap& gap) const {
    Motion motion = start(level.name, duration);
    const TreeMesh mesh(tree);
    TreeDynamics dynamics(tree);
    dynamics.set_inertia(level.inertia);
    dynamics.set_damping(flower_damping);
    motion.lowest = dynamics.natural_frequencies()(0);
    TreeState state = dynamics.state();
    state.v = velocities(dynamics, mesh);
    dynamics.set_state(state);
    const TreePoint top = mesh.point(top_), bud = mesh.point(bud_);
    double seconds = 0.0;
    for (Index i = 0; i < motion.times.size(); ++i) {
      const Timer timer;
      const bool moved = dynamics.step(flower_step).ok();
      if (!moved || dynamics.position(top).norm() > 2.0) {
        fmt::print("{}: unstable, lost after {:.2f} s\n", level.name, motion.times(i));
        motion.times.conservativeResize(i);
        motion.top.conservativeResize(3, i);
        motion.bud.conservativeResize(3, i);
        break;
      }
      seconds += timer.seconds();
      motion.top.col(i) = dynamics.position(top);
      motion.bud.col(i) = dynamics.position(bud);
      if (i % 20 == 0 && dynamics.largest_gap().share > gap.share) gap = dynamics.largest_gap();
    }
    motion.seconds_per_step = seconds / static_cast<double>(motion.times.size());
    return motion;
  }

  [[nodiscard]] const BuiltinBody& body() const { return body_; }
  [[nodiscard]] const LinearModes& modes() const { return modes_; }

 private:
  [[nodiscard]] static Motion start(const std::string& name, double duration) {
    const auto steps = static_cast<Index>(std::round(duration / flower_step));
    return {name, Vector::LinSpaced(steps, flower_step, duration), Matrix3X::Zero(3, steps),
            Matrix3X::Zero(3, steps)};
  }

  /// Of the coordinates: those that come nearest to the velocities of the first mode, by least squares with
  /// the masses of the vertices.
  [[nodiscard]] Vector velocities(const TreeDynamics& resting, const TreeMesh& mesh) const {
    const Matrix3X wanted = speed_ * full_.dofs().expand(modes_.shapes.col(0));
    const Vector& masses = full_.vertex_masses();
    const Index n = mesh.mesh().vertex_count(), r = resting.coordinate_count();
    std::vector<TreePoint> points;
    for (int v = 0; v < n; ++v) points.push_back(mesh.point(v));
    Matrix rows(3 * n, r);
    Vector right(3 * n);
    TreeDynamics moving(resting.shared_tree());
    for (Index i = 0; i < r; ++i) {
      TreeState state = moving.state();
      state.v = Vector::Unit(r, i);
      moving.set_state(state);
      for (Index v = 0; v < n; ++v)
        rows.block<3, 1>(3 * v, i) =
            std::sqrt(masses(v)) * moving.velocity(points[static_cast<std::size_t>(v)]);
    }
    for (Index v = 0; v < n; ++v) right.segment<3>(3 * v) = std::sqrt(masses(v)) * wanted.col(v);
    return solve_symmetric(rows.transpose() * rows, rows.transpose() * right);
  }

  BuiltinBody body_;
  FullModel full_;
  LinearModes modes_;
  int top_, bud_;
  double speed_ = 0.0;
};

Curve curve(const Motion& motion, const Vector& x, const Vector& y) {
  return {motion.name, x, y, motion.name.front() == 'L'};
}

void plot_motions(const std::vector<Motion>& motions, const std::filesystem::path& folder) {
  LinePlot above_top{.title = "Top of the flower, seen from above", .x_label = "x (m)", .y_label = "y (m)"};
  LinePlot above_bud{.title = "Bud, seen from above", .x_label = "x (m)", .y_label = "y (m)"};
  const Matrix3X& path = motions.front().top;
  const int axis =
      path.row(0).maxCoeff() - path.row(0).minCoeff() > path.row(1).maxCoeff() - path.row(1).minCoeff() ? 0
                                                                                                        : 1;
  LinePlot in_time{
      .title = "Top of the flower", .x_label = "time (s)", .y_label = axis == 0 ? "x (m)" : "y (m)"};
  for (const Motion& motion : motions) {
    above_top.curves.push_back(curve(motion, motion.top.row(0), motion.top.row(1)));
    above_bud.curves.push_back(curve(motion, motion.bud.row(0), motion.bud.row(1)));
    in_time.curves.push_back(curve(motion, motion.times, motion.top.row(axis)));
  }
  write_file(folder / "flower_top.svg", to_svg(above_top));
  write_file(folder / "flower_bud.svg", to_svg(above_bud));
  write_file(folder / "flower_time.svg", to_svg(in_time));
}

double swing_frequency(const Motion& motion) {
  const Vector x = motion.top.row(0), y = motion.top.row(1);
  return x.maxCoeff() - x.minCoeff() > y.maxCoeff() - y.minCoeff() ? frequency(motion.times, x)
                                                                   : frequency(motion.times, y);
}

/// How far apart two paths are at most, whatever the times: the distance of each point of one from the other
/// path, as a share of its extent.
double path_distance(const Matrix3X& one, const Matrix3X& other) {
  double worst = 0.0;
  for (Index i = 0; i < one.cols(); i += 5)
    worst = std::max(worst, (other.colwise() - one.col(i)).colwise().norm().minCoeff());
  return worst / (one.rowwise().maxCoeff() - one.rowwise().minCoeff()).norm();
}

void figure_7(const std::filesystem::path& folder, bool quick) {
  const Flower flower;
  const Reduced reduced = reduce_parts(parts_of(flower.body()), 20);
  fmt::print(
      "\nFigure 7: a flower of {} tetrahedra, {} domains, {} coordinates, depth {}, reduced in {:.2f} s\n",
      flower.body().mesh.element_count(), reduced.tree->domain_count(), reduced.tree->coordinate_count(),
      reduced.tree->depth(), reduced.seconds);
  const double duration = quick ? 0.2 : 4.0;
  std::vector<Motion> motions{flower.by_finite_elements(duration)};
  InterfaceGap gap;
  for (const Level& level : levels) {
    InterfaceGap largest;
    motions.push_back(flower.by_domains(reduced.tree, level, duration, largest));
    gap = largest;  // of the last, with full inertia
  }
  const Motion& truth = motions.front();
  fmt::print(
      "\n| method | lowest frequency (Hz) | over full | swing (Hz) | over full | path of the top | of the "
      "bud | ms per step |\n"
      "| --- | --- | --- | --- | --- | --- | --- | --- |\n");
  for (const Motion& motion : motions) {
    fmt::print("| {} | {:.3f} | {:.3f} | {:.3f} | {:.3f} | {:.1f} % | {:.1f} % | {:.3f} |\n", motion.name,
               motion.lowest, motion.lowest / truth.lowest, swing_frequency(motion),
               swing_frequency(motion) / std::max(swing_frequency(truth), 1e-12),
               100.0 * path_distance(truth.top, motion.top), 100.0 * path_distance(truth.bud, motion.bud),
               1e3 * motion.seconds_per_step);
  }
  TreeDynamics dynamics(reduced.tree);
  const Vector found = dynamics.natural_frequencies();
  fmt::print("\nlowest frequencies, full:");
  for (const double f : flower.modes().frequencies_hz) fmt::print(" {:.3f}", f);
  fmt::print("\nlowest frequencies, L3:  ");
  for (Index i = 0; i < std::min<Index>(6, found.size()); ++i) fmt::print(" {:.3f}", found(i));
  fmt::print("\nlargest gap of an interface (L3): {:.2f} % of its size, at '{}'\n", 100.0 * gap.share,
             gap.domain < 0 ? "none" : reduced.tree->domains[static_cast<std::size_t>(gap.domain)].name);
  plot_motions(motions, folder);
}

// Table 1.

struct Example {
  std::string name;
  PartTree parts;
  int rank = 20, total_rank = 0;
  Wind wind{};
  Vector3 gravity = Vector3::Zero();
  double h = 1e-3;
};

Example decomposed(const std::string& name, const std::string& body, int rank, int total_rank) {
  return {name, parts_of(make_builtin(body)), rank, total_rank, {}, Vector3(0.0, 0.0, -9.81)};
}

std::vector<Example> table_examples(bool quick) {
  std::vector<Example> all;
  all.push_back(decomposed("flower", "builtin:lily", 20, 0));
  all.push_back({"letters", make_builtin_tree("builtin:letters")});
  all.push_back(decomposed("dragon", "builtin:dragon", 0, 454));
  all.push_back({"station", make_builtin_tree("builtin:station")});
  all.push_back({"oak",
                 make_builtin_tree(quick ? "builtin:oak?leaves=60" : "builtin:oak"),
                 20,
                 0,
                 {.velocity = Vector3(6.0, 2.0, 0.0), .gusts = 0.5},
                 Vector3(0.0, 0.0, -9.81)});
  return all;
}

/// Median seconds of a step of a tree in motion, and its parts.
struct StepCost {
  double total = 0.0, elastic = 0.0, solve = 0.0, core = 0.0;
  InterfaceGap gap;
  bool finite = true;
};

void set_in_motion(TreeDynamics& dynamics, const Example& example) {
  dynamics.set_gravity(example.gravity);
  dynamics.set_wind(example.wind);
  dynamics.set_damping({0.2, 2e-3});
  if (!dynamics.tree().free) return;
  TreeState state = dynamics.state();
  state.root.angular_velocity = Vector3(0.1, 0.4, 0.2);
  dynamics.set_state(state);
}

StepCost cost_of_steps(const Reduced& reduced, const Example& example, int steps) {
  TreeDynamics dynamics(reduced.tree);
  set_in_motion(dynamics, example);
  StepCost cost;
  std::vector<double> seconds;
  for (int i = 0; i < steps; ++i) {
    const Timer timer;
    cost.finite = dynamics.step(example.h).ok() && cost.finite;
    seconds.push_back(timer.seconds());
    if (i % 50 == 0 && dynamics.largest_gap().share > cost.gap.share) cost.gap = dynamics.largest_gap();
  }
  std::nth_element(seconds.begin(), seconds.begin() + steps / 2, seconds.end());
  cost.total = seconds[static_cast<std::size_t>(steps / 2)];
  dynamics.measure = true;
  dynamics.timings() = {};
  for (int i = 0; i < 50; ++i) cost.finite = dynamics.step(example.h).ok() && cost.finite;
  const TreeTimings& t = dynamics.timings();
  const double sum = t.elastic + t.solve + t.core;
  cost.elastic = t.elastic / sum;
  cost.solve = t.solve / sum;
  cost.core = t.core / sum;
  return cost;
}

double cost_of_surface(const Reduced& reduced) {
  const TreeSurface surface(reduced.tree);
  const TreeDynamics dynamics(reduced.tree);
  Eigen::Matrix3Xf x(3, surface.mesh().vertex_count());
  surface.positions(dynamics, x);
  std::vector<double> seconds;
  for (int i = 0; i < 15; ++i) {
    const Timer timer;
    surface.positions(dynamics, x);
    seconds.push_back(timer.seconds());
  }
  std::nth_element(seconds.begin(), seconds.begin() + 7, seconds.end());
  return seconds[7];
}

void table_1(bool quick) {
  fmt::print(
      "\nTable 1 (one core; gravity, wind for the oak, free flight of letters and station; L3 unless it says "
      "otherwise)\n\n"
      "| body | elements | domains | coordinates | depth | precomputation (s) | step (ms) | elastic | solve "
      "| rest | step, L1 (ms) | "
      "surface (ms) | largest gap |\n| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- "
      "| --- |\n");
  for (const Example& example : table_examples(quick)) {
    const Reduced reduced = reduce_parts(example.parts, example.rank, example.total_rank);
    const StepCost cost = cost_of_steps(reduced, example, quick ? 50 : 600);
    TreeDynamics lumped(reduced.tree);
    lumped.set_inertia(SubtreeInertia::interface);
    set_in_motion(lumped, example);
    std::vector<double> seconds;
    for (int i = 0; i < 101; ++i) {
      const Timer timer;
      (void)lumped.step(example.h);
      seconds.push_back(timer.seconds());
    }
    std::nth_element(seconds.begin(), seconds.begin() + 50, seconds.end());
    fmt::print(
        "| {} | {} | {} | {} | {} | {:.2f} | {:.3f}{} | {:.0f} % | {:.0f} % | {:.0f} % | {:.3f} | {:.2f} | "
        "{:.2f} % |\n",
        example.name, reduced.elements, reduced.tree->domain_count(), reduced.tree->coordinate_count(),
        reduced.tree->depth(), reduced.seconds, 1e3 * cost.total, cost.finite ? "" : " (FAILED)",
        100.0 * cost.elastic, 100.0 * cost.solve, 100.0 * cost.core, 1e3 * seconds[50],
        1e3 * cost_of_surface(reduced), 100.0 * cost.gap.share);
  }
}

/// Cost against the number of domains, and the line that fits best.
void linear_growth(const std::filesystem::path& folder, bool quick) {
  std::vector<double> domains, milliseconds;
  for (const int leaves :
       quick ? std::vector<int>{20, 60} : std::vector<int>{50, 150, 350, 700, 1000, 1394}) {
    Example example{"oak",
                    make_builtin_tree(fmt::format("builtin:oak?leaves={}", leaves)),
                    20,
                    0,
                    {.velocity = Vector3(6.0, 2.0, 0.0), .gusts = 0.5},
                    Vector3(0.0, 0.0, -9.81)};
    const Reduced reduced = reduce_parts(example.parts, 20);
    domains.push_back(static_cast<double>(reduced.tree->domain_count()));
    milliseconds.push_back(1e3 * cost_of_steps(reduced, example, quick ? 20 : 200).total);
  }
  const auto n = static_cast<Index>(domains.size());
  const Eigen::Map<const Vector> x(domains.data(), n), y(milliseconds.data(), n);
  Matrix rows(n, 2);
  rows << Vector::Ones(n), x;
  const Vector fit = solve_symmetric(rows.transpose() * rows, rows.transpose() * y);
  const Vector line = rows * fit;
  fmt::print(
      "\nCost of a step of the oak: {:.3f} ms + {:.2f} us per domain; largest deviation from that line "
      "{:.1f} % of the largest cost\n",
      fit(0), 1e3 * fit(1), 100.0 * (line - y).cwiseAbs().maxCoeff() / y.maxCoeff());
  LinePlot plot{.title = "Cost of a step grows with the number of domains",
                .x_label = "domains",
                .y_label = "ms per step"};
  plot.curves = {{"oak, measured", x, y, false}, {"best line", x, line, true}};
  write_file(folder / "growth.svg", to_svg(plot));
}

/// Momentum of the letters in free flight, spinning and bending.
void momentum(bool quick) {
  const Reduced reduced = reduce_parts(make_builtin_tree("builtin:letters"), 20);
  fmt::print(
      "\nFree flight of the letters, 2 s, spinning: drift of the momentum, as a share of it\n\n"
      "| inertia | linear | angular | largest bend |q| |\n| --- | --- | --- | --- |\n");
  for (const Level& level : levels) {
    TreeDynamics dynamics(reduced.tree);
    dynamics.set_inertia(level.inertia);
    dynamics.set_damping({0.0, 1e-3});
    TreeState state = dynamics.state();
    state.root.velocity = Vector3(0.3, 0.0, 0.1);
    state.root.angular_velocity = Vector3(0.3, 1.0, 0.4);
    dynamics.set_state(state);
    (void)dynamics.step(1e-3);
    const TreeMomentum start = dynamics.momentum();
    double linear = 0.0, angular = 0.0, bend = 0.0;
    for (int i = 0; i < (quick ? 50 : 2000); ++i) {
      if (!dynamics.step(1e-3).ok()) break;
      const TreeMomentum now = dynamics.momentum();
      linear = std::max(linear, (now.linear - start.linear).norm() / start.linear.norm());
      angular = std::max(angular, (now.angular - start.angular).norm() / start.angular.norm());
      bend = std::max(bend, dynamics.state().q.norm());
    }
    fmt::print("| {} | {:.1e} | {:.1e} | {:.3g} |\n", level.name, linear, angular, bend);
  }
}

/// The oak in the wind for a long time.
bool endurance(bool quick) {
  const PartTree parts = make_builtin_tree(quick ? "builtin:oak?leaves=60" : "builtin:oak");
  const Reduced reduced = reduce_parts(parts, 20);
  TreeDynamics dynamics(reduced.tree);
  dynamics.set_gravity({0.0, 0.0, -9.81});
  dynamics.set_damping({0.2, 2e-3});
  dynamics.set_wind({.velocity = Vector3(8.0, 3.0, 0.0), .gusts = 0.7});
  const int steps = quick ? 100 : 10000;
  int done = 0;
  InterfaceGap gap;
  for (; done < steps && dynamics.step(2e-3).ok(); ++done)
    if (done % 50 == 0 && dynamics.largest_gap().share > gap.share) gap = dynamics.largest_gap();
  fmt::print(
      "\nThe oak in a wind of 8.5 m/s with gusts of 70 %: {} of {} steps of 2 ms, all numbers finite: {}; "
      "largest gap {:.2f} %\n",
      done, steps, dynamics.state().q.allFinite() ? "yes" : "no", 100.0 * gap.share);
  return done == steps;
}

}  // namespace
}  // namespace limber::bench

int main(int argc, char** argv) {
  if (argc < 2) {
    fmt::print(stderr, "usage: substructuring FOLDER [quick]\n");
    return 2;
  }
  const std::filesystem::path folder = argv[1];
  const bool quick = argc > 2;
  std::filesystem::create_directories(folder);
  limber::bench::figure_7(folder, quick);
  limber::bench::table_1(quick);
  limber::bench::linear_growth(folder, quick);
  limber::bench::momentum(quick);
  return limber::bench::endurance(quick) ? 0 : 1;
}
