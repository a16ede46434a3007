#include "limber/base/file.hpp"

#include "limber/base/error.hpp"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <fstream>
#include <list>
#include <system_error>
#include <unistd.h>
#include <utility>
#include <vector>

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

namespace {

/// Writes all of the content to an open file and waits until the disk has it. False, with errno set, where
/// that fails.
bool write_and_sync(int file, std::string_view content) {
  while (!content.empty()) {
    const ::ssize_t written = ::write(file, content.data(), content.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return false;
    content.remove_prefix(static_cast<std::size_t>(written));
  }
  // Not every file system can wait; what it has taken is then all that can be known.
  return ::fsync(file) == 0 || errno == EINVAL || errno == ENOTSUP || errno == EROFS;
}

constexpr std::string_view part_ending = ".part";

/// NAME of an unfinished file NAME.DIGITS.part; empty for other files.
std::string_view finished_name(std::string_view name) {
  if (!name.ends_with(part_ending)) return {};
  name.remove_suffix(part_ending.size());
  const std::size_t last = name.find_last_not_of("0123456789");
  if (last == std::string_view::npos || last + 1 == name.size() || name[last] != '.') return {};
  return name.substr(0, last);
}

}  // namespace

PendingFile::PendingFile(std::filesystem::path path, std::string_view content) : path_(std::move(path)) {
  std::error_code lookup;
  require(!std::filesystem::exists(path_, lookup) || std::filesystem::is_regular_file(path_, lookup),
          "{}: exists and is not an ordinary file; choose another name", path_.string());
  // Through a symbolic link, its target is replaced, not the link.
  const bool link = std::filesystem::is_symlink(path_, lookup) && std::filesystem::exists(path_, lookup);
  target_ = link ? std::filesystem::canonical(path_) : path_;
  temporary_ = target_;
  temporary_ += fmt::format(".{}{}", ::getpid(), part_ending);
  constexpr mode_t anybody = 0666;  // less the umask, as usual
  const int file = ::open(temporary_.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, anybody);
  bool written = file >= 0 && write_and_sync(file, content);
  int error = errno;
  if (file >= 0 && ::close(file) != 0 && written) {
    written = false;
    error = errno;
  }
  if (!written) fail(std::strerror(error));
}

PendingFile::~PendingFile() {
  std::error_code ignored;
  if (!temporary_.empty()) std::filesystem::remove(temporary_, ignored);
}

void PendingFile::put_in_place() {
  std::error_code status;
  std::filesystem::rename(temporary_, target_, status);
  if (status) fail(status.message());
  temporary_.clear();
}

void PendingFile::fail(const std::string& reason) {
  std::error_code ignored;
  std::filesystem::remove(temporary_, ignored);
  throw Error("{}: cannot be written ({}); does its folder exist and may you write there?", path_.string(),
              reason);
}

void write_files(std::span<const NewFile> files, const ReadBack& read_back) {
  std::list<PendingFile> pending;
  for (const NewFile& file : files) pending.emplace_back(file.path, file.content);
  if (read_back) {
    std::vector<std::string> contents;
    for (const PendingFile& file : pending) contents.push_back(read_file(file.temporary()));
    try {
      read_back(contents);
    } catch (const Error& error) {
      throw Error("{}: is not written, since it could not be read back: {}; please report this",
                  files.front().path.string(), error.what());
    }
  }
  for (PendingFile& file : pending) file.put_in_place();
}

void write_file(const std::filesystem::path& path, std::string_view content, const ReadBack& read_back) {
  const NewFile file{path, content};
  write_files({&file, 1}, read_back);
}

void remove_unfinished(const std::filesystem::path& folder,
                       const std::function<bool(std::string_view name)>& is_ours) {
  std::error_code status;
  std::filesystem::directory_iterator entries(folder.empty() ? "." : folder, status);
  std::vector<std::filesystem::path> unfinished;
  for (; !status && entries != std::filesystem::directory_iterator(); entries.increment(status)) {
    const std::string name = entries->path().filename().string();
    const std::string_view finished = finished_name(name);
    if (!finished.empty() && is_ours(finished)) unfinished.push_back(entries->path());
  }
  for (const std::filesystem::path& one : unfinished) std::filesystem::remove(one, status);
}

void sync_folder(const std::filesystem::path& folder) {
  const int opened = ::open(folder.empty() ? "." : folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (opened < 0) return;
  static_cast<void>(::fsync(opened));
  ::close(opened);
}

}  // namespace limber
