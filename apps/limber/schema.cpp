#include "apps/limber/command.hpp"
#include "apps/limber/console.hpp"
#include "limber/base/error.hpp"
#include "limber/io/json_schema.hpp"

#include <nlohmann/json.hpp>

#include <memory>

namespace limber::app {
namespace {

using Json = nlohmann::ordered_json;

struct SchemaCommand {
  bool markdown = false;
  bool commands = false;
};

Json describe(const CLI::Option& option) {
  Json names = Json::array();
  for (const std::string& name : option.get_snames()) names.push_back("-" + name);
  for (const std::string& name : option.get_lnames()) names.push_back("--" + name);
  if (names.empty()) names.push_back(option.get_name());  // told by its place
  return {{"names", std::move(names)},
          {"takes_value", option.get_items_expected_max() > 0},
          {"required", option.get_required()},
          {"description", option.get_description()}};
}

Json describe(const CLI::App& parser) {
  Json options = Json::array();
  for (const CLI::Option* option : parser.get_options()) options.push_back(describe(*option));
  return {{"description", parser.get_description()}, {"options", std::move(options)}};
}

/// All commands with their options.
Json describe_commands(const CLI::App& program) {
  Json json = describe(program);
  json["commands"] = Json::object();
  for (const CLI::App* command : program.get_subcommands({}))
    json["commands"][command->get_name()] = describe(*command);
  return json;
}

void run_schema(const CLI::App& program, const SchemaCommand& options) {
  require(!options.markdown || !options.commands, "--markdown and --commands exclude each other");
  if (options.markdown) {
    print(schema_to_markdown(scene_schema()));
  } else {
    print_json(options.commands ? describe_commands(program) : scene_schema());
  }
}

}  // namespace

Command add_schema(CLI::App& program) {
  CLI::App* parser = program.add_subcommand("schema", "Print the schema of scene files, for editors");
  const auto options = std::make_shared<SchemaCommand>();
  parser->add_flag("--markdown", options->markdown, "Print the reference page instead of JSON Schema");
  parser->add_flag("--commands", options->commands,
                   "Print all commands and their options as JSON instead, for programs that call them");
  parser->footer("Example:\n  limber schema > scene.schema.json\n  limber schema --markdown > scene.md");
  return {parser, [&program, options] { run_schema(program, *options); }};
}

}  // namespace limber::app
