// Turns a spoon into a body that moves in real time, and pulls at it as a program with a haptic device would.

#include <limber/base/timer.hpp>
#include <limber/bodies/builtin.hpp>
#include <limber/io/model_file.hpp>
#include <limber/precompute/reduce.hpp>
#include <limber/reduced/reconstruction.hpp>
#include <limber/reduced/reduced_dynamics.hpp>

#include <cstdio>

int main() {
  using namespace limber;

  // 1. Before the program runs: a mesh, its full model, and from it the reduced one.
  const BuiltinBody spoon = make_builtin("builtin:spoon?cells=60");
  const FullModel full(spoon.mesh, spoon.materials, spoon.fixed);
  ReduceReport report;
  ReduceOptions options;
  options.basis.modes = 10;
  options.basis.rank = 20;
  const ReducedModel model = reduce(full, spoon.render, spoon.part_colors, options, report);
  write_model("spoon.glb", model);  // read_model() in the program that moves it

  // 2. At its start: the equations for the materials as they are, memory for a step, and what is drawn.
  const ReducedEquations equations = make_equations(model);
  ReducedWorkspace work{ReducedSystem(equations, RayleighDamping{0.5, 1e-4})};
  DynamicState state = make_reduced_state(equations.rank);
  const Reconstruction<float> surface(model.surface.basis);
  const Eigen::Matrix3Xf rest = model.surface.mesh.vertices.cast<float>();
  Eigen::Matrix3Xf positions = rest;

  // 3. What a person points at: here from above, at the bowl.
  const auto pick = pick_vertex(model.surface.mesh.vertices, model.surface.mesh.triangles, {0.2, 0.0, 1.0},
                                {0.0, 0.0, -1.0});
  if (!pick) return 1;

  // 4. A second of motion in steps of a millisecond: the vertex is pulled up, then let go. No step allocates memory.
  Vector force(equations.rank);
  const Timer timer;
  float highest = 0.0F;
  for (int i = 0; i < 1000; ++i) {
    force.setZero();
    if (i < 500) surface.add_force(pick->vertex, {0.0, 0.0, 3.0}, force);
    if (!step(work, 1e-3, force, state).ok()) return 1;  // the state is still the last good one
    if (i % 16 == 0) {                                   // 5. A frame: positions for the graphics card.
      surface.positions(rest, state.u.cast<float>(), positions);
      highest = std::max(highest, (positions - rest).row(2).maxCoeff());
    }
  }
  std::printf("rank %d, %d vertices drawn: one second in %.1f ms, the spoon rose by %.3f m\n",
              int(model.rank), int(rest.cols()), 1e3 * timer.seconds(), highest);
}
