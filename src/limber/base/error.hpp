#pragma once

#include <fmt/format.h>

#include <stdexcept>
#include <string>
#include <utility>

namespace limber {

/// Bad input or a request that cannot be met. The text is one line that says what was wrong, what was
/// expected, what was found and what to do; the command line prints it and exits with status 2. A numerical
/// outcome (no convergence, an indefinite matrix) is never an Error: it is a report that is returned.
class Error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;

  template <class... Args>
  explicit Error(fmt::format_string<Args...> text, Args&&... args)
      : std::runtime_error(fmt::format(text, std::forward<Args>(args)...)) {}
};

/// Throws Error with the formatted text unless `condition` holds. Stays on in every build.
template <class... Args>
void require(bool condition, fmt::format_string<Args...> text, Args&&... args) {
  if (!condition) throw Error(text, std::forward<Args>(args)...);
}

}  // namespace limber
