#include "limber/io/gmsh_reader_sections.hpp"

#include "limber/base/error.hpp"
#include "limber/base/text.hpp"
#include "limber/io/gmsh_reader_source.hpp"

#include <array>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <utility>

namespace limber {
namespace {

using GmshEncoding = GmshSource::Encoding;

/// Element types of the Gmsh manual, chapter "Node ordering", that a file may hold.
enum GmshType : int {
  line = 1,
  triangle,
  quadrilateral,
  tetrahedron,
  hexahedron,
  prism,
  pyramid,
  point = 15
};

/// Reads the sections of one file. MSH 2.2 stores tags as 4-byte integers and one element after another; 4.1
/// stores 8-byte tags, in blocks of one geometric entity and element type each.
class SectionReader {
 public:
  SectionReader(std::string_view content, std::string_view where) : source_(content, where) {}

  GmshSections read();

 private:
  void read_format();
  void read_names();
  void read_entities();
  void read_volume_groups(int volume);
  void read_nodes_2();
  void read_nodes_4();
  void read_position(int parameters);
  void read_elements_2();
  void read_elements_4();
  int accept_type(int type);
  void read_element(int type, int nodes, GmshGroup group);

  [[nodiscard]] bool is_text() const { return source_.encoding() == GmshEncoding::text; }
  std::int64_t read_tag(std::string_view what) {
    return version_4_ ? source_.read_size(what) : source_.read_int(what);
  }

  GmshSource source_;
  GmshSections sections_;
  bool version_4_ = false;
};

GmshSections SectionReader::read() {
  bool has_format = false;
  while (true) {
    const std::string_view name = source_.enter_section();
    if (name.empty()) break;
    if (name == "Comments") {
      source_.skip_section();
    } else if (name == "MeshFormat") {
      if (has_format) source_.fail("a second section $MeshFormat, expected one");
      read_format();
      has_format = true;
    } else if (!has_format) {
      source_.fail(
          fmt::format("found ${} before any $MeshFormat; limber reads Gmsh MSH 2.2 and 4.1, so export the "
                      "mesh with 'gmsh -3 -format msh41'",
                      printable(name)));
    } else if (name == "PhysicalNames") {
      read_names();
    } else if (name == "Entities" && version_4_) {
      read_entities();
    } else if (name == "Nodes") {
      version_4_ ? read_nodes_4() : read_nodes_2();
      sections_.has_nodes = true;
    } else if (name == "Elements") {
      version_4_ ? read_elements_4() : read_elements_2();
      sections_.has_elements = true;
    } else {
      source_.skip_section();
    }
  }
  return std::move(sections_);
}

void SectionReader::read_format() {
  const std::string_view version_text = source_.read_text_word("the version");
  const double version = parse_number(version_text).value_or(0.0);
  version_4_ = version == 4.1;
  // 2.0 and 2.1 have the layout of 2.2.
  if (!version_4_ && !(version >= 2.0 && version <= 2.2)) {
    source_.fail(
        fmt::format("MSH version is '{}', expected 2.2 or 4.1; export the mesh with 'gmsh -3 -format msh41'",
                    printable(version_text)));
  }
  const int file_type = source_.read_text_int("the file type (0 for ASCII, 1 for binary)");
  if (file_type != 0 && file_type != 1) {
    source_.fail(fmt::format("file type is {}, expected 0 for ASCII or 1 for binary", file_type));
  }
  const int data_size = source_.read_text_int("the data size");
  if (file_type == 1) {
    if (data_size != 8) {
      source_.fail(fmt::format("data size is {}, expected 8; export the mesh in ASCII", data_size));
    }
    source_.read_line();
    const std::string_view one = source_.read_raw_int("the integer 1 that tells the byte order");
    const bool little = one == std::string_view("\1\0\0\0", 4);
    if (!little && one != std::string_view("\0\0\0\1", 4)) {
      source_.fail(
          "the four bytes that tell the byte order do not hold the integer 1; was the file copied "
          "as text?");
    }
    source_.set_encoding(little ? GmshEncoding::little_endian : GmshEncoding::big_endian);
  }
  source_.leave_section();
}

void SectionReader::read_names() {
  const int count = source_.read_text_int("the number of names");
  for (int i = 0; i < count; ++i) {
    const int dimension = source_.read_text_int("the dimension of a physical group");
    const int tag = source_.read_text_int("the tag of a physical group");
    const std::string_view quoted = source_.read_line();
    if (quoted.size() < 2 || quoted.front() != '"' || quoted.back() != '"') {
      source_.fail(
          fmt::format("expected the quoted name of physical group {}, found '{}'", tag, printable(quoted)));
    }
    if (dimension == 3) sections_.group_names[tag] = quoted.substr(1, quoted.size() - 2);
  }
  source_.leave_section();
}

void SectionReader::read_entities() {
  static constexpr std::array<std::string_view, 4> names{"points", "curves", "surfaces", "volumes"};
  std::array<std::int64_t, 4> counts{};
  for (std::int64_t& count : counts) count = source_.read_size("the number of entities");
  for (std::size_t dimension = 0; dimension < 4; ++dimension) {
    const int reals = dimension == 0 ? 3 : 6;  // a position or a bounding box
    source_.require_room(counts[dimension], names[dimension], {.ints = 1, .sizes = 1, .reals = reals});
    for (std::int64_t i = 0; i < counts[dimension]; ++i) {
      const int tag = source_.read_int("the tag of an entity");
      for (int r = 0; r < reals; ++r) source_.read_real("the extent of an entity");
      if (dimension == 3) {
        read_volume_groups(tag);
      } else {
        const std::int64_t groups = source_.read_size("the number of physical groups");
        for (std::int64_t g = 0; g < groups; ++g) source_.read_int("the tag of a physical group");
      }
      if (dimension == 0) continue;
      const std::int64_t boundaries = source_.read_size("the number of bounding entities");
      for (std::int64_t b = 0; b < boundaries; ++b) source_.read_int("the tag of a bounding entity");
    }
  }
  source_.leave_section();
}

/// A group tag without the sign by which Gmsh marks a reversed orientation.
int unsigned_tag(int tag) { return tag == std::numeric_limits<int>::min() ? tag : std::abs(tag); }

void SectionReader::read_volume_groups(int volume) {
  const std::int64_t groups = source_.read_size("the number of physical groups");
  for (std::int64_t g = 0; g < groups; ++g) {
    const int tag = unsigned_tag(source_.read_int("the tag of a physical group"));
    const auto [group, added] = sections_.group_of_volume.emplace(volume, tag);
    if (!added && group->second != tag) {
      source_.fail(fmt::format(
          "volume {} belongs to the physical groups {} and {}, expected at most one; a region has "
          "one material, so keep one of them",
          volume, group->second, tag));
    }
  }
}

void SectionReader::read_nodes_2() {
  const int count = source_.read_text_int("the number of nodes");
  if (!is_text()) source_.read_line();
  source_.require_room(count, "nodes", {.ints = 1, .reals = 3});
  for (int i = 0; i < count; ++i) {
    sections_.node_tags.push_back(source_.read_int("the tag of a node"));
    read_position(0);
  }
  source_.leave_section();
}

void SectionReader::read_nodes_4() {
  const std::int64_t blocks = source_.read_size("the number of node blocks");
  std::int64_t left = source_.read_size("the number of nodes");
  source_.read_size("the lowest node tag");
  source_.read_size("the highest node tag");
  source_.require_room(left, "nodes", {.sizes = 1, .reals = 3});
  source_.require_room(blocks, "node blocks", {.ints = 3, .sizes = 1});
  for (std::int64_t b = 0; b < blocks; ++b) {
    const int dimension = source_.read_int("the dimension of an entity");
    if (dimension < 0 || dimension > 3) {
      source_.fail(fmt::format("the nodes of an entity of dimension {}, expected 0 to 3", dimension));
    }
    source_.read_int("the tag of an entity");
    const bool parametric = source_.read_int("whether nodes are parametric") != 0;
    const std::int64_t count = source_.read_size("the number of nodes in a block");
    if (count < 0 || count > left) {
      source_.fail(fmt::format("a block of {} nodes, but $Nodes announces only {} more", count, left));
    }
    left -= count;
    for (std::int64_t i = 0; i < count; ++i)
      sections_.node_tags.push_back(source_.read_size("the tag of a node"));
    for (std::int64_t i = 0; i < count; ++i) read_position(parametric ? dimension : 0);
  }
  if (left != 0) source_.fail(fmt::format("$Nodes announces {} nodes more than its blocks hold", left));
  source_.leave_section();
}

void SectionReader::read_position(int parameters) {
  for (int axis = 0; axis < 3; ++axis) {
    const double coordinate = source_.read_real("a coordinate of a node");
    if (!std::isfinite(coordinate)) {
      source_.fail(fmt::format("a coordinate of node {} (vertex {}) is {}, expected a finite number",
                               sections_.node_tags[sections_.node_positions.size() / 3],
                               sections_.node_positions.size() / 3, coordinate));
    }
    sections_.node_positions.push_back(coordinate);
  }
  for (int p = 0; p < parameters; ++p) source_.read_real("a parameter of a node");
}

void SectionReader::read_elements_2() {
  const int count = source_.read_text_int("the number of elements");
  if (!is_text()) source_.read_line();
  source_.require_room(count, "elements", {.ints = 2});
  for (int done = 0; done < count;) {
    // Text: number, type, tags, nodes. Bytes: type and how many elements of it follow, then number, tags,
    // nodes of each.
    if (is_text()) source_.read_int("the number of an element");
    const int type = source_.read_int("the type of an element");
    const int block = is_text() ? 1 : source_.read_int("the number of elements in a block");
    if (block < 1 || block > count - done) {
      source_.fail(fmt::format("a block of {} elements, expected 1 to the {} that $Elements announces yet",
                               block, count - done));
    }
    const int nodes = accept_type(type);
    const int tags = source_.read_int("the number of tags");
    if (tags < 0) source_.fail(fmt::format("an element with {} tags, expected at least 0", tags));
    for (int i = 0; i < block; ++i) {
      if (!is_text()) source_.read_int("the number of an element");
      GmshGroup group{0, true};
      for (int t = 0; t < tags; ++t) {
        const int tag = source_.read_int("the tag of an element");
        if (t == 0 && tag != 0) group = {unsigned_tag(tag), false};
        if (t == 1 && group.elementary) group.tag = tag;
      }
      read_element(type, nodes, group);
    }
    done += block;
  }
  source_.leave_section();
}

void SectionReader::read_elements_4() {
  const std::int64_t blocks = source_.read_size("the number of element blocks");
  std::int64_t left = source_.read_size("the number of elements");
  source_.read_size("the lowest element tag");
  source_.read_size("the highest element tag");
  source_.require_room(left, "elements", {.sizes = 2});
  source_.require_room(blocks, "element blocks", {.ints = 3, .sizes = 1});
  for (std::int64_t b = 0; b < blocks; ++b) {
    source_.read_int("the dimension of an entity");
    const int entity = source_.read_int("the tag of an entity");
    const int type = source_.read_int("the type of elements");
    const int nodes = accept_type(type);
    const std::int64_t count = source_.read_size("the number of elements in a block");
    if (count < 0 || count > left) {
      source_.fail(fmt::format("a block of {} elements, but $Elements announces only {} more", count, left));
    }
    left -= count;
    for (std::int64_t i = 0; i < count; ++i) {
      source_.read_size("the tag of an element");
      read_element(type, nodes, {entity, true});
    }
  }
  if (left != 0) source_.fail(fmt::format("$Elements announces {} elements more than its blocks hold", left));
  source_.leave_section();
}

/// Nodes per element of the type; throws for types that limber does not simulate.
int SectionReader::accept_type(int type) {
  switch (type) {
    case point:
      return 1;
    case line:
      return 2;
    case triangle:
      return 3;
    case quadrilateral:
      return 4;
    case tetrahedron:
    case hexahedron: {
      const ElementKind kind = type == tetrahedron ? ElementKind::tetrahedron : ElementKind::brick;
      if (sections_.kind.value_or(kind) != kind) {
        source_.fail("both tetrahedra and hexahedra, expected one kind; mesh the whole body with tetrahedra");
      }
      sections_.kind = kind;
      return vertices_per_element(kind);
    }
    case prism:
    case pyramid:
      source_.fail(
          fmt::format("a {} (Gmsh element type {}), expected tetrahedra or hexahedra; mesh the body with "
                      "tetrahedra, without Recombine",
                      type == prism ? "prism" : "pyramid", type));
    default:
      break;
  }
  constexpr int highest_type = 140;  // of Gmsh 4.13
  if (type > pyramid && type <= highest_type) {
    source_.fail(
        fmt::format("a higher-order element (Gmsh element type {}), expected linear tetrahedra or hexahedra; "
                    "set Mesh.ElementOrder=1 and mesh anew",
                    type));
  }
  source_.fail(fmt::format("element type {} is none that Gmsh knows; the file is damaged", type));
}

void SectionReader::read_element(int type, int nodes, GmshGroup group) {
  const bool kept = type == tetrahedron || type == hexahedron;
  for (int i = 0; i < nodes; ++i) {
    const std::int64_t tag = read_tag("the node of an element");
    if (kept) sections_.element_nodes.push_back(tag);
  }
  if (kept) sections_.element_groups.push_back(group);
}

}  // namespace

GmshSections read_gmsh_sections(std::string_view content, std::string_view where) {
  return SectionReader(content, where).read();
}

}  // namespace limber
