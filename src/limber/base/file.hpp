#pragma once

#include <filesystem>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace limber {

/// The whole content of a file. Throws Error when it is missing, a folder, unreadable or larger than
/// `max_bytes`.
std::string read_file(const std::filesystem::path& path, std::uintmax_t max_bytes = std::uintmax_t{8} << 30);

/// Files that something was read from: nothing may be written over them. Readers of several files take one to
/// add them to.
using FileList = std::vector<std::filesystem::path>;

/// Adds a file to a list that may be missing.
inline void note_file(FileList* list, const std::filesystem::path& path) {
  if (list != nullptr) list->push_back(path);
}

/// A file that lies beside its target, NAME.PID.part, until it is put in its place; else it goes when this
/// does.
class PendingFile final {
 public:
  /// Writes the content and waits until the disk has it. Throws Error, naming the path, when that fails or
  /// the target is no ordinary file.
  PendingFile(std::filesystem::path path, std::string_view content);
  ~PendingFile();
  PendingFile(const PendingFile&) = delete;
  PendingFile& operator=(const PendingFile&) = delete;

  [[nodiscard]] const std::filesystem::path& temporary() const { return temporary_; }  ///< where it lies
  /// Renames it to its target, once. Throws Error when that fails.
  void put_in_place();

 private:
  [[noreturn]] void fail(const std::string& reason);

  std::filesystem::path path_, target_, temporary_;
};

/// Looks at what was written, file after file as it came back from the disk. Throws Error where it is not
/// good.
using ReadBack = std::function<void(std::span<const std::string> contents)>;

struct NewFile {
  std::filesystem::path path;
  std::string_view content;
};

/// Writes files that belong together beside their targets, waits until the disk has them, has `read_back`
/// look at them, and only then renames them into place: neither a crash nor a power failure nor bad content
/// leaves half a file, and where one of them fails none is replaced (but for the moment between two names). A
/// process that is killed while it writes leaves NAME.PID.part. Throws Error, naming the path, when that
/// fails or a target is no ordinary file; the old files, if any, are then untouched.
void write_files(std::span<const NewFile> files, const ReadBack& read_back = {});

/// The same for one file.
void write_file(const std::filesystem::path& path, std::string_view content, const ReadBack& read_back = {});

/// Removes what write_file left in a folder where it was killed: NAME.PID.part of any process, for the names
/// that is_ours(NAME) says. Failures are passed over.
void remove_unfinished(const std::filesystem::path& folder,
                       const std::function<bool(std::string_view name)>& is_ours);

/// Waits until the disk has the names in a folder, e.g. those of files written before. Failures are passed
/// over: not every file system can do it.
void sync_folder(const std::filesystem::path& folder);

}  // namespace limber
