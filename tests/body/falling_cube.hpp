#pragma once

#include "limber/basis/linear_modes.hpp"
#include "limber/body/world.hpp"
#include "limber/precompute/build_model.hpp"
#include "tests/body/bar.hpp"

#include <map>

namespace limber::test::contact {

inline const Vector3 gravity(0.0, 0.0, -9.81);

/// A free cube of 0.2 m, of so many modes, the rigid ones among them.
inline std::shared_ptr<const Model> cube(int modes = 18) {
  static std::map<int, std::shared_ptr<const Model>> models;
  std::shared_ptr<const Model>& model = models[modes];
  if (!model) {
    VolumeMesh mesh = make_beam({ElementKind::tetrahedron, Vector3::Constant(0.2), {4, 4, 4}});
    const FullModel full(mesh, {test::material("stvk", 1e6, 0.3, 1000.0)}, {});
    ReducedModel reduced = build_reduced_model(full, compute_linear_modes(full, modes).elastic_shapes());
    reduced.name = "cube";
    model = std::make_shared<const Model>(make_model(std::move(reduced), true));
  }
  return model;
}

/// With its lower face at that height.
inline Body falling(double height, double young = 1e6, const Vector3& weight = gravity, int modes = 18) {
  Body body(cube(modes));
  body.set_material(0, test::material("stvk", young, 0.3, 1000.0));
  body.set_gravity(weight);
  TreeState state = body.state();
  state.root.position.z() += height + 0.1;
  body.set_state(state);
  return body;
}

inline Obstacle ground(const ContactMaterial& material = {}) {
  return {.name = "ground", .shape = HalfSpace{}, .material = material};
}

inline Index add(World& world, Body body, const ContactMaterial& material = {}) {
  const Index number = world.add(std::move(body));
  world.set_contact(number, material);
  return number;
}

inline RigidBody box(const Vector3& center, double half = 0.1, double density = 1000.0) {
  return RigidBody({.name = "box",
                    .shape = Box{Vector3::Constant(half)},
                    .density = density,
                    .pose = {center, Eigen::Quaterniond::Identity()},
                    .gravity = gravity});
}

inline double lowest(const Body& body) {
  Eigen::Matrix3Xf x(3, body.surface().mesh().vertex_count());
  body.positions(x);
  return x.row(2).minCoeff();
}

inline Vector3 speed(const Body& body) { return body.momentum().linear / body.momentum().mass; }

/// Linear, and angular about the origin, of the deformable bodies.
inline Eigen::Matrix<double, 6, 1> momentum_of_all(const World& world) {
  Eigen::Matrix<double, 6, 1> sum = Eigen::Matrix<double, 6, 1>::Zero();
  for (Index i = 0; i < world.body_count(); ++i) {
    const TreeMomentum part = world.body(i).momentum();
    sum.head<3>() += part.linear;
    sum.tail<3>() += part.angular + part.center.cross(part.linear);
  }
  return sum;
}

inline double energy(const World& world) {
  double sum = world.energy();
  for (Index i = 0; i < world.body_count(); ++i) sum += world.body(i).load_energy();
  return sum;
}

}  // namespace limber::test::contact
