#include "limber/base/error.hpp"
#include "limber/base/file.hpp"
#include "limber/io/json_schema.hpp"
#include "limber/scene/scene.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <array>
#include <cstddef>
#include <functional>
#include <limits>
#include <set>
#include <string>
#include <string_view>

namespace limber::scene_schema_test {
namespace {

using nlohmann::json;
using nlohmann::ordered_json;

/// The error of a valid value is "no error".
std::string message_of(const ordered_json& schema, const json& value) {
  try {
    validate(schema, value, "value");
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

/// Calls visit(schema, place) for the schema and all schemas inside it.
void for_each_schema(const ordered_json& schema, const std::string& place,
                     const std::function<void(const ordered_json&, const std::string&)>& visit) {
  visit(schema, place);
  for (const char* const keyword : {"properties", "$defs"}) {
    if (!schema.contains(keyword)) continue;
    for (const auto& [key, inner] : schema[keyword].items()) {
      for_each_schema(inner, fmt::format("{}/{}/{}", place, keyword, key), visit);
    }
  }
  for (const char* const keyword : {"items", "additionalProperties"}) {
    if (schema.contains(keyword) && schema[keyword].is_object()) {
      for_each_schema(schema[keyword], fmt::format("{}/{}", place, keyword), visit);
    }
  }
  if (!schema.contains("anyOf")) return;
  for (const ordered_json& inner : schema["anyOf"]) for_each_schema(inner, place + "/anyOf", visit);
}

const ordered_json& resolved(const ordered_json& schema) {
  if (!schema.contains("$ref")) return schema;
  const std::string reference = schema["$ref"].get<std::string>();
  return resolved(scene_schema().at(ordered_json::json_pointer(reference.substr(1))));
}

/// Calls visit(property, place) for every property of every object of the scene schema.
void for_each_property(const std::function<void(const ordered_json&, const std::string&)>& visit) {
  for_each_schema(scene_schema(), "", [&](const ordered_json& schema, const std::string& place) {
    if (!schema.contains("properties")) return;
    for (const auto& [key, property] : schema["properties"].items()) visit(property, place + "/" + key);
  });
}

std::string description_of(const ordered_json& property) {
  return property.value("description", resolved(property).value("description", ""));
}

bool holds_numbers(const ordered_json& schema) {
  const ordered_json& rules = resolved(schema);
  if (rules.contains("anyOf")) return holds_numbers(rules["anyOf"].front());
  if (rules.contains("items")) return holds_numbers(rules["items"]);
  return rules.value("type", "") == "number";
}

// The schema itself

TEST(SchemaSelfCheck, IsStrictJsonWithoutDuplicates) {
  const std::string text = read_file(LIMBER_SOURCE_DIR "/src/limber/io/scene_schema.json");
  EXPECT_EQ(parse_json(text, "scene_schema.json"), json(scene_schema()));
}

TEST(SchemaSelfCheck, UsesOnlyKeywordsThatTheValidatorKnows) {
  const std::set<std::string> known = {
      "$defs",    "$ref",      "$schema", "additionalProperties", "anyOf",    "default", "description",
      "enum",     "examples",  "items",   "exclusiveMaximum",     "maxItems", "maximum", "exclusiveMinimum",
      "minItems", "minLength", "minimum", "properties",           "required", "title",   "type"};
  // Rules of use, which check_uses() knows: they are of a key, wherever its value is described.
  const std::set<std::string> of_use = {"x-used-by", "x-only-where", "x-only-with", "x-not-with"};
  const std::set<std::string> beside_reference = {"$ref", "default", "description"};
  for_each_schema(scene_schema(), "", [&](const ordered_json& schema, const std::string& place) {
    for (const auto& [keyword, value] : schema.items()) {
      if (of_use.contains(keyword)) continue;
      EXPECT_TRUE(known.contains(keyword)) << place << ": " << keyword;
      const bool fits = !schema.contains("$ref") || beside_reference.contains(keyword);
      EXPECT_TRUE(fits) << place << ": " << keyword << " beside $ref";
    }
  });
}

TEST(SchemaSelfCheck, EveryObjectRefusesUnknownKeys) {
  for_each_schema(scene_schema(), "", [](const ordered_json& schema, const std::string& place) {
    if (!schema.contains("properties")) return;
    EXPECT_EQ(schema.value("additionalProperties", ordered_json()), false) << place;
  });
}

TEST(SchemaSelfCheck, EveryRequiredKeyExistsAndHasNoDefault) {
  for_each_schema(scene_schema(), "", [](const ordered_json& schema, const std::string& place) {
    for (const ordered_json& key : schema.value("required", ordered_json::array())) {
      ASSERT_TRUE(schema["properties"].contains(key)) << place << ": " << key;
      EXPECT_FALSE(schema["properties"][key.get<std::string>()].contains("default")) << place << ": " << key;
    }
  });
}

TEST(SchemaSelfCheck, EveryDefaultIsValid) {
  for_each_property([](const ordered_json& property, const std::string& place) {
    if (!property.contains("default")) return;
    ordered_json schema = property;
    schema["$defs"] = scene_schema()["$defs"];
    EXPECT_EQ(message_of(schema, property["default"]), "no error") << place;
  });
}

TEST(SchemaSelfCheck, EveryExampleIsValid) {
  ASSERT_FALSE(scene_schema()["examples"].empty());
  for (const ordered_json& example : scene_schema()["examples"])
    EXPECT_EQ(message_of(scene_schema(), example), "no error");
}

TEST(SchemaSelfCheck, EveryPropertyHasADescription) {
  for_each_property([](const ordered_json& property, const std::string& place) {
    EXPECT_FALSE(description_of(property).empty()) << place;
  });
}

TEST(SchemaSelfCheck, EveryNumberStatesItsUnit) {
  const std::set<std::string> units = {"m", "s",  "1/s",    "m/s", "rad/s",  "m/s^2",
                                       "N", "Pa", "kg/m^3", "m/N", "no unit"};
  for_each_property([&](const ordered_json& property, const std::string& place) {
    if (!holds_numbers(property)) return;
    const std::string description = description_of(property);
    const std::string ending = description.substr(description.rfind('(') + 1);
    ASSERT_TRUE(ending.ends_with(')')) << place << ": " << description;
    EXPECT_TRUE(units.contains(ending.substr(0, ending.size() - 1))) << place << ": " << description;
  });
}

TEST(SchemaSelfCheck, EveryIntegerFitsAnInt) {
  for_each_schema(scene_schema(), "", [](const ordered_json& schema, const std::string& place) {
    if (schema.value("type", "") != "integer") return;
    EXPECT_GE(schema.value("minimum", -1e99), std::numeric_limits<int>::min()) << place;
    EXPECT_LE(schema.value("maximum", 1e99), std::numeric_limits<int>::max()) << place;
  });
}

// The reference page

TEST(SchemaMarkdown, HasARowForEveryProperty) {
  const std::string page = schema_to_markdown(scene_schema());
  for_each_property([&](const ordered_json& property, const std::string& place) {
    const std::string row = fmt::format("\n| `{}` | ", place.substr(place.rfind('/') + 1));
    EXPECT_NE(page.find(row), std::string::npos) << place;
    EXPECT_NE(page.find(description_of(property)), std::string::npos) << place;
  });
}

TEST(SchemaMarkdown, HasASectionForEveryLink) {
  const std::string page = schema_to_markdown(scene_schema());
  for (std::size_t at = page.find("](#"); at != std::string::npos; at = page.find("](#", at + 1)) {
    const std::string name = page.substr(at + 3, page.find(')', at) - at - 3);
    EXPECT_NE(page.find("\n## " + name + "\n"), std::string::npos) << name;
  }
}

/// Those that a property of an object lists.
std::set<std::string> listed_words(const char* object, const char* property) {
  return scene_schema()["$defs"][object]["properties"][property]["enum"].get<std::set<std::string>>();
}

template <std::size_t count>
std::set<std::string> known_words(const std::array<std::string_view, count>& words) {
  return {words.begin(), words.end()};
}

TEST(SceneSchema, HasTheWordsOfTheLibrary) {
  EXPECT_EQ(listed_words("domains", "inertia"), known_words(subtree_inertia_words));
  EXPECT_EQ(listed_words("basis", "kind"), known_words(mode_kind_words));
  EXPECT_EQ(listed_words("basis", "condense"), known_words(condensation_words));
  EXPECT_EQ(listed_words("forces", "kind"), known_words(force_kind_words));
  EXPECT_EQ(listed_words("solver", "type"), known_words(simulation_type_words));
  std::set<std::string> methods;
  for (const Method method : all_methods) methods.emplace(name_of(method));
  EXPECT_EQ(listed_words("body", "method"), methods);
}

TEST(SchemaMarkdown, WritesARowInFull) {
  EXPECT_NE(schema_to_markdown(scene_schema())
                .find("| `scale` | number | `1` | lengths here per length in the file (no unit) | from 1e-09 "
                      "to 1000000000 |\n"),
            std::string::npos);
}

TEST(SchemaMarkdown, ShowsACompleteExampleThatIsValid) {
  const std::string page = schema_to_markdown(scene_schema());
  const std::size_t start = page.find("```json\n") + 8;
  const std::string example = page.substr(start, page.find("```", start) - start);
  EXPECT_EQ(message_of(scene_schema(), parse_json(example, "docs/scene.md")), "no error");
}

TEST(SchemaMarkdown, EscapesWhatWouldEndACell) {
  const ordered_json schema = ordered_json::parse(R"({"properties": {"a": {"description": "x | y | z"}}})");
  EXPECT_NE(schema_to_markdown(schema).find(R"(x \| y \| z)"), std::string::npos);
}

TEST(SchemaMarkdown, EqualsTheStoredPage) {
  EXPECT_TRUE(read_file(LIMBER_SOURCE_DIR "/docs/scene.md") == schema_to_markdown(scene_schema()))
      << "docs/scene.md is out of date; run: limber schema --markdown > docs/scene.md";
}

}  // namespace
}  // namespace limber::scene_schema_test
