#pragma once

#include "limber/base/executor.hpp"
#include "limber/base/progress.hpp"
#include "limber/material/material.hpp"
#include "limber/mesh/surface_mesh.hpp"
#include "limber/mesh/up_axis.hpp"
#include "limber/mesh/volume_mesh.hpp"

#include <Eigen/Geometry>

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace limber {

/// Vertices of a part that together carry whatever is attached there.
struct AttachmentSite {
  std::string name;
  std::vector<int> vertices;    ///< of the part's mesh, at least three that are not on one line
  std::vector<double> weights;  ///< one each, positive, any unit: the share of the interface that is theirs
};

/// A piece that may stand in a body many times. Its coordinates are its own.
struct Part {
  std::string name;
  VolumeMesh mesh;
  SurfaceMesh render;               ///< drawn in place of the mesh; without triangles: its boundary
  std::vector<Vector3> colors;      ///< sRGB, one per part of `render`; empty: chosen when drawn
  std::vector<Material> materials;  ///< one per region of the mesh
  std::vector<int>
      fixed;  ///< vertices that its parent holds, or the ground where it is the root; none for a free root
  std::vector<AttachmentSite> sites;
  bool rigid = false;
  int rank = 0;  ///< coordinates; 0: as many as whoever reduces it finds right
};

/// One piece of a body: a part, moved to its place: x -> rotation (scale x) + position.
struct Placement {
  std::string name;  ///< unlike all others
  int part = 0;
  int parent = -1;  ///< placement that it is attached to, one before it; -1: the root, which comes first
  int site = -1;    ///< of the parent's part
  Vector3 position = Vector3::Zero();  ///< at rest, in the world, m
  Eigen::Quaterniond rotation = Eigen::Quaterniond::Identity();
  double scale = 1.0;
  double stiffness = 1.0;  ///< factor of its elastic forces: its frequencies change by the square root

  // Pieces of one mesh: which of its vertices those of the part are, so that copies are known. Empty for
  // pieces that stand for themselves.
  std::vector<int> vertices;          ///< one per vertex of the part's mesh
  std::vector<int> surface_vertices;  ///< one per vertex of the part's surface to draw
};

/// A body as a tree of parts, before it is reduced.
struct PartTree {
  std::string name;
  std::vector<Part> parts;
  std::vector<Placement> placements;  ///< parents before their children; the first is the root
  bool free = false;                  ///< nothing holds the root: the whole body may fly
  UpAxis up = UpAxis::z;              ///< how it stands
};

/// Throws Error, naming the placement or part, unless indices are in range, parents come first, every part
/// but a free root's is held by three vertices that are not on one line, sites likewise, scales and
/// stiffnesses are positive, and meshes and materials are possible.
void check_parts(const PartTree& tree, std::string_view where);

/// The vertices of all elements of the mesh within `radius` of a point, as a site: weights fall off smoothly
/// with the distance. Where there are too few the nearest elements are taken.
AttachmentSite site_near(const VolumeMesh& mesh, const Vector3& point, double radius, std::string name = {});

/// True for names such as "builtin:oak", with parameters or without.
bool is_builtin_tree(std::string_view name);

/// A tree of parts made by code: "builtin:oak", "builtin:station", "builtin:letters" (docs/bodies.md), with
/// "?key=value" parameters as make_builtin() takes. Throws Error for an unknown one. Equal names give equal
/// bits.
PartTree make_builtin_tree(std::string_view name, const Executor& executor = Executor(),
                           const Progress& progress = {});

/// Names without prefix, and a line about each.
std::span<const std::string_view> builtin_tree_names();
std::string_view builtin_tree_description(std::string_view name);

}  // namespace limber
