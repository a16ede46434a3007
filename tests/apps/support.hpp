#pragma once

#include "limber/base/file.hpp"
#include "limber/mesh/beam.hpp"
#include "tests/support/files.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <set>
#include <string>
#include <string_view>
#include <sys/wait.h>

namespace limber::test {

/// What a run of the command left behind.
struct CommandResult {
  int status = -1;  ///< exit status; -1 where a signal ended it
  std::string out;
  std::string err;
};

/// Runs a line of shell in a folder, where `limber` is the command under test. Its output goes to files
/// outside of that folder.
inline CommandResult run_shell(const std::filesystem::path& folder, std::string_view line) {
  const std::string out = folder.string() + ".out", err = folder.string() + ".err";
  const std::string command =
      fmt::format("cd '{}' && limber() {{ '{}' \"$@\"; }} && {{ {}; }} > '{}' 2> '{}'", folder.string(),
                  LIMBER_COMMAND, line, out, err);
  const int status = std::system(command.c_str());
  CommandResult result{WIFEXITED(status) ? WEXITSTATUS(status) : -1, read_file(out), read_file(err)};
  std::filesystem::remove(out);
  std::filesystem::remove(err);
  return result;
}

inline CommandResult run_limber(const std::filesystem::path& folder, std::string_view arguments) {
  return run_shell(folder, fmt::format("limber {}", arguments));
}

/// Names of all files and folders below a folder, relative to it.
inline std::set<std::string> files_in(const std::filesystem::path& folder) {
  std::set<std::string> names;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
    names.insert(entry.path().lexically_relative(folder).generic_string());
  }
  return names;
}

inline std::ptrdiff_t line_count(std::string_view text) { return std::count(text.begin(), text.end(), '\n'); }

/// Status 2, one line on standard error that says what is wrong, nothing on standard output, no new file.
inline void expect_refused(const ScratchFolder& folder, const std::string& arguments,
                           const std::string& message) {
  const auto before = files_in(folder.path());
  const auto result = run_limber(folder.path(), arguments);
  EXPECT_EQ(result.status, 2) << result.err;
  EXPECT_EQ(result.out, "");
  EXPECT_TRUE(result.err.starts_with("limber: error: ")) << result.err;
  EXPECT_EQ(line_count(result.err), 1) << result.err;
  EXPECT_TRUE(contains(result.err, message)) << result.err;
  EXPECT_EQ(files_in(folder.path()), before);
}

/// A beam that solves in a blink: 3 x 1 x 1 cells.
inline VolumeMesh tiny_beam() { return make_beam({.size = {1.0, 0.2, 0.2}, .cells = {3, 1, 1}}); }
inline constexpr std::string_view tiny_beam_name = "builtin:beam?size=1,0.2,0.2&cells=3,1,1";

}  // namespace limber::test
