#include "limber/base/error.hpp"
#include "limber/io/json_schema.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <cstdint>
#include <limits>
#include <string>
#include <string_view>

namespace limber::json_parse_test {
namespace {

using nlohmann::json;

std::string parse_message(std::string_view text) {
  try {
    parse_json(text, "beam.json");
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

TEST(ParseJson, ReadsEveryKindOfValue) {
  const json value = parse_json(R"( {"a": [null, true, -1, 18, 2.5e3, "\u00e9\n"], "b": {}} )", "");
  EXPECT_EQ(value, json::parse(R"({"a": [null, true, -1, 18, 2500.0, "é\n"], "b": {}})"));
}

TEST(ParseJson, ReadsAValueThatIsNoObject) { EXPECT_EQ(parse_json("3", ""), json(3)); }

TEST(ParseJson, NamesLineAndColumnOfASyntaxError) {
  EXPECT_EQ(parse_message("{\n  \"a\": 1,\n  \"b\" 2\n}"),
            "beam.json: line 3, column 7: syntax error while parsing object separator - unexpected number "
            "literal; expected ':'");
}

TEST(ParseJson, RefusesATrailingComma) {
  EXPECT_EQ(
      parse_message("{\"a\": 1,}"),
      "beam.json: line 1, column 9: syntax error while parsing object key - unexpected '}'; expected string "
      "literal");
}

TEST(ParseJson, RefusesTruncatedText) {
  EXPECT_EQ(
      parse_message("{\"a\": [1, 2"),
      "beam.json: line 1, column 12: syntax error while parsing array - unexpected end of input; expected "
      "']'");
}

TEST(ParseJson, RefusesTextAfterTheValue) {
  EXPECT_EQ(parse_message("{}\n{}"),
            "beam.json: line 2, column 1: syntax error while parsing value - unexpected '{'; expected end of "
            "input");
}

TEST(ParseJson, RefusesEmptyText) {
  EXPECT_EQ(parse_message(""), "beam.json: is empty, expected JSON");
  EXPECT_EQ(parse_message(" \n\t"), "beam.json: is empty, expected JSON");
}

TEST(ParseJson, RefusesCommentsAndNonFiniteNumbersAndBadUtf8) {
  for (const char* const text : {"// a\n1", "/* a */ 1", "NaN", "[Infinity]", "[-inf]", "\"\xff\"", "'a'",
                                 "01", "+1", ".5", "1.", "\"\\x\"", "\"\n\"", "\"\\ud800\"", "tru", "\x01"}) {
    EXPECT_NE(parse_message(text).find("beam.json: line 1, column "), std::string::npos)
        << text << ": " << parse_message(text);
  }
}

TEST(ParseJson, RefusesAKeyThatAppearsTwice) {
  EXPECT_EQ(parse_message("{\"a\": 1,\n \"b\": {\"a\": 1},\n  \"a\": 2}"),
            "beam.json: line 3, column 3: key \"a\" appears twice");
}

TEST(ParseJson, FindsDuplicatesThroughEscapes) {
  EXPECT_EQ(parse_message(R"({"\"\\": 1, "\u0022\\": 2})"),
            R"(beam.json: line 1, column 13: key "\"\\" appears twice)");
}

TEST(ParseJson, RefusesNumbersThatOverflow) {
  EXPECT_EQ(parse_message("[1, 1e999]"), "beam.json: line 1, column 9: [1]: number overflow parsing '1e999'");
}

TEST(ParseJson, NamesTheKeyOfAValueThatIsNone) {
  EXPECT_EQ(
      parse_message(R"({"a": [{}, {"b": 1, "c": {"d": NaN}}]})"),
      "beam.json: line 1, column 32: a[1].c.d: syntax error while parsing value - invalid literal; last "
      "read: '\"d\": N'");
  EXPECT_EQ(parse_message(R"({"a": {"b": [1]}, "c": [[1, 2], [3, 1e400]]})"),
            "beam.json: line 1, column 41: c[1][1]: number overflow parsing '1e400'");
}

TEST(ParseJson, RefusesIntegersOfMoreThan64Bits) {
  EXPECT_EQ(parse_message("[1, 9223372036854775808]"),
            "beam.json: line 1, column 5: integer 9223372036854775808 is out of range (64 bits)");
  EXPECT_EQ(parse_message("[1,\n-9223372036854775809]"),
            "beam.json: line 2, column 1: integer -9223372036854775809 is out of range (64 bits)");
  EXPECT_EQ(parse_message("18446744073709551616"),
            "beam.json: line 1, column 1: integer 18446744073709551616 is out of range (64 bits)");
}

TEST(ParseJson, KeepsTheLargestIntegers) {
  EXPECT_EQ(parse_json("9223372036854775807", ""), json(std::numeric_limits<std::int64_t>::max()));
  EXPECT_EQ(parse_json("-9223372036854775808", ""), json(std::numeric_limits<std::int64_t>::min()));
}

TEST(ParseJson, TakesTheGreatestDepthAndNoMore) {
  const auto nested = [](std::size_t depth) { return std::string(depth, '[') + std::string(depth, ']'); };
  EXPECT_EQ(parse_message(nested(max_json_depth)), "no error");
  EXPECT_EQ(parse_message(nested(max_json_depth + 1)),
            "beam.json: line 1, column 65: more than 64 objects and lists inside each other");
}

TEST(ParseJson, SurvivesAbsurdDepth) {
  EXPECT_NE(parse_message(std::string(5000000, '[')).find("column 65"), std::string::npos);
}

TEST(ParseJson, ReadsLongLists) {
  std::string text = "[0";
  for (int i = 1; i < 200000; ++i) text += fmt::format(",{}", i);
  EXPECT_EQ(parse_json(text + "]", "").size(), 200000u);
}

TEST(ParseJson, ErrorsStayOnOneShortLine) {
  for (const std::string& text :
       {"\"" + std::string(100000, 'x'), "[\"\n" + std::string(100000, '\xff'), std::string(100000, '9'),
        "{\"" + std::string(100000, 'k') + "\": 1, \"" + std::string(100000, 'k') + "\": 2}"}) {
    const std::string message = parse_message(text);
    EXPECT_LT(message.size(), 300u) << message;
    EXPECT_EQ(message.find('\n'), std::string::npos) << message;
  }
}

}  // namespace
}  // namespace limber::json_parse_test
