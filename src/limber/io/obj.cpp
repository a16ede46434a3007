#include "limber/io/obj.hpp"

#include "limber/base/error.hpp"
#include "limber/io/text_source.hpp"
#include "limber/mesh/polygon.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <iterator>
#include <optional>
#include <utility>

namespace limber {
namespace {

constexpr TextSyntax obj_style{.comment = '#'};

/// Statements without influence on the triangles.
constexpr std::array<std::string_view, 39> passed_over{
    "vt",    "vn",    "vp",    "s",    "l",    "p",        "mtllib",   "usemtl",     "usemap",   "maplib",
    "mg",    "lod",   "bevel", "bzp",  "bsp",  "cdc",      "cdp",      "res",        "cstype",   "deg",
    "bmat",  "step",  "parm",  "trim", "hole", "scrv",     "sp",       "end",        "con",      "curv",
    "curv2", "ctech", "stech", "call", "csh",  "c_interp", "d_interp", "shadow_obj", "trace_obj"};

bool is_passed_over(std::string_view word) {
  return std::find(passed_over.begin(), passed_over.end(), word) != passed_over.end();
}

/// The text with each line that ends with a backslash joined with the next one. The line breaks that go away
/// come back behind the joined line, so that lines keep their numbers in messages.
std::string join_lines(std::string_view content) {
  std::string joined;
  joined.reserve(content.size());
  std::size_t owed = 0;
  for (std::size_t i = 0; i < content.size(); ++i) {
    const std::string_view rest = content.substr(i);
    if (rest.starts_with("\\\n") || rest.starts_with("\\\r\n")) {
      joined += ' ';
      ++owed;
      i += rest[1] == '\n' ? 1 : 2;
    } else {
      joined += content[i];
      if (content[i] == '\n') joined.append(std::exchange(owed, 0), '\n');
    }
  }
  return joined;
}

class ObjReader {
 public:
  ObjReader(std::string_view content, std::string_view where)
      : source_(content, where, obj_style), where_(where) {}

  SurfaceMesh read() {
    while (!source_.at_end()) read_statement(source_.read_word("a statement"));
    if (ahead_) {
      if (static_cast<std::size_t>(furthest_) >= soup_.vertex_count()) {
        ahead_->fail(fmt::format("a face names vertex {}, but the file has {}", std::int64_t{furthest_} + 1,
                                 soup_.vertex_count()));
      }
    }
    require(!soup_.ends.empty(), "{}: has no faces, expected a surface", where_);
    return triangulate(std::move(soup_), where_);
  }

 private:
  void read_statement(std::string_view word) {
    if (word == "v") {
      for (int i = 0; i < 3; ++i) soup_.coordinates.push_back(source_.read_real("a coordinate of a vertex"));
    } else if (word == "f" || word == "fo") {
      return read_face();
    } else if (word == "o") {
      object_ = source_.read_line();
      part_ = -1;
      return;
    } else if (word == "g") {
      group_ = source_.read_line();
      part_ = -1;
      return;
    } else if (word == "surf") {
      source_.fail("a free-form surface, which limber does not read; export polygons instead");
    } else if (!is_passed_over(word)) {
      source_.fail(fmt::format("'{}' is no statement of OBJ; repair or delete the line", printable(word)));
    }
    source_.read_line();
  }

  void read_face() {
    while (!source_.at_line_end()) soup_.corners.push_back(read_corner());
    if (part_ < 0) part_ = soup_.parts.number_of(object_.value_or(group_));
    soup_.end_polygon(part_);
  }

  /// The vertex of "7", "7/1", "7//3", "7/1/3", where -1 is the vertex that came last.
  int read_corner() {
    const std::string_view word = source_.read_word("a corner of a face");
    int number = 0;
    const auto [stop, status] = std::from_chars(word.data(), word.data() + word.size(), number);
    const std::string_view rest(stop, static_cast<std::size_t>(word.data() + word.size() - stop));
    if (status != std::errc{} || rest.find_first_not_of("/-0123456789") != std::string_view::npos ||
        (!rest.empty() && rest.front() != '/')) {
      source_.fail(
          fmt::format("expected a corner of a face such as 7 or 7/1/3, found '{}'", printable(word)));
    }
    const auto count = static_cast<std::int64_t>(soup_.vertex_count());
    if (number == 0 || number < -count) {
      source_.fail(
          fmt::format("a face names vertex {}, but {} come before it; numbers count from 1, or from -1 "
                      "backwards",
                      number, count));
    }
    if (number < 0) return static_cast<int>(count + number);
    if (number > count && number - 1 > furthest_) {  // may come later, which the end of the file tells
      furthest_ = number - 1;
      ahead_ = source_;
    }
    return number - 1;
  }

  TextSource source_;
  std::string_view where_;
  PolygonSoup soup_;
  std::optional<std::string> object_;
  std::string group_;
  int part_ = -1;                    ///< of the faces that come next; -1: to be looked up
  int furthest_ = -1;                ///< the largest vertex that a face named before it came
  std::optional<TextSource> ahead_;  ///< where it did
};

}  // namespace

bool looks_like_obj(std::string_view content) {
  TextSource source(content, "", obj_style);
  const std::string_view word = source.peek_word();
  constexpr std::array<std::string_view, 4> ours{"v", "f", "o", "g"};
  if (std::find(ours.begin(), ours.end(), word) == ours.end() && !is_passed_over(word)) return false;
  const auto is_space = [](char c) { return c == ' ' || c == '\t'; };
  for (std::size_t at = content.find('v'); at != std::string_view::npos; at = content.find('v', at + 1)) {
    const bool starts_line =
        at == 0 || std::string_view("\r\n \t\xBF").find(content[at - 1]) != std::string_view::npos;
    if (starts_line && at + 1 < content.size() && is_space(content[at + 1])) return true;
  }
  return false;
}

SurfaceMesh parse_obj(std::string_view content, std::string_view where) {
  if (content.find("\\\n") == std::string_view::npos && content.find("\\\r\n") == std::string_view::npos) {
    return ObjReader(content, where).read();
  }
  const std::string joined = join_lines(content);
  return ObjReader(joined, where).read();
}

namespace {

void check_obj_name(const std::string& name, std::string_view where) {
  const bool blank_around = name.starts_with(' ') || name.ends_with(' ');
  const bool unprintable = std::any_of(name.begin(), name.end(), [](char c) { return c >= 0 && c < ' '; });
  require(
      !blank_around && !unprintable && name.find('#') == std::string::npos && !name.ends_with('\\'),
      "{}: the part name '{}' cannot be written to OBJ: it has blanks around it, control characters, '#', or "
      "'\\' at its end; rename the part",
      where, printable(name));
}

}  // namespace

std::string encode_obj(const SurfaceMesh& surface, std::string_view where) {
  check_surface(surface, where);
  for (const std::string& name : surface.parts) check_obj_name(name, where);
  fmt::memory_buffer buffer;
  const auto out = std::back_inserter(buffer);
  for (const auto vertex : surface.vertices.colwise()) {
    fmt::format_to(out, "v {} {} {}\n", vertex.x(), vertex.y(), vertex.z());
  }
  int part = surface.parts.size() == 1 && surface.parts[0].empty() ? 0 : -1;
  for (Index t = 0; t < surface.triangle_count(); ++t) {
    if (surface.part[static_cast<std::size_t>(t)] != part) {
      part = surface.part[static_cast<std::size_t>(t)];
      fmt::format_to(out, "o {}\n", surface.parts[static_cast<std::size_t>(part)]);
    }
    const auto corners = surface.triangles.col(t);
    fmt::format_to(out, "f {} {} {}\n", corners[0] + 1, corners[1] + 1, corners[2] + 1);
  }
  return fmt::to_string(buffer);
}

}  // namespace limber
