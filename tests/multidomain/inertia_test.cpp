#include "limber/reduced/inertia.hpp"

#include "limber/base/error.hpp"
#include "limber/multidomain/domain_body.hpp"
#include "limber/multidomain/tree_dynamics.hpp"
#include "tests/multidomain/small_trees.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace limber::inertia_test {
namespace {

using test::random_vector;

TEST(PartInertia, OfABoxIsThatOfTheBooks) {
  for (const ElementKind kind : {ElementKind::tetrahedron, ElementKind::brick}) {
    const auto tree = test::beam_tree(kind);  // unit cubes about their held face
    const Inertia inertia = inertia_of(tree->parts[1].model);
    EXPECT_NEAR(inertia.mass, 900.0, 1e-9);
    EXPECT_LE((inertia.first - 900.0 * Vector3(0.5, 0.0, 0.0)).norm(), 1e-9);
    const Matrix3 second = 900.0 * Vector3(1.0 / 3.0, 1.0 / 12.0, 1.0 / 12.0).asDiagonal();
    EXPECT_LE((inertia.second - second).norm(), 1e-9);
  }
}

TEST(PartInertia, TraceOfItsPairsIsTheMass) {
  const auto tree = test::beam_tree();
  const ReducedModel& model = tree->parts[1].model;
  const Inertia inertia = inertia_of(model);
  const Index r = model.rank;
  Matrix trace(r, r);
  for (Index i = 0; i < r; ++i)
    for (Index j = 0; j < r; ++j) trace(i, j) = inertia.second_pairs.col(i + r * j).reshaped(3, 3).trace();
  EXPECT_LE((trace - make_equations(model).mass).norm(), 1e-10);
  EXPECT_LE((inertia.first_rows.transpose() - make_equations(model).weight).norm(), 1e-9);
}

/// As its equations have it, from the integrals of the part entry by entry.
InertiaTerms plain_terms(const Inertia& data, const Vector& q, const Vector& v, const Vector3& w, double s) {
  const Index r = q.size();
  const double s4 = s * s * s * s, s5 = s4 * s;
  InertiaTerms terms;
  terms.coupling.resize(r, 6);
  terms.bias_q.resize(r);
  Matrix3 second = data.second, flow = Matrix3::Zero();
  for (Index i = 0; i < r; ++i) {
    Matrix3 pairs = Matrix3::Zero(), rate = Matrix3::Zero();  // of rho U_i u^T, of rho U_i (u')^T
    const Matrix3 rest = data.second_rows.col(i).reshaped(3, 3);
    for (Index j = 0; j < r; ++j) {
      pairs += q(j) * data.second_pairs.col(i + r * j).reshaped(3, 3);
      rate += v(j) * data.second_pairs.col(i + r * j).reshaped(3, 3);
    }
    const Matrix3 moment = rest + pairs;
    second += q(i) * (pairs + rest + rest.transpose());
    flow += v(i) * moment;
    const auto axial_of = [](const Matrix3& m) {
      return Vector3(m(2, 1) - m(1, 2), m(0, 2) - m(2, 0), m(1, 0) - m(0, 1));
    };
    terms.coupling.row(i) << s4 * data.first_rows.col(i).transpose(), s5 * axial_of(moment).transpose();
    const Matrix3 centrifugal = w * w.transpose() - w.squaredNorm() * Matrix3::Identity();
    terms.bias_q(i) = s5 * (moment.cwiseProduct(centrifugal).sum() + 2.0 * w.dot(axial_of(rate)));
  }
  terms.mass = s * s * s * data.mass;
  terms.first = s4 * (data.first + data.first_rows * q);
  terms.rotational = s5 * (second.trace() * Matrix3::Identity() - second);
  terms.bias.head<3>() = w.cross(w.cross(terms.first)) + 2.0 * s4 * w.cross(data.first_rows * v);
  terms.bias.tail<3>() = w.cross(terms.rotational * w) + 2.0 * s5 * (flow.trace() * w - flow * w);
  return terms;
}

TEST(DomainInertia, IsThatOfItsMoments) {
  const auto tree = test::reduced(test::twig_parts(), 13);
  const Index full = tree->parts[0].model.rank;
  const Vector3 w(0.4, -1.1, 0.7);
  const double scale = 1.3;
  for (const Index r : {Index{1}, std::min<Index>(8, full), full}) {
    PartSettings settings = settings_of(*tree)[0];
    settings.rank = r;
    DomainBody body(tree->parts[0], settings, 1);
    const Vector q = random_vector(r, 0.3, 21), v = random_vector(r, 1.0, 22);
    const InertiaTerms expected =
        plain_terms(inertia_of(tree->parts[0].model, settings.materials, r), q, v, w, scale);
    InertiaTerms terms;
    body.inertia(q, v, w, scale, terms);
    const double size = expected.rigid().norm();
    EXPECT_LE((terms.rigid() - expected.rigid()).norm(), 1e-13 * size) << r;
    EXPECT_LE((terms.bias - expected.bias).norm(), 1e-12 * expected.bias.norm()) << r;
    EXPECT_LE((terms.coupling.topRows(r) - expected.coupling).norm(), 1e-12 * expected.coupling.norm()) << r;
    EXPECT_LE((terms.bias_q.head(r) - expected.bias_q).norm(), 1e-12 * expected.bias_q.norm()) << r;
    EXPECT_TRUE(terms.coupling.bottomRows(terms.coupling.rows() - r).isZero(0.0)) << r;

    MotionTerms motion;
    body.motion(q, v, scale, motion);
    EXPECT_EQ(motion.rigid(), terms.rigid()) << r;
    const Vector6 momentum = expected.coupling.transpose() * v;
    EXPECT_LE((motion.momentum - momentum).norm(), 1e-12 * momentum.norm()) << r;
    const double energy = 0.5 * std::pow(scale, 5) * v.dot(body.mass() * v);
    EXPECT_NEAR(motion.energy, energy, 1e-13 * energy) << r;
  }
}

TEST(InterfacePort, FollowsARigidMotionOfItsVertices) {
  // A model whose one mode moves every vertex by a linear map: the port must see just that map.
  const auto tree = test::beam_tree();
  ReducedModel model = tree->parts[0].model;
  const Matrix3 map = test::random_matrix3(1.0, 4);
  model.rank = 1;
  model.simulation->basis.resize(model.simulation->basis.rows(), 1);
  for (Index v = 0; v < model.simulation->mesh.vertex_count(); ++v)
    model.simulation->basis.block<3, 1>(3 * v, 0) = map * model.simulation->mesh.vertices.col(v);
  const InterfacePort& given = tree->parts[0].ports[0];
  const InterfacePort port = make_port(model, "p", given.vertices, given.weights);
  EXPECT_LE((port.center_rows.col(0) - map * port.center).norm(), 1e-12);
  EXPECT_LE((port.covariance_rows.col(0).reshaped(3, 3) - map * port.covariance).norm(), 1e-12);
}

TEST(InterfacePort, RefusesVerticesOnALine) {
  const auto tree = test::beam_tree();
  const ReducedModel& model = tree->parts[0].model;
  std::vector<int> line;
  for (int v = 0; v < model.simulation->mesh.vertex_count(); ++v)
    if (model.simulation->mesh.vertices.col(v).tail<2>().norm() < 1e-9) line.push_back(v);
  ASSERT_GE(line.size(), 3u);
  EXPECT_THROW(make_port(model, "edge", line, Vector::Ones(static_cast<Index>(line.size()))), Error);
  line.resize(2);
  EXPECT_THROW(make_port(model, "edge", line, Vector::Ones(2)), Error);
}

/// A tree with turned, scaled and rigid domains in some state of motion.
TreeDynamics moving_bush(bool free) {
  PartTree parts = test::twig_parts();
  parts.free = free;
  if (free) parts.parts[0].fixed.clear();
  TreeDynamics dynamics(test::reduced(parts));
  TreeState state = dynamics.state();
  state.q = random_vector(state.q.size(), 0.2, 5);
  state.v = random_vector(state.q.size(), 1.0, 6);
  state.root.velocity = Vector3(0.3, -0.2, 0.5);
  state.root.angular_velocity = Vector3(-1.0, 0.7, 2.0);
  dynamics.set_state(state);
  return dynamics;
}

/// Mass matrix of one coordinate, by differences of nothing: the mass of each element spread as the elements
/// have it.
double element_energy(const VolumeMesh& mesh, Index e, const Matrix3X& velocity) {
  double sum = 0.0;
  for (int a = 0; a < 4; ++a)
    for (int b = 0; b < 4; ++b)
      sum += (a == b ? 0.1 : 0.05) * velocity.col(mesh.elements(a, e)).dot(velocity.col(mesh.elements(b, e)));
  return 0.5 * 900.0 * element_volume(mesh, e) * sum;
}

TEST(InertiaTerms, EnergyAndMomentumAreThoseOfTheVertices) {
  for (const bool free : {false, true}) {
    const TreeDynamics dynamics = moving_bush(free);
    const Model& tree = dynamics.tree();
    double energy = 0.0, total = 0.0;
    Vector3 linear = Vector3::Zero(), center = Vector3::Zero(), angular = Vector3::Zero();
    for (Index d = 0; d < tree.domain_count(); ++d) {
      const SimulationMesh& simulation = *tree.part(d).model.simulation;
      const double scale = tree.domains[static_cast<std::size_t>(d)].scale;
      const Index n = simulation.mesh.vertex_count();
      Matrix3X x(3, n), v(3, n);
      for (Index i = 0; i < n; ++i) {
        const TreePoint point{d, simulation.mesh.vertices.col(i), simulation.basis.middleRows<3>(3 * i)};
        x.col(i) = dynamics.position(point);
        v.col(i) = dynamics.velocity(point);
      }
      for (Index e = 0; e < simulation.mesh.element_count(); ++e) {
        const double volume = scale * scale * scale;
        energy += volume * element_energy(simulation.mesh, e, v);
        const double mass = volume * 900.0 * element_volume(simulation.mesh, e);
        total += mass;
        for (int a = 0; a < 4; ++a) {
          const int i = simulation.mesh.elements(a, e);
          center += mass / 4.0 * x.col(i);
          linear += mass / 4.0 * v.col(i);
          for (int b = 0; b < 4; ++b) {
            const Vector3 xj = x.col(simulation.mesh.elements(b, e)), vi = v.col(i);
            angular += mass * (a == b ? 0.1 : 0.05) * xj.cross(vi);
          }
        }
      }
    }
    center /= total;
    angular -= center.cross(linear);
    const TreeMomentum momentum = dynamics.momentum();
    EXPECT_NEAR(dynamics.kinetic_energy(), energy, 1e-10 * energy);
    EXPECT_NEAR(momentum.mass, total, 1e-10 * total);
    EXPECT_LE((momentum.center - center).norm(), 1e-10);
    EXPECT_LE((momentum.linear - linear).norm(), 1e-10 * linear.norm());
    EXPECT_LE((momentum.angular - angular).norm(), 1e-9 * angular.norm());
  }
}

/// The bush with the origins of its parts elsewhere: the same body.
std::shared_ptr<const Model> with_origins_moved(PartTree parts) {
  for (std::size_t i = 0; i < parts.parts.size(); ++i) {
    const Vector3 by(0.3, -0.2 * static_cast<double>(i), 0.5);
    parts.parts[i].mesh.vertices.colwise() += by;
    for (Placement& placement : parts.placements)
      if (placement.part == static_cast<int>(i))
        placement.position -= placement.rotation * (placement.scale * by);
  }
  return test::reduced(parts);
}

TEST(TreeDynamics, DoesNotDependOnWhereTheOriginOfAPartIs) {
  for (const bool free : {false, true}) {
    PartTree parts = test::twig_parts();
    parts.free = free;
    if (free) parts.parts[0].fixed.clear();
    for (const SubtreeInertia inertia :
         {SubtreeInertia::interface, SubtreeInertia::center, SubtreeInertia::full}) {
      TreeDynamics one(test::reduced(parts)), other(with_origins_moved(parts));
      const SimulationMesh& simulation = *one.tree().part(3).model.simulation;
      const Vector3 by(0.3, -0.2, 0.5), x = simulation.mesh.vertices.col(0);
      const TreePoint point{3, x, simulation.basis.topRows<3>()};
      const SimulationMesh& moved = *other.tree().part(3).model.simulation;
      const TreePoint same{3, x + by, moved.basis.topRows<3>()};
      for (TreeDynamics* dynamics : {&one, &other}) {
        dynamics->set_inertia(inertia);
        dynamics->set_damping({0.5, 1e-3});
        dynamics->set_gravity({0.0, 0.0, -2.0});
        dynamics->set_forces({{{dynamics == &one ? point : same, Vector3(10.0, 20.0, 0.0)}}});
        for (int i = 0; i < 60; ++i) ASSERT_TRUE(dynamics->step(5e-3).ok());
      }
      const Vector3 away = one.position(point) - TreeDynamics(one.shared_tree()).position(point);
      EXPECT_GT(away.norm(), 1e-2);
      EXPECT_LE((one.position(point) - other.position(same)).norm(), 1e-6 * away.norm())
          << "inertia " << static_cast<int>(inertia) << (free ? ", free" : ", held");
    }
  }
}

TEST(TreeDynamics, VelocitiesAreThoseOfThePositions) {
  const TreeDynamics dynamics = moving_bush(false);
  const Model& tree = dynamics.tree();
  for (Index d = 0; d < tree.domain_count(); ++d) {
    const SimulationMesh& simulation = *tree.part(d).model.simulation;
    const Index last = simulation.mesh.vertex_count() - 1;
    const TreePoint point{d, simulation.mesh.vertices.col(last), simulation.basis.middleRows<3>(3 * last)};
    const auto at = [&](double t) {
      TreeDynamics moved(dynamics.shared_tree());
      TreeState state = dynamics.state();
      state.q += t * state.v;
      moved.set_state(state);
      return moved.position(point);
    };
    const double h = 1e-4;
    const Vector3 difference = (at(h) - at(-h)) / (2.0 * h);
    EXPECT_LE((dynamics.velocity(point) - difference).norm(), 1e-5 * (1.0 + difference.norm())) << d;
  }
}

}  // namespace
}  // namespace limber::inertia_test
