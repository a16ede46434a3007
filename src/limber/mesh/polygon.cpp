#include "limber/mesh/polygon.hpp"

#include "limber/base/error.hpp"

#include <Eigen/Geometry>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

namespace limber {
namespace {

using Vector2 = Eigen::Vector2d;

/// Twice the signed area of a triangle; positive when it turns left.
double turn(const Vector2& a, const Vector2& b, const Vector2& c) {
  return (b.x() - a.x()) * (c.y() - a.y()) - (b.y() - a.y()) * (c.x() - a.x());
}

/// The corners in the coordinate plane that shows the most of the polygon, scaled to about 1 and turning
/// left; nothing where the polygon has no area or its size overflows.
std::vector<Vector2> project(const Matrix3X& vertices, std::span<const int> corners) {
  Matrix3X points(3, static_cast<Index>(corners.size()));
  for (std::size_t i = 0; i < corners.size(); ++i) {
    points.col(static_cast<Index>(i)) = vertices.col(corners[i]) - vertices.col(corners[0]);
  }
  const double size = points.cwiseAbs().maxCoeff();
  if (!(size > 0.0) || !std::isfinite(size)) return {};
  points /= size;

  Vector3 normal = Vector3::Zero();  // Newell's
  for (Index i = 0, last = points.cols() - 1; i <= last; ++i) {
    const Vector3 a = points.col(i);
    const Vector3 b = points.col(i == last ? 0 : i + 1);
    normal += a.cross(b);
  }
  Index axis = 0;
  const double largest = normal.cwiseAbs().maxCoeff(&axis);
  if (!(largest > 0.0) || !std::isfinite(largest)) return {};
  Index x = (axis + 1) % 3;
  Index y = (axis + 2) % 3;
  if (normal[axis] < 0.0) std::swap(x, y);

  std::vector<Vector2> flat(corners.size());
  for (std::size_t i = 0; i < flat.size(); ++i) {
    flat[i] = Vector2(points(x, static_cast<Index>(i)), points(y, static_cast<Index>(i)));
  }
  return flat;
}

bool is_strictly_convex(const std::vector<Vector2>& points) {
  const std::size_t n = points.size();
  for (std::size_t i = 0; i < n; ++i) {
    if (!(turn(points[i], points[(i + 1) % n], points[(i + 2) % n]) > 0.0)) return false;
  }
  return true;
}

void append_fan(std::span<const int> corners, std::vector<Eigen::Vector3i>& triangles) {
  for (std::size_t i = 2; i < corners.size(); ++i) {
    triangles.emplace_back(corners[0], corners[i - 1], corners[i]);
  }
}

/// Cuts ears off a polygon that turns left until a triangle is left. An ear is a convex corner whose
/// triangle with its neighbours holds no other corner. Only corners that are not convex can be in the way,
/// and cutting an ear changes the state of its two neighbours only [O'Rourke 1998, section 1.4].
class EarClipper {
 public:
  explicit EarClipper(const std::vector<Vector2>& points)
      : points_(points), next_(points.size()), previous_(points.size()), left_(points.size()) {
    for (std::size_t i = 0; i < left_; ++i) {
      next_[i] = (i + 1) % left_;
      previous_[i] = (i + left_ - 1) % left_;
    }
    for (std::size_t i = 0; i < left_; ++i) {
      if (!is_convex(i)) obstacles_.push_back(i);
    }
    is_ear_.resize(left_);
    for (std::size_t i = 0; i < left_; ++i) is_ear_[i] = find_ear(i);
  }

  /// Calls emit(a, b, c) with the positions of the corners of each triangle.
  template <class Emit>
  void clip(const Emit& emit) {
    std::size_t at = 0;
    while (left_ > 3) {
      const std::size_t tip = choose(at);
      const std::size_t before = previous_[tip];
      const std::size_t after = next_[tip];
      emit(before, tip, after);
      next_[before] = after;
      previous_[after] = before;
      --left_;
      update(tip, before, after);
      at = next_[after];  // not `after`: cutting corner by corner would make slivers
    }
    emit(previous_[at], at, next_[at]);
  }

 private:
  [[nodiscard]] bool is_convex(std::size_t i) const {
    return turn(points_[previous_[i]], points_[i], points_[next_[i]]) > 0.0;
  }

  [[nodiscard]] bool find_ear(std::size_t i) const {
    if (!is_convex(i)) return false;
    const Vector2& a = points_[previous_[i]];
    const Vector2& b = points_[i];
    const Vector2& c = points_[next_[i]];
    return std::none_of(obstacles_.begin(), obstacles_.end(), [&](std::size_t other) {
      const Vector2& p = points_[other];
      // Corners of equal position are where the polygon touches itself, e.g. along the cut to a hole.
      if (p == a || p == b || p == c) return false;
      return turn(a, b, p) >= 0.0 && turn(b, c, p) >= 0.0 && turn(c, a, p) >= 0.0;
    });
  }

  /// The next ear; in a polygon that crosses itself, where there may be none, a convex corner, or any.
  [[nodiscard]] std::size_t choose(std::size_t start) const {
    std::size_t convex = start;
    bool found = false;
    std::size_t i = start;
    for (std::size_t step = 0; step < left_; ++step, i = next_[i]) {
      if (is_ear_[i]) return i;
      if (!found && is_convex(i)) {
        convex = i;
        found = true;
      }
    }
    return convex;
  }

  void update(std::size_t tip, std::size_t before, std::size_t after) {
    std::erase_if(obstacles_,
                  [&](std::size_t i) { return i == tip || ((i == before || i == after) && is_convex(i)); });
    // A convex corner may turn concave where the polygon is not simple.
    for (const std::size_t i : {before, after}) {
      if (!is_convex(i) && std::find(obstacles_.begin(), obstacles_.end(), i) == obstacles_.end()) {
        obstacles_.push_back(i);
      }
    }
    is_ear_[before] = find_ear(before);
    is_ear_[after] = find_ear(after);
  }

  const std::vector<Vector2>& points_;
  std::vector<std::size_t> next_;
  std::vector<std::size_t> previous_;
  std::vector<std::size_t> obstacles_;  ///< corners that are not convex
  std::vector<char> is_ear_;
  std::size_t left_;
};

/// The corners without those that repeat the one before, as long as a triangle is left.
std::vector<int> without_repeats(std::span<const int> corners) {
  std::vector<int> kept;
  for (const int corner : corners) {
    if (kept.empty() || kept.back() != corner) kept.push_back(corner);
  }
  while (kept.size() > 3 && kept.front() == kept.back()) kept.pop_back();
  return kept;
}

}  // namespace

void triangulate_polygon(const Matrix3X& vertices, std::span<const int> corners,
                         std::vector<Eigen::Vector3i>& triangles) {
  if (corners.size() < 3) return;
  if (corners.size() == 3) {
    triangles.emplace_back(corners[0], corners[1], corners[2]);
    return;
  }
  const std::vector<int> kept = without_repeats(corners);
  if (kept.size() < 4) return append_fan(kept, triangles);
  const std::vector<Vector2> points = project(vertices, kept);
  if (points.empty() || is_strictly_convex(points)) return append_fan(kept, triangles);
  require(kept.size() <= max_concave_corners,
          "a polygon that is not convex has {} corners, expected at most {}; cut it into triangles before",
          kept.size(), max_concave_corners);
  EarClipper(points).clip([&](std::size_t a, std::size_t b, std::size_t c) {
    triangles.emplace_back(kept[a], kept[b], kept[c]);
  });
}

int PartNames::number_of(std::string_view name) {
  const auto [entry, is_new] = numbers_.try_emplace(std::string(name), static_cast<int>(names_.size()));
  if (is_new) names_.emplace_back(name);
  return entry->second;
}

std::vector<std::string> PartNames::take() {
  if (names_.empty()) names_.emplace_back();
  numbers_.clear();
  return std::exchange(names_, {});
}

SurfaceMesh triangulate(PolygonSoup soup, std::string_view where) {
  constexpr auto most = static_cast<std::size_t>(std::numeric_limits<int>::max());
  require(soup.vertex_count() <= most && soup.corners.size() <= most,
          "{}: has {} vertices and {} corners of polygons, more than limber counts ({})", where,
          soup.vertex_count(), soup.corners.size(), most);
  SurfaceMesh surface;
  surface.vertices =
      Eigen::Map<const Matrix3X>(soup.coordinates.data(), 3, static_cast<Index>(soup.vertex_count()));
  std::vector<Eigen::Vector3i> triangles;
  triangles.reserve(soup.ends.size());
  surface.part.reserve(soup.ends.size());
  std::size_t begin = 0;
  for (std::size_t p = 0; p < soup.ends.size(); ++p) {
    const std::span<const int> corners(soup.corners.data() + begin, soup.ends[p] - begin);
    try {
      triangulate_polygon(surface.vertices, corners, triangles);
    } catch (const Error& error) {
      throw Error("{}: polygon {}: {}", where, p, error.what());
    }
    surface.part.resize(triangles.size(), soup.part[p]);
    begin = soup.ends[p];
  }
  surface.triangles.resize(3, static_cast<Index>(triangles.size()));
  for (std::size_t t = 0; t < triangles.size(); ++t)
    surface.triangles.col(static_cast<Index>(t)) = triangles[t];
  surface.parts = soup.parts.take();
  return surface;
}

}  // namespace limber
