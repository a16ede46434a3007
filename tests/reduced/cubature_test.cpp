#include "limber/reduced/cubature.hpp"

#include "limber/base/error.hpp"
#include "limber/fem/elements.hpp"
#include "limber/linalg/svd.hpp"
#include "tests/support/fixtures.hpp"
#include "tests/support/slope.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <gmock/gmock.h>
#include <limits>
#include <string>
#include <vector>

namespace limber::cubature_test {
namespace {

using test::random_vector;
using test::remainder_slope;
using testing::HasSubstr;
using testing::ThrowsMessage;

/// Sums in another order differ by rounding. Stresses are differences of numbers a few times larger.
constexpr double rounding = 1e-12;

enum class Kind { optimized, modal };
constexpr Kind both_kinds[] = {Kind::optimized, Kind::modal};

/// Random points, spread over the regions in no order, whose gradients are about `steepness` at |q| = 1.
CubatureRule random_rule(Index points, Index rank, Kind kind, int regions = 1, double steepness = 0.5) {
  CubatureRule rule;
  rule.gradients = random_vector(9 * points * rank, steepness, 3).reshaped(9 * points, rank);
  rule.gradients /= std::sqrt(static_cast<double>(rank));
  const Index columns = kind == Kind::modal ? rank : 1;
  rule.weights = (random_vector(points * columns, 0.5, 5).array() + 0.6).matrix().reshaped(points, columns);
  rule.energy_weights =
      kind == Kind::modal ? (random_vector(points, 0.5, 7).array() + 0.6).matrix() : Vector(rule.weights);
  for (Index p = 0; p < points; ++p) {
    rule.element.push_back(static_cast<int>(p));
    rule.point.push_back(0);
    rule.region.push_back(static_cast<int>(p * p + p / 3) % regions);
  }
  return rule;
}

std::vector<Material> one_material(std::string_view law = "neo-hookean") { return {test::material(law)}; }

/// One of each law, of which no two are as stiff.
std::vector<Material> all_materials() {
  std::vector<Material> materials;
  for (const std::string_view law : material_names) {
    materials.push_back(test::material(law, 1e5 * static_cast<double>(1 + materials.size())));
  }
  return materials;
}

struct Values {
  double energy = 0.0;
  Vector force;
  Matrix stiffness;
};

/// Point by point, as the definition says.
Values direct_sum(const CubatureRule& rule, const std::vector<Material>& materials, const Vector& q) {
  const Index r = q.size();
  Values sum{0.0, Vector::Zero(r), Matrix::Zero(r, r)};
  for (Index p = 0; p < rule.point_count(); ++p) {
    const MaterialLaw& law =
        materials.at(static_cast<std::size_t>(rule.region.at(static_cast<std::size_t>(p)))).law;
    const Matrix G = rule.gradients.block(9 * p, 0, 9, r);
    const Matrix3 F = Matrix3::Identity() + (G * q).reshaped(3, 3);
    const Vector w = rule.modal() ? rule.weights.row(p).head(r).transpose().eval()
                                  : Vector::Constant(r, rule.weights(p, 0));
    const Matrix L = G * w.asDiagonal();
    const Matrix K = L.transpose() * stress_derivative(law, F) * G;
    sum.energy += rule.energy_weights(p) * energy_density(law, F);
    sum.force += L.transpose() * stress(law, F).reshaped();
    sum.stiffness += 0.5 * (K + K.transpose());
  }
  return sum;
}

Values evaluate(const Cubature& cubature, const Vector& q, CubatureWorkspace& work) {
  Values values{0.0, Vector(q.size()), Matrix(q.size(), q.size())};
  values.energy = cubature.evaluate(q, work, values.force, values.stiffness);
  return values;
}

Values evaluate(const Cubature& cubature, const Vector& q) {
  CubatureWorkspace work;
  return evaluate(cubature, q, work);
}

bool same_bits(const Values& a, const Values& b) {
  return a.energy == b.energy && a.force == b.force && a.stiffness == b.stiffness;
}

void expect_near(const Values& found, const Values& expected, const std::string& what) {
  EXPECT_NEAR(found.energy, expected.energy, rounding * expected.energy) << what;
  EXPECT_LT((found.force - expected.force).norm() / expected.force.norm(), rounding) << what;
  EXPECT_LT((found.stiffness - expected.stiffness).norm() / expected.stiffness.norm(), rounding) << what;
}

/// Numbers of points and coordinates on both sides of every size that the layout is made of.
template <class Visitor>
void for_each_size(const Visitor& visit) {
  for (const Kind kind : both_kinds) {
    for (const Index points : {1, 7, 8, 9, 100}) {
      for (const Index rank : {1, 2, 5, 8, 17, 30, 41}) {
        visit(points, rank, kind,
              std::to_string(points) + " points, rank " + std::to_string(rank) +
                  (kind == Kind::modal ? ", modal" : ", optimized"));
      }
    }
  }
}

class EveryLaw : public testing::TestWithParam<std::string_view> {
 protected:
  std::vector<Material> materials = one_material(GetParam());
  CubatureRule rule = random_rule(20, 9, Kind::optimized), modal_rule = random_rule(20, 9, Kind::modal);
  Vector q = random_vector(9, 0.6, 11), d = random_vector(9, 1.0, 13);
};

TEST_P(EveryLaw, GivesTheSumOverThePoints) {
  for_each_size([&](Index points, Index rank, Kind kind, const std::string& what) {
    const CubatureRule some = random_rule(points, rank, kind);
    const Vector at = random_vector(rank, 0.6, 11);
    expect_near(evaluate(Cubature(some, materials, rank), at), direct_sum(some, materials, at), what);
  });
}

TEST_P(EveryLaw, HasTheForceThatIsTheDerivativeOfItsEnergy) {
  const Cubature cubature(rule, materials, 9);
  const Values at = evaluate(cubature, q);
  const auto remainder = [&](double h) {
    return std::abs(evaluate(cubature, q + h * d).energy - at.energy - h * at.force.dot(d));
  };
  EXPECT_GT(remainder_slope(remainder, at.energy), 1.9);
}

TEST_P(EveryLaw, HasTheStiffnessThatIsTheDerivativeOfItsForce) {
  const Cubature cubature(rule, materials, 9);
  const Values at = evaluate(cubature, q);
  const auto remainder = [&](double h) {
    return (evaluate(cubature, q + h * d).force - at.force - h * at.stiffness * d).norm();
  };
  EXPECT_GT(remainder_slope(remainder, at.force.norm()), 1.9);
}

TEST_P(EveryLaw, HasTheSymmetricPartOfTheDerivativeOfItsForceWhereModal) {
  const Cubature cubature(modal_rule, materials, 9);
  const Values at = evaluate(cubature, q);
  const auto work_along = [&](double h) {  // d . (df/dq) d knows the symmetric part only
    return std::abs(d.dot(evaluate(cubature, q + h * d).force - at.force - h * at.stiffness * d));
  };
  const auto force_along = [&](double h) {
    return (evaluate(cubature, q + h * d).force - at.force - h * at.stiffness * d).norm();
  };
  EXPECT_GT(remainder_slope(work_along, at.force.norm()), 1.9);
  EXPECT_LT(remainder_slope(force_along, at.force.norm()), 1.1) << "df/dq should not be symmetric";
}

TEST_P(EveryLaw, WithModalWeightsHasTheForcesOfItsEnergyWhereTheyAreAskedFor) {
  CubatureRule of_energy = modal_rule;
  of_energy.weights = modal_rule.energy_weights;
  const Cubature modal(modal_rule, materials, 9);
  CubatureWorkspace work;
  work.forces_of_energy = true;
  expect_near(evaluate(modal, q, work), evaluate(Cubature(of_energy, materials, 9), q), "all");
  Vector force(9);
  EXPECT_EQ(modal.evaluate_force(q, work, force), evaluate(modal, q).energy);
  EXPECT_EQ(force, evaluate(modal, q, work).force);
}

INSTANTIATE_TEST_SUITE_P(Cubature, EveryLaw, testing::ValuesIn(material_names), [](const auto& law) {
  std::string name(law.param);
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
});

TEST(Cubature, TakesTheMaterialOfEachPointsRegion) {
  const std::vector<Material> materials = all_materials();
  for_each_size([&](Index points, Index rank, Kind kind, const std::string& what) {
    const CubatureRule rule = random_rule(points, rank, kind, static_cast<int>(materials.size()));
    const Vector q = random_vector(rank, 0.6, 11);
    expect_near(evaluate(Cubature(rule, materials, rank), q), direct_sum(rule, materials, q), what);
  });
}

TEST(Cubature, GivesTheSameForceWithoutTheStiffness) {
  for_each_size([&](Index points, Index rank, Kind kind, const std::string& what) {
    const Cubature cubature(random_rule(points, rank, kind), one_material(), rank);
    const Vector q = random_vector(rank, 0.6, 11);
    const Values both = evaluate(cubature, q);
    CubatureWorkspace work;
    Vector force(rank);
    EXPECT_EQ(cubature.evaluate_force(q, work, force), both.energy) << what;
    EXPECT_EQ(force, both.force) << what;
  });
}

TEST(Cubature, HasAStiffnessThatIsSymmetricToTheLastBit) {
  for_each_size([&](Index points, Index rank, Kind kind, const std::string& what) {
    const Matrix K = evaluate(Cubature(random_rule(points, rank, kind), one_material(), rank),
                              random_vector(rank, 0.6, 11))
                         .stiffness;
    EXPECT_EQ(K, Matrix(K.transpose())) << what;
  });
}

TEST(Cubature, OfTheFirstCoordinatesIsThatOfARuleWithTheseOnly) {
  for (const Kind kind : both_kinds) {
    const CubatureRule rule = random_rule(21, 30, kind);
    for (const Index rank : {2, 7, 16, 29}) {
      CubatureRule shorter = rule;
      shorter.gradients.conservativeResize(Eigen::NoChange, rank);
      if (kind == Kind::modal) shorter.weights.conservativeResize(Eigen::NoChange, rank);
      const Cubature part(rule, one_material(), rank), whole(shorter, one_material(), rank);
      const Vector q = random_vector(rank, 0.6, 11);
      EXPECT_TRUE(same_bits(evaluate(part, q), evaluate(whole, q))) << "rank " << rank;
      EXPECT_EQ(part.reach(), whole.reach());
      EXPECT_EQ(part.rank(), rank);
    }
  }
}

TEST(Cubature, OfTheFirstCoordinatesIsThatOfAllWhereTheOthersAreZero) {
  for (const Kind kind : both_kinds) {
    const CubatureRule rule = random_rule(21, 30, kind);
    for (const Index rank : {1, 7, 16, 29}) {
      Vector longer = Vector::Zero(30);
      longer.head(rank) = random_vector(rank, 0.6, 11);
      Values whole = evaluate(Cubature(rule, one_material(), 30), longer);
      whole.force.conservativeResize(rank);
      whole.stiffness.conservativeResize(rank, rank);
      expect_near(evaluate(Cubature(rule, one_material(), rank), longer.head(rank)), whole,
                  "rank " + std::to_string(rank));
    }
  }
}

TEST(Cubature, IsNotChangedByPointsOfWeightZero) {
  for (const Kind kind : both_kinds) {
    CubatureRule rule = random_rule(23, 10, kind), fewer = random_rule(19, 10, kind);
    fewer.gradients = rule.gradients.topRows(9 * 19);
    fewer.weights = rule.weights.topRows(19);
    fewer.energy_weights = rule.energy_weights.head(19);
    rule.weights.bottomRows(4).setZero();
    rule.energy_weights.tail(4).setZero();
    const Vector q = random_vector(10, 0.6, 11);
    expect_near(evaluate(Cubature(rule, one_material(), 10), q),
                evaluate(Cubature(fewer, one_material(), 10), q), "19 of 23 points");
  }
}

TEST(Cubature, OfWeightsZeroIsZero) {
  for (const Kind kind : both_kinds) {
    CubatureRule rule = random_rule(9, 10, kind);
    rule.weights.setZero();
    rule.energy_weights.setZero();
    const Values zero = evaluate(Cubature(rule, one_material(), 10), random_vector(10, 0.6, 11));
    EXPECT_TRUE(same_bits(zero, {0.0, Vector::Zero(10), Matrix::Zero(10, 10)}));
  }
}

TEST(Cubature, HasNoForceAtRest) {
  for (const Kind kind : both_kinds) {
    const std::vector<Material> materials = all_materials();
    const Cubature cubature(random_rule(100, 12, kind, static_cast<int>(materials.size())), materials, 12);
    const Values rest = evaluate(cubature, Vector::Zero(12));
    EXPECT_LT(rest.force.norm(), rounding * rest.stiffness.norm());
    EXPECT_LT(std::abs(rest.energy), rounding * rest.stiffness.norm());
  }
}

TEST(Cubature, WritesAStiffnessThatIsPartOfALargerMatrix) {
  const Cubature cubature(random_rule(9, 5, Kind::optimized), one_material(), 5);
  const Vector q = random_vector(5, 0.6, 11);
  const Values expected = evaluate(cubature, q);
  Matrix larger = Matrix::Constant(8, 9, 7.0);
  Vector force = Vector::Constant(8, 7.0);
  CubatureWorkspace work;
  cubature.evaluate(q, work, force.segment(2, 5), larger.block(1, 3, 5, 5));
  EXPECT_EQ(larger.block(1, 3, 5, 5), expected.stiffness);
  EXPECT_EQ(force.segment(2, 5), expected.force);
  larger.block(1, 3, 5, 5).setConstant(7.0);
  force.segment(2, 5).setConstant(7.0);
  EXPECT_EQ(larger, Matrix::Constant(8, 9, 7.0));
  EXPECT_EQ(force, Vector::Constant(8, 7.0));
}

TEST(Cubature, GivesTheSameBitsInAWorkspaceThatOtherRulesHaveUsed) {
  CubatureWorkspace work;
  for (const Index rank : {5, 30, 1, 16, 30, 12, 33, 7}) {
    for (const Kind kind : both_kinds) {
      const Cubature cubature(random_rule(2 * rank + 3, rank, kind), one_material(), rank);
      const Vector q = random_vector(rank, 0.6, 11);
      const Values first = evaluate(cubature, q);
      EXPECT_TRUE(same_bits(evaluate(cubature, q, work), first)) << "rank " << rank;
      EXPECT_TRUE(same_bits(evaluate(cubature, q, work), first)) << "rank " << rank;
    }
  }
}

TEST(Cubature, ForgetsAStateThatWasNotFinite) {
  CubatureWorkspace work;
  for (const double bad :
       {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()}) {
    for (const Kind kind : both_kinds) {
      const Cubature large(random_rule(20, 30, kind), one_material(), 30);
      EXPECT_FALSE(evaluate(large, Vector::Constant(30, bad), work).force.allFinite());
      for (const Index rank : {6, 15, 30}) {
        const Cubature cubature(random_rule(9, rank, kind), one_material(), rank);
        const Vector q = random_vector(rank, 0.6, 11);
        EXPECT_TRUE(same_bits(evaluate(cubature, q, work), evaluate(cubature, q))) << "rank " << rank;
      }
    }
  }
}

TEST(Cubature, IsConservativeWithOneWeightPerPoint) {
  EXPECT_TRUE(Cubature(random_rule(4, 5, Kind::optimized), one_material(), 5).conservative());
  EXPECT_FALSE(Cubature(random_rule(4, 5, Kind::modal), one_material(), 5).conservative());
}

TEST(Cubature, ReachesAGradientOfOneNoSoonerThanItSays) {
  const CubatureRule rule = random_rule(11, 6, Kind::optimized);
  const double reach = Cubature(rule, one_material(), 6).reach();
  double steepest = 0.0;  // |grad u| at |q| = reach, in the direction where each point's is largest
  for (Index p = 0; p < 11; ++p) {
    const auto gradients = rule.gradients.middleRows(9 * p, 9);
    steepest = std::max(steepest, reach * left_singular_vectors(gradients).values(0));
  }
  EXPECT_NEAR(steepest, 1.0, rounding);
}

TEST(Cubature, OfARuleThatMovesNothingHasReachOne) {
  CubatureRule rule = random_rule(3, 2, Kind::optimized);
  rule.gradients.setZero();
  EXPECT_EQ(Cubature(rule, one_material(), 2).reach(), 1.0);
}

/// All quadrature points of a mesh with the weights of its quadrature.
template <class Element>
CubatureRule full_quadrature(const FullModel& model, const Matrix& U) {
  CubatureRule rule;
  const VolumeMesh& mesh = model.mesh();
  const Index m = mesh.element_count() * Element::points;
  rule.gradients = Matrix::Zero(9 * m, U.cols());
  rule.weights.resize(m, 1);
  for (int e = 0, p = 0; e < mesh.element_count(); ++e) {
    ElementPacket packet;
    packet.element.fill(e);
    const Element element(mesh, packet);
    for (int k = 0; k < Element::points; ++k, ++p) {
      Packet g[Element::nodes][3];
      rule.weights(p, 0) = element.point(k, g)[0];
      rule.element.push_back(e);
      rule.point.push_back(k);
      rule.region.push_back(mesh.region[static_cast<std::size_t>(e)]);
      for (int a = 0; a < Element::nodes; ++a) {
        const Index vertex = model.dofs().free_index(mesh.elements(a, e));
        if (vertex < 0) continue;
        for (int axis = 0; axis < 3; ++axis) {
          rule.gradients.middleRows(9 * p + 3 * axis, 3) += g[a][axis][0] * U.middleRows(3 * vertex, 3);
        }
      }
    }
  }
  rule.energy_weights = rule.weights;
  return rule;
}

class EveryElement : public testing::TestWithParam<test::Combination> {};

TEST_P(EveryElement, IsTheFullModelProjectedWithAllPointsOfItsQuadrature) {
  const auto& [law, kind] = GetParam();
  VolumeMesh mesh = test::unit_beam(kind);
  mesh.regions = {{1, "left"}, {2, "right"}};
  for (std::size_t e = 0; e < mesh.region.size(); ++e) mesh.region[e] = static_cast<int>(e % 2);
  const FullModel model(mesh, {test::material(law), test::material(law, 3e5)},
                        test::vertices_below(mesh, 0.5));
  const Index r = 5;
  const Matrix U = random_vector(model.dof_count() * r, 1.0, 3).reshaped(model.dof_count(), r);
  const Vector q = random_vector(r, 0.1, 5), u = U * q;
  const CubatureRule rule = kind == ElementKind::tetrahedron ? full_quadrature<TetrahedronElement>(model, U)
                                                             : full_quadrature<BrickElement>(model, U);
  expect_near(
      evaluate(Cubature(rule, model.materials(), r), q),
      {model.energy(u), U.transpose() * model.internal_force(u), U.transpose() * (model.stiffness(u) * U)},
      "all points");
}

INSTANTIATE_TEST_SUITE_P(Cubature, EveryElement, testing::ValuesIn(test::all_combinations()),
                         [](const auto& one) { return test::name_of(one.param); });

/// What is wrong with a rule of 9 points in 2 regions for 4 coordinates, and what is said about it.
struct Refusal {
  const char* message;
  std::function<void(CubatureRule&)> spoil;
};

TEST(Cubature, RefusesARuleWhosePartsDoNotFit) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const Refusal refusals[] = {
      {"the gradients of a cubature rule have 80 rows, expected 81 (9 for each of 9 points)",
       [](CubatureRule& rule) { rule.gradients = Matrix::Ones(80, 4); }},
      {"a cubature rule has 3 weights per point, expected 1 or 4 (one per coordinate)",
       [](CubatureRule& rule) { rule.weights = Matrix::Ones(9, 3); }},
      {"a cubature rule has 8 weights of the energy, expected 9 (one per point)",
       [](CubatureRule& rule) { rule.energy_weights = Vector::Ones(8); }},
      {"a cubature rule has 10 region numbers, expected 9 (one per point)",
       [](CubatureRule& rule) { rule.region.push_back(0); }},
      {"cubature point 8 is in region 2, but there are materials for regions 0 to 1 only",
       [](CubatureRule& rule) { rule.region[8] = 2; }},
      {"cubature point 3 is in region -1", [](CubatureRule& rule) { rule.region[3] = -1; }},
      {"a gradient of a cubature rule is not a finite number",
       [nan](CubatureRule& rule) { rule.gradients(5, 2) = nan; }},
      {"a weight of cubature point 2 is -1, expected a number of m^3, 0 or more",
       [](CubatureRule& rule) { rule.weights(2, 0) = -1.0; }},
      {"a weight of cubature point 4 is inf",
       [](CubatureRule& rule) { rule.energy_weights(4) = std::numeric_limits<double>::infinity(); }},
  };
  for (const auto& [message, spoil] : refusals) {
    CubatureRule rule = random_rule(9, 4, Kind::optimized, 2);
    const std::vector<Material> materials(2, test::material("stvk"));
    Cubature(rule, materials, 4);
    spoil(rule);
    EXPECT_THAT([&] { Cubature(rule, materials, 4); }, ThrowsMessage<Error>(HasSubstr(message)));
  }
}

TEST(Cubature, RefusesTooFewMaterials) {
  const CubatureRule rule = random_rule(9, 4, Kind::modal, 3);
  EXPECT_THAT([&] { Cubature(rule, one_material(), 4); },
              ThrowsMessage<Error>(HasSubstr("but there are materials for regions 0 to 0 only")));
}

TEST(Cubature, RefusesARankThatTheRuleHasNot) {
  const CubatureRule rule = random_rule(9, 4, Kind::modal);
  for (const Index rank : {-1, 0, 5}) {
    EXPECT_THAT([&] { Cubature(rule, one_material(), rank); },
                ThrowsMessage<Error>(HasSubstr("of a cubature rule for 4 coordinates, expected 1 to 4")));
  }
}

}  // namespace
}  // namespace limber::cubature_test
