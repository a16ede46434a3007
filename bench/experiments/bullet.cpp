// The same block in limber and as Bullet's own reduced deformable body, with the same modes: what a step
// costs in flight, on an edge and lying flat, how deep it sinks in, what becomes of its angular momentum, and
// whether it lives through steps of 1/60 s. Prints the table of docs/contact.md; bullet.sh runs it.

#include "limber/base/error.hpp"
#include "limber/basis/linear_modes.hpp"
#include "limber/body/world.hpp"
#include "limber/mesh/beam.hpp"
#include "limber/precompute/build_model.hpp"

#include <fmt/core.h>

#include <BulletSoftBody/BulletReducedDeformableBody/btReducedDeformableBody.h>
#include <BulletSoftBody/BulletReducedDeformableBody/btReducedDeformableBodySolver.h>
#include <BulletSoftBody/btDeformableMultiBodyConstraintSolver.h>
#include <BulletSoftBody/btDeformableMultiBodyDynamicsWorld.h>
#include <BulletSoftBody/btSoftBodyHelpers.h>
#include <BulletSoftBody/btSoftBodyRigidBodyCollisionConfiguration.h>
#include <algorithm>
#include <btBulletDynamicsCommon.h>
#include <cmath>
#include <cstdio>
#include <ctime>
#include <limits>
#include <memory>
#include <string>
#include <vector>

namespace limber::bench {
namespace {

constexpr Index rank = 30;
constexpr double friction = 0.5, damping = 1e-4;  // of both: Coulomb's, and of stiffness, s

double cpu_seconds() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

/// A block of 1,029 vertices, with its modes.
struct Block {
  VolumeMesh mesh = make_beam({ElementKind::tetrahedron, Vector3(0.6, 0.2, 0.2), {20, 6, 6}});
  FullModel full{mesh, {Material{make_law("stvk", lame_from_young(1e6, 0.3)), 1000.0}}, {}};
  LinearModes modes = compute_linear_modes(full, 6 + rank);
};

/// How it starts.
struct Start {
  double height = 0.0;  ///< of its centre, m
  double tilt = 0.0;    ///< about y, rad
  Vector3 gravity = Vector3::Zero(), spin = Vector3::Zero();
};

/// One of the two, with ground below z = 0.
class Subject {
 public:
  virtual ~Subject() = default;
  virtual void step(double h) = 0;
  [[nodiscard]] virtual int contacts() const = 0;
  [[nodiscard]] virtual Matrix3X vertices() const = 0;
  [[nodiscard]] virtual Vector3 angular_momentum() const = 0;
};

class Limber final : public Subject {
 public:
  Limber(const Block& block, const Start& start) {
    ReducedModel reduced = build_reduced_model(block.full, block.modes.elastic_shapes());
    reduced.name = "block";
    Body body(std::make_shared<const Model>(make_model(std::move(reduced), true)));
    body.set_gravity(start.gravity);
    body.set_damping({0.0, damping});
    TreeState state = body.state();
    const Vector3 center = body.momentum().center;
    const Eigen::Quaterniond turn(Eigen::AngleAxisd(start.tilt, Vector3::UnitY()));
    state.root.rotation = turn * state.root.rotation;
    state.root.position = Vector3(0.0, 0.0, start.height) + turn * (state.root.position - center);
    body.set_state(state);
    body.set_velocity(Vector3::Zero(), start.spin);
    world_.add_obstacle({.name = "ground", .shape = HalfSpace{}, .material = {.friction = friction}});
    world_.set_contact(world_.add(std::move(body)), {.friction = friction});
  }
  void step(double h) override { require(world_.step(h).ok(), "limber: a step of {} s failed", h); }
  [[nodiscard]] int contacts() const override { return world_.contact_report().active; }
  [[nodiscard]] Matrix3X vertices() const override {
    Eigen::Matrix3Xf x(3, world_.body(0).surface().mesh().vertex_count());
    world_.body(0).positions(x);
    return x.cast<double>();
  }
  [[nodiscard]] Vector3 angular_momentum() const override { return world_.body(0).momentum().angular; }

 private:
  World world_;
};

btVector3 to_bullet(const Vector3& x) {
  return {static_cast<btScalar>(x.x()), static_cast<btScalar>(x.y()), static_cast<btScalar>(x.z())};
}

Vector3 from_bullet(const btVector3& x) {
  return {static_cast<double>(x.x()), static_cast<double>(x.y()), static_cast<double>(x.z())};
}

/// Set up as in Bullet's own examples of such bodies. Modes, eigenvalues and lumped masses are limber's,
/// written into its arrays, which its examples read from files.
class Bullet final : public Subject {
 public:
  Bullet(const Block& block, const Start& start) {
    solver_.setDeformableSolver(&deformable_);
    world_ = std::make_unique<btDeformableMultiBodyDynamicsWorld>(&dispatcher_, &broadphase_, &solver_,
                                                                  &configuration_, &deformable_);
    world_->setGravity(to_bullet(start.gravity));
    world_->getWorldInfo().m_gravity = to_bullet(start.gravity);
    btContactSolverInfo& info = world_->getSolverInfo();
    info.m_deformable_erp = btScalar(0.2);
    info.m_deformable_cfm = btScalar(0.2);
    info.m_friction = btScalar(friction);
    info.m_deformable_maxErrorReduction = btScalar(200);
    info.m_leastSquaresResidualThreshold = btScalar(1e-6);
    info.m_splitImpulse = false;
    info.m_numIterations = 200;
    world_->setImplicit(false);
    world_->setLineSearch(false);
    world_->setUseProjection(false);
    ground_.setFriction(btScalar(friction));
    ground_.setWorldTransform(btTransform(btQuaternion::getIdentity(), btVector3(0, 0, -5)));
    world_->addRigidBody(&ground_);
    make_body(block);
    world_->addSoftBody(body_.get());
    btTransform place = body_->getRigidTransform();
    place.setRotation(btQuaternion(btVector3(0, 1, 0), static_cast<btScalar>(start.tilt)));
    place.setOrigin(btVector3(0, 0, static_cast<btScalar>(start.height)));
    body_->transformTo(place);
    body_->setDamping(0, btScalar(damping));
    body_->setRigidAngularVelocity(to_bullet(start.spin));
  }
  ~Bullet() override {
    world_->removeSoftBody(body_.get());
    world_->removeRigidBody(&ground_);
  }
  void step(double h) override { world_->stepSimulation(static_cast<btScalar>(h), 0); }
  [[nodiscard]] int contacts() const override {
    return body_->m_nodeRigidContacts.size() + body_->m_faceRigidContacts.size();
  }
  [[nodiscard]] Matrix3X vertices() const override {
    Matrix3X x(3, body_->m_nodes.size());
    for (int i = 0; i < body_->m_nodes.size(); ++i) x.col(i) = from_bullet(body_->m_nodes[i].m_x);
    return x;
  }
  /// Of its nodes, from their masses, places and velocities.
  [[nodiscard]] Vector3 angular_momentum() const override {
    const Matrix3X x = vertices();
    Vector3 center = Vector3::Zero(), sum = Vector3::Zero();
    double mass = 0.0;
    for (int i = 0; i < x.cols(); ++i) {
      center += static_cast<double>(body_->m_nodalMass[i]) * x.col(i);
      mass += static_cast<double>(body_->m_nodalMass[i]);
    }
    center /= mass;
    for (int i = 0; i < x.cols(); ++i) {
      const Vector3 velocity = from_bullet(body_->computeNodeFullVelocity(body_->getRigidTransform(), i));
      sum += static_cast<double>(body_->m_nodalMass[i]) * (x.col(i) - center).cross(velocity);
    }
    return sum;
  }

 private:
  void make_body(const Block& block) {
    const Index count = block.mesh.vertex_count();
    std::vector<btVector3> places;
    for (Index i = 0; i < count; ++i) places.push_back(to_bullet(block.mesh.vertices.col(i)));
    body_ = std::make_unique<btReducedDeformableBody>(&world_->getWorldInfo(), static_cast<int>(count),
                                                      places.data(), nullptr);
    for (Index e = 0; e < block.mesh.element_count(); ++e) {
      const auto v = block.mesh.elements.col(e);
      body_->appendTetra(v(0), v(1), v(2), v(3));
    }
    btSoftBodyHelpers::generateBoundaryFaces(body_.get());
    body_->initializeDmInverse();
    body_->m_tetraScratches.resize(body_->m_tetras.size());
    body_->m_tetraScratchesTn.resize(body_->m_tetras.size());
    body_->setReducedModes(rank, static_cast<int>(count));
    body_->m_eigenvalues.resize(rank);
    body_->m_Kr.resize(rank);
    body_->m_modes.resize(rank);
    for (int r = 0; r < rank; ++r) {
      body_->m_eigenvalues[r] = body_->m_Kr[r] = static_cast<btScalar>(block.modes.elastic_eigenvalues()(r));
      body_->m_modes[r].resize(static_cast<int>(3 * count));
      for (int i = 0; i < 3 * count; ++i)
        body_->m_modes[r][i] = static_cast<btScalar>(block.modes.elastic_shapes()(i, r));
    }
    btAlignedObjectArray<btScalar> masses;
    for (Index i = 0; i < count; ++i) masses.push_back(static_cast<btScalar>(block.full.vertex_masses()(i)));
    body_->setMassProps(masses);
    body_->setInertiaProps();
    body_->internalInitialization();
    body_->disableReducedModes(false);
    body_->getCollisionShape()->setMargin(btScalar(1e-3));
    body_->m_cfg.kKHR = 1;
    body_->m_cfg.kCHR = 1;
    body_->m_cfg.kDF = btScalar(friction);
    body_->m_cfg.collisions = btSoftBody::fCollision::SDF_RD | btSoftBody::fCollision::SDF_RDN;
    body_->m_sleepingThreshold = 0;
    body_->setActivationState(DISABLE_DEACTIVATION);
  }

  btSoftBodyRigidBodyCollisionConfiguration configuration_;
  btCollisionDispatcher dispatcher_{&configuration_};
  btDbvtBroadphase broadphase_;
  btReducedDeformableBodySolver deformable_;
  btDeformableMultiBodyConstraintSolver solver_;
  btBoxShape box_{btVector3(5, 5, 5)};
  btRigidBody ground_{0, nullptr, &box_};
  std::unique_ptr<btDeformableMultiBodyDynamicsWorld> world_;
  std::unique_ptr<btReducedDeformableBody> body_;
};

std::unique_ptr<Subject> make_subject(bool ours, const Block& block, const Start& start) {
  if (ours) return std::make_unique<Limber>(block, start);
  return std::make_unique<Bullet>(block, start);
}

/// Mean cost of the steps of a kind.
struct Cost {
  double seconds = 0.0;
  int steps = 0, contacts = 0;
  void add(double more, int touching = 0) {
    seconds += more;
    contacts += touching;
    ++steps;
  }
  [[nodiscard]] double mean_contacts() const {
    return steps > 0 ? static_cast<double>(contacts) / steps : 0.0;
  }
  [[nodiscard]] double microseconds() const { return steps > 0 ? 1e6 * seconds / steps : 0.0; }
};

double timed_step(Subject& subject, double h) {
  const double start = cpu_seconds();
  subject.step(h);
  return cpu_seconds() - start;
}

struct Outcome {
  Cost flight, edge, flat;
  double drift = 0.0;            ///< of the angular momentum in a second of flight, as a share of it
  double depth = 0.0;            ///< of the lowest vertex in the drop, m
  double farthest_coarse = 0.0;  ///< of any vertex from the origin in the drop with steps of 1/60 s, m
};

void fly(bool ours, const Block& block, double h, Outcome& outcome) {
  const auto subject = make_subject(ours, block, {.height = 5.0, .spin = Vector3(3.0, 5.0, 2.0)});
  subject->step(h);
  const Vector3 before = subject->angular_momentum();
  require(before.norm() > 0.0, "the block does not turn");
  for (int i = 0; i < static_cast<int>(1.0 / h); ++i) {
    outcome.flight.add(timed_step(*subject, h));
    outcome.drift = std::max(outcome.drift, (subject->angular_momentum() - before).norm() / before.norm());
  }
}

/// From its own height onto an edge of seven vertices, and then flat.
constexpr double tilt = 0.3, fall = 0.2, thickness = 0.2;
Start drop_start() {
  const double reach = 0.3 * std::sin(tilt) + 0.1 * std::cos(tilt);
  return {.height = reach + fall, .tilt = tilt, .gravity = Vector3(0.0, 0.0, -9.81)};
}

void drop(bool ours, const Block& block, double h, double time, Outcome& outcome) {
  const auto subject = make_subject(ours, block, drop_start());
  for (int i = 0; i < static_cast<int>(time / h); ++i) {
    const double seconds = timed_step(*subject, h);
    const int contacts = subject->contacts();
    const Matrix3X x = subject->vertices();
    const double low = x.row(2).minCoeff(), height = x.row(2).maxCoeff() - low;
    if (contacts > 0 && height > 1.2 * thickness) outcome.edge.add(seconds, contacts);
    if (contacts > 0 && height < 1.05 * thickness) outcome.flat.add(seconds, contacts);
    outcome.depth = std::max(outcome.depth, -low);
  }
}

void drop_coarsely(bool ours, const Block& block, Outcome& outcome) {
  const double h = 1.0 / 60.0;
  const auto subject = make_subject(ours, block, drop_start());
  for (int i = 0; i < 120; ++i) {
    subject->step(h);
    const double farthest = subject->vertices().colwise().norm().maxCoeff();
    outcome.farthest_coarse = std::isfinite(farthest) ? std::max(outcome.farthest_coarse, farthest)
                                                      : std::numeric_limits<double>::infinity();
    if (!(outcome.farthest_coarse < 10.0)) break;
  }
}

void print_row(const std::string& what, double ours, double theirs, const char* unit) {
  fmt::print("| {} | {:.3g} {} | {:.3g} {} | {:.0f} |\n", what, ours, unit, theirs, unit, theirs / ours);
}

void compare() {
  const Block block;
  Outcome found[2];
  for (const int which : {0, 1}) {
    fly(which == 0, block, 1e-3, found[which]);
    drop(which == 0, block, 1e-3, 1.0, found[which]);
    drop_coarsely(which == 0, block, found[which]);
  }
  const auto& [ours, theirs] = found;
  fmt::print("{} vertices, {} modes, steps of 1 ms\n\n", block.mesh.vertex_count(), rank);
  std::puts("| | limber | btReducedDeformableBody | ratio |\n| --- | --- | --- | --- |");
  print_row("a step in flight", ours.flight.microseconds(), theirs.flight.microseconds(), "us");
  const auto on = [](const char* what, const Cost& a, const Cost& b) {
    return fmt::format("{}, on {:.0f} and {:.0f} contacts ({} and {} steps)", what, a.mean_contacts(),
                       b.mean_contacts(), a.steps, b.steps);
  };
  print_row(on("on an edge", ours.edge, theirs.edge), ours.edge.microseconds(), theirs.edge.microseconds(),
            "us");
  print_row(on("lying flat", ours.flat, theirs.flat), ours.flat.microseconds(), theirs.flat.microseconds(),
            "us");
  print_row("depth of the lowest vertex", 1e3 * ours.depth, 1e3 * theirs.depth, "mm");
  print_row("largest change of the angular momentum in 1 s of flight", 100.0 * ours.drift,
            100.0 * theirs.drift, "%");
  print_row("farthest vertex in 2 s of steps of 1/60 s", ours.farthest_coarse, theirs.farthest_coarse, "m");
}

}  // namespace
}  // namespace limber::bench

int main() {
  try {
    limber::bench::compare();
  } catch (const std::exception& error) {
    fmt::print(stderr, "bullet: {}\n", error.what());
    return 1;
  }
}
