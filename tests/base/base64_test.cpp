#include "limber/base/base64.hpp"

#include <gtest/gtest.h>

namespace limber::base64_test {
namespace {

std::string encoded(std::string_view bytes) {
  std::string text;
  append_base64(text, bytes);
  return text;
}

TEST(Base64, EncodesTheExamplesOfItsStandard) {  // RFC 4648, section 10
  EXPECT_EQ(encoded(""), "");
  EXPECT_EQ(encoded("f"), "Zg==");
  EXPECT_EQ(encoded("fo"), "Zm8=");
  EXPECT_EQ(encoded("foo"), "Zm9v");
  EXPECT_EQ(encoded("foobar"), "Zm9vYmFy");
}

TEST(Base64, EncodesBytesOfAnyValueAndAppends) {
  std::string text = "data:";
  append_base64(text, std::string_view("\xff\x00\xfe", 3));
  EXPECT_EQ(text, "data:/wD+");
}

}  // namespace
}  // namespace limber::base64_test
