#pragma once

#include <filesystem>
#include <string_view>
#include <vector>

namespace limber::app {

// Where results go is checked before the work begins: an hour of computing must not end in "no such folder".

/// Throws Error unless a file can be written there: its folder exists and takes new files, and it is no
/// folder itself.
void check_output_file(const std::filesystem::path& path);

/// Throws Error unless the folder takes new files or, where there is none yet, it can be made, its parents
/// included. Makes nothing.
void check_output_folder(const std::filesystem::path& path);

/// Throws Error unless the name ends in the extension given, e.g. ".png". what: e.g. "the picture".
void check_extension(const std::filesystem::path& path, std::string_view extension, std::string_view what);

/// Throws Error when an output would replace one of the inputs. Empty names and built-in bodies are passed over.
void check_spares(const std::filesystem::path& output, const std::vector<std::filesystem::path>& inputs);

/// Makes a folder and its parents where they are missing. Throws Error when that fails.
void make_folder(const std::filesystem::path& path);

}  // namespace limber::app
