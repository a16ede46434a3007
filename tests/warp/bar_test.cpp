// The bar of Choi & Ko 2005, Figures 4 and 5, at two of its gravities; ./run experiment warped_bar has all of
// it.

#include "limber/full/statics.hpp"
#include "limber/mesh/beam.hpp"
#include "limber/precompute/reduce.hpp"
#include "limber/warp/nodal_rotations.hpp"
#include "limber/warp/warped_dynamics.hpp"

#include <gtest/gtest.h>

namespace limber::bar_test {
namespace {

FullModel make_bar() {
  const VolumeMesh mesh = make_beam({ElementKind::tetrahedron, Vector3(1.0, 0.2, 0.2), {10, 2, 2}});
  std::vector<int> fixed;
  for (int v = 0; v < mesh.vertex_count(); ++v) {
    if (mesh.vertices(0, v) < 1e-9) fixed.push_back(v);
  }
  return {mesh, {{make_law("stvk", lame_from_young(7e5, 0.35)), 1000.0}}, fixed};
}

ReducedModel make_modes(const FullModel& bar, ModeKind kind) {
  ReduceOptions options;
  options.basis.kind = kind;
  options.basis.modes = options.basis.rank = 8;
  options.basis.order = 0;
  options.basis.check = false;
  ReduceReport report;
  return reduce(bar, {}, {}, options, report);
}

/// Displacements of all vertices at rest under gravity.
Matrix3X equilibrium(const ReducedModel& model, double gravity, bool warp) {
  WarpedDynamics dynamics(make_warped_equations(model, model.materials()), {.warp = warp});
  dynamics.set_gravity({0, 0, -gravity});
  EXPECT_TRUE(dynamics.solve_static().ok());
  const Matrix& basis = model.simulation->basis;
  const Matrix rotations = warp ? nodal_rotations(model.simulation->mesh, basis) : Matrix();
  return warped_field(basis, rotations, dynamics.equations().shapes * dynamics.state().q);
}

double volume(const VolumeMesh& mesh, const Matrix3X& displacement) {
  VolumeMesh moved = mesh;
  moved.vertices += displacement;
  double sum = 0.0;
  for (Index e = 0; e < moved.element_count(); ++e) sum += element_volume(moved, e);
  return sum;
}

class WarpedBar : public testing::TestWithParam<ModeKind> {};

TEST_P(WarpedBar, KeepsItsVolumeAndComesNearerToTheFullModelThanLinearModes) {
  const FullModel bar = make_bar();
  const ReducedModel model = make_modes(bar, GetParam());
  const double rest = volume(bar.mesh(), Matrix3X::Zero(3, bar.mesh().vertex_count()));
  Vector u = Vector::Zero(bar.dof_count());
  for (const double gravity : {9.8, 19.6}) {
    ASSERT_TRUE(solve_static(bar, bar.gravity_force({0, 0, -gravity}), u).ok());
    const Matrix3X full = bar.dofs().expand(u), warped = equilibrium(model, gravity, true),
                   linear = equilibrium(model, gravity, false);
    EXPECT_NEAR(volume(bar.mesh(), warped) / rest, volume(bar.mesh(), full) / rest, 0.01);
    EXPECT_GT(volume(bar.mesh(), linear) / rest, 1.05);
    EXPECT_LT((warped - full).norm(), 0.7 * (linear - full).norm());
  }
}

INSTANTIATE_TEST_SUITE_P(Modes, WarpedBar, testing::Values(ModeKind::modal, ModeKind::inertia),
                         [](const auto& kind) {
                           return kind.param == ModeKind::modal ? "linear" : "inertia";
                         });

}  // namespace
}  // namespace limber::bar_test
