#include "limber/io/json_schema.hpp"

#include "limber/base/error.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <functional>
#include <limits>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace limber::json_schema_test {
namespace {

using nlohmann::json;
using nlohmann::ordered_json;

constexpr std::string_view issue_example = R"(
{ "bodies": [ { "mesh": "beam.msh",
                "material": {"law": "stvk", "young": 2e6, "poisson": 0.35, "density": 1100},
                "fixed": {"vertices": [0, 1, 2]},
                "loads": [ {"vertices": [498, 499], "force": [0, 0.8, -4.0]} ],
                "damping": {"mass": 0.0, "stiffness": 0.01} } ],
  "gravity": [0, 0, 0],
  "solver": {"type": "static"},
  "output": {"displacements": "u.csv", "vtu": "frames"} })";

std::string message_of(const std::function<void()>& action) {
  try {
    action();
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

json validated(const json& scene) { return validate(scene_schema(), scene, "beam.json"); }

std::string scene_message(const json& scene) {
  return message_of([&] { validated(scene); });
}

/// The error in the issue's example after one value of it, at a JSON pointer, is replaced or added.
std::string message_with(const char* pointer, const json& value) {
  json scene = parse_json(issue_example, "");
  scene[json::json_pointer(pointer)] = value;
  return scene_message(scene);
}

/// The issue's example with one value replaced or added, validated.
json filled_with(const char* pointer, const json& value) {
  json scene = parse_json(issue_example, "");
  scene[json::json_pointer(pointer)] = value;
  return validated(scene);
}

std::string schema_message(const ordered_json& schema, const json& value) {
  return message_of([&] { validate(schema, value, "a.json"); });
}

// Defaults

TEST(SceneSchema, AcceptsTheExampleOfTheIssue) { EXPECT_NO_THROW(validated(parse_json(issue_example, ""))); }

TEST(SceneSchema, KeepsWhatTheSceneSays) {
  const json scene = parse_json(issue_example, "");
  const json filled = validated(scene);
  EXPECT_EQ(filled["bodies"][0]["material"]["young"], 2e6);
  EXPECT_EQ(filled["bodies"][0]["loads"][0]["vertices"], json::parse("[498, 499]"));
  EXPECT_EQ(filled["output"]["vtu"], "frames");
}

TEST(SceneSchema, FillsTheDefaultsOfTheExample) {
  const json filled = validated(parse_json(issue_example, ""));
  const json& body = filled["bodies"][0];
  EXPECT_EQ(body["name"], "");
  EXPECT_EQ(body["mass"], "consistent");
  EXPECT_EQ(body["velocity"], json::parse("[0, 0, 0]"));
  EXPECT_EQ(body["damping"]["kind"], "local");
  EXPECT_EQ(body["loads"][0]["from"], 0);
  EXPECT_EQ(filled["output"]["every"], 1);
}

TEST(SceneSchema, FillsObjectsInsideObjectsThatAreMissing) {
  const json filled = validated(json::parse(R"({"bodies": [{"mesh": "a.msh"}]})"));
  EXPECT_EQ(filled["solver"], json::parse(R"({
    "type": "static", "integrator": "newmark", "beta": 0.25, "gamma": 0.5, "load_steps": 0,
    "linear_solver": "cholesky", "threads": 0, "newton": {"tolerance": 1e-8},
    "online": {"error": 0.02, "throttle": 1, "max_rank": 30, "cubature_error": 0.005, "seed": 1}})"));
}

TEST(SceneSchema, LeavesOutWhatHasNoDefault) {
  const json body = validated(json::parse(R"({"bodies": [{"mesh": "a.msh", "material": {}}]})"))["bodies"][0];
  for (const char* const key : {"young", "poisson", "lambda", "mu"}) {
    EXPECT_FALSE(body["material"].contains(key)) << key;
  }
  EXPECT_FALSE(body.contains("fixed"));
}

TEST(SceneSchema, FillsTheMaterialOfEachRegion) {
  const json filled = filled_with("/bodies/0/materials", json::parse(R"({"steel core": {"young": 1}})"));
  EXPECT_EQ(filled["bodies"][0]["materials"]["steel core"]["law"], "stvk");
}

TEST(SceneSchema, AcceptsAllKeysAtOnce) {
  EXPECT_EQ("no error", scene_message(json::parse(R"({
    "$schema": "scene_schema.json", "description": "all keys", "gravity": [0, 0, -9.81],
    "bodies": [{"name": "b", "mesh": "builtin:beam",
                "material": {"law": "mooney-rivlin", "lambda": -1, "mu": 2, "density": 3, "mooney_share": 1,
                             "locking_stretch": 4},
                "materials": {"1": {"law": "linear", "young": 1, "poisson": 0.49}},
                "fixed": {"vertices": [0], "box": [[0, 0, 0], [1, 1, 1]], "where": "x < 0", "nearest": [0, 0, 0]},
                "loads": [{"box": {"min": [0, 0, 0], "max": [1, 1, 1]}, "nearest": [[0, 0, 0], [1, 1, 1]],
                           "force": [1, 2, 3], "from": 0.5, "to": 1}],
                "damping": {"mass": 1, "stiffness": 2, "kind": "linear"}, "mass": "lumped",
                "velocity": [1, 2, 3], "angular_velocity": [4, 5, 6]}],
    "solver": {"type": "dynamic", "timestep": 0.01, "steps": 10, "beta": 0.3, "gamma": 0.6,
               "integrator": "central-differences", "newton": {"tolerance": 1e-6, "max_iterations": 1},
               "load_steps": 4, "linear_solver": "cg", "threads": 2},
    "output": {"displacements": "u.csv", "vtu": "frames", "every": 5, "picture": "u.png"}})")));
}

// Errors, with the words that people read

TEST(SceneErrors, UnknownKeyNamesTheNearestKey) {
  EXPECT_EQ(message_with("/bodies/0/material/yuong", 1),
            "beam.json: bodies[0].material: unknown key 'yuong'; did you mean 'young'?");
}

TEST(SceneErrors, UnknownKeyFarFromAllListsTheKnownKeys) {
  EXPECT_EQ(message_with("/output/zzzzzzzzzz", 1),
            "beam.json: output: unknown key 'zzzzzzzzzz'; known are displacements, vtu, every, picture, "
            "animation, timeline, animation_tolerance, picture_of");
}

TEST(SceneErrors, UnknownKeyAtTheTop) {
  EXPECT_EQ(message_with("/gravty", 1), "beam.json: unknown key 'gravty'; did you mean 'gravity'?");
}

TEST(SceneErrors, MisspeltRequiredKeyIsCalledUnknownRatherThanMissing) {
  EXPECT_EQ(scene_message(json::parse(R"({"bodies": [{"mehs": "a.msh"}]})")),
            "beam.json: bodies[0]: unknown key 'mehs'; did you mean 'mesh'?");
}

TEST(SceneErrors, MissingKeySaysWhatItIsFor) {
  EXPECT_EQ(scene_message(json::parse(R"({"bodies": [{"mesh": "a.msh", "skin": {}}]})")),
            "beam.json: bodies[0].skin.bones is missing (the bones)");
}

TEST(SceneErrors, MissingKeyAtTheTop) {
  EXPECT_EQ(scene_message(json::object()),
            "beam.json: bodies is missing (the deformable bodies, each moved by its own method)");
}

TEST(SceneErrors, NumberOutOfAnOpenRange) {
  EXPECT_EQ(
      message_with("/bodies/0/material/poisson", 0.5),
      "beam.json: bodies[0].material.poisson is 0.5, expected a number greater than -1 and less than 0.5");
  EXPECT_EQ(
      message_with("/bodies/0/material/poisson", -1),
      "beam.json: bodies[0].material.poisson is -1, expected a number greater than -1 and less than 0.5");
}

TEST(SceneErrors, NumberOutOfAClosedRange) {
  EXPECT_EQ(message_with("/bodies/0/material/mooney_share", 1.5),
            "beam.json: bodies[0].material.mooney_share is 1.5, expected a number from 0 to 1");
}

TEST(SceneErrors, NumberBelowItsMinimum) {
  EXPECT_EQ(message_with("/bodies/0/damping/mass", -0.1),
            "beam.json: bodies[0].damping.mass is -0.1, expected a number from 0 to 1e+20");
}

TEST(SceneErrors, NumberThatIsAString) {
  EXPECT_EQ(message_with("/bodies/0/material/young", "2e6"),
            "beam.json: bodies[0].material.young is \"2e6\", expected a number from 1e-20 to 1e+20");
}

TEST(SceneErrors, NumberThatIsNotFinite) {
  EXPECT_EQ(message_with("/bodies/0/material/lambda", std::numeric_limits<double>::infinity()),
            "beam.json: bodies[0].material.lambda is null, expected a number from -1e+20 to 1e+20");
}

TEST(SceneErrors, IntegerWithAFraction) {
  EXPECT_EQ(message_with("/solver/threads", 1.5),
            "beam.json: solver.threads is 1.5, expected an integer from 0 to 1024");
}

TEST(SceneErrors, IntegerThatNoIntHolds) {
  EXPECT_EQ(message_with("/solver/steps", 4294967297),
            "beam.json: solver.steps is 4294967297, expected an integer from 1 to 2147483647");
}

TEST(SceneErrors, NegativeVertex) {
  EXPECT_EQ(message_with("/bodies/0/fixed/vertices/2", -1),
            "beam.json: bodies[0].fixed.vertices[2] is -1, expected an integer from 0 to 2147483647");
}

TEST(SceneErrors, ChoiceNamesTheNearestChoice) {
  EXPECT_EQ(message_with("/solver/type", "statik"),
            "beam.json: solver.type is \"statik\", expected one of \"static\", \"dynamic\", "
            "\"quasistatic\"; "
            "did you mean \"static\"?");
}

TEST(SceneErrors, ChoiceFarFromAllGivesNoAdvice) {
  EXPECT_EQ(message_with("/bodies/0/mass", 3),
            "beam.json: bodies[0].mass is 3, expected one of \"consistent\", \"lumped\"");
}

TEST(SceneErrors, ChoiceOfAWordOrAnObject) {
  EXPECT_EQ(
      message_with("/bodies/0/fixed", "nowhere"),
      "beam.json: bodies[0].fixed is \"nowhere\", expected one of \"none\", \"bottom\", \"top\", \"left\", "
      "\"right\", \"front\", \"back\"");
}

TEST(SceneErrors, VectorOfTheWrongLength) {
  EXPECT_EQ(message_with("/gravity", {0, -9.81}),
            "beam.json: gravity is [0, -9.81], expected a list of 3 numbers from -1e+20 to 1e+20");
}

TEST(SceneErrors, VectorWithAWrongItem) {
  EXPECT_EQ(message_with("/bodies/0/loads/0/force/1", nullptr),
            "beam.json: bodies[0].loads[0].force[1] is null, expected a number from -1e+20 to 1e+20");
}

TEST(SceneErrors, LongListsAreNotSpelledOut) {
  EXPECT_EQ(
      message_with("/gravity", json(std::vector<int>(1000000))),
      "beam.json: gravity is a list of 1000000 values, expected a list of 3 numbers from -1e+20 to 1e+20");
}

TEST(SceneErrors, EmptyListOfBodies) {
  EXPECT_EQ(message_with("/bodies", json::array()),
            "beam.json: bodies is [], expected a list of 1 or more objects");
}

TEST(SceneErrors, TextWithAZero) {
  EXPECT_EQ(message_with("/bodies/0/name", std::string("a\0b", 3)),
            "beam.json: bodies[0].name has the character \\u0000 in it, expected text without");
}

TEST(SceneErrors, EmptyPath) {
  EXPECT_EQ(message_with("/bodies/0/mesh", ""),
            "beam.json: bodies[0].mesh is \"\", expected a non-empty string");
}

TEST(SceneErrors, ObjectThatIsAList) {
  EXPECT_EQ(message_with("/solver", {1, 2}), "beam.json: solver is [1, 2], expected an object");
}

TEST(SceneErrors, DocumentThatIsNoObject) {
  EXPECT_EQ(scene_message(json::parse("[1]")), "beam.json is [1], expected an object");
}

TEST(SceneErrors, WithoutANameOfTheDocument) {
  EXPECT_EQ(message_of([] { validate(scene_schema(), json::object(), ""); }),
            "bodies is missing (the deformable bodies, each moved by its own method)");
  EXPECT_EQ(message_of([] { validate(scene_schema(), 1, ""); }), "the document is 1, expected an object");
}

TEST(SceneErrors, OddKeysAreQuotedInThePath) {
  EXPECT_EQ(message_with("/bodies/0/materials", json::parse(R"({"a b\n": {"mu": 0}})")),
            R"(beam.json: bodies[0].materials["a b\n"].mu is 0, expected a number from 1e-20 to 1e+20)");
}

TEST(SceneErrors, StayOnOneShortLine) {
  const std::string nasty = "\n\r\x1b" + std::string(100000, 'x') + "\xff";
  for (const std::string& message :
       {message_with("/solver/type", nasty), scene_message({{nasty, 1}}), message_with("/gravity", nasty),
        message_with("/bodies/0/materials", {{nasty, {{nasty, 1}}}})}) {
    EXPECT_LT(message.size(), 300u);
    EXPECT_EQ(message.find_first_of("\n\r\x1b"), std::string::npos) << message;
  }
}

// Alternatives

TEST(SceneAlternatives, BoxTakesAListOrAnObject) {
  EXPECT_NO_THROW(filled_with("/bodies/0/fixed/box", json::parse("[[0, 0, 0], [1, 1, 1]]")));
  EXPECT_NO_THROW(filled_with("/bodies/0/fixed/box", json::parse(R"({"min": [0, 0, 0], "max": [1, 1, 1]})")));
}

TEST(SceneAlternatives, NearestTakesAPointOrAListOfPoints) {
  EXPECT_NO_THROW(filled_with("/bodies/0/fixed/nearest", json::parse("[0, 0, 0]")));
  EXPECT_NO_THROW(filled_with("/bodies/0/fixed/nearest", json::parse("[[0, 0, 0], [1, 1, 1]]")));
}

TEST(SceneAlternatives, ErrorInsideTheOneThatIsMeantNamesTheSpot) {
  EXPECT_EQ(message_with("/bodies/0/fixed/box", json::parse(R"({"min": [0, 0, 0], "mx": [1, 1, 1]})")),
            "beam.json: bodies[0].fixed.box: unknown key 'mx'; did you mean 'max'?");
  EXPECT_EQ(message_with("/bodies/0/fixed/nearest", json::parse("[[0, 0, 0], [1, 1]]")),
            "beam.json: bodies[0].fixed.nearest[1] is [1, 1], expected a list of 3 numbers");
  EXPECT_EQ(message_with("/bodies/0/fixed/nearest", json::parse("[0, 0, \"1\"]")),
            "beam.json: bodies[0].fixed.nearest[2] is \"1\", expected a number");
}

TEST(SceneAlternatives, ErrorThatFitsNoneListsAll) {
  EXPECT_EQ(
      message_with("/bodies/0/fixed/box", "all"),
      "beam.json: bodies[0].fixed.box is \"all\", expected a list of 2 lists of 3 numbers or an object");
  EXPECT_EQ(
      message_with("/bodies/0/loads/0/nearest", json::array()),
      "beam.json: bodies[0].loads[0].nearest is [], expected a list of 3 numbers or a list of 1 or more "
      "lists of 3 numbers");
}

// The validator on schemas of its own

TEST(Validate, TurnsWholeNumbersIntoIntegersWhereAskedTo) {
  const json filled = filled_with("/solver/steps", 20.0);
  EXPECT_TRUE(filled["solver"]["steps"].is_number_integer());
  EXPECT_EQ(filled["solver"]["steps"], 20);
}

TEST(Validate, LeavesTheDocumentAlone) {
  const json scene = parse_json(issue_example, "");
  const json copy = scene;
  validated(scene);
  EXPECT_EQ(scene, copy);
}

TEST(Validate, DoesNotChangeAFilledDocument) {
  const json filled = validated(parse_json(issue_example, ""));
  EXPECT_EQ(validated(filled), filled);
}

TEST(Validate, AllowsUnknownKeysUnlessTheSchemaForbidsThem) {
  EXPECT_EQ(schema_message(ordered_json::parse(R"({"type": "object"})"), json::parse(R"({"a": 1})")),
            "no error");
}

TEST(Validate, ChecksBooleans) {
  EXPECT_EQ(schema_message({{"type", "boolean"}}, true), "no error");
  EXPECT_EQ(schema_message({{"type", "boolean"}}, 1), "a.json is 1, expected true or false");
}

TEST(Validate, ChecksListsOfBoundedLength) {
  EXPECT_EQ(
      schema_message(ordered_json::parse(R"({"type": "array", "minItems": 1, "maxItems": 2})"), {1, 2, 3}),
      "a.json is [1, 2, 3], expected a list of 1 to 2 values");
}

TEST(Validate, TriesAlternativesOfTheSameShapeInTurn) {
  const ordered_json schema = ordered_json::parse(
      R"({"anyOf": [{"type": "number", "maximum": 0}, {"type": "number", "minimum": 5}]})");
  EXPECT_EQ(schema_message(schema, -1), "no error");
  EXPECT_EQ(schema_message(schema, 6), "no error");
  EXPECT_EQ(schema_message(schema, 3),
            "a.json is 3, expected a number of at most 0 or a number of at least 5");
}

TEST(Validate, RefusesASchemaThatPointsToItself) {
  EXPECT_THROW(validate(ordered_json::parse(R"({"$ref": "#"})"), 1, ""), std::logic_error);
}

}  // namespace
}  // namespace limber::json_schema_test
