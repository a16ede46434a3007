#pragma once

#include "limber/base/text.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace limber {

/// What tells the words of a text apart, besides blanks and line breaks.
struct TextSyntax {
  char comment = '\0';               ///< starts a comment that lasts to the end of its line; '\0' for none
  std::string_view separators = {};  ///< count as blanks, e.g. ","
};

/// Yields the words and numbers of a text file one after another.
///
/// Every read checks that the value is there and takes the whole word; a count is checked against the bytes
/// that are left (require_room) before anything is allocated for it. Messages name the file, the line of the
/// word read last (its byte after set_binary) and what was expected. Cost: linear in the text; lines are only
/// counted for a message.
class TextSource {
 public:
  /// Keeps views of all texts. `first_line`: the line in its file at which the content starts.
  TextSource(std::string_view content, std::string_view where, TextSyntax style = {},
             std::size_t first_line = 1)
      : content_(content), where_(where), style_(style), first_line_(first_line) {}

  /// True where only blanks and comments are left.
  bool at_end();
  /// True where only blanks and a comment are left on this line.
  bool at_line_end();
  /// The next word, which stays; empty at the end.
  std::string_view peek_word();

  /// The next word; `what` says in a message what was expected.
  std::string_view read_word(std::string_view what);
  int read_int(std::string_view what);
  std::int64_t read_size(std::string_view what);
  /// A finite number.
  double read_real(std::string_view what);

  /// The rest of the line without its comment and without blanks around it; goes on with the next line.
  std::string_view read_line();
  /// Passes the end of the line, which must come next. `what`: what the line consists of.
  void end_line(std::string_view what);
  /// The next bytes as they are.
  std::string_view take(std::size_t bytes, std::string_view what);

  /// The byte at which the next read starts.
  [[nodiscard]] std::size_t position() const { return position_; }
  /// Goes on at a byte of the content, at most its size.
  void seek(std::size_t position) { position_ = word_position_ = position; }
  [[nodiscard]] std::size_t bytes_left() const { return content_.size() - position_; }

  /// Throws unless `count` is at least 0 and that many items of at least `bytes_each` bytes each fit into the
  /// bytes left. As text each of the values of an item takes two: a digit and a blank. `what`: plural.
  void require_room(std::int64_t count, std::string_view what, std::size_t bytes_each) const;

  /// Messages from here on name bytes instead of lines.
  void set_binary() { binary_ = true; }

  /// Throws Error that names the file, the position and the text.
  [[noreturn]] void fail(std::string_view text) const;
  /// Throws Error that says that the file ends where `what` was expected.
  [[noreturn]] void fail_truncated(std::string_view what) const;

 private:
  template <class Number>
  Number read_number(std::string_view what);
  [[nodiscard]] bool is_blank(char c) const;
  void skip_blanks();

  std::string_view content_;
  std::string_view where_;
  TextSyntax style_;
  std::size_t first_line_;
  std::size_t position_ = 0;
  std::size_t word_position_ = 0;  ///< where the word read last starts, for messages
  bool binary_ = false;
};

}  // namespace limber
