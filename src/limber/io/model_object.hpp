#pragma once

#include "limber/io/gltf_container.hpp"
#include "limber/reduced/reduced_model.hpp"

#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace limber {

// A reduced model as an object of JSON beside a mesh of glTF. A file (model_file.hpp) holds one for each
// part.

inline constexpr int max_int = std::numeric_limits<int>::max();  ///< of counts, which become an int

/// An extension of the document; nothing in files without it.
std::optional<JsonValue> find_extension(const GltfContainer& container, std::string_view name);

/// Whether the content is a glTF file with an extension; false for a damaged one.
bool has_extension(std::string_view content, std::string_view name);

/// Throws unless an extension is of this version.
void check_version(const JsonValue& extension, int version);

/// A list of that many numbers.
Vector read_numbers(const JsonValue& list, Index count);

/// The arrays of a file. Counts their bytes: no file needs more than it has, and one whose arrays share their
/// bytes could fill the memory many times over.
class ArrayReader {
 public:
  /// container: must outlive this.
  explicit ArrayReader(const GltfContainer& container)
      : container_(&container), bytes_left_(static_cast<std::int64_t>(container.total_bytes())) {}

  [[nodiscard]] const GltfContainer& container() const { return *container_; }

  /// Throws, naming the owner, where the file has fewer bytes left.
  void spend(const JsonValue& owner, std::int64_t count, std::int64_t bytes_each);

  /// Numbers of a buffer view, by columns.
  Matrix doubles(const JsonValue& reference, std::int64_t rows, std::int64_t columns);
  std::vector<int> integers(const JsonValue& reference, std::int64_t count, std::int64_t below);
  /// Those that a key names. Arrays without numbers are left out of files.
  Matrix doubles(const JsonValue& owner, std::string_view key, std::int64_t rows, std::int64_t columns);
  Eigen::MatrixXf singles(const JsonValue& owner, std::string_view key, std::int64_t rows,
                          std::int64_t columns);

  /// Items in a buffer view, as many as an int can count. `what`: plural.
  [[nodiscard]] Index count(const JsonValue& reference, std::int64_t bytes_each, std::string_view what) const;

 private:
  const GltfContainer* container_;
  std::int64_t bytes_left_;
};

/// The reduced model that an object describes. All indices are in range and all numbers finite; check_model()
/// tells whether they fit together.
ReducedModel read_reduced_object(ArrayReader& arrays, const JsonValue& object);

/// Adds the mesh of a reduced model, which check_model() accepts, and returns the object that describes the
/// rest of it.
nlohmann::json add_reduced_object(GlbBuilder& builder, const ReducedModel& model, std::string_view where);

/// Numbers as a list of JSON.
template <class Values>
nlohmann::json list_of(const Values& values) {
  return std::vector<double>(values.data(), values.data() + values.size());
}

/// Adds the extension of the document, which other programs need not know.
void add_extension(GlbBuilder& builder, std::string_view name, nlohmann::json extension);

/// Adds an array under a key; one without numbers is left out, because glTF has no empty buffer views.
template <class Values>
void add_array(GlbBuilder& builder, nlohmann::json& object, const char* key, const Values& values) {
  if (values.size() == 0) return;
  using Number = std::remove_cvref_t<decltype(*values.data())>;
  const std::span<const Number> numbers(values.data(), static_cast<std::size_t>(values.size()));
  if constexpr (std::is_same_v<Number, double>) {
    object[key] = builder.add_doubles(numbers);
  } else if constexpr (std::is_same_v<Number, float>) {
    object[key] = builder.add_singles(numbers);
  } else {
    object[key] = builder.add_integers(numbers);
  }
}

}  // namespace limber
