#include "limber/io/medit_reader.hpp"

#include "limber/base/error.hpp"
#include "limber/io/byte_order.hpp"
#include "limber/io/mesh_parts.hpp"
#include "limber/io/text_source.hpp"

#include <array>
#include <cctype>
#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>

namespace limber {
namespace {

enum class Content { dimension, vertices, tetrahedra, hexahedra, other_cells, second_order, end };

struct Keyword {
  std::string_view name;
  int code;  ///< in a .meshb file
  Content content;
};

/// Those that matter; names and codes are those of INRIA's libMeshb.
constexpr std::array<Keyword, 12> keywords{{{"Dimension", 3, Content::dimension},
                                            {"Vertices", 4, Content::vertices},
                                            {"Tetrahedra", 8, Content::tetrahedra},
                                            {"Prisms", 9, Content::other_cells},
                                            {"Pentahedra", 9, Content::other_cells},
                                            {"Hexahedra", 10, Content::hexahedra},
                                            {"TetrahedraP2", 30, Content::second_order},
                                            {"HexahedraQ2", 33, Content::second_order},
                                            {"Pyramids", 49, Content::other_cells},
                                            {"End", 54, Content::end},
                                            {"PrismsP2", 86, Content::second_order},
                                            {"PyramidsP2", 87, Content::second_order}}};

/// Reads one file. Text and bytes hold the same sections; a section as bytes also says where the next starts.
class MeditReader {
 public:
  MeditReader(std::string_view content, std::string_view where)
      : source_(content, where, {.comment = '#'}), where_(where) {}

  VolumeMesh read(bool binary) {
    binary ? read_bytes() : read_text();
    return build_mesh(parts_, where_);
  }

 private:
  void read_text();
  void read_bytes();
  void read_section(const Keyword& keyword);
  void read_vertices(std::int64_t count);
  void read_elements(std::int64_t count, ElementKind kind, std::string_view name);
  [[nodiscard]] std::optional<std::size_t> read_next_position();

  std::int64_t read_int(std::string_view what);
  std::int64_t read_int32(std::string_view what) {
    return load_number<std::int32_t>(source_.take(4, what), order_);
  }
  double read_real(std::string_view what);
  [[nodiscard]] std::size_t int_bytes() const { return !binary_ ? 2 : version_ >= 4 ? 8 : 4; }
  [[nodiscard]] std::size_t real_bytes() const { return !binary_ ? 2 : version_ >= 2 ? 8 : 4; }

  TextSource source_;
  std::string_view where_;
  MeshParts parts_;
  bool binary_ = false;
  bool has_vertices_ = false;
  std::int64_t version_ = 0;
  ByteOrder order_ = ByteOrder::little;
};

std::int64_t MeditReader::read_int(std::string_view what) {
  if (!binary_) return source_.read_size(what);
  if (version_ >= 4) return load_number<std::int64_t>(source_.take(8, what), order_);
  return read_int32(what);
}

double MeditReader::read_real(std::string_view what) {
  if (!binary_) return source_.read_real(what);
  const double value = version_ >= 2 ? load_number<double>(source_.take(8, what), order_)
                                     : load_number<float>(source_.take(4, what), order_);
  if (!std::isfinite(value)) source_.fail(fmt::format("expected {}, a finite number, found {}", what, value));
  return value;
}

void MeditReader::read_text() {
  source_.read_word("MeshVersionFormatted");
  version_ = source_.read_size("the version");
  while (!source_.at_end()) {
    const std::string_view name = source_.read_word("a keyword");
    if (std::isalpha(static_cast<unsigned char>(name.front())) == 0) {
      source_.fail(fmt::format(
          "expected a keyword such as Tetrahedra after as many entries as the section announces, found '{}'",
          printable(name)));
    }
    const Keyword* known = nullptr;
    for (const Keyword& keyword : keywords) {
      if (keyword.name == name) known = &keyword;
    }
    if (known != nullptr && known->content == Content::end) return;
    if (known != nullptr) {
      read_section(*known);
      continue;
    }
    while (!source_.at_end() && std::isalpha(static_cast<unsigned char>(source_.peek_word().front())) == 0) {
      source_.read_word("a number");
    }
  }
}

void MeditReader::read_bytes() {
  binary_ = true;
  source_.set_binary();
  order_ = source_.take(4, "the integer 1") == std::string_view("\1\0\0\0", 4) ? ByteOrder::little
                                                                               : ByteOrder::big;
  version_ = read_int32("the version");
  while (source_.bytes_left() > 0) {
    const std::int64_t code = read_int32("the code of a section");
    const Keyword* known = nullptr;
    for (const Keyword& keyword : keywords) {
      if (keyword.code == code) known = &keyword;
    }
    if (known != nullptr && known->content == Content::end) return;
    const std::optional<std::size_t> next = read_next_position();
    if (known != nullptr) read_section(*known);
    if (!next.has_value()) return;
    if (*next < source_.position()) {
      source_.fail(fmt::format(
          "the next section starts at byte {}, before this one ends; the file is damaged", *next));
    }
    source_.seek(*next);
  }
}

/// Where the next section starts; nothing after the last one.
std::optional<std::size_t> MeditReader::read_next_position() {
  constexpr std::string_view what = "the position of the next section";
  const std::int64_t next =
      version_ >= 3 ? load_number<std::int64_t>(source_.take(8, what), order_) : read_int32(what);
  if (next == 0) return std::nullopt;
  const std::size_t end = source_.position() + source_.bytes_left();
  if (next < 0 || static_cast<std::uint64_t>(next) > end) {
    source_.fail(
        fmt::format("the next section starts at byte {}, but the file has {}; it is truncated or "
                    "damaged, so copy or export it anew",
                    next, end));
  }
  return static_cast<std::size_t>(next);
}

void MeditReader::read_section(const Keyword& keyword) {
  if (keyword.content == Content::dimension) {
    // 4 bytes in every version.
    const std::int64_t dimension = binary_ ? read_int32("the dimension") : source_.read_size("the dimension");
    if (dimension != 3) {
      source_.fail(fmt::format(
          "Dimension is {}, expected 3; limber needs a volume mesh, so mesh the body in 3D", dimension));
    }
    return;
  }
  const std::int64_t count = read_int(fmt::format("the number of {}", keyword.name));
  if (keyword.content == Content::vertices) return read_vertices(count);
  if (keyword.content == Content::tetrahedra) {
    return read_elements(count, ElementKind::tetrahedron, keyword.name);
  }
  if (keyword.content == Content::hexahedra) return read_elements(count, ElementKind::brick, keyword.name);
  if (count == 0) return;
  source_.fail(keyword.content == Content::second_order
                   ? second_order_text(fmt::format("{} {}", count, keyword.name))
                   : unknown_cell_text(fmt::format("{} {}", count, keyword.name)));
}

void MeditReader::read_vertices(std::int64_t count) {
  if (has_vertices_) source_.fail("a second section Vertices, expected one");
  has_vertices_ = true;
  source_.require_room(count, "Vertices", 3 * real_bytes() + int_bytes());
  parts_.positions.reserve(3 * static_cast<std::size_t>(count));
  for (std::int64_t v = 0; v < count; ++v) {
    for (int axis = 0; axis < 3; ++axis) {
      parts_.positions.push_back(read_real("a coordinate of a vertex"));
    }
    read_int("the reference of a vertex");
  }
}

void MeditReader::read_elements(std::int64_t count, ElementKind kind, std::string_view name) {
  const auto corners = static_cast<std::size_t>(vertices_per_element(kind));
  const auto vertices = static_cast<std::int64_t>(parts_.positions.size() / 3);
  source_.require_room(count, name, (corners + 1) * int_bytes());
  if (count == 0) return;
  if (!has_vertices_) {
    source_.fail(fmt::format("expected the section Vertices before {}; export the mesh anew", name));
  }
  if (!accept_kind(parts_, kind)) source_.fail(mixed_kinds_text);
  parts_.corners.reserve(parts_.corners.size() + corners * static_cast<std::size_t>(count));
  for (std::int64_t e = 0; e < count; ++e) {
    for (std::size_t a = 0; a < corners; ++a) {
      const std::int64_t vertex = read_int("a vertex of an element");
      if (vertex < 1 || vertex > vertices || vertex > std::numeric_limits<int>::max()) {
        source_.fail(
            fmt::format("{} names vertex {}, but the file has vertices 1 to {}", name, vertex, vertices));
      }
      parts_.corners.push_back(static_cast<int>(vertex - 1));
    }
    const std::int64_t tag = read_int("the reference of an element");
    if (tag != static_cast<int>(tag)) {
      source_.fail(fmt::format("the reference of an element is {}, expected -2147483648 to 2147483647", tag));
    }
    parts_.tags.push_back(static_cast<int>(tag));
  }
}

bool looks_like_meshb(std::string_view content) {
  if (content.size() < 8) return false;
  for (const ByteOrder order : {ByteOrder::little, ByteOrder::big}) {
    const auto version = load_number<std::int32_t>(content.substr(4), order);
    if (load_number<std::int32_t>(content, order) == 1 && version >= 1 && version <= 4) return true;
  }
  return false;
}

}  // namespace

bool looks_like_medit(std::string_view content) {
  return looks_like_meshb(content) ||
         TextSource(content, "", {.comment = '#'}).peek_word() == "MeshVersionFormatted";
}

VolumeMesh parse_medit(std::string_view content, std::string_view where) {
  return MeditReader(content, where).read(looks_like_meshb(content));
}

}  // namespace limber
