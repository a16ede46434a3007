#include "limber/base/file.hpp"

#include "limber/base/error.hpp"

#include <cerrno>
#include <cstring>
#include <fstream>
#include <system_error>
#include <unistd.h>

namespace limber {

std::string read_file(const std::filesystem::path& path, std::uintmax_t max_bytes) {
  std::error_code status;
  require(std::filesystem::exists(path, status), "{}: no such file", path.string());
  require(!std::filesystem::is_directory(path, status), "{}: is a folder, expected a file", path.string());
  require(!std::filesystem::is_character_file(path, status) && !std::filesystem::is_block_file(path, status),
          "{}: is a device, expected a file", path.string());
  std::ifstream stream(path, std::ios::binary);
  require(stream.good(), "{}: cannot be opened for reading ({})", path.string(), std::strerror(errno));

  // Read in pieces rather than trusting a size: the path may be a pipe, or a file that is still growing.
  std::string content;
  std::string piece(std::size_t{1} << 20, '\0');
  while (stream) {
    stream.read(piece.data(), static_cast<std::streamsize>(piece.size()));
    content.append(piece, 0, static_cast<std::size_t>(stream.gcount()));
    require(content.size() <= max_bytes, "{}: larger than {} bytes, which is more than limber reads",
            path.string(), max_bytes);
  }
  require(!stream.bad(), "{}: reading failed ({})", path.string(), std::strerror(errno));
  return content;
}

void write_file(const std::filesystem::path& path, std::string_view content) {
  std::error_code lookup;
  require(!std::filesystem::exists(path, lookup) || std::filesystem::is_regular_file(path, lookup),
          "{}: exists and is not an ordinary file; choose another name", path.string());
  // Through a symbolic link, its target is replaced, not the link.
  const bool link = std::filesystem::is_symlink(path, lookup) && std::filesystem::exists(path, lookup);
  const std::filesystem::path target = link ? std::filesystem::canonical(path) : path;
  std::filesystem::path temporary = target;
  temporary += fmt::format(".{}.part", ::getpid());
  bool written = false;
  {
    std::ofstream stream(temporary, std::ios::binary | std::ios::trunc);
    stream.write(content.data(), static_cast<std::streamsize>(content.size()));
    stream.close();
    written = stream.good();
  }
  std::error_code status;
  if (written) std::filesystem::rename(temporary, target, status);
  if (!written || status) {
    const std::string reason = status ? status.message() : std::strerror(errno);
    std::error_code ignored;
    std::filesystem::remove(temporary, ignored);
    throw Error("{}: cannot be written ({}); does its folder exist and may you write there?", path.string(),
                reason);
  }
}

}  // namespace limber
