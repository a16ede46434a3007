#include "limber/io/gmsh_reader_source.hpp"

#include "limber/base/bits.hpp"
#include "limber/base/error.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstring>
#include <type_traits>

namespace limber {
namespace {

constexpr bool is_blank(char c) { return c == ' ' || c == '\n' || c == '\r' || c == '\t'; }

}  // namespace

void GmshSource::fail(std::string_view text) const {
  if (encoding_ != Encoding::text) throw Error("{}: byte {}: {}", where_, value_position_, text);
  const std::string_view before = content_.substr(0, value_position_);
  const auto line = 1 + std::count(before.begin(), before.end(), '\n');
  throw Error("{}: line {}: {}", where_, line, text);
}

void GmshSource::fail_truncated(std::string_view what) const {
  fail(fmt::format("the file ends inside ${}, expected {}; it is truncated, so copy or export it anew",
                   section_, what));
}

void GmshSource::skip_blanks() {
  while (position_ < content_.size() && is_blank(content_[position_])) ++position_;
  value_position_ = position_;
}

std::string_view GmshSource::peek_word() {
  skip_blanks();
  std::size_t end = position_;
  while (end < content_.size() && !is_blank(content_[end])) ++end;
  return content_.substr(position_, end - position_);
}

std::string_view GmshSource::read_line() {
  value_position_ = position_;
  const std::size_t end = std::min(content_.find('\n', position_), content_.size());
  const std::string_view line = content_.substr(position_, end - position_);
  position_ = std::min(end + 1, content_.size());
  return trimmed(line);
}

std::string_view GmshSource::enter_section() {
  skip_blanks();
  if (position_ == content_.size()) return {};
  if (content_[position_] != '$') {
    fail(fmt::format("expected the start of a section such as $Nodes, found '{}'", printable(peek_word())));
  }
  const std::string_view name = read_line().substr(1);
  if (name.empty() || name.starts_with("End")) {
    fail(fmt::format("expected the start of a section such as $Nodes, found '${}'", printable(name)));
  }
  section_ = name;
  return name;
}

void GmshSource::leave_section() {
  skip_blanks();
  if (position_ == content_.size()) fail_truncated(fmt::format("$End{}", section_));
  const std::string_view word = peek_word();
  if (!word.starts_with("$End") || word.substr(4) != section_) {
    fail(fmt::format("expected $End{} after as many entries as the section announces, found '{}'", section_,
                     printable(word)));
  }
  read_line();
}

void GmshSource::skip_section() {
  const std::string end = fmt::format("$End{}", section_);
  while (true) {
    const std::size_t found = content_.find(end, position_);
    if (found == std::string_view::npos) {
      fail(fmt::format("section ${} has no $End line; the file is truncated, so copy or export it anew",
                       printable(section_)));
    }
    position_ = found + end.size();
    if (position_ == content_.size() || is_blank(content_[position_])) break;
  }
  read_line();
}

template <class Number>
Number GmshSource::read_text(std::string_view what) {
  skip_blanks();
  const char* const end = content_.data() + content_.size();
  const char* begin = content_.data() + position_;
  if (begin == end) fail_truncated(what);
  if (*begin == '+') ++begin;
  Number value{};
  const auto [stop, status] = std::from_chars(begin, end, value);
  if (status != std::errc{} || (stop != end && !is_blank(*stop))) {
    fail(fmt::format("expected {} in ${}, found '{}'", what, section_, printable(peek_word())));
  }
  position_ = static_cast<std::size_t>(stop - content_.data());
  return value;
}

std::string_view GmshSource::take(std::size_t bytes, std::string_view what) {
  value_position_ = position_;
  if (content_.size() - position_ < bytes) fail_truncated(what);
  const std::string_view taken = content_.substr(position_, bytes);
  position_ += bytes;
  return taken;
}

template <class Number>
Number GmshSource::read_bytes(std::string_view what) {
  std::array<char, sizeof(Number)> bytes{};
  std::memcpy(bytes.data(), take(bytes.size(), what).data(), bytes.size());
  const bool native = (encoding_ == Encoding::little_endian) == (std::endian::native == std::endian::little);
  if (!native) std::reverse(bytes.begin(), bytes.end());
  return bits_as<Number>(bytes);
}

int GmshSource::read_int(std::string_view what) {
  return encoding_ == Encoding::text ? read_text<int>(what) : read_bytes<std::int32_t>(what);
}

std::int64_t GmshSource::read_size(std::string_view what) {
  return encoding_ == Encoding::text ? read_text<std::int64_t>(what) : read_bytes<std::int64_t>(what);
}

double GmshSource::read_real(std::string_view what) {
  return encoding_ == Encoding::text ? read_text<double>(what) : read_bytes<double>(what);
}

int GmshSource::read_text_int(std::string_view what) { return read_text<int>(what); }

std::string_view GmshSource::read_text_word(std::string_view what) {
  const std::string_view word = peek_word();
  if (word.empty()) fail_truncated(what);
  position_ += word.size();
  return word;
}

std::string_view GmshSource::read_raw_int(std::string_view what) { return take(4, what); }

void GmshSource::require_room(std::int64_t count, std::string_view what, Record smallest) const {
  if (count < 0) fail(fmt::format("${} announces {} {}, expected at least 0", section_, count, what));
  // As text every value takes a digit and a separator, which the last one may lack.
  const std::int64_t bytes = encoding_ == Encoding::text
                                 ? 2 * (smallest.ints + smallest.sizes + smallest.reals)
                                 : 4 * smallest.ints + 8 * (smallest.sizes + smallest.reals);
  const auto left = static_cast<std::int64_t>(content_.size() - position_);
  if (count > (left + 1) / bytes) {
    fail(
        fmt::format("${} announces {} {}, but only {} bytes follow; the file is truncated or damaged, so "
                    "copy or export it anew",
                    section_, count, what, left));
  }
}

}  // namespace limber
