#include "limber/io/vtu_document.hpp"

#include "limber/base/error.hpp"
#include "limber/io/text_source.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

namespace limber {
namespace {

constexpr std::string_view blanks = " \t\r\n";

/// A start or end tag.
struct Tag {
  std::string_view name;
  bool closes = false;  ///< an end tag
  bool empty = false;   ///< <... />
  std::size_t position = 0;
  std::vector<std::pair<std::string_view, std::string>> attributes;

  [[nodiscard]] const std::string* find(std::string_view attribute) const {
    for (const auto& [key, value] : attributes) {
      if (key == attribute) return &value;
    }
    return nullptr;
  }
};

/// Text of an attribute with its character references resolved.
std::string unescaped(std::string_view text) {
  static constexpr std::array<std::pair<std::string_view, char>, 5> references{
      {{"&lt;", '<'}, {"&gt;", '>'}, {"&amp;", '&'}, {"&quot;", '"'}, {"&apos;", '\''}}};
  std::string result;
  while (!text.empty()) {
    const auto known = std::find_if(references.begin(), references.end(),
                                    [&](const auto& one) { return text.starts_with(one.first); });
    result += known != references.end() ? known->second : text.front();
    text.remove_prefix(known != references.end() ? known->first.size() : 1);
  }
  return result;
}

/// Walks over the tags of an XML text. Comments, declarations and the text between tags are passed over.
class TagScanner {
 public:
  explicit TagScanner(const VtuDocument& document) : document_(document) {}

  [[nodiscard]] std::size_t position() const { return position_; }

  /// The next tag; nothing at the end of the content.
  std::optional<Tag> next();

 private:
  [[nodiscard]] std::string_view content() const { return document_.content; }
  void skip_to(std::string_view end, std::size_t from);
  void read_attributes(Tag& tag);
  std::size_t skip_blanks() {
    return position_ = std::min(content().find_first_not_of(blanks, position_), content().size());
  }
  [[noreturn]] void fail_truncated(std::size_t position) const {
    document_.fail(position, "the file ends inside a tag; it is truncated, so copy or export it anew");
  }

  const VtuDocument& document_;
  std::size_t position_ = 0;
};

void TagScanner::skip_to(std::string_view end, std::size_t from) {
  const std::size_t found = content().find(end, from);
  if (found == std::string_view::npos) fail_truncated(from);
  position_ = found + end.size();
}

std::optional<Tag> TagScanner::next() {
  while (true) {
    position_ = content().find('<', position_);
    if (position_ == std::string_view::npos) {
      position_ = content().size();
      return std::nullopt;
    }
    const std::string_view rest = content().substr(position_);
    if (rest.starts_with("<!--")) {
      skip_to("-->", position_);
    } else if (rest.starts_with("<?") || rest.starts_with("<!")) {
      skip_to(">", position_);
    } else {
      break;
    }
  }
  Tag tag;
  tag.position = position_++;
  tag.closes = position_ < content().size() && content()[position_] == '/';
  if (tag.closes) ++position_;
  const std::size_t end = content().find_first_of(" \t\r\n/>", position_);
  if (end == std::string_view::npos) fail_truncated(tag.position);
  tag.name = content().substr(position_, end - position_);
  position_ = end;
  read_attributes(tag);
  return tag;
}

void TagScanner::read_attributes(Tag& tag) {
  while (true) {
    if (skip_blanks() == content().size()) fail_truncated(tag.position);
    const char c = content()[position_];
    if (c == '>') break;
    if (c == '/') {
      tag.empty = true;
      ++position_;
      continue;
    }
    const std::size_t end = content().find_first_of(" \t\r\n=/>", position_);
    if (end == std::string_view::npos) fail_truncated(tag.position);
    const std::string_view key = content().substr(position_, end - position_);
    position_ = end;
    if (skip_blanks() < content().size() && content()[position_] == '=') {
      ++position_;
      skip_blanks();
    }
    const char quote = position_ < content().size() ? content()[position_] : '\0';
    if (key.empty() || (quote != '"' && quote != '\'')) {
      document_.fail(
          tag.position,
          fmt::format("expected attributes of the form name=\"value\" in the tag '{}'", printable(tag.name)));
    }
    const std::size_t begin = ++position_;
    skip_to(std::string_view(&quote, 1), begin);
    tag.attributes.emplace_back(key, unescaped(content().substr(begin, position_ - 1 - begin)));
  }
  ++position_;
}

/// Takes the elements of a file one after another.
class DocumentScanner {
 public:
  explicit DocumentScanner(VtuDocument& document) : document_(document), tags_(document) {}

  void scan();

 private:
  void take_file(const Tag& tag);
  void take_piece(const Tag& tag);
  void take_array(const Tag& tag);
  void take_appended(const Tag& tag);
  void find_text(const Tag& tag, VtuArray& array);
  std::int64_t integer(const Tag& tag, std::string_view attribute, std::optional<std::int64_t> absent);
  [[nodiscard]] std::string word(const Tag& tag, std::string_view attribute,
                                 std::string_view absent = "") const {
    const std::string* value = tag.find(attribute);
    return value != nullptr ? *value : std::string(absent);
  }

  VtuDocument& document_;
  TagScanner tags_;
  std::string section_;
  bool has_file_ = false;
  bool has_piece_ = false;
};

void DocumentScanner::scan() {
  static constexpr std::array<std::string_view, 5> sections{"Points", "Cells", "CellData", "PointData",
                                                            "FieldData"};
  while (const std::optional<Tag> tag = tags_.next()) {
    if (!has_file_ && tag->name != "VTKFile") {
      document_.fail(tag->position,
                     fmt::format("expected the element VTKFile, found '{}'", printable(tag->name)));
    }
    if (tag->name == "VTKFile" && tag->closes) {
      if (!has_piece_) document_.fail(tag->position, "has no element Piece; the file holds no mesh");
      return;
    }
    if (tag->name == "VTKFile") {
      take_file(*tag);
    } else if (std::find(sections.begin(), sections.end(), tag->name) != sections.end()) {
      section_ = tag->closes || tag->empty ? "" : tag->name;
    } else if (tag->name == "Piece" && !tag->closes) {
      take_piece(*tag);
    } else if (tag->name == "DataArray" && !tag->closes) {
      take_array(*tag);
    } else if (tag->name == "AppendedData" && !tag->closes) {
      // The last element; what it holds may look like tags.
      return take_appended(*tag);
    }
  }
  document_.fail(document_.content.size(),
                 "the file ends, expected </VTKFile>; it is truncated, so copy or export it "
                 "anew");
}

void DocumentScanner::take_file(const Tag& tag) {
  has_file_ = true;
  const std::string type = word(tag, "type");
  if (type != "UnstructuredGrid") {
    document_.fail(tag.position,
                   fmt::format("the type of the file is '{}', expected UnstructuredGrid; limber needs a "
                               "volume mesh of tetrahedra or hexahedra (.vtu)",
                               printable(type)));
  }
  const std::string order = word(tag, "byte_order", "LittleEndian");
  if (order != "LittleEndian" && order != "BigEndian") {
    document_.fail(tag.position,
                   fmt::format("byte_order is '{}', expected LittleEndian or BigEndian", printable(order)));
  }
  document_.order = order == "BigEndian" ? ByteOrder::big : ByteOrder::little;
  const std::string header = word(tag, "header_type", "UInt32");
  if (header != "UInt32" && header != "UInt64") {
    document_.fail(tag.position,
                   fmt::format("header_type is '{}', expected UInt32 or UInt64", printable(header)));
  }
  document_.header_bytes = header == "UInt64" ? 8 : 4;
  const std::string compressor = word(tag, "compressor");
  if (!compressor.empty() && compressor != "vtkZLibDataCompressor") {
    document_.fail(tag.position,
                   fmt::format("the data are compressed by {}, expected vtkZLibDataCompressor; save the "
                               "file with ZLib or without compression",
                               printable(compressor)));
  }
  document_.compressed = !compressor.empty();
}

std::int64_t DocumentScanner::integer(const Tag& tag, std::string_view attribute,
                                      std::optional<std::int64_t> absent) {
  const std::string* text = tag.find(attribute);
  if (text == nullptr && absent.has_value()) return *absent;
  if (text == nullptr) {
    document_.fail(tag.position,
                   fmt::format("the tag '{}' has no attribute {}", printable(tag.name), attribute));
  }
  std::int64_t value = -1;
  const auto [end, status] = std::from_chars(text->data(), text->data() + text->size(), value);
  if (status != std::errc{} || end != text->data() + text->size() || value < 0) {
    document_.fail(tag.position,
                   fmt::format("{} is '{}', expected an integer from 0", attribute, printable(*text)));
  }
  return value;
}

void DocumentScanner::take_piece(const Tag& tag) {
  if (has_piece_) {
    document_.fail(tag.position,
                   "a second Piece, expected one; merge the pieces, e.g. with ParaView's Merge Blocks and "
                   "Clean to Grid");
  }
  has_piece_ = true;
  document_.points = integer(tag, "NumberOfPoints", std::nullopt);
  document_.cells = integer(tag, "NumberOfCells", std::nullopt);
}

void DocumentScanner::take_array(const Tag& tag) {
  VtuArray array;
  array.section = section_;
  array.position = tag.position;
  array.name = word(tag, "Name");
  array.type = word(tag, "type");
  array.components = integer(tag, "NumberOfComponents", 1);
  const std::string format = word(tag, "format", "ascii");
  if (format == "appended") {
    array.format = VtuArray::Format::appended;
    array.offset = integer(tag, "offset", std::nullopt);
  } else if (format == "binary") {
    array.format = VtuArray::Format::binary;
  } else if (format != "ascii") {
    document_.fail(tag.position,
                   fmt::format("format is '{}', expected ascii, binary or appended", printable(format)));
  }
  array.begin = array.end = tags_.position();
  if (!tag.empty) find_text(tag, array);
  document_.arrays.push_back(std::move(array));
}

/// The text of an array comes before, after or without InformationKey elements.
void DocumentScanner::find_text(const Tag& tag, VtuArray& array) {
  bool in_key = false;
  while (true) {
    const std::size_t begin = tags_.position();
    const std::optional<Tag> next = tags_.next();
    if (!next) {
      document_.fail(tag.position,
                     "the file ends inside a DataArray; it is truncated, so copy or export it anew");
    }
    const std::string_view text = document_.content.substr(begin, next->position - begin);
    const bool blank = text.find_first_not_of(blanks) == std::string_view::npos;
    if (!in_key && !blank) {
      array.begin = begin;
      array.end = next->position;
    }
    if (next->name == "InformationKey") in_key = !next->closes && !next->empty;
    if (next->closes && next->name == "DataArray") return;
  }
}

void DocumentScanner::take_appended(const Tag& tag) {
  if (!has_piece_) document_.fail(tag.position, "AppendedData before any Piece, expected it last");
  const std::string encoding = word(tag, "encoding", "base64");
  if (encoding != "raw" && encoding != "base64") {
    document_.fail(tag.position,
                   fmt::format("encoding is '{}', expected raw or base64", printable(encoding)));
  }
  document_.appended_base64 = encoding == "base64";
  const std::size_t start = document_.content.find_first_not_of(blanks, tags_.position());
  if (start == std::string_view::npos || document_.content[start] != '_') {
    document_.fail(tag.position,
                   "expected an underscore where the appended data start; the file is truncated or "
                   "damaged, so copy or export it anew");
  }
  document_.appended = start + 1;
}

}  // namespace

void VtuDocument::fail(std::size_t position, std::string_view text) const {
  const std::string_view before = content.substr(0, position);
  throw Error("{}: line {}: {}", where, 1 + std::count(before.begin(), before.end(), '\n'), text);
}

VtuDocument scan_vtu(std::string_view content, std::string_view where) {
  VtuDocument document;
  document.content = content;
  document.where = where;
  DocumentScanner(document).scan();
  return document;
}

std::vector<std::string> scan_pvd(std::string_view content, std::string_view where) {
  VtuDocument document;
  document.content = content;
  document.where = where;
  TagScanner tags(document);
  std::vector<std::string> files;
  bool has_file = false;
  while (const std::optional<Tag> tag = tags.next()) {
    const std::string* type = tag->find("type");
    if (!has_file && (tag->name != "VTKFile" || type == nullptr || *type != "Collection")) {
      document.fail(tag->position, "expected the element VTKFile of the type Collection (.pvd)");
    }
    has_file = true;
    if (tag->name == "VTKFile" && tag->closes) {
      if (files.empty()) document.fail(tag->position, "has no element DataSet; the collection is empty");
      return files;
    }
    if (tag->name != "DataSet" || tag->closes) continue;
    const std::string* file = tag->find("file");
    if (file == nullptr || file->empty()) document.fail(tag->position, "a DataSet has no attribute file");
    files.push_back(*file);
  }
  document.fail(content.size(),
                "the file ends, expected </VTKFile>; it is truncated, so copy or export it anew");
}

}  // namespace limber
