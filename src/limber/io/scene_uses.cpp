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

bool has(const Words& all, const std::string& word) {
  return std::find(all.begin(), all.end(), word) != all.end();
}

/// Words between marks, one after the other.
std::string in_marks(const Words& all, std::string_view mark, std::string_view between) {
  return fmt::format("{0}{1}{0}", mark, fmt::join(all, fmt::format("{0}{1}{0}", mark, between)));
}

/// Walks through what a scene states, together with the schema.
class UseCheck {
 public:
  /// other_orders: beside that of the scene.
  UseCheck(const Schema& root, const json& filled, const Words& other_orders)
      : root_(root),
        type_(filled["solver"]["type"].get<std::string>()),
        orders_{filled["solver"]["order"].get<std::string>()} {
    for (const std::string& order : other_orders) {
      if (!has(orders_, order)) orders_.push_back(order);
    }
  }

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
      const std::string place = fmt::format("{}{}{}", path, path.ends_with(' ') ? "" : ".", key);
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
      const Words users = words(property["x-used-by"], type_.c_str());
      if (std::none_of(orders_.begin(), orders_.end(), [&](const auto& order) { return has(users, order); }))
        refuse_unused(place, scene_text(), use_text(property));
    }
    const Schema where = property.value("x-only-where", Schema::object());
    for (const auto& [other, values] : where.items()) {
      const std::string found = filled[other].get<std::string>();
      if (!has(values.get<Words>(), found)) refuse_unused(place, fmt::format("the {} '{}'", other, found));
    }
    for (const std::string& other : words(property, "x-not-with")) {
      if (beside.contains(other) && orders_.size() == 1)
        refuse_unused(place, fmt::format("what has '{}'", other));
    }
    const Words needed = words(property, "x-only-with");
    const bool there = std::any_of(needed.begin(), needed.end(),
                                   [&](const std::string& other) { return beside.contains(other); });
    require(needed.empty() || there, "{}: it has no use without {}; leave it out", place,
            in_marks(needed, "'", " or "));
  }

  [[nodiscard]] std::string scene_text() const {
    return fmt::format("a {} scene of the {} {}", type_, orders_.size() == 1 ? "order" : "orders",
                       in_marks(orders_, "'", " and "));
  }

  const Schema& root_;
  std::string type_;
  Words orders_;
};

}  // namespace

void refuse_unused(std::string_view place, std::string_view whose, std::string_view used_by) {
  throw Error("{}: {} has no use for it{}; leave it out", place, whose,
              used_by.empty() ? "" : fmt::format(" (used by {})", used_by));
}

void check_uses(const nlohmann::ordered_json& schema, const json& stated, const json& filled,
                const std::vector<std::string>& orders, std::string_view where) {
  UseCheck(schema, filled, orders).check(schema, stated, filled, fmt::format("{}: ", where));
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
