#include "limber/online/online_forces.hpp"

#include "limber/base/error.hpp"
#include "tests/support/fixtures.hpp"
#include "tests/support/slope.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace limber::online_forces_test {
namespace {

using Kind = OnlineForces::Kind;

FullModel held_beam(std::string_view law) {
  VolumeMesh mesh = make_beam({.size = {1.0, 0.2, 0.2}, .cells = {6, 2, 2}});
  const std::vector<int> fixed = test::vertices_below(mesh, 1e-9);
  return {std::move(mesh), {test::material(law)}, fixed};
}

/// The i-th of some smooth fields: powers of the distance from the support, in each direction in turn.
Vector field(const FullModel& model, int i) {
  Matrix3X u = Matrix3X::Zero(3, model.mesh().vertex_count());
  for (Index v = 0; v < u.cols(); ++v) {
    const Vector3 x = model.mesh().vertices.col(v);
    u((i + 2) % 3, v) = std::pow(x(0), 2.0 + i / 3) * (1.0 + 0.3 * x((i + 1) % 3));
  }
  return model.dofs().restrict(u);
}

/// Forces of one kind in the span of `rank` such fields, with poses to learn from.
struct Learned {
  FullModel model;
  VertexMaps still;
  OnlineBasis basis;
  OnlineForces forces;
  double error = 0.0;

  Learned(Kind kind, int rank)
      : model(held_beam(kind == Kind::polynomial ? "stvk" : "neo-hookean")),
        still(VertexMaps::identity(model.mesh().vertex_count())),
        basis(model.mass()),
        forces(model, kind, {.error = 0.005}) {
    for (int i = 0; i < rank; ++i) basis.add(field(model, i), 0.0);
    for (int k = 0; k < 12; ++k) learn(pose(static_cast<std::uint64_t>(k)));
    if (rank > 0) error = forces.follow(basis);
  }

  [[nodiscard]] Vector pose(std::uint64_t seed) const {
    return test::random_vector(basis.rank(), 0.3, seed + 11);
  }
  void learn(const Vector& q) {
    const Vector u = basis.vector(q);
    forces.learn(u, still, model.internal_force(u));
  }
  [[nodiscard]] Vector full_force(const Vector& q) const {
    return basis.force(model.internal_force(basis.vector(q)));
  }
};

TEST(OnlineForces, AsPolynomialsAreThoseOfTheFullModel) {
  const Learned learned(Kind::polynomial, 5);
  Vector f;
  Matrix K;
  for (std::uint64_t seed = 1; seed < 5; ++seed) {
    const Vector q = learned.pose(seed), expected = learned.full_force(q);
    const double energy = learned.forces.evaluate(q, f, K),
                 full = learned.model.energy(learned.basis.vector(q));
    EXPECT_LT((f - expected).norm(), 1e-11 * expected.norm());
    EXPECT_NEAR(energy, full, 1e-11 * full);
    const Matrix U = learned.basis.columns();
    const Matrix tangent = U.transpose() * (learned.model.stiffness(learned.basis.vector(q)) * U);
    EXPECT_LT((K - tangent).norm(), 1e-11 * tangent.norm());
  }
  EXPECT_EQ(learned.forces.key_element_count(), 0);
  EXPECT_EQ(learned.error, 0.0);
}

TEST(OnlineForces, ByKeyElementsAreThoseOfTheFullModelNearly) {
  const Learned learned(Kind::key_elements, 4);
  EXPECT_LE(learned.error, 0.005);
  EXPECT_GT(learned.forces.key_element_count(), 0);
  EXPECT_LT(learned.forces.key_element_count(), learned.model.mesh().element_count());
  Vector f;
  for (std::uint64_t seed = 30; seed < 35; ++seed) {  // poses that it did not learn from
    const Vector q = learned.pose(seed), expected = learned.full_force(q);
    learned.forces.evaluate_force(q, f);
    EXPECT_LT((f - expected).norm(), 0.05 * expected.norm()) << seed;
  }
}

TEST(OnlineForces, AreTheDerivativeOfTheEnergyAndHaveTheStiffnessForTheirs) {
  for (const Kind kind : {Kind::polynomial, Kind::key_elements}) {
    const Learned learned(kind, 4);
    const Vector q = learned.pose(3), w = learned.pose(4);
    Vector f, moved;
    Matrix K;
    const double energy = learned.forces.evaluate(q, f, K);
    const auto of_energy = [&](double t) {
      return std::abs(learned.forces.evaluate_force(q + t * w, moved) - energy - t * f.dot(w));
    };
    const auto of_force = [&](double t) {
      learned.forces.evaluate_force(q + t * w, moved);
      return (moved - f - t * (K * w)).norm();
    };
    EXPECT_NEAR(test::remainder_slope(of_energy, energy), 2.0, 0.1);
    EXPECT_NEAR(test::remainder_slope(of_force, f.norm()), 2.0, 0.1);
  }
}

TEST(OnlineForces, FollowABasisThatGrowsVectorByVector) {
  Learned grown(Kind::polynomial, 0);
  for (int i = 0; i < 5; ++i) {
    grown.basis.add(field(grown.model, i), 0.0);
    grown.forces.follow(grown.basis);
  }
  const Learned at_once(Kind::polynomial, 5);
  const Vector q = at_once.pose(2);
  Vector f, g;
  grown.forces.evaluate_force(q, f);
  at_once.forces.evaluate_force(q, g);
  EXPECT_EQ(f, g);
}

TEST(OnlineForces, FollowABasisThatWasTurnedAndCutDown) {
  for (const Kind kind : {Kind::polynomial, Kind::key_elements}) {
    Learned learned(kind, 4);
    Matrix states(4, 6);
    for (Index k = 0; k < 6; ++k) states.col(k) = learned.pose(static_cast<std::uint64_t>(k));
    learned.basis.turn(recent_directions(states, 3));
    const double error = learned.forces.follow_turned(learned.basis);
    EXPECT_LE(error, 0.005);
    const Vector q = learned.pose(7), expected = learned.full_force(q);
    Vector f;
    learned.forces.evaluate_force(q, f);
    const double tolerance = kind == Kind::polynomial ? 1e-11 : 0.05;
    EXPECT_LT((f - expected).norm(), tolerance * expected.norm());
  }
}

TEST(OnlineForces, TakenBackGoOnWithTheSameBits) {
  for (const Kind kind : {Kind::polynomial, Kind::key_elements}) {
    Learned learned(kind, 4), other(kind, 0);
    StateWriter out;
    learned.basis.save(out);
    learned.forces.save(out);
    StateReader in(out.bytes(), "state");
    other.basis.restore(in);
    other.forces.restore(in, other.basis);
    in.finish();
    EXPECT_EQ(other.forces.key_element_count(), learned.forces.key_element_count());
    Vector f, g;
    Matrix K, J;
    EXPECT_EQ(learned.forces.evaluate(learned.pose(3), f, K), other.forces.evaluate(learned.pose(3), g, J));
    EXPECT_EQ(f, g);
    EXPECT_EQ(K, J);
    for (Learned* one : {&learned, &other}) {  // and learn on
      one->basis.add(field(one->model, 4), 0.0);
      one->learn(one->pose(20));
      one->forces.follow(one->basis);
    }
    EXPECT_EQ(learned.forces.evaluate(learned.pose(5), f, K), other.forces.evaluate(learned.pose(5), g, J));
    EXPECT_EQ(f, g);
    EXPECT_EQ(K, J);
  }
}

TEST(OnlineForces, TakenBackBeforeAnythingWasLearnedGoOn) {
  for (const Kind kind : {Kind::polynomial, Kind::key_elements}) {
    Learned learned(kind, 0), other(kind, 0);
    StateWriter out;
    learned.forces.save(out);
    StateReader in(out.bytes(), "state");
    other.forces.restore(in, other.basis);
    in.finish();
    EXPECT_EQ(other.forces.key_element_count(), 0);
  }
}

}  // namespace
}  // namespace limber::online_forces_test
