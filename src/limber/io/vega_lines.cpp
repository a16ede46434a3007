#include "limber/io/vega_lines.hpp"

#include "limber/base/error.hpp"
#include "limber/io/text_source.hpp"

#include <algorithm>
#include <utility>

namespace limber {
namespace {

constexpr std::string_view include_keyword = "*INCLUDE";
constexpr int most_inclusions = 100;

bool same_file(std::string_view a, std::string_view b) {
  std::error_code ignored;
  return a == b || std::filesystem::equivalent(a, b, ignored);
}

}  // namespace

void VegaLine::fail(std::string_view text_of_error) const {
  throw Error("{}: line {}: {}", where, number, text_of_error);
}

VegaLines::VegaLines(std::string_view content, std::string_view where,
                     std::optional<std::filesystem::path> folder, FileList* read_from)
    : folder_(std::move(folder)), read_from_(read_from), open_{{content, where}}, last_{"", where, 1} {}

std::optional<VegaLine> VegaLines::next() {
  if (again_.has_value()) return std::exchange(again_, std::nullopt);
  while (!open_.empty()) {
    Source& source = open_.back();
    if (source.position == source.content.size()) {
      open_.pop_back();
      continue;
    }
    const std::size_t end = std::min(source.content.find('\n', source.position), source.content.size());
    TextSource text(source.content.substr(source.position, end - source.position), source.where);
    source.position = std::min(end + 1, source.content.size());
    const VegaLine line{text.read_line(), source.where, ++source.line};
    if (line.text.empty() || line.text.front() == '#') continue;
    last_ = line;
    if (!line.text.starts_with(include_keyword)) return line;
    include(line);
  }
  return std::nullopt;
}

VegaLine VegaLines::require_next(std::string_view what) {
  const std::optional<VegaLine> line = next();
  if (!line.has_value()) {
    last_.fail(fmt::format("the file ends, expected {}; it is truncated, so copy or export it anew", what));
  }
  return *line;
}

void VegaLines::include(const VegaLine& line) {
  TextSource name(line.text.substr(include_keyword.size()), "");
  const std::string_view file = name.read_line();
  if (!folder_.has_value()) line.fail("*INCLUDE, which content in memory cannot have; read it from a file");
  if (file.empty()) line.fail("expected a file name after *INCLUDE");
  if (++inclusions_ > most_inclusions) {
    line.fail(
        fmt::format("more than {} inclusions, expected fewer; put the mesh into one file", most_inclusions));
  }
  const std::string path = (*folder_ / std::filesystem::path(file)).string();
  for (const Source& source : open_) {
    if (same_file(source.where, path))
      line.fail(fmt::format("'{}' includes itself; remove that line", printable(file)));
  }
  texts_.push_back(path);
  const std::string_view where = texts_.back();
  texts_.push_back(read_file(path));
  note_file(read_from_, path);
  open_.push_back({texts_.back(), where});
}

}  // namespace limber
