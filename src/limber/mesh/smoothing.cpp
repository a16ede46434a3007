#include "limber/mesh/smoothing.hpp"

#include "limber/mesh/quality.hpp"

#include <Eigen/Geometry>

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <span>

namespace limber {
namespace {

constexpr double first_step = 0.16;   ///< of the pattern search, cells
constexpr int halvings = 3;           ///< of the step: the last one moves a vertex by a fiftieth of a cell
constexpr double off_surface = 2e-3;  ///< how far a vertex may come to lie from the surface, cells

/// The directions of the pattern search: in the volume, the axes and diagonals; on the surface, eight in its
/// tangent plane.
const std::array<Vector3, 14>& directions_in_volume() {
  static const std::array<Vector3, 14> directions = [] {
    std::array<Vector3, 14> d;
    std::size_t next = 0;
    for (int axis = 0; axis < 3; ++axis) {
      for (const double sign : {1.0, -1.0}) d[next++] = sign * Vector3::Unit(axis);
    }
    for (int corner = 0; corner < 8; ++corner) {
      d[next++] =
          Vector3((corner & 1) != 0 ? 1 : -1, (corner & 2) != 0 ? 1 : -1, (corner & 4) != 0 ? 1 : -1) /
          std::sqrt(3.0);
    }
    return d;
  }();
  return directions;
}

class Smoother {
 public:
  Smoother(VolumeMesh& mesh, const Solid& solid, const std::vector<char>& on_surface,
           const SmoothingOptions& options)
      : mesh_(mesh), solid_(solid), on_surface_(on_surface), options_(options) {
    const auto count = static_cast<std::size_t>(mesh.vertex_count());
    first_.assign(count + 1, 0);
    for (const int v : mesh.elements.reshaped()) ++first_[static_cast<std::size_t>(v) + 1];
    std::partial_sum(first_.begin(), first_.end(), first_.begin());
    elements_.resize(static_cast<std::size_t>(mesh.elements.size()));
    std::vector<int> next(first_.begin(), first_.end() - 1);
    for (Index e = 0; e < mesh.element_count(); ++e) {
      for (const int v : mesh.elements.col(e)) {
        elements_[static_cast<std::size_t>(next[static_cast<std::size_t>(v)]++)] = static_cast<int>(e);
      }
    }
    quality_.resize(static_cast<std::size_t>(mesh.element_count()));
    for (Index e = 0; e < mesh.element_count(); ++e)
      quality_[static_cast<std::size_t>(e)] = element_quality(e);
  }

  void run() {
    for (int pass = 0; pass < options_.passes; ++pass) {
      report(options_.progress, "smoothing", static_cast<double>(pass) / options_.passes);
      int moved = 0;
      for (const int v : vertices_of_bad_elements()) moved += improve(v) ? 1 : 0;
      if (moved == 0) break;
    }
    report(options_.progress, "smoothing", 1.0);
  }

 private:
  [[nodiscard]] std::span<const int> star(int v) const {
    const auto begin = static_cast<std::size_t>(first_[static_cast<std::size_t>(v)]);
    const auto end = static_cast<std::size_t>(first_[static_cast<std::size_t>(v) + 1]);
    return {elements_.data() + begin, end - begin};
  }

  [[nodiscard]] double element_quality(Index e) const {
    const auto x = [&](Index i) -> Vector3 { return mesh_.vertices.col(mesh_.elements(i, e)); };
    return smallest_dihedral_sine(x(0), x(1), x(2), x(3));
  }

  /// Those of the worst elements first, each once.
  [[nodiscard]] std::vector<int> vertices_of_bad_elements() const {
    std::vector<std::pair<double, int>> bad;
    for (std::size_t e = 0; e < quality_.size(); ++e) {
      if (quality_[e] < options_.target_sine) bad.emplace_back(quality_[e], static_cast<int>(e));
    }
    std::sort(bad.begin(), bad.end());
    std::vector<char> seen(static_cast<std::size_t>(mesh_.vertex_count()), 0);
    std::vector<int> vertices;
    for (const auto& [quality, e] : bad) {
      for (const int v : mesh_.elements.col(e)) {
        if (seen[static_cast<std::size_t>(v)]) continue;
        seen[static_cast<std::size_t>(v)] = 1;
        vertices.push_back(v);
      }
    }
    return vertices;
  }

  /// Smallest quality around v if it were at x; stops early below `beat`.
  [[nodiscard]] double worst_around(int v, const Vector3& x, double beat) const {
    double worst = 1.0;
    for (const int e : star(v)) {
      const auto at = [&](Index i) -> Vector3 {
        const int vertex = mesh_.elements(i, e);
        return vertex == v ? x : Vector3(mesh_.vertices.col(vertex));
      };
      worst = std::min(worst, smallest_dihedral_sine(at(0), at(1), at(2), at(3)));
      if (worst <= beat) break;
    }
    return worst;
  }

  /// Outward unit normal of the boundary at v: the faces opposite of v and the boundary faces around it close
  /// a polyhedron, whose area vectors sum to zero.
  [[nodiscard]] Vector3 boundary_normal(int v) const {
    Vector3 opposite = Vector3::Zero();
    for (const int e : star(v)) {
      Index i = 0;
      while (mesh_.elements(i, e) != v) ++i;
      static constexpr std::array<std::array<Index, 3>, 4> faces{
          {{1, 2, 3}, {0, 3, 2}, {0, 1, 3}, {0, 2, 1}}};
      const auto x = [&](Index corner) -> Vector3 {
        return mesh_.vertices.col(
            mesh_.elements(faces[static_cast<std::size_t>(i)][static_cast<std::size_t>(corner)], e));
      };
      opposite += (x(1) - x(0)).cross(x(2) - x(0));
    }
    return -opposite.normalized();
  }

  [[nodiscard]] double depth(const Vector3& x) const { return options_.level - solid_.sample(x).distance; }

  /// Moves x along the normal onto the surface; false where it does not get there in three steps.
  [[nodiscard]] bool put_on_surface(Vector3& x, const Vector3& normal) const {
    const double tolerance = off_surface * options_.cell;
    double slope = 1.0;  // of the depth along the inward normal: 1 for a distance
    double value = depth(x);
    for (int step = 0; step < 3 && std::abs(value) > tolerance; ++step) {
      const double move = value / slope;
      if (std::abs(move) > first_step * options_.cell) return false;
      x += move * normal;
      const double next = depth(x);
      slope = std::max(0.2, (value - next) / move);
      value = next;
    }
    return std::abs(value) <= tolerance;
  }

  bool improve(int v) {
    const Vector3 start = mesh_.vertices.col(v);
    double best = 1.0;
    for (const int e : star(v)) best = std::min(best, quality_[static_cast<std::size_t>(e)]);
    if (best >= options_.target_sine) return false;

    const bool slides = on_surface_[static_cast<std::size_t>(v)] != 0;
    const Vector3 normal = slides ? boundary_normal(v) : Vector3::Zero();
    if (!normal.allFinite()) return false;
    std::array<Vector3, 8> tangents;
    if (slides) {
      const Vector3 u = normal.unitOrthogonal(), w = normal.cross(u);
      for (std::size_t i = 0; i < 8; ++i) {
        const double angle = 0.25 * 3.141592653589793 * static_cast<double>(i);
        tangents[i] = std::cos(angle) * u + std::sin(angle) * w;
      }
    }
    const std::span<const Vector3> directions =
        slides ? std::span<const Vector3>(tangents) : std::span<const Vector3>(directions_in_volume());

    Vector3 x = start;
    bool moved = false;
    double step = first_step * options_.cell;
    for (int halving = 0; halving <= halvings;) {
      Vector3 better = x;
      double found = best;
      for (const Vector3& direction : directions) {
        Vector3 trial = x + step * direction;
        double worst = worst_around(v, trial, found);
        if (worst <= found) continue;
        if (slides) {
          if (!put_on_surface(trial, normal)) continue;
          worst = worst_around(v, trial, found);
          if (worst <= found) continue;
        }
        found = worst;
        better = trial;
      }
      if (found > best + 1e-3 * std::abs(best)) {
        best = found;
        x = better;
        moved = true;
        if (best >= options_.target_sine) break;
      } else {
        step *= 0.5;
        ++halving;
      }
    }
    if (!moved) return false;
    mesh_.vertices.col(v) = x;
    for (const int e : star(v)) quality_[static_cast<std::size_t>(e)] = element_quality(e);
    return true;
  }

  VolumeMesh& mesh_;
  const Solid& solid_;
  const std::vector<char>& on_surface_;
  const SmoothingOptions& options_;
  std::vector<int> first_, elements_;  ///< elements around each vertex
  std::vector<double> quality_;        ///< of the elements
};

}  // namespace

void smooth_worst_elements(VolumeMesh& mesh, const Solid& solid, const std::vector<char>& on_surface,
                           const SmoothingOptions& options) {
  Smoother(mesh, solid, on_surface, options).run();
}

}  // namespace limber
