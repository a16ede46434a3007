#include "limber/io/ply.hpp"

#include "limber/base/error.hpp"
#include "limber/io/byte_order.hpp"
#include "limber/io/ply_header.hpp"
#include "limber/io/text_source.hpp"
#include "limber/mesh/polygon.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <span>

namespace limber {
namespace {

using PlyEncoding = PlyHeader::Encoding;
using Scalar = PlyHeader::Scalar;

/// Yields the values behind the header one after another, spelled or stored. Every type fits into a double.
class PlyValues {
 public:
  PlyValues(TextSource& source, PlyEncoding encoding) : source_(source), encoding_(encoding) {
    if (encoding_ != PlyEncoding::text) source_.set_binary();
  }

  double read(Scalar type, std::string_view what) {
    if (encoding_ == PlyEncoding::text) return read_text(type, what);
    const std::string_view bytes = source_.take(static_cast<std::size_t>(size_of(type)), what);
    switch (type) {
      case Scalar::int8:
        return load<std::int8_t>(bytes);
      case Scalar::uint8:
        return load<std::uint8_t>(bytes);
      case Scalar::int16:
        return load<std::int16_t>(bytes);
      case Scalar::uint16:
        return load<std::uint16_t>(bytes);
      case Scalar::int32:
        return load<std::int32_t>(bytes);
      case Scalar::uint32:
        return load<std::uint32_t>(bytes);
      case Scalar::float32:
        return load<float>(bytes);
      case Scalar::float64:
        return load<double>(bytes);
    }
    return 0.0;
  }

  /// The length of a list of values that are there.
  std::int64_t read_length(const PlyHeader::Property& property) {
    const auto length = static_cast<std::int64_t>(read(*property.count_type, "the length of a list"));
    source_.require_room(length, "values of a list", bytes_of(property.type));
    return length;
  }

  void skip(const PlyHeader::Property& property) {
    if (!property.count_type) return skip_values(property.type, 1);
    skip_values(property.type, read_length(property));
  }

  /// The least that a value takes: as text a digit and a separator.
  [[nodiscard]] std::size_t bytes_of(Scalar type) const {
    return encoding_ == PlyEncoding::text ? 2 : static_cast<std::size_t>(size_of(type));
  }

 private:
  double read_text(Scalar type, std::string_view what) {
    if (type == Scalar::float32 || type == Scalar::float64) return source_.read_real(what);
    const std::int64_t value = source_.read_size(what);
    if (value < -std::int64_t{0x80000000} || value > std::int64_t{0xffffffff}) {
      source_.fail(fmt::format("expected {}, found {}, which has more than 32 bits", what, value));
    }
    return static_cast<double>(value);
  }

  void skip_values(Scalar type, std::int64_t count) {
    constexpr std::string_view what = "a value of a property";
    if (encoding_ != PlyEncoding::text) {
      source_.take(static_cast<std::size_t>(count) * static_cast<std::size_t>(size_of(type)), what);
    } else {
      for (std::int64_t i = 0; i < count; ++i) source_.read_word(what);
    }
  }

  template <class Number>
  [[nodiscard]] double load(std::string_view bytes) const {
    const ByteOrder order = encoding_ == PlyEncoding::big_endian ? ByteOrder::big : ByteOrder::little;
    return static_cast<double>(load_number<Number>(bytes, order));
  }

  TextSource& source_;
  PlyEncoding encoding_;
};

class PlyReader {
 public:
  PlyReader(std::string_view content, std::string_view where)
      : source_(content, where),
        header_(read_ply_header(source_)),
        values_(source_, header_.encoding),
        where_(where) {}

  SurfaceMesh read() {
    check_elements();
    for (const PlyHeader::Element& element : header_.elements) read_element(element);
    if (!source_.at_end()) {
      source_.fail(
          "expected the end of the file after as many elements as its header announces; correct the "
          "header");
    }
    return triangulate(std::move(soup_), where_);
  }

 private:
  void check_elements() const {
    const PlyHeader::Element* const vertex = header_.find("vertex");
    if (vertex == nullptr) source_.fail("the header has no element 'vertex'");
    const auto announces = [&](std::string_view name) {
      const PlyHeader::Element* const element = header_.find(name);
      return element != nullptr && element->count > 0;
    };
    if (!announces("face") && !announces("tristrips")) {
      source_.fail(
          "the file is a point cloud without faces, expected a surface; reconstruct one first, e.g. with "
          "MeshLab");
    }
  }

  void read_element(const PlyHeader::Element& element) {
    if (element.properties.empty() && element.name != "vertex") return;
    std::size_t bytes = 0;
    for (const PlyHeader::Property& property : element.properties) {
      bytes += values_.bytes_of(property.count_type.value_or(property.type));
    }
    const std::string what = fmt::format("elements '{}'", printable(element.name));
    source_.require_room(element.count, what, std::max<std::size_t>(bytes, 1));
    if (element.name == "vertex") return read_vertices(element);
    if (element.name == "face" || element.name == "tristrips") return read_faces(element);
    for (std::int64_t i = 0; i < element.count; ++i) {
      for (const PlyHeader::Property& property : element.properties) values_.skip(property);
    }
  }

  void read_vertices(const PlyHeader::Element& element) {
    std::vector<int> axis(element.properties.size(), -1);  // of each property
    for (int i = 0; i < 3; ++i) {
      const std::string_view name = std::string_view("xyz").substr(static_cast<std::size_t>(i), 1);
      const auto property = element.find(name);
      if (!property || element.properties[*property].count_type) {
        source_.fail(fmt::format("the element 'vertex' has no property {}", name));
      }
      axis[*property] = i;
    }
    soup_.coordinates.resize(3 * static_cast<std::size_t>(element.count));
    double* x = soup_.coordinates.data();
    for (std::int64_t v = 0; v < element.count; ++v, x += 3) {
      for (std::size_t p = 0; p < axis.size(); ++p) {
        const PlyHeader::Property& property = element.properties[p];
        if (axis[p] < 0) {
          values_.skip(property);
          continue;
        }
        const double value = values_.read(property.type, "a coordinate of a vertex");
        if (!std::isfinite(value)) {
          source_.fail(fmt::format("a coordinate of vertex {} is {}, expected a finite number", v, value));
        }
        x[axis[p]] = value;
      }
    }
  }

  void read_faces(const PlyHeader::Element& element) {
    auto list = element.find("vertex_indices");
    if (!list) list = element.find("vertex_index");
    if (!list || !element.properties[*list].count_type) {
      source_.fail(fmt::format("the element '{}' has no list vertex_indices", element.name));
    }
    const int part = soup_.parts.number_of("");
    std::vector<int> strip;
    for (std::int64_t f = 0; f < element.count; ++f) {
      for (std::size_t p = 0; p < element.properties.size(); ++p) {
        const PlyHeader::Property& property = element.properties[p];
        if (p != *list) {
          values_.skip(property);
        } else if (element.name == "face") {
          read_corners(property, 0, soup_.corners);
          soup_.end_polygon(part);
        } else {
          strip.clear();
          read_corners(property, -1, strip);
          append_strips(strip, part);
        }
      }
    }
  }

  void read_corners(const PlyHeader::Property& property, int least, std::vector<int>& corners) {
    const std::int64_t length = values_.read_length(property);
    const auto vertex_count = static_cast<double>(header_.find("vertex")->count);
    for (std::int64_t i = 0; i < length; ++i) {
      const double corner = values_.read(property.type, "a corner of a face");
      const bool in_range =
          corner >= least && corner < vertex_count && corner <= std::numeric_limits<int>::max();
      if (!in_range || corner != std::floor(corner)) {
        source_.fail(
            fmt::format("a face names vertex {}, expected {} to {}", corner, least, vertex_count - 1));
      }
      corners.push_back(static_cast<int>(corner));
    }
  }

  /// Triangles of three corners in a row, every other one turned; a strip ends at -1. Those with a repeated
  /// corner only join what follows.
  void append_strips(std::span<const int> strip, int part) {
    bool turned = false;
    for (std::size_t i = 0; i + 2 < strip.size(); ++i, turned = !turned) {
      const int a = strip[i];
      const int b = strip[i + 1];
      const int c = strip[i + 2];
      if (a < 0) turned = true;  // so that the next triangle is not
      if (a < 0 || b < 0 || c < 0 || a == b || b == c || c == a) continue;
      soup_.corners.insert(soup_.corners.end(), {turned ? b : a, turned ? a : b, c});
      soup_.end_polygon(part);
    }
  }

  TextSource source_;
  PlyHeader header_;
  PlyValues values_;
  std::string_view where_;
  PolygonSoup soup_;
};

}  // namespace

bool looks_like_ply(std::string_view content) {
  return content.starts_with("ply\n") || content.starts_with("ply\r") || content.starts_with("ply ");
}

SurfaceMesh parse_ply(std::string_view content, std::string_view where) {
  return PlyReader(content, where).read();
}

std::string encode_ply(const SurfaceMesh& surface, std::string_view where, const PlyWriteOptions& options) {
  check_surface(surface, where);
  std::string content = fmt::format(
      "ply\nformat {} 1.0\ncomment written by limber\nelement vertex {}\nproperty double x\nproperty double "
      "y\n"
      "property double z\nelement face {}\nproperty list uchar int vertex_indices\nend_header\n",
      options.binary ? "binary_little_endian" : "ascii", surface.vertex_count(), surface.triangle_count());
  if (options.binary) {
    content.reserve(content.size() +
                    static_cast<std::size_t>(24 * surface.vertex_count() + 13 * surface.triangle_count()));
    for (const double coordinate : surface.vertices.reshaped())
      append_number(content, coordinate, ByteOrder::little);
    for (const auto corners : surface.triangles.colwise()) {
      content += '\3';
      for (const int corner : corners) append_number(content, std::int32_t{corner}, ByteOrder::little);
    }
    return content;
  }
  const auto out = std::back_inserter(content);
  for (const auto vertex : surface.vertices.colwise()) {
    fmt::format_to(out, "{} {} {}\n", vertex.x(), vertex.y(), vertex.z());
  }
  for (const auto corners : surface.triangles.colwise()) {
    fmt::format_to(out, "3 {} {} {}\n", corners[0], corners[1], corners[2]);
  }
  return content;
}

}  // namespace limber
