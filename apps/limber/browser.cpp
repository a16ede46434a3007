#include "apps/limber/browser.hpp"

#include <array>
#include <csignal>
#include <cstdlib>
#include <fcntl.h>
#include <spawn.h>
#include <string_view>
#include <unistd.h>

namespace limber::app {
namespace {

/// The value of an environment variable; "" where it is not set.
std::string_view environment(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? std::string_view() : std::string_view(value);
}

/// Starts a program, found in PATH, in a session of its own and without our streams and signal settings.
bool start(const std::string& program, const std::string& argument) {
  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    posix_spawn_file_actions_addopen(&files, stream, "/dev/null", O_RDWR, 0);
  }
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  sigset_t ignored;
  sigemptyset(&ignored);
  sigaddset(&ignored, SIGPIPE);  // by prepare_streams
  posix_spawnattr_setsigdefault(&attributes, &ignored);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSID | POSIX_SPAWN_SETSIGDEF);
  std::string name = program, word = argument;
  const std::array<char*, 3> arguments{name.data(), word.data(), nullptr};
  pid_t process = 0;
  const int error = ::posix_spawnp(&process, name.c_str(), &files, &attributes, arguments.data(), ::environ);
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&files);
  return error == 0;
}

}  // namespace

bool open_in_browser(const std::string& url) {
  if (environment("DISPLAY").empty() && environment("WAYLAND_DISPLAY").empty()) return false;
  // A plain program is taken as it is; xdg-open understands lists and arguments in $BROWSER.
  const std::string_view chosen = environment("BROWSER");
  const bool is_plain = !chosen.empty() && chosen.find_first_of(": %\t") == std::string_view::npos;
  return (is_plain && start(std::string(chosen), url)) || start("xdg-open", url);
}

}  // namespace limber::app
