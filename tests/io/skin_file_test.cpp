#include "limber/io/skin_file.hpp"

#include "limber/base/error.hpp"

#include <gtest/gtest.h>

#include <array>

namespace limber::skin_file_test {
namespace {

const std::array<std::string, 2> bones{"torso", "head"};

Matrix parse(std::string_view text) { return parse_skin_weights(text, bones, 3, "weights.csv"); }

std::string message_of(std::string_view text) {
  try {
    (void)parse(text);
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

TEST(SkinFile, HoldsWeightsByNameOrNumber) {
  const Matrix W = parse("vertex,bone,weight\n0,torso,1\n1, head ,0.25\r\n\n1,0,0.75\n2,1,1");
  Matrix expected(2, 3);
  expected << 1, 0.75, 0, 0, 0.25, 1;
  EXPECT_EQ(W, expected);
}

TEST(SkinFile, ScalesWhatIsOneButForRounding) {
  const Matrix W = parse("0,0,1\n1,0,0.3333333\n1,1,0.6666666\n2,1,1");
  EXPECT_NEAR(W.col(1).sum(), 1.0, 1e-15);
}

TEST(SkinFile, IsRefusedInOneLineThatSaysWhere) {
  EXPECT_EQ(message_of("0,0,1\n3,0,1"),
            "weights.csv: line 2: there is no vertex '3'; the mesh has vertices 0 to 2");
  EXPECT_EQ(message_of("x,0,1"), "weights.csv: line 1: there is no vertex 'x'; the mesh has vertices 0 to 2");
  EXPECT_EQ(message_of("0,haed,1"), "weights.csv: line 1: there is no bone 'haed'; did you mean 'head'?");
  EXPECT_EQ(message_of("0,2,1"), "weights.csv: line 1: there is no bone '2'; bones are 0 to 1");
  EXPECT_EQ(message_of("0,0,-0.5"),
            "weights.csv: line 1: the weight is '-0.5', expected a number from 0 to 1");
  EXPECT_EQ(message_of("0,0,nan"), "weights.csv: line 1: the weight is 'nan', expected a number from 0 to 1");
  EXPECT_EQ(message_of("0,0"), "weights.csv: line 1: expected vertex,bone,weight, found '0,0'");
  EXPECT_EQ(message_of("0,0,0.5\n0,torso,0.5"),
            "weights.csv: line 2: the weight of bone 0 at vertex 0 was given before");
  EXPECT_EQ(message_of("0,0,1\n1,0,0.5\n1,1,0.4\n2,0,1"),
            "weights.csv: the weights of vertex 1 add up to 0.9, expected 1");
  EXPECT_EQ(message_of("0,0,1\n2,0,1"), "weights.csv: vertex 1 has no weights; all 3 vertices need some");
  EXPECT_EQ(message_of(""), "weights.csv: vertex 0 has no weights; all 3 vertices need some");
}

}  // namespace
}  // namespace limber::skin_file_test
