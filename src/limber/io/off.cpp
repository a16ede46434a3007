#include "limber/io/off.hpp"

#include "limber/base/error.hpp"
#include "limber/io/text_source.hpp"
#include "limber/mesh/polygon.hpp"

#include <iterator>
#include <optional>

namespace limber {
namespace {

constexpr TextSyntax off_style{.comment = '#'};

/// What the letters before OFF say.
struct OffHeader {
  bool homogeneous = false;    ///< 4: a fourth coordinate divides the others
  bool any_dimension = false;  ///< n: the number of coordinates follows
};

/// "[ST][C][N][4][n]OFF"
std::optional<OffHeader> parse_header(std::string_view word) {
  OffHeader header;
  const auto take = [&](std::string_view prefix) {
    const bool there = word.starts_with(prefix);
    if (there) word.remove_prefix(prefix.size());
    return there;
  };
  take("ST");
  take("C");
  take("N");
  header.homogeneous = take("4");
  header.any_dimension = take("n");
  if (word != "OFF") return std::nullopt;
  return header;
}

/// The number of edges ends the line of counts, or stands on a line of its own, or is missing. It is not
/// used: exporters write 0 or nonsense.
void skip_edge_count(TextSource& source) {
  if (!source.at_line_end()) {
    source.read_size("the number of edges");
    if (!source.at_line_end()) {
      source.fail(
          fmt::format("expected the numbers of vertices, faces and edges on one line, found '{}' behind",
                      printable(source.read_line())));
    }
    return;
  }
  TextSource ahead = source;
  if (ahead.at_end()) return;
  ahead.read_word("");
  if (ahead.at_line_end()) source.read_size("the number of edges");
}

void read_vertices(TextSource& source, std::int64_t count, const OffHeader& header, PolygonSoup& soup) {
  soup.coordinates.resize(3 * static_cast<std::size_t>(count));
  for (std::size_t v = 0; v < static_cast<std::size_t>(count); ++v) {
    double* const x = soup.coordinates.data() + 3 * v;
    for (int i = 0; i < 3; ++i) x[i] = source.read_real("a coordinate of a vertex");
    if (header.homogeneous) {
      const double w = source.read_real("the fourth coordinate of a vertex");
      if (w == 0.0) source.fail("the fourth coordinate of a vertex is 0: it lies at infinity");
      for (int i = 0; i < 3; ++i) x[i] /= w;
    }
    source.read_line();
  }
}

void read_faces(TextSource& source, std::int64_t count, PolygonSoup& soup) {
  const auto vertex_count = static_cast<int>(soup.vertex_count());
  const int part = soup.parts.number_of("");
  for (std::int64_t f = 0; f < count; ++f) {
    const int corner_count = source.read_int("the number of corners of a face");
    source.require_room(corner_count, "corners of a face", 2);
    for (int i = 0; i < corner_count; ++i) {
      const int corner = source.read_int("a corner of a face");
      if (corner < 0 || corner >= vertex_count) {
        source.fail(fmt::format("a face names vertex {}, expected 0 to {}", corner, vertex_count - 1));
      }
      soup.corners.push_back(corner);
    }
    soup.end_polygon(part);
    source.read_line();
  }
}

}  // namespace

bool looks_like_off(std::string_view content) {
  return parse_header(TextSource(content, "", off_style).peek_word()).has_value();
}

SurfaceMesh parse_off(std::string_view content, std::string_view where) {
  TextSource source(content, where, off_style);
  const std::string_view word = source.read_word("OFF");
  const std::optional<OffHeader> header = parse_header(word);
  if (!header) source.fail(fmt::format("expected OFF, found '{}'", printable(word)));
  if (source.peek_word() == "BINARY") {
    source.fail("binary OFF is not read; convert it to text, or to binary PLY");
  }
  if (header->any_dimension) {
    const int dimension = source.read_int("the number of coordinates");
    if (dimension != 3) source.fail(fmt::format("vertices of {} coordinates, expected 3", dimension));
  }
  const std::int64_t vertex_count = source.read_size("the number of vertices");
  source.require_room(vertex_count, "vertices", 6);
  const std::int64_t face_count = source.read_size("the number of faces");
  source.require_room(face_count, "faces", 2);
  if (face_count == 0) source.fail("has no faces, expected a surface");
  skip_edge_count(source);

  PolygonSoup soup;
  read_vertices(source, vertex_count, *header, soup);
  read_faces(source, face_count, soup);
  if (!source.at_end()) {
    source.fail(
        fmt::format("expected the end of the file after {} vertices and {} faces, one per line, "
                    "found '{}'; correct the counts",
                    vertex_count, face_count, printable(source.peek_word())));
  }
  return triangulate(std::move(soup), where);
}

std::string encode_off(const SurfaceMesh& surface, std::string_view where) {
  check_surface(surface, where);
  fmt::memory_buffer buffer;
  const auto out = std::back_inserter(buffer);
  fmt::format_to(out, "OFF\n{} {} 0\n", surface.vertex_count(), surface.triangle_count());
  for (const auto vertex : surface.vertices.colwise()) {
    fmt::format_to(out, "{} {} {}\n", vertex.x(), vertex.y(), vertex.z());
  }
  for (const auto corners : surface.triangles.colwise()) {
    fmt::format_to(out, "3 {} {} {}\n", corners[0], corners[1], corners[2]);
  }
  return fmt::to_string(buffer);
}

}  // namespace limber
