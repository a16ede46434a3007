#include "limber/io/model_mesh.hpp"

#include "limber/draw/color.hpp"
#include "limber/warp/rotation.hpp"

#include <numeric>
#include <utility>

namespace limber {
namespace {

using nlohmann::json;

constexpr double roughness = 0.6;  ///< like rubber: soft highlights, which show how a surface bends

json make_material(const std::string& name, const Vector3& srgb) {
  const Color color = srgb_to_linear(srgb.cwiseMax(0.0).cwiseMin(1.0));
  json material = {{"pbrMetallicRoughness",
                    {{"baseColorFactor", {color.x(), color.y(), color.z(), 1.0}},
                     {"metallicFactor", 0.0},
                     {"roughnessFactor", roughness}}},
                   {"doubleSided", true}};  // surfaces may have holes
  if (!name.empty()) material["name"] = name;
  return material;
}

/// The corners of the triangles of each part.
std::vector<std::vector<std::uint32_t>> corners_by_part(const SurfaceMesh& surface) {
  std::vector<std::vector<std::uint32_t>> corners(surface.parts.size());
  for (Index t = 0; t < surface.triangle_count(); ++t) {
    auto& part = corners[static_cast<std::size_t>(surface.part[static_cast<std::size_t>(t)])];
    for (const int corner : surface.triangles.col(t)) part.push_back(static_cast<std::uint32_t>(corner));
  }
  return corners;
}

json add_targets(GlbBuilder& builder, const MorphShape& shape) {
  json targets = json::array();
  const auto column = [&](const Eigen::MatrixXf& values, Index t) {
    const Eigen::Map<const Eigen::Matrix3Xf> field(values.col(t).data(), 3, shape.positions.cols());
    return builder.add_floats(field, true);
  };
  for (Index t = 0; t < shape.targets.cols(); ++t) {
    targets.push_back({{"POSITION", column(shape.targets, t)}, {"NORMAL", column(shape.normals.deltas, t)}});
  }
  return targets;
}

}  // namespace

std::vector<int> primitive_numbers(const SurfaceMesh& surface) {
  std::vector<int> numbers(surface.parts.size(), -1);
  for (const int part : surface.part) numbers[static_cast<std::size_t>(part)] = 0;
  int next = 0;
  for (int& number : numbers) {
    if (number == 0) number = next++;
  }
  return numbers;
}

int add_morph_mesh(GlbBuilder& builder, const ReducedSurface& surface, const MorphShape& shape,
                   const std::string& name) {
  const json attributes = {{"POSITION", builder.add_floats(shape.positions, true)},
                           {"NORMAL", builder.add_floats(shape.normals.base, true)}};
  const json targets = add_targets(builder, shape);
  const auto corners = corners_by_part(surface.mesh);
  json& document = builder.document;
  json mesh = {{"primitives", json::array()}};
  for (std::size_t p = 0; p < corners.size(); ++p) {
    if (corners[p].empty()) continue;
    document["materials"].push_back(make_material(surface.mesh.parts[p], surface.colors[p]));
    json primitive = {{"attributes", attributes},
                      {"indices", builder.add_indices(corners[p])},
                      {"material", document["materials"].size() - 1}};
    if (!targets.empty()) primitive["targets"] = targets;
    mesh["primitives"].push_back(std::move(primitive));
  }
  if (!targets.empty()) {
    mesh["weights"] = shape.weights;
    mesh["extras"]["targetNames"] = shape.names;  // where Blender and three.js look for them
  }
  if (!name.empty()) mesh["name"] = name;
  document["meshes"].push_back(std::move(mesh));
  return static_cast<int>(document["meshes"].size() - 1);
}

int add_node(GlbBuilder& builder, int mesh, const std::string& name) {
  json node = {{"mesh", mesh}};
  if (!name.empty()) node["name"] = name;
  builder.document["nodes"].push_back(std::move(node));
  return static_cast<int>(builder.document["nodes"].size() - 1);
}

void place_node(GlbBuilder& builder, int node, const Vector3& position, const Eigen::Vector4d& rotation,
                double scale) {
  json& item = builder.document["nodes"][static_cast<std::size_t>(node)];
  if (!position.isZero(0.0)) item["translation"] = std::vector<double>(position.begin(), position.end());
  if (rotation != Eigen::Vector4d::UnitW()) {
    item["rotation"] = std::vector<double>(rotation.begin(), rotation.end());
  }
  if (scale != 1.0) item["scale"] = std::vector<double>(3, scale);
}

void add_scene(GlbBuilder& builder) {
  std::vector<int> nodes(builder.document["nodes"].size());
  std::iota(nodes.begin(), nodes.end(), 0);
  builder.document["scenes"] = {{{"nodes", nodes}}};
  builder.document["scene"] = 0;
}

void add_scene(GlbBuilder& builder, const Vector3& up) {
  add_scene(builder);
  if (up.isApprox(up.norm() * Vector3::UnitY())) return;
  nlohmann::json& nodes = builder.document["nodes"];
  nlohmann::json& roots = builder.document["scenes"][0]["nodes"];
  const auto number = static_cast<int>(nodes.size());
  nodes.push_back({{"name", "upright"}, {"children", roots}});
  place_node(builder, number, Vector3::Zero(), rotation_between(up, Vector3::UnitY()).coeffs(), 1.0);
  builder.document["scenes"][0]["nodes"] = {number};
}

}  // namespace limber
