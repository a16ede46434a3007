#pragma once

#include "limber/io/text_source.hpp"

#include <cstdint>
#include <string_view>

namespace limber {

/// Yields the values of a Gmsh file one after another, whether it spells them as text or stores them as
/// bytes, so that the layout of each section is written once.
///
/// Every read checks that the value is there; a count is checked against the bytes that are left before
/// anything is allocated for it. Messages name the line of a text file and the byte of a binary one.
class GmshSource {
 public:
  enum class Encoding { text, little_endian, big_endian };

  /// The least that one item of a list consists of.
  struct Record {
    int ints = 0;   ///< 4 bytes each in a binary file
    int sizes = 0;  ///< 8 bytes each
    int reals = 0;  ///< 8 bytes each
  };

  /// Keeps views of both texts.
  GmshSource(std::string_view content, std::string_view where) : content_(content), where_(where) {}

  [[nodiscard]] Encoding encoding() const { return encoding_; }

  /// How the values from here on are encoded; text until told.
  void set_encoding(Encoding encoding) { encoding_ = encoding; }

  /// Enters the section that comes next and returns its name without the $; empty at the end of the file.
  std::string_view enter_section();
  /// Passes the $End line of the section, which must come next.
  void leave_section();
  /// Passes everything up to and including the $End line of the section.
  void skip_section();

  /// Values in the file's encoding; `what` says in a message what was expected.
  int read_int(std::string_view what);
  std::int64_t read_size(std::string_view what);
  double read_real(std::string_view what);

  /// Values that are text in binary files too.
  int read_text_int(std::string_view what);
  std::string_view read_text_word(std::string_view what);
  /// The rest of the line, without blanks around it.
  std::string_view read_line();
  /// Four bytes as they are stored, with no regard to the encoding.
  std::string_view read_raw_int(std::string_view what);

  /// Throws unless `count` is at least 0 and that many records fit into the bytes left. `what`: plural.
  void require_room(std::int64_t count, std::string_view what, Record smallest) const;

  /// Throws Error that names the file, the position and the text.
  [[noreturn]] void fail(std::string_view text) const;

 private:
  template <class Number>
  Number read_text(std::string_view what);
  template <class Number>
  Number read_bytes(std::string_view what);
  std::string_view take(std::size_t bytes, std::string_view what);
  std::string_view peek_word();
  void skip_blanks();
  [[noreturn]] void fail_truncated(std::string_view what) const;

  std::string_view content_;
  std::string_view where_;
  std::string_view section_;
  std::size_t position_ = 0;
  std::size_t value_position_ = 0;  ///< where the value read last starts, for messages
  Encoding encoding_ = Encoding::text;
};

}  // namespace limber
