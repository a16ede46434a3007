#pragma once

#include "limber/base/file.hpp"

#include <cstddef>
#include <deque>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace limber {

/// A line of a Vega file, without blanks around it.
struct VegaLine {
  std::string_view text;   ///< not empty
  std::string_view where;  ///< the file
  std::size_t number = 0;  ///< in that file, from 1

  /// Throws Error that names the file, the line and the text.
  [[noreturn]] void fail(std::string_view text) const;
};

/// The lines of a Vega file and of those it includes, without comments and empty ones. Lines refer to texts
/// that live as long as this object.
class VegaLines {
 public:
  /// `folder`: where included files are; nothing for content that may include none. Keeps views of the texts.
  /// `read_from` gets these files, where it is given.
  VegaLines(std::string_view content, std::string_view where, std::optional<std::filesystem::path> folder,
            FileList* read_from = nullptr);

  /// The next line; nothing at the end.
  std::optional<VegaLine> next();
  /// The next line; throws Error, saying what was expected, at the end.
  VegaLine require_next(std::string_view what);
  /// Makes next() give this line, the last that it gave, again.
  void put_back(const VegaLine& line) { again_ = line; }

 private:
  struct Source {
    std::string_view content;
    std::string_view where;
    std::size_t position = 0;
    std::size_t line = 0;
  };

  void include(const VegaLine& line);

  std::optional<std::filesystem::path> folder_;
  FileList* read_from_;
  std::vector<Source> open_;       ///< the innermost last
  std::deque<std::string> texts_;  ///< contents and names of included files; references stay valid
  std::optional<VegaLine> again_;
  VegaLine last_;
  int inclusions_ = 0;
};

}  // namespace limber
