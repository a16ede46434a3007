#include "limber/run/output_files.hpp"

#include "tests/support/files.hpp"

namespace limber::output_files_test {
namespace {

namespace fs = std::filesystem;
using test::contains;
using test::error_text;
using test::ScratchFolder;

TEST(OutputPlan, IsRefusedBeforeTheWorkWhereItCannotBeWritten) {
  const ScratchFolder folder;
  const auto refusal = [](const OutputFile& file) {
    OutputPlan plan;
    plan.add(file);
    return error_text([&] { check_outputs(plan); });
  };
  EXPECT_TRUE(contains(refusal({folder / "a.jpg", ".png", "the picture"}), "the picture is written as .png"));
  EXPECT_TRUE(contains(refusal({folder / "missing/a.png"}), "does not exist"));
  EXPECT_TRUE(contains(refusal({folder.path()}), "is a folder"));
  OutputPlan twice;
  twice.add(OutputFile{folder / "a"});
  twice.add(OutputFile{folder / "./a"});
  EXPECT_TRUE(contains(error_text([&] { check_outputs(twice); }), "two outputs go to"));
  EXPECT_EQ(folder.entries(), 0);
}

TEST(OutputPlan, MayGoToAFolderThatIsYetToBeMade) {
  const ScratchFolder folder;
  OutputPlan plan;
  plan.coming = folder / "new";
  plan.add(OutputFile{folder / "new/a.png"});
  EXPECT_NO_THROW(check_outputs(plan));
}

TEST(OutputPlan, SparesWhatWasRead) {
  const ScratchFolder folder;
  write_file(folder / "mesh", "content");
  fs::create_symlink("mesh", folder / "link");
  OutputPlan plan;
  plan.add(OutputFile{folder / "link"});
  EXPECT_TRUE(
      contains(error_text([&] { check_spares(plan, {folder / "mesh"}); }), "would overwrite the input"));
}

TEST(NewFolders, RemovesThoseThatStayedEmpty) {
  const ScratchFolder folder;
  NewFolders folders;
  folders.make(folder / "a/b");
  folders.make(folder / "c");
  write_file(folder / "c/file", "");
  folders.remove_empty();
  EXPECT_FALSE(fs::exists(folder / "a"));
  EXPECT_TRUE(fs::exists(folder / "c/file"));
}

}  // namespace
}  // namespace limber::output_files_test
