#include "limber/io/text_source.hpp"

#include "limber/base/error.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <type_traits>

namespace limber {

void TextSource::fail(std::string_view text) const {
  if (binary_) throw Error("{}: byte {}: {}", where_, word_position_, text);
  const std::string_view before = content_.substr(0, word_position_);
  const auto breaks = std::count(before.begin(), before.end(), '\n');
  throw Error("{}: line {}: {}", where_, first_line_ + static_cast<std::size_t>(breaks), text);
}

void TextSource::fail_truncated(std::string_view what) const {
  fail(fmt::format("the file ends, expected {}; it is truncated, so copy or export it anew", what));
}

bool TextSource::is_blank(char c) const {
  return c == ' ' || (c >= '\t' && c <= '\r') || style_.separators.find(c) != std::string_view::npos;
}

void TextSource::skip_blanks() {
  while (position_ < content_.size()) {
    const char c = content_[position_];
    if (style_.comment != '\0' && c == style_.comment) {
      position_ = std::min(content_.find('\n', position_), content_.size());
    } else if (is_blank(c)) {
      ++position_;
    } else {
      break;
    }
  }
  word_position_ = position_;
}

bool TextSource::at_end() {
  skip_blanks();
  return position_ == content_.size();
}

bool TextSource::at_line_end() {
  while (position_ < content_.size() && content_[position_] != '\n' && is_blank(content_[position_]))
    ++position_;
  word_position_ = position_;
  if (position_ == content_.size()) return true;
  const char c = content_[position_];
  return c == '\n' || (style_.comment != '\0' && c == style_.comment);
}

std::string_view TextSource::peek_word() {
  skip_blanks();
  std::size_t end = position_;
  while (end < content_.size() && !is_blank(content_[end]) &&
         (style_.comment == '\0' || content_[end] != style_.comment)) {
    ++end;
  }
  return content_.substr(position_, end - position_);
}

std::string_view TextSource::read_word(std::string_view what) {
  const std::string_view word = peek_word();
  if (word.empty()) fail_truncated(what);
  position_ += word.size();
  return word;
}

template <class Number>
Number TextSource::read_number(std::string_view what) {
  const std::string_view word = read_word(what);
  const char* const end = word.data() + word.size();
  const bool plus = word.size() > 1 && word[0] == '+' && word[1] != '-';  // std::from_chars takes no plus
  Number value{};
  const auto [stop, status] = std::from_chars(word.data() + (plus ? 1 : 0), end, value);
  if (status != std::errc{} || stop != end) {
    fail(fmt::format("expected {}, found '{}'", what, printable(word)));
  }
  return value;
}

int TextSource::read_int(std::string_view what) { return read_number<int>(what); }

std::int64_t TextSource::read_size(std::string_view what) { return read_number<std::int64_t>(what); }

double TextSource::read_real(std::string_view what) {
  const double value = read_number<double>(what);
  if (!std::isfinite(value)) fail(fmt::format("expected {}, a finite number, found {}", what, value));
  return value;
}

std::string_view TextSource::read_line() {
  word_position_ = position_;
  const std::size_t end = std::min(content_.find('\n', position_), content_.size());
  std::string_view line = content_.substr(position_, end - position_);
  if (style_.comment != '\0') line = line.substr(0, line.find(style_.comment));
  position_ = std::min(end + 1, content_.size());
  return trimmed(line);
}

void TextSource::end_line(std::string_view what) {
  if (!at_line_end()) {
    fail(fmt::format("expected the end of the line after {}, found '{}'", what, printable(peek_word())));
  }
  position_ = std::min(content_.find('\n', position_), content_.size());
  if (position_ < content_.size()) ++position_;
}

std::string_view TextSource::take(std::size_t bytes, std::string_view what) {
  word_position_ = position_;
  if (bytes_left() < bytes) fail_truncated(what);
  const std::string_view taken = content_.substr(position_, bytes);
  position_ += bytes;
  return taken;
}

void TextSource::require_room(std::int64_t count, std::string_view what, std::size_t bytes_each) const {
  if (count < 0) fail(fmt::format("{} {} are announced, expected at least 0", count, what));
  // The last word of a text needs no blank after it.
  if (static_cast<std::uint64_t>(count) > (bytes_left() + 1) / bytes_each) {
    fail(
        fmt::format("{} {} are announced, but only {} bytes follow; the file is truncated or damaged, so "
                    "copy or export it anew",
                    count, what, bytes_left()));
  }
}

}  // namespace limber
