#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <string_view>

namespace limber {

/// The whole content of a file. Throws Error when it is missing, a folder, unreadable or larger than
/// `max_bytes`.
std::string read_file(const std::filesystem::path& path, std::uintmax_t max_bytes = std::uintmax_t{8} << 30);

/// Writes the content beside the target, waits until the disk has it and renames it into place, so that neither a crash nor a power
/// failure leaves half a file. A process that is killed while it writes leaves NAME.PID.part.
/// Throws Error, naming the path, when that fails or the target is no ordinary file; the old file, if any, is then
/// untouched.
void write_file(const std::filesystem::path& path, std::string_view content);

/// Removes what write_file left in a folder where it was killed: NAME.PID.part of any process, for the names that is_ours(NAME)
/// says. Failures are passed over.
void remove_unfinished(const std::filesystem::path& folder,
                       const std::function<bool(std::string_view name)>& is_ours);

/// Waits until the disk has the names in a folder, e.g. those of files written before. Failures are passed over: not every file
/// system can do it.
void sync_folder(const std::filesystem::path& folder);

}  // namespace limber
