#include "apps/limber/command.hpp"
#include "apps/limber/console.hpp"
#include "apps/limber/describe.hpp"
#include "apps/limber/shown_bodies.hpp"
#include "apps/limber/viewer_page.hpp"
#include "limber/base/file.hpp"
#include "limber/io/model_file.hpp"
#include "limber/run/output_files.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

namespace limber::app {
namespace {

/// Browsers keep a page as one text, and the longest that Chromium takes is 512 MiB.
constexpr std::size_t max_page_bytes = 500'000'000;

struct ExportCommand {
  ShowCommand show{.command = "export"};
  std::string output;
  std::string title;
  bool small = false;
  bool json = false;
};

/// The bytes of a model that go into the page. small: without its simulation mesh.
std::string model_content(const std::string& path, std::string content, bool small) {
  Model model = parse_model(content, path);
  const bool kept = std::any_of(model.parts.begin(), model.parts.end(),
                                [](const ReducedPart& part) { return part.model.simulation.has_value(); });
  if (!small || !kept) return content;
  for (ReducedPart& part : model.parts) part.model.simulation.reset();
  for (Domain& domain : model.domains) domain.vertices.clear();
  return encode_model(model, path);
}

void check_size(const ExportCommand& options, std::size_t bytes) {
  require(bytes <= max_page_bytes, "{}: its page would have {}, browsers open at most about {}; {}",
          fmt::join(options.show.names, ", "), bytes_text(static_cast<double>(bytes)),
          bytes_text(max_page_bytes),
          options.small ? "reduce with a coarser surface or a smaller rank"
                        : "--small leaves the simulation mesh out");
}

/// Names of the files, without their endings.
std::string default_title(const PageModels& models) {
  std::string names;
  for (const PageModel& file : models.files)
    names += (names.empty() ? "" : ", ") + std::filesystem::path(file.name).stem().string();
  return names + " - limber";
}

void run_export(const ExportCommand& options) {
  OutputPlan outputs;
  outputs.add(OutputFile{options.output, ".html", "the page"});
  check_outputs(outputs);
  FileList inputs;
  std::size_t original = 0, kept = 0;  // bytes of the models and of what the page holds of them
  const auto content = [&](const std::string& path, std::string bytes) {
    original += bytes.size();
    std::string result = model_content(path, std::move(bytes), options.small);
    kept += result.size();
    return result;
  };
  const PageModels models = read_shown_bodies(options.show, content, inputs);
  check_spares(outputs, inputs);
  const std::string_view page = viewer_page();
  check_size(options, size_with_models(page, models));
  const std::string html =
      page_with_models(page, models, options.title.empty() ? default_title(models) : options.title);
  const std::size_t saved = original > kept ? original - kept : 0;
  std::size_t written = 0;
  for (const PageModel& file : models.files) written += file.content.size();
  write_results([&] { write_file(options.output, html); });
  if (options.json) {
    return print_json({{"output", options.output},
                       {"file_bytes", html.size()},
                       {"model_bytes", written},
                       {"saved_bytes", saved}});
  }
  if (options.small) {
    print(saved == 0 ? "there is no simulation mesh to leave out\n"
                     : fmt::format("left the simulation mesh out: {} fewer\n",
                                   bytes_text(static_cast<double>(saved))));
  }
  print(fmt::format("wrote {} ({})\n", options.output, bytes_text(static_cast<double>(html.size()))));
}

}  // namespace

Command add_export(CLI::App& program) {
  CLI::App* parser = program.add_subcommand(
      "export", "Write bodies, and the viewer, as one HTML file: models, surfaces, meshes; or a clip");
  const auto options = std::make_shared<ExportCommand>();
  add_show_options(*parser, options->show)->required();
  parser->add_option("-o,--output", options->output, "The page; it opens from disk, without a network")
      ->required()
      ->type_name("FILE.html");
  parser->add_option("--title", options->title, "Title of the page [names of the models - limber]")
      ->type_name("TEXT");
  parser->add_flag("--small", options->small,
                   "Leave simulation meshes out: bodies move the same, their meshes cannot be shown");
  parser->add_flag("--json", options->json, "Print what was written as JSON");
  parser->footer(
      "Example:\n  limber export bunny.obj -o bunny.html\n  limber export spoon.glb -o spoon.html\n  limber "
      "export spoon.glb -o spoon.html --small\n"
      "  limber export spoon.glb oak.glb -o both.html\n  limber export motion.glb -o motion.html");
  return {parser, [parser, options] {
            options->show.reduce.stated = stated_options(*parser);
            run_export(*options);
          }};
}

}  // namespace limber::app
