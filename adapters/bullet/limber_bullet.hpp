#pragma once

// limber's bodies as guests in a world of Bullet: they touch its rigid bodies, with impulses on both sides.
// All of it is in this header, compiled with your Bullet and its precision; link limber::bullet and Bullet.

#include <limber/base/error.hpp>
#include <limber/body/world.hpp>

#include <BulletCollision/CollisionShapes/btShapeHull.h>
#include <LinearMath/btConvexHullComputer.h>
#include <algorithm>
#include <btBulletDynamicsCommon.h>
#include <cmath>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

namespace limber::bullet {

inline Vector3 vector_of(const btVector3& x) {
  return {static_cast<double>(x.x()), static_cast<double>(x.y()), static_cast<double>(x.z())};
}

inline btVector3 to_bullet(const Vector3& x) {
  return {static_cast<btScalar>(x.x()), static_cast<btScalar>(x.y()), static_cast<btScalar>(x.z())};
}

inline Pose pose_of(const btTransform& transform) {
  const btQuaternion turn = transform.getRotation();
  const Eigen::Quaterniond rotation(static_cast<double>(turn.w()), static_cast<double>(turn.x()),
                                    static_cast<double>(turn.y()), static_cast<double>(turn.z()));
  return {vector_of(transform.getOrigin()), rotation.normalized()};
}

inline Matrix3 matrix_of(const btMatrix3x3& matrix) {
  Matrix3 result;
  for (int i = 0; i < 3; ++i) result.row(i) = vector_of(matrix.getRow(i)).transpose();
  return result;
}

/// A shape of Bullet as limber has it.
struct HostShape {
  SolidShape shape;
  Pose place;  ///< of its axes in those of Bullet's shape
};

/// A closed surface, whose triangles are turned outwards here.
inline SolidShape solid_of(SurfaceMesh surface, const char* name) {
  double volume = 0.0;
  for (const auto& t : surface.triangles.colwise())
    volume += surface.vertices.col(t(0)).dot(
        Vector3(surface.vertices.col(t(1))).cross(Vector3(surface.vertices.col(t(2)))));
  if (volume < 0.0) surface.triangles.row(1).swap(surface.triangles.row(2));
  surface.part.assign(static_cast<std::size_t>(surface.triangles.cols()), 0);
  surface.parts = {""};
  return std::make_shared<const MeshShape>(surface, name);
}

/// Of its own points, without the margin that Bullet keeps around them.
inline SolidShape hull_of_points(const btConvexHullShape& shape) {
  std::vector<btVector3> points;
  for (int i = 0; i < shape.getNumPoints(); ++i) points.push_back(shape.getScaledPoint(i));
  require(points.size() > 3, "a hull of Bullet has {} points, expected at least 4", points.size());
  btConvexHullComputer hull;
  hull.compute(&points[0].x(), static_cast<int>(sizeof(btVector3)), static_cast<int>(points.size()),
               btScalar(0), btScalar(0));
  SurfaceMesh surface;
  surface.vertices.resize(3, hull.vertices.size());
  for (int i = 0; i < hull.vertices.size(); ++i) {  // which Bullet has rounded to a ten-thousandth
    const btVector3& x = hull.vertices[i];
    surface.vertices.col(i) = vector_of(*std::min_element(
        points.begin(), points.end(),
        [&](const btVector3& a, const btVector3& b) { return a.distance2(x) < b.distance2(x); }));
  }
  std::vector<Eigen::Vector3i> triangles;
  for (int i = 0; i < hull.faces.size(); ++i) {  // of any number of corners, about the first
    const btConvexHullComputer::Edge* const first = &hull.edges[hull.faces[i]];
    for (const auto* edge = first->getNextEdgeOfFace(); edge->getTargetVertex() != first->getSourceVertex();
         edge = edge->getNextEdgeOfFace())
      triangles.emplace_back(first->getSourceVertex(), edge->getSourceVertex(), edge->getTargetVertex());
  }
  surface.triangles.resize(3, static_cast<Index>(triangles.size()));
  for (std::size_t i = 0; i < triangles.size(); ++i)
    surface.triangles.col(static_cast<Index>(i)) = triangles[i];
  return solid_of(std::move(surface), shape.getName());
}

/// Of other convex shapes, in some dozen directions.
inline SolidShape hull_of(const btConvexShape& shape) {
  btShapeHull hull(&shape);
  require(hull.buildHull(shape.getMargin()),
          "Bullet makes no hull of the shape '{}'; leave it out by 'accepts'", shape.getName());
  SurfaceMesh surface;
  surface.vertices.resize(3, hull.numVertices());
  for (int i = 0; i < hull.numVertices(); ++i)
    surface.vertices.col(i) = vector_of(hull.getVertexPointer()[i]);
  surface.triangles.resize(3, hull.numTriangles());
  for (int i = 0; i < hull.numTriangles(); ++i)
    for (int k = 0; k < 3; ++k) surface.triangles(k, i) = static_cast<int>(hull.getIndexPointer()[3 * i + k]);
  return solid_of(std::move(surface), shape.getName());
}

/// Boxes, spheres, capsules, planes and hulls of points are exact; other convex shapes, cones for example,
/// are taken by a hull of some dozen points. Throws Error for compounds of several shapes, triangle meshes
/// and height fields: make obstacles or several bodies of those.
inline HostShape shape_of(const btCollisionShape& shape) {
  switch (shape.getShapeType()) {
    case BOX_SHAPE_PROXYTYPE:
      return {Box{vector_of(static_cast<const btBoxShape&>(shape).getHalfExtentsWithMargin())}, {}};
    case SPHERE_SHAPE_PROXYTYPE:
      return {Sphere{static_cast<double>(static_cast<const btSphereShape&>(shape).getRadius())}, {}};
    case CAPSULE_SHAPE_PROXYTYPE: {
      const auto& capsule = static_cast<const btCapsuleShape&>(shape);
      const Eigen::Quaterniond along =
          Eigen::Quaterniond::FromTwoVectors(Vector3::UnitZ(), Vector3::Unit(capsule.getUpAxis()));
      return {Capsule{static_cast<double>(capsule.getRadius()), static_cast<double>(capsule.getHalfHeight())},
              {Vector3::Zero(), along}};
    }
    case STATIC_PLANE_PROXYTYPE: {
      const auto& plane = static_cast<const btStaticPlaneShape&>(shape);
      const Vector3 normal = vector_of(plane.getPlaneNormal());
      return {HalfSpace{},
              {static_cast<double>(plane.getPlaneConstant()) * normal,
               Eigen::Quaterniond::FromTwoVectors(Vector3::UnitZ(), normal)}};
    }
    case COMPOUND_SHAPE_PROXYTYPE: {
      const auto& compound = static_cast<const btCompoundShape&>(shape);
      if (compound.getNumChildShapes() != 1) break;
      HostShape child = shape_of(*compound.getChildShape(0));
      child.place = pose_of(compound.getChildTransform(0)) * child.place;
      return child;
    }
    case CONVEX_HULL_SHAPE_PROXYTYPE:
      return {hull_of_points(static_cast<const btConvexHullShape&>(shape)), {}};
    default:
      if (shape.isConvex()) return {hull_of(static_cast<const btConvexShape&>(shape)), {}};
  }
  throw Error(
      "a body of Bullet has the shape '{}', expected a box, sphere, capsule, plane, other convex shape, or a "
      "compound of one of these; leave it out by 'accepts'",
      shape.getName());
}

/// Lets the bodies of a world of limber live in a world of Bullet. Before each of Bullet's steps they are
/// stepped, and what they do to Bullet's bodies is added to the velocities of these; Bullet then goes on as
/// it always does.
///
///   limber::bullet::Guests guests(world, dynamics);
///   guests.attach();
///   dynamics.stepSimulation(1.0 / 60.0, 4, 1.0 / 240.0);   // steps both
///
/// Bullet's bodies are to limber what they are at the start of a step, with the forces on them; what they do
/// to each other in it is taken from the steps before (host_body.hpp). A body that sleeps lies there with its
/// weight, and is woken by what would set it in motion.
///
/// Friction of two is the root of the product of theirs, as everywhere in limber, and restitution the larger
/// one; Bullet multiplies.
class Guests {
 public:
  /// Which bodies of Bullet may be touched.
  using Accepts = std::function<bool(const btRigidBody&)>;

  /// Both worlds must live as long as this. Throws Error for a world that has host bodies.
  Guests(World& world, btDynamicsWorld& dynamics, Accepts accepts = {})
      : world_(&world), dynamics_(&dynamics), accepts_(std::move(accepts)) {
    require(world.host_count() == 0, "the world has {} host bodies already, expected none",
            world.host_count());
  }
  Guests(const Guests&) = delete;
  Guests& operator=(const Guests&) = delete;
  ~Guests() {
    if (attached_) dynamics_->setInternalTickCallback(nullptr, nullptr, true);
    while (world_->host_count() > 0) world_->remove_host(world_->host_count() - 1);
  }

  /// From now on Bullet calls step() by itself, before each of its own: in the one place that it has for a
  /// call there. Whoever has another use for that calls step() in it. An Error of step() leaves
  /// stepSimulation() by way of Bullet, which is in the middle of a step then: one may end there, and not go
  /// on. shape_of() says before whether a shape is known.
  void attach() {
    dynamics_->setInternalTickCallback(
        [](btDynamicsWorld* dynamics, btScalar h) {
          static_cast<Guests*>(dynamics->getWorldUserInfo())->step(static_cast<double>(h));
        },
        this, true);
    attached_ = true;
  }

  /// Throws Error for shapes that limber does not know.
  void step(double h) {
    follow();
    for (std::size_t i = 0; i < hosts_.size(); ++i)
      world_->host(static_cast<Index>(i)).set_state(state_of(hosts_[i]));
    report_ = world_->step(h);
    for (std::size_t i = 0; i < hosts_.size(); ++i)
      push(*hosts_[i].body, world_->host(static_cast<Index>(i)), h);
  }

  [[nodiscard]] const StepReport& report() const { return report_; }  ///< of limber's last step
  /// Which of the world's host bodies it is; -1: none.
  [[nodiscard]] Index host_of(const btRigidBody& body) const {
    for (std::size_t i = 0; i < hosts_.size(); ++i)
      if (hosts_[i].body == &body) return static_cast<Index>(i);
    return -1;
  }

 private:
  struct Host {
    btRigidBody* body = nullptr;
    const btCollisionShape* shape = nullptr;
    Pose place;
    btScalar friction{}, restitution{};  ///< as they were read
    bool seen = false;
  };

  /// Bodies come and go; one that has another shape or surface now is another.
  void follow() {
    for (Host& host : hosts_) host.seen = false;
    std::size_t next = 0;
    const btCollisionObjectArray& objects = dynamics_->getCollisionObjectArray();
    for (int i = 0; i < objects.size(); ++i) {
      btRigidBody* body = btRigidBody::upcast(objects[i]);
      if (body == nullptr || !body->hasContactResponse() || (accepts_ && !accepts_(*body))) continue;
      const std::size_t known = find(*body, next);
      if (known == hosts_.size()) add(*body);
      hosts_[known].seen = true;
      next = known + 1;
    }
    for (std::size_t i = hosts_.size(); i-- > 0;) {
      if (hosts_[i].seen) continue;
      hosts_.erase(hosts_.begin() + static_cast<std::ptrdiff_t>(i));
      world_->remove_host(static_cast<Index>(i));
    }
  }

  /// They mostly come in the order that they have here.
  [[nodiscard]] std::size_t find(const btRigidBody& body, std::size_t guess) const {
    const auto is = [&](const Host& host) {
      return host.body == &body && host.shape == body.getCollisionShape() &&
             host.friction == body.getFriction() && host.restitution == body.getRestitution();
    };
    if (guess < hosts_.size() && is(hosts_[guess])) return guess;
    return static_cast<std::size_t>(std::find_if(hosts_.begin(), hosts_.end(), is) - hosts_.begin());
  }

  void add(btRigidBody& body) {
    HostShape found = shape_of(*body.getCollisionShape());
    world_->add_host({"a body of Bullet",
                      std::move(found.shape),
                      {.friction = std::max(0.0, static_cast<double>(body.getFriction())),
                       .restitution = std::clamp(static_cast<double>(body.getRestitution()), 0.0, 1.0)}});
    hosts_.push_back(
        {&body, body.getCollisionShape(), found.place, body.getFriction(), body.getRestitution()});
  }

  /// What sleeps goes on doing so below these, m/s and rad/s, or below a share of what its weight makes in a
  /// step: contacts that carry it are softer than that.
  static constexpr double still_speed = 1e-3, still_share = 0.1, still_spin = 0.05;

  static HostState state_of(const Host& host) {
    const btRigidBody& body = *host.body;
    const Matrix3 factor = vector_of(body.getAngularFactor()).asDiagonal();
    const bool locked = body.getLinearFactor().isZero();
    HostState state{.pose = pose_of(body.getCenterOfMassTransform()) * host.place,
                    .center = vector_of(body.getCenterOfMassPosition()),
                    .velocity = vector_of(body.getLinearVelocity()),
                    .angular_velocity = vector_of(body.getAngularVelocity()),
                    .inverse_mass = locked ? 0.0 : static_cast<double>(body.getInvMass()),
                    .inverse_inertia = factor * matrix_of(body.getInvInertiaTensorWorld()) * factor};
    if (body.isStaticOrKinematicObject()) {
      state.inverse_mass = 0.0;
      state.inverse_inertia.setZero();
      return state;
    }
    state.asleep = !body.isActive();
    // Forces on what sleeps are not summed up, yet it lies there with its weight.
    const Vector3 force =
        body.isActive()
            ? vector_of(body.getTotalForce())
            : Vector3(vector_of(body.getGravity()) / (state.inverse_mass > 0.0 ? state.inverse_mass : 1.0));
    state.acceleration = state.inverse_mass * force;
    state.angular_acceleration = state.inverse_inertia * vector_of(body.getTotalTorque());
    return state;
  }

  static void push(btRigidBody& body, const HostBody& host, double h) {
    const HostPush& push = host.push();
    if (!host.yields() || (push.impulse.isZero(0.0) && push.angular_impulse.isZero(0.0))) return;
    if (!body.isActive()) {
      const HostState& state = host.state();
      const Vector3 velocity = state.velocity + h * state.acceleration + state.inverse_mass * push.impulse,
                    spin = state.angular_velocity + state.inverse_inertia * push.angular_impulse;
      const double weight = h * static_cast<double>(body.getGravity().length());
      if (velocity.norm() < std::max(still_speed, still_share * weight) && spin.norm() < still_spin) return;
      body.activate();
      // Bullet has summed up the forces of this step without those on it.
      body.setLinearVelocity(body.getLinearVelocity() + static_cast<btScalar>(h) * body.getGravity());
    }
    body.applyCentralImpulse(to_bullet(push.impulse));
    body.applyTorqueImpulse(to_bullet(push.angular_impulse));
  }

  World* world_;
  btDynamicsWorld* dynamics_;
  Accepts accepts_;
  std::vector<Host> hosts_;  ///< number by number those of the world
  StepReport report_;
  bool attached_ = false;
};

}  // namespace limber::bullet
