// Bodies of the sizes of Barbic & Zhao 2011, Table 1: domains, coordinates, depth.

#include "bench/registry.hpp"
#include "limber/base/error.hpp"
#include "limber/bodies/builtin.hpp"
#include "limber/bodies/part_tree.hpp"
#include "limber/multidomain/decompose.hpp"
#include "limber/multidomain/reduce_tree.hpp"
#include "limber/multidomain/tree_shape.hpp"

#include <fmt/format.h>

#include <memory>
#include <string>
#include <utility>

namespace limber::bench {
namespace {

/// A row of the table.
struct TableTree {
  std::string name, body;
  int rank = 20, total_rank = 0;
};

/// The paper's domains, coordinates and depth, which are ours: flower 12, 240, 3; letters 15, 160, 8; dragon
/// 40, 454, 5; station 48, 921, 4; oak 1435, 11972, 5.
const std::vector<TableTree> table{{"flower", "builtin:lily"},
                                   {"letters", "builtin:letters"},
                                   {"dragon", "builtin:dragon", 0, 454},
                                   {"station", "builtin:station"},
                                   {"oak", "builtin:oak"}};

constexpr double h = 1e-3;  // s

const std::vector<std::pair<std::string, double TreeTimings::*>> split{
    {"elastic", &TreeTimings::elastic}, {"solve", &TreeTimings::solve}, {"rest", &TreeTimings::core}};

PartTree make_table_parts(const TableTree& row) {
  if (is_builtin_tree(row.body)) return make_builtin_tree(row.body);
  const BuiltinBody body = make_builtin(row.body);
  return make_parts({body.mesh, body.materials, body.render, body.part_colors, body.fixed},
                    decompose_by_regions(body.mesh));
}

std::shared_ptr<const Model> reduced(const TableTree& row, const PartTree& parts, int threads) {
  TreeReduceOptions options;
  options.rank = row.rank;
  options.total_rank = row.total_rank;
  options.executor = Executor(threads);
  TreeReduceReport report;
  return std::make_shared<const Model>(reduce_tree(parts, options, report));
}

/// Under gravity and in the wind; a free tree spins.
std::shared_ptr<TreeDynamics> moving(const TableTree& row, SubtreeInertia inertia) {
  auto dynamics = std::make_shared<TreeDynamics>(reduced(row, make_table_parts(row), 0));
  dynamics->set_inertia(inertia);
  dynamics->set_damping({0.2, 2e-3});
  if (dynamics->tree().free) {
    TreeState state = dynamics->state();
    state.root.angular_velocity = Vector3(0.1, 0.4, 0.2);
    dynamics->set_state(state);
  } else {
    dynamics->set_gravity({0.0, 0.0, -9.81});
    dynamics->set_wind({.velocity = Vector3(6.0, 2.0, 0.0), .gusts = 0.5});
  }
  return dynamics;
}

std::function<void()> motion(const std::shared_ptr<TreeDynamics>& dynamics) {
  return [=] { require(dynamics->step(h).ok(), "a step of the benchmark failed"); };
}

std::function<void()> surface(const TableTree& row) {
  auto dynamics = moving(row, SubtreeInertia::full);
  auto whole = std::make_shared<TreeSurface>(dynamics->shared_tree());
  auto x = std::make_shared<Eigen::Matrix3Xf>(3, whole->mesh().vertex_count());
  return [=] { whole->positions(*dynamics, *x); };
}

}  // namespace

std::vector<Case> multidomain_cases(int threads) {
  std::vector<Case> cases;
  const auto rate = [](const Results&, double s) { return 1.0 / s; };
  for (const TableTree& row : table) {
    cases.push_back({"multidomain/precompute/" + row.name, [row, threads] {
                       auto parts = std::make_shared<PartTree>(make_table_parts(row));
                       return [=] { (void)reduced(row, *parts, threads); };
                     }});
    cases.push_back({"multidomain/step/" + row.name,
                     [row] { return motion(moving(row, SubtreeInertia::full)); }, "steps/s", rate});
    cases.push_back(
        {"multidomain/step_interface_lumped/" + row.name,
         [row] { return motion(moving(row, SubtreeInertia::interface)); }, "of full inertia",
         [row](const Results& results, double s) { return s / results.at("multidomain/step/" + row.name); }});
    // The same steps with a clock inside, for their split.
    for (const auto& [what, part] : split) {
      auto watched = std::make_shared<std::shared_ptr<TreeDynamics>>();
      cases.push_back({fmt::format("multidomain/step_{}/{}", what, row.name),
                       [row, watched] {
                         *watched = moving(row, SubtreeInertia::full);
                         (*watched)->measure = true;
                         return motion(*watched);
                       },
                       fmt::format("share of {}", what),
                       [watched, part = part](const Results&, double) {
                         const TreeTimings& t = (*watched)->timings();
                         return t.*part / (t.elastic + t.solve + t.core);
                       }});
    }
    cases.push_back({"multidomain/surface/" + row.name, [row] { return surface(row); }});
  }
  for (const int leaves : {100, 350, 700}) {
    const TableTree row{fmt::format("oak_{}_leaves", leaves), fmt::format("builtin:oak?leaves={}", leaves)};
    cases.push_back({"multidomain/step/" + row.name,
                     [row] { return motion(moving(row, SubtreeInertia::full)); }, "steps/s", rate});
  }
  return cases;
}

}  // namespace limber::bench
