#include "limber/base/error.hpp"
#include "limber/base/text.hpp"
#include "limber/io/byte_order.hpp"
#include "limber/io/gltf_container.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <type_traits>

namespace limber {
namespace {

constexpr std::int64_t max_bytes = std::int64_t{1} << 40;  ///< offsets and lengths; keeps products below 2^63
constexpr std::int64_t max_count = std::numeric_limits<int>::max();

int bytes_of(GltfType type) {
  switch (type) {
    case GltfType::int8:
    case GltfType::uint8:
      return 1;
    case GltfType::int16:
    case GltfType::uint16:
      return 2;
    case GltfType::uint32:
    case GltfType::float32:
      return 4;
  }
  return 0;
}

GltfType read_type(const JsonValue& value) {
  const auto number = value.integer(5120, 5126);
  if (number == 5124) value.fail("expected one of 5120, 5121, 5122, 5123, 5125, 5126, found 5124");
  return static_cast<GltfType>(number);
}

/// SCALAR, VEC2 ... MAT4.
void read_shape(const JsonValue& value, GltfAccessor& accessor) {
  const std::string& name = value.text();
  const int digit = name.size() == 4 ? name[3] - '0' : 0;
  if (name == "SCALAR") {
    accessor.rows = accessor.columns = 1;
  } else if (name.starts_with("VEC") && digit >= 2 && digit <= 4) {
    accessor.rows = digit;
    accessor.columns = 1;
  } else if (name.starts_with("MAT") && digit >= 2 && digit <= 4) {
    accessor.rows = accessor.columns = digit;
  } else {
    value.fail(fmt::format("expected SCALAR, VEC2 to VEC4 or MAT2 to MAT4, found '{}'", printable(name)));
  }
}

/// Columns of matrices start at multiples of four bytes.
std::int64_t column_stride(const GltfAccessor& accessor) {
  const std::int64_t bytes = std::int64_t{accessor.rows} * bytes_of(accessor.type);
  return accessor.columns == 1 ? bytes : (bytes + 3) / 4 * 4;
}

std::int64_t element_bytes(const GltfAccessor& accessor) {
  return accessor.columns * column_stride(accessor);
}

template <class Number>
double load(std::string_view bytes, bool normalized) {
  const auto value = static_cast<double>(load_number<Number>(bytes, ByteOrder::little));
  if constexpr (std::is_integral_v<Number>) {
    // Section 3.6.2.2: the most negative integer stands for -1 too.
    if (normalized) return std::max(value / static_cast<double>(std::numeric_limits<Number>::max()), -1.0);
  }
  return value;
}

double load(GltfType type, std::string_view bytes, bool normalized) {
  switch (type) {
    case GltfType::int8:
      return load<std::int8_t>(bytes, normalized);
    case GltfType::uint8:
      return load<std::uint8_t>(bytes, normalized);
    case GltfType::int16:
      return load<std::int16_t>(bytes, normalized);
    case GltfType::uint16:
      return load<std::uint16_t>(bytes, normalized);
    case GltfType::uint32:
      return load<std::uint32_t>(bytes, normalized);
    case GltfType::float32:
      return load<float>(bytes, normalized);
  }
  return 0.0;
}

void load_element(const GltfAccessor& accessor, std::string_view bytes, Eigen::Ref<Eigen::VectorXd> element) {
  for (int c = 0; c < accessor.columns; ++c) {
    for (int r = 0; r < accessor.rows; ++r) {
      const auto offset = static_cast<std::size_t>(c * column_stride(accessor) + r * bytes_of(accessor.type));
      element[c * accessor.rows + r] = load(accessor.type, bytes.substr(offset), accessor.normalized);
    }
  }
}

template <class Values>
void check_finite(const Values& values, const JsonValue& reference) {
  if (values.allFinite()) return;
  Eigen::Index i = 0;
  while (std::isfinite(values.data()[i])) ++i;
  reference.fail(fmt::format("number {} is not finite", i));
}

}  // namespace

std::string_view GltfContainer::view(const JsonValue& reference) const {
  const JsonValue view = reference.item_of(root(), "bufferViews");
  if (const auto extensions = view.find("extensions");
      extensions && extensions->find("EXT_meshopt_compression")) {
    view.fail(
        "is compressed (EXT_meshopt_compression); export without compression, or run 'gltf-transform copy' "
        "on "
        "the file");
  }
  const JsonValue buffer = view.at("buffer");
  const std::int64_t number = buffer.integer(0, static_cast<std::int64_t>(buffers_.size()) - 1);
  const std::string_view content = buffers_[static_cast<std::size_t>(number)];
  const std::int64_t offset = view.integer_or("byteOffset", 0, max_bytes, 0);
  const std::int64_t length = view.at("byteLength").integer(1, max_bytes);
  if (offset + length > static_cast<std::int64_t>(content.size())) {
    view.fail(
        fmt::format("bytes {} to {}, but buffer {} has {}", offset, offset + length, number, content.size()));
  }
  return content.substr(static_cast<std::size_t>(offset), static_cast<std::size_t>(length));
}

/// The view that an object names, from its byte offset on; throws unless `bytes` follow there.
std::string_view GltfContainer::view_from(const JsonValue& owner, std::int64_t bytes) const {
  const std::string_view whole = view(owner.at("bufferView"));
  const std::int64_t offset = owner.integer_or("byteOffset", 0, max_bytes, 0);
  if (offset + bytes > static_cast<std::int64_t>(whole.size())) {
    owner.fail(fmt::format(
        "needs {} bytes from byte {} on, but its buffer view has {}; the file is damaged, so copy "
        "or export it anew",
        bytes, offset, whole.size()));
  }
  return whole.substr(static_cast<std::size_t>(offset));
}

GltfAccessor GltfContainer::describe_item(const JsonValue& item) const {
  GltfAccessor accessor;
  accessor.type = read_type(item.at("componentType"));
  read_shape(item.at("type"), accessor);
  accessor.count = item.at("count").integer(1, max_count);
  if (const auto normalized = item.find("normalized")) accessor.normalized = normalized->boolean();
  if (accessor.normalized && bytes_of(accessor.type) == 4) {
    item.fail("is normalized, expected a component type of 8 or 16 bits");
  }
  if (item.find("bufferView")) {
    (void)data_of(item, accessor);  // checks it
  } else if (accessor.count > static_cast<std::int64_t>(total_bytes_)) {
    item.fail(fmt::format("{} elements without a buffer view, more than the file has bytes ({})",
                          accessor.count, total_bytes_));
  }
  return accessor;
}

/// The bytes of an accessor with a buffer view, and those from each of its elements to the next.
std::pair<std::string_view, std::int64_t> GltfContainer::data_of(const JsonValue& item,
                                                                 const GltfAccessor& accessor) const {
  const std::int64_t bytes = element_bytes(accessor);
  const JsonValue view = item.at("bufferView").item_of(root(), "bufferViews");
  const std::int64_t stride = view.integer_or("byteStride", 4, 252, bytes);
  if (stride < bytes) {
    item.fail(fmt::format("elements of {} bytes, but the view has a stride of {}", bytes, stride));
  }
  return {view_from(item, (accessor.count - 1) * stride + bytes), stride};
}

GltfAccessor GltfContainer::describe(const JsonValue& reference) const {
  return describe_item(reference.item_of(root(), "accessors"));
}

Eigen::MatrixXd GltfContainer::read(const JsonValue& reference) const {
  const JsonValue item = reference.item_of(root(), "accessors");
  const GltfAccessor accessor = describe_item(item);
  const Eigen::Index rows = accessor.rows * accessor.columns;
  Eigen::MatrixXd values;
  if (item.find("bufferView")) {
    const auto [data, stride] = data_of(item, accessor);
    values.resize(rows, accessor.count);
    for (Eigen::Index e = 0; e < accessor.count; ++e) {
      load_element(accessor, data.substr(static_cast<std::size_t>(e * stride)), values.col(e));
    }
  } else {
    values.setZero(rows, accessor.count);
  }
  if (item.find("sparse")) read_sparse(item.at("sparse"), accessor, values);
  if (!values.allFinite()) {
    Eigen::Index e = 0;
    while (values.col(e).allFinite()) ++e;
    item.fail(fmt::format("element {} is not finite", e));
  }
  return values;
}

/// Section 3.6.2.3: values that replace those of some elements.
void GltfContainer::read_sparse(const JsonValue& sparse, const GltfAccessor& accessor,
                                Eigen::MatrixXd& values) const {
  const std::int64_t count = sparse.at("count").integer(1, accessor.count);
  const JsonValue indices = sparse.at("indices");
  const GltfType type = read_type(indices.at("componentType"));
  if (type != GltfType::uint8 && type != GltfType::uint16 && type != GltfType::uint32) {
    indices.fail("expected unsigned integers (5121, 5123 or 5125)");
  }
  const auto index_bytes = static_cast<std::size_t>(bytes_of(type));
  const auto value_bytes = static_cast<std::size_t>(element_bytes(accessor));
  const std::string_view index_data = view_from(indices, count * bytes_of(type));
  const std::string_view value_data = view_from(sparse.at("values"), count * element_bytes(accessor));
  for (std::size_t i = 0; i < static_cast<std::size_t>(count); ++i) {
    const auto element = static_cast<std::int64_t>(load(type, index_data.substr(i * index_bytes), false));
    if (element >= accessor.count) {
      indices.fail(fmt::format("names element {}, but the accessor has {}", element, accessor.count));
    }
    load_element(accessor, value_data.substr(i * value_bytes), values.col(element));
  }
}

Eigen::Matrix3Xf GltfContainer::read_floats(const JsonValue& reference) const {
  const JsonValue item = reference.item_of(root(), "accessors");
  const GltfAccessor accessor = describe_item(item);
  if (accessor.type != GltfType::float32 || accessor.rows != 3 || accessor.columns != 1 ||
      !item.find("bufferView") || item.find("sparse")) {
    item.fail("expected floats (5126), VEC3, in a buffer view and not sparse");
  }
  const auto [data, stride] = data_of(item, accessor);
  Eigen::Matrix3Xf values(3, accessor.count);
  for (Eigen::Index e = 0; e < accessor.count; ++e) {
    for (Eigen::Index r = 0; r < 3; ++r) {
      const auto offset = static_cast<std::size_t>(e * stride + 4 * r);
      values(r, e) = load_number<float>(data.substr(offset), ByteOrder::little);
    }
    if (!values.col(e).allFinite()) item.fail(fmt::format("element {} is not finite", e));
  }
  return values;
}

/// The numbers of a whole buffer view, by columns.
template <class Number>
Eigen::Matrix<Number, Eigen::Dynamic, Eigen::Dynamic> GltfContainer::read_numbers(
    const JsonValue& reference, std::int64_t rows, std::int64_t columns) const {
  const std::string_view bytes = view(reference);
  const auto expected = static_cast<std::uint64_t>(rows * columns) * sizeof(Number);
  if (bytes.size() != expected) {
    reference.fail(fmt::format("its buffer view has {} bytes, expected {} ({} x {} numbers of {} bytes)",
                               bytes.size(), expected, rows, columns, sizeof(Number)));
  }
  Eigen::Matrix<Number, Eigen::Dynamic, Eigen::Dynamic> values(rows, columns);
  for (Eigen::Index i = 0; i < values.size(); ++i) {
    const auto offset = static_cast<std::size_t>(i) * sizeof(Number);
    values.data()[i] = load_number<Number>(bytes.substr(offset), ByteOrder::little);
  }
  return values;
}

Eigen::MatrixXd GltfContainer::read_doubles(const JsonValue& reference, std::int64_t rows,
                                            std::int64_t columns) const {
  Eigen::MatrixXd values = read_numbers<double>(reference, rows, columns);
  check_finite(values, reference);
  return values;
}

Eigen::MatrixXf GltfContainer::read_singles(const JsonValue& reference, std::int64_t rows,
                                            std::int64_t columns) const {
  Eigen::MatrixXf values = read_numbers<float>(reference, rows, columns);
  check_finite(values, reference);
  return values;
}

Eigen::MatrixXi GltfContainer::read_integers(const JsonValue& reference, std::int64_t rows,
                                             std::int64_t columns, int least, int most) const {
  Eigen::MatrixXi values = read_numbers<int>(reference, rows, columns);
  for (Eigen::Index i = 0; i < values.size(); ++i) {
    const int value = values.data()[i];
    if (value < least || value > most) {
      reference.fail(fmt::format("number {} is {}, expected {} to {}", i, value, least, most));
    }
  }
  return values;
}

std::int64_t GltfContainer::count_in_view(const JsonValue& reference, std::int64_t bytes_each,
                                          std::string_view what) const {
  const auto bytes = static_cast<std::int64_t>(view(reference).size());
  if (bytes % bytes_each != 0) {
    reference.fail(
        fmt::format("its buffer view has {} bytes, expected {} of {} bytes each", bytes, what, bytes_each));
  }
  return bytes / bytes_each;
}

std::vector<std::uint32_t> GltfContainer::read_indices(const JsonValue& reference, std::int64_t limit) const {
  const JsonValue item = reference.item_of(root(), "accessors");
  const GltfAccessor accessor = describe_item(item);
  const bool is_unsigned = accessor.type == GltfType::uint8 || accessor.type == GltfType::uint16 ||
                           accessor.type == GltfType::uint32;
  if (!is_unsigned || accessor.normalized || accessor.rows * accessor.columns != 1) {
    item.fail("expected indices: SCALAR of component type 5121, 5123 or 5125, not normalized");
  }
  const Eigen::MatrixXd values = read(reference);
  std::vector<std::uint32_t> indices(static_cast<std::size_t>(accessor.count));
  for (std::size_t i = 0; i < indices.size(); ++i) {
    const double value = values(0, static_cast<Eigen::Index>(i));
    if (value >= static_cast<double>(limit)) {
      item.fail(fmt::format("element {} is index {}, expected 0 to {}", i, value, limit - 1));
    }
    indices[i] = static_cast<std::uint32_t>(value);
  }
  return indices;
}

}  // namespace limber
