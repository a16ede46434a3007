#include "limber/io/scene_uses.hpp"

#include "limber/base/error.hpp"
#include "limber/io/json_schema_words.hpp"

#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <string>
#include <utility>
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

/// The words that rules know a way by.
Words words_of(const RunWay& way) {
  const std::string method(name_of(way.method));
  return way.tree ? Words{"domains", method + "-domains"} : Words{method};
}

/// A word of a rule as it is read: a method between marks, or a kind of trees.
std::string shown(const std::string& word, std::string_view mark) {
  constexpr std::string_view trees = "-domains";
  if (word == "domains") return "trees of domains";
  if (word.ends_with(trees)) return word.substr(0, word.size() - trees.size()) + " trees of domains";
  return fmt::format("{0}{1}{0}", mark, word);
}

/// Whose keys are looked at.
enum class Holder { body, scene };

/// Walks through what a body, or all beside the bodies, states, together with the schema.
class UseCheck {
 public:
  UseCheck(const Schema& root, std::string type, std::vector<RunWay> ways, Holder holder)
      : root_(root), type_(std::move(type)), ways_(std::move(ways)), holder_(holder) {}

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
      if (std::none_of(ways_.begin(), ways_.end(), [&](const RunWay& way) { return is_among(users, way); }))
        refuse_unused(place, whose(), use_text(property));
    }
    const Schema where = property.value("x-only-where", Schema::object());
    for (const auto& [other, values] : where.items()) {
      const std::string found = filled[other].get<std::string>();
      if (!has(values.get<Words>(), found)) refuse_unused(place, fmt::format("the {} '{}'", other, found));
    }
    for (const std::string& other : words(property, "x-not-with")) {
      if (beside.contains(other) && ways_.size() == 1)
        refuse_unused(place, fmt::format("what has '{}'", other));
    }
    const Words needed = words(property, "x-only-with");
    const bool there = std::any_of(needed.begin(), needed.end(),
                                   [&](const std::string& other) { return is_given(beside, other); });
    require(needed.empty() || there, "{}: it has no use without {}; leave it out", place,
            in_marks(needed, "'", " or "));
  }

  /// A list without items says as little as none.
  static bool is_given(const json& object, const std::string& key) {
    return object.contains(key) && !(object[key].is_array() && object[key].empty());
  }

  static bool is_among(const Words& users, const RunWay& way) {
    const Words known = words_of(way);
    return std::any_of(known.begin(), known.end(), [&](const std::string& word) { return has(users, word); });
  }

  /// "a dynamic body of the method 'full'", "a static scene of the method 'full' and with trees of domains".
  [[nodiscard]] std::string whose() const {
    Words methods, trees;
    for (const RunWay& way : ways_) {
      const std::string kind = way.method == Method::linear ? "linear tree" : "tree";
      std::string text = !way.tree                 ? std::string(name_of(way.method))
                         : holder_ == Holder::body ? fmt::format("as a {} of domains", kind)
                                                   : fmt::format("with {}s of domains", kind);
      Words& known = way.tree ? trees : methods;
      if (!has(known, text)) known.push_back(std::move(text));
    }
    if (!methods.empty())
      trees.insert(trees.begin(), fmt::format("of the {} {}", methods.size() == 1 ? "method" : "methods",
                                              in_marks(methods, "'", " and ")));
    return fmt::format("a {} {} {}", type_, holder_ == Holder::body ? "body" : "scene",
                       fmt::join(trees, " and "));
  }

  const Schema& root_;
  std::string type_;
  std::vector<RunWay> ways_;
  Holder holder_;
};

}  // namespace

void refuse_unused(std::string_view place, std::string_view whose, std::string_view used_by) {
  throw Error("{}: {} has no use for it{}; leave it out", place, whose,
              used_by.empty() ? "" : fmt::format(" (used by {})", used_by));
}

void check_uses(const nlohmann::ordered_json& schema, const json& stated, const json& filled,
                std::span<const std::vector<RunWay>> ways, std::string_view where) {
  const std::string type = filled["solver"]["type"].get<std::string>();
  std::vector<RunWay> all;
  for (std::size_t i = 0; i < ways.size(); ++i) {
    UseCheck(schema, type, ways[i], Holder::body)
        .check(schema["properties"]["bodies"]["items"], stated["bodies"][i], filled["bodies"][i],
               fmt::format("{}: bodies[{}]", where, i));
    all.insert(all.end(), ways[i].begin(), ways[i].end());
  }
  json beside = stated;
  beside.erase("bodies");
  UseCheck(schema, type, std::move(all), Holder::scene)
      .check(schema, beside, filled, fmt::format("{}: ", where));
}

std::string use_text(const nlohmann::ordered_json& property, std::string_view mark) {
  if (!property.contains("x-used-by")) return "";
  std::vector<std::string> uses;
  for (const auto& [type, users] : property["x-used-by"].items()) {
    Words known;
    for (const std::string& word : users.get<Words>()) known.push_back(shown(word, mark));
    uses.push_back(fmt::format("{} {}", type, fmt::join(known, ", ")));
  }
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
