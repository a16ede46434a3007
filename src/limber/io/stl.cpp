#include "limber/io/stl.hpp"

#include "limber/base/error.hpp"
#include "limber/io/byte_order.hpp"
#include "limber/io/text_source.hpp"
#include "limber/mesh/polygon.hpp"

#include <Eigen/Geometry>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <iterator>
#include <limits>

namespace limber {
namespace {

constexpr std::size_t header_bytes = 84;  ///< 80 of any content, then the number of triangles
constexpr std::size_t facet_bytes = 50;   ///< normal and corners as 12 floats, then two bytes of attributes

std::uint32_t announced_triangles(std::string_view content) {
  return load_number<std::uint32_t>(content.substr(80), ByteOrder::little);
}

std::uint64_t bytes_for(std::uint32_t triangles) {
  return header_bytes + std::uint64_t{facet_bytes} * triangles;
}

bool has_binary_size(std::string_view content) {
  return content.size() >= header_bytes && content.size() == bytes_for(announced_triangles(content));
}

bool equals_ignoring_case(std::string_view word, std::string_view lower) {
  return std::equal(word.begin(), word.end(), lower.begin(), lower.end(),
                    [](char a, char b) { return a == b || (a >= 'A' && a <= 'Z' && a - 'A' + 'a' == b); });
}

/// Text never holds a zero byte; in a binary file one comes early.
bool is_text(std::string_view content) {
  constexpr std::size_t enough = 512;
  return equals_ignoring_case(TextSource(content, "").peek_word(), "solid") &&
         content.substr(0, enough).find('\0') == std::string_view::npos;
}

SurfaceMesh parse_binary(std::string_view content, std::string_view where) {
  require(
      content.size() >= header_bytes,
      "{}: has {} bytes, expected 84 or more in a binary STL file or 'solid' at the start of a text; it is "
      "damaged or no STL, so copy or export it anew",
      where, content.size());
  const auto count = announced_triangles(content);
  require(content.size() >= bytes_for(count),  // some programs append bytes of their own
          "{}: byte 80: announces {} triangles, which take {} bytes, but the file has {}; it is truncated or "
          "damaged, so copy or export it anew",
          where, count, bytes_for(count), content.size());
  require(count > 0, "{}: byte 80: has no triangles, expected a surface", where);
  require(count <= static_cast<std::uint32_t>(std::numeric_limits<int>::max() / 3),
          "{}: byte 80: {} triangles are more than limber counts", where, count);

  SurfaceMesh surface;
  surface.vertices.resize(3, Index{3} * count);
  surface.triangles.resize(3, count);
  for (Index t = 0; t < count; ++t) {
    const std::size_t corners = header_bytes + facet_bytes * static_cast<std::size_t>(t) + 12;
    double* const x = surface.vertices.data() + 9 * t;
    for (std::size_t i = 0; i < 9; ++i) {
      x[i] = load_number<float>(content.substr(corners + 4 * i), ByteOrder::little);
      require(std::isfinite(x[i]), "{}: byte {}: a coordinate of triangle {} is {}, expected a finite number",
              where, corners + 4 * i, t, x[i]);
    }
    const auto first = static_cast<int>(3 * t);
    surface.triangles.col(t) = Eigen::Vector3i(first, first + 1, first + 2);
  }
  surface.part.assign(count, 0);
  surface.parts.emplace_back();
  return surface;
}

class StlTextReader {
 public:
  StlTextReader(std::string_view content, std::string_view where) : source_(content, where), where_(where) {}

  SurfaceMesh read() {
    while (!source_.at_end()) read_solid();
    require(!soup_.ends.empty(), "{}: has no facets, expected a surface", where_);
    return triangulate(std::move(soup_), where_);
  }

 private:
  void read_solid() {
    expect("solid");
    const std::string_view name = source_.read_line();
    int part = -1;
    while (!equals_ignoring_case(source_.peek_word(), "endsolid")) {
      read_facet();
      if (part < 0) part = soup_.parts.number_of(name);
      soup_.end_polygon(part);
    }
    source_.read_line();  // endsolid and the name again
  }

  void read_facet() {
    expect("facet");
    expect("normal");
    for (int i = 0; i < 3; ++i) source_.read_word("the normal of a facet");  // not used, often zero or NaN
    expect("outer");
    expect("loop");
    while (!equals_ignoring_case(source_.peek_word(), "endloop")) {
      expect("vertex");
      soup_.corners.push_back(static_cast<int>(soup_.vertex_count()));
      for (int i = 0; i < 3; ++i) soup_.coordinates.push_back(source_.read_real("a coordinate of a vertex"));
    }
    expect("endloop");
    expect("endfacet");
  }

  void expect(std::string_view keyword) {
    const std::string_view word = source_.read_word(keyword);
    if (!equals_ignoring_case(word, keyword)) {
      source_.fail(fmt::format("expected '{}', found '{}'", keyword, printable(word)));
    }
  }

  TextSource source_;
  std::string_view where_;
  PolygonSoup soup_;
};

Vector3 unit_normal(const Eigen::Matrix3d& corners) {
  const Vector3 normal =
      (corners.col(1) - corners.col(0)).cross(corners.col(2) - corners.col(0)).stableNormalized();
  return normal.allFinite() ? normal : Vector3::Zero();
}

Eigen::Matrix3d corners_of(const SurfaceMesh& surface, Index triangle) {
  return surface.vertices(Eigen::all, surface.triangles.col(triangle));
}

std::string encode_text(const SurfaceMesh& surface, std::string_view where) {
  for (const std::string& name : surface.parts) {
    const bool unprintable = std::any_of(name.begin(), name.end(), [](char c) { return c >= 0 && c < ' '; });
    require(!unprintable && !name.starts_with(' ') && !name.ends_with(' '),
            "{}: the part name '{}' cannot be written to STL: it has blanks around it or control characters; "
            "rename the part",
            where, printable(name));
  }
  fmt::memory_buffer buffer;
  const auto out = std::back_inserter(buffer);
  const auto name_of = [&](Index t) -> const std::string& {
    return surface.parts[static_cast<std::size_t>(surface.part[static_cast<std::size_t>(t)])];
  };
  const Index last = surface.triangle_count() - 1;
  for (Index t = 0; t <= last; ++t) {
    if (t == 0 || name_of(t) != name_of(t - 1)) fmt::format_to(out, "solid {}\n", name_of(t));
    const Eigen::Matrix3d corners = corners_of(surface, t);
    const Vector3 normal = unit_normal(corners);
    fmt::format_to(out, "facet normal {} {} {}\nouter loop\n", normal.x(), normal.y(), normal.z());
    for (const auto vertex : corners.colwise()) {
      fmt::format_to(out, "vertex {} {} {}\n", vertex.x(), vertex.y(), vertex.z());
    }
    fmt::format_to(out, "endloop\nendfacet\n");
    if (t == last || name_of(t) != name_of(t + 1)) fmt::format_to(out, "endsolid {}\n", name_of(t));
  }
  return fmt::to_string(buffer);
}

std::string encode_binary(const SurfaceMesh& surface) {
  std::string content = "binary STL written by limber";  // must not start with "solid"
  content.resize(header_bytes - 4);
  content.reserve(bytes_for(static_cast<std::uint32_t>(surface.triangle_count())));
  append_number(content, static_cast<std::uint32_t>(surface.triangle_count()), ByteOrder::little);
  for (Index t = 0; t < surface.triangle_count(); ++t) {
    const Eigen::Matrix3d corners = corners_of(surface, t);
    for (const double value : unit_normal(corners))
      append_number(content, static_cast<float>(value), ByteOrder::little);
    for (const double value : corners.reshaped())
      append_number(content, static_cast<float>(value), ByteOrder::little);
    append_number(content, std::uint16_t{0}, ByteOrder::little);
  }
  return content;
}

}  // namespace

bool looks_like_stl(std::string_view content) { return has_binary_size(content) || is_text(content); }

SurfaceMesh parse_stl(std::string_view content, std::string_view where) {
  if (!has_binary_size(content) && is_text(content)) return StlTextReader(content, where).read();
  return parse_binary(content, where);
}

std::string encode_stl(const SurfaceMesh& surface, std::string_view where, const StlWriteOptions& options) {
  check_surface(surface, where);
  return options.binary ? encode_binary(surface) : encode_text(surface, where);
}

}  // namespace limber
