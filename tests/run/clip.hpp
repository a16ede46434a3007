#pragma once

#include "limber/base/file.hpp"
#include "limber/io/gltf_container.hpp"

#include <Eigen/Geometry>
#include <nlohmann/json.hpp>

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace limber::test {

/// An animated .glb as viewers see it.
class Clip {
 public:
  explicit Clip(const std::filesystem::path& path)
      : content_(read_file(path)), container_(content_, "clip.glb", {}) {}
  Clip(const Clip&) = delete;  // the container keeps views of the content
  Clip& operator=(const Clip&) = delete;

  [[nodiscard]] std::size_t node_count() const { return document()["nodes"].size(); }
  [[nodiscard]] std::string node_name(std::size_t node) const { return document()["nodes"][node]["name"]; }

  /// Vertices of a node in a frame, in the world, by the formulas of glTF.
  [[nodiscard]] Matrix3X positions(std::size_t node, Index frame) const {
    const JsonValue primitive = mesh(node).at("primitives").at(0);
    Matrix3X x = container_.read(primitive.at("attributes").at("POSITION"));
    const Vector w = weights(node, frame);
    for (Index t = 0; t < w.size(); ++t)
      x += w(t) * container_.read(primitive.at("targets").at(static_cast<std::size_t>(t)).at("POSITION"));
    x = value(node, "scale", frame, Vector3::Ones()).asDiagonal() * x;
    const Eigen::Vector4d rotation = value(node, "rotation", frame, Eigen::Vector4d::UnitW());
    x = Eigen::Quaterniond(rotation).toRotationMatrix() * x;
    return x.colwise() + Vector3(value(node, "translation", frame, Vector3::Zero()));
  }

  /// Whether an animation moves it as a whole: "translation" or "rotation".
  [[nodiscard]] bool moves(std::size_t node, std::string_view path) const {
    return channel(node, path).cols() > 0;
  }

 private:
  [[nodiscard]] const nlohmann::json& document() const { return container_.root().json(); }

  /// The output of the channel of a node that animates `path`; without columns where there is none.
  [[nodiscard]] Matrix channel(std::size_t node, std::string_view path) const {
    const std::optional<JsonValue> animations = container_.root().find("animations");
    if (!animations) return {};
    const JsonValue animation = animations->at(0);
    const JsonValue channels = animation.at("channels");
    for (std::size_t c = 0; c < channels.size(); ++c) {
      const JsonValue target = channels.at(c).at("target");
      if (target.at("node").integer(0, 100) != static_cast<Index>(node) || target.at("path").text() != path)
        continue;
      const auto sampler = static_cast<std::size_t>(channels.at(c).at("sampler").integer(0, 100));
      return container_.read(animation.at("samplers").at(sampler).at("output"));
    }
    return {};
  }

  /// What a node has in a frame: from its channel, else its own, else the given.
  [[nodiscard]] Vector value(std::size_t node, std::string_view path, Index frame,
                             const Vector& missing) const {
    const Matrix output = channel(node, path);
    if (output.cols() > 0) return output.reshaped(missing.size(), output.size() / missing.size()).col(frame);
    const nlohmann::json& item = document()["nodes"][node];
    if (!item.contains(path)) return missing;
    const auto values = item[std::string(path)].get<std::vector<double>>();
    return Eigen::Map<const Vector>(values.data(), static_cast<Index>(values.size()));
  }

  [[nodiscard]] JsonValue mesh(std::size_t node) const {
    return container_.root().at("nodes").at(node).at("mesh").item_of(container_.root(), "meshes");
  }

  [[nodiscard]] Vector weights(std::size_t node, Index frame) const {
    const auto own = mesh(node).find("weights");
    if (!own) return {};
    const auto values = own->json().get<std::vector<double>>();
    return value(node, "weights", frame,
                 Eigen::Map<const Vector>(values.data(), static_cast<Index>(values.size())));
  }

  std::string content_;
  GltfContainer container_;
};

}  // namespace limber::test
