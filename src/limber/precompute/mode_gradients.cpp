#include "limber/precompute/mode_gradients.hpp"

#include "limber/base/error.hpp"
#include "limber/fem/elements.hpp"
#include "limber/mesh/flat_map.hpp"

#include <Eigen/Geometry>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <utility>

namespace limber {
namespace {

/// Gradients of the shape functions at a point, [a][axis], with the weight. By the code that the full model
/// uses, for one element instead of eight.
template <class Element>
double shape_gradients(const VolumeMesh& mesh, const QuadraturePoint& point, double (&g)[Element::nodes][3]) {
  ElementPacket packet;
  packet.element.fill(point.element);
  packet.count = 1;
  const Element element(mesh, packet);
  Packet lanes[Element::nodes][3];
  const Packet weight = element.point(point.point, lanes);
  for (int a = 0; a < Element::nodes; ++a)
    for (int axis = 0; axis < 3; ++axis) g[a][axis] = lanes[a][axis][0];
  return weight[0];
}

template <class Element>
double copy_shape_gradients(const VolumeMesh& mesh, const QuadraturePoint& point, ShapeGradients& g) {
  double entries[Element::nodes][3];
  const double weight = shape_gradients<Element>(mesh, point, entries);
  g.resize(Element::nodes, 3);
  for (int a = 0; a < Element::nodes; ++a)
    for (int axis = 0; axis < 3; ++axis) g(a, axis) = entries[a][axis];
  return weight;
}

template <class Element>
void write_gradients(const FullModel& model, const Eigen::Ref<const Matrix>& basis,
                     const QuadraturePoint& point, Eigen::Ref<Matrix> G) {
  double g[Element::nodes][3];
  shape_gradients<Element>(model.mesh(), point, g);
  G.setZero();
  for (int a = 0; a < Element::nodes; ++a) {
    const int free = model.dofs().free_index(model.mesh().elements(a, point.element));
    if (free < 0) continue;
    for (Index i = 0; i < basis.cols(); ++i) {
      const double* u = basis.data() + i * basis.outerStride() + 3 * Index{free};
      for (int axis = 0; axis < 3; ++axis)
        for (int c = 0; c < 3; ++c) G(c + 3 * axis, i) += u[c] * g[a][axis];
    }
  }
}

/// Cubes along the axes of a body that was built along them would hold the same points of all its layers, and
/// their number would jump with their size: they are turned by an angle that no body is built with.
Matrix3 cube_axes() { return Eigen::AngleAxisd(0.4, Vector3(0.6, 0.64, 0.48)).toRotationMatrix(); }

/// Cubes over a box, as many beyond one of its sides as beyond the other.
class CubeGrid {
 public:
  CubeGrid(const BoundingBox& box, double side) : side_(side) {
    for (int axis = 0; axis < 3; ++axis) {
      const double length = box.max(axis) - box.min(axis);
      cubes_[axis] = std::max<std::int64_t>(1, std::llround(std::ceil(length / side)));
      low_(axis) = 0.5 * (box.min(axis) + box.max(axis) - static_cast<double>(cubes_[axis]) * side);
    }
  }

  /// Which cube a point is in.
  [[nodiscard]] std::uint64_t key(const Vector3& x) const {
    std::uint64_t key = 0;
    for (int axis = 0; axis < 3; ++axis) {
      const auto cube = static_cast<std::int64_t>((x(axis) - low_(axis)) / side_);
      key = key << bits | static_cast<std::uint64_t>(std::clamp<std::int64_t>(cube, 0, cubes_[axis] - 1));
    }
    return key;
  }

  [[nodiscard]] Vector3 centre(std::uint64_t key) const {
    Vector3 centre;
    for (int axis = 2; axis >= 0; --axis, key >>= bits) {
      const auto cube = static_cast<double>(key & ((std::uint64_t{1} << bits) - 1));
      centre(axis) = low_(axis) + (cube + 0.5) * side_;
    }
    return centre;
  }

  /// How many cubes hold points; `most` where it is that many or more.
  [[nodiscard]] Index occupied(const Matrix3X& points, Index most) const {
    FlatMap seen;
    for (Index i = 0; i < points.cols() && static_cast<Index>(seen.size()) < most; ++i)
      seen.insert(key(points.col(i)), 0);
    return static_cast<Index>(seen.size());
  }

  static constexpr int bits = 20;  ///< of the number of cubes along an axis

 private:
  double side_;
  std::int64_t cubes_[3];
  Vector3 low_;
};

/// The grid with about `count` cubes that hold points: of some twenty sizes, the one that comes nearest. The
/// number does not fall with the size strictly, so that bisection finds a good one, not always the best.
CubeGrid find_grid(const Matrix3X& points, Index count) {
  const BoundingBox box{points.rowwise().minCoeff(), points.rowwise().maxCoeff()};
  constexpr int most_halvings = CubeGrid::bits - 1, bisections = 14;
  double best_side = 0.0;
  Index best_distance = std::numeric_limits<Index>::max();
  const auto cubes = [&](double side) {
    const Index found = CubeGrid(box, side).occupied(points, 2 * count + 1);
    if (std::abs(found - count) < best_distance) {
      best_distance = std::abs(found - count);
      best_side = side;
    }
    return found;
  };
  double large = (box.max - box.min).maxCoeff(), small = large;
  for (int i = 0; i < most_halvings && cubes(small) < count; ++i) large = std::exchange(small, 0.5 * small);
  for (int i = 0; i < bisections && best_distance > 0; ++i) {
    const double middle = std::sqrt(small * large);
    (cubes(middle) < count ? large : small) = middle;
  }
  return {box, best_side};
}

/// Numbers of the points that are nearest to the centre of their cube among those in it, with those centres.
std::vector<std::pair<Index, Vector3>> central_points(const CubeGrid& grid, const Matrix3X& points) {
  struct Nearest {
    Index point;
    double distance_sq;
    Vector3 centre;
  };
  FlatMap number_of_cube;
  std::vector<Nearest> nearest;
  for (Index i = 0; i < points.cols(); ++i) {
    const std::uint64_t key = grid.key(points.col(i));
    const auto number =
        static_cast<std::size_t>(number_of_cube.insert(key, static_cast<int>(nearest.size())));
    if (number == nearest.size())
      nearest.push_back({i, std::numeric_limits<double>::infinity(), grid.centre(key)});
    const double distance_sq = (points.col(i) - nearest[number].centre).squaredNorm();
    if (distance_sq < nearest[number].distance_sq) {
      nearest[number].point = i;
      nearest[number].distance_sq = distance_sq;
    }
  }
  std::vector<std::pair<Index, Vector3>> result;
  for (const Nearest& one : nearest) result.emplace_back(one.point, one.centre);
  return result;
}

}  // namespace

double compute_shape_gradients(const VolumeMesh& mesh, const QuadraturePoint& point, ShapeGradients& g) {
  return mesh.kind == ElementKind::tetrahedron ? copy_shape_gradients<TetrahedronElement>(mesh, point, g)
                                               : copy_shape_gradients<BrickElement>(mesh, point, g);
}

ModeGradients::ModeGradients(const FullModel& model, const Eigen::Ref<const Matrix>& basis)
    : model_(model), basis_(basis) {
  require(basis.rows() == model.dof_count(), "the basis has {} rows, the model needs {} (3 per free vertex)",
          basis.rows(), model.dof_count());
  require(basis.cols() >= 1, "the basis has no vectors, expected one at least");
  require(basis.allFinite(), "the basis has entries that are not finite");
}

int ModeGradients::points_per_element() const {
  return model_.mesh().kind == ElementKind::tetrahedron ? TetrahedronElement::points : BrickElement::points;
}

Index ModeGradients::point_count() const { return points_per_element() * model_.mesh().element_count(); }

QuadraturePoint ModeGradients::at(Index number) const {
  require(number >= 0 && number < point_count(), "there is no quadrature point {}, the mesh has {}", number,
          point_count());
  return {static_cast<int>(number / points_per_element()), static_cast<int>(number % points_per_element())};
}

Index ModeGradients::number_of(const QuadraturePoint& point) const {
  check(point);
  return Index{point.element} * points_per_element() + point.point;
}

void ModeGradients::check(const QuadraturePoint& point) const {
  require(point.element >= 0 && point.element < model_.mesh().element_count(),
          "there is no element {}, the mesh has {}", point.element, model_.mesh().element_count());
  require(point.point >= 0 && point.point < points_per_element(),
          "there is no quadrature point {} in an element, a {} has {}", point.point,
          name_of(model_.mesh().kind), points_per_element());
}

Vector3 ModeGradients::position(const QuadraturePoint& point) const {
  check(point);
  const VolumeMesh& mesh = model_.mesh();
  const auto corner = [&](int a) { return mesh.vertices.col(mesh.elements(a, point.element)); };
  if (mesh.kind == ElementKind::tetrahedron) return 0.25 * (corner(0) + corner(1) + corner(2) + corner(3));
  const double offset = 0.5 * std::sqrt(0.6);  // Gauss's three points on a side of length 1
  const Eigen::Array3i step(point.point % 3 - 1, point.point / 3 % 3 - 1, point.point / 9 - 1);
  return corner(0).array() + (corner(6) - corner(0)).array() * (0.5 + offset * step.cast<double>());
}

double ModeGradients::weight(const QuadraturePoint& point) const {
  check(point);
  if (model_.mesh().kind == ElementKind::tetrahedron) {
    double g[TetrahedronElement::nodes][3];
    return shape_gradients<TetrahedronElement>(model_.mesh(), point, g);
  }
  double g[BrickElement::nodes][3];
  return shape_gradients<BrickElement>(model_.mesh(), point, g);
}

int ModeGradients::region(const QuadraturePoint& point) const {
  check(point);
  return model_.mesh().region[static_cast<std::size_t>(point.element)];
}

void ModeGradients::write(const QuadraturePoint& point, Eigen::Ref<Matrix> G) const {
  check(point);
  require(G.rows() == 9 && G.cols() == rank(), "gradients of {} vectors do not fit into {} x {} numbers",
          rank(), G.rows(), G.cols());
  if (model_.mesh().kind == ElementKind::tetrahedron) {
    write_gradients<TetrahedronElement>(model_, basis_, point, G);
  } else {
    write_gradients<BrickElement>(model_, basis_, point, G);
  }
}

std::vector<QuadraturePoint> ModeGradients::spread(Index count) const {
  require(count >= 1, "{} spread points asked for, expected one at least", count);
  std::vector<QuadraturePoint> points;
  if (count >= point_count()) {
    for (Index i = 0; i < point_count(); ++i) points.push_back(at(i));
    return points;
  }
  // Elements come first, by their centres: bricks have 27 points each, of which the nearest one follows.
  const bool elements_do = count <= model_.mesh().element_count();
  const int per_element = points_per_element();
  Matrix3X positions(3, elements_do ? model_.mesh().element_count() : point_count());
  for (Index i = 0; i < positions.cols(); ++i)
    positions.col(i) = position(elements_do ? at(i * per_element + per_element / 2) : at(i));
  const Matrix3 turn = cube_axes();
  positions = (turn * positions).eval();
  const CubeGrid grid = find_grid(positions, count);
  for (const auto& [number, turned_centre] : central_points(grid, positions)) {
    const Vector3 centre = turn.transpose() * turned_centre;
    const Index first = elements_do ? number * per_element : number;
    QuadraturePoint nearest = at(first);
    for (Index i = first; elements_do && i < first + per_element; ++i) {
      if ((position(at(i)) - centre).squaredNorm() < (position(nearest) - centre).squaredNorm())
        nearest = at(i);
    }
    points.push_back(nearest);
  }
  std::sort(points.begin(), points.end());
  return points;
}

}  // namespace limber
