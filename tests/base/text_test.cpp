#include "limber/base/text.hpp"

#include "limber/base/grouped.hpp"

#include <gtest/gtest.h>

#include <array>
#include <limits>

namespace limber::text_test {
namespace {

constexpr std::array<std::string_view, 3> keys{"element", "size", "cells"};

TEST(NearestName, FindsASlip) {
  EXPECT_EQ(nearest_name("elment", keys), "element");
  EXPECT_EQ(nearest_name("sizes", keys), "size");
  EXPECT_EQ(nearest_name("cell", keys), "cells");
  EXPECT_EQ(nearest_name("size", keys), "size");
}

TEST(NearestName, IsEmptyWhereNothingIsNear) {
  EXPECT_EQ(nearest_name("quadrature", keys), "");
  EXPECT_EQ(nearest_name("xyz", keys), "");
  EXPECT_EQ(nearest_name("anything", {}), "");
  EXPECT_EQ(nearest_name("", keys), "");
}

TEST(NearestName, FindsNothingForEndlessWords) {
  EXPECT_EQ(nearest_name(std::string(100000, 'q'), keys), "");
}

TEST(NearestName, TakesTheFirstOfEquallyNearOnes) {
  constexpr std::array<std::string_view, 2> names{"bat", "cat"};
  EXPECT_EQ(nearest_name("rat", names), "bat");
}

TEST(Suggestion, NamesTheNearestOrAll) {
  EXPECT_EQ(suggestion("celsl", keys), "did you mean 'cells'?");
  EXPECT_EQ(suggestion("quadrature", keys), "known are element, size, cells");
}

TEST(Grouped, SetsCommasBetweenThousands) {
  EXPECT_EQ(grouped(0), "0");
  EXPECT_EQ(grouped(999), "999");
  EXPECT_EQ(grouped(1000), "1,000");
  EXPECT_EQ(grouped(-1234567), "-1,234,567");
  EXPECT_EQ(grouped(-123), "-123");
}

TEST(Split, KeepsEmptyParts) {
  using Parts = std::vector<std::string_view>;
  EXPECT_EQ(split("a,b,c", ','), (Parts{"a", "b", "c"}));
  EXPECT_EQ(split("a,,b", ','), (Parts{"a", "", "b"}));
  EXPECT_EQ(split("", ','), (Parts{""}));
  EXPECT_EQ(split(",", ','), (Parts{"", ""}));
  EXPECT_EQ(split("abc", ','), (Parts{"abc"}));
}

TEST(ParseNumber, ReadsWhatANumberLooksLike) {
  EXPECT_EQ(parse_number("1.5"), 1.5);
  EXPECT_EQ(parse_number("-0.25e3"), -250.0);
  EXPECT_EQ(parse_number("+7"), 7.0);
  EXPECT_EQ(parse_number(".5"), 0.5);
  EXPECT_EQ(parse_number("1e-300"), 1e-300);
  EXPECT_EQ(parse_number("0.1"), 0.1);
}

TEST(ParseNumber, RefusesEverythingElse) {
  for (const std::string_view text : {"", "+", "-", "+-5", "++5", "--5", "1,5", " 1", "1 ", "1x", "0x10",
                                      "nan", "inf", "-inf", "+inf", "1e999", "1e", "one"}) {
    EXPECT_EQ(parse_number(text), std::nullopt) << "'" << text << "'";
  }
}

TEST(ParseInteger, ReadsTheWholeRange) {
  EXPECT_EQ(parse_integer("0"), 0);
  EXPECT_EQ(parse_integer("+12"), 12);
  EXPECT_EQ(parse_integer("2147483647"), std::numeric_limits<int>::max());
  EXPECT_EQ(parse_integer("-2147483648"), std::numeric_limits<int>::min());
}

TEST(ParseInteger, RefusesEverythingElse) {
  for (const std::string_view text :
       {"", "+", "+-5", "1.0", "1e3", " 1", "1 ", "2147483648", "-2147483649", "0x1"}) {
    EXPECT_EQ(parse_integer(text), std::nullopt) << "'" << text << "'";
  }
}

}  // namespace
}  // namespace limber::text_test
