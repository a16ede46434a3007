#include "apps/limber/command.hpp"
#include "apps/limber/console.hpp"
#include "apps/limber/option_uses.hpp"
#include "limber/base/error.hpp"
#include "limber/base/text.hpp"
#include "limber/linalg/blas.hpp"
#include "limber/linalg/sparse_solver.hpp"

#include <algorithm>
#include <array>
#include <new>
#include <string>
#include <string_view>
#include <vector>

namespace limber::app {
namespace {

enum ExitStatus { success = 0, failed_work = 1, bad_input = 2 };

struct Program {
  CLI::App parser{"limber turns a mesh into a deformable body.", "limber"};
  bool version = false;
  bool verbose = false;
  std::vector<Command> commands;
};

void declare(Program& program) {
  CLI::App& parser = program.parser;
  parser.add_flag("--version", program.version, "Print the version");
  parser.add_flag("--verbose", program.verbose, "With --version: also how it was built");
  parser.footer("Example:\n  limber demo -o demo\n\n'limber COMMAND --help' explains a command.");
  parser.require_subcommand(0, 1);  // a second word that names a command is then a file, not a command
  program.commands = {add_mesh(parser),   add_inspect(parser),  add_modes(parser),   add_reduce(parser),
                      add_verify(parser), add_simulate(parser), add_compare(parser), add_view(parser),
                      add_export(parser), add_demo(parser),     add_schema(parser),  add_bench(parser)};
  // CLI11 says only that a word "was not expected". Collected instead, it can be compared with the known
  // ones.
  parser.allow_extras();
  for (const Command& command : program.commands) {
    command.parser->allow_extras();
    command.parser->get_option("--help")->description("Print this help");
  }
  parser.get_option("--help")->description("Print this help");
}

/// What to do about an option that a parser does not know. Its dashes say nothing of which one was meant.
std::string option_help(const CLI::App& parser, const std::string& word) {
  constexpr std::array takes_models{"view", "export", "simulate", "verify"};
  if (std::find(takes_models.begin(), takes_models.end(), parser.get_name()) != takes_models.end() &&
      parser.get_parent()->get_subcommand("reduce")->get_option_no_throw(word) != nullptr)
    return "it is for limber reduce: reduce the body with it, and name the model here";
  std::vector<std::string> names;
  for (const CLI::Option* option : parser.get_options())
    for (const std::string& name : option->get_lnames()) names.push_back(name);
  const std::vector<std::string_view> known(names.begin(), names.end());
  const std::string_view nearest =
      nearest_name(word.substr(std::min(word.size(), word.find_first_not_of('-'))), known);
  if (!nearest.empty()) return fmt::format("did you mean '--{}'?", nearest);
  const std::string command = parser.get_parent() != nullptr ? parser.get_name() + " " : "";
  return fmt::format("see limber {}--help", command);
}

/// Throws for a word that no option or argument of the parser took, naming the nearest it knows.
void refuse_extras(const CLI::App& parser) {
  const std::vector<std::string> extras = parser.remaining();
  if (extras.empty()) return;
  const bool is_option = extras.front().starts_with('-');
  const std::string word = extras.front().substr(0, extras.front().find('='));
  std::vector<std::string> names;
  if (!is_option)
    for (const CLI::App* command : parser.get_subcommands({})) names.push_back(command->get_name());
  const std::vector<std::string_view> known(names.begin(), names.end());
  const std::string_view what = is_option                        ? "option"
                                : parser.get_parent() == nullptr ? "command"
                                                                 : "argument";
  const std::string help = is_option       ? option_help(parser, word)
                           : known.empty() ? fmt::format("see limber {} --help", parser.get_name())
                                           : suggestion(word, known);
  throw Error("{}unknown {} '{}'; {}", parser.get_parent() ? parser.get_name() + ": " : "", what, word, help);
}

/// Throws for an option or an argument that was given as an empty text, which CLI11 takes for 0 or for not
/// given. One whose value may be left out has an empty text then.
void refuse_empty(const CLI::App& parser) {
  for (const CLI::Option* option : parser.get_options()) {
    if (option->get_type_size() > 0 && option->get_expected_min() == 0) continue;
    for (const std::string& value : option->results())
      require(!value.empty(), "{}: {} is empty; give it a value or leave it out", parser.get_name(),
              option->get_name());
  }
}

void refuse_empty(const Program& program) {
  for (const Command& command : program.commands) {
    if (command.parser->parsed()) refuse_empty(*command.parser);
  }
}

void refuse_extras(const Program& program) {
  refuse_extras(program.parser);
  for (const Command& command : program.commands) {
    if (command.parser->parsed()) refuse_extras(*command.parser);
  }
}

std::string version_text(bool verbose) {
  std::string text = "limber " LIMBER_VERSION "\n";
  if (!verbose) return text;
  const BlasReport blas = prepare_blas();
  return text + to_text({{"compiler", LIMBER_COMPILER},
                         {"instructions", LIMBER_CPU},
                         {"Cholesky", std::string(cholesky_backend())},
                         {"BLAS kernels", blas.kernels_used.empty() ? "not OpenBLAS" : blas.kernels_used}});
}

/// What CLI11 says of a value that is no number: "Could not convert: --ground = abc". Of a list it has all.
std::string conversion_text(const CLI::ConversionError& error) {
  const std::string text = error.what();
  constexpr std::string_view start = "Could not convert: ", equals = " = ";
  const std::size_t middle = text.find(equals);
  if (!text.starts_with(start) || middle == std::string::npos) return text;
  const std::string option = text.substr(start.size(), middle - start.size());
  const std::string value = text.substr(middle + equals.size());
  const std::vector<std::string_view> parts = split(value, ',');
  const bool numbers = std::all_of(parts.begin(), parts.end(),
                                   [](std::string_view part) { return parse_number(part).has_value(); });
  return fmt::format("{}: expected {}, found '{}'", option,
                     numbers            ? "an integer within range"
                     : parts.size() > 1 ? "numbers"
                                        : "a number",
                     printable(value));
}

void parse(Program& program, int argc, char** argv) {
  try {
    program.parser.parse(argc, argv);
  } catch (const CLI::RequiredError& error) {
    refuse_extras(program);  // a misspelt word explains better what is missing
    for (const Command& command : program.commands) {
      if (command.parser->parsed()) throw Error("{}: {}", command.parser->get_name(), error.what());
    }
    throw Error("{}", error.what());
  } catch (const CLI::Success&) {
    throw;
  } catch (const CLI::ParseError& error) {
    refuse_empty(program);
    const auto* const conversion = dynamic_cast<const CLI::ConversionError*>(&error);
    const std::string what = conversion != nullptr ? conversion_text(*conversion) : error.what();
    for (const Command& command : program.commands) {
      if (command.parser->parsed()) throw Error("{}; see limber {} --help", what, command.parser->get_name());
    }
    throw Error("{}; see limber --help", what);
  }
  refuse_extras(program);
  refuse_empty(program);
}

int run_program(int argc, char** argv) {
  Program program;
  declare(program);
  try {
    parse(program, argc, argv);
    check_options("limber", stated_options(program.parser),
                  {{"--verbose", program.version, "anything but --version"}});
    if (program.version) {
      print(version_text(program.verbose));
      return success;
    }
    for (const Command& command : program.commands) {
      if (command.parser->parsed()) {
        command.run();
        return success;
      }
    }
    throw Error("no command given; see limber --help");
  } catch (const CLI::Success&) {  // --help, of the program or of a command
    print(program.parser.help());
    return success;
  }
}

/// Runs the program and turns whatever is thrown into one line and an exit status.
int guarded(int argc, char** argv) {
  try {
    return run_program(argc, argv);
  } catch (const Failure& failure) {
    print_error(failure.what());
    return failed_work;
  } catch (const Error& error) {
    print_error(error.what());
    return bad_input;
  } catch (const std::bad_alloc&) {
    print_error("out of memory: this needs more than the machine has; use a coarser mesh");
    return bad_input;
  } catch (const std::exception& error) {
    print_error(error.what());
    return failed_work;
  }
}

}  // namespace
}  // namespace limber::app

int main(int argc, char** argv) {
  limber::app::prepare_streams();
  return limber::app::guarded(argc, argv);
}
