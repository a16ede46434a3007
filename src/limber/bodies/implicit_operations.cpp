#include "limber/base/error.hpp"
#include "limber/bodies/implicit.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <memory>
#include <utility>

namespace limber {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

/// The smaller of two distances, rounded off where they differ by less than `blend`. Its derivatives are
/// shares of 1, so that it is no steeper than its arguments.                       [Quilez, "smooth minimum"]
double smooth_min(double a, double b, double blend) {
  const double h = std::max(0.0, blend - std::abs(a - b));
  return h > 0.0 ? std::min(a, b) - h * h / (4.0 * blend) : std::min(a, b);
}

double smooth_max(double a, double b, double blend) { return -smooth_min(-a, -b, blend); }

/// Bodies in a binary tree of boxes, for the few that are nearest to a point.
class Union {
 public:
  Union(std::vector<Implicit> bodies, double blend)
      : bodies_(std::move(bodies)), blend_(blend), keep_(blend > 0.0 ? nearest : 1) {
    build(0, bodies_.size());
  }

  [[nodiscard]] const BoundingBox& bounds() const { return nodes_.front().bounds; }

  [[nodiscard]] double distance(const Vector3& x) const {
    std::array<double, nearest> smallest;
    smallest.fill(infinity);
    visit(0, distance_to_box(nodes_.front().bounds, x), x, smallest);
    double result = smallest[0];
    for (std::size_t i = 1; i < keep_ && smallest[i] < infinity; ++i) {
      result = smooth_min(result, smallest[i], blend_);
    }
    return result;
  }

 private:
  static constexpr std::size_t nearest = 4;  ///< that may flow together in one place

  struct Node {
    BoundingBox bounds;
    std::size_t body = 0;   ///< of a leaf
    std::size_t right = 0;  ///< second child, the first being the next node; 0: a leaf
  };

  void build(std::size_t begin, std::size_t end) {
    const std::size_t node = nodes_.size();
    nodes_.push_back({bodies_[begin].bounds, begin, 0});
    if (end - begin == 1) return;
    BoundingBox& box = nodes_.back().bounds;
    for (std::size_t i = begin; i < end; ++i) box = merged(box, bodies_[i].bounds);
    Index axis = 0;
    (box.max - box.min).maxCoeff(&axis);
    const auto first = bodies_.begin();
    std::stable_sort(first + static_cast<std::ptrdiff_t>(begin), first + static_cast<std::ptrdiff_t>(end),
                     [axis](const Implicit& a, const Implicit& b) {
                       return a.bounds.min(axis) + a.bounds.max(axis) <
                              b.bounds.min(axis) + b.bounds.max(axis);
                     });
    const std::size_t middle = begin + (end - begin) / 2;
    build(begin, middle);
    nodes_[node].right = nodes_.size();
    build(middle, end);
  }

  void visit(std::size_t number, double reach, const Vector3& x,
             std::array<double, nearest>& smallest) const {
    if (reach >= std::min(smallest[keep_ - 1], smallest[0] + blend_)) return;
    const Node& node = nodes_[number];
    if (node.right == 0) {
      // A primitive may claim less than the distance to its box; with the larger of both, what is skipped is
      // exactly what would change nothing.
      double d = std::max(bodies_[node.body].distance(x), reach > 0.0 ? reach : -infinity);
      for (std::size_t i = 0; i < keep_; ++i) {
        if (d < smallest[i]) std::swap(d, smallest[i]);
      }
      return;
    }
    std::size_t near = number + 1, far = node.right;
    double near_reach = distance_to_box(nodes_[near].bounds, x),
           far_reach = distance_to_box(nodes_[far].bounds, x);
    if (far_reach < near_reach) {
      std::swap(near, far);
      std::swap(near_reach, far_reach);
    }
    visit(near, near_reach, x, smallest);
    visit(far, far_reach, x, smallest);
  }

  std::vector<Implicit> bodies_;
  double blend_;
  std::size_t keep_;
  std::vector<Node> nodes_;
};

BoundingBox grown(const BoundingBox& box, double amount) {
  return {box.min.array() - amount, box.max.array() + amount};
}

}  // namespace

Implicit unite(std::vector<Implicit> bodies, double blend) {
  require(!bodies.empty(), "a union of no bodies, expected one or more");
  if (bodies.size() == 1) return std::move(bodies.front());
  const double bulge = 0.49 * blend;  // what three blends can add: 0.484 where all four distances are equal
  const auto all = std::make_shared<const Union>(std::move(bodies), blend);
  return {[all](const Vector3& x) { return all->distance(x); }, grown(all->bounds(), bulge)};
}

Implicit intersect(Implicit a, Implicit b, double blend) {
  const BoundingBox box{a.bounds.min.cwiseMax(b.bounds.min), a.bounds.max.cwiseMin(b.bounds.max)};
  return {[a = std::move(a.distance), b = std::move(b.distance), blend](const Vector3& x) {
            return smooth_max(a(x), b(x), blend);
          },
          box};
}

Implicit subtract(Implicit a, Implicit b, double blend) {
  const BoundingBox box = a.bounds;
  return {[a = std::move(a.distance), b = std::move(b.distance), blend](const Vector3& x) {
            return smooth_max(a(x), -b(x), blend);
          },
          box};
}

Implicit grow(Implicit body, double amount) {
  const BoundingBox box = grown(body.bounds, amount);
  return {[d = std::move(body.distance), amount](const Vector3& x) { return d(x) - amount; }, box};
}

Implicit shell(Implicit body, double thickness) {
  const BoundingBox box = grown(body.bounds, 0.5 * thickness);
  return {[d = std::move(body.distance), thickness](const Vector3& x) {
            return std::abs(d(x)) - 0.5 * thickness;
          },
          box};
}

Implicit with_mirror_image(Implicit body, int axis, double blend) {
  Implicit image = body;
  image.distance = [d = body.distance, axis](Vector3 x) {
    x(axis) = -x(axis);
    return d(x);
  };
  image.bounds.min(axis) = -body.bounds.max(axis);
  image.bounds.max(axis) = -body.bounds.min(axis);
  return unite({std::move(body), std::move(image)}, blend);
}

Implicit moved(Implicit body, const Vector3& shift, const Matrix3& axes) {
  const Vector3 center = shift + axes * (0.5 * (body.bounds.min + body.bounds.max));
  const Vector3 half = axes.cwiseAbs() * (0.5 * (body.bounds.max - body.bounds.min));
  return {[d = std::move(body.distance), shift, axes](const Vector3& x) {
            return d(axes.transpose() * (x - shift));
          },
          {center - half, center + half}};
}

Implicit stretched(Implicit body, const Vector3& factors) {
  const BoundingBox box{body.bounds.min.cwiseProduct(factors), body.bounds.max.cwiseProduct(factors)};
  return {[d = std::move(body.distance), inverse = factors.cwiseInverse().eval(),
           least = factors.minCoeff()](const Vector3& x) { return least * d(x.cwiseProduct(inverse)); },
          box};
}

Implicit curled(Implicit body, double along, double across) {
  const Vector3 low = body.bounds.min, high = body.bounds.max;
  const double far_x = std::max(-low.x(), high.x()), far_y = std::max(-low.y(), high.y());
  // The map shears by the slope g of the height: its largest singular value is (g + sqrt(g^2 + 4)) / 2.
  const double slope = 2.0 * std::hypot(along * far_x, across * far_y);
  const double steepness = 0.5 * (slope + std::sqrt(slope * slope + 4.0));
  const auto height = [=](const Vector3& x) {
    const double u = std::clamp(x.x(), low.x(), high.x()), v = std::clamp(x.y(), low.y(), high.y());
    return along * u * u + across * v * v;
  };
  const double x2 = far_x * far_x, y2 = far_y * far_y;
  BoundingBox box = body.bounds;
  box.min.z() += std::min(along, 0.0) * x2 + std::min(across, 0.0) * y2;
  box.max.z() += std::max(along, 0.0) * x2 + std::max(across, 0.0) * y2;
  return warped(
      std::move(body), [height](const Vector3& x) { return Vector3(x.x(), x.y(), x.z() - height(x)); },
      steepness, box);
}

Implicit warped(Implicit body, std::function<Vector3(const Vector3&)> map, double steepness,
                const BoundingBox& bounds) {
  return {[d = std::move(body.distance), map = std::move(map), steepness](const Vector3& x) {
            return d(map(x)) / steepness;
          },
          bounds};
}

}  // namespace limber
