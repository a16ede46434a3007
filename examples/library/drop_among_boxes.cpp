// A soft body falls among boxes of Bullet, and some of these come to rest on it.

#include <limber/limber.hpp>

#include <cstdio>
#include <limber_bullet.hpp>
#include <memory>
#include <vector>

using namespace limber;

/// A box of Bullet with what it needs.
struct Crate {
  Crate(btDynamicsWorld& dynamics, double half, double mass, const Vector3& place)
      : shape(btVector3(btScalar(half), btScalar(half), btScalar(half))) {
    btVector3 inertia;
    shape.calculateLocalInertia(btScalar(mass), inertia);
    body = std::make_unique<btRigidBody>(btScalar(mass), nullptr, &shape, inertia);
    body->setWorldTransform(btTransform(btQuaternion::getIdentity(), bullet::to_bullet(place)));
    dynamics.addRigidBody(body.get());
  }

  btBoxShape shape;
  std::unique_ptr<btRigidBody> body;
};

int main(int argc, char** argv) {
  if (argc != 2) {
    std::printf("usage: drop_among_boxes FREE.glb    (limber reduce builtin:beam -o FREE.glb --free)\n");
    return 2;
  }

  // 1. A world of Bullet, with ground and boxes: as you have it.
  btDefaultCollisionConfiguration configuration;
  btCollisionDispatcher dispatcher(&configuration);
  btDbvtBroadphase broadphase;
  btSequentialImpulseConstraintSolver solver;
  btDiscreteDynamicsWorld dynamics(&dispatcher, &broadphase, &solver, &configuration);
  dynamics.setGravity(btVector3(0, 0, btScalar(-9.81)));
  btStaticPlaneShape plane(btVector3(0, 0, 1), 0);
  btRigidBody ground(0, nullptr, &plane);
  dynamics.addRigidBody(&ground);

  // 2. A world of limber, with a body that lies on the ground in a moment.
  World world;
  Body body(read_model(argv[1]));
  body.set_gravity({0.0, 0.0, -9.81});
  body.set_damping({.mass = 0.1, .stiffness = 1e-3});
  Eigen::Matrix3Xf x(3, body.surface().mesh().vertex_count());
  body.positions(x);
  const Vector3 low = x.rowwise().minCoeff().cast<double>(), high = x.rowwise().maxCoeff().cast<double>();
  TreeState state = body.state();
  const double gap = 0.05;
  state.root.position.z() += gap - low.z();
  body.set_state(state);
  const double mass = body.momentum().mass;
  const Index soft = world.add(std::move(body));
  world.set_contact(soft, {.friction = 0.7});

  // 3. The one is a guest in the other.
  bullet::Guests guests(world, dynamics);
  guests.attach();

  // 4. Three boxes fall onto it, and Bullet steps both.
  const double half = 0.2 * (high.y() - low.y());
  const Vector3 middle = 0.5 * (low + high), along(0.25 * (high.x() - low.x()), 0.0, 0.0);
  const double top = high.z() - low.z() + gap;
  std::vector<std::unique_ptr<Crate>> crates;
  for (int i = -1; i <= 1; ++i) {
    const Vector3 place(middle.x() + i * along.x(), middle.y(), top + 2.0 * half);
    crates.push_back(std::make_unique<Crate>(dynamics, half, 0.02 * mass, place));
  }
  const btScalar h = btScalar(1.0 / 240.0);
  for (int i = 0; i < 4 * 240; ++i) {
    dynamics.stepSimulation(h, 1, h);
    if (!guests.report().ok()) return 1;
  }

  // 5. What became of them.
  int resting = 0;
  for (const auto& crate : crates) {
    const HostPush& push = world.host(guests.host_of(*crate->body)).push();
    const double carried = push.impulse.z() / static_cast<double>(h) / (0.02 * mass * 9.81);
    const double height = static_cast<double>(crate->body->getCenterOfMassPosition().z());
    const double speed = static_cast<double>(crate->body->getLinearVelocity().length());
    std::printf("a box at the height %.4f m, %.1e m/s: the body carries %.3f of its weight\n", height, speed,
                carried);
    if (speed < 1e-2 && carried > 0.95 && carried < 1.05) ++resting;
  }
  const double whole = -world.host(guests.host_of(ground)).push().impulse.z() / static_cast<double>(h);
  std::printf("%d of 3 boxes rest on the body; the ground carries %.3f of the weight of all\n", resting,
              whole / (1.06 * mass * 9.81));

  for (const auto& crate : crates) dynamics.removeRigidBody(crate->body.get());
  dynamics.removeRigidBody(&ground);
  return resting > 0 ? 0 : 1;
}
