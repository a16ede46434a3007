// What writers write is read back before it takes its name: a fault in it is found then, and what was there
// before stays. Here the disk makes the fault, when it is asked to have taken all.
#include "limber/io/clip_file.hpp"
#include "limber/io/mesh_file.hpp"
#include "tests/io/tree_support.hpp"
#include "tests/support/files.hpp"

#include <functional>
#include <gmock/gmock.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace limber::read_back_test {
namespace {

/// What becomes of a file that the library has written, by its descriptor.
std::function<void(int file)> fault;

}  // namespace
}  // namespace limber::read_back_test

// In place of that of the C library, for the whole program.
extern "C" int fsync(int file) {
  if (limber::read_back_test::fault) limber::read_back_test::fault(file);
  return static_cast<int>(::syscall(SYS_fsync, file));
}

namespace limber::read_back_test {
namespace {

using test::ScratchFolder;
using testing::HasSubstr;

void cut_last_byte(int file) { ASSERT_EQ(::ftruncate(file, ::lseek(file, 0, SEEK_END) - 1), 0); }

/// A writer of a file that is there already, whose new content the disk spoils: it is refused, and the old
/// one is there still.
void expect_noticed(const ScratchFolder& folder, const std::string& name,
                    const std::function<void(const std::filesystem::path&)>& write,
                    const std::function<void(int)>& spoil) {
  SCOPED_TRACE(name);
  write_file(folder / name, "old");
  fault = spoil;
  const std::string text = test::error_text([&] { write(folder / name); });
  fault = nullptr;
  EXPECT_THAT(text, HasSubstr(name + ": is not written, since it could not be read back: "));
  EXPECT_EQ(read_file(folder / name), "old");
  EXPECT_EQ(folder.entries(), 1);
  write(folder / name);  // and without a fault it is written
  EXPECT_NE(read_file(folder / name), "old");
  std::filesystem::remove(folder / name);
}

TEST(ReadBack, FindsFaultsInModels) {
  const ScratchFolder folder;
  const auto write = [](const std::filesystem::path& path) { write_model(path, test::sample_tree()); };
  expect_noticed(folder, "m.glb", write, cut_last_byte);
  const std::string content = encode_model(test::sample_tree(), "m.glb");
  // A key that the reader needs, by another name: the file is whole, and no model.
  const auto key = static_cast<off_t>(content.find("\"domains\""));
  expect_noticed(folder, "m.glb", write,
                 [&](int file) { ASSERT_EQ(::pwrite(file, "\"demains\"", 9, key), 9); });
}

TEST(ReadBack, FindsFaultsInClips) {
  const ScratchFolder folder;
  const std::vector<double> times{0.0, 0.5};
  const ReducedModel model = test::sample_model();
  ClipNode node{.surface = &model.surface, .name = "b", .coordinates = Matrix::Identity(3, 2)};
  const auto write = [&](const std::filesystem::path& path) { write_animation(path, times, {&node, 1}); };
  expect_noticed(folder, "c.glb", write, cut_last_byte);
  node.frame.assign(2, Pose{});
  expect_noticed(folder, "t.glb", write, cut_last_byte);
}

TEST(ReadBack, FindsFaultsInMeshes) {
  const ScratchFolder folder;
  const VolumeMesh mesh = make_beam({.size = {1.0, 0.25, 0.25}, .cells = {2, 1, 1}});
  for (const char* name : {"m.msh", "m.mesh", "m.meshb", "m.vtk", "m.vtu", "m.veg"}) {
    expect_noticed(
        folder, name, [&](const std::filesystem::path& path) { write_mesh(path, mesh); },
        [](int file) { ASSERT_EQ(::ftruncate(file, ::lseek(file, 0, SEEK_END) / 2), 0); });
  }
}

TEST(ReadBack, FindsNumbersThatDiffer) {
  // The file is a good mesh, of another body: one number of it is another.
  const ScratchFolder folder;
  const VolumeMesh mesh = make_beam({.size = {1.0, 0.25, 0.25}, .cells = {2, 1, 1}});
  write_mesh(folder / "m.veg", mesh);
  const std::string content = read_file(folder / "m.veg");
  const auto number = static_cast<off_t>(content.find("0.125"));
  ASSERT_GT(number, 0);
  expect_noticed(
      folder, "m.veg", [&](const std::filesystem::path& path) { write_mesh(path, mesh); },
      [&](int file) { ASSERT_EQ(::pwrite(file, "0.124", 5, number), 5); });
}

TEST(ReadBack, FindsFaultsInOneOfTwoFiles) {
  const ScratchFolder folder;
  const VolumeMesh mesh = make_beam({.size = {1.0, 0.25, 0.25}, .cells = {2, 1, 1}});
  int files = 0;
  fault = [&](int file) {
    if (++files == 2) cut_last_byte(file), cut_last_byte(file), cut_last_byte(file);
  };
  const std::string text = test::error_text([&] { write_mesh(folder / "m.node", mesh); });
  fault = nullptr;
  EXPECT_EQ(files, 2);
  EXPECT_THAT(text, HasSubstr("could not be read back"));
  EXPECT_EQ(folder.entries(), 0);
}

}  // namespace
}  // namespace limber::read_back_test
