#include "limber/base/file.hpp"

#include "tests/support/files.hpp"

#include <array>
#include <filesystem>
#include <span>
#include <sys/stat.h>

namespace limber::file_test {
namespace {

using test::contains;
using test::error_text;
using test::ScratchFolder;

TEST(ReadFile, GivesBackWhatWasWritten) {
  const ScratchFolder folder;
  std::string content(3'000'000, '\0');  // more than one piece, all byte values
  for (std::size_t i = 0; i < content.size(); ++i) content[i] = static_cast<char>(i * 7919);
  write_file(folder / "a.bin", content);
  EXPECT_TRUE(read_file(folder / "a.bin") == content);
}

TEST(ReadFile, ReadsAnEmptyFile) {
  const ScratchFolder folder;
  write_file(folder / "empty", "");
  EXPECT_EQ(read_file(folder / "empty"), "");
}

TEST(ReadFile, RefusesAMissingFile) {
  const ScratchFolder folder;
  const auto path = folder / "missing.msh";
  EXPECT_EQ(error_text([&] { read_file(path); }), path.string() + ": no such file");
}

TEST(ReadFile, RefusesAFolder) {
  const ScratchFolder folder;
  EXPECT_EQ(error_text([&] { read_file(folder.path()); }),
            folder.path().string() + ": is a folder, expected a file");
}

TEST(ReadFile, RefusesMoreBytesThanAllowed) {
  const ScratchFolder folder;
  write_file(folder / "a", "12345");
  EXPECT_EQ(read_file(folder / "a", 5), "12345");
  EXPECT_TRUE(contains(error_text([&] { read_file(folder / "a", 4); }), "larger than 4 bytes"));
}

TEST(ReadFile, RefusesADevice) {
  EXPECT_TRUE(contains(error_text([] { read_file("/dev/zero", 1000); }), "is a device"));
}

TEST(ReadFile, RefusesAFileThatMayNotBeRead) {
  if (::geteuid() == 0) GTEST_SKIP() << "root may read everything";
  const ScratchFolder folder;
  write_file(folder / "secret", "x");
  std::filesystem::permissions(folder / "secret", std::filesystem::perms::none);
  EXPECT_TRUE(contains(error_text([&] { read_file(folder / "secret"); }), "cannot be opened for reading"));
}

TEST(WriteFile, ReplacesTheOldFileAndLeavesNothingElse) {
  const ScratchFolder folder;
  write_file(folder / "a.txt", "a long old content");
  write_file(folder / "a.txt", "new");
  EXPECT_EQ(read_file(folder / "a.txt"), "new");
  EXPECT_EQ(folder.entries(), 1);
}

TEST(WriteFile, NamesThePathWhenTheFolderIsMissing) {
  const ScratchFolder folder;
  const auto path = folder / "none/a.txt";
  const std::string text = error_text([&] { write_file(path, "x"); });
  EXPECT_TRUE(contains(text, path.string() + ": cannot be written (No such file or directory)")) << text;
  EXPECT_EQ(folder.entries(), 0);
}

TEST(WriteFile, WritesThroughASymbolicLink) {
  const test::ScratchFolder folder;
  write_file(folder / "real", "old");
  std::filesystem::create_symlink("real", folder / "link");
  write_file(folder / "link", "new");
  EXPECT_TRUE(std::filesystem::is_symlink(folder / "link"));
  EXPECT_EQ(read_file(folder / "real"), "new");
}

TEST(WriteFile, RefusesToReplaceAPipe) {
  const test::ScratchFolder folder;
  ASSERT_EQ(mkfifo((folder / "pipe").c_str(), 0600), 0);
  EXPECT_THROW(write_file(folder / "pipe", "x"), Error);
  EXPECT_TRUE(std::filesystem::is_fifo(folder / "pipe"));
}

TEST(WriteFile, LeavesNoPartWhenTheTargetIsAFolder) {
  const ScratchFolder folder;
  std::filesystem::create_directory(folder / "target");
  EXPECT_TRUE(contains(error_text([&] { write_file(folder / "target", "x"); }), "is not an ordinary file"));
  EXPECT_EQ(folder.entries(), 1);
  EXPECT_TRUE(std::filesystem::is_directory(folder / "target"));
}

TEST(WriteFile, RefusesAPathBelowAFile) {
  const ScratchFolder folder;
  write_file(folder / "file", "kept");
  EXPECT_TRUE(contains(error_text([&] { write_file(folder / "file/below", "x"); }), "Not a directory"));
  EXPECT_EQ(read_file(folder / "file"), "kept");
}

TEST(WriteFile, KeepsTheOldFileWhenTheFolderMayNotBeWritten) {
  if (::geteuid() == 0) GTEST_SKIP() << "root may write everywhere";
  const ScratchFolder folder;
  write_file(folder / "a", "old");
  std::filesystem::permissions(folder.path(),
                               std::filesystem::perms::owner_read | std::filesystem::perms::owner_exec);
  EXPECT_TRUE(contains(error_text([&] { write_file(folder / "a", "new"); }), "Permission denied"));
  EXPECT_EQ(read_file(folder / "a"), "old");
  std::filesystem::permissions(folder.path(), std::filesystem::perms::owner_all);
}

TEST(WriteFile, RefusesADeviceThatIsFull) {
  if (!std::filesystem::exists("/dev/full")) GTEST_SKIP() << "no /dev/full";
  // The part lies beside the target, so a link puts it onto the full device.
  const ScratchFolder folder;
  const auto part = folder / fmt::format("a.{}.part", ::getpid());
  std::filesystem::create_symlink("/dev/full", part);
  const std::string text = error_text([&] { write_file(folder / "a", std::string(100000, 'x')); });
  EXPECT_TRUE(contains(text, "cannot be written")) << text;
  EXPECT_EQ(folder.entries(), 0);
}

TEST(WriteFile, HasItsContentReadBackBeforeItTakesThePlaceOfAnOldFile) {
  const ScratchFolder folder;
  write_file(folder / "a", "old");
  write_file(folder / "a", "new", [&](std::span<const std::string> contents) {
    ASSERT_EQ(contents.size(), 1u);
    EXPECT_EQ(contents.front(), "new");
    EXPECT_EQ(read_file(folder / "a"), "old");
  });
  EXPECT_EQ(read_file(folder / "a"), "new");
  const std::string text = error_text([&] {
    write_file(folder / "a", "bad", [](std::span<const std::string>) { throw Error("it is bad"); });
  });
  EXPECT_TRUE(contains(text, "a: is not written, since it could not be read back: it is bad")) << text;
  EXPECT_EQ(read_file(folder / "a"), "new");
  EXPECT_EQ(folder.entries(), 1);
}

TEST(WriteFiles, WritesAllOrNone) {
  const ScratchFolder folder;
  write_file(folder / "a", "old");
  const std::array two{NewFile{folder / "a", "new"}, NewFile{folder / "none/b", "new"}};
  EXPECT_TRUE(contains(error_text([&] { write_files(two); }), "none/b: cannot be written"));
  EXPECT_EQ(read_file(folder / "a"), "old");
  EXPECT_EQ(folder.entries(), 1);
}

TEST(RemoveUnfinished, TakesOnlyWhatAKilledWriterLeftOfOurFiles) {
  const ScratchFolder folder;
  for (const char* name : {"a.csv", "a.csv.12.part", "a.csv.x.part", "a.csv..part", "b.csv.12.part",
                           "a.csv.12.parts", "12.part"})
    write_file(folder / name, "x");
  remove_unfinished(folder.path(), [](std::string_view name) { return name == "a.csv"; });
  EXPECT_FALSE(std::filesystem::exists(folder / "a.csv.12.part"));
  EXPECT_EQ(folder.entries(), 6);
  remove_unfinished(folder / "missing", [](std::string_view) { return true; });
}

}  // namespace
}  // namespace limber::file_test
