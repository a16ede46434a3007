#include "limber/io/sketch_file.hpp"

#include "limber/base/file.hpp"
#include "tests/io/mesh_support.hpp"

#include <array>
#include <bit>
#include <cmath>
#include <gmock/gmock.h>
#include <limits>

namespace limber::sketch_file_test {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::StartsWith;

constexpr std::string_view two_forces = R"({"version": 1, "format": "limber sketch",
 "forces": [{"at": [0, 0.5, -1e-3], "force": [1, -2, 3]},
            {"force": [0.1, 0, 0], "at": [7, 8, 9]}]})";

TEST(SketchFile, IsReadInTheOrderOfRecording) {
  const std::vector<SketchForce> sketch = parse_sketch(two_forces, "a.json");
  ASSERT_EQ(sketch.size(), 2U);
  EXPECT_EQ(sketch[0], (SketchForce{Vector3(0, 0.5, -1e-3), Vector3(1, -2, 3)}));
  EXPECT_EQ(sketch[1], (SketchForce{Vector3(7, 8, 9), Vector3(0.1, 0, 0)}));
}

TEST(SketchFile, ReadsBackToTheSameBits) {
  const test::ScratchFolder folder;
  constexpr double largest = std::numeric_limits<double>::max();
  const std::array<SketchForce, 3> sketch{
      {{Vector3(1.0 / 3.0, std::nextafter(1.0, 2.0), -5e-324), Vector3(-largest, largest, -0.0)},
       {Vector3(0.0, 1e16, 1e22), Vector3(9007199254740991.0, -1e-310, 123456.75)},
       {Vector3(1e15, -9223372036854775808.0, 18446744073709551616.0), Vector3(0.1, 0.2, 0.1 + 0.2)}}};
  write_sketch(folder / "s.json", sketch);
  const std::vector<SketchForce> read = read_sketch(folder / "s.json");
  ASSERT_EQ(read.size(), sketch.size());
  for (std::size_t i = 0; i < sketch.size(); ++i) {
    for (int c = 0; c < 3; ++c) {
      EXPECT_EQ(std::bit_cast<std::uint64_t>(read[i].at(c)), std::bit_cast<std::uint64_t>(sketch[i].at(c)))
          << read[i].at(c);
      EXPECT_EQ(std::bit_cast<std::uint64_t>(read[i].force(c)),
                std::bit_cast<std::uint64_t>(sketch[i].force(c)))
          << read[i].force(c);
    }
  }
}

TEST(SketchFile, IsWrittenWithTheFewestDigitsOneForcePerLine) {
  const std::array<SketchForce, 2> sketch{
      {{Vector3(0.1, 0, -2), Vector3(1, 0, 0)}, {Vector3(1, 1, 1), Vector3(1e30, 0, 0)}}};
  EXPECT_EQ(encode_sketch(sketch, "a.json"),
            "{\"format\": \"limber sketch\", \"version\": 1, \"forces\": [\n"
            "  {\"at\": [0.1, 0, -2], \"force\": [1, 0, 0]},\n"
            "  {\"at\": [1, 1, 1], \"force\": [1e+30, 0, 0]}\n"
            "]}\n");
}

TEST(SketchFile, RefusesToWriteWhatItWouldNotRead) {
  const test::ScratchFolder folder;
  EXPECT_THAT(test::error_text([&] { write_sketch(folder / "s.json", {}); }),
              HasSubstr("s.json: a sketch without forces"));
  const std::array<SketchForce, 2> bad{{{}, {Vector3::Zero(), Vector3(0, NAN, 0)}}};
  EXPECT_THAT(test::error_text([&] { write_sketch(folder / "s.json", bad); }),
              HasSubstr("force 1 (from 0) of the sketch holds numbers that are not finite"));
  EXPECT_FALSE(std::filesystem::exists(folder / "s.json"));
}

TEST(SketchFile, RefusesWhatIsNoSketch) {
  struct Edit {
    std::string_view old_part, new_part, message;
  };
  constexpr std::array edits{
      Edit{"\"version\": 1, ", "", "'version' is missing"},
      Edit{"\"version\": 1", "\"version\": 2", "version: expected 1, found 2; a newer limber wrote the file"},
      Edit{"\"version\": 1", "\"version\": \"1\"", "version: expected an integer"},
      Edit{"\"version\": 1", "\"version\": 1.5", "version: expected an integer"},
      Edit{"limber sketch", "limber scene", "format: expected \"limber sketch\", found \"limber scene\""},
      Edit{"\"limber sketch\"", "3", "format: expected a string, found 3"},
      Edit{"\"forces\"", "\"force\"", "unknown key 'force'; did you mean 'forces'?"},
      Edit{"\"version\"", "\"units\": \"mm\", \"version\"",
           "unknown key 'units'; known are format, version, forces"},
      Edit{"\"at\": [7", "\"att\": 1, \"at\": [7", "forces[1]: unknown key 'att'; did you mean 'at'?"},
      Edit{"\"at\": [7, 8, 9]", "\"when\": 0", "forces[1]: 'at' is missing"},
      Edit{"[0.1, 0, 0]", "[0.1, 0]", "forces[1].force: expected 3 numbers [x, y, z], found 2"},
      Edit{"[0.1, 0, 0]", "[0.1, 0, 0, 0]", "forces[1].force: expected 3 numbers [x, y, z], found 4"},
      Edit{"[0.1, 0, 0]", "1", "forces[1].force: expected a list, found 1"},
      Edit{"[0.1, 0, 0]", "[0.1, null, 0]", "forces[1].force[1]: expected a number, found null"},
      Edit{"-1e-3", "1e999", "line 2, column"},
      Edit{"-1e-3", "NaN", "line 2, column"},
      Edit{"-1e-3]", "-1e-3", "line 2, column"},
      Edit{"\"at\": [0", "\"at\": [], \"at\": [0", "appears twice"}};
  for (const Edit& edit : edits) {
    const std::string text = test::replaced(two_forces, edit.old_part, edit.new_part);
    EXPECT_THAT(test::error_text([&] { parse_sketch(text, "bad.json"); }),
                AllOf(StartsWith("bad.json: "), HasSubstr(edit.message)))
        << text;
  }
}

TEST(SketchFile, RefusesListsWithoutForcesAndOtherDocuments) {
  const auto error = [](std::string_view text) {
    return test::error_text([&] { parse_sketch(text, "bad.json"); });
  };
  EXPECT_THAT(error(R"({"format": "limber sketch", "version": 1, "forces": []})"),
              HasSubstr("forces: expected at least one force, found none"));
  EXPECT_THAT(error(R"({"format": "limber sketch", "version": 1, "forces": [1]})"),
              HasSubstr("forces[0]: expected an object, found 1"));
  EXPECT_THAT(error(R"({"format": "limber sketch", "version": 1, "forces": {}})"),
              HasSubstr("forces: expected a list, found an object"));
  EXPECT_THAT(error("[]"), HasSubstr("expected an object, found a list"));
  EXPECT_THAT(error(""), HasSubstr("is empty"));
}

TEST(SketchFile, NoticesTruncationAtEveryByte) {
  for (std::size_t length = 0; length < two_forces.size(); ++length) {
    EXPECT_THROW(parse_sketch(two_forces.substr(0, length), "cut.json"), Error) << length;
  }
}

TEST(SketchFile, NamesAFileThatIsMissing) {
  const test::ScratchFolder folder;
  EXPECT_THAT(test::error_text([&] { read_sketch(folder / "none.json"); }),
              HasSubstr("none.json: no such file"));
}

}  // namespace
}  // namespace limber::sketch_file_test
