#include "limber/io/text_source.hpp"

#include "tests/support/files.hpp"

#include <gmock/gmock.h>
#include <limits>

namespace limber::text_source_test {
namespace {

using test::error_text;
using testing::HasSubstr;

TEST(TextSource, YieldsWordsAndNumbersAcrossLinesAndComments) {
  TextSource source("# a head\nVertices 12\t+3 # twelve\r\n -1e-3,.5", "a.txt",
                    {.comment = '#', .separators = ","});
  EXPECT_EQ(source.read_word("a keyword"), "Vertices");
  EXPECT_EQ(source.read_int("a count"), 12);
  EXPECT_EQ(source.read_size("a count"), 3);
  EXPECT_EQ(source.read_real("a number"), -1e-3);
  EXPECT_EQ(source.read_real("a number"), 0.5);
  EXPECT_TRUE(source.at_end());
}

TEST(TextSource, NamesTheLineTheExpectedAndTheFound) {
  TextSource source("1 2\n3 x4\n", "a.txt");
  for (int i = 0; i < 3; ++i) source.read_int("a number");
  EXPECT_EQ(error_text([&] { source.read_int("a vertex"); }), "a.txt: line 2: expected a vertex, found 'x4'");
}

TEST(TextSource, CountsLinesFromTheOneItIsToldToStartAt) {
  TextSource source("\nx", "a.txt", {}, 41);
  EXPECT_THAT(error_text([&] { source.read_int("a number"); }), HasSubstr("line 42"));
}

TEST(TextSource, NamesBytesInBinaryFiles) {
  TextSource source("abcdefgh", "a.bin");
  source.set_binary();
  source.take(4, "a number");
  EXPECT_THAT(error_text([&] { source.take(8, "a number"); }),
              HasSubstr("a.bin: byte 4: the file ends, expected a number"));
}

TEST(TextSource, RefusesWordsThatAreNotWhollyANumber) {
  for (const char* const word : {"1.5", "1x", "+-1", "--1", "99999999999", "", "+"}) {
    TextSource source(word, "a.txt");
    EXPECT_THROW(source.read_int("a number"), Error) << word;
  }
  for (const char* const word : {"nan", "-inf", "1e999", "1..2", "0x10", "1,5"}) {
    TextSource source(word, "a.txt");
    EXPECT_THROW(source.read_real("a number"), Error) << word;
  }
}

TEST(TextSource, TellsWhereALineEnds) {
  TextSource source("1 2 # two\n\n3", "a.txt", {.comment = '#'});
  source.read_int("a number");
  EXPECT_FALSE(source.at_line_end());
  EXPECT_EQ(error_text([&] { source.end_line("one number"); }),
            "a.txt: line 1: expected the end of the line after one number, found '2'");
  source.read_int("a number");
  EXPECT_TRUE(source.at_line_end());
  source.end_line("two numbers");
  EXPECT_EQ(source.read_line(), "");
  EXPECT_EQ(source.read_line(), "3");
  EXPECT_TRUE(source.at_line_end());
  source.end_line("nothing");
  EXPECT_TRUE(source.at_end());
}

TEST(TextSource, RefusesCountsThatTheBytesLeftCannotHold) {
  const TextSource source("1 2 3", "a.txt");
  EXPECT_NO_THROW(source.require_room(3, "numbers", 2));
  EXPECT_THAT(error_text([&] { source.require_room(4, "numbers", 2); }),
              HasSubstr("4 numbers are announced, but only 5 bytes follow"));
  EXPECT_THAT(error_text([&] { source.require_room(-1, "numbers", 2); }), HasSubstr("expected at least 0"));
  EXPECT_THROW(source.require_room(std::numeric_limits<std::int64_t>::max(), "numbers", 2), Error);
}

TEST(Printable, MakesAnyTextFitForOneLine) {
  EXPECT_EQ(printable("a\nb\x01\xff"), "a?b??");
  EXPECT_EQ(printable(std::string(50, 'x')), fmt::format("{:x<40}...", ""));
}

}  // namespace
}  // namespace limber::text_source_test
