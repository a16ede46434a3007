// Bodies of limber in a world of Bullet.

#include "limber/basis/linear_modes.hpp"
#include "limber/precompute/build_model.hpp"
#include "limber_bullet.hpp"
#include "tests/body/bar.hpp"

#include <gtest/gtest.h>

#include <gmock/gmock.h>

namespace limber::bullet_test {
namespace {

using bullet::Guests;
using bullet::shape_of;
using test::error_text;
using testing::HasSubstr;

const Vector3 gravity(0.0, 0.0, -9.81);

/// A free cube of 0.2 m, 8 kg, with its centre there.
Body soft_cube(const Vector3& center, const Vector3& weight = gravity) {
  static const std::shared_ptr<const Model> model = [] {
    VolumeMesh mesh = make_beam({ElementKind::tetrahedron, Vector3::Constant(0.2), {4, 4, 4}});
    const FullModel full(mesh, {test::material("stvk", 1e6, 0.3, 1000.0)}, {});
    ReducedModel reduced = build_reduced_model(full, compute_linear_modes(full, 18).elastic_shapes());
    reduced.name = "cube";
    return std::make_shared<const Model>(make_model(std::move(reduced), true));
  }();
  Body body(model);
  body.set_gravity(weight);
  body.set_damping({0.0, 1e-3});
  TreeState state = body.state();
  state.root.position += center - Vector3(0.1, 0.0, 0.0);
  body.set_state(state);
  return body;
}

/// A world of Bullet that owns what is in it.
struct Engine {
  explicit Engine(const Vector3& weight = gravity) { dynamics.setGravity(bullet::to_bullet(weight)); }
  ~Engine() {
    for (auto& body : bodies) dynamics.removeRigidBody(body.get());
  }
  btRigidBody& add(std::unique_ptr<btCollisionShape> shape, double mass, const Vector3& place) {
    btVector3 inertia(0, 0, 0);
    const auto kilograms = static_cast<btScalar>(mass);
    if (mass > 0.0) shape->calculateLocalInertia(kilograms, inertia);
    bodies.push_back(std::make_unique<btRigidBody>(kilograms, nullptr, shape.get(), inertia));
    bodies.back()->setWorldTransform(btTransform(btQuaternion::getIdentity(), bullet::to_bullet(place)));
    bodies.back()->setFriction(btScalar(0.7));
    shapes.push_back(std::move(shape));
    dynamics.addRigidBody(bodies.back().get());
    return *bodies.back();
  }
  btRigidBody& add_box(double half, double mass, const Vector3& place) {
    const auto h = static_cast<btScalar>(half);
    return add(std::make_unique<btBoxShape>(btVector3(h, h, h)), mass, place);
  }

  btDefaultCollisionConfiguration configuration;
  btCollisionDispatcher dispatcher{&configuration};
  btDbvtBroadphase broadphase;
  btSequentialImpulseConstraintSolver solver;
  btDiscreteDynamicsWorld dynamics{&dispatcher, &broadphase, &solver, &configuration};
  std::vector<std::unique_ptr<btCollisionShape>> shapes;
  std::vector<std::unique_ptr<btRigidBody>> bodies;
};

TEST(Bullet, ABoxRestsOnASoftBlockOnAPlane) {
  for (const double h : {1.0 / 240.0, 1.0 / 60.0}) {
    Engine engine;
    engine.add(std::make_unique<btStaticPlaneShape>(btVector3(0, 0, 1), btScalar(0)), 0.0, Vector3::Zero());
    btRigidBody& box = engine.add_box(0.05, 2.0, Vector3(0.01, 0.02, 0.28));
    World world;
    world.set_contact(world.add(soft_cube(Vector3(0.0, 0.0, 0.11))), {.friction = 0.7});
    Guests guests(world, engine.dynamics);
    guests.attach();
    double support = 0.0;
    int awake = 0;
    for (int i = 0; i < static_cast<int>(3.0 / h); ++i) {
      engine.dynamics.stepSimulation(static_cast<btScalar>(h), 1, static_cast<btScalar>(h));
      ASSERT_TRUE(guests.report().ok());
      awake += box.isActive() ? 1 : 0;
    }
    support = world.host(guests.host_of(box)).push().impulse.z() / h;
    EXPECT_NEAR(support, 2.0 * 9.81, 0.02 * 2.0 * 9.81) << "asleep or not, it lies there with its weight";
    EXPECT_NEAR(static_cast<double>(box.getCenterOfMassPosition().z()), 0.25, 3e-3) << h;
    EXPECT_LE(static_cast<double>(box.getLinearVelocity().length()), 2e-3) << h;
    EXPECT_LE(world.body(0).momentum().linear.norm(), 8.0 * 2e-3) << h;
    const double whole = -world.host(0).push().impulse.z() / h;
    EXPECT_NEAR(whole, 10.0 * 9.81, 0.02 * 10.0 * 9.81) << "the plane carries both";
    EXPECT_GT(awake, 0);
  }
}

TEST(Bullet, MomentumGoesFromOneToTheOther) {
  const double h = 1e-3;
  Engine engine(Vector3::Zero());
  btRigidBody& box = engine.add_box(0.1, 3.0, Vector3(0.05, 0.02, 0.3));
  box.setLinearVelocity(btVector3(0, 0, -2));
  box.setAngularVelocity(btVector3(1, 2, 0));
  World world;
  world.set_contact(world.add(soft_cube(Vector3::Zero(), Vector3::Zero())), {});
  Guests guests(world, engine.dynamics);
  guests.attach();
  for (int i = 0; i < 300; ++i) {
    engine.dynamics.stepSimulation(static_cast<btScalar>(h), 1, static_cast<btScalar>(h));
    ASSERT_TRUE(guests.report().ok());
  }
  const Vector3 momentum = world.body(0).momentum().linear + 3.0 * bullet::vector_of(box.getLinearVelocity());
  EXPECT_GT(-world.body(0).momentum().linear.z(), 1.0) << "never met";
  EXPECT_LE((momentum - Vector3(0.0, 0.0, -6.0)).norm(), 6.0 * 1e-5) << "to single precision";
}

TEST(Bullet, BodiesComeAndGoAndKinematicOnesCarry) {
  Engine engine;
  btRigidBody& lift = engine.add_box(0.2, 0.0, Vector3(0.0, 0.0, -0.2));
  lift.setCollisionFlags(lift.getCollisionFlags() | btCollisionObject::CF_KINEMATIC_OBJECT);
  lift.setActivationState(DISABLE_DEACTIVATION);
  World world;
  world.set_contact(world.add(soft_cube(Vector3(0.0, 0.0, 0.1))), {});
  Guests guests(world, engine.dynamics);
  guests.attach();
  const double h = 1.0 / 240.0;
  const auto step = [&](int count, double speed) {
    for (int i = 0; i < count; ++i) {
      btTransform place = lift.getWorldTransform();
      place.getOrigin().setZ(place.getOrigin().z() + static_cast<btScalar>(speed * h));
      lift.setWorldTransform(place);
      engine.dynamics.stepSimulation(static_cast<btScalar>(h), 1, static_cast<btScalar>(h));
      ASSERT_TRUE(guests.report().ok());
    }
  };
  step(240, 0.2);
  EXPECT_NEAR(world.body(0).momentum().center.z(), 0.3, 5e-3) << "it was lifted";
  btRigidBody& ball =
      engine.add(std::make_unique<btSphereShape>(btScalar(0.05)), 0.5, Vector3(5.0, 0.0, 1.0));
  step(1, 0.0);
  EXPECT_EQ(world.host_count(), 2);
  EXPECT_EQ(guests.host_of(ball), 1);
  engine.dynamics.removeRigidBody(&lift);
  step(1, 0.0);
  EXPECT_EQ(world.host_count(), 1);
  EXPECT_EQ(guests.host_of(ball), 0);
  engine.dynamics.addRigidBody(&lift);
}

TEST(Bullet, BodiesThatHaveAnotherSurfaceAreTakenAnew) {
  World world;
  Engine engine;
  btRigidBody& box = engine.add_box(0.1, 1.0, Vector3(0.0, 0.0, 5.0));
  Guests guests(world, engine.dynamics);
  guests.step(1e-3);
  EXPECT_NEAR(world.host(0).material().friction, 0.7, 1e-6);
  box.setFriction(btScalar(0.2));
  box.setRestitution(btScalar(0.5));
  guests.step(1e-3);
  ASSERT_EQ(world.host_count(), 1);
  EXPECT_NEAR(world.host(0).material().friction, 0.2, 1e-6);
  EXPECT_NEAR(world.host(0).material().restitution, 0.5, 1e-6);
}

TEST(Bullet, ShapesAreTheSameSolids) {
  const auto expect_same = [](const btConvexShape& shape, double tolerance) {
    const bullet::HostShape found = shape_of(shape);
    // Points on the surface, by where the shape ends along a direction.
    for (const Vector3& direction :
         {Vector3(1.0, 0.2, 0.1), Vector3(-0.3, 1.0, 0.4), Vector3(0.1, -0.5, -1.0)}) {
      const Vector3 x = bullet::vector_of(shape.localGetSupportingVertex(bullet::to_bullet(direction)));
      EXPECT_LE(std::abs(distance_to(found.shape, found.place.inverse().apply(x)).distance), tolerance)
          << shape.getName();
    }
  };
  expect_same(btBoxShape(btVector3(1, 2, 3)), 1e-6);
  expect_same(btSphereShape(btScalar(0.7)), 1e-6);
  expect_same(btCapsuleShape(btScalar(0.5), btScalar(2)), 1e-6);
  expect_same(btCapsuleShapeX(btScalar(0.5), btScalar(2)), 1e-6);
  expect_same(btCylinderShape(btVector3(1, 2, 1)), 0.1);
  // Of its own points: what ends along a direction is one of them, not one of some that were tried.
  btConvexHullShape hull;
  for (int i = 0; i < 200; ++i) {
    const double z = 1.0 - (i + 0.5) / 100.0, turn = 2.4 * i, r = std::sqrt(1.0 - z * z);
    hull.addPoint(bullet::to_bullet(Vector3(r * std::cos(turn), r * std::sin(turn), z)), i == 199);
  }
  hull.setMargin(0);
  expect_same(hull, 1e-6);
  btConvexHullShape flat;
  for (const double x : {0.0, 1.0, 2.0}) flat.addPoint(btVector3(static_cast<btScalar>(x), 0, 0));
  EXPECT_THAT(error_text([&] { (void)shape_of(flat); }), HasSubstr("has 3 points"));
  const btStaticPlaneShape plane(btVector3(0, 1, 0), btScalar(0.5));
  const bullet::HostShape ground = shape_of(plane);
  EXPECT_NEAR(distance_to(ground.shape, ground.place.inverse().apply({3.0, 2.5, 1.0})).distance, 2.0, 1e-6);
  btTriangleMesh triangles;
  triangles.addTriangle(btVector3(0, 0, 0), btVector3(1, 0, 0), btVector3(0, 1, 0));
  const btBvhTriangleMeshShape mesh(&triangles, true);
  EXPECT_THAT(error_text([&] { (void)shape_of(mesh); }), HasSubstr("the shape 'BVHTRIANGLEMESH'"));
}

}  // namespace
}  // namespace limber::bullet_test
