#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace limber {

/// The whole content of a file. Throws Error when it is missing, a folder, unreadable or larger than
/// `max_bytes`.
std::string read_file(const std::filesystem::path& path, std::uintmax_t max_bytes = std::uintmax_t{8} << 30);

/// Writes the content beside the target and renames it into place, so that a crash never leaves half a file.
/// Throws Error, naming the path, when that fails or the target is no ordinary file; the old file, if any, is then
/// untouched.
void write_file(const std::filesystem::path& path, std::string_view content);

}  // namespace limber
