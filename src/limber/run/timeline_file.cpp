#include "limber/run/timeline_file.hpp"

#include "limber/base/error.hpp"
#include "limber/base/file.hpp"
#include "limber/io/png.hpp"

#include <algorithm>
#include <cctype>
#include <string>

namespace limber {
namespace {

std::string extension_of(const std::filesystem::path& path) {
  std::string extension = path.extension().string();
  std::ranges::transform(extension, extension.begin(),
                         [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return extension;
}

}  // namespace

void check_timeline_path(const std::filesystem::path& path) {
  const std::string extension = extension_of(path);
  require(extension == ".svg" || extension == ".png", "{}: a timeline is drawn as .svg or .png, found '{}'",
          path.string(), extension);
}

void write_timeline(const std::filesystem::path& path, const TimelinePlot& plot) {
  check_timeline_path(path);
  if (extension_of(path) == ".svg") {
    write_file(path, to_svg(plot));
  } else {
    write_png(path, to_image(plot));
  }
}

}  // namespace limber
