#include "limber/run/frame_store.hpp"

#include "limber/base/file.hpp"
#include "tests/support/files.hpp"

namespace limber::frame_store_test {
namespace {

using test::contains;
using test::error_text;
using test::ScratchFolder;

std::string frame(char c) { return std::string(10, c); }

std::string read(const FrameStore& store, Index i) {
  std::string bytes(10, '\0');
  store.read(i, 0, 10, bytes.data());
  return bytes;
}

TEST(FrameStore, GivesBackFramesFromFileAndMemory) {
  const ScratchFolder folder;
  FrameStore store(10, folder / "f");
  store.add(frame('a'));
  store.add(frame('b'));
  EXPECT_FALSE(std::filesystem::exists(folder / "f"));
  store.save();
  store.add(frame('c'));
  EXPECT_EQ(store.count(), 3);
  EXPECT_EQ(read_file(folder / "f"), frame('a') + frame('b'));
  EXPECT_EQ(read(store, 0) + read(store, 1) + read(store, 2), frame('a') + frame('b') + frame('c'));
  char middle = 0;
  store.read(1, 5, 1, &middle);
  EXPECT_EQ(middle, 'b');
}

TEST(FrameStore, GoesOnAfterTheFramesThatAreKnown) {
  const ScratchFolder folder;
  std::uint64_t hash = 0;
  {
    FrameStore store(10, folder / "f");
    store.add(frame('a'));
    store.add(frame('b'));
    hash = store.hash();
    store.add(frame('x'));
    store.save();
  }
  FrameStore store(10, folder / "f");
  store.resume(2, hash);
  store.add(frame('c'));
  store.save();
  EXPECT_EQ(read_file(folder / "f"), frame('a') + frame('b') + frame('c'));
  EXPECT_EQ(read(store, 1), frame('b'));
}

TEST(FrameStore, RefusesFilesThatDoNotHoldTheFrames) {
  const ScratchFolder folder;
  FrameStore good(10, folder / "f");
  good.add(frame('a'));
  good.add(frame('b'));
  const std::string expected = "does not hold the 2 frames";
  for (const std::string& content : {frame('a'), frame('a') + frame('c'), std::string()}) {
    write_file(folder / "f", content);
    FrameStore store(10, folder / "f");
    EXPECT_TRUE(contains(error_text([&] { store.resume(2, good.hash()); }), expected)) << content;
  }
  std::filesystem::remove(folder / "f");
  FrameStore store(10, folder / "f");
  EXPECT_TRUE(contains(error_text([&] { store.resume(2, good.hash()); }), "cannot be opened"));
}

TEST(FrameStore, KeepsFramesThatCannotBeSaved) {
  const ScratchFolder folder;
  FrameStore store(10, folder / "missing/f");
  store.add(frame('a'));
  EXPECT_THROW(store.save(), Error);
  store.add(frame('b'));
  EXPECT_EQ(read(store, 0) + read(store, 1), frame('a') + frame('b'));
  std::filesystem::create_directory(folder / "missing");
  store.save();
  EXPECT_EQ(read_file(folder / "missing/f"), frame('a') + frame('b'));
}

}  // namespace
}  // namespace limber::frame_store_test
