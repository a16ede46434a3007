#pragma once

#include "limber/base/file.hpp"

#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace limber {

// Where results go is checked before the work begins: an hour of computing must not end in "no such folder",
// and no file may be written over one that was read.

/// A file that a command will write.
struct OutputFile {
  std::filesystem::path path;
  std::string extension;  ///< that its name must have, as ".png"; empty: any
  std::string what;       ///< it is, as "the picture"; for a message about the extension
  bool needed = true;     ///< false: the command goes on where it cannot be written
};

/// A folder that a command will write several files into.
struct OutputFolder {
  std::filesystem::path path;
  std::function<bool(std::string_view name)> is_ours;  ///< whether a name is one that will be written
};

/// All that a command will write.
struct OutputPlan {
  std::vector<OutputFile> files;
  std::vector<OutputFolder> folders;
  std::filesystem::path
      coming;  ///< folder that is made, where it is missing, before anything is written; empty: none

  /// Adds a file unless its path is empty.
  void add(OutputFile file);
  void add(OutputFolder folder);
};

/// Throws Error unless all of it can be written: names end as they must, no two files are the same, folders
/// exist, or can be made where that is said, and take new files. Makes nothing.
void check_outputs(const OutputPlan& plan);

/// Throws Error where something would be written over a file that was read, by whatever name: another
/// spelling of its path, a symbolic link or a hard link. Names of built-in bodies are passed over.
void check_spares(const OutputPlan& plan, const FileList& inputs);

/// Folders that a command made. What fails leaves none of them behind.
class NewFolders {
 public:
  /// Makes a folder and its parents where they are missing. Throws Error when that fails.
  void make(const std::filesystem::path& path);
  /// Removes those of them in which nothing is left.
  void remove_empty();

 private:
  std::vector<std::filesystem::path> made_;  ///< outer ones first
};

}  // namespace limber
