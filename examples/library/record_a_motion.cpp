// Moves two bodies by different methods and writes what they did as an animation that any glTF viewer plays.

#include <limber/bodies/builtin.hpp>
#include <limber/body/mesh_body.hpp>
#include <limber/body/world.hpp>
#include <limber/precompute/reduce.hpp>
#include <limber/run/motion_recorder.hpp>

#include <cstdio>

int main() {
  using namespace limber;
  const Vector3 gravity(0.0, 0.0, -9.81);
  World world;

  // 1. A bar of rubber that moves in a subspace. Nothing holds it: it flies, and is thrown here.
  const BuiltinBody bar = make_builtin("builtin:beam?size=0.6,0.1,0.1&cells=12,2,2");
  const std::vector<Material> rubber{{make_law("stvk", lame_from_young(2e5, 0.4)), 1000.0}};
  const FullModel full(bar.mesh, rubber, std::vector<int>{});
  ReduceOptions options;
  options.basis.modes = 6;
  options.basis.rank = 12;
  ReduceReport report;
  Body flyer(make_model(reduce(full, bar.render, bar.part_colors, options, report)));
  flyer.set_gravity(gravity);
  flyer.set_velocity({0.0, 0.0, 4.0}, {0.0, 8.0, 1.0});
  world.add(std::move(flyer));

  // 2. A bar beside it that is computed with every vertex of its mesh: held at one end, pushed at the other.
  MeshBodySetup setup;
  setup.name = "held bar";
  setup.mesh = bar.mesh;
  setup.mesh.vertices.row(1).array() += 0.4;
  setup.materials = rubber;
  std::vector<Point> tip;
  for (int v = 0; v < static_cast<int>(setup.mesh.vertex_count()); ++v) {
    if (setup.mesh.vertices(0, v) < 0.01) setup.fixed.push_back(v);
    if (setup.mesh.vertices(0, v) > 0.59) tip.push_back(mesh_point(v));
  }
  Body held = make_full_body(std::move(setup));
  held.set_gravity(gravity);
  held.set_damping({.mass = 0.5, .stiffness = 1e-3});
  held.set_timed_loads({.forces = {{.points = tip, .force = {0.0, 1.0, 0.0}, .to = 0.2}}});
  world.add(std::move(held));

  // 3. Both are stepped together and recorded.
  const double h = 1.0 / 120.0;
  MotionRecorder recorder(world, {.names = {"thrown", "held"}});
  recorder.add(0.0);
  for (int i = 1; i <= 120; ++i) {
    if (!world.step(h).ok()) return 1;  // all bodies are where they were before
    if (i % 2 == 0) recorder.add(i * h);
  }

  // 4. The subspace gives the shapes of one body; to the other they are fitted.
  for (const AnimationFit& fit : recorder.write("motion.glb"))
    std::printf("%s: %d morph targets, off by at most %.2g m\n", fit.body.c_str(), int(fit.targets),
                fit.largest_error);
  std::printf("wrote motion.glb: the bar flew to z = %.3f m\n", world.body(0).momentum().center.z());
}
