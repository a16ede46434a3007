#include "limber/io/element_sets_file.hpp"

#include "limber/base/error.hpp"

#include <gtest/gtest.h>

namespace limber::element_sets_file_test {
namespace {

std::string message_of(std::string_view text) {
  try {
    (void)parse_element_sets(text, 10, "sets.json");
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

TEST(ElementSetsFile, HoldsElementsAndRanges) {
  const std::vector<ElementSet> sets =
      parse_element_sets(R"({"leaf": [[3, 5], 9], "stem": [0]})", 10, "sets.json");
  ASSERT_EQ(sets.size(), 2u);
  EXPECT_EQ(sets[0].name, "leaf");
  EXPECT_EQ(sets[0].elements, (std::vector<int>{3, 4, 5, 9}));
  EXPECT_EQ(sets[1].name, "stem");
  EXPECT_EQ(sets[1].elements, (std::vector<int>{0}));
}

TEST(ElementSetsFile, IsRefusedInOneLineThatSaysWhere) {
  EXPECT_EQ(message_of("[]").substr(0, 47), "sets.json: expected an object of element sets, ");
  EXPECT_EQ(message_of("{}").substr(0, 47), "sets.json: expected an object of element sets, ");
  EXPECT_EQ(message_of(R"({"a": [1, [2]]})"),
            "sets.json: a[1]: expected an element or a range [first, last]");
  EXPECT_EQ(message_of(R"({"a": [[5, 3]]})"), "sets.json: a[0]: the range [5, 3] ends before it starts");
  EXPECT_EQ(message_of(R"({"a": [10]})"),
            "sets.json: a[0]: element 10 does not exist; the mesh has elements 0 to 9");
  EXPECT_EQ(message_of(R"({"a": [[2, 5], 3]})"), "sets.json: a[1]: the set names element 3 twice");
  for (const char* bad : {R"({"a": ["x"]})", R"({"a": [-1]})", R"({"a": [1.5]})", R"({"a": [2147483648]})"})
    EXPECT_EQ(message_of(bad).substr(0, 38), "sets.json: a[0]: expected an integer f") << bad;
}

TEST(ElementSetsFile, NamesNoMoreElementsThanTheMeshHas) {
  // A few bytes that would be 8 GB.
  EXPECT_EQ(message_of(R"({"a": [[0, 2147483646]]})"),
            "sets.json: a[0]: element 2147483646 does not exist; the mesh has elements 0 to 9");
  std::string repeated = R"({"a": [[0, 9])";
  for (int i = 0; i < 10'000; ++i) repeated += ", [0, 9]";
  EXPECT_EQ(message_of(repeated + "]}"), "sets.json: a[1]: the set names element 0 twice");
}

}  // namespace
}  // namespace limber::element_sets_file_test
