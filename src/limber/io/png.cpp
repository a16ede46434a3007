#include "limber/io/png.hpp"

#include "limber/base/error.hpp"
#include "limber/base/file.hpp"

#include <png.h>

#include <string>

namespace limber {

void write_png(const std::filesystem::path& path, const Image& image) {
  require(image.width > 0 && image.height > 0, "{}: a picture of {} x {} pixels cannot be written",
          path.string(), image.width, image.height);
  const auto bytes = 3 * static_cast<std::size_t>(image.width) * static_cast<std::size_t>(image.height);
  require(image.rgb.size() == bytes, "{}: picture has {} bytes, {} x {} pixels need {} (3 each)",
          path.string(), image.rgb.size(), image.width, image.height, bytes);

  png_image header{};
  header.version = PNG_IMAGE_VERSION;
  header.width = static_cast<png_uint_32>(image.width);
  header.height = static_cast<png_uint_32>(image.height);
  header.format = PNG_FORMAT_RGB;
  png_alloc_size_t size =
      PNG_IMAGE_PNG_SIZE_MAX(header);  // room for the worst case, so that one pass is enough
  std::string encoded(size, '\0');
  const int written =
      png_image_write_to_memory(&header, encoded.data(), &size, 0, image.rgb.data(), 0, nullptr);
  require(written != 0, "{}: cannot be encoded as PNG ({})", path.string(), header.message);
  write_file(path, std::string_view(encoded).substr(0, size));
}

}  // namespace limber
