#include "limber/io/scene_uses.hpp"

#include "limber/base/error.hpp"
#include "limber/io/json_schema_words.hpp"

#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <string>
#include <vector>

namespace limber {
namespace {

using nlohmann::json;
using schema_words::resolve;
using schema_words::Schema;

using Words = std::vector<std::string>;

/// A list of words of a property; none where it has no such list.
Words words(const Schema& property, const char* keyword) {
  return property.contains(keyword) ? property[keyword].get<Words>() : Words{};
}

/// Words between marks, one after the other.
std::string in_marks(const Words& all, std::string_view mark, std::string_view between) {
  return fmt::format("{0}{1}{0}", mark, fmt::join(all, fmt::format("{0}{1}{0}", mark, between)));
}

/// Walks through what a scene states, together with the schema.
class UseCheck {
 public:
  UseCheck(const Schema& root, const json& filled)
      : root_(root),
        type_(filled["solver"]["type"].get<std::string>()),
        order_(filled["solver"]["order"].get<std::string>()) {}

  /// path: of the value, after the name of the document.
  void check(const Schema& schema, const json& value, const json& filled, const std::string& path) const {
    const Schema& rules = resolve(root_, schema);
    if (rules.contains("anyOf")) {
      for (const Schema& alternative : rules["anyOf"]) {
        if (resolve(root_, alternative).value("type", "") == (value.is_object() ? "object" : "array"))
          check(alternative, value, filled, path);
      }
    } else if (value.is_object()) {
      check_object(rules, value, filled, path);
    } else if (value.is_array() && rules.contains("items")) {
      for (std::size_t i = 0; i < value.size(); ++i)
        check(rules["items"], value[i], filled[i], fmt::format("{}[{}]", path, i));
    }
  }

 private:
  void check_object(const Schema& rules, const json& value, const json& filled,
                    const std::string& path) const {
    for (const auto& [key, item] : value.items()) {
      const std::string place = path + (path.ends_with(' ') ? "" : ".") + key;
      if (rules.contains("properties") && rules["properties"].contains(key)) {
        const Schema& property = rules["properties"][key];
        check_property(property, value, filled, place);
        check(property, item, filled[key], place);
      } else {  // names that the scene chooses
        check(rules["additionalProperties"], item, filled[key], place);
      }
    }
  }

  /// beside: the object that has it, as it was given; filled: with all defaults.
  void check_property(const Schema& property, const json& beside, const json& filled,
                      const std::string& place) const {
    if (property.contains("x-used-by")) {
      const Words orders = words(property["x-used-by"], type_.c_str());
      if (std::find(orders.begin(), orders.end(), order_) == orders.end())
        refuse_unused(place, fmt::format("a {} scene of the order '{}'", type_, order_), use_text(property));
    }
    const Schema where = property.value("x-only-where", Schema::object());
    for (const auto& [other, values] : where.items()) {
      const Words known = values.get<Words>();
      const std::string found = filled[other].get<std::string>();
      if (std::find(known.begin(), known.end(), found) == known.end())
        refuse_unused(place, fmt::format("the {} '{}'", other, found));
    }
    for (const std::string& other : words(property, "x-not-with")) {
      if (beside.contains(other)) refuse_unused(place, fmt::format("a body with '{}'", other));
    }
    const Words needed = words(property, "x-only-with");
    const bool there = std::any_of(needed.begin(), needed.end(),
                                   [&](const std::string& other) { return beside.contains(other); });
    if (!needed.empty() && !there)
      refuse_unused(place, fmt::format("what has no '{}'", fmt::join(needed, "' or '")));
  }

  const Schema& root_;
  std::string type_, order_;
};

}  // namespace

void refuse_unused(std::string_view place, std::string_view whose, std::string_view used_by) {
  throw Error("{}: {} has no use for it{}; leave it out", place, whose,
              used_by.empty() ? "" : fmt::format(" (used by {})", used_by));
}

void check_uses(const nlohmann::ordered_json& schema, const json& stated, const json& filled,
                std::string_view where) {
  UseCheck(schema, filled).check(schema, stated, filled, fmt::format("{}: ", where));
}

std::string use_text(const nlohmann::ordered_json& property, std::string_view mark) {
  if (!property.contains("x-used-by")) return "";
  std::vector<std::string> uses;
  for (const auto& [type, orders] : property["x-used-by"].items())
    uses.push_back(fmt::format("{} {}", type, in_marks(orders.get<Words>(), mark, ", ")));
  return fmt::format("{}", fmt::join(uses, "; "));
}

std::string use_rules_text(const nlohmann::ordered_json& property) {
  std::vector<std::string> rules;
  if (std::string uses = use_text(property, "`"); !uses.empty()) rules.push_back(std::move(uses));
  const Schema where = property.value("x-only-where", Schema::object());
  for (const auto& [other, values] : where.items())
    rules.push_back(fmt::format("where `{}` is {}", other, in_marks(values.get<Words>(), "`", " or ")));
  if (const Words needed = words(property, "x-only-with"); !needed.empty())
    rules.push_back(fmt::format("with {}", in_marks(needed, "`", " or ")));
  if (const Words others = words(property, "x-not-with"); !others.empty())
    rules.push_back(fmt::format("not with {}", in_marks(others, "`", " or ")));
  return fmt::format("{}", fmt::join(rules, "; "));
}

}  // namespace limber
