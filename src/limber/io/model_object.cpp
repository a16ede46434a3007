#include "limber/io/model_object.hpp"

#include "limber/base/error.hpp"

#include <limits>

namespace limber {
namespace {

/// Whether a key names no array because there would be no numbers in it.
bool is_left_out(const JsonValue& owner, std::string_view key, std::int64_t count) {
  if (count > 0) return false;
  if (const auto found = owner.find(key)) found->fail("expected none, because it has no numbers");
  return true;
}

}  // namespace

std::optional<JsonValue> find_extension(const GltfContainer& container, std::string_view name) {
  const std::optional<JsonValue> extensions = container.root().find("extensions");
  return extensions ? extensions->find(name) : std::nullopt;
}

bool has_extension(std::string_view content, std::string_view name) {
  if (!looks_like_gltf(content)) return false;
  try {
    return find_extension(GltfContainer(content, "model", {}), name).has_value();
  } catch (const Error&) {
    return false;
  }
}

void check_version(const JsonValue& extension, int version) {
  const std::int64_t found = extension.at("version").integer(1, max_int);
  if (found == version) return;
  extension.at("version").fail(
      fmt::format("this limber reads version {}, found {}; {}", version, found,
                  found > version ? "update limber" : "make the model again with: limber reduce"));
}

Vector read_numbers(const JsonValue& list, Index count) {
  if (static_cast<Index>(list.size()) != count) {
    list.fail(fmt::format("expected {} numbers, found {}", count, list.size()));
  }
  Vector values(count);
  for (Index i = 0; i < count; ++i) values(i) = list.at(static_cast<std::size_t>(i)).number();
  return values;
}

void ArrayReader::spend(const JsonValue& owner, std::int64_t count, std::int64_t bytes_each) {
  if (count > bytes_left_ / bytes_each) {
    owner.fail("the arrays up to this one need more bytes than the file has, expected each to have its own");
  }
  bytes_left_ -= count * bytes_each;
}

Matrix ArrayReader::doubles(const JsonValue& reference, std::int64_t rows, std::int64_t columns) {
  Matrix values = container_->read_doubles(reference, rows, columns);
  spend(reference, values.size(), sizeof(double));
  return values;
}

std::vector<int> ArrayReader::integers(const JsonValue& reference, std::int64_t count, std::int64_t below) {
  const Eigen::MatrixXi values =
      container_->read_integers(reference, 1, count, 0, static_cast<int>(below) - 1);
  spend(reference, values.size(), sizeof(int));
  return {values.data(), values.data() + values.size()};
}

Matrix ArrayReader::doubles(const JsonValue& owner, std::string_view key, std::int64_t rows,
                            std::int64_t columns) {
  if (is_left_out(owner, key, rows * columns)) return Matrix(rows, columns);
  return doubles(owner.at(key), rows, columns);
}

Eigen::MatrixXf ArrayReader::singles(const JsonValue& owner, std::string_view key, std::int64_t rows,
                                     std::int64_t columns) {
  if (is_left_out(owner, key, rows * columns)) return Eigen::MatrixXf(rows, columns);
  const JsonValue reference = owner.at(key);
  spend(reference, rows * columns, sizeof(float));
  return container_->read_singles(reference, rows, columns);
}

Index ArrayReader::count(const JsonValue& reference, std::int64_t bytes_each, std::string_view what) const {
  const std::int64_t found = container_->count_in_view(reference, bytes_each, what);
  if (found > max_int) reference.fail(fmt::format("{} {}, expected at most {}", found, what, max_int));
  return found;
}

}  // namespace limber
