#include "limber/full/quasistatics.hpp"

#include "tests/support/fixtures.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace limber::quasistatics_test {
namespace {

constexpr double young = 1e5, poisson = 0.3;

/// A beam along x, held at both ends or at x = 0 only.
struct Beam {
  VolumeMesh mesh;
  FullModel model;

  explicit Beam(std::string_view law, bool both_ends = true)
      : mesh(make_beam({ElementKind::tetrahedron, Vector3(1.0, 0.2, 0.2), Eigen::Vector3i(6, 2, 2)})),
        model(mesh, {test::material(law, young, poisson)}, held(mesh, both_ends)) {}

  static std::vector<int> held(const VolumeMesh& mesh, bool both_ends) {
    std::vector<int> chosen;
    const double low = mesh.vertices.row(0).minCoeff(), high = mesh.vertices.row(0).maxCoeff();
    for (int v = 0; v < mesh.vertex_count(); ++v) {
      const double x = mesh.vertices(0, v);
      if (x < low + 1e-9 || (both_ends && x > high - 1e-9)) chosen.push_back(v);
    }
    return chosen;
  }

  [[nodiscard]] Vector zero() const { return Vector::Zero(model.dof_count()); }

  /// The end at high x moves by d per second.
  [[nodiscard]] QuasistaticSolver::MapFunction moving_end(const Vector3& d) const {
    return [this, d](double t) {
      VertexMaps maps = VertexMaps::identity(mesh.vertex_count());
      const double high = mesh.vertices.row(0).maxCoeff();
      for (Index v = 0; v < mesh.vertex_count(); ++v)
        if (mesh.vertices(0, v) > high - 1e-9) maps.offset.col(v) = t * d;
      return maps;
    };
  }
};

LoadFunction no_load(const FullModel& model) {
  return [n = model.dof_count()](double, double, Vector& f) { f = Vector::Zero(n); };
}

LoadFunction weight(const FullModel& model, double g, double from = 0.0) {
  return [force = model.gravity_force({0, 0, -g}), from](double t, double, Vector& f) {
    f = t >= from ? force : Vector(0.0 * force);
  };
}

/// Uniaxial tension without lateral stress: E_yy = E_zz = -nu E_xx, S_xx = Young's modulus times E_xx.
TEST(Quasistatics, StretchABarUniformly) {
  Beam beam("stvk");
  const auto stretch = [](double t) {
    const double along = 1.0 + 0.3 * t, strain = 0.5 * (along * along - 1.0);
    return Vector3(along, std::sqrt(1.0 - 2.0 * poisson * strain), std::sqrt(1.0 - 2.0 * poisson * strain));
  };
  const auto uniform = [&](double t) -> Matrix3X {
    return (stretch(t) - Vector3::Ones()).asDiagonal() * beam.mesh.vertices;
  };
  const auto maps = [&](double t) {
    VertexMaps found = VertexMaps::identity(beam.mesh.vertex_count());
    for (const int v : Beam::held(beam.mesh, true)) found.offset.col(v) = uniform(t).col(v);
    return found;
  };
  QuasistaticSolver solver(beam.model, maps, no_load(beam.model));
  Vector u = beam.zero();
  for (int k = 0; k < 4; ++k) ASSERT_TRUE(solver.step(0.25 * k, 0.25 * (k + 1), u).ok()) << "step " << k;
  EXPECT_LT((solver.maps().displacement(beam.model.dofs(), u) - uniform(1.0)).norm(), 1e-8);
  double pull = 0.0;
  const Matrix3X forces = beam.model.vertex_forces(u);
  for (Index v = 0; v < forces.cols(); ++v)
    if (beam.mesh.vertices(0, v) > beam.mesh.vertices.row(0).maxCoeff() - 1e-9) pull += forces(0, v);
  const double along = stretch(1.0).x(), strain = 0.5 * (along * along - 1.0);
  EXPECT_NEAR(pull / (along * young * strain * 0.2 * 0.2), 1.0, 1e-7);
}

TEST(Quasistatics, OfABodyThatIsCarriedRigidlyTakeNoIteration) {
  Beam beam("neo-hookean", false);
  const auto maps = [&](double t) {
    const Matrix3 R = Eigen::AngleAxisd(2.0 * t, Vector3(1, 1, -1).normalized()).toRotationMatrix();
    VertexMaps found = VertexMaps::identity(beam.mesh.vertex_count());
    found.linear.assign(static_cast<std::size_t>(beam.mesh.vertex_count()), R);
    found.offset = (R * beam.mesh.vertices).colwise() + Vector3(20.0 * t, 0, 0);
    found.offset -= beam.mesh.vertices;
    return found;
  };
  QuasistaticSolver solver(beam.model, maps, no_load(beam.model));
  Vector u = beam.zero();
  for (int k = 0; k < 3; ++k) {
    const StaticReport report = solver.step(k, k + 1, u);
    ASSERT_TRUE(report.ok());
    EXPECT_EQ(report.iterations, 0) << "residual " << report.residual;
  }
  EXPECT_LT(u.norm(), 1e-12);
}

/// The projected tangent, which leads past the point where a bar buckles, is stiffer than the bar there by
/// powers of ten.
TEST(Quasistatics, FollowABarThatBuckles) {
  Beam beam("stvk");
  QuasistaticSolver solver(beam.model, beam.moving_end(Vector3(-0.22, 0, 0)), no_load(beam.model));
  Vector u = beam.zero();
  for (int k = 0; k < 2; ++k) ASSERT_TRUE(solver.step(0.5 * k, 0.5 * (k + 1), u).ok()) << "step " << k;
  const Matrix3X moved = solver.maps().displacement(beam.model.dofs(), u);
  EXPECT_GT(moved.bottomRows(2).colwise().norm().maxCoeff(), 0.1) << "it is still straight";
}

TEST(Quasistatics, LeadToTheEquilibriumThatStaticsFindsAtOnce) {
  Beam beam("arruda-boyce");
  QuasistaticSolver solver(beam.model, beam.moving_end(Vector3(-0.02, 0, 0.1)), weight(beam.model, 2.0));
  Vector u = beam.zero();
  for (int k = 0; k < 5; ++k) ASSERT_TRUE(solver.step(0.2 * k, 0.2 * (k + 1), u).ok()) << "step " << k;
  const Vector f_ext = beam.model.gravity_force({0, 0, -2.0});
  // The maps have no linear part, and free vertices no offset: u is the displacement in the world.
  EXPECT_LT((beam.model.internal_force(u) - f_ext).norm(), 1e-7 * beam.model.vertex_forces(u).norm());
  Vector at_once = beam.zero();
  ASSERT_TRUE(StaticSolver(beam.model).solve(f_ext, at_once).ok());
  EXPECT_LT((at_once - u).norm(), 1e-5 * u.norm());
}

TEST(Quasistatics, TakeAStepThatIsTooLongByHalves) {
  Beam beam("neo-hookean");
  const Vector3 way(0.0, 0.0, 0.5);  // three elements within one step
  QuasistaticSolver solver(beam.model, beam.moving_end(way), no_load(beam.model));
  Vector long_step = beam.zero(), short_steps = beam.zero();
  const StaticReport report = solver.step(0.0, 1.0, long_step);
  ASSERT_TRUE(report.ok());
  EXPECT_GT(report.load_steps, 1);
  EXPECT_GT(report.smallest_volume_ratio, 0.0);
  for (int k = 0; k < 25; ++k) ASSERT_TRUE(solver.step(k / 25.0, (k + 1) / 25.0, short_steps).ok());
  EXPECT_LT((long_step - short_steps).norm(), 1e-5 * short_steps.norm());
}

TEST(Quasistatics, BalanceALoadThatSetsInAtOnce) {
  Beam beam("stvk", false);
  const auto maps = [&](double) { return VertexMaps::identity(beam.mesh.vertex_count()); };
  QuasistaticSolver solver(beam.model, maps, weight(beam.model, 20.0, 0.5));
  Vector u = beam.zero();
  ASSERT_TRUE(solver.step(0.0, 0.25, u).ok());
  EXPECT_EQ(u.norm(), 0.0);
  const StaticReport report = solver.step(0.25, 1.0, u);
  ASSERT_TRUE(report.ok());
  EXPECT_GT(beam.model.largest_gradient(u), 0.7) << "the load is too small to need load steps";
  Vector at_once = beam.zero();
  ASSERT_TRUE(solve_static(beam.model, beam.model.gravity_force({0, 0, -20.0}), at_once).ok());
  EXPECT_LT((at_once - u).norm(), 1e-5 * u.norm());
}

TEST(Quasistatics, LeaveEverythingAsItWasWhereTheyFail) {
  Beam beam("neo-hookean");
  const auto maps = beam.moving_end(Vector3(-1.2, 0, 0));  // through the other end
  QuasistaticSolver solver(beam.model, maps, no_load(beam.model), {.max_iterations = 3});
  Vector u = beam.zero();
  ASSERT_TRUE(solver.step(0.0, 0.02, u).ok());
  const Vector before = u;
  EXPECT_FALSE(solver.step(0.02, 1.0, u).ok());
  EXPECT_EQ(u, before);
  EXPECT_EQ(solver.maps().offset, maps(0.02).offset);
  EXPECT_LT(beam.model.internal_force(u).norm(), 1e-7 * beam.model.vertex_forces(u).norm());
}

TEST(Statics, FromANearStartNeedNoLoadSteps) {
  const Beam beam("stvk", false);
  const Vector load = beam.model.gravity_force({0, 0, -3.0});
  StaticSolver solver(beam.model);
  Vector u = beam.zero();
  ASSERT_TRUE(solver.solve(load, u).ok());
  Vector near = u, whole = u;
  const StaticReport report = solver.solve_near(1.02 * load, near);
  ASSERT_TRUE(report.ok());
  EXPECT_EQ(report.load_steps, 1);
  ASSERT_TRUE(solver.solve(1.02 * load, whole).ok());
  EXPECT_LT((near - whole).norm(), 1e-8 * whole.norm());
}

TEST(Statics, FromAStartThatIsNotNearSaySoAndLeaveIt) {
  const Beam beam("stvk", false);
  Vector u = beam.zero();
  EXPECT_FALSE(StaticSolver(beam.model).solve_near(beam.model.gravity_force({0, 0, -100.0}), u).ok());
  EXPECT_EQ(u.norm(), 0.0);
}

TEST(Statics, OfMovedSupportsMeasureResidualsByTheForcesInside) {
  // Ten times the way gives ten times the forces in linear elasticity, and the same relative residual.
  for (const double way : {1e-3, 1e-2}) {
    Beam beam("linear");
    beam.model.set_supports(beam.moving_end(Vector3(0, 0, way))(1.0).offset);
    Vector u = beam.zero();
    const StaticReport report = StaticSolver(beam.model).solve(beam.zero(), u);
    ASSERT_TRUE(report.ok());
    EXPECT_EQ(report.iterations, 1);
    EXPECT_LT(beam.model.internal_force(u).norm(), 1e-8 * beam.model.vertex_forces(u).norm());
    EXPECT_GT(u.norm(), way);
  }
}

}  // namespace
}  // namespace limber::quasistatics_test
