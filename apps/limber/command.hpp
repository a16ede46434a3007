#pragma once

#include "limber/base/error.hpp"
#include "limber/base/text.hpp"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <functional>
#include <optional>
#include <stdexcept>
#include <string>

namespace limber::app {

/// One command of the program: its options are declared on a parser, its work runs once they are read.
struct Command {
  CLI::App* parser = nullptr;
  std::function<void()> run;
};

Command add_inspect(CLI::App& program);
Command add_mesh(CLI::App& program);
Command add_modes(CLI::App& program);
Command add_reduce(CLI::App& program);
Command add_verify(CLI::App& program);
Command add_compare(CLI::App& program);
Command add_simulate(CLI::App& program);
Command add_view(CLI::App& program);
Command add_export(CLI::App& program);
Command add_demo(CLI::App& program);
Command add_schema(CLI::App& program);
Command add_bench(CLI::App& program);

/// The work itself failed although the input was good: exit status 1. Bad input is a limber::Error: status 2.
class Failure : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Runs what writes results. An error there is a failure of the work: whether the input was bad is known by
/// then.
template <class Action>
void write_results(const Action& action) {
  try {
    action();
  } catch (const Error& error) {
    throw Failure(error.what());
  }
}

/// The same, and where it fails none of the folders that were made for it is left empty.  folders: NewFolders
/// (output_files.hpp).
template <class Folders, class Action>
void write_results(Folders& folders, const Action& action) {
  try {
    write_results(action);
  } catch (const Failure&) {
    folders.remove_empty();
    throw;
  }
}

/// Most threads that an option accepts; the scene schema has the same limit.
inline constexpr int max_threads = 1024;

/// Checks that an option is a number from `least` to `most`. CLI::Range lets pass what is not a number at
/// all.
inline CLI::Validator number_range(double least, double most) {
  const auto check = [least, most](const std::string& text) {
    const std::optional<double> value = parse_number(text);
    const bool inside = value && *value >= least && *value <= most;
    return inside ? "" : fmt::format("Value {} not in range {} to {}", text, least, most);
  };
  return CLI::Validator(check, "");
}

/// The check of --threads, silent in the help.
inline CLI::Validator threads_range() { return CLI::Range(0, max_threads).description(""); }

/// Declares --threads.
inline CLI::Option* add_threads(CLI::App& parser, int& threads) {
  return parser.add_option("--threads", threads, "Number of threads; 0 takes one per core")
      ->check(threads_range())
      ->type_name("N");
}

}  // namespace limber::app
