#include "limber/bodies/plan_mesh.hpp"

#include "limber/base/error.hpp"
#include "limber/bodies/domains.hpp"
#include "limber/mesh/cleanup.hpp"
#include "limber/mesh/tetrahedralize.hpp"
#include "limber/mesh/voxelize.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <utility>

namespace limber {
namespace {

constexpr int render_grading = 4;  ///< the inside of a render mesh is thrown away: as coarse as possible
constexpr double droppable_share = 1e-3;  ///< of the elements: crumbs that nobody sees
constexpr int relax_passes = 2;           ///< enough for even triangles; each costs four samples per vertex

double longest_side(const BoundingBox& box) { return (box.max - box.min).maxCoeff(); }

/// Puts a point onto the surface, along a direction n near its normal: secant steps from the plain step d n.
Vector3 project(const Implicit& body, const Vector3& x, const Vector3& n) {
  double s = 0.0, d = body.distance(x);
  double next = -d;
  for (int step = 0; step < 3; ++step) {
    const double value = body.distance(x + next * n);
    const double slope = (value - d) / (next - s);
    s = std::exchange(next, std::abs(slope) > 0.1 ? next - value / slope : next);
    d = value;
    if (next == s) break;
  }
  return x + next * n;
}

/// Moves every vertex to the middle of its neighbours and back onto the surface: triangles of even size,
/// whose normals shade smoothly.
void relax(SurfaceMesh& surface, const Implicit& body, const Executor& executor) {
  const Index count = surface.vertex_count();
  for (int pass = 0; pass < relax_passes; ++pass) {
    const Matrix3X normals = vertex_normals(surface.vertices, surface.triangles);
    Matrix3X sum = Matrix3X::Zero(3, count);
    Vector neighbours = Vector::Zero(count);
    for (const auto& t : surface.triangles.colwise()) {
      for (int k = 0; k < 3; ++k) {
        sum.col(t(k)) += surface.vertices.col(t((k + 1) % 3)) + surface.vertices.col(t((k + 2) % 3));
        neighbours(t(k)) += 2.0;
      }
    }
    executor.parallel_ranges(count, 256, [&](auto begin, auto end) {
      for (Index v = begin; v < end; ++v) {
        const Vector3 x = surface.vertices.col(v), n = normals.col(v);
        Vector3 shift = 0.7 * (sum.col(v) / neighbours(v) - x);
        shift -= n.dot(shift) * n;
        surface.vertices.col(v) = project(body, x + shift, n);
      }
    });
  }
}

SurfaceMesh make_surface(const Implicit& body, double cell, const PlanMeshOptions& options) {
  TetrahedralizeOptions tet;
  tet.cell = cell;
  tet.grading = render_grading;
  tet.smoothing_passes = 0;  // of elements, which do not matter here
  tet.executor = options.executor;
  SurfaceMesh surface = boundary_surface(tetrahedralize(to_solid(body), tet));
  relax(surface, body, options.executor);
  return surface;
}

/// Adds triangles to a surface as a part of their own.
void append(SurfaceMesh& to, const SurfaceMesh& from, const std::string& name) {
  const Index vertices = to.vertex_count(), triangles = to.triangle_count();
  to.vertices.conservativeResize(3, vertices + from.vertex_count());
  to.vertices.rightCols(from.vertex_count()) = from.vertices;
  to.triangles.conservativeResize(3, triangles + from.triangle_count());
  to.triangles.rightCols(from.triangle_count()) = from.triangles.array() + static_cast<int>(vertices);
  to.part.resize(static_cast<std::size_t>(to.triangle_count()), static_cast<int>(to.parts.size()));
  to.parts.push_back(name);
}

void make_render_mesh(BuiltinBody& body, const BodyPlan& plan, const PlanMeshOptions& options) {
  const double cell = longest_side(plan.solid.bounds) / options.render_cells;
  for (std::size_t i = 0; i < plan.surfaces.size(); ++i) {
    const PlanSurface& part = plan.surfaces[i];
    report(options.progress, "surface to draw",
           static_cast<double>(i) / static_cast<double>(plan.surfaces.size()));
    if (const auto* triangles = std::get_if<SurfaceMesh>(&part.shape)) {
      append(body.render, *triangles, part.name);
    } else {
      append(body.render, make_surface(std::get<Implicit>(part.shape), cell / part.detail, options),
             part.name);
    }
    body.part_colors.push_back(part.color);
  }
  report(options.progress, "surface to draw", 1.0);
}

VolumeMesh make_volume(const BuiltinBody& body, const BodyPlan& plan, const PlanMeshOptions& options) {
  const double cell = longest_side(plan.solid.bounds) / options.cells;
  if (options.kind == ElementKind::brick) {
    const std::array<RegionSurface, 1> surfaces{{{body.render, ""}}};
    return voxelize(surfaces, {.cell = cell, .executor = options.executor, .progress = options.progress});
  }
  TetrahedralizeOptions tet;
  tet.cell = cell;
  tet.grading = options.grading;
  tet.executor = options.executor;
  tet.progress = options.progress;
  return tetrahedralize(to_solid(plan.solid), tet);
}

void assign_regions(BuiltinBody& body, const BodyPlan& plan) {
  VolumeMesh& mesh = body.mesh;
  mesh.regions.clear();
  for (const PlanRegion& region : plan.regions) {
    mesh.regions.push_back({static_cast<int>(mesh.regions.size()) + 1, region.name});
    body.materials.push_back(region.material);
  }
  mesh.region.assign(static_cast<std::size_t>(mesh.element_count()), 0);
  if (plan.regions.size() == 1) return;
  for (Index e = 0; e < mesh.element_count(); ++e) {
    Vector3 center = Vector3::Zero();
    for (const int v : mesh.elements.col(e)) center += mesh.vertices.col(v);
    center /= static_cast<double>(mesh.elements.rows());
    double nearest = std::numeric_limits<double>::infinity();
    for (std::size_t i = 0; i < plan.regions.size(); ++i) {
      const double distance = plan.regions[i].shape.distance(center);
      if (distance >= nearest) continue;
      nearest = distance;
      mesh.region[static_cast<std::size_t>(e)] = static_cast<int>(i);
    }
  }
  if (plan.domains) join_crumbs(mesh);
}

void find_fixed(BuiltinBody& body, const BodyPlan& plan) {
  if (!plan.fixed) return;
  for (int v = 0; v < body.mesh.vertex_count(); ++v) {
    if (plan.fixed(body.mesh.vertices.col(v))) body.fixed.push_back(v);
  }
}

void require_one_part(VolumeMesh& mesh, const BodyPlan& plan, const PlanMeshOptions& options,
                      std::string_view where) {
  const Index elements = mesh.element_count();
  const CleanupReport report = clean_up_parts(mesh);
  const std::vector<int> parts = connected_parts(mesh);
  Index count = 1 + *std::max_element(parts.begin(), parts.end());
  if (static_cast<double>(report.dropped_elements) > droppable_share * static_cast<double>(elements)) {
    count += report.dropped_parts;
  }
  require(count == 1,
          "{}: falls into {} parts with {} cells along its longest side; use more, the default is {}", where,
          count, options.cells, plan.cells);
}

}  // namespace

Material elastic(double young, double poisson, double density) {
  return {Stvk{lame_from_young(young, poisson)}, density};
}

BuiltinBody mesh_plan(const BodyPlan& plan, const PlanMeshOptions& options, std::string_view where) {
  BuiltinBody body;
  make_render_mesh(body, plan, options);
  body.mesh = make_volume(body, plan, options);
  require_one_part(body.mesh, plan, options, where);
  assign_regions(body, plan);
  find_fixed(body, plan);
  return body;
}

}  // namespace limber
