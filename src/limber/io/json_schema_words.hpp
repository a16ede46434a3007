#pragma once

#include <nlohmann/json.hpp>

#include <string>
#include <string_view>

/// How a schema reads in words; shared by the messages of validate() and the tables of schema_to_markdown().
/// root: the whole schema, in which $ref is looked up; schema: the part of it that is meant.
namespace limber::schema_words {

using Schema = nlohmann::ordered_json;

/// A string in quotes on one line; a long one is cut.
std::string quoted(const std::string& text);

/// The rules that a schema states itself or points to by $ref.
const Schema& resolve(const Schema& root, const Schema& schema);

/// A keyword of the schema or, where it has none, of what its $ref points to; null where neither has it.
const Schema* find_keyword(const Schema& root, const Schema& schema, std::string_view keyword);

/// "at least 0", "from 0 to 1", "greater than -1 and less than 0.5"; empty without bounds.
std::string bounds(const Schema& rules);

/// `"static", "dynamic"`: the values of an enum, each between `mark`s.
std::string choices(const Schema& rules, std::string_view mark = "");

/// What a list holds: "3 ", "1 or more ", empty for any number.
std::string item_count(const Schema& rules);

/// All that a value must be, with its article: "a list of 3 numbers", "an integer of at least 1".
std::string expected(const Schema& root, const Schema& schema);

}  // namespace limber::schema_words
