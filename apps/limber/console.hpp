#pragma once

#include <nlohmann/json_fwd.hpp>

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace limber::app {

/// Makes standard streams safe to use: a closed one becomes /dev/null (else the next file opened would take
/// its place and receive our text), and a reader that goes away ends the text, not the program.
void prepare_streams();

/// Writes text to standard output. A reader that went away (`limber schema | head -1`) is no failure; a full
/// disk is.
void print(std::string_view text);

/// Prints a value as indented JSON and a newline.
void print_json(const nlohmann::ordered_json& value);

/// Writes one line to standard error; line breaks inside of the text become spaces.
void print_error(std::string_view text);

/// Writes one line to standard error that begins with "limber: warning: ".
void print_warning(std::string_view text);

/// The same for what is good to know: "limber: note: ".
void print_note(std::string_view text);

/// Names and values, one pair per line, the values aligned.
using Rows = std::vector<std::pair<std::string, std::string>>;
std::string to_text(const Rows& rows);

/// A table whose first row is its head: the first column to the left, the others to the right.
std::string table_text(const std::vector<std::vector<std::string>>& rows);

}  // namespace limber::app
