#include "limber/body/handles.hpp"

#include "limber/base/error.hpp"
#include "limber/body/handle_share.hpp"
#include "limber/warp/rotation.hpp"

#include <algorithm>
#include <vector>

namespace limber {
namespace {

void check_grip(const Handle& handle, std::size_t i, Index surface_vertices, Index mesh_vertices) {
  const bool of_mesh = handle.point.of == Point::Of::mesh;
  const int vertex = handle.point.vertex;
  const Index vertices = of_mesh ? mesh_vertices : surface_vertices;
  require(!of_mesh || mesh_vertices > 0,
          "handle {} holds vertex {} of the mesh, but the body was kept without it; hold one of the surface",
          i, vertex);
  require(vertex >= 0 && vertex < vertices, "handle {} holds vertex {} of a {} with vertices 0 to {}", i,
          vertex, of_mesh ? "mesh" : "surface", vertices - 1);
  require(handle.hold_position || handle.hold_orientation,
          "handle {} holds neither the position nor the orientation of vertex {}; leave it out", i, vertex);
}

/// Whether a point would be at two places, or turned in two ways.
bool in_each_others_way(const Handle& a, const Handle& b) {
  return a.point == b.point &&
         ((a.hold_position && b.hold_position) || (a.hold_orientation && b.hold_orientation));
}

/// Whose coordinate that is.
Index domain_of(const TreeDynamics& tree, Index coordinate) {
  Index domain = 0;
  while (coordinate >= tree.first_coordinate(domain) + tree.rank(domain)) ++domain;
  return domain;
}

}  // namespace

void check_targets(std::span<const Handle> handles) {
  for (std::size_t i = 0; i < handles.size(); ++i) {
    const Vector3& position = handles[i].position;
    const Eigen::Quaterniond& rotation = handles[i].rotation;
    require(!handles[i].hold_position || position.allFinite(),
            "handle {} holds its vertex at ({}, {}, {}) m, expected finite numbers", i, position.x(),
            position.y(), position.z());
    require(!handles[i].hold_orientation || is_unit(rotation),
            "the rotation of handle {} is the quaternion ({}, {}, {}, {}), expected one of length 1; divide "
            "it by its length",
            i, rotation.x(), rotation.y(), rotation.z(), rotation.w());
  }
}

void check_handles(std::span<const Handle> handles, Index surface_vertices, Index mesh_vertices) {
  for (std::size_t i = 0; i < handles.size(); ++i) {
    check_grip(handles[i], i, surface_vertices, mesh_vertices);
    for (std::size_t j = 0; j < i; ++j) {
      require(!in_each_others_way(handles[j], handles[i]),
              "handles {} and {} both hold vertex {}; let one of them hold its position and orientation", j,
              i, handles[i].point.vertex);
    }
  }
  check_targets(handles);
}

bool same_grip(std::span<const Handle> one, std::span<const Handle> other) {
  return std::equal(one.begin(), one.end(), other.begin(), other.end(), [](const Handle& a, const Handle& b) {
    return a.point == b.point && a.hold_position == b.hold_position &&
           a.hold_orientation == b.hold_orientation;
  });
}

bool same_grip(std::span<const Spring> one, std::span<const Spring> other) {
  return std::equal(one.begin(), one.end(), other.begin(), other.end(), [](const Spring& a, const Spring& b) {
    return a.point == b.point && a.stiffness == b.stiffness;
  });
}

HandleShare largest_share(const Body& body, std::span<const Handle> handles) {
  if (!body.has_model()) return {};
  const TreeDynamics* const tree = body.tree();
  const bool flies = body.model().free;
  const auto domains = static_cast<std::size_t>(tree != nullptr ? body.model().domain_count() : 1);
  std::vector<HandleShare> shares(domains);
  PointRows rows;
  for (const Handle& handle : handles) {
    body.point_rows(handle.point, rows);
    const Index carried = static_cast<Index>(rows.columns.size()) - (flies ? 6 : 0);
    // Coordinates of its domain are the last ones; those before only carry it.
    const Index domain = tree != nullptr && carried > 0
                             ? domain_of(*tree, rows.columns[static_cast<std::size_t>(carried) - 1])
                             : 0;
    Index own = body.freedoms() - (flies ? 6 : 0);
    if (tree != nullptr) own = carried > 0 ? tree->rank(domain) : 0;
    const Index all = tree != nullptr ? static_cast<Index>(rows.columns.size()) : body.freedoms();
    HandleShare& share = shares[static_cast<std::size_t>(domain)];
    share.domain = domain;
    share.held += 3 * (Index{handle.hold_position} + Index{handle.hold_orientation});
    share.coordinates = own + std::min<Index>(6, all - own);
  }
  return *std::max_element(shares.begin(), shares.end(),
                           [](const HandleShare& a, const HandleShare& b) { return b.more_than(a); });
}

ConstraintReport missed_targets(const Motion& motion, std::span<const Handle> handles, double tolerance) {
  ConstraintReport report;
  for (const Handle& handle : handles)
    report.position_error =
        std::max(report.position_error, (motion.position(handle.point) - handle.position).norm());
  report.met = report.position_error <= tolerance;
  return report;
}

ManipulationSites handle_sites(const SiteFunction& site_at, std::span<const Handle> handles,
                               ConstraintPriority priority, std::span<const Point> exercised) {
  ManipulationSites sites;
  sites.priority = priority;
  if (handles.empty()) return sites;
  for (const Handle& handle : handles) {
    const WarpSite site = site_at(handle.point);
    if (handle.hold_position) sites.positions.push_back(site);
    if (handle.hold_orientation) sites.orientations.push_back(site);
  }
  for (const Point& point : exercised) sites.exercised.push_back(site_at(point));
  return sites;
}

void set_targets(Manipulation& constraints, std::span<const Handle> handles, const Pose& to_frame) {
  Index position = 0, orientation = 0;
  for (const Handle& handle : handles) {
    if (handle.hold_position) constraints.set_position(position++, to_frame.apply(handle.position));
    if (handle.hold_orientation)
      constraints.set_orientation(orientation++, to_frame.rotation * handle.rotation);
  }
}

}  // namespace limber
