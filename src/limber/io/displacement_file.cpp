#include "limber/io/displacement_file.hpp"

#include "limber/base/error.hpp"
#include "limber/base/text.hpp"
#include "limber/io/text_source.hpp"
#include "limber/io/vtu_document.hpp"

#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <optional>
#include <string>

namespace limber {
namespace {

std::string in_small_letters(std::string text) {
  for (char& c : text) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return text;
}

bool is_header(std::string_view line) {
  std::string letters = in_small_letters(std::string(line.substr(0, 40)));
  std::erase_if(letters, [](char c) { return c == ' ' || c == '\t' || c == '"'; });
  return letters == "x,y,z";
}

/// Takes the lines of a .csv file one after another.
class CsvLines {
 public:
  CsvLines(Index vertices, std::string_view where) : vertices_(vertices), where_(where) {}

  void take(std::string_view line);
  [[nodiscard]] std::vector<Matrix3X> fields() const;

 private:
  [[nodiscard]] bool between_fields() const { return rows_ % vertices_ == 0; }
  [[noreturn]] void fail(std::string_view found) const {
    throw Error("{}: line {}: expected three finite numbers x,y,z, found '{}'", where_, line_,
                printable(found));
  }

  Index vertices_;
  std::string_view where_;
  Index line_ = 0;       ///< of the file, from 1
  Index rows_ = 0;       ///< lines with numbers
  Index first_gap_ = 0;  ///< the line of a gap inside of a field, if any
  std::vector<double> values_;
};

void CsvLines::take(std::string_view line) {
  ++line_;
  line = trimmed(line);
  if (between_fields() && (line.empty() || is_header(line))) return;
  if (line.empty()) {
    // At the end of the file, the number of lines is what is wrong.
    if (first_gap_ == 0) first_gap_ = line_;
    return;
  }
  if (first_gap_ != 0) {
    throw Error(
        "{}: line {}: is blank, expected three numbers x,y,z: {} of the {} lines of a field were read",
        where_, first_gap_, rows_ % vertices_, vertices_);
  }
  // No more than three numbers fit; a line of millions of commas is not worth splitting.
  if (std::count(line.begin(), line.end(), ',') != 2) fail(line);
  for (const std::string_view word : split(line, ',')) {
    const std::optional<double> value = parse_number(trimmed(word));
    if (!value) fail(line);
    values_.push_back(*value);
  }
  ++rows_;
}

std::vector<Matrix3X> CsvLines::fields() const {
  require(rows_ > 0, "{}: holds no displacements, expected lines x,y,z, one for each of {} vertices", where_,
          vertices_);
  require(
      between_fields(),
      "{}: has {} lines of numbers, expected {} for each field (one per vertex of the mesh); take the file "
      "that belongs to this mesh",
      where_, rows_, vertices_);
  std::vector<Matrix3X> fields;
  for (Index row = 0; row < rows_; row += vertices_) {
    fields.emplace_back(Eigen::Map<const Matrix3X>(values_.data() + 3 * row, 3, vertices_));
  }
  return fields;
}

/// The point data that hold the displacement; names the others where there are none.
const VtuArray& find_displacement(const VtuDocument& document) {
  for (const std::string_view name : {"displacement", "u"}) {
    for (const VtuArray& array : document.arrays) {
      if (array.section == "PointData" && in_small_letters(array.name) == name) return array;
    }
  }
  std::vector<std::string> names;
  for (const VtuArray& array : document.arrays) {
    if (array.section == "PointData" && names.size() < 8) names.push_back(printable(array.name));
  }
  throw Error("{}: has no point data named displacement or u, found {}", document.where,
              names.empty() ? "none" : fmt::format("{}", fmt::join(names, ", ")));
}

std::vector<Matrix3X> read_series(const std::filesystem::path& path, Index vertices, FileList* read_from) {
  const std::string content = read_file(path);
  std::vector<Matrix3X> fields;
  for (const std::string& name : scan_pvd(content, path.string())) {
    const std::filesystem::path file = path.parent_path() / name;
    fields.push_back(parse_displacements_vtu(read_file(file), vertices, file.string()));
    note_file(read_from, file);
  }
  return fields;
}

}  // namespace

std::vector<Matrix3X> parse_displacements_csv(std::string_view text, Index vertices, std::string_view where) {
  require(vertices > 0, "{}: displacements of a mesh with {} vertices, expected at least 1", where, vertices);
  constexpr std::string_view byte_order_mark = "\xef\xbb\xbf";
  if (text.starts_with(byte_order_mark)) text.remove_prefix(byte_order_mark.size());
  CsvLines lines(vertices, where);
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    lines.take(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines.fields();
}

Matrix3X parse_displacements_vtu(std::string_view content, Index vertices, std::string_view where) {
  const VtuDocument document = scan_vtu(content, where);
  require(document.points == vertices,
          "{}: has {} points, the mesh {} vertices; take the file that belongs to it", where, document.points,
          vertices);
  const VtuArray& array = find_displacement(document);
  if (array.components != 3) {
    document.fail(array.position, fmt::format("the point data '{}' have {} components, expected 3",
                                              printable(array.name), array.components));
  }
  const std::vector<double> values = read_vtu_reals(document, array);
  if (values.size() != 3 * static_cast<std::size_t>(vertices)) {
    document.fail(
        array.position,
        fmt::format("the point data '{}' have {} values, expected 3 for each of {} points; the file "
                    "is truncated or damaged, so copy or export it anew",
                    printable(array.name), values.size(), vertices));
  }
  Matrix3X field = Eigen::Map<const Matrix3X>(values.data(), 3, vertices);
  if (!field.allFinite()) {
    document.fail(array.position,
                  fmt::format("the point data '{}' hold numbers that are not finite", printable(array.name)));
  }
  return field;
}

std::vector<Matrix3X> read_displacements(const std::filesystem::path& path, Index vertices,
                                         FileList* read_from) {
  note_file(read_from, path);
  const std::string extension = in_small_letters(path.extension().string());
  if (extension == ".csv") return parse_displacements_csv(read_file(path), vertices, path.string());
  if (extension == ".vtu") return {parse_displacements_vtu(read_file(path), vertices, path.string())};
  if (extension == ".pvd") return read_series(path, vertices, read_from);
  throw Error("{}: the extension is '{}', expected .csv, .vtu or .pvd for displacements", path.string(),
              printable(path.extension().string()));
}

}  // namespace limber
