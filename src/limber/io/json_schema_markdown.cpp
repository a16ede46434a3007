#include "limber/io/json_schema.hpp"
#include "limber/io/json_schema_words.hpp"
#include "limber/io/scene_uses.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace limber {
namespace {

using schema_words::find_keyword;
using schema_words::resolve;
using schema_words::Schema;

/// The text of the items of an object or a list, in its brackets.
std::string enclosed(const Schema& value, std::string_view items) {
  return value.is_object() ? fmt::format("{{{}}}", items) : fmt::format("[{}]", items);
}

std::string one_line(const Schema& value) {
  if (!value.is_structured() || value.empty()) return value.dump();
  std::string text;
  for (const auto& [key, item] : value.items()) {
    if (!text.empty()) text += ", ";
    if (value.is_object()) text += Schema(key).dump() + ": ";
    text += one_line(item);
  }
  return enclosed(value, text);
}

/// JSON as a person writes it: on one line what fits, else one line per item.
/// taken: columns of the line that are used before and after the value.
std::string pretty(const Schema& value, std::size_t indent, std::size_t taken) {
  constexpr std::size_t width = 100;
  const std::string line = one_line(value);
  if (!value.is_structured() || taken + line.size() <= width) return line;
  std::string text;
  for (const auto& [key, item] : value.items()) {
    const std::string label = value.is_object() ? Schema(key).dump() + ": " : "";
    text += text.empty() ? "\n" : ",\n";
    text += std::string(indent + 2, ' ') + label + pretty(item, indent + 2, indent + 2 + label.size() + 1);
  }
  text += fmt::format("\n{:{}}", "", indent);
  return enclosed(value, text);
}

/// The name of the object in $defs that a schema points to, empty for anything else.
std::string object_name(const Schema& root, const Schema& schema) {
  const std::string reference = schema.value("$ref", "");
  if (!reference.starts_with("#/$defs/") || !resolve(root, schema).contains("properties")) return "";
  return reference.substr(reference.rfind('/') + 1);
}

std::string type_text(const Schema& root, const Schema& schema, bool plural = false) {
  if (const std::string name = object_name(root, schema); !name.empty()) {
    return fmt::format("[{0}](#{0})", name);
  }
  const Schema& rules = resolve(root, schema);
  const char* const ending = plural ? "s" : "";
  if (rules.contains("anyOf")) {
    std::string text;
    for (const Schema& alternative : rules["anyOf"]) {
      text += (text.empty() ? "" : " or ") + type_text(root, alternative, plural);
    }
    return text;
  }
  const std::string type = rules.value("type", "value");
  if (type == "array" && rules.contains("items")) {
    return fmt::format("list{} of {}{}", ending, schema_words::item_count(rules),
                       type_text(root, rules["items"], true));
  }
  if (const auto items = rules.find("additionalProperties"); items != rules.end() && items->is_object()) {
    return fmt::format("object{}, each value a {}", ending, type_text(root, *items));
  }
  return type + ending;
}

/// The values that the type leaves: those of an enum, or the range of a number or of the numbers in a list.
std::string allowed_text(const Schema& root, const Schema& schema) {
  const Schema& rules = resolve(root, schema);
  if (rules.contains("enum")) return schema_words::choices(rules, "`");
  if (rules.contains("items")) return allowed_text(root, rules["items"]);
  if (rules.value("minLength", 0) > 0) return "not empty";
  return schema_words::bounds(rules);
}

/// Text that does not end the cell of a table.
std::string cell(std::string_view text) {
  std::string escaped;
  for (const char c : text) {
    if (c == '|') escaped += '\\';
    escaped += c;
  }
  return escaped;
}

/// What has a use for a key, where not all do.
std::string use_sentence(const Schema& property) {
  const std::string rules = use_rules_text(property);
  return rules.empty() ? "" : fmt::format("; *used: {}*", rules);
}

/// One table: a row per key of an object.
std::string section(const Schema& root, const std::string& name, const Schema& object) {
  std::string text = fmt::format("\n## {}\n\n", name);
  if (&object != &root && object.contains("description")) {
    text += object["description"].get<std::string>() + "\n\n";
  }
  text += "| key | type | default | meaning (unit) | allowed |\n| --- | --- | --- | --- | --- |\n";
  const Schema required = object.value("required", Schema::array());
  for (const auto& [key, property] : object["properties"].items()) {
    const Schema* standard = find_keyword(root, property, "default");
    const Schema* description = find_keyword(root, property, "description");
    const bool is_required = std::ranges::find(required, Schema(key)) != required.end();
    std::string initial;
    if (standard) initial = fmt::format("`{}`", one_line(*standard));
    if (is_required) initial = "**required**";
    text += fmt::format("| `{}` | {} | {} | {} | {} |\n", key, cell(type_text(root, property)), cell(initial),
                        cell((description ? description->get<std::string>() : "") + use_sentence(property)),
                        cell(allowed_text(root, property)));
  }
  return text;
}

}  // namespace

std::string schema_to_markdown(const nlohmann::ordered_json& schema) {
  std::string text =
      "<!-- Written by `limber schema --markdown`; edit src/limber/io/scene_schema.json instead. -->\n";
  text += fmt::format("# {}\n", schema.value("title", "Reference"));
  if (schema.contains("description")) text += fmt::format("\n{}\n", schema["description"].get<std::string>());
  for (const Schema& example : schema.value("examples", Schema::array())) {
    text += fmt::format("\n```json\n{}\n```\n", pretty(example, 0, 0));
  }
  text +=
      "\nA key without a default may be left out unless it is marked as required. A key without a use is an "
      "error: *used* names the types of solver with the methods that use it, those of the body that has it "
      "or, outside of bodies, those of any.\n";
  text += section(schema, "scene", schema);
  const Schema definitions = schema.value("$defs", Schema::object());
  for (const auto& [name, definition] : definitions.items()) {
    if (definition.contains("properties")) text += section(schema, name, definition);
  }
  return text;
}

}  // namespace limber
