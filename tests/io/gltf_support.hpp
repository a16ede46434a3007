#pragma once

#include "limber/io/byte_order.hpp"

#include <nlohmann/json.hpp>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace limber::test {

inline std::string to_base64(std::string_view bytes) {
  constexpr std::string_view digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  for (std::size_t i = 0; i < bytes.size(); i += 3) {
    std::uint32_t bits = 0;
    const std::size_t count = std::min<std::size_t>(3, bytes.size() - i);
    for (std::size_t k = 0; k < 3; ++k) {
      bits = bits << 8 | (k < count ? static_cast<unsigned char>(bytes[i + k]) : 0U);
    }
    for (std::size_t k = 0; k < 4; ++k) text += k <= count ? digits[bits >> (18 - 6 * k) & 63] : '=';
  }
  return text;
}

/// A .glb file from its parts, without the help of the library.
inline std::string make_glb(std::string text, std::string bytes) {
  text.resize((text.size() + 3) / 4 * 4, ' ');
  bytes.resize((bytes.size() + 3) / 4 * 4, '\0');
  std::string content = "glTF";
  const auto put = [&](std::size_t value) {
    append_number(content, static_cast<std::uint32_t>(value), ByteOrder::little);
  };
  put(2);
  put(12 + 8 + text.size() + 8 + bytes.size());
  put(text.size());
  content += "JSON" + text;
  put(bytes.size());
  content += std::string("BIN\0", 4) + bytes;
  return content;
}

/// A glTF document that grows array by array.
struct GltfSample {
  nlohmann::json document = {{"asset", {{"version", "2.0"}}}};
  std::string bytes;

  /// Adds numbers as a buffer view of its own and returns its number.
  template <class Number>
  int add_view(const std::vector<Number>& values) {
    bytes.resize((bytes.size() + 3) / 4 * 4, '\0');
    const std::size_t start = bytes.size();
    for (const Number value : values) append_number(bytes, value, ByteOrder::little);
    document["bufferViews"].push_back(
        {{"buffer", 0}, {"byteOffset", start}, {"byteLength", bytes.size() - start}});
    return static_cast<int>(document["bufferViews"].size() - 1);
  }

  /// Adds an accessor; more: further keys of it.
  int add_accessor(int component_type, std::string_view type, int count, nlohmann::json more) {
    more.update({{"componentType", component_type}, {"type", type}, {"count", count}});
    document["accessors"].push_back(std::move(more));
    return static_cast<int>(document["accessors"].size() - 1);
  }

  int add_positions(const std::vector<float>& values) {
    return add_accessor(5126, "VEC3", static_cast<int>(values.size() / 3),
                        {{"bufferView", add_view(values)}});
  }

  template <class Number>
  int add_indices(int component_type, const std::vector<Number>& values) {
    return add_accessor(component_type, "SCALAR", static_cast<int>(values.size()),
                        {{"bufferView", add_view(values)}});
  }

  /// Adds a mesh of one primitive and returns its number.
  int add_mesh(nlohmann::json primitive) {
    document["meshes"].push_back({{"primitives", nlohmann::json::array({std::move(primitive)})}});
    return static_cast<int>(document["meshes"].size() - 1);
  }

  [[nodiscard]] std::string gltf() const {
    nlohmann::json complete = document;
    complete["buffers"] =
        nlohmann::json::array({{{"byteLength", bytes.size()},
                                {"uri", "data:application/octet-stream;base64," + to_base64(bytes)}}});
    return complete.dump();
  }

  [[nodiscard]] std::string glb() const {
    nlohmann::json complete = document;
    complete["buffers"] = nlohmann::json::array({{{"byteLength", bytes.size()}}});
    return make_glb(complete.dump(), bytes);
  }
};

inline const std::vector<float> tetrahedron_positions{0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1};
inline const std::vector<std::uint16_t> tetrahedron_indices{0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3};

/// The corner of the unit cube (volume 1/6): accessor 0 are its positions, 1 its indices, mesh 0 itself.
inline GltfSample tetrahedron_sample() {
  GltfSample sample;
  const int position = sample.add_positions(tetrahedron_positions);
  const int indices = sample.add_indices(5123, tetrahedron_indices);
  sample.add_mesh({{"attributes", {{"POSITION", position}}}, {"indices", indices}});
  sample.document["nodes"] = nlohmann::json::array({{{"mesh", 0}}});
  sample.document["scenes"] = nlohmann::json::array({{{"nodes", {0}}}});
  sample.document["scene"] = 0;
  return sample;
}

}  // namespace limber::test
