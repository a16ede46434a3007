#include "limber/io/json_schema.hpp"

#include "limber/base/error.hpp"
#include "limber/base/text.hpp"
#include "limber/io/json_schema_words.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

namespace limber {

extern const std::string_view scene_schema_text;  ///< scene_schema.json, compiled in by cmake/EmbedText.cmake

namespace {

using nlohmann::json;
using schema_words::expected;
using schema_words::find_keyword;
using schema_words::quoted;
using schema_words::resolve;
using schema_words::Schema;

/// Where a value lies in the document: a list from the value up to the root, spelled out only for a message.
struct Path {
  const Path* parent = nullptr;
  const std::string* key = nullptr;  ///< set inside an object; null inside a list
  std::size_t index = 0;
};

std::string to_text(const Path& path) {
  if (!path.parent) return "";
  std::string text = to_text(*path.parent);
  if (!path.key) return text + fmt::format("[{}]", path.index);
  const auto is_plain = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '-' || c == '$';
  };
  const bool plain = !path.key->empty() && path.key->size() <= 60 && std::ranges::all_of(*path.key, is_plain);
  if (!plain) return text + fmt::format("[{}]", quoted(*path.key));
  return text + (text.empty() ? "" : ".") + *path.key;
}

/// A value in a message: as it stands where it is short, else what kind of value it is.
std::string shown(const json& value) {
  if (value.is_string()) return quoted(value.get_ref<const std::string&>());
  if (value.is_object()) return "an object";
  if (!value.is_array()) return value.dump();
  const bool is_short =
      value.size() <= 6 && std::ranges::none_of(value, [](const json& item) { return item.is_structured(); });
  if (!is_short) return fmt::format("a list of {} values", value.size());
  std::string text;
  for (const json& item : value) text += (text.empty() ? "" : ", ") + shown(item);
  return fmt::format("[{}]", text);
}

bool is_whole(double number) {
  constexpr double exact_limit = 9007199254740992.0;  // 2^53: beyond it doubles skip integers
  return std::abs(number) <= exact_limit && std::trunc(number) == number;
}

bool has_type(const Schema& rules, const json& value) {
  const auto found = rules.find("type");
  if (found == rules.end()) return true;
  const std::string& type = found->get_ref<const std::string&>();
  if (type == "number") return value.is_number() && std::isfinite(value.get<double>());
  if (type == "integer") {
    return value.is_number_integer() || (value.is_number_float() && is_whole(value.get<double>()));
  }
  if (type == "string") return value.is_string();
  if (type == "array") return value.is_array();
  if (type == "object") return value.is_object();
  if (type == "boolean") return value.is_boolean();
  return type == "null" && value.is_null();
}

bool in_bounds(const Schema& rules, double number) {
  const auto holds = [&](const char* keyword, auto compare) {
    const auto bound = rules.find(keyword);
    return bound == rules.end() || compare(number, bound->get<double>());
  };
  return holds("minimum", std::greater_equal<>()) && holds("exclusiveMinimum", std::greater<>()) &&
         holds("maximum", std::less_equal<>()) && holds("exclusiveMaximum", std::less<>());
}

/// Checks a document against a schema and fills in defaults, in place.
class Validator {
 public:
  Validator(const Schema& root, std::string_view where) : root_(root), where_(where) {}

  void check(const Schema& schema, json& value, const Path& path) const {
    const Schema& rules = resolve(root_, schema);
    if (rules.contains("anyOf")) return check_alternatives(rules, value, path);
    if (rules.contains("enum")) return check_choice(rules, value, path);
    if (!has_type(rules, value)) fail_value(rules, value, path);
    if (value.is_object()) return check_object(rules, value, path);
    if (value.is_array()) return check_array(rules, value, path);
    if (value.is_number()) return check_number(rules, value, path);
    if (value.is_string()) check_text(rules, value, path);
  }

 private:
  void check_text(const Schema& rules, const json& value, const Path& path) const {
    const auto& text = value.get_ref<const std::string&>();
    if (text.size() < rules.value("minLength", 0u)) fail_value(rules, value, path);
    // Where it is a name of a file, or stands in a message, all after it would be lost.
    if (text.find('\0') != std::string::npos)
      fail(path, " has the character \\u0000 in it, expected text without");
  }

  void check_number(const Schema& rules, json& value, const Path& path) const {
    if (!in_bounds(rules, value.get<double>())) fail_value(rules, value, path);
    if (value.is_number_float() && rules.value("type", "") == "integer") {
      value = static_cast<std::int64_t>(value.get<double>());
    }
  }

  void check_array(const Schema& rules, json& value, const Path& path) const {
    const std::size_t most = rules.value("maxItems", value.size());
    if (value.size() < rules.value("minItems", std::size_t{0}) || value.size() > most) {
      fail_value(rules, value, path);
    }
    const auto items = rules.find("items");
    if (items == rules.end()) return;
    for (std::size_t i = 0; i < value.size(); ++i) check(*items, value[i], {&path, nullptr, i});
  }

  /// Unknown keys come before missing ones: a misspelt key is most often both, and its name says more.
  void check_object(const Schema& rules, json& value, const Path& path) const {
    static const Schema none = Schema::object();
    const auto found = rules.find("properties");
    const Schema& properties = found == rules.end() ? none : *found;
    const auto additional = rules.find("additionalProperties");
    const bool closed = additional != rules.end() && *additional == false;
    for (const auto& [key, item] : value.items()) {
      if (closed && !properties.contains(key)) fail_unknown(properties, key, path);
    }
    if (const auto required = rules.find("required"); required != rules.end()) {
      for (const Schema& key : *required) {
        if (!value.contains(key)) fail_missing(properties, key.get<std::string>(), path);
      }
    }
    for (const auto& [key, item] : value.items()) {
      const auto property = properties.find(key);
      if (property != properties.end()) {
        check(*property, item, {&path, &key});
      } else if (additional != rules.end() && additional->is_object()) {
        check(*additional, item, {&path, &key});
      }
    }
    for (const auto& [key, property] : properties.items()) {
      const Schema* standard = find_keyword(root_, property, "default");
      if (!standard || value.contains(key)) continue;
      json& item = value[key] = json(*standard);
      check(property, item, {&path, &key});
    }
  }

  void check_choice(const Schema& rules, const json& value, const Path& path) const {
    std::vector<std::string_view> names;
    for (const Schema& choice : rules["enum"]) {
      if (json(choice) == value) return;
      if (choice.is_string()) names.push_back(choice.get_ref<const std::string&>());
    }
    std::string hint;
    if (value.is_string()) {
      const std::string_view nearest = nearest_name(value.get_ref<const std::string&>(), names);
      if (!nearest.empty()) hint = fmt::format("; did you mean \"{}\"?", nearest);
    }
    fail(path, fmt::format(" is {}, expected {}{}", shown(value), expected(root_, rules), hint));
  }

  /// Judges by the alternative that the value has the shape of, so that the message can name the very spot;
  /// where the shape does not decide, the message lists all alternatives.
  void check_alternatives(const Schema& rules, json& value, const Path& path) const {
    std::vector<const Schema*> alike;
    for (const Schema& alternative : rules["anyOf"]) {
      if (has_shape(alternative, value)) alike.push_back(&alternative);
    }
    if (alike.size() == 1) return check(*alike.front(), value, path);
    for (const Schema* alternative : alike) {
      try {
        json candidate = value;
        check(*alternative, candidate, path);
        value = std::move(candidate);
        return;
      } catch (const Error&) {
        continue;  // the next alternative may fit
      }
    }
    fail_value(rules, value, path);
  }

  /// Whether the value is of the type that the schema asks for and, if it is a list, its first item likewise.
  bool has_shape(const Schema& schema, const json& value) const {
    const Schema& rules = resolve(root_, schema);
    if (const auto alternatives = rules.find("anyOf"); alternatives != rules.end()) {
      return std::ranges::any_of(*alternatives, [&](const Schema& each) { return has_shape(each, value); });
    }
    if (!has_type(rules, value)) return false;
    if (!value.is_array() || value.empty() || !rules.contains("items")) return true;
    return has_shape(rules["items"], value.front());
  }

  [[noreturn]] void fail_unknown(const Schema& properties, const std::string& key, const Path& path) const {
    std::vector<std::string_view> names;
    for (const auto& known : properties.items()) names.push_back(known.key());
    const std::string in_quotes = quoted(key);
    const std::string_view name = std::string_view(in_quotes).substr(1, in_quotes.size() - 2);
    const std::string place = path.parent ? ": " : "";
    fail(path, fmt::format("{}unknown key '{}'; {}", place, name, suggestion(key, names)));
  }

  [[noreturn]] void fail_missing(const Schema& properties, const std::string& key, const Path& path) const {
    std::string meaning;
    if (const auto property = properties.find(key); property != properties.end()) {
      const Schema* description = find_keyword(root_, *property, "description");
      meaning = description ? description->get<std::string>() : expected(root_, *property);
      meaning = fmt::format(" ({})", meaning.substr(0, meaning.find(';')));
    }
    fail({&path, &key}, fmt::format(" is missing{}", meaning));
  }

  [[noreturn]] void fail_value(const Schema& rules, const json& value, const Path& path) const {
    const std::string_view subject = path.parent || !where_.empty() ? "" : "the document";
    fail(path, fmt::format("{} is {}, expected {}", subject, shown(value), expected(root_, rules)));
  }

  /// what: starts with a space where it continues the path as a sentence.
  [[noreturn]] void fail(const Path& path, const std::string& what) const {
    const std::string place = to_text(path);
    const bool separate = !where_.empty() && (!place.empty() || !what.starts_with(' '));
    throw Error(fmt::format("{}{}{}{}", where_, separate ? ": " : "", place, what));
  }

  const Schema& root_;
  std::string_view where_;
};

}  // namespace

const nlohmann::ordered_json& scene_schema() {
  static const nlohmann::ordered_json schema = nlohmann::ordered_json::parse(scene_schema_text);
  return schema;
}

nlohmann::json validate(const nlohmann::ordered_json& schema, const nlohmann::json& value,
                        std::string_view where) {
  json filled = value;
  Validator(schema, where).check(schema, filled, {});
  return filled;
}

}  // namespace limber
