#include "limber/io/gltf.hpp"

#include "limber/base/error.hpp"
#include "limber/io/gltf_node.hpp"
#include "limber/io/text_source.hpp"
#include "limber/mesh/polygon.hpp"

#include <Eigen/Geometry>

#include <algorithm>
#include <array>
#include <limits>
#include <map>
#include <numeric>
#include <utility>

namespace limber {
namespace {

using Transform = Eigen::Affine3d;

/// Vertices and corners of triangles; bounds the memory that a small file with many instances can ask for to
/// some gigabytes.
constexpr std::size_t max_items = 200'000'000;

/// Extensions that only change how a surface looks.
bool is_harmless(std::string_view extension) {
  constexpr std::array<std::string_view, 8> prefixes{
      "KHR_mesh_quantization", "KHR_materials_", "KHR_texture_", "KHR_lights_",
      "EXT_texture_",          "EXT_lights_",    "KHR_xmp",      "MSFT_texture_"};
  return std::any_of(prefixes.begin(), prefixes.end(),
                     [&](std::string_view p) { return extension.starts_with(p); });
}

void check_extensions(const JsonValue& document) {
  const std::optional<JsonValue> required = document.find("extensionsRequired");
  for (std::size_t i = 0; required && i < required->size(); ++i) {
    const JsonValue item = required->at(i);
    const std::string& name = item.text();
    if (is_harmless(name)) continue;
    if (name == "KHR_draco_mesh_compression" || name.ends_with("meshopt_compression")) {
      item.fail(fmt::format(
          "the meshes are compressed ({}); export without compression, or run 'gltf-transform copy' "
          "on the file",
          name));
    }
    item.fail(fmt::format("the file needs the extension '{}', which limber does not know; export without it",
                          printable(name)));
  }
}

class GltfReader {
 public:
  GltfReader(std::string_view content, std::string_view where, const FileLoader& load)
      : container_(content, where, load), root_(container_.root()), where_(where) {}

  SurfaceMesh read() {
    check_extensions(root_);
    if (!root_.find("meshes")) root_.fail("has no meshes, expected a surface");
    if (root_.find("nodes")) {
      find_in_scene();
    } else {
      const JsonValue meshes = root_.at("meshes");
      for (std::size_t m = 0; m < meshes.size(); ++m) {
        shown_.push_back({meshes.at(m), std::nullopt, Transform::Identity()});
      }
    }
    check_size();
    for (const Shown& shown : shown_) {
      const JsonValue primitives = shown.mesh.at("primitives");
      for (std::size_t p = 0; p < primitives.size(); ++p) read_primitive(primitives.at(p), shown);
    }
    require(!soup_.ends.empty(), "{}: has no triangles in its scene, expected a surface", where_);
    return triangulate(std::move(soup_), where_);
  }

 private:
  struct Visit {
    std::size_t node;
    Transform parent;
  };

  /// A mesh as a node shows it.
  struct Shown {
    JsonValue mesh;
    std::optional<JsonValue> node_name;
    Transform transform;

    [[nodiscard]] std::string name() const {
      if (node_name) return node_name->text();
      const auto mesh_name = mesh.find("name");
      return mesh_name ? mesh_name->text() : std::string();
    }
  };

  [[nodiscard]] std::vector<std::size_t> node_numbers(const JsonValue& list) const {
    const auto last = static_cast<std::int64_t>(root_.at("nodes").size()) - 1;
    std::vector<std::size_t> numbers;
    for (std::size_t i = 0; i < list.size(); ++i) {
      numbers.push_back(static_cast<std::size_t>(list.at(i).integer(0, last)));
    }
    return numbers;
  }

  /// The nodes of the default scene or, where there are no scenes, those without parents.
  [[nodiscard]] std::vector<std::size_t> find_roots() const {
    const JsonValue nodes = root_.at("nodes");
    if (const auto scenes = root_.find("scenes"); scenes && scenes->size() > 0) {
      const auto number = root_.integer_or("scene", 0, static_cast<std::int64_t>(scenes->size()) - 1, 0);
      const auto list = scenes->at(static_cast<std::size_t>(number)).find("nodes");
      return list ? node_numbers(*list) : std::vector<std::size_t>{};
    }
    std::vector<bool> is_child(nodes.size(), false);
    for (std::size_t n = 0; n < nodes.size(); ++n) {
      const auto children = nodes.at(n).find("children");
      if (!children) continue;
      for (const std::size_t child : node_numbers(*children)) is_child[child] = true;
    }
    std::vector<std::size_t> roots;
    for (std::size_t n = 0; n < nodes.size(); ++n) {
      if (!is_child[n]) roots.push_back(n);
    }
    return roots;
  }

  void find_in_scene() {
    const JsonValue nodes = root_.at("nodes");
    std::vector<bool> seen(nodes.size(), false);
    std::vector<Visit> open;  // depth first, siblings in order
    const auto push = [&](const std::vector<std::size_t>& numbers, const Transform& parent) {
      for (auto n = numbers.rbegin(); n != numbers.rend(); ++n) open.push_back({*n, parent});
    };
    push(find_roots(), Transform::Identity());
    while (!open.empty()) {
      const Visit visit = open.back();
      open.pop_back();
      const JsonValue node = nodes.at(visit.node);
      if (seen[visit.node]) node.fail("has two parents or is its own ancestor, expected a tree");
      seen[visit.node] = true;
      const Transform transform = visit.parent * read_node_transform(node);
      if (!transform.matrix().allFinite()) node.fail("its transform is beyond the range of numbers");
      if (const auto children = node.find("children")) push(node_numbers(*children), transform);
      if (node.find("mesh")) add_node(node, transform);
    }
  }

  void add_node(const JsonValue& node, const Transform& transform) {
    if (const auto extensions = node.find("extensions");
        extensions && extensions->find("EXT_mesh_gpu_instancing")) {
      node.fail("instances in attributes (EXT_mesh_gpu_instancing) are not read; export without them");
    }
    // The transform of a node does not move a skinned mesh (section 3.7.3.3).
    const bool skinned = node.find("skin").has_value();
    shown_.push_back({node.at("mesh").item_of(root_, "meshes"), node.find("name"),
                      skinned ? Transform::Identity() : transform});
  }

  /// Throws where so many meshes are shown so many times that memory would run out. Comes before any is read.
  void check_size() const {
    std::map<const nlohmann::json*, std::size_t> sizes;  // vertices and corners of each mesh
    std::size_t total = 0;
    for (const Shown& shown : shown_) {
      const auto [size, is_new] = sizes.try_emplace(&shown.mesh.json(), 0);
      const JsonValue primitives = shown.mesh.at("primitives");
      for (std::size_t p = 0; is_new && p < primitives.size(); ++p) size->second += size_of(primitives.at(p));
      total += size->second;
      require(total <= max_items,
              "{}: has more than {} vertices and corners, counting every instance; split it", where_,
              max_items);
    }
  }

  /// Vertices and corners, at least 1.
  [[nodiscard]] std::size_t size_of(const JsonValue& primitive) const {
    if (mode_of(primitive) < 4) return 1;
    const JsonValue position = primitive.at("attributes").at("POSITION");
    if (const auto extensions = primitive.find("extensions");
        extensions && extensions->find("KHR_draco_mesh_compression") &&
        !position.item_of(root_, "accessors").find("bufferView")) {
      primitive.fail(
          "is compressed (KHR_draco_mesh_compression); export without compression, or run 'gltf-transform "
          "copy' on the file");
    }
    const auto indices = primitive.find("indices");
    const std::int64_t corners = indices ? container_.describe(*indices).count : 0;
    return static_cast<std::size_t>(container_.describe(position).count + corners);
  }

  /// 4 triangles, 5 a strip, 6 a fan; less for points and lines.
  static std::int64_t mode_of(const JsonValue& primitive) { return primitive.integer_or("mode", 0, 6, 4); }

  void read_primitive(const JsonValue& primitive, const Shown& shown) {
    const std::int64_t mode = mode_of(primitive);
    if (mode < 4) return;
    const JsonValue position = primitive.at("attributes").at("POSITION");
    const GltfAccessor accessor = container_.describe(position);
    std::vector<std::uint32_t> indices;
    if (const auto reference = primitive.find("indices")) {
      indices = container_.read_indices(*reference, accessor.count);
    } else {
      indices.resize(static_cast<std::size_t>(accessor.count));
      std::iota(indices.begin(), indices.end(), 0U);
    }
    if (mode == 4 && indices.size() % 3 != 0) {
      primitive.fail(fmt::format("{} corners of triangles, expected a multiple of 3", indices.size()));
    }
    const int first = first_vertex(position, shown.transform);
    append_triangles(mode, indices, first, soup_.parts.number_of(shown.name()),
                     shown.transform.linear().determinant() < 0.0);
  }

  /// The number of the first of the vertices of an accessor as the transform places them. Primitives that
  /// share them stay connected.
  int first_vertex(const JsonValue& position, const Transform& transform) {
    std::pair<std::int64_t, std::array<double, 12>> key{};
    key.first = position.integer(0, std::numeric_limits<int>::max());
    Eigen::Map<Eigen::Matrix<double, 3, 4>>(key.second.data()) = transform.affine();
    const auto [entry, is_new] = placed_.try_emplace(key, static_cast<int>(soup_.vertex_count()));
    if (!is_new) return entry->second;

    const GltfAccessor accessor = container_.describe(position);
    if (accessor.rows != 3 || accessor.columns != 1) {
      position.item_of(root_, "accessors").fail("expected VEC3 for POSITION");
    }
    Matrix3X vertices = container_.read(position);
    if (transform.matrix() != Eigen::Matrix4d::Identity()) vertices = transform * vertices;
    soup_.coordinates.insert(soup_.coordinates.end(), vertices.data(), vertices.data() + vertices.size());
    return entry->second;
  }

  void append_triangles(std::int64_t mode, const std::vector<std::uint32_t>& indices, int first, int part,
                        bool mirrored) {
    const auto append = [&](std::size_t a, std::size_t b, std::size_t c) {
      // In strips and fans a repeated corner only joins what follows.
      const bool degenerate =
          indices[a] == indices[b] || indices[b] == indices[c] || indices[c] == indices[a];
      if (mode != 4 && degenerate) return;
      if (mirrored) std::swap(b, c);
      for (const std::size_t corner : {a, b, c}) {
        soup_.corners.push_back(first + static_cast<int>(indices[corner]));
      }
      soup_.end_polygon(part);
    };
    if (mode == 4) {
      for (std::size_t i = 0; i + 2 < indices.size(); i += 3) append(i, i + 1, i + 2);
    } else if (mode == 5) {
      for (std::size_t i = 0; i + 2 < indices.size(); ++i) append(i, i + 1 + i % 2, i + 2 - i % 2);
    } else {
      for (std::size_t i = 1; i + 1 < indices.size(); ++i) append(i, i + 1, 0);
    }
  }

  GltfContainer container_;
  JsonValue root_;
  std::string_view where_;
  std::vector<Shown> shown_;
  PolygonSoup soup_;
  std::map<std::pair<std::int64_t, std::array<double, 12>>, int> placed_;  ///< first vertices
};

}  // namespace

SurfaceMesh parse_gltf(std::string_view content, std::string_view where, const FileLoader& load) {
  return GltfReader(content, where, load).read();
}

std::string encode_glb(const SurfaceMesh& surface, std::string_view where) {
  check_surface(surface, where);
  std::vector<std::vector<std::uint32_t>> indices(surface.parts.size());
  for (Index t = 0; t < surface.triangle_count(); ++t) {
    auto& part = indices[static_cast<std::size_t>(surface.part[static_cast<std::size_t>(t)])];
    for (const int corner : surface.triangles.col(t)) part.push_back(static_cast<std::uint32_t>(corner));
  }
  GlbBuilder builder;
  const int position = builder.add_floats(surface.vertices.cast<float>(), true);
  nlohmann::json scene_nodes = nlohmann::json::array();
  for (std::size_t p = 0; p < indices.size(); ++p) {
    if (indices[p].empty()) continue;
    nlohmann::json primitive = {{"attributes", {{"POSITION", position}}},
                                {"indices", builder.add_indices(indices[p])}};
    nlohmann::json mesh = {{"primitives", {std::move(primitive)}}};
    nlohmann::json node = {{"mesh", scene_nodes.size()}};
    if (!surface.parts[p].empty()) node["name"] = mesh["name"] = surface.parts[p];
    scene_nodes.push_back(scene_nodes.size());
    builder.document["meshes"].push_back(std::move(mesh));
    builder.document["nodes"].push_back(std::move(node));
  }
  builder.document["scenes"] = {{{"nodes", std::move(scene_nodes)}}};
  builder.document["scene"] = 0;
  return builder.encode(where, "use PLY");
}

}  // namespace limber
