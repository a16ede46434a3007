#include "bench/registry.hpp"
#include "limber/body/body.hpp"
#include "limber/mesh/beam.hpp"
#include "limber/precompute/reduce.hpp"

#include <map>
#include <memory>

// Steps of one body as engines take them: by the frames that it needs, or without any.

namespace limber::bench {
namespace {

/// A beam of 1 m that is held at an end, or by nothing.
std::shared_ptr<const Model> beam(int rank, bool free) {
  static std::map<std::pair<int, bool>, std::shared_ptr<const Model>> made;
  std::shared_ptr<const Model>& model = made[{rank, free}];
  if (model) return model;
  const VolumeMesh mesh =
      make_beam({ElementKind::tetrahedron, Vector3(1.0, 0.2, 0.15), Eigen::Vector3i(16, 3, 3)});
  std::vector<int> fixed;
  for (int v = 0; v < mesh.vertex_count() && !free; ++v) {
    if (mesh.vertices(0, v) < 1e-9) fixed.push_back(v);
  }
  const FullModel full(mesh, {{make_law("stvk", lame_from_young(1e6, 0.3)), 1000.0}}, fixed);
  ReduceOptions options;
  options.basis.modes = rank / 2;
  options.basis.rank = rank;
  ReduceReport report;
  model = std::make_shared<const Model>(make_model(reduce(full, {}, {}, options, report)));
  return model;
}

std::function<void()> step_of(Body body) {
  body.set_damping({0.1, 1e-3});
  Index tip = 0;
  body.surface().mesh().vertices.row(0).maxCoeff(&tip);
  body.set_force(static_cast<int>(tip), Vector3(0.0, 0.0, 0.1));
  auto shared = std::make_shared<Body>(std::move(body));
  return [shared] { (void)shared->step(1e-3); };
}

std::function<void()> carried_step(int rank) {
  Body body(beam(rank, false));
  body.set_support([](double t) { return Pose{Vector3(0.01 * std::sin(20.0 * t), 0.0, 0.0)}; });
  return step_of(std::move(body));
}

std::function<void()> warped_step(int rank) {
  Body body(beam(rank, false));
  body.set_method(Method::warped);
  body.set_gravity({0.0, 0.0, -9.81});
  return step_of(std::move(body));
}

}  // namespace

std::vector<Case> body_cases(int /*threads*/) {
  std::vector<Case> cases;
  for (const int rank : {15, 30, 60}) {
    const std::string size = "r_" + std::to_string(rank), held = "body/step_held/" + size;
    const auto against_held = [held](const Results& results, double s) { return s / results.at(held); };
    cases.push_back({held, [rank] { return step_of(Body(beam(rank, false))); }, "steps/s",
                     [](const Results&, double s) { return 1.0 / s; }});
    cases.push_back({"body/step_free/" + size, [rank] { return step_of(Body(beam(rank, true))); },
                     "the time of one that is held", against_held});
    cases.push_back({"body/step_carried/" + size, [rank] { return carried_step(rank); },
                     "the time of one that is held", against_held});
    cases.push_back({"body/step_warped/" + size, [rank] { return warped_step(rank); },
                     "the time of one that is held", against_held});
  }
  return cases;
}

}  // namespace limber::bench
