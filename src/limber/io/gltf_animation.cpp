#include "limber/io/gltf_animation.hpp"

#include "limber/base/error.hpp"
#include "limber/base/text.hpp"
#include "limber/io/gltf_node.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <tuple>
#include <utility>

namespace limber {
namespace {

enum class Steps { constant, linear, cubic };  ///< STEP, LINEAR, CUBICSPLINE

/// Values over time. Cubic: three columns per key, the tangent before it, the value and the tangent after it.
struct Sampler {
  std::shared_ptr<const std::vector<double>> times;  ///< s, ascending
  std::shared_ptr<const Matrix> values;              ///< 3 or 4 (quaternions, x y z w) rows
  Steps steps = Steps::linear;

  [[nodiscard]] auto key(std::size_t k) const {
    return values->col(static_cast<Index>(steps == Steps::cubic ? 3 * k + 1 : k));
  }

  /// The key before time t and the share of the way to the next, 0 to 1.
  [[nodiscard]] std::pair<std::size_t, double> locate(double t) const {
    if (!(t > times->front())) return {0, 0.0};
    if (t >= times->back()) return {times->size() - 1, 0.0};
    const auto next = std::upper_bound(times->begin(), times->end(), t);
    const auto k = static_cast<std::size_t>(next - times->begin()) - 1;
    return {k, steps == Steps::constant ? 0.0 : (t - (*times)[k]) / ((*times)[k + 1] - (*times)[k])};
  }

  /// Section C.4 of the specification, between keys k and k + 1.
  [[nodiscard]] Vector cubic(std::size_t k, double x) const {
    const double interval = (*times)[k + 1] - (*times)[k];
    const auto column = static_cast<Index>(3 * k);
    const double y = 1.0 - x;
    return y * y * (1.0 + 2.0 * x) * values->col(column + 1) +
           x * x * (1.0 + 2.0 * y) * values->col(column + 4) +
           interval * x * y * (y * values->col(column + 2) - x * values->col(column + 3));
  }

  [[nodiscard]] Vector3 vector(double t) const {
    const auto [k, share] = locate(t);
    if (share == 0.0) return key(k);
    if (steps == Steps::cubic) return cubic(k, share);
    return key(k) + share * (key(k + 1) - key(k));
  }

  [[nodiscard]] Eigen::Quaterniond rotation(double t) const {
    const auto [k, share] = locate(t);
    const auto quaternion = [](const Vector& v) {
      return Eigen::Quaterniond(Eigen::Vector4d(v.stableNormalized()));
    };
    if (share == 0.0) return quaternion(key(k));
    if (steps == Steps::linear) return quaternion(key(k)).slerp(share, quaternion(key(k + 1))).normalized();
    const Vector blend = cubic(k, share);
    // Tangents may lead through 0, which is no rotation.
    return quaternion(blend.allFinite() && blend.norm() > 0.0 ? blend : Vector(key(k)));
  }
};

struct Node {
  std::string name;
  int parent = -1;
  GltfPlacement placement;  ///< where nothing animates it
  std::shared_ptr<const Sampler> translation, rotation, scale;
};

/// The nodes of a file and what moves them.
struct Rig {
  std::vector<Node> nodes;
  std::string where;

  [[nodiscard]] Pose pose(std::size_t node, double t) const {
    Pose pose;
    for (int n = static_cast<int>(node); n >= 0;) {
      const Node& step = nodes[static_cast<std::size_t>(n)];
      const Eigen::Quaterniond turn = step.rotation ? step.rotation->rotation(t) : step.placement.rotation;
      const Vector3 scale = step.scale ? step.scale->vector(t) : step.placement.scale;
      const Vector3 shift = step.translation ? step.translation->vector(t) : step.placement.translation;
      pose.position = turn * scale.cwiseProduct(pose.position) + shift;
      pose.rotation = turn * pose.rotation;
      n = step.parent;
    }
    pose.rotation.normalize();
    require(pose.position.allFinite(), "{}: the joint '{}' is nowhere at {} s: its position is not finite",
            where, printable(nodes[node].name), t);
    return pose;
  }
};

class AnimationReader {
 public:
  AnimationReader(std::string_view content, std::string_view where, const FileLoader& load)
      : container_(content, where, load),
        root_(container_.root()),
        where_(where),
        numbers_left_(static_cast<std::int64_t>(container_.total_bytes())),
        rig_(std::make_shared<Rig>()) {}

  JointAnimation read(std::string_view name) {
    const JsonValue animation = choose(name);
    rig_->where = where_;
    read_nodes();
    check_model();
    const JsonValue channels = animation.at("channels");
    for (std::size_t c = 0; c < channels.size(); ++c) read_channel(channels.at(c), animation);

    JointAnimation result;
    result.where = where_;
    result.duration = duration_;
    for (std::size_t n = 0; n < rig_->nodes.size(); ++n) {
      result.joints.push_back({rig_->nodes[n].name, [rig = std::shared_ptr<const Rig>(rig_), n](double t) {
                                 return rig->pose(n, t);
                               }});
    }
    return result;
  }

 private:
  [[nodiscard]] JsonValue choose(std::string_view name) const {
    const auto animations = root_.find("animations");
    if (!animations || animations->size() == 0) root_.fail("has no animations, expected one at least");
    if (name.empty()) return animations->at(std::size_t{0});
    std::vector<std::string> names;
    for (std::size_t a = 0; a < animations->size(); ++a) {
      const JsonValue item = animations->at(a);
      const auto found = item.find("name");
      if (!found) continue;
      if (found->text() == name) return item;
      names.push_back(found->text());
    }
    throw Error("{}: no animation is called '{}'; {}", where_, printable(name),
                names.empty() ? "none has a name, so leave it out" : advice_for_name(name, names));
  }

  void read_nodes() {
    const JsonValue nodes = root_.at("nodes");
    const auto count = static_cast<std::int64_t>(nodes.size());
    rig_->nodes.resize(nodes.size());
    for (std::size_t n = 0; n < nodes.size(); ++n) {
      const JsonValue item = nodes.at(n);
      Node& node = rig_->nodes[n];
      const auto name = item.find("name");
      node.name = name ? name->text() : fmt::format("node {}", n);
      node.placement = read_node_placement(item);
      const auto children = item.find("children");
      for (std::size_t c = 0; children && c < children->size(); ++c) {
        Node& child = rig_->nodes[static_cast<std::size_t>(children->at(c).integer(0, count - 1))];
        if (child.parent >= 0) {
          children->at(c).fail(fmt::format("is a child of node {} too, expected one parent", child.parent));
        }
        child.parent = static_cast<int>(n);
      }
    }
  }

  /// Throws where a node is below itself.
  void check_model() const {
    std::vector<int> seen(rig_->nodes.size(), -1);  // by the walk upward from which node
    for (std::size_t start = 0; start < seen.size(); ++start) {
      for (int n = static_cast<int>(start); n >= 0; n = rig_->nodes[static_cast<std::size_t>(n)].parent) {
        int& mark = seen[static_cast<std::size_t>(n)];
        require(mark != static_cast<int>(start), "{}: node {} is its own parent, at least in the end", where_,
                n);
        if (mark >= 0) break;
        mark = static_cast<int>(start);
      }
    }
  }

  void read_channel(const JsonValue& channel, const JsonValue& animation) {
    const JsonValue target = channel.at("target");
    const std::string& path = target.at("path").text();
    const auto number = target.find("node");
    if (!number || path == "weights") return;
    const auto last = static_cast<std::int64_t>(rig_->nodes.size()) - 1;
    Node& node = rig_->nodes[static_cast<std::size_t>(number->integer(0, last))];
    auto* slot = path == "translation" ? &node.translation
                 : path == "rotation"  ? &node.rotation
                 : path == "scale"     ? &node.scale
                                       : nullptr;
    if (slot == nullptr) {
      target.at("path").fail(
          fmt::format("expected translation, rotation, scale or weights, found '{}'", printable(path)));
    }
    if (*slot) channel.fail(fmt::format("animates the {} of '{}' again", path, printable(node.name)));
    *slot = sampler(channel.at("sampler").item_of(animation, "samplers"), path == "rotation");
    duration_ = std::max(duration_, (*slot)->times->back());
  }

  std::shared_ptr<const Sampler> sampler(const JsonValue& item, bool rotation) {
    auto result = std::make_shared<Sampler>();
    result->steps = read_steps(item);
    result->times = times(item.at("input"));
    result->values = values(item.at("output"), rotation, result->steps);
    const auto keys = static_cast<std::int64_t>(result->times->size());
    const std::int64_t expected = result->steps == Steps::cubic ? 3 * keys : keys;
    if (result->values->cols() != expected) {
      item.at("output").fail(
          fmt::format("has {} elements for {} keys, expected {}", result->values->cols(), keys, expected));
    }
    return result;
  }

  static Steps read_steps(const JsonValue& item) {
    const auto value = item.find("interpolation");
    if (!value || value->text() == "LINEAR") return Steps::linear;
    if (value->text() == "STEP") return Steps::constant;
    if (value->text() == "CUBICSPLINE") return Steps::cubic;
    value->fail(fmt::format("expected STEP, LINEAR or CUBICSPLINE, found '{}'", printable(value->text())));
  }

  /// An accessor of that many rows. Samplers share accessors, but each is read once, and together they have
  /// no more numbers than the file has bytes: others could fill the memory many times over.
  Matrix numbers(const JsonValue& reference, Index rows, std::string_view what) {
    const GltfAccessor accessor = container_.describe(reference);
    if (accessor.rows != rows || accessor.columns != 1) {
      reference.fail(
          fmt::format("has elements of {} x {} numbers, expected {}", accessor.rows, accessor.columns, what));
    }
    if (accessor.count > numbers_left_ / rows) {
      reference.fail("the accessors up to this one have more numbers than the file has bytes");
    }
    numbers_left_ -= accessor.count * rows;
    return container_.read(reference);
  }

  std::shared_ptr<const std::vector<double>> times(const JsonValue& reference) {
    auto& entry = times_[reference.integer(0, max_accessor)];
    if (entry) return entry;
    const Matrix found = numbers(reference, 1, "times (SCALAR)");
    for (Index k = 1; k < found.cols(); ++k) {
      if (found(k) > found(k - 1)) continue;
      reference.fail(fmt::format("keys {} and {} are at {} s and {} s, expected ascending times", k - 1, k,
                                 found(k - 1), found(k)));
    }
    entry = std::make_shared<std::vector<double>>(found.data(), found.data() + found.size());
    return entry;
  }

  std::shared_ptr<const Matrix> values(const JsonValue& reference, bool rotation, Steps steps) {
    const bool cubic = steps == Steps::cubic;
    auto& entry = values_[{reference.integer(0, max_accessor), rotation, cubic}];
    if (entry) return entry;
    auto found = std::make_shared<Matrix>(rotation ? numbers(reference, 4, "quaternions (VEC4)")
                                                   : numbers(reference, 3, "vectors (VEC3)"));
    for (Index k = cubic ? 1 : 0; rotation && k < found->cols(); k += cubic ? 3 : 1) {
      if (!found->col(k).isZero(0.0)) continue;
      reference.fail(fmt::format("element {} is a quaternion of length 0, expected 1", k));
    }
    entry = std::move(found);
    return entry;
  }

  static constexpr std::int64_t max_accessor = std::int64_t{1} << 31;

  GltfContainer container_;
  JsonValue root_;
  std::string_view where_;
  std::int64_t numbers_left_;
  std::shared_ptr<Rig> rig_;
  double duration_ = 0.0;
  std::map<std::int64_t, std::shared_ptr<const std::vector<double>>> times_;  ///< by accessor
  std::map<std::tuple<std::int64_t, bool, bool>, std::shared_ptr<const Matrix>> values_;
};

}  // namespace

JointAnimation parse_gltf_animation(std::string_view content, std::string_view where,
                                    std::string_view animation, const FileLoader& load) {
  require(looks_like_gltf(content), "{}: is not a glTF file, expected an animation (.glb or .gltf)", where);
  return AnimationReader(content, where, load).read(animation);
}

}  // namespace limber
