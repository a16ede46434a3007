#include "limber/draw/occlusion.hpp"

#include <Eigen/Geometry>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numbers>
#include <vector>

namespace limber {
namespace {

constexpr int packet = 8;              ///< discs handled at once
constexpr double ground_margin = 0.9;  ///< of the scene's extent, around its footprint

constexpr double finest_grid = 1e5;  ///< cells along the scene's extent, so that a cell's number fits 64 bits

/// A piece of surface small enough to lie in one cell.
struct Patch {
  std::int64_t cell;  ///< of the grid, and the axis direction it faces
  Vector3 moment;     ///< area times centre
  Vector3 normal;     ///< area times normal
  double area;
};

std::int64_t cell_number(const Vector3& offset, const Vector3& normal, double spacing) {
  const Eigen::Array<std::int64_t, 3, 1> cell = (offset / spacing).array().floor().cast<std::int64_t>();
  Index axis = 0;
  normal.cwiseAbs().maxCoeff(&axis);
  const std::int64_t facing = 2 * axis + (normal(axis) > 0.0 ? 1 : 0);
  return ((cell.x() << 40) + (cell.y() << 20) + cell.z()) * 6 + facing;
}

/// Splits each triangle into k^2 equal ones, about the size of a cell or smaller.
void add_patches(std::vector<Patch>& patches, const Caster& caster, const Vector3& origin, double spacing) {
  for (std::size_t t = 0; t < caster.surface->triangles.size(); ++t) {
    const auto corner = [&](int k) -> Vector3 {
      return caster.shape->vertices.col(caster.shape->triangles(k, caster.surface->triangles[t]));
    };
    const double whole = caster.surface->areas(static_cast<Index>(t));
    const Vector3 normal = caster.surface->normals.col(static_cast<Index>(t));
    const int k = static_cast<int>(std::ceil(1.5 * std::sqrt(whole) / spacing));
    const double area = whole / (static_cast<double>(k) * k);
    const Vector3 u = (corner(1) - corner(0)) / k;
    const Vector3 v = (corner(2) - corner(0)) / k;
    for (int i = 0; i < k; ++i) {
      for (int j = 0; j < 2 * (k - i) - 1; ++j) {  // upright triangles, and upside-down ones between them
        const double shift = j % 2 == 0 ? 1.0 / 3.0 : 2.0 / 3.0;
        const int row = j / 2;
        const Vector3 centre = corner(0) + (i + shift) * u + (row + shift) * v;
        patches.push_back(
            {cell_number(centre - origin, normal, spacing), area * centre, area * normal, area});
      }
    }
  }
}

/// Smooth step from 0 at t = 0 to 1 at t = 1.
float smooth(double t) {
  t = std::clamp(t, 0.0, 1.0);
  return static_cast<float>(t * t * (3.0 - 2.0 * t));
}

}  // namespace

Sky::Sky(std::span<const Caster> casters, int discs) {
  double total_area = 0.0;
  Vector3 low = Vector3::Constant(1e300);
  Vector3 high = -low;
  for (const auto& [shape, surface] : casters) {
    const Matrix3X points = used_points(*shape, *surface);
    if (points.cols() == 0) continue;
    low = low.cwiseMin(points.rowwise().minCoeff());
    high = high.cwiseMax(points.rowwise().maxCoeff());
    total_area += surface->areas.sum();
  }
  if (!(total_area > 0.0)) return;
  origin_ = low;
  scale_ = (high - low).norm();
  spacing_ = std::max(std::sqrt(total_area / discs), scale_ / finest_grid);

  std::vector<Patch> patches;
  for (const Caster& caster : casters) add_patches(patches, caster, low, spacing_);
  std::stable_sort(patches.begin(), patches.end(),
                   [](const Patch& a, const Patch& b) { return a.cell < b.cell; });
  discs_.setZero((static_cast<Index>(patches.size()) + packet - 1) / packet * packet, 7);
  Index used = 0;
  for (std::size_t i = 0; i < patches.size();) {
    Patch sum = patches[i];
    while (++i < patches.size() && patches[i].cell == sum.cell) {
      sum.moment += patches[i].moment;
      sum.normal += patches[i].normal;
      sum.area += patches[i].area;
    }
    const Vector3 centre = (sum.moment / sum.area - origin_) / scale_;
    discs_.row(used).head<3>() = centre.cast<float>().transpose();
    discs_.row(used).segment<3>(3) = sum.normal.stableNormalized().cast<float>().transpose();
    discs_(used++, 6) = static_cast<float>(sum.normal.norm() / (scale_ * scale_));
  }
  discs_.conservativeResize((used + packet - 1) / packet * packet, 7);
}

float Sky::occlusion(const Vector3& point, const Vector3& normal) const {
  using Packet = Eigen::Array<float, packet, 1>;
  const Eigen::Vector3f p = ((point - origin_) / scale_).cast<float>();
  const Eigen::Vector3f n = normal.cast<float>();
  Packet sum = Packet::Zero();
  for (Index i = 0; i < discs_.rows(); i += packet) {
    const auto column = [&](int c) { return discs_.col(c).segment<packet>(i); };
    const Packet dx = column(0) - p.x();
    const Packet dy = column(1) - p.y();
    const Packet dz = column(2) - p.z();
    const Packet area = column(6);
    const Packet squared = dx * dx + dy * dy + dz * dz + 1e-12f;
    const Packet receives = (n.x() * dx + n.y() * dy + n.z() * dz).max(0.0f);
    const Packet faces = (-(column(3) * dx + column(4) * dy + column(5) * dz)).max(0.0f);
    sum += area * receives * faces / (squared * (std::numbers::pi_v<float> * squared + area));
  }
  return std::clamp(sum.sum(), 0.0f, 1.0f);
}

GroundShadow::GroundShadow(const Sky& sky, const Matrix3X& points, const Vector3& up, double height,
                           int cells, const Executor& executor)
    : up_(up), height_(height) {
  const Vector3 along = up.unitOrthogonal();
  axes_ << along.transpose(), up.cross(along).transpose();
  const Eigen::Matrix2Xd footprint = axes_ * points;
  const double extent = (points.rowwise().maxCoeff() - points.rowwise().minCoeff()).norm();
  const Eigen::Vector2d margin = Eigen::Vector2d::Constant(ground_margin * extent);
  low_ = footprint.rowwise().minCoeff() - margin;
  const Eigen::Vector2d size = footprint.rowwise().maxCoeff() + margin - low_;
  cell_ = size.maxCoeff() / cells;
  const Eigen::Vector2i shape = (size / cell_).array().ceil().cast<int>();
  grid_.setZero(shape.x() + 1, shape.y() + 1);
  executor.parallel_for(grid_.cols(), [&](Index j) {
    for (Index i = 0; i < grid_.rows(); ++i) {
      const Eigen::Vector2d place =
          low_ + cell_ * Eigen::Vector2d(static_cast<double>(i), static_cast<double>(j));
      const double rim = std::min((place - low_).minCoeff(), (low_ + size - place).minCoeff());
      // Seen from a spacing below: on the ground itself, a face that lies on it would hide nothing.
      const Vector3 point = axes_.transpose() * place + (height - sky.spacing()) * up;
      grid_(i, j) = sky.occlusion(point, up) * smooth(2.0 * rim / margin.x());
    }
  });
}

float GroundShadow::at(const Vector3& point) const {
  const Eigen::Vector2d place = (axes_ * point - low_) / cell_;
  const auto columns = static_cast<double>(grid_.rows() - 1);
  const auto rows = static_cast<double>(grid_.cols() - 1);
  if (!(place.x() >= 0.0 && place.y() >= 0.0 && place.x() < columns && place.y() < rows)) return 0.0f;
  const auto i = static_cast<Index>(place.x());
  const auto j = static_cast<Index>(place.y());
  const auto s = static_cast<float>(place.x() - static_cast<double>(i));
  const auto t = static_cast<float>(place.y() - static_cast<double>(j));
  return (1 - t) * ((1 - s) * grid_(i, j) + s * grid_(i + 1, j)) +
         t * ((1 - s) * grid_(i, j + 1) + s * grid_(i + 1, j + 1));
}

}  // namespace limber
