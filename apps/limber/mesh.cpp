#include "apps/limber/body_options.hpp"
#include "apps/limber/command.hpp"
#include "apps/limber/console.hpp"
#include "apps/limber/describe.hpp"
#include "apps/limber/meshing_options.hpp"
#include "apps/limber/option_uses.hpp"
#include "apps/limber/picture.hpp"
#include "apps/limber/progress_bar.hpp"
#include "limber/base/error.hpp"
#include "limber/base/timer.hpp"
#include "limber/base/words.hpp"
#include "limber/bodies/builtin.hpp"
#include "limber/io/mesh_file.hpp"
#include "limber/io/png.hpp"
#include "limber/io/surface_file.hpp"
#include "limber/mesh/mesher.hpp"
#include "limber/run/output_files.hpp"

#include <nlohmann/json.hpp>

#include <filesystem>
#include <memory>
#include <set>
#include <string>
#include <vector>

namespace limber::app {
namespace {

struct MeshCommand {
  std::vector<std::string> surfaces;
  std::string output;
  MeshingOptions meshing;
  BodyOptions axes;  ///< --up and --unit alone
  std::string picture;
  int threads = 0;
  bool json = false;
};

void check_uses(const MeshCommand& options, const std::set<std::string>& stated) {
  std::vector<OptionUse> uses;
  add_meshing_uses(uses, options.meshing, !is_builtin(options.surfaces.front()),
                   "a built-in body, which has its mesh already,");
  uses.push_back({"--unit", !is_builtin(options.surfaces.front()), "a built-in body, which is in metres,"});
  uses.push_back({"--up", !is_builtin(options.surfaces.front()), "a built-in body, whose up is z,"});
  uses.push_back({"--up", !options.picture.empty(), "the file of a mesh, which cannot say which way is up,",
                  "--picture, and by what reads the file, as limber reduce"});
  check_options("mesh", stated, uses);
}

OutputPlan output_plan(const MeshCommand& options) {
  check_mesh_extension(options.output);
  OutputPlan outputs;
  for (const std::filesystem::path& file : files_of_mesh(options.output)) outputs.add(OutputFile{file});
  outputs.add(OutputFile{options.picture, ".png", "the picture"});
  return outputs;
}

std::vector<RegionSurface> read_surfaces(const MeshCommand& options, FileList& read_from) {
  std::vector<RegionSurface> surfaces;
  for (const std::string& file : options.surfaces) {
    surfaces.push_back(
        {read_render(options.axes, file, read_from), std::filesystem::path(file).stem().string()});
  }
  return surfaces;
}

void write_outputs(const MeshCommand& options, const VolumeMesh& mesh) {
  write_results([&] {
    write_mesh(options.output, mesh);
    if (!options.picture.empty())
      write_png(options.picture, draw_mesh(mesh, up_of(options.axes), Executor(options.threads)));
  });
}

/// A built-in body needs no meshing: it is written as it is.
void export_builtin(const MeshCommand& options) {
  require(options.surfaces.size() == 1, "{}: a built-in body is exported alone", options.surfaces.front());
  const VolumeMesh mesh = make_builtin(options.surfaces.front(), Executor(options.threads)).mesh;
  write_outputs(options, mesh);
  const nlohmann::ordered_json found = describe_mesh(mesh);
  if (options.json) {
    print_json(found);
  } else {
    print(fmt::format("{}\n{}", options.output, mesh_text(found)));
  }
}

/// Files of meshes do not hold which way is up, and without a word it would be z.
void tell_up(const MeshCommand& options) {
  const UpAxis up = up_of(options.axes);
  if (up == UpAxis::z) return;
  const std::string_view word = word_of(up, up_axis_words);
  print_note(fmt::format("{} is up in {}, which {} does not hold: give --up {} to what reads it", word,
                         options.axes.mesh, options.output, word));
}

void run_mesh(const MeshCommand& options, const std::set<std::string>& stated) {
  check_uses(options, stated);
  const OutputPlan outputs = output_plan(options);
  check_outputs(outputs);
  if (is_builtin(options.surfaces.front())) return export_builtin(options);
  MesherOptions mesher = mesher_options(options.meshing, options.threads);
  FileList inputs;
  const std::vector<RegionSurface> surfaces = read_surfaces(options, inputs);
  check_spares(outputs, inputs);
  const Timer timer;
  MeshedSurfaces result;
  {
    ProgressBar bar;
    mesher.progress = bar.callback();
    result = mesh_surfaces(surfaces, mesher);
  }
  const double seconds = timer.seconds();
  write_outputs(options, result.mesh);

  nlohmann::ordered_json found = describe_mesh(result.mesh);
  found["meshing"] = describe_meshing(result.report);
  found["seconds"] = seconds;
  for (const std::string& warning : result.report.warnings) print_warning(warning);
  tell_up(options);
  if (options.json) {
    print_json(found);
  } else {
    print(fmt::format("{}\n{}{}{}", options.output, mesh_text(found), meshing_text(found["meshing"]),
                      to_text({{"seconds", fmt::format("{:.2f}", seconds)}})));
  }
}

}  // namespace

Command add_mesh(CLI::App& program) {
  CLI::App* parser =
      program.add_subcommand("mesh", "Fill a surface, closed or broken, with tetrahedra or voxels");
  const auto options = std::make_shared<MeshCommand>();
  parser
      ->add_option("SURFACE", options->surfaces,
                   "Triangle meshes (" + surface_format_names() +
                       "). Several are meshed together; each is a region, later ones inside of earlier ones")
      ->required()
      ->type_name("");
  parser->add_option("-o,--output", options->output, "Volume mesh to write (" + volume_format_names() + ")")
      ->required()
      ->type_name("MESH");
  add_axes_options(*parser, options->axes);
  add_meshing_options(*parser, options->meshing);
  parser->add_option("--picture", options->picture, "Draw the mesh and a cut through it")
      ->type_name("FILE.png");
  add_threads(*parser, options->threads)->capture_default_str();
  parser->add_flag("--json", options->json, "Print JSON");
  parser->footer(
      "Example:\n  limber mesh bunny.obj -o bunny.msh --target-elements 50000 --picture bunny.png");
  return {parser, [parser, options] {
            options->axes.mesh = options->surfaces.front();
            run_mesh(*options, stated_options(*parser));
          }};
}

}  // namespace limber::app
