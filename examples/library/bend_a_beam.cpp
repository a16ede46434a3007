// Bends a rubber beam with the library, in five steps, and writes what ParaView shows.

#include <limber/full/statics.hpp>
#include <limber/io/vtu.hpp>
#include <limber/mesh/beam.hpp>

#include <cstdio>
#include <vector>

int main() {
  using namespace limber;

  // 1. A mesh: a metre of beam, 1,152 tetrahedra.
  const VolumeMesh mesh = make_beam({.size = {1.0, 0.1, 0.1}, .cells = {48, 2, 2}});

  // 2. A material for each of its regions: here one of each.
  const Material rubber{make_law("neo-hookean", lame_from_young(1e6, 0.45)), 1100.0};

  // 3. A model: the beam is held at its left end.
  std::vector<int> held;
  for (int v = 0; v < mesh.vertex_count(); ++v) {
    if (mesh.vertices(0, v) < 1e-6) held.push_back(v);
  }
  const FullModel model(mesh, {rubber}, held);

  // 4. Equilibrium under its own weight.
  Vector u = Vector::Zero(model.dof_count());
  const StaticReport report = solve_static(model, model.gravity_force({0.0, 0.0, -9.81}), u);
  std::printf("%s after %d iterations, the tip hangs %.3f m down\n", name_of(report.status).data(),
              report.iterations, -model.dofs().expand(u).row(2).minCoeff());
  if (!report.ok()) return 1;

  // 5. A file to look at.
  write_vtu("beam.vtu", mesh, {.displacement = model.dofs().expand(u)});
}
