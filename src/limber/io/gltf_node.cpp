#include "limber/io/gltf_node.hpp"

#include <Eigen/LU>
#include <fmt/format.h>

#include <cmath>
#include <optional>
#include <vector>

namespace limber {
namespace {

/// `count` numbers of the list of a key; nothing where there is none.
std::optional<std::vector<double>> find_numbers(const JsonValue& object, std::string_view key,
                                                std::size_t count) {
  const std::optional<JsonValue> list = object.find(key);
  if (!list) return std::nullopt;
  if (list->size() != count) list->fail(fmt::format("expected {} numbers, found {}", count, list->size()));
  std::vector<double> numbers;
  for (std::size_t i = 0; i < count; ++i) numbers.push_back(list->at(i).number());
  return numbers;
}

std::optional<Eigen::Affine3d> find_matrix(const JsonValue& node) {
  const auto numbers = find_numbers(node, "matrix", 16);
  if (!numbers) return std::nullopt;
  const Eigen::Map<const Eigen::Matrix4d> matrix(numbers->data());  // by columns
  if (matrix.row(3) != Eigen::RowVector4d(0.0, 0.0, 0.0, 1.0)) {
    node.at("matrix").fail("expected 0 0 0 1 as the last row");
  }
  return Eigen::Affine3d(matrix);
}

GltfPlacement read_placement(const JsonValue& node) {
  GltfPlacement placement;
  if (const auto t = find_numbers(node, "translation", 3)) placement.translation = Vector3(t->data());
  if (const auto r = find_numbers(node, "rotation", 4)) {
    const Eigen::Quaterniond rotation(r->at(3), r->at(0), r->at(1), r->at(2));
    const double length = rotation.norm();
    if (!(length > 0.0) || !std::isfinite(length)) node.at("rotation").fail("expected a unit quaternion");
    placement.rotation = rotation.normalized();  // rounded to floats it is no unit quaternion any more
  }
  if (const auto s = find_numbers(node, "scale", 3)) placement.scale = Vector3(s->data());
  return placement;
}

}  // namespace

Eigen::Affine3d read_node_transform(const JsonValue& node) {
  if (const auto matrix = find_matrix(node)) return *matrix;
  const GltfPlacement placement = read_placement(node);
  return Eigen::Translation3d(placement.translation) * placement.rotation * Eigen::Scaling(placement.scale);
}

GltfPlacement read_node_placement(const JsonValue& node) {
  const auto matrix = find_matrix(node);
  if (!matrix) return read_placement(node);
  GltfPlacement placement;
  placement.translation = matrix->translation();
  placement.scale = matrix->linear().colwise().norm();
  const Matrix3 axes = matrix->linear() * placement.scale.cwiseInverse().asDiagonal();
  const double volume = axes.determinant();  // 1 or -1 without shear
  if (!(std::abs(volume) > 1e-6)) node.at("matrix").fail("flattens space, expected one that can be undone");
  if (volume < 0.0) placement.scale.x() *= -1.0;
  Matrix3 turn;
  turn.col(0) = (volume < 0.0 ? -1.0 : 1.0) * axes.col(0);
  turn.col(2) = turn.col(0).cross(axes.col(1)).normalized();
  turn.col(1) = turn.col(2).cross(turn.col(0));
  placement.rotation = Eigen::Quaterniond(turn).normalized();
  return placement;
}

}  // namespace limber
