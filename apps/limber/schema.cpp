#include "apps/limber/command.hpp"
#include "apps/limber/console.hpp"
#include "limber/io/json_schema.hpp"

#include <nlohmann/json.hpp>

#include <memory>

namespace limber::app {

Command add_schema(CLI::App& program) {
  CLI::App* parser = program.add_subcommand("schema", "Print the schema of scene files");
  const auto markdown = std::make_shared<bool>(false);
  parser->add_flag("--markdown", *markdown, "Print the reference page instead of JSON Schema");
  parser->footer("Example:\n  limber schema > scene.schema.json\n  limber schema --markdown > scene.md");
  return {parser, [markdown] {
            if (*markdown) {
              print(schema_to_markdown(scene_schema()));
            } else {
              print_json(scene_schema());
            }
          }};
}

}  // namespace limber::app
