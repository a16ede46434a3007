// The bodies of Choi & Ko 2005, Table I, as bars with as many nodes, elements, render vertices, modes and
// constraints.

#include "bench/registry.hpp"
#include "limber/base/error.hpp"
#include "limber/mesh/beam.hpp"
#include "limber/precompute/reduce.hpp"
#include "limber/reduced/reconstruction.hpp"
#include "limber/warp/warped_dynamics.hpp"
#include "limber/warp/warped_surface.hpp"

#include <cmath>
#include <memory>
#include <string>

namespace limber::bench {
namespace {

/// A row of the table.
struct TableBody {
  std::string name;
  Eigen::Vector3i cells;   ///< of the simulation mesh, 6 tetrahedra each
  Eigen::Vector3i facets;  ///< of the surface that is drawn, along each axis
  int modes;
  int positions, orientations;  ///< constraints
};

/// The paper's nodes, elements and vertices, and ours: bar 99, 240, 354; potbelly 363, 1110, 1026 (363, 1200,
/// 1026); jelly box 400, 1440, 1642 (396, 1440, 1642); flubber 552, 1513, 2802 (576, 1512, 2802); dinosaur
/// 1883, 5484, 28098 (1836, 5472, 28098).
const std::vector<TableBody> table{{"bar", {10, 2, 2}, {20, 4, 4}, 8, 1, 1},
                                   {"potbelly", {10, 10, 2}, {28, 8, 8}, 16, 3, 1},
                                   {"jelly_box", {10, 8, 3}, {36, 10, 10}, 32, 2, 2},
                                   {"flubber", {63, 2, 2}, {65, 10, 10}, 64, 6, 1},
                                   {"dinosaur", {152, 3, 2}, {431, 16, 16}, 8, 1, 1}};

constexpr double h = 1.0 / 30.0;      // s, the paper's
const Vector3 size(1.0, 0.25, 0.25);  // m

VolumeMesh body_mesh(const TableBody& body) {
  return make_beam({ElementKind::tetrahedron, size, body.cells});
}

/// The sides of the same box in finer facets.
SurfaceMesh body_surface(const TableBody& body) {
  return boundary_surface(make_beam({ElementKind::brick, size, body.facets}));
}

ReducedModel precompute(const TableBody& body, const VolumeMesh& mesh, const SurfaceMesh& surface) {
  std::vector<int> fixed;
  for (int v = 0; v < mesh.vertex_count(); ++v) {
    if (mesh.vertices(0, v) < 1e-9) fixed.push_back(v);
  }
  const Material material{make_law("stvk", lame_from_young(1e6, 0.4)), 1000.0};
  const FullModel full(mesh, {material}, fixed, FullModelOptions{MassKind::consistent, Executor(1)});
  ReduceOptions options;
  options.basis.modes = options.basis.rank = body.modes;
  options.basis.order = 0;
  options.basis.check = false;
  ReduceReport report;
  return reduce(full, surface, {}, options, report);
}

/// A body in motion under gravity, with constraints that move to and fro.
struct MovingBody {
  ReducedModel model;
  WarpedDynamics dynamics;
  WarpedSurface surface;
  Eigen::Matrix3Xf rest_normals, x, normals;
  Eigen::VectorXf q;
  int step = 0;

  explicit MovingBody(const TableBody& body, bool constrained)
      : model(precompute(body, body_mesh(body), body_surface(body))),
        dynamics(
            make_warped_equations(model, model.materials(), {.damping = {.mass = 0.5, .stiffness = 0.01}})),
        surface(model.surface.mesh.vertices.cast<float>(), model.surface.basis,
                model.warp->surface_rotations),
        rest_normals(3, surface.vertex_count()),
        x(3, surface.vertex_count()),
        normals(3, surface.vertex_count()) {
    NormalUpdater(model.surface.mesh.triangles, surface.vertex_count())
        .update(model.surface.mesh.vertices.cast<float>(), rest_normals);
    dynamics.set_gravity({0, 0, -1.0});
    if (constrained) hold(body);
  }

  /// Evenly along the body, from its free end.
  void hold(const TableBody& body) {
    ManipulationSites sites;
    const auto site = [&](int i, int count, double side) {
      const Vector3 point(1.0 - 0.8 * i / count, 0.0, side);
      Index v = 0;
      (model.surface.mesh.vertices.colwise() - point).colwise().squaredNorm().minCoeff(&v);
      return surface_site(model, dynamics.equations(), static_cast<int>(v));
    };
    for (int i = 0; i < body.positions; ++i) sites.positions.push_back(site(i, body.positions, -1.0));
    for (int i = 0; i < body.orientations; ++i) sites.orientations.push_back(site(i, body.orientations, 1.0));
    sites.exercised = sites.positions;
    for (int i = 0; i < 3 * body.orientations; ++i) {
      sites.exercised.push_back(site(i, 3 * body.orientations, 1.0));
    }
    dynamics.set_constraints(std::move(sites));
  }

  void move_targets() {
    Manipulation& constraints = dynamics.constraints();
    const double phase = 0.1 * ++step, swing = 0.05 * std::sin(phase);
    for (Index i = 0; i < static_cast<Index>(constraints.sites().positions.size()); ++i) {
      constraints.set_position(i, constraints.sites().positions[static_cast<std::size_t>(i)].rest +
                                      Vector3(0, 0.5 * swing, swing));
    }
    for (Index i = 0; i < static_cast<Index>(constraints.sites().orientations.size()); ++i) {
      constraints.set_orientation(i, Eigen::Quaterniond(Eigen::AngleAxisd(4.0 * swing, Vector3::UnitX())));
    }
  }

  void advance(bool with_vertices) {
    move_targets();
    require(dynamics.step(h).met, "the constraints of the benchmark are not met");
    if (!with_vertices) return;
    q = (dynamics.equations().shapes * dynamics.state().q).cast<float>();
    surface.positions(q, x);
    surface.normals(rest_normals, normals);
  }
};

std::function<void()> motion(const TableBody& body, bool constrained, bool with_vertices) {
  auto moving = std::make_shared<MovingBody>(body, constrained);
  return [=] { moving->advance(with_vertices); };
}

std::function<void()> precomputation(const TableBody& body) {
  auto mesh = std::make_shared<VolumeMesh>(body_mesh(body));
  auto surface = std::make_shared<SurfaceMesh>(body_surface(body));
  return [=] { (void)precompute(body, *mesh, *surface); };
}

}  // namespace

std::vector<Case> warp_cases(int /*threads*/) {
  std::vector<Case> cases;
  const auto rate = [](const Results&, double s) { return 1.0 / s; };
  for (const TableBody& body : table) {
    cases.push_back({"warp/precompute/" + body.name, [body] { return precomputation(body); }});
    cases.push_back(
        {"warp/step/" + body.name, [body] { return motion(body, false, false); }, "steps/s", rate});
    cases.push_back({"warp/constrained_step/" + body.name, [body] { return motion(body, true, false); },
                     "steps/s", rate});
    cases.push_back({"warp/constrained_step_with_vertices/" + body.name,
                     [body] { return motion(body, true, true); }, "steps/s", rate});
  }
  return cases;
}

}  // namespace limber::bench
