#include "limber/io/checkpoint_file.hpp"

#include "limber/base/file.hpp"
#include "tests/support/files.hpp"

#include <set>

namespace limber::checkpoint_file_test {
namespace {

using test::contains;
using test::error_text;
using test::ScratchFolder;

Checkpoint some_checkpoint() {
  Checkpoint checkpoint;
  checkpoint.identity = {"limber 1.0", {{"beam.msh", 7}, {"scene.json", 8}}, {"--seconds 3"}};
  checkpoint.threads = 4;
  checkpoint.step = 12;
  checkpoint.report.iterations = 34;
  checkpoint.report.residual = 1e-9;
  checkpoint.report.smallest_volume_ratio = 0.9;
  checkpoint.report.load_steps = 5;
  checkpoint.read_seconds = 0.25;
  checkpoint.setup_seconds = 0.5;
  checkpoint.solve_seconds = 7.5;
  checkpoint.write_seconds = 1.5;
  checkpoint.frames = 6;
  checkpoint.frame_hash = 0xfedcba9876543210;
  checkpoint.bodies = {"one", std::string("t\0o", 3)};
  checkpoint.world = "all else";
  return checkpoint;
}

TEST(CheckpointFile, GivesBackWhatWasWritten) {
  const ScratchFolder folder;
  const Checkpoint before = some_checkpoint();
  write_checkpoint(folder / "a.checkpoint", before);
  const Checkpoint after = read_checkpoint(folder / "a.checkpoint");
  EXPECT_EQ(difference(before.identity, after.identity), "");
  EXPECT_EQ(after.identity.inputs[0].name, "beam.msh");
  EXPECT_EQ(after.threads, before.threads);
  EXPECT_EQ(after.step, before.step);
  EXPECT_EQ(after.report.iterations, before.report.iterations);
  EXPECT_EQ(after.report.residual, before.report.residual);
  EXPECT_EQ(after.report.smallest_volume_ratio, before.report.smallest_volume_ratio);
  EXPECT_EQ(after.report.load_steps, before.report.load_steps);
  EXPECT_EQ(after.read_seconds, before.read_seconds);
  EXPECT_EQ(after.setup_seconds, before.setup_seconds);
  EXPECT_EQ(after.solve_seconds, before.solve_seconds);
  EXPECT_EQ(after.write_seconds, before.write_seconds);
  EXPECT_EQ(after.frames, before.frames);
  EXPECT_EQ(after.frame_hash, before.frame_hash);
  EXPECT_EQ(after.bodies, before.bodies);
  EXPECT_EQ(after.world, before.world);
}

/// Else the fuzzer would never come past the version.
TEST(CheckpointFile, ThatTheFuzzerStartsFromIsOfThisVersion) {
  EXPECT_EQ(
      read_checkpoint(LIMBER_SOURCE_DIR "/tests/fuzz/corpus/checkpoint/reduced.checkpoint").bodies.size(),
      1U);
}

TEST(CheckpointFile, RefusesEveryChangedByte) {
  const std::string good = encode_checkpoint(some_checkpoint());
  for (std::size_t i = 0; i < good.size(); ++i) {
    std::string bad = good;
    bad[i] = static_cast<char>(bad[i] ^ 0x10);
    EXPECT_THROW(parse_checkpoint(bad, "a.checkpoint"), Error) << "byte " << i;
  }
}

TEST(CheckpointFile, RefusesOneThatIsCutShortOrHasMore) {
  const std::string good = encode_checkpoint(some_checkpoint());
  for (std::size_t size = 0; size < good.size(); ++size)
    EXPECT_THROW(parse_checkpoint(std::string_view(good).substr(0, size), "a.checkpoint"), Error) << size;
  EXPECT_THROW(parse_checkpoint(good + "x", "a.checkpoint"), Error);
}

TEST(CheckpointFile, SaysWhatToDoWithADamagedOne) {
  std::string bad = encode_checkpoint(some_checkpoint());
  bad[bad.size() / 2] ^= 1;
  EXPECT_EQ(error_text([&] { parse_checkpoint(bad, "a.checkpoint"); }),
            "a.checkpoint: the checkpoint is damaged, its checksum does not fit; delete it and start anew");
  EXPECT_TRUE(contains(error_text([&] { parse_checkpoint("solid", "a.checkpoint"); }), "is no checkpoint"));
}

TEST(CheckpointDifference, NamesWhatChanged) {
  const CheckpointIdentity before = some_checkpoint().identity;
  CheckpointIdentity now = before;
  now.inputs[0].name = "elsewhere/beam.msh";  // a folder may be moved
  EXPECT_EQ(difference(before, now), "");
  now.settings = {"--seconds 4"};
  EXPECT_EQ(difference(before, now), "the options have changed: now '--seconds 4', before '--seconds 3'");
  now.settings = {};
  EXPECT_EQ(difference(before, now), "the options have changed: now without that, before '--seconds 3'");
  now.inputs[0].hash = 1;
  EXPECT_EQ(difference(before, now), "elsewhere/beam.msh has changed");
  now.inputs.erase(now.inputs.begin());
  EXPECT_EQ(difference(before, now), "it is of 2 input files, now there are 1");
  now.inputs.back().hash = 1;
  EXPECT_EQ(difference(before, now), "scene.json has changed");
  now.program = "limber 2.0";
  EXPECT_EQ(difference(before, now), "it was written by limber 1.0, this is limber 2.0");
}

TEST(ContentHash, TellsBytesApartThatDifferInOneBitOrInLength) {
  std::set<std::uint64_t> hashes;
  std::size_t count = 0;
  for (std::size_t size = 0; size < 40; ++size, ++count) hashes.insert(content_hash(std::string(size, '\0')));
  for (std::size_t bit = 0; bit < 8 * 40; ++bit, ++count) {
    std::string bytes(40, 'x');
    bytes[bit / 8] = static_cast<char>(bytes[bit / 8] ^ (1 << (bit % 8)));
    hashes.insert(content_hash(bytes));
  }
  EXPECT_EQ(hashes.size(), count);
  EXPECT_NE(content_hash("b", content_hash("a")), content_hash("a", content_hash("b")));
}

}  // namespace
}  // namespace limber::checkpoint_file_test
