#include "limber/mesh/lattice_tetrahedra.hpp"

namespace limber {
namespace {

using Vector3i = Eigen::Vector3i;

/// The corners of the unit square, in order around it.
constexpr std::array<std::array<int, 2>, 4> square{{{0, 0}, {1, 0}, {1, 1}, {0, 1}}};

class TetrahedraBuilder {
 public:
  explicit TetrahedraBuilder(const LatticeOctree& octree) : octree_(octree) {}

  LatticeTetrahedra build() {
    for (const Octant& octant : octree_.octants()) add_vertices(octant);
    for (const Octant& octant : octree_.octants()) {
      for (int axis = 0; axis < 3; ++axis) {
        for (const int side : {0, 1}) fill_face(octant, axis, side);
      }
    }
    return std::move(result_);
  }

 private:
  /// Half cells.
  static Vector3i center(const Octant& octant) {
    return 2 * octant.corner + Vector3i::Constant(octant.size());
  }

  static std::uint64_t key(const Vector3i& v) {
    const auto bits = [&](int axis) { return static_cast<std::uint64_t>(v(axis)) & 0x1fffffU; };
    return (bits(0) << 42) | (bits(1) << 21) | bits(2);
  }

  int add_vertex(const Vector3i& position) {
    const int next = static_cast<int>(result_.vertices.size());
    const int vertex = index_.insert(key(position), next);
    if (vertex == next) {
      result_.vertices.push_back(position);
      result_.sure.push_back(0);
    }
    return vertex;
  }

  void add_vertices(const Octant& octant) {
    const auto add = [&](const Vector3i& position) {
      const int vertex = add_vertex(position);
      if (!octant.near_surface) result_.sure[static_cast<std::size_t>(vertex)] = 1;
    };
    add(center(octant));
    for (int child = 0; child < 8; ++child) {
      add(2 * octant.corner + 2 * octant.size() * Vector3i(child & 1, (child >> 1) & 1, (child >> 2) & 1));
    }
  }

  /// Corners of a face, in order around it.
  std::array<Vector3i, 4> face_corners(const Octant& octant, int axis, int side) const {
    std::array<Vector3i, 4> corners;
    for (std::size_t i = 0; i < 4; ++i) {
      Vector3i offset;
      offset(axis) = side;
      offset((axis + 1) % 3) = square[i][0];
      offset((axis + 2) % 3) = square[i][1];
      corners[i] = 2 * (octant.corner + octant.size() * offset);
    }
    return corners;
  }

  void fill_face(const Octant& octant, int axis, int side) {
    const Vector3i across =
        octant.corner + (side == 0 ? -octant.size() : octant.size()) * Vector3i::Unit(axis);
    if (octree_.find(across, octant.level) >= 0) {
      if (side == 1) fill_between_equals(octant, axis, side, across);  // once per pair
      return;
    }
    const Vector3i larger = across.unaryExpr([&](int c) { return c & ~(2 * octant.size() - 1); });
    if (octree_.find(larger, octant.level + 1) >= 0) {
      fill_towards_larger(octant, axis, side, larger);
    } else if (octant.near_surface) {  // beyond is outside; else smaller octants fill the face from there
      fill_between_equals(octant, axis, side, across);
    }
  }

  void fill_between_equals(const Octant& octant, int axis, int side, const Vector3i& across) {
    const int here = add_vertex(center(octant));
    const int there = add_vertex(2 * across + Vector3i::Constant(octant.size()));
    const std::array<Vector3i, 4> corners = face_corners(octant, axis, side);
    for (std::size_t i = 0; i < 4; ++i) {
      const Vector3i &a = corners[i], &b = corners[(i + 1) % 4];
      const int middle = octant.level == 0 ? -1 : index_.find(key((a + b) / 2));
      const int first = add_vertex(a), second = add_vertex(b);
      if (middle < 0) {
        result_.tetrahedra.push_back({{here, there, first, second}, octant.level == 0});
      } else {
        result_.tetrahedra.push_back({{here, there, first, middle}, false});
        result_.tetrahedra.push_back({{here, there, middle, second}, false});
      }
    }
  }

  void fill_towards_larger(const Octant& octant, int axis, int side, const Vector3i& larger) {
    const Octant neighbour{larger, octant.level + 1, false};
    const std::array<Vector3i, 4> corners = face_corners(octant, axis, side);
    Vector3i middle_of_larger = center(neighbour);
    middle_of_larger(axis) = corners[0](axis);
    std::size_t start = 0;  // the diagonal leaves from the middle of the larger face
    while (corners[start] != middle_of_larger) ++start;
    const auto corner = [&](std::size_t i) { return add_vertex(corners[(start + i) % 4]); };
    for (const Octant& apex : {octant, neighbour}) {
      const int top = add_vertex(center(apex));
      result_.tetrahedra.push_back({{top, corner(0), corner(1), corner(2)}, false});
      result_.tetrahedra.push_back({{top, corner(0), corner(2), corner(3)}, false});
    }
  }

  const LatticeOctree& octree_;
  LatticeTetrahedra result_;
  FlatMap index_;
};

}  // namespace

LatticeTetrahedra make_lattice_tetrahedra(const LatticeOctree& octree) {
  return TetrahedraBuilder(octree).build();
}

}  // namespace limber
