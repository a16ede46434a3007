#include "limber/io/png.hpp"

#include "limber/base/file.hpp"
#include "limber/base/random.hpp"
#include "tests/draw/support.hpp"

#include <png.h>

namespace limber::png_test {
namespace {

using test::contains;
using test::error_text;
using test::ScratchFolder;

Image decode(const std::string& bytes) {
  png_image header{};
  header.version = PNG_IMAGE_VERSION;
  EXPECT_NE(png_image_begin_read_from_memory(&header, bytes.data(), bytes.size()), 0) << header.message;
  EXPECT_EQ(header.format, static_cast<png_uint_32>(PNG_FORMAT_RGB));
  Image image{static_cast<int>(header.width), static_cast<int>(header.height), {}};
  image.rgb.resize(PNG_IMAGE_SIZE(header));
  EXPECT_NE(png_image_finish_read(&header, nullptr, image.rgb.data(), 0, nullptr), 0) << header.message;
  return image;
}

Image noise(int width, int height) {
  Image image = test::blank_image(width, height);
  Random random(5);
  for (std::uint8_t& byte : image.rgb) byte = static_cast<std::uint8_t>(random.next());
  return image;
}

TEST(WritePng, DecodesToTheSamePixels) {
  const ScratchFolder folder;
  for (const auto& [width, height] : std::vector<std::pair<int, int>>{{1, 1}, {3, 2}, {131, 57}, {1, 300}}) {
    const Image image = noise(width, height);
    write_png(folder / "a.png", image);
    EXPECT_EQ(decode(read_file(folder / "a.png")), image) << width << " x " << height;
  }
  EXPECT_EQ(folder.entries(), 1);
}

TEST(WritePng, DecodesARenderedPicture) {
  const ScratchFolder folder;
  const Shape shape = test::square(0.5, 0.0, Color(0.2, 0.4, 0.8));
  const Image image = render({&shape, 1}, test::plan_view());
  write_png(folder / "a.png", image);
  EXPECT_EQ(decode(read_file(folder / "a.png")), image);
}

TEST(WritePng, RefusesPicturesThatAreNone) {
  const ScratchFolder folder;
  const auto path = folder / "a.png";
  EXPECT_EQ(error_text([&] { write_png(path, {}); }),
            path.string() + ": a picture of 0 x 0 pixels cannot be written");
  Image image = noise(4, 3);
  image.rgb.pop_back();
  EXPECT_EQ(error_text([&] { write_png(path, image); }),
            path.string() + ": picture has 35 bytes, 4 x 3 pixels need 36 (3 each)");
  EXPECT_EQ(folder.entries(), 0);
}

TEST(WritePng, NamesThePathThatCannotBeWritten) {
  const ScratchFolder folder;
  const auto path = folder / "none/a.png";
  EXPECT_TRUE(
      contains(error_text([&] { write_png(path, noise(2, 2)); }), path.string() + ": cannot be written"));
}

}  // namespace
}  // namespace limber::png_test
