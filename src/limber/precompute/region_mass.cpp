#include "limber/precompute/region_mass.hpp"

#include "limber/fem/elements.hpp"

namespace limber {
namespace {

/// Share of an element's mass that couples its vertices a and b.
using MassShares = Matrix;

MassShares mass_shares(ElementKind element, MassKind kind) {
  const int corners = vertices_per_element(element);
  if (kind == MassKind::lumped) return Matrix::Identity(corners, corners) / corners;
  MassShares shares(corners, corners);
  for (int a = 0; a < corners; ++a) {
    for (int b = 0; b < corners; ++b) {
      shares(a, b) = element == ElementKind::tetrahedron ? TetrahedronElement::mass_share(a, b)
                                                         : BrickElement::mass_share(a, b);
    }
  }
  return shares;
}

/// Entries of one coordinate of all vertices in an r x 3n matrix: r x n.
using CoordinateColumns = Eigen::Map<const Matrix, 0, Eigen::OuterStride<>>;
CoordinateColumns columns_of(const Matrix& rows, Index coordinate) {
  return {rows.data() + coordinate * rows.rows(), rows.rows(), rows.cols() / 3,
          Eigen::OuterStride<>(3 * rows.rows())};
}

/// Mass and moments of the modes.  momentum: (M U)^T, rows: U^T, both r x 3n.
void add_up_modes(const VolumeMesh& mesh, const Matrix& momentum, const Matrix& rows, ReducedRegion& result) {
  const Index r = rows.rows();
  RegionMoments& moments = result.moments;
  result.mass = Matrix::Zero(r, r);
  moments.second_rows.resize(9, r);
  moments.second_pairs.resize(9, r * r);
  for (Index a = 0; a < 3; ++a) {
    const CoordinateColumns of_a = columns_of(momentum, a);
    const Eigen::MatrixX3d with_places = of_a * mesh.vertices.transpose();
    for (Index b = 0; b < 3; ++b) moments.second_rows.row(a + 3 * b) = with_places.col(b).transpose();
    for (Index b = 0; b <= a; ++b) {
      Matrix pairs = of_a * columns_of(rows, b).transpose();
      if (a == b) {
        pairs = 0.5 * (pairs + pairs.transpose()).eval();
        result.mass += pairs;
      }
      moments.second_pairs.row(a + 3 * b) = pairs.reshaped().transpose();
      if (a != b) moments.second_pairs.row(b + 3 * a) = pairs.transpose().reshaped().transpose();
    }
  }
}

/// rows: U^T, r x 3n, so that the entries of a vertex lie side by side.
void add_up_region(const VolumeMesh& mesh, const MassShares& shares, const Matrix& rows, int region,
                   ReducedRegion& result) {
  Matrix momentum = Matrix::Zero(rows.rows(), rows.cols());
  result.volume = 0.0;
  result.weight = Eigen::MatrixX3d::Zero(rows.rows(), 3);
  result.moments = {};
  for (Index e = 0; e < mesh.element_count(); ++e) {
    if (mesh.region[static_cast<std::size_t>(e)] != region) continue;
    const double volume = element_volume(mesh, e);
    result.volume += volume;
    const auto corners = mesh.elements.col(e);
    for (Index b = 0; b < corners.size(); ++b) {
      const auto mode = rows.middleCols<3>(3 * Index{corners(b)});
      const Vector3 place = mesh.vertices.col(corners(b));
      const double share = volume / static_cast<double>(corners.size());
      result.weight += share * mode;
      result.moments.first += share * place;
      for (Index a = 0; a < corners.size(); ++a) {
        if (shares(a, b) == 0.0) continue;
        const double coupled = volume * shares(a, b);
        momentum.middleCols<3>(3 * Index{corners(a)}) += coupled * mode;
        result.moments.second += coupled * place * mesh.vertices.col(corners(a)).transpose();
      }
    }
  }
  Matrix3& second = result.moments.second;
  second = 0.5 * (second + second.transpose()).eval();
  add_up_modes(mesh, momentum, rows, result);
}

}  // namespace

void add_up_mass(const VolumeMesh& mesh, MassKind kind, const Matrix& modes,
                 std::vector<ReducedRegion>& regions) {
  const MassShares shares = mass_shares(mesh.kind, kind);
  const Matrix rows = modes.transpose();
  for (std::size_t i = 0; i < regions.size(); ++i)
    add_up_region(mesh, shares, rows, static_cast<int>(i), regions[i]);
}

}  // namespace limber
