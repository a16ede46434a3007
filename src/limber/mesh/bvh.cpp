#include "limber/mesh/bvh.hpp"

#include <cmath>

namespace limber {
namespace {

constexpr int items_per_leaf = 4;
constexpr int bin_count = 16;

/// Below this depth ranges are halved, whatever the boxes are: 2^31 items need 31 levels more, so no tree is
/// deeper than 55, and a stack of 128 entries holds every traversal.
constexpr int heuristic_depth = 24;

BoundingBox nothing() {
  return {Vector3::Constant(std::numeric_limits<double>::infinity()),
          Vector3::Constant(-std::numeric_limits<double>::infinity())};
}

void extend(BoundingBox& box, const BoundingBox& other) {
  box.min = box.min.cwiseMin(other.min);
  box.max = box.max.cwiseMax(other.max);
}

double half_area(const BoundingBox& box) {
  const Vector3 size = box.max - box.min;
  return size.x() * size.y() + size.y() * size.z() + size.z() * size.x();
}

/// Places the centres of a range into equal bins along one axis.
struct Bins {
  int axis = 0;
  double low = 0.0;
  double scale = 0.0;  ///< bins per metre

  [[nodiscard]] int operator()(const Vector3& center) const {
    return std::clamp(static_cast<int>((center(axis) - low) * scale), 0, bin_count - 1);
  }
};

class BvhBuilder {
 public:
  BvhBuilder(std::span<const BoundingBox> boxes, std::vector<Bvh::Node>& nodes, std::vector<int>& items)
      : boxes_(boxes), nodes_(nodes), items_(items) {
    for (const BoundingBox& box : boxes) centers_.push_back(0.5 * (box.min + box.max));
    for (int i = 0; i < static_cast<int>(boxes.size()); ++i) items_.push_back(i);
    nodes_.emplace_back();
    build(0, 0, static_cast<int>(boxes.size()), 0);
  }

 private:
  void build(std::size_t node, int begin, int end, int depth) {
    BoundingBox box = nothing();
    BoundingBox centers = nothing();
    for (int i = begin; i < end; ++i) {
      extend(box, boxes_[items_[i]]);
      extend(centers, {centers_[items_[i]], centers_[items_[i]]});
    }
    nodes_[node].box = box;
    if (end - begin <= items_per_leaf) {
      nodes_[node].first = begin;
      nodes_[node].count = end - begin;
      return;
    }
    const int middle = divide(begin, end, centers, depth);
    const std::size_t left = nodes_.size();
    nodes_.resize(left + 2);
    nodes_[node].first = static_cast<int>(left);
    build(left, begin, middle, depth + 1);
    build(left + 1, middle, end, depth + 1);
  }

  /// Reorders the range and returns where its right half starts; neither half is empty. The centres are
  /// divided along the axis where they are spread most: trying all three takes thrice as long for
  /// a tree that is no faster.
  int divide(int begin, int end, const BoundingBox& centers, int depth) {
    Bins bins;
    const double size = (centers.max - centers.min).maxCoeff(&bins.axis);
    bins.low = centers.min(bins.axis);
    // Slightly less than a full bin, so that rounding puts the highest centre into the last one.
    bins.scale = bin_count * (1.0 - 1e-9) / size;
    if (depth < heuristic_depth && size > 0.0 && std::isfinite(size) && std::isfinite(bins.scale)) {
      const int bin = best_bin(begin, end, bins);
      const auto middle = std::partition(items_.begin() + begin, items_.begin() + end,
                                         [&](int item) { return bins(centers_[item]) < bin; });
      return static_cast<int>(middle - items_.begin());
    }
    const int middle = begin + (end - begin) / 2;
    std::nth_element(items_.begin() + begin, items_.begin() + middle, items_.begin() + end,
                     [&](int a, int b) {
                       const double x = centers_[a](bins.axis);
                       const double y = centers_[b](bins.axis);
                       return x != y ? x < y : a < b;
                     });
    return middle;
  }

  /// The first bin of the right half for the least expected work: area of each side times the items in it.
  /// The lowest centre is in the first bin and the highest in the last one, so neither half is empty.
  [[nodiscard]] int best_bin(int begin, int end, const Bins& bins) const {
    std::array<BoundingBox, bin_count> box;
    std::array<int, bin_count> count{};
    box.fill(nothing());
    for (int i = begin; i < end; ++i) {
      const int bin = bins(centers_[items_[i]]);
      extend(box[bin], boxes_[items_[i]]);
      ++count[bin];
    }
    std::array<double, bin_count> right_cost{};
    BoundingBox sum = nothing();
    int total = 0;
    for (int bin = bin_count - 1; bin > 0; --bin) {
      extend(sum, box[bin]);
      total += count[bin];
      right_cost[bin] = half_area(sum) * total;
    }
    int best = 1;
    double least = std::numeric_limits<double>::infinity();
    sum = nothing();
    total = 0;
    for (int bin = 1; bin < bin_count; ++bin) {
      extend(sum, box[bin - 1]);
      total += count[bin - 1];
      const double cost = half_area(sum) * total + right_cost[bin];
      if (cost < least) {
        least = cost;
        best = bin;
      }
    }
    return best;
  }

  std::span<const BoundingBox> boxes_;
  std::vector<Bvh::Node>& nodes_;
  std::vector<int>& items_;
  std::vector<Vector3> centers_;
};

}  // namespace

Bvh::Bvh(std::span<const BoundingBox> boxes) {
  if (!boxes.empty()) BvhBuilder(boxes, nodes_, items_);
}

}  // namespace limber
