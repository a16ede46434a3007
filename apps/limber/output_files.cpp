#include "apps/limber/output_files.hpp"

#include "limber/base/error.hpp"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <string>
#include <system_error>
#include <unistd.h>

namespace limber::app {
namespace {

namespace fs = std::filesystem;

/// Tries to make a file: permissions alone say too little (read-only file systems, the administrator,
/// quotas).
void check_takes_files(const fs::path& folder, const fs::path& wanted) {
  std::string probe = (folder / ".limber-XXXXXX").string();
  const int file = ::mkstemp(probe.data());
  require(file >= 0, "{}: cannot be written, its folder takes no new files ({})", wanted.string(),
          std::strerror(errno));
  ::close(file);
  ::unlink(probe.c_str());
}

}  // namespace

void check_output_file(const fs::path& path) {
  std::error_code status;
  require(path.has_filename(), "'{}' names no file to write", path.string());
  require(!fs::is_directory(path, status), "{}: is a folder, expected a file to write", path.string());
  const fs::path folder = path.has_parent_path() ? path.parent_path() : fs::path(".");
  require(fs::is_directory(folder, status),
          "{}: cannot be written, the folder {} does not exist; make it first", path.string(),
          folder.string());
  check_takes_files(folder, path);
}

void check_output_folder(const fs::path& path) {
  std::error_code status;
  fs::path existing = fs::absolute(path).lexically_normal();
  while (existing.has_relative_path() && !fs::exists(existing, status)) existing = existing.parent_path();
  require(fs::is_directory(existing, status), "{}: cannot be a folder for output, {} is a file",
          path.string(), existing.string());
  check_takes_files(existing, path);
}

void check_extension(const fs::path& path, std::string_view extension, std::string_view what) {
  require(path.extension() == extension, "{}: {} is written as {}; give a name that ends so", path.string(),
          what, extension);
}

void check_spares(const fs::path& output, const std::vector<fs::path>& inputs) {
  if (output.empty()) return;
  for (const fs::path& input : inputs) {
    std::error_code missing;  // files that do not exist are not the same
    require(input.empty() || !fs::equivalent(output, input, missing),
            "the output {} would overwrite the input {}; choose another name", output.string(),
            input.string());
  }
}

void make_folder(const fs::path& path) {
  std::error_code status;
  fs::create_directories(path, status);
  require(fs::is_directory(path), "{}: the folder cannot be made ({})", path.string(), status.message());
}

}  // namespace limber::app
