#pragma once

#include <CLI/CLI.hpp>

#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace limber::app {

// An option that would change nothing is refused: what a command has a use for is a table, and the sentence
// stands in one place.

/// Whether an option has a use in a run.
struct OptionUse {
  std::string_view option;  ///< as "--load-separation"
  bool used;
  std::string_view whose;    ///< has no use for it, where that is so: "a basis without --sketch"
  std::string_view used_by;  ///< what has, where that is not plain
};

/// The options of a command that were given, by their longest names.
std::set<std::string> stated_options(const CLI::App& parser);

/// Throws Error for the first of these that was given although it has no use.  command: names it in the
/// message.
void check_options(std::string_view command, const std::set<std::string>& stated,
                   const std::vector<OptionUse>& uses);

}  // namespace limber::app
