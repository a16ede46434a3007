#include "limber/base/error.hpp"
#include "limber/fem/full_model.hpp"
#include "limber/scene/drive.hpp"
#include "limber/scene/scene.hpp"
#include "tests/support/fixtures.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>

namespace limber::quasistatic_scene_test {
namespace {

/// A beam along x, held at its left end.
Scene beam_scene(int steps = 4) {
  Scene scene;
  SceneBody body;
  body.name = "beam";
  body.mesh = make_beam({ElementKind::tetrahedron, Vector3(1.0, 0.2, 0.2), Eigen::Vector3i(6, 2, 2)});
  body.materials = {test::material("neo-hookean", 1e5)};
  body.fixed.where = "x < 0.01";
  scene.bodies = {body};
  scene.solver.type = SimulationType::quasistatic;
  scene.solver.steps = steps;
  scene.solver.timestep = 0.25;
  scene.solver.threads = 1;
  return scene;
}

PoseFunction turning(double rate, const Vector3& axis = Vector3::UnitZ(),
                     const Vector3& velocity = {0, 0, 0}) {
  return [=](double t) {
    return Pose{t * velocity, Eigen::Quaterniond(Eigen::AngleAxisd(rate * t, axis.normalized()))};
  };
}

PoseFunction after(const PoseFunction& outer, const PoseFunction& inner) {
  return [=](double t) { return outer(t) * inner(t); };
}

FullModel model_of(const Scene& scene) {
  const SceneBody& body = scene.bodies[0];
  return {body.mesh, body.materials, held_vertices(body), {body.mass, Executor(1)}};
}

Matrix3X displacement(const Scene& scene, const SceneState& state) {
  return mesh_displacement(scene, state, 0);
}

/// Of the unknowns, m: in the rest pose, from where the maps of the body carry them.
Vector rest_displacement(const Scene& scene, const SceneState& state) {
  const FullModel model = model_of(scene);
  const VertexMaps maps = Drive(scene.bodies[0]).maps(state.time);
  return maps.to_rest(model.dofs(), model.dofs().restrict(displacement(scene, state)));
}

SceneState run(const Scene& scene) {
  SceneState state = make_state(scene);
  for (int i = 0; i < scene.solver.steps; ++i) EXPECT_TRUE(step(scene, state).ok()) << "step " << i;
  return state;
}

Matrix3X rigid_displacement(const Scene& scene, const Pose& pose) {
  Matrix3X field = scene.bodies[0].mesh.vertices;
  for (Index v = 0; v < field.cols(); ++v) field.col(v) = pose.apply(field.col(v)) - field.col(v);
  return field;
}

std::vector<Bone> two_bones(const PoseFunction& left, const PoseFunction& right) {
  return {{"left", {Vector3(0, 0, 0), Vector3(0.4, 0, 0)}, left},
          {"right", {Vector3(0.6, 0, 0), Vector3(1, 0, 0)}, right}};
}

TEST(QuasistaticScene, WithoutMotionIsStaticsAtEachTime) {
  Scene scene = beam_scene();
  scene.gravity = {0, 0, -1};
  const SceneState state = run(scene);
  Scene statics = scene;
  statics.solver.type = SimulationType::statics;
  SceneState once = make_state(statics);
  ASSERT_TRUE(step(statics, once).ok());
  const Vector expected = rest_displacement(statics, once);
  EXPECT_LT((rest_displacement(scene, state) - expected).norm(), 1e-6 * expected.norm());
  EXPECT_EQ(state.time, 1.0);
}

TEST(QuasistaticScene, FollowsLoadsOverTime) {
  Scene scene = beam_scene();
  scene.bodies[0].accelerations = {{Vector3(0, 0, -1), 0.4, 0.9}};
  SceneState state = make_state(scene);
  for (int i = 1; i <= 4; ++i) {
    ASSERT_TRUE(step(scene, state).ok());
    const double drop = displacement(scene, state).row(2).minCoeff();
    if (i == 2 || i == 3) {
      EXPECT_LT(drop, -1e-3) << "at " << state.time << " s";
    } else {
      EXPECT_GT(drop, -1e-6) << "at " << state.time << " s";
    }
  }
}

TEST(QuasistaticScene, MovesTheVerticesOfAConstraintAsItSays) {
  Scene scene = beam_scene();
  BodyConstraint constraint;
  constraint.where.where = "x > 0.99";
  constraint.motion = turning(0.5, Vector3::UnitX(), Vector3(0.1, 0, 0.1));
  scene.bodies[0].constraints = {constraint};
  const SceneState state = run(scene);
  const Matrix3X field = displacement(scene, state);
  const Matrix3X& rest = scene.bodies[0].mesh.vertices;
  const Vector3 low = rest.rowwise().minCoeff(), high = rest.rowwise().maxCoeff();
  const Vector3 center(high.x(), 0.5 * (low.y() + high.y()), 0.5 * (low.z() + high.z()));
  const Pose end = constraint.motion(1.0);
  int moved = 0;
  for (Index v = 0; v < rest.cols(); ++v) {
    const Vector3 x = rest.col(v);
    if (x.x() < 0.01) {
      EXPECT_EQ(field.col(v).norm(), 0.0) << "vertex " << v;
    }
    if (x.x() < 0.99) continue;
    ++moved;
    EXPECT_LT((x + field.col(v) - (center + end.position + end.rotation * (x - center))).norm(), 1e-12);
  }
  EXPECT_EQ(moved, 9);
  // Nothing else acts: the forces on free vertices vanish.
  FullModel model = model_of(scene);
  model.set_supports(field);
  const Vector u = model.dofs().restrict(field);
  EXPECT_LT(model.internal_force(u).norm(), 1e-7 * model.vertex_forces(u).norm());
}

TEST(QuasistaticScene, WithOneBoneMovesRigidlyWithoutForce) {
  Scene scene = beam_scene();
  scene.bodies[0].skin.bones = {
      {"all", {Vector3(0, 0, 0), Vector3(1, 0, 0)}, turning(1.2, {1, 1, 0}, {0, 3, 0})}};
  scene.bodies[0].skin.radius = 0.1;
  const SceneState state = run(scene);
  EXPECT_LT(rest_displacement(scene, state).norm(), 1e-12);
  const Matrix3X rigid = rigid_displacement(scene, scene.bodies[0].skin.bones[0].motion(1.0));
  EXPECT_LT((displacement(scene, state) - rigid).norm(), 1e-12);
}

TEST(QuasistaticScene, WithTwoBonesThatMoveAlikeMovesRigidly) {
  Scene scene = beam_scene();
  const PoseFunction motion = turning(1.2, {1, 1, 0}, {0, 3, 0});
  scene.bodies[0].skin.bones = two_bones(motion, motion);
  scene.bodies[0].skin.radius = 0.05;
  const SceneState state = run(scene);
  EXPECT_LT(rest_displacement(scene, state).norm(), 1e-12);
  EXPECT_LT((displacement(scene, state) - rigid_displacement(scene, motion(1.0))).norm(), 1e-12);
}

TEST(QuasistaticScene, HasDisplacementsThatDoNotFeelARigidMotionOfAllBones) {
  Scene still = beam_scene();
  still.bodies[0].skin.bones = two_bones({}, turning(0.6, Vector3::UnitY()));
  still.bodies[0].skin.radius = 0.05;
  Scene carried = still;
  const PoseFunction whole = turning(1.0, {1, -1, 2}, {0, 3, 0});
  carried.bodies[0].skin.bones = two_bones(whole, after(whole, turning(0.6, Vector3::UnitY())));
  const Vector u = rest_displacement(still, run(still)), v = rest_displacement(carried, run(carried));
  EXPECT_GT(u.norm(), 1e-3) << "the body does not deform: nothing is tested";
  EXPECT_LT((u - v).norm(), 1e-6 * u.norm());
}

TEST(QuasistaticScene, CarriesFixedVerticesBySkin) {
  Scene scene = beam_scene();
  const PoseFunction left = turning(-0.5, Vector3::UnitY());
  scene.bodies[0].skin.bones = two_bones(left, {});
  scene.bodies[0].skin.radius = 0.15;
  const Matrix3X field = displacement(scene, run(scene)), rigid = rigid_displacement(scene, left(1.0));
  for (const int v : test::vertices_below(scene.bodies[0].mesh, 0.01))
    EXPECT_LT((field.col(v) - rigid.col(v)).norm(), 1e-12) << "vertex " << v;
}

TEST(QuasistaticScene, OnASupportThatTurnsIsTheOneUnderATurnedLoad) {
  Scene turned = beam_scene(), still = beam_scene();
  turned.bodies[0].support = turning(1.0, {1, 2, 0}, {0, 5, 0});
  turned.gravity = {0, 0, -1};
  still.gravity = turned.bodies[0].support(1.0).rotation.conjugate() * turned.gravity;
  const Vector u = rest_displacement(turned, run(turned)), v = rest_displacement(still, run(still));
  EXPECT_LT((u - v).norm(), 1e-6 * v.norm());
}

TEST(QuasistaticScene, TakesAWholeStepBackWhereItFails) {
  Scene scene = beam_scene();
  BodyConstraint constraint;
  constraint.where.where = "x > 0.99";
  constraint.motion = [](double t) { return Pose{Vector3(t < 0.4 ? 0.01 : -1.2, 0, 0)}; };
  scene.bodies[0].constraints = {constraint};
  scene.solver.statics.max_iterations = 2;
  SceneState state = make_state(scene);
  ASSERT_TRUE(step(scene, state).ok());
  const Matrix3X before = displacement(scene, state);
  const double ratio = state.body(0).smallest_volume_ratio();
  EXPECT_FALSE(step(scene, state).ok());
  EXPECT_EQ(displacement(scene, state), before);
  EXPECT_EQ(state.body(0).smallest_volume_ratio(), ratio);
  EXPECT_EQ(state.step, 1);
}

TEST(QuasistaticScene, GoesOnFromASavedStateWithTheSameBits) {
  Scene scene = beam_scene();
  scene.gravity = {0, 0, -1};
  scene.bodies[0].skin.bones = two_bones({}, turning(0.6, Vector3::UnitY()));
  scene.bodies[0].skin.radius = 0.05;
  SceneState whole = make_state(scene);
  StateWriter saved;
  for (int i = 0; i < 4; ++i) {
    if (i == 2) save(whole, 0, saved);
    ASSERT_TRUE(step(scene, whole).ok());
  }
  SceneState later = make_state(scene);
  StateReader reader(saved.bytes(), "saved");
  restore(later, 0, reader);
  reader.finish();
  for (int i = 2; i < 4; ++i) ASSERT_TRUE(step(scene, later).ok());
  EXPECT_EQ(later.body(0).q(), whole.body(0).q());
  EXPECT_EQ(displacement(scene, later), displacement(scene, whole));
}

TEST(AccelerationLoads, GiveTheWholeBodyTheirMomentumForTheirTimeOnly) {
  Scene scene = beam_scene(20);
  scene.solver.type = SimulationType::dynamics;
  scene.solver.timestep = 0.01;
  scene.bodies[0].fixed = {};
  scene.bodies[0].accelerations = {{Vector3(0, 2, 0), 0.013, 0.037}, {Vector3(1, 0, 0), 0.1}};
  const SceneState state = run(scene);
  const TreeMomentum momentum = state.body(0).momentum();
  EXPECT_LT((momentum.linear / momentum.mass - Vector3(0.1, 2 * 0.024, 0)).norm(), 1e-8);
}

TEST(AccelerationLoads, ActOnModesAsGravityDoes) {
  for (const Method method : {Method::reduced, Method::warped, Method::linear}) {
    Scene weight = beam_scene(5);
    weight.solver.type = SimulationType::dynamics;
    weight.bodies[0].method = method;
    weight.solver.timestep = 0.01;
    weight.bodies[0].materials = {test::material("stvk", 1e5)};
    weight.bodies[0].reduction.basis.modes = 4;
    weight.bodies[0].reduction.basis.rank = 6;
    Scene load = weight;
    weight.gravity = {0, 0.5, -1};
    load.bodies[0].accelerations = {{weight.gravity}};
    const Matrix3X u = displacement(weight, run(weight)), v = displacement(load, run(load));
    EXPECT_GT(u.norm(), 1e-4);
    EXPECT_LT((u - v).norm(), 1e-10 * u.norm());
  }
}

struct Refusal {
  std::function<void(Scene&)> spoil;
  std::string message;
};

TEST(QuasistaticScene, RefusesWhatItCannotDoInOneLine) {
  BodyConstraint tip;
  tip.where.where = "x > 0.99";
  const Refusal refusals[] = {
      {[](Scene& s) { s.bodies[0].method = Method::reduced; }, "choose 'full' or 'online'"},
      {[](Scene& s) { s.bodies[0].method = Method::warped; }, "choose 'full' or 'online'"},
      {[](Scene& s) {
         s.bodies[0].method = Method::online;
         s.solver.type = SimulationType::statics;
       },
       "the method 'online' learns from steps"},
      {[&](Scene& s) {
         s.solver.type = SimulationType::dynamics;
         s.bodies[0].constraints = {tip};
         s.bodies[0].constraints[0].hold = Hold::both;
       },
       "constraints[0]: it holds orientations"},
      {[](Scene& s) {
         s.bodies[0].wind.velocity = {1, 0, 0};
       },
       "'wind' needs a dynamic solver"},
      {[](Scene& s) {
         s.solver.type = SimulationType::dynamics;
         s.bodies[0].skin.bones = two_bones({}, {});
       },
       "'skin' needs the solver.type 'quasistatic'"},
      {[](Scene& s) {
         s.bodies[0].support = turning(1.0);
         s.bodies[0].skin.bones = two_bones({}, {});
       },
       "'skin' and 'support' exclude each other"},
      {[&](Scene& s) {
         s.bodies[0].constraints = {tip, tip};
       },
       "constraints[1]: vertex"},
      {[&](Scene& s) {
         s.bodies[0].constraints = {tip};
         s.bodies[0].constraints[0].where.where = "x < 0.2";
       },
       "constraints[0]: vertex 0 is fixed"},
      {[&](Scene& s) {
         s.bodies[0].constraints = {tip};
         s.bodies[0].constraints[0].hold = Hold::both;
       },
       "hold 'position'"},
      {[&](Scene& s) {
         s.bodies[0].constraints = {tip};
         s.bodies[0].constraints[0].where = {};
       },
       "constraints[0]: no vertices given"},
      {[](Scene& s) {
         s.bodies[0].skin.bones = two_bones({}, {});
         for (Bone& bone : s.bodies[0].skin.bones) bone.segment = {Vector3(-9, 0, 0), Vector3(-8, 0, 0)};
       },
       "beam: skin: "},
      {[](Scene& s) { s.bodies[0].fixed = {}; }, "nothing holds"}};
  for (const Refusal& refusal : refusals) {
    Scene scene = beam_scene();
    refusal.spoil(scene);
    std::string message = "no error";
    try {
      (void)make_state(scene);
    } catch (const Error& error) {
      message = error.what();
    }
    EXPECT_NE(message.find(refusal.message), std::string::npos)
        << message << "\nexpected: " << refusal.message;
    EXPECT_EQ(message.find('\n'), std::string::npos) << message;
  }
}

}  // namespace
}  // namespace limber::quasistatic_scene_test
