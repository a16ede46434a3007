#include "apps/limber/command.hpp"
#include "apps/limber/console.hpp"
#include "apps/limber/describe.hpp"
#include "apps/limber/viewer_page.hpp"
#include "limber/base/file.hpp"
#include "limber/io/model_file.hpp"
#include "limber/run/output_files.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <string>

namespace limber::app {
namespace {

/// Browsers keep a page as one text, and the longest that Chromium takes is 512 MiB.
constexpr std::size_t max_page_bytes = 500'000'000;

struct ExportCommand {
  std::string model;
  std::string output;
  std::string title;
  bool small = false;
  bool json = false;
};

/// The bytes of the model that go into the page.
std::string model_content(const ExportCommand& options) {
  std::string content = read_file(options.model);
  Model model = parse_model(content, options.model);
  const bool kept = std::any_of(model.parts.begin(), model.parts.end(),
                                [](const ReducedPart& part) { return part.model.simulation.has_value(); });
  if (!options.small || !kept) return content;
  for (ReducedPart& part : model.parts) part.model.simulation.reset();
  for (Domain& domain : model.domains) domain.vertices.clear();
  return encode_model(model, options.model);
}

void check_size(const ExportCommand& options, std::size_t bytes) {
  require(bytes <= max_page_bytes, "{}: its page would have {}, browsers open at most about {}; {}",
          options.model, bytes_text(static_cast<double>(bytes)), bytes_text(max_page_bytes),
          options.small ? "reduce with a coarser surface or a smaller rank"
                        : "--small leaves the simulation mesh out");
}

void run_export(const ExportCommand& options) {
  OutputPlan outputs;
  outputs.add(OutputFile{options.output, ".html", "the page"});
  check_outputs(outputs);
  check_spares(outputs, {options.model});
  const std::string content = model_content(options);
  const std::string_view page = viewer_page();
  check_size(options, size_with_model(page, content.size()));
  const std::string name = display_name(options.model);
  const std::string stem = std::filesystem::path(name).stem().string();
  const std::string title = options.title.empty() ? fmt::format("{} - limber", stem) : options.title;
  const std::string html = page_with_model(page, content, name, title);
  const auto original = std::filesystem::file_size(options.model);
  const std::size_t saved = original > content.size() ? original - content.size() : 0;
  write_results([&] { write_file(options.output, html); });
  if (options.json) {
    return print_json({{"output", options.output},
                       {"file_bytes", html.size()},
                       {"model_bytes", content.size()},
                       {"saved_bytes", saved}});
  }
  if (options.small) {
    print(saved == 0 ? "the model has no simulation mesh to leave out\n"
                     : fmt::format("left the simulation mesh out: {} fewer in the model\n",
                                   bytes_text(static_cast<double>(saved))));
  }
  print(fmt::format("wrote {} ({})\n", options.output, bytes_text(static_cast<double>(html.size()))));
}

}  // namespace

Command add_export(CLI::App& program) {
  CLI::App* parser =
      program.add_subcommand("export", "Write a reduced model, and the viewer, as one HTML file");
  const auto options = std::make_shared<ExportCommand>();
  parser->add_option("MODEL", options->model, "Reduced model (.glb)")->required()->type_name("");
  parser->add_option("-o,--output", options->output, "The page; it opens from disk, without a network")
      ->required()
      ->type_name("FILE.html");
  parser->add_option("--title", options->title, "Title of the page [name of the model - limber]")
      ->type_name("TEXT");
  parser->add_flag("--small", options->small,
                   "Leave the simulation mesh out: the body moves the same, its mesh cannot be shown");
  parser->add_flag("--json", options->json, "Print what was written as JSON");
  parser->footer(
      "Example:\n  limber export spoon.glb -o spoon.html\n  limber export spoon.glb -o spoon.html --small");
  return {parser, [options] { run_export(*options); }};
}

}  // namespace limber::app
