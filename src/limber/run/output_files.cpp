#include "limber/run/output_files.hpp"

#include "limber/base/error.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <string>
#include <system_error>
#include <unistd.h>
#include <utility>

namespace limber {
namespace {

namespace fs = std::filesystem;

/// A new file in a folder; less than 0 where it takes none. It has no name, so that whoever is killed leaves
/// nothing; on file systems that know no such files it has one for a moment.
int make_probe(const fs::path& folder) {
#ifdef O_TMPFILE
  const int unnamed = ::open(folder.c_str(), O_TMPFILE | O_WRONLY | O_CLOEXEC, 0600);
  if (unnamed >= 0 || (errno != EOPNOTSUPP && errno != EISDIR && errno != EINVAL)) return unnamed;
#endif
  std::string probe = (folder / ".limber-XXXXXX").string();
  const int named = ::mkstemp(probe.data());
  if (named >= 0) ::unlink(probe.c_str());
  return named;
}

/// Tries to make a file: permissions alone say too little (read-only file systems, the administrator,
/// quotas).
void check_takes_files(const fs::path& folder, const fs::path& wanted) {
  const int file = make_probe(folder);
  require(file >= 0, "{}: cannot be written, its folder takes no new files ({})", wanted.string(),
          std::strerror(errno));
  ::close(file);
}

/// Throws Error unless a file can be written there: its folder exists and takes new files, and it is no
/// folder itself.
void check_file(const fs::path& path) {
  std::error_code status;
  require(path.has_filename(), "'{}' names no file to write", path.string());
  require(!fs::is_directory(path, status), "{}: is a folder, expected a file to write", path.string());
  const fs::path folder = path.has_parent_path() ? path.parent_path() : fs::path(".");
  require(fs::is_directory(folder, status),
          "{}: cannot be written, the folder {} does not exist; make it first", path.string(),
          folder.string());
  check_takes_files(folder, path);
}

/// Throws Error unless the folder takes new files or, where there is none yet, it can be made, its parents
/// included.
void check_folder(const fs::path& path) {
  std::error_code status;
  fs::path existing = fs::absolute(path).lexically_normal();
  while (existing.has_relative_path() && !fs::exists(existing, status)) existing = existing.parent_path();
  require(fs::is_directory(existing, status), "{}: cannot be a folder for output, {} is a file",
          path.string(), existing.string());
  check_takes_files(existing, path);
}

/// Whether two names stand for one file, or will.
bool same_file(const fs::path& a, const fs::path& b) {
  std::error_code status;
  if (fs::exists(a, status) && fs::exists(b, status)) return fs::equivalent(a, b, status);
  const fs::path whole_a = fs::weakly_canonical(fs::absolute(a), status);
  return !status && whole_a == fs::weakly_canonical(fs::absolute(b), status) && !status;
}

/// Whether the file will be in a folder that is yet to be made.
bool in_coming_folder(const OutputPlan& plan, const fs::path& file) {
  std::error_code status;
  // By a file in it: "out" and "out/" are one folder.
  return !plan.coming.empty() && !fs::exists(plan.coming, status) &&
         (file.parent_path() / "file").lexically_normal() == (plan.coming / "file").lexically_normal();
}

void check_is_no_input(const fs::path& output, const FileList& inputs) {
  std::error_code missing;
  if (!fs::exists(output, missing)) return;
  for (const fs::path& input : inputs) {
    require(!fs::exists(input, missing) || !fs::equivalent(output, input, missing),
            "the output {} would overwrite the input {}; choose another name", output.string(),
            input.string());
  }
}

}  // namespace

void OutputPlan::add(OutputFile file) {
  if (!file.path.empty()) files.push_back(std::move(file));
}

void OutputPlan::add(OutputFolder folder) {
  if (!folder.path.empty()) folders.push_back(std::move(folder));
}

void check_outputs(const OutputPlan& plan) {
  for (const OutputFile& file : plan.files) {
    require(file.extension.empty() || file.path.extension() == file.extension,
            "{}: {} is written as {}; give a name that ends so", file.path.string(), file.what,
            file.extension);
  }
  for (auto file = plan.files.begin(); file != plan.files.end(); ++file) {
    const bool alone = std::none_of(plan.files.begin(), file, [&](const OutputFile& earlier) {
      return same_file(earlier.path, file->path);
    });
    require(alone, "two outputs go to {}; choose different names", file->path.string());
  }
  if (!plan.coming.empty()) check_folder(plan.coming);
  for (const OutputFile& file : plan.files) {
    if (file.needed && !in_coming_folder(plan, file.path)) check_file(file.path);
  }
  for (const OutputFolder& folder : plan.folders) check_folder(folder.path);
}

void check_spares(const OutputPlan& plan, const FileList& inputs) {
  for (const OutputFile& file : plan.files) check_is_no_input(file.path, inputs);
  for (const OutputFolder& folder : plan.folders) {
    std::error_code status;
    fs::directory_iterator entries(folder.path, status);
    for (; !status && entries != fs::directory_iterator(); entries.increment(status)) {
      if (folder.is_ours(entries->path().filename().string())) check_is_no_input(entries->path(), inputs);
    }
  }
}

void NewFolders::make(const fs::path& path) {
  std::error_code status;
  std::vector<fs::path> missing;
  for (fs::path one = fs::absolute(path).lexically_normal(); !fs::exists(one, status);
       one = one.parent_path())
    missing.push_back(one);
  fs::create_directories(path, status);
  made_.insert(made_.end(), missing.rbegin(), missing.rend());
  if (fs::is_directory(path)) return;
  remove_empty();
  throw Error("{}: the folder cannot be made ({})", path.string(), status.message());
}

void NewFolders::remove_empty() {
  std::error_code ignored;  // those that hold something stay
  for (; !made_.empty(); made_.pop_back()) fs::remove(made_.back(), ignored);
}

}  // namespace limber
