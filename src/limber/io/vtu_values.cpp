#include "limber/base/error.hpp"
#include "limber/io/text_source.hpp"
#include "limber/io/vtk_grid.hpp"
#include "limber/io/vtu_document.hpp"

#include <algorithm>
#include <zlib.h>

namespace limber {
namespace {

/// Digit values; 64 for the padding '=', -1 for anything else.
int base64_value(char c) {
  if (c >= 'A' && c <= 'Z') return c - 'A';
  if (c >= 'a' && c <= 'z') return c - 'a' + 26;
  if (c >= '0' && c <= '9') return c - '0' + 52;
  if (c == '+') return 62;
  if (c == '/') return 63;
  return c == '=' ? 64 : -1;
}

/// The first `most` bytes that the text spells, or fewer where it ends before. A group with padding holds
/// fewer than three bytes and may be followed by further groups, so that texts encoded one by one can be read
/// as one.
std::string decode_base64(std::string_view text, std::size_t most) {
  std::string bytes;
  bytes.reserve(std::min(most + 2, text.size() / 4 * 3 + 3));
  unsigned bits = 0;
  int digits = 0;
  int padding = 0;
  for (const char c : text) {
    if (bytes.size() >= most) break;
    if (c == ' ' || c == '\n' || c == '\r' || c == '\t') continue;
    const int value = base64_value(c);
    if (value < 0 || (value < 64 && padding > 0)) break;
    if (value == 64) ++padding;
    bits = (bits << 6U) | (value < 64 ? static_cast<unsigned>(value) : 0U);
    if (++digits < 4) continue;
    for (int b = 0; b < 3 - padding; ++b) bytes += static_cast<char>((bits >> (16 - 8 * b)) & 255U);
    bits = 0;
    digits = padding = 0;
  }
  if (bytes.size() > most) bytes.resize(most);
  return bytes;
}

/// The bytes of one array, whichever way the file stores them.
class ArrayBytes {
 public:
  ArrayBytes(const VtuDocument& document, const VtuArray& array);

  [[nodiscard]] std::string read() const { return document_.compressed ? read_compressed() : read_plain(); }

 private:
  [[nodiscard]] std::string read_plain() const;
  [[nodiscard]] std::string read_compressed() const;
  [[nodiscard]] std::string fetch(std::size_t bytes) const;
  [[nodiscard]] std::uint64_t header_word(std::string_view bytes, std::size_t i) const;
  [[nodiscard]] std::size_t most_bytes() const {
    return base64_ ? stored_.size() / 4 * 3 + 3 : stored_.size();
  }
  [[noreturn]] void fail(std::string_view text) const {
    document_.fail(array_.position,
                   fmt::format("the DataArray '{}' {}; the file is truncated or damaged, so copy or "
                               "export it anew",
                               printable(array_.name), text));
  }

  const VtuDocument& document_;
  const VtuArray& array_;
  std::string_view stored_;
  bool base64_ = true;
};

ArrayBytes::ArrayBytes(const VtuDocument& document, const VtuArray& array)
    : document_(document), array_(array) {
  if (array.format == VtuArray::Format::binary) {
    stored_ = document.content.substr(array.begin, array.end - array.begin);
    return;
  }
  if (!document.appended.has_value()) fail("refers to AppendedData, which the file does not have");
  base64_ = document.appended_base64;
  stored_ = document.content.substr(*document.appended);
  if (static_cast<std::uint64_t>(array.offset) >= stored_.size()) {
    fail(fmt::format("starts at byte {} of the appended data, which have {}", array.offset, stored_.size()));
  }
  stored_.remove_prefix(static_cast<std::size_t>(array.offset));
}

/// The first bytes, exactly as many as asked for.
std::string ArrayBytes::fetch(std::size_t bytes) const {
  std::string result;
  if (bytes <= most_bytes())
    result = base64_ ? decode_base64(stored_, bytes) : std::string(stored_.substr(0, bytes));
  if (result.size() != bytes) fail(fmt::format("announces {} bytes, more than follow", bytes));
  return result;
}

std::uint64_t ArrayBytes::header_word(std::string_view bytes, std::size_t i) const {
  bytes.remove_prefix(i * document_.header_bytes);
  return document_.header_bytes == 8 ? load_number<std::uint64_t>(bytes, document_.order)
                                     : load_number<std::uint32_t>(bytes, document_.order);
}

/// The number of bytes, then these.
std::string ArrayBytes::read_plain() const {
  const std::uint64_t size = header_word(fetch(document_.header_bytes), 0);
  if (size > most_bytes()) fail(fmt::format("announces {} bytes, more than follow", size));
  return fetch(document_.header_bytes + static_cast<std::size_t>(size)).substr(document_.header_bytes);
}

/// The number of blocks, their size, that of the last one where it differs, their compressed sizes; then the
/// blocks.
std::string ArrayBytes::read_compressed() const {
  const std::size_t word = document_.header_bytes;
  const std::uint64_t blocks = header_word(fetch(word), 0);
  if (blocks == 0) return {};
  if (blocks > most_bytes() / word) fail(fmt::format("announces {} blocks, more than follow", blocks));
  const std::size_t header_size = (3 + static_cast<std::size_t>(blocks)) * word;
  const std::string header = fetch(header_size);
  std::size_t stored_size = header_size;
  std::uint64_t size = 0;
  for (std::size_t b = 0; b < blocks; ++b) {
    const std::uint64_t packed = header_word(header, 3 + b);
    const std::uint64_t last = header_word(header, 2);
    const std::uint64_t full = b + 1 == blocks && last > 0 ? last : header_word(header, 1);
    // Deflate makes nothing smaller than a 1032th.
    if (packed > most_bytes() || full > 1032 * packed) {
      fail(fmt::format("announces {} bytes that {} bytes hold in compressed form", full, packed));
    }
    stored_size += static_cast<std::size_t>(packed);
    size += full;
    if (stored_size > most_bytes()) fail(fmt::format("announces {} bytes, more than follow", stored_size));
  }
  const std::string packed_bytes = fetch(stored_size);
  std::string result(static_cast<std::size_t>(size), '\0');
  std::size_t from = header_size;
  std::size_t to = 0;
  for (std::size_t b = 0; b < blocks; ++b) {
    const auto packed = static_cast<uLong>(header_word(header, 3 + b));
    const std::uint64_t last = header_word(header, 2);
    const auto full = static_cast<uLong>(b + 1 == blocks && last > 0 ? last : header_word(header, 1));
    uLongf unpacked = full;
    const int status = uncompress(reinterpret_cast<Bytef*>(result.data() + to), &unpacked,
                                  reinterpret_cast<const Bytef*>(packed_bytes.data() + from), packed);
    if (status != Z_OK || unpacked != full) fail("holds a block that zlib cannot decompress");
    from += packed;
    to += full;
  }
  return result;
}

VtkType require_type(const VtuDocument& document, const VtuArray& array) {
  const std::optional<VtkType> type = vtk_xml_type(array.type);
  if (!type.has_value()) {
    document.fail(array.position,
                  fmt::format("the DataArray '{}' has the type '{}', expected one such as Int32 or "
                              "Float64",
                              printable(array.name), printable(array.type)));
  }
  return *type;
}

/// The numbers of an ascii array, each read by `read`.
template <class Number, class Read>
std::vector<Number> read_text(const VtuDocument& document, const VtuArray& array, const Read& read) {
  TextSource source(document.content.substr(0, array.end), document.where);
  source.seek(array.begin);
  std::vector<Number> values;
  while (!source.at_end()) values.push_back(read(source));
  return values;
}

}  // namespace

std::vector<double> read_vtu_reals(const VtuDocument& document, const VtuArray& array) {
  const VtkType type = require_type(document, array);
  if (array.format != VtuArray::Format::ascii) {
    return decode_reals(ArrayBytes(document, array).read(), type, document.order);
  }
  return read_text<double>(document, array, [](TextSource& source) { return source.read_real("a number"); });
}

std::vector<std::int64_t> read_vtu_integers(const VtuDocument& document, const VtuArray& array) {
  const VtkType type = require_type(document, array);
  if (array.format != VtuArray::Format::ascii) {
    return decode_integers(ArrayBytes(document, array).read(), type, document.order);
  }
  return read_text<std::int64_t>(document, array,
                                 [](TextSource& source) { return source.read_size("an integer"); });
}

}  // namespace limber
