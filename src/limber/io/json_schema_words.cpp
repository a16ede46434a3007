#include "limber/io/json_schema_words.hpp"

#include <fmt/format.h>

#include <stdexcept>

namespace limber::schema_words {
namespace {

/// Without an article: "number of at least 0", "lists of 3 numbers".
std::string noun(const Schema& root, const Schema& rules, bool plural) {
  const std::string type = rules.value("type", "value");
  const char* const ending = plural ? "s" : "";
  if (type == "array") {
    const std::string items =
        rules.contains("items") ? noun(root, resolve(root, rules["items"]), true) : std::string("values");
    return fmt::format("list{} of {}{}", ending, item_count(rules), items);
  }
  if (type == "string" && rules.value("minLength", 0) > 0) return fmt::format("non-empty string{}", ending);
  const std::string range = bounds(rules);
  const std::string_view link = range.empty() ? "" : range.starts_with("at ") ? " of " : " ";
  return fmt::format("{}{}{}{}", type, ending, link, range);
}

}  // namespace

std::string quoted(const std::string& text) {
  constexpr std::size_t max_bytes = 60;
  std::string shown = text.substr(0, max_bytes);
  if (text.size() > max_bytes) shown += "...";
  return Schema(shown).dump(-1, ' ', false, Schema::error_handler_t::replace);
}

const Schema& resolve(const Schema& root, const Schema& schema) {
  const Schema* rules = &schema;
  constexpr int max_references = 16;  // more than any chain in practice: a cycle in the schema
  for (int i = 0; i < max_references; ++i) {
    const auto reference = rules->find("$ref");
    if (reference == rules->end()) return *rules;
    const std::string target = reference->get<std::string>();
    if (!target.starts_with('#')) throw std::logic_error("schema: $ref must start with '#': " + target);
    rules = &root.at(Schema::json_pointer(target.substr(1)));
  }
  throw std::logic_error("schema: $ref points back to itself");
}

const Schema* find_keyword(const Schema& root, const Schema& schema, std::string_view keyword) {
  const std::string key(keyword);
  if (const auto own = schema.find(key); own != schema.end()) return &*own;
  const Schema& rules = resolve(root, schema);
  const auto found = rules.find(key);
  return found == rules.end() ? nullptr : &*found;
}

std::string bounds(const Schema& rules) {
  if (rules.contains("minimum") && rules.contains("maximum")) {
    return fmt::format("from {} to {}", rules["minimum"].dump(), rules["maximum"].dump());
  }
  std::string words;
  const auto add = [&](const char* keyword, const char* text) {
    if (!rules.contains(keyword)) return;
    words += fmt::format("{}{} {}", words.empty() ? "" : " and ", text, rules[keyword].dump());
  };
  add("minimum", "at least");
  add("exclusiveMinimum", "greater than");
  add("maximum", "at most");
  add("exclusiveMaximum", "less than");
  return words;
}

std::string choices(const Schema& rules, std::string_view mark) {
  std::string words;
  for (const Schema& choice : rules.at("enum")) {
    words += fmt::format("{}{}{}{}", words.empty() ? "" : ", ", mark, choice.dump(), mark);
  }
  return words;
}

std::string item_count(const Schema& rules) {
  const int least = rules.value("minItems", 0);
  if (!rules.contains("maxItems")) return least > 0 ? fmt::format("{} or more ", least) : std::string();
  const int most = rules["maxItems"].get<int>();
  return least == most ? fmt::format("{} ", most) : fmt::format("{} to {} ", least, most);
}

std::string expected(const Schema& root, const Schema& schema) {
  const Schema& rules = resolve(root, schema);
  if (rules.contains("anyOf")) {
    std::string words;
    for (const Schema& alternative : rules["anyOf"]) {
      words += (words.empty() ? "" : " or ") + expected(root, alternative);
    }
    return words;
  }
  if (rules.contains("enum")) return (rules["enum"].size() > 1 ? "one of " : "") + choices(rules);
  if (rules.value("type", "") == "boolean") return "true or false";
  const std::string words = noun(root, rules, false);
  return (std::string_view("aeiou").find(words.front()) == std::string_view::npos ? "a " : "an ") + words;
}

}  // namespace limber::schema_words
