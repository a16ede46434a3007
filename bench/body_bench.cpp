#include "bench/registry.hpp"
#include "limber/body/body.hpp"
#include "limber/mesh/beam.hpp"
#include "limber/precompute/reduce.hpp"

#include <malloc.h>
#include <map>
#include <memory>
#include <tuple>

// Steps of one body as engines take them: by the frames that it needs, or without any.

namespace limber::bench {
namespace {

/// A beam of 1 m that is held at an end, or by nothing.  cells: across it.
std::shared_ptr<const Model> beam(int rank, bool free, int cells = 3) {
  static std::map<std::tuple<int, bool, int>, std::shared_ptr<const Model>> made;
  std::shared_ptr<const Model>& model = made[{rank, free, cells}];
  if (model) return model;
  const VolumeMesh mesh = make_beam(
      {ElementKind::tetrahedron, Vector3(1.0, 0.2, 0.15), Eigen::Vector3i(16 * cells / 3, cells, cells)});
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

/// One that has taken a step, so that it has all that it steps with.
Body copied_body(Method method, bool free) {
  Body body(beam(30, free, 9));
  body.set_method(method);
  body.set_damping({0.1, 1e-3});
  body.set_gravity({0.0, 0.0, -9.81});
  (void)body.step(1e-3);
  return body;
}

/// Bytes on the heap.
double used_memory() {
  const struct mallinfo2 info = mallinfo2();
  return static_cast<double>(info.uordblks) + static_cast<double>(info.hblkhd);
}

/// MB that a copy takes, the body itself included.
double copy_megabytes(const Body& body) {
  constexpr int count = 16;
  std::vector<Body> copies;
  copies.reserve(count);
  const double before = used_memory();
  for (int i = 0; i < count; ++i) copies.push_back(body);
  return (used_memory() - before) / count / 1e6 + sizeof(Body) / 1e6;
}

/// A crowd is copies of one body: they share its model and have its state and what they step with.
Case copy_case(const std::string& what, Method method, bool free) {
  return {"body/copy_" + what + "/r_30",
          [=] {
            auto body = std::make_shared<Body>(copied_body(method, free));
            return [body] { Body copy = *body; };
          },
          "MB/copy", [=](const Results&, double) { return copy_megabytes(copied_body(method, free)); }};
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
  cases.push_back(copy_case("held", Method::reduced, false));
  cases.push_back(copy_case("free", Method::reduced, true));
  cases.push_back(copy_case("warped", Method::warped, false));
  cases.push_back(copy_case("warped_free", Method::warped, true));
  return cases;
}

}  // namespace limber::bench
