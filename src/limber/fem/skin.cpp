#include "limber/fem/skin.hpp"

#include "limber/base/error.hpp"
#include "limber/fem/elements.hpp"
#include "limber/linalg/sparse_solver.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

namespace limber {
namespace {

double distance(const BoneSegment& bone, const Vector3& x) {
  const Vector3 along = bone.to - bone.from;
  const double length2 = along.squaredNorm();
  const double s = length2 > 0.0 ? std::clamp((x - bone.from).dot(along) / length2, 0.0, 1.0) : 0.0;
  return (bone.from + s * along - x).norm();
}

struct NearestBone {
  int bone = 0;  ///< the first one of several
  double distance = std::numeric_limits<double>::infinity();
};

NearestBone nearest_bone(std::span<const BoneSegment> bones, const Vector3& x) {
  NearestBone best;
  for (std::size_t b = 0; b < bones.size(); ++b) {
    const double d = distance(bones[b], x);
    if (d < best.distance) best = {static_cast<int>(b), d};
  }
  return best;
}

/// What is known of the vertices before the weights between them are.
struct Pins {
  std::vector<NearestBone> nearest;
  std::vector<int> bone;  ///< that moves a vertex alone, -1 where several do
};

/// Vertices within the radius; those without elements, whose weights nothing else gives, as well.
Pins pins_within(const VolumeMesh& mesh, const std::vector<char>& used, std::span<const BoneSegment> bones,
                 double radius) {
  Pins pins{std::vector<NearestBone>(used.size()), std::vector<int>(used.size(), -1)};
  for (std::size_t v = 0; v < used.size(); ++v) {
    pins.nearest[v] = nearest_bone(bones, mesh.vertices.col(static_cast<Index>(v)));
    if (!used[v] || pins.nearest[v].distance <= radius) pins.bone[v] = pins.nearest[v].bone;
  }
  return pins;
}

/// Gives bones without a vertex the one nearest to them.
void pin_lonely_bones(const VolumeMesh& mesh, const std::vector<char>& used,
                      std::span<const BoneSegment> bones, Pins& pins) {
  std::vector<int> vertices(bones.size(), 0);
  for (std::size_t v = 0; v < used.size(); ++v)
    if (used[v] && pins.bone[v] >= 0) ++vertices[static_cast<std::size_t>(pins.bone[v])];
  std::vector<int> given_to(used.size(), -1);
  for (std::size_t b = 0; b < bones.size(); ++b) {
    if (vertices[b] > 0) continue;
    std::size_t closest = 0;
    double least = std::numeric_limits<double>::infinity();
    for (std::size_t v = 0; v < used.size(); ++v) {
      const double d = distance(bones[b], mesh.vertices.col(static_cast<Index>(v)));
      if (!used[v] || d >= least) continue;
      least = d;
      closest = v;
    }
    const int owner = pins.bone[closest];
    const bool its_last = owner >= 0 && vertices[static_cast<std::size_t>(owner)] == 1;
    require(given_to[closest] < 0 && !its_last,
            "bones[{}] and bones[{}] both have vertex {} as the only one near them; move them apart", owner,
            b, closest);
    if (owner >= 0) --vertices[static_cast<std::size_t>(owner)];
    vertices[b] = 1;
    pins.bone[closest] = given_to[closest] = static_cast<int>(b);
  }
}

/// A part without a pin would have no solution: its vertex nearest to a bone is one, and with it the whole
/// part follows.
void pin_lonely_parts(const VolumeMesh& mesh, Pins& pins) {
  const std::vector<int> part = connected_parts(mesh);
  const auto parts = static_cast<std::size_t>(*std::max_element(part.begin(), part.end()) + 1);
  std::vector<char> has_pin(parts, 0);
  std::vector<int> closest(parts, -1);
  for (std::size_t v = 0; v < part.size(); ++v) {
    if (part[v] < 0) continue;
    const auto p = static_cast<std::size_t>(part[v]);
    if (pins.bone[v] >= 0) has_pin[p] = 1;
    if (closest[p] < 0 ||
        pins.nearest[v].distance < pins.nearest[static_cast<std::size_t>(closest[p])].distance)
      closest[p] = static_cast<int>(v);
  }
  for (std::size_t p = 0; p < parts; ++p) {
    const auto v = static_cast<std::size_t>(closest[p]);
    if (!has_pin[p]) pins.bone[v] = pins.nearest[v].bone;
  }
}

/// Adds the entries of Laplace's operator, integral of grad N_a . grad N_b, of all elements.
template <class Element>
void add_laplacian(const VolumeMesh& mesh, std::vector<Eigen::Triplet<double>>& entries) {
  const auto count = static_cast<int>(mesh.element_count());
  for (int first = 0; first < count; first += packet_size) {
    ElementPacket packet{};
    for (int lane = 0; lane < packet_size; ++lane) packet.element[lane] = std::min(first + lane, count - 1);
    const Element element(mesh, packet);
    Packet sum[Element::nodes][Element::nodes] = {};
    for (int q = 0; q < Element::points; ++q) {
      Packet g[Element::nodes][3];
      const Packet weight = element.point(q, g);
      for (int a = 0; a < Element::nodes; ++a)
        for (int b = 0; b < Element::nodes; ++b)
          sum[a][b] += weight * (g[a][0] * g[b][0] + g[a][1] * g[b][1] + g[a][2] * g[b][2]);
    }
    for (int lane = 0; lane < std::min(packet_size, count - first); ++lane)
      for (int a = 0; a < Element::nodes; ++a)
        for (int b = 0; b < Element::nodes; ++b)
          entries.emplace_back(mesh.elements(a, first + lane), mesh.elements(b, first + lane),
                               static_cast<double>(sum[a][b][lane]));
  }
}

/// Fills the columns of W of vertices that are not pinned: the harmonic extension of those that are.
void extend(const VolumeMesh& mesh, const std::vector<int>& pinned, Matrix& W) {
  std::vector<int> number(pinned.size(), -1);  // among the unknowns
  std::vector<int> free;
  for (std::size_t v = 0; v < pinned.size(); ++v) {
    if (pinned[v] >= 0) continue;
    number[v] = static_cast<int>(free.size());
    free.push_back(static_cast<int>(v));
  }
  if (free.empty()) return;
  std::vector<Eigen::Triplet<double>> all, inner;
  if (mesh.kind == ElementKind::tetrahedron) {
    add_laplacian<TetrahedronElement>(mesh, all);
  } else {
    add_laplacian<BrickElement>(mesh, all);
  }
  const auto unknowns = static_cast<Index>(free.size());
  Matrix source = Matrix::Zero(unknowns, W.rows());
  for (const auto& entry : all) {
    const int row = number[static_cast<std::size_t>(entry.row())];
    const int column = number[static_cast<std::size_t>(entry.col())];
    if (row < 0) continue;
    if (column >= 0) {
      inner.emplace_back(row, column, entry.value());
    } else {
      source(row, pinned[static_cast<std::size_t>(entry.col())]) -= entry.value();
    }
  }
  SparseMatrix L(unknowns, unknowns);
  L.setFromTriplets(inner.begin(), inner.end());
  const auto solver = make_sparse_solver({.block_size = 1});
  Matrix solution(unknowns, W.rows());
  require(solver->factor(L).ok() && solver->solve(source, solution).ok(),
          "the weights of the bones cannot be computed: the mesh has elements that are almost flat");
  for (std::size_t i = 0; i < free.size(); ++i)
    W.col(free[i]) = solution.row(static_cast<Index>(i)).transpose();
}

}  // namespace

Matrix harmonic_weights(const VolumeMesh& mesh, std::span<const BoneSegment> bones, double radius) {
  require(!bones.empty(), "a skin needs at least one bone");
  require(std::isfinite(radius) && radius >= 0.0,
          "the radius of bones is {}, expected a number of at least 0", radius);
  for (std::size_t b = 0; b < bones.size(); ++b)
    require(bones[b].from.allFinite() && bones[b].to.allFinite(), "the ends of bones[{}] are not finite", b);
  check_mesh(mesh, "mesh");
  const std::vector<char> used = used_vertices(mesh);
  Pins pins = pins_within(mesh, used, bones, radius);
  pin_lonely_bones(mesh, used, bones, pins);
  pin_lonely_parts(mesh, pins);
  const std::vector<int>& pinned = pins.bone;
  Matrix W = Matrix::Zero(static_cast<Index>(bones.size()), mesh.vertex_count());
  for (std::size_t v = 0; v < pinned.size(); ++v)
    if (pinned[v] >= 0) W(pinned[v], static_cast<Index>(v)) = 1.0;
  extend(mesh, pinned, W);
  W = W.cwiseMax(0.0);
  for (Index v = 0; v < W.cols(); ++v) W.col(v) /= W.col(v).sum();
  return W;
}

VertexMaps blend(const Matrix& weights, const Matrix3X& rest, std::span<const Eigen::Isometry3d> motions) {
  require(weights.rows() == static_cast<Index>(motions.size()) && weights.cols() == rest.cols(),
          "weights are of {} bones and {} vertices, expected {} and {}", weights.rows(), weights.cols(),
          motions.size(), rest.cols());
  VertexMaps maps = VertexMaps::identity(rest.cols());
  maps.linear.assign(static_cast<std::size_t>(rest.cols()), Matrix3::Zero());
  for (Index v = 0; v < rest.cols(); ++v) {
    const Vector3 x = rest.col(v);
    for (Index b = 0; b < weights.rows(); ++b) {
      const double w = weights(b, v);
      if (w == 0.0) continue;
      const Eigen::Isometry3d& motion = motions[static_cast<std::size_t>(b)];
      maps.linear[static_cast<std::size_t>(v)] += w * motion.linear();
      maps.offset.col(v) += w * (motion * x - x);
    }
  }
  return maps;
}

}  // namespace limber
