// Turns a spoon into a body that moves in real time, and pulls at it as a program with a haptic device would.

#include <limber/base/timer.hpp>
#include <limber/bodies/builtin.hpp>
#include <limber/body/body.hpp>
#include <limber/io/model_file.hpp>
#include <limber/precompute/reduce.hpp>

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
  write_model("spoon.glb", make_model(reduce(full, spoon.render, spoon.part_colors, options, report)));

  // 2. At its start: the body, and memory for what is drawn.
  Body body(read_model("spoon.glb"));
  body.set_damping({.mass = 0.5, .stiffness = 1e-4});
  Eigen::Matrix3Xf positions(3, body.surface().mesh().vertex_count());

  // 3. What a person points at: here from above, at the bowl. A spring takes hold of it, as stiff as the body
  //    is there.
  const auto pick = body.pick({0.2, 0.0, 1.0}, {0.0, 0.0, -1.0});
  if (!pick) return 1;
  const Vector3 start = body.position(pick->vertex);
  Spring spring{pick->vertex, start, body.stiffness_at(pick->vertex)};

  // 4. A second of motion in steps of a millisecond: the hand goes up by 4 cm, then lets go.
  const Timer timer;
  double highest = 0.0, strongest = 0.0;
  for (int i = 0; i < 1000; ++i) {
    if (i < 500) {
      spring.target = start + Vector3(0.0, 0.0, 8e-5 * i);
      body.set_springs({&spring, 1});
      strongest = std::max(strongest, body.spring_force(0).norm());  // what the device lets the person feel
    } else if (i == 500) {
      body.set_springs({});
    }
    if (!body.step(1e-3).ok()) return 1;         // the state is still the last good one
    if (i % 16 == 0) body.positions(positions);  // 5. A frame: positions for the graphics card.
    highest = std::max(highest, body.position(pick->vertex).z() - start.z());
  }
  std::printf("rank %d, %d vertices drawn: one second in %.1f ms, the spoon rose by %.3f m at %.1f N\n",
              int(body.rank()), int(positions.cols()), 1e3 * timer.seconds(), highest, strongest);
}
