#include "limber/precompute/build_model.hpp"
#include "limber/reduced/reconstruction.hpp"
#include "limber/reduced/reduced_dynamics.hpp"
#include "tests/support/fixtures.hpp"
#include "tests/support/twist.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

namespace limber::twist_motion_test {
namespace {

constexpr double full_turn = 2.0 * std::numbers::pi;

/// The free end of a beam along x: its vertices off the axis, and how far they have turned about it.
class BeamEnd {
 public:
  explicit BeamEnd(const VolumeMesh& mesh) : mesh_(mesh) {
    for (int v = 0; v < mesh.vertex_count(); ++v) {
      const Vector3 x = mesh.vertices.col(v);
      if (x.x() > mesh.vertices.row(0).maxCoeff() - 1e-9 && x.tail<2>().norm() > 1e-9) vertices_.push_back(v);
    }
  }

  [[nodiscard]] const std::vector<int>& vertices() const { return vertices_; }

  /// Where a vertex of the end would be, were the end turned by an angle.
  [[nodiscard]] Vector3 turned(int v, double angle) const {
    return Eigen::AngleAxisd(angle, Vector3::UnitX()) * Vector3(mesh_.vertices.col(v));
  }

  /// The mean angle, in radians, nearest to `near`.
  [[nodiscard]] double angle(const Matrix3X& displacement, double near) const {
    double sine = 0.0, cosine = 0.0;
    for (const int v : vertices_) {
      const Eigen::Vector2d a = mesh_.vertices.col(v).tail<2>(), b = a + displacement.col(v).tail<2>();
      sine += a.x() * b.y() - a.y() * b.x();
      cosine += a.dot(b);
    }
    const double angle = std::atan2(sine, cosine);
    return angle + full_turn * std::round((near - angle) / full_turn);
  }

 private:
  const VolumeMesh& mesh_;
  std::vector<int> vertices_;
};

/// Figure 7, right, of Barbic & James 2005: a beam in the subspace of two twist modes and their derivatives
/// is twisted by 270 degrees. Springs pull its end around, as a hand would; then they hold still.
TEST(TwistBasis, TwistsABeamBy270DegreesStably) {
  const VolumeMesh mesh = make_beam({ElementKind::brick, Vector3(1.0, 0.2, 0.2), Eigen::Vector3i(16, 4, 4)});
  const FullModel full(mesh, {test::material("stvk", 1e5)}, test::vertices_below(mesh, 1e-9));
  const ReducedModel model = build_reduced_model(full, test::make_twist_basis(full).basis);
  ASSERT_EQ(model.rank, 5);

  const ReducedEquations equations = make_equations(model);
  ReducedWorkspace work{ReducedSystem(equations, RayleighDamping{1.0, 0.005})};
  DynamicState state = make_reduced_state(5);
  const Reconstruction<double> shape(model.simulation->basis);
  const BeamEnd end(mesh);
  Matrix3X u = Matrix3X::Zero(3, mesh.vertex_count());
  const double target = 0.75 * full_turn, pulled = 310.0 / 360.0 * full_turn, spring = 700.0, h = 2e-3;
  const int turning = 3000, holding = 1000;
  double angle = 0.0, least_at_rest = pulled, most_energy = 0.0;
  Vector force(5);
  for (int i = 0; i < turning + holding; ++i) {
    const double wanted = pulled * std::min(1.0, static_cast<double>(i) / turning);
    force.setZero();
    for (const int v : end.vertices())
      shape.add_force(v, spring * (end.turned(v, wanted) - mesh.vertices.col(v) - u.col(v)), force);
    ASSERT_TRUE(step(work, h, force, state).ok()) << "step " << i;
    shape.displacements(state.u, u);
    angle = end.angle(u, angle);
    if (i > turning + holding / 2) least_at_rest = std::min(least_at_rest, angle);
    most_energy = std::max(most_energy, total_energy(work, state));
  }
  EXPECT_GT(angle, target) << angle * 360.0 / full_turn << " degrees reached";
  EXPECT_LT(angle - least_at_rest, 0.02) << "it still moves";
  // A rod of torsional stiffness G J, J = 0.1406 side^4, stores G J target^2 / 2 L; five vectors make it
  // stiffer, not softer.
  const double rod = 0.5 * 1e5 / 2.6 * 0.1406 * std::pow(0.2, 4) * target * target;
  EXPECT_GT(most_energy, rod);
  EXPECT_LT(most_energy, 10.0 * rod);

  for (int i = 0; i < 3000; ++i) {  // let go, it turns back
    ASSERT_TRUE(step(work, h, Vector::Zero(5), state).ok()) << "step " << i << " after it was let go";
    shape.displacements(state.u, u);
    angle = end.angle(u, angle);
  }
  EXPECT_NEAR(angle, 0.0, 0.02);
  EXPECT_LT(state.u.norm(), 0.01);
}

}  // namespace
}  // namespace limber::twist_motion_test
