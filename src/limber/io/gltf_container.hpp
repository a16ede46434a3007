#pragma once

#include "limber/io/gltf_json.hpp"

#include <Eigen/Core>
#include <nlohmann/json.hpp>

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace limber {

// The container of glTF 2.0, without regard to what it holds: the chunks of .glb files, buffers, buffer views
// and accessors (https://registry.khronos.org/glTF/specs/2.0/glTF-2.0.html, sections 3.6 and 4).
//
// limber reads it on top of its JSON parser rather than with tinygltf, because everything here is checked
// (sizes, offsets, strides, ranges, finiteness, before anything is allocated for it) and refused in one line
// that names the path in the JSON, and because accessors arrive as matrices, whatever their component type,
// normalisation, stride or sparseness.

/// The content of a file that a document names relative to its own folder.
using FileLoader = std::function<std::string(const std::string& name)>;

/// Whether the content starts as .glb files do, or is JSON with the key "asset".
bool looks_like_gltf(std::string_view content);

/// The component types of accessors, by their numbers in the format.
enum class GltfType { int8 = 5120, uint8 = 5121, int16 = 5122, uint16 = 5123, uint32 = 5125, float32 = 5126 };

/// What an accessor says about its data.
struct GltfAccessor {
  GltfType type{};
  int rows = 0;     ///< components per element, 1 for SCALAR, 3 for VEC3
  int columns = 0;  ///< 1 except for MAT2, MAT3, MAT4
  bool normalized = false;
  std::int64_t count = 0;
};

/// A .glb or .gltf file whose JSON and buffers are there and of the size they claim.
class GltfContainer {
 public:
  /// Reads the JSON and all buffers. Keeps views of `content`, which must outlive this, and of `where`, its
  /// name in messages. Throws Error for other versions than 2.x, for damaged files and for buffers in other
  /// files when there is no `load`.
  GltfContainer(std::string_view content, std::string_view where, const FileLoader& load);

  /// The document.
  [[nodiscard]] JsonValue root() const { return {document_, "", where_}; }
  /// Bytes of the file and of the buffers outside it: bounds what it may claim.
  [[nodiscard]] std::size_t total_bytes() const { return total_bytes_; }

  /// The description of an accessor, checked against its buffer view, so that as many elements are there.
  /// reference: a number that names it.
  [[nodiscard]] GltfAccessor describe(const JsonValue& reference) const;
  /// The values of an accessor, one column per element (matrices by columns), sparse ones in place;
  /// normalised integers as what they stand for. All are finite.
  [[nodiscard]] Eigen::MatrixXd read(const JsonValue& reference) const;
  /// The values of an accessor of unsigned integers, as indices: all below `limit`.
  [[nodiscard]] std::vector<std::uint32_t> read_indices(const JsonValue& reference, std::int64_t limit) const;
  /// What the buffers hold, in their order.
  [[nodiscard]] std::span<const std::string_view> buffers() const { return buffers_; }
  /// The bytes of a buffer view.
  [[nodiscard]] std::string_view view(const JsonValue& reference) const;

  /// The values of an accessor of floats, VEC3, that has a buffer view and is not sparse: to the bit, finite.
  [[nodiscard]] Eigen::Matrix3Xf read_floats(const JsonValue& reference) const;
  /// A buffer view as numbers without an accessor, which has no doubles and no signed integers of 32 bits:
  /// little-endian, by columns, exactly rows x columns of them. All are finite, or from `least` to `most`.
  /// Singles are floats.
  [[nodiscard]] Eigen::MatrixXd read_doubles(const JsonValue& reference, std::int64_t rows,
                                             std::int64_t columns) const;
  [[nodiscard]] Eigen::MatrixXf read_singles(const JsonValue& reference, std::int64_t rows,
                                             std::int64_t columns) const;
  [[nodiscard]] Eigen::MatrixXi read_integers(const JsonValue& reference, std::int64_t rows,
                                              std::int64_t columns, int least, int most) const;
  /// How many times `bytes_each` bytes a buffer view holds; throws where some are left over. `what`: plural.
  [[nodiscard]] std::int64_t count_in_view(const JsonValue& reference, std::int64_t bytes_each,
                                           std::string_view what) const;

 private:
  void read_chunks(std::string_view content);
  void read_buffers(const FileLoader& load);
  [[nodiscard]] std::string_view buffer_content(const JsonValue& buffer, const FileLoader& load);
  [[nodiscard]] GltfAccessor describe_item(const JsonValue& accessor) const;
  [[nodiscard]] std::string_view view_from(const JsonValue& owner, std::int64_t bytes) const;
  [[nodiscard]] std::pair<std::string_view, std::int64_t> data_of(const JsonValue& accessor,
                                                                  const GltfAccessor& shape) const;
  void read_sparse(const JsonValue& accessor, const GltfAccessor& shape, Eigen::MatrixXd& values) const;
  template <class Number>
  [[nodiscard]] Eigen::Matrix<Number, Eigen::Dynamic, Eigen::Dynamic> read_numbers(
      const JsonValue& reference, std::int64_t rows, std::int64_t columns) const;

  std::string_view where_;
  nlohmann::json document_;
  std::optional<std::string_view> chunk_;                  ///< the binary chunk of a .glb file
  std::vector<std::string> loaded_;                        ///< what buffers outside the file hold
  std::map<std::string, std::size_t, std::less<>> files_;  ///< places in it, by the names of files
  std::vector<std::string_view> buffers_;
  std::size_t total_bytes_ = 0;
};

/// Builds a .glb file: data is appended to its one buffer, what it means is added to `document`.
class GlbBuilder {
 public:
  GlbBuilder();
  /// A copy of a file, .gltf or .glb, with all of its buffers as one. Images in files beside it stay there.
  explicit GlbBuilder(const GltfContainer& file);

  nlohmann::json
      document;  ///< starts with "asset"; buffers, views and accessors are added by the functions below

  /// Adds floats, one column per element, with their smallest and largest values, and returns the number of
  /// the accessor. rows: 1 (SCALAR) to 4 (VEC4). vertices: they are attributes of vertices.
  int add_floats(const Eigen::Ref<const Eigen::MatrixXf>& values, bool vertices);
  /// Adds indices of vertices, in 16 bits where they fit.
  int add_indices(std::span<const std::uint32_t> indices);
  /// Adds numbers, at least one, as a buffer view without an accessor, and returns its number.
  int add_doubles(std::span<const double> values);
  int add_singles(std::span<const float> values);
  int add_integers(std::span<const int> values);

  /// The content of the file; all buffer views start at multiples of 8 bytes, in the file too. Throws Error,
  /// naming `where`, for more than 4 GB, with what to do about it, and for text that is not UTF-8.
  [[nodiscard]] std::string encode(std::string_view where,
                                   std::string_view remedy = "use another format") const;

 private:
  int add_view(std::size_t bytes, std::optional<int> target);
  int add_accessor(std::size_t bytes, nlohmann::json accessor, std::optional<int> target);

  std::string buffer_;
};

}  // namespace limber
