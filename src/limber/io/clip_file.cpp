#include "limber/io/clip_file.hpp"

#include "limber/base/error.hpp"
#include "limber/base/file.hpp"
#include "limber/io/clip_builder.hpp"
#include "limber/io/gltf_container.hpp"
#include "limber/warp/rotation.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <utility>

namespace limber {
namespace {

/// Pairs of a node and a frame that the normals of a shape are fitted to: more add nothing but time.
constexpr Index max_samples = 200;

void check_node(const ClipNode& node, Index frames, std::string_view where) {
  require(node.surface != nullptr, "{}: the body '{}' has no surface", where, node.name);
  const Index rank = node.surface->basis.cols();
  require(node.coordinates.cols() == frames && node.coordinates.rows() <= rank,
          "{}: the motion of '{}' is {} x {}, expected at most {} coordinates x {} frames", where, node.name,
          node.coordinates.rows(), node.coordinates.cols(), rank, frames);
  require((node.coordinates.array().abs() < largest_clip_number).all(),
          "{}: the motion of '{}' has coordinates that are not finite or beyond 1e30", where, node.name);
  check_clip_up(node.up, node.name, where);
  require(node.frame.empty() || static_cast<Index>(node.frame.size()) == frames,
          "{}: the frame of '{}' has {} poses, expected none or {}, one per frame", where, node.name,
          node.frame.size(), frames);
  for (std::size_t f = 0; f < node.frame.size(); ++f) {
    const Pose& pose = node.frame[f];
    require((pose.position.array().abs() < largest_clip_number).all(),
            "{}: pose {} of '{}' is at ({}, {}, {}), expected finite numbers below 1e30", where, f, node.name,
            pose.position.x(), pose.position.y(), pose.position.z());
    require(is_unit(pose.rotation), "{}: pose {} of '{}' has a quaternion of length {}, expected 1", where, f,
            node.name, pose.rotation.norm());
  }
  require(node.scale > 0.0 && node.scale < largest_clip_number,
          "{}: the scale of '{}' is {}, expected a positive number below 1e30", where, node.name, node.scale);
}

/// The nodes that show one surface.
using ShapeUses = std::vector<const ClipNode*>;

template <class Numbers>
bool same_numbers(const Numbers& one, const Numbers& other) {
  return one.rows() == other.rows() && one.cols() == other.cols() && one == other;
}

/// Whether two surfaces are one: bodies that are alike may have models of their own, which are copies.
bool same_surface(const ReducedSurface& one, const ReducedSurface& other) {
  return &one == &other || (same_numbers(one.mesh.vertices, other.mesh.vertices) &&
                            same_numbers(one.mesh.triangles, other.mesh.triangles) &&
                            one.mesh.part == other.mesh.part && one.mesh.parts == other.mesh.parts &&
                            one.colors == other.colors && same_numbers(one.basis, other.basis));
}

/// In the order in which nodes first show them.
std::vector<ShapeUses> find_shapes(std::span<const ClipNode> nodes) {
  std::vector<ShapeUses> shapes;
  std::map<const ReducedSurface*, std::size_t> numbers;
  for (const ClipNode& node : nodes) {
    const auto [number, added] = numbers.emplace(node.surface, shapes.size());
    if (added) {
      const auto same = std::find_if(shapes.begin(), shapes.end(), [&](const ShapeUses& uses) {
        return same_surface(*uses.front()->surface, *node.surface);
      });
      number->second = static_cast<std::size_t>(same - shapes.begin());
      if (same == shapes.end()) shapes.emplace_back();
    }
    shapes[number->second].push_back(&node);
  }
  return shapes;
}

/// Number k of a sequence that spreads evenly over `count` items. With an irrational number of its own each,
/// several of these cover all combinations evenly.
Index spread(Index k, Index count, double irrational) {
  const double turns = irrational * static_cast<double>(k);
  return std::min(static_cast<Index>((turns - std::floor(turns)) * static_cast<double>(count)), count - 1);
}

/// Coordinates of a shape in some of its nodes and frames; all where there are few.
Matrix sample_shape(const ShapeUses& uses, Index frames) {
  const auto nodes = static_cast<Index>(uses.size());
  const Index pairs = nodes * frames;
  Matrix q = Matrix::Zero(uses.front()->surface->basis.cols(), std::min(pairs, max_samples));
  for (Index k = 0; k < q.cols(); ++k) {
    // Powers of one over the root of x^3 = x + 1, which cover a square best.
    const Index use = pairs > max_samples ? spread(k, nodes, 0.7548776662466927) : k / frames;
    const Index frame = pairs > max_samples ? spread(k, frames, 0.5698402909980532) : k % frames;
    const Matrix& of_node = uses[static_cast<std::size_t>(use)]->coordinates;
    q.col(k).head(of_node.rows()) = of_node.col(frame);
  }
  return q;
}

ClipEncoding encoding_of(const ShapeUses& uses) {
  Vector least = Vector::Zero(uses.front()->surface->basis.cols()), most = least;
  for (const ClipNode* node : uses) {
    const Index rank = node->coordinates.rows();
    least.head(rank) = least.head(rank).cwiseMin(node->coordinates.rowwise().minCoeff());
    most.head(rank) = most.head(rank).cwiseMax(node->coordinates.rowwise().maxCoeff());
  }
  return {least, most};
}

/// A surface in the clip.
struct ClipShape {
  int mesh;
  ClipEncoding encoding;
};

ClipShape add_shape(ClipBuilder& clip, const ShapeUses& uses) {
  const ClipNode& first = *uses.front();
  ClipEncoding encoding = encoding_of(uses);
  const Matrix samples = encoding.weights(sample_shape(uses, clip.frame_count()));
  const std::string& name = first.shape.empty() ? first.name : first.shape;
  const int mesh = clip.add_mesh(*first.surface, encoding, samples, name.empty() ? "body" : name);
  return {mesh, std::move(encoding)};
}

void add_clip_node(ClipBuilder& clip, const ClipNode& node, const ClipShape& shape) {
  const int number = clip.add_node(shape.mesh, node.name.empty() ? "body" : node.name);
  clip.move(number, node.frame.empty() ? std::vector<Pose>(1) : node.frame, node.up, node.scale);
  if (node.coordinates.isZero(0.0)) return;
  Matrix q = Matrix::Zero(node.surface->basis.cols(), clip.frame_count());
  q.topRows(node.coordinates.rows()) = node.coordinates;
  clip.deform(number, shape.encoding.weights(q));
}

/// Numbers that a channel of this path sets at a time; 0: of a path that viewers pass over.
std::int64_t channel_width(const JsonValue& root, const JsonValue& node, const std::string& path) {
  if (path == "translation" || path == "scale") return 3;
  if (path == "rotation") return 4;
  if (path != "weights") return 0;
  const JsonValue primitives = node.at("mesh").item_of(root, "meshes").at("primitives");
  const auto targets = primitives.at(std::size_t{0}).find("targets");
  return targets ? static_cast<std::int64_t>(targets->size()) : 0;
}

/// Each accessor of times is read once, however many samplers name it.
class ClipTimes {
 public:
  explicit ClipTimes(const GltfContainer& container)
      : container_(container), left_(static_cast<std::int64_t>(container.total_bytes())) {}

  const Vector& at(const JsonValue& input) {
    constexpr std::int64_t most = std::int64_t{1} << 31;
    const auto [entry, added] = known_.try_emplace(input.integer(0, most));
    if (!added) return entry->second;
    left_ -= container_.describe(input).count;
    if (left_ < 0) input.fail("the accessors up to this one have more numbers than the file has bytes");
    const Eigen::MatrixXd found = container_.read(input);
    if (found.rows() != 1 || found.size() == 0) input.fail("expected times (SCALAR), one at least");
    for (Index k = 1; k < found.size(); ++k)
      if (found(k) <= found(k - 1)) input.fail("expected ascending times");
    entry->second = found.reshaped();
    return entry->second;
  }

 private:
  const GltfContainer& container_;
  std::int64_t left_;  ///< numbers: others could fill the memory many times over
  std::map<std::int64_t, Vector> known_;
};

void check_channel(const GltfContainer& container, ClipTimes& all, const JsonValue& animation,
                   const JsonValue& channel) {
  const JsonValue target = channel.at("target");
  const auto number = target.find("node");
  if (!number) return;
  const JsonValue root = container.root();
  const std::string& path = target.at("path").text();
  const std::int64_t width = channel_width(root, number->item_of(root, "nodes"), path);
  if (width == 0) channel.fail(fmt::format("animates the {} of a node that has none", path));
  const JsonValue sampler = channel.at("sampler").item_of(animation, "samplers");
  const Vector& times = all.at(sampler.at("input"));
  const auto interpolation = sampler.find("interpolation");
  const std::int64_t each = interpolation && interpolation->text() == "CUBICSPLINE" ? 3 : 1;
  const GltfAccessor values = container.describe(sampler.at("output"));
  const std::int64_t expected = times.size() * width * each;
  if (times.size() == 0 || values.count * values.rows != expected) {
    sampler.at("output").fail(fmt::format("has {} numbers for {} keys of the {}, expected {}",
                                          values.count * values.rows, times.size(), path, expected));
  }
}

}  // namespace

std::string encode_animation(std::span<const double> times, std::span<const ClipNode> nodes,
                             std::string_view where) {
  ClipBuilder clip(times, where);
  require(!nodes.empty(), "{}: a clip needs at least one body", where);
  for (const ClipNode& node : nodes) check_node(node, clip.frame_count(), where);
  std::map<const ReducedSurface*, ClipShape> shapes;
  for (const ShapeUses& uses : find_shapes(nodes)) {
    check_clip_surface(*uses.front()->surface, uses.front()->name, where);
    const ClipShape shape = add_shape(clip, uses);
    for (const ClipNode* node : uses) shapes.emplace(node->surface, shape);
  }
  for (const ClipNode& node : nodes) add_clip_node(clip, node, shapes.at(node.surface));
  return clip.encode();
}

void write_animation(const std::filesystem::path& path, std::span<const double> times,
                     std::span<const ClipNode> nodes) {
  write_file(path, encode_animation(times, nodes, path.string()),
             [](std::span<const std::string> contents) { check_clip(contents.front(), "its content"); });
}

namespace {

/// Triangles of so many corners, by the mode of a primitive; of points and lines none.
std::int64_t triangles_of(std::int64_t corners, std::int64_t mode) {
  if (mode == 4) return corners / 3;
  return mode > 4 ? std::max<std::int64_t>(corners - 2, 0) : 0;
}

/// Vertices and triangles of a mesh; its primitives may share vertices.
ClipContents::Shown count_mesh(const GltfContainer& container, const JsonValue& mesh) {
  ClipContents::Shown counts;
  std::set<std::int64_t> counted;
  const JsonValue primitives = mesh.at("primitives");
  for (std::size_t p = 0; p < primitives.size(); ++p) {
    const JsonValue primitive = primitives.at(p);
    const JsonValue places = primitive.at("attributes").at("POSITION");
    const std::int64_t vertices = container.describe(places).count;
    if (counted.insert(places.integer(0, std::int64_t{1} << 31)).second) counts.vertices += vertices;
    const auto indices = primitive.find("indices");
    counts.triangles += triangles_of(indices ? container.describe(*indices).count : vertices,
                                     primitive.integer_or("mode", 0, 6, 4));
  }
  return counts;
}

}  // namespace

ClipContents describe_clip(std::string_view content, std::string_view where, const FileLoader& load) {
  const GltfContainer container(content, where, load);
  const JsonValue root = container.root();
  ClipContents found;
  ClipTimes all(container);
  const JsonValue samplers = root.at("animations").at(std::size_t{0}).at("samplers");
  for (std::size_t i = 0; i < samplers.size(); ++i) {
    const Vector& times = all.at(samplers.at(i).at("input"));
    if (times.size() <= found.frames) continue;
    found.frames = times.size();
    found.from = times(0);
    found.to = times(times.size() - 1);
  }
  std::map<std::int64_t, ClipContents::Shown> meshes;
  for (std::size_t n = 0; n < root.at("nodes").size(); ++n) {
    const JsonValue node = root.at("nodes").at(n);
    const auto mesh = node.find("mesh");
    if (!mesh) continue;
    const JsonValue item = mesh->item_of(root, "meshes");
    const auto [counts, added] = meshes.try_emplace(mesh->integer(0, std::int64_t{1} << 31));
    if (added) counts->second = count_mesh(container, item);
    ClipContents::Shown shown = counts->second;
    const auto name = node.find("name");
    shown.name = name && !name->text().empty() ? name->text() : fmt::format("node {}", n);
    found.nodes.push_back(std::move(shown));
  }
  return found;
}

bool looks_like_clip(std::string_view content, const FileLoader& load) {
  if (!looks_like_gltf(content)) return false;
  try {
    const GltfContainer container(content, "clip", load);
    const auto animations = container.root().find("animations");
    return animations && animations->size() > 0;
  } catch (const Error&) {
    return false;
  }
}

void check_playable(std::string_view content, std::string_view where) {
  check_clip(content, where);
  const GltfContainer container(content, where, {});
  const JsonValue animations = container.root().at("animations");
  ClipTimes all(container);
  for (std::size_t a = 0; a < animations.size(); ++a) {
    const JsonValue channels = animations.at(a).at("channels");
    for (std::size_t c = 0; c < channels.size(); ++c)
      check_channel(container, all, animations.at(a), channels.at(c));
  }
}

}  // namespace limber
