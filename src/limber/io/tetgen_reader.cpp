#include "limber/io/tetgen_reader.hpp"

#include "limber/base/error.hpp"
#include "limber/base/file.hpp"
#include "limber/base/text.hpp"
#include "limber/io/mesh_parts.hpp"
#include "limber/io/text_source.hpp"

#include <limits>
#include <string>

namespace limber {
namespace {

constexpr TextSyntax tetgen_syntax{.comment = '#'};

/// How many further values, `most` at most, the line holds; 0 where it ends.
std::int64_t read_optional_count(TextSource& source, std::string_view what, std::int64_t most) {
  if (source.at_line_end()) return 0;
  const std::int64_t count = source.read_size(what);
  if (count < 0 || count > most) {
    source.fail(fmt::format("{} is {}, expected 0 to {}", what, count, most));
  }
  return count;
}

/// More attributes than any program writes; a bound for the room that a line needs.
constexpr std::int64_t most_attributes = 1000;

/// Fills the positions; returns the number of the first vertex, 0 or 1.
std::int64_t read_nodes(std::string_view content, std::string_view where, MeshParts& parts) {
  TextSource source(content, where, tetgen_syntax);
  const std::int64_t count = source.read_size("the number of vertices");
  const std::int64_t dimension = source.read_size("the dimension");
  if (dimension != 3) {
    source.fail(fmt::format(
        "the dimension is {}, expected 3; limber needs the volume mesh that 'tetgen -p' makes", dimension));
  }
  const std::int64_t attributes = read_optional_count(source, "the number of attributes", most_attributes);
  const std::int64_t markers = read_optional_count(source, "the number of boundary markers", 1);
  source.end_line("four numbers");
  source.require_room(count, "vertices", 2 * static_cast<std::size_t>(4 + attributes + markers));

  std::int64_t first = 0;
  parts.positions.reserve(3 * static_cast<std::size_t>(count));
  for (std::int64_t v = 0; v < count; ++v) {
    const std::int64_t number = source.read_size("the number of a vertex");
    if (v == 0) first = number;
    if (first != 0 && first != 1) {
      source.fail(fmt::format("the first vertex has the number {}, expected 0 or 1", first));
    }
    if (number != first + v) {
      source.fail(fmt::format("expected vertex {} (vertices are numbered one after another), found '{}'",
                              first + v, number));
    }
    for (int axis = 0; axis < 3; ++axis)
      parts.positions.push_back(source.read_real("a coordinate of a vertex"));
    for (std::int64_t a = 0; a < attributes; ++a) source.read_word("an attribute of a vertex");
    if (markers == 1) source.read_word("the boundary marker of a vertex");
    source.end_line("a vertex");
  }
  if (!source.at_end()) {
    source.fail(fmt::format("expected no more than the {} vertices announced, found '{}'", count,
                            printable(source.peek_word())));
  }
  return first;
}

int read_tag(TextSource& source) {
  const double attribute = source.read_real("the region attribute");
  const bool fits =
      attribute >= std::numeric_limits<int>::min() && attribute <= std::numeric_limits<int>::max();
  const int tag = fits ? static_cast<int>(attribute) : 0;
  if (tag != attribute) {
    source.fail(
        fmt::format("the region attribute is {}, expected an integer; number the regions", attribute));
  }
  return tag;
}

void read_elements(std::string_view content, std::string_view where, std::int64_t first, MeshParts& parts) {
  TextSource source(content, where, tetgen_syntax);
  const auto vertices = static_cast<std::int64_t>(parts.positions.size() / 3);
  const std::int64_t count = source.read_size("the number of tetrahedra");
  const std::int64_t nodes = source.read_size("the number of nodes per tetrahedron");
  if (nodes == 10) source.fail(second_order_text("10 nodes per tetrahedron (tetgen -o2)"));
  if (nodes != 4) source.fail(fmt::format("{} nodes per tetrahedron, expected 4", nodes));
  const std::int64_t attributes = read_optional_count(source, "the number of attributes", most_attributes);
  source.end_line("three numbers");
  source.require_room(count, "tetrahedra", 2 * static_cast<std::size_t>(5 + attributes));

  parts.kind = ElementKind::tetrahedron;
  parts.corners.reserve(4 * static_cast<std::size_t>(count));
  for (std::int64_t e = 0; e < count; ++e) {
    source.read_size("the number of a tetrahedron");
    for (int a = 0; a < 4; ++a) {
      const std::int64_t vertex = source.read_size("a vertex of a tetrahedron");
      if (vertex < first || vertex >= first + vertices) {
        source.fail(fmt::format("a tetrahedron names vertex {}, but the .node file has vertices {} to {}",
                                vertex, first, first + vertices - 1));
      }
      parts.corners.push_back(static_cast<int>(vertex - first));
    }
    int tag = 0;
    for (std::int64_t a = 0; a < attributes; ++a) {
      if (a + 1 == attributes) {
        tag = read_tag(source);
      } else {
        source.read_word("an attribute of a tetrahedron");
      }
    }
    parts.tags.push_back(tag);
    source.end_line("a tetrahedron");
  }
  if (!source.at_end()) {
    source.fail(fmt::format("expected no more than the {} tetrahedra announced, found '{}'", count,
                            printable(source.peek_word())));
  }
}

}  // namespace

bool is_tetgen_path(const std::filesystem::path& path) {
  const std::filesystem::path extension = path.extension();
  return extension == ".node" || extension == ".ele" || extension == ".NODE" || extension == ".ELE";
}

TetgenPaths tetgen_paths(const std::filesystem::path& path) {
  const bool capitals = path.extension() == ".NODE" || path.extension() == ".ELE";
  TetgenPaths paths{path, path};
  paths.nodes.replace_extension(capitals ? ".NODE" : ".node");
  paths.elements.replace_extension(capitals ? ".ELE" : ".ele");
  return paths;
}

bool looks_like_tetgen(std::string_view content) {
  TextSource source(content, "", tetgen_syntax);
  if (source.at_end()) return false;
  int numbers = 0;
  for (; !source.at_line_end(); ++numbers) {
    if (numbers == 4 || !parse_integer(source.read_word("a number"))) return false;
  }
  return numbers >= 2;
}

VolumeMesh parse_tetgen(std::string_view nodes, std::string_view elements, std::string_view where_nodes,
                        std::string_view where_elements) {
  MeshParts parts;
  const std::int64_t first = read_nodes(nodes, where_nodes, parts);
  read_elements(elements, where_elements, first, parts);
  return build_mesh(parts, where_elements);
}

VolumeMesh parse_tetgen(std::string_view nodes, std::string_view elements, std::string_view where) {
  return parse_tetgen(nodes, elements, fmt::format("{}.node", where), fmt::format("{}.ele", where));
}

VolumeMesh read_tetgen(const std::filesystem::path& path) {
  const TetgenPaths paths = tetgen_paths(path);
  for (const auto& [file, other] : {std::pair{paths.nodes, paths.elements}, {paths.elements, paths.nodes}}) {
    require(std::filesystem::exists(file), "{}: no such file; a TetGen mesh needs it beside {}",
            file.string(), other.filename().string());
  }
  return parse_tetgen(read_file(paths.nodes), read_file(paths.elements), paths.nodes.string(),
                      paths.elements.string());
}

}  // namespace limber
