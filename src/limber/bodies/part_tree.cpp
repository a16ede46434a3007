#include "limber/bodies/part_tree.hpp"

#include "limber/base/error.hpp"
#include "limber/mesh/embedding.hpp"

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

namespace limber {
namespace {

/// Sine of the angle under which points count as off a line: coordinates in files still resolve it.
constexpr double line_tolerance = 1e-9;

/// Whether three of the vertices are not on one line.
bool off_a_line(const Matrix3X& x, const std::vector<int>& vertices) {
  if (vertices.size() < 3) return false;
  const Vector3 origin = x.col(vertices[0]);
  Vector3 along = Vector3::Zero();
  for (const int v : vertices) {
    const Vector3 d = x.col(v) - origin;
    if (d.squaredNorm() > along.squaredNorm()) along = d;
  }
  return std::any_of(vertices.begin(), vertices.end(), [&](int v) {
    return (x.col(v) - origin).cross(along).norm() > line_tolerance * along.squaredNorm();
  });
}

/// used: of the mesh. Throws Error for a vertex out of range, one that no element uses, and one that is there
/// twice.
void check_vertices(const std::vector<int>& vertices, const std::vector<char>& used, std::string_view where) {
  std::set<int> seen;
  for (const int v : vertices) {
    require(v >= 0 && v < static_cast<int>(used.size()), "{}: vertex {}, but the mesh has vertices 0 to {}",
            where, v, static_cast<int>(used.size()) - 1);
    require(used[static_cast<std::size_t>(v)] != 0, "{}: vertex {} belongs to no element", where, v);
    require(seen.insert(v).second, "{}: vertex {} is there twice", where, v);
  }
}

void check_site(const AttachmentSite& site, const Part& part, const std::vector<char>& used,
                std::string_view where) {
  check_vertices(site.vertices, used, where);
  require(site.weights.size() == site.vertices.size(), "{}: {} weights for {} vertices, expected one each",
          where, site.weights.size(), site.vertices.size());
  for (const double weight : site.weights)
    require(weight > 0.0 && std::isfinite(weight), "{}: a weight of {}, expected positive ones", where,
            weight);
  require(off_a_line(part.mesh.vertices, site.vertices),
          "{}: its {} vertices lie on one line, expected three that do not", where, site.vertices.size());
}

/// Every connected piece of the mesh is held by vertices of its own.
void check_held(const Part& part, std::string_view where) {
  const std::vector<int> piece = connected_parts(part.mesh);
  std::vector<std::vector<int>> held(
      static_cast<std::size_t>(*std::max_element(piece.begin(), piece.end()) + 1));
  for (const int v : part.fixed)
    held[static_cast<std::size_t>(piece[static_cast<std::size_t>(v)])].push_back(v);
  for (const std::vector<int>& vertices : held) {
    require(off_a_line(part.mesh.vertices, vertices),
            "{}: it is held by {} vertices{}, expected three that are not on one line", where,
            vertices.size(), held.size() == 1 ? "" : " of one of its pieces");
  }
}

void check_part(const Part& part, std::string_view where) {
  check_mesh(part.mesh, where);
  if (part.render.triangle_count() > 0) check_surface(part.render, where);
  const std::size_t colored =
      part.render.triangle_count() > 0 ? part.render.parts.size() : part.mesh.regions.size();
  require(part.colors.empty() || part.colors.size() == colored,
          "{}: {} colours for a surface of {} parts, expected one each or none", where, part.colors.size(),
          colored);
  require(part.materials.size() == part.mesh.regions.size(),
          "{}: {} materials for {} regions, expected one each", where, part.materials.size(),
          part.mesh.regions.size());
  for (const Material& material : part.materials) {
    try {
      check_material(material);
    } catch (const Error& error) {
      throw Error("{}: {}", where, error.what());
    }
  }
  require(part.rank >= 0, "{}: its rank is {}, expected 0 (chosen) or more", where, part.rank);
  const std::vector<char> used = used_vertices(part.mesh);
  check_vertices(part.fixed, used, fmt::format("{}, fixed", where));
  for (std::size_t i = 0; i < part.sites.size(); ++i)
    check_site(part.sites[i], part, used, fmt::format("{}, site {} '{}'", where, i, part.sites[i].name));
}

Index surface_vertex_count(const Part& part) {
  return part.render.triangle_count() > 0 ? part.render.vertex_count()
                                          : boundary_surface(part.mesh).vertex_count();
}

void check_numbers(const std::vector<int>& numbers, Index count, std::string_view what,
                   std::string_view where) {
  require(static_cast<Index>(numbers.size()) == count, "{}: {} numbers of {} vertices, expected {}", where,
          numbers.size(), what, count);
  require(std::all_of(numbers.begin(), numbers.end(), [](int v) { return v >= 0; }),
          "{}: a number of a {} vertex is negative", where, what);
}

Vector3 place(const Placement& placement, const Vector3& x) {
  return placement.rotation * (placement.scale * x) + placement.position;
}

/// A piece that stands farther from its site than the parent is large was put there by mistake.
void check_near(const PartTree& tree, const Placement& placement, std::string_view where) {
  const Part& part = tree.parts[static_cast<std::size_t>(placement.part)];
  const Placement& parent = tree.placements[static_cast<std::size_t>(placement.parent)];
  const Part& carrier = tree.parts[static_cast<std::size_t>(parent.part)];
  const AttachmentSite& site = carrier.sites[static_cast<std::size_t>(placement.site)];
  const Vector3 center = place(parent, carrier.mesh.vertices(Eigen::all, site.vertices).rowwise().mean());
  const BoundingBox box = bounding_box(carrier.mesh), own = bounding_box(part.mesh);
  const double size =
      parent.scale * (box.max - box.min).norm() + placement.scale * (own.max - own.min).norm();
  const Vector3 held = part.fixed.empty()
                           ? Vector3(0.5 * (own.min + own.max))
                           : Vector3(part.mesh.vertices(Eigen::all, part.fixed).rowwise().mean());
  const double distance = (place(placement, held) - center).stableNorm();  // a number, however far
  require(distance <= size,
          "{}: it stands {:.3g} m from the site '{}' of '{}', farther than both are large ({:.3g} m); check "
          "its position",
          where, distance, site.name, parent.name, size);
}

void check_placement(const PartTree& tree, std::size_t i, std::string_view where) {
  const Placement& placement = tree.placements[i];
  require(placement.part >= 0 && placement.part < static_cast<int>(tree.parts.size()),
          "{}: part {}, but there are parts 0 to {}", where, placement.part,
          static_cast<int>(tree.parts.size()) - 1);
  if (i == 0) {
    require(placement.parent == -1, "{}: it comes first and is the root, but names a parent", where);
  } else {
    require(placement.parent >= 0 && placement.parent < static_cast<int>(i),
            "{}: its parent is {}, expected a placement before it (0 to {})", where, placement.parent, i - 1);
    const Placement& parent = tree.placements[static_cast<std::size_t>(placement.parent)];
    const Part& carrier = tree.parts[static_cast<std::size_t>(parent.part)];
    require(placement.site >= 0 && placement.site < static_cast<int>(carrier.sites.size()),
            "{}: attached to site {} of '{}', which has {}", where, placement.site, parent.name,
            carrier.sites.size());
  }
  require(placement.position.allFinite(), "{}: its position is not finite", where);
  require(std::abs(placement.rotation.norm() - 1.0) < 1e-6, "{}: its rotation is no unit quaternion", where);
  require(placement.scale > 0.0 && std::isfinite(placement.scale),
          "{}: its scale is {}, expected a positive number", where, placement.scale);
  require(placement.stiffness > 0.0 && std::isfinite(placement.stiffness),
          "{}: its stiffness is {}, expected a positive factor", where, placement.stiffness);
  const Part& part = tree.parts[static_cast<std::size_t>(placement.part)];
  if (i > 0) check_near(tree, placement, where);
  if (!placement.vertices.empty()) check_numbers(placement.vertices, part.mesh.vertex_count(), "mesh", where);
  if (!placement.surface_vertices.empty())
    check_numbers(placement.surface_vertices, surface_vertex_count(part), "surface", where);
}

}  // namespace

void check_parts(const PartTree& tree, std::string_view where) {
  require(!tree.placements.empty(), "{}: nothing is placed, expected at least a root", where);
  const auto part_name = [&](std::size_t p) {
    return fmt::format("{}, part '{}'", where, tree.parts[p].name);
  };
  for (std::size_t p = 0; p < tree.parts.size(); ++p) check_part(tree.parts[p], part_name(p));
  std::set<std::string_view> names;
  std::vector<char> attached(tree.parts.size(), 0);  // to a parent or the ground
  for (std::size_t i = 0; i < tree.placements.size(); ++i) {
    const Placement& placement = tree.placements[i];
    const std::string text = fmt::format("{}, '{}'", where, placement.name);
    require(names.insert(placement.name).second, "{}: two pieces have that name; expected one each", text);
    check_placement(tree, i, text);
    if (i > 0 || !tree.free) attached[static_cast<std::size_t>(placement.part)] = 1;
  }
  for (std::size_t p = 0; p < tree.parts.size(); ++p) {
    if (attached[p] && !tree.parts[p].rigid) check_held(tree.parts[p], part_name(p));
  }
  const auto root = static_cast<std::size_t>(tree.placements[0].part);
  require(!tree.free || tree.parts[root].fixed.empty(), "{}: the body is free, but {} vertices are fixed",
          part_name(root), tree.parts[root].fixed.size());
}

AttachmentSite site_near(const VolumeMesh& mesh, const Vector3& point, double radius, std::string name) {
  require(point.allFinite() && radius >= 0.0 && std::isfinite(radius),
          "a site of radius {} at ({}, {}, {}), expected finite numbers", radius, point.x(), point.y(),
          point.z());
  const int nearest = embed_points(mesh, point).element[0];
  // The share of each vertex in the volume of the elements taken, by which the mesh's fineness does not
  // matter.
  Vector share = Vector::Zero(mesh.vertex_count());
  for (Index e = 0; e < mesh.element_count(); ++e) {
    const auto corners = mesh.elements.col(e);
    const bool within = std::any_of(corners.begin(), corners.end(),
                                    [&](int v) { return (mesh.vertices.col(v) - point).norm() <= radius; });
    if (!within && e != nearest) continue;
    for (const int v : corners) share(v) += element_volume(mesh, e);
  }
  AttachmentSite site;
  site.name = std::move(name);
  double farthest = radius;
  for (int v = 0; v < mesh.vertex_count(); ++v) {
    if (share(v) == 0.0) continue;
    site.vertices.push_back(v);
    farthest = std::max(farthest, (mesh.vertices.col(v) - point).norm());
  }
  for (const int v : site.vertices) {
    const double distance = (mesh.vertices.col(v) - point).norm() / farthest;
    site.weights.push_back(share(v) * std::exp(-2.0 * distance * distance));
  }
  return site;
}

}  // namespace limber
