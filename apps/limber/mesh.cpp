#include "apps/limber/command.hpp"
#include "apps/limber/console.hpp"
#include "apps/limber/describe.hpp"
#include "apps/limber/option_uses.hpp"
#include "apps/limber/picture.hpp"
#include "apps/limber/progress_bar.hpp"
#include "limber/base/error.hpp"
#include "limber/base/text.hpp"
#include "limber/base/timer.hpp"
#include "limber/bodies/builtin.hpp"
#include "limber/io/mesh_file.hpp"
#include "limber/io/png.hpp"
#include "limber/io/surface_file.hpp"
#include "limber/mesh/mesher.hpp"
#include "limber/run/output_files.hpp"

#include <nlohmann/json.hpp>

#include <array>
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
  std::string method = "tet";
  int cells = 40;
  std::int64_t target_elements = 0;
  int grading = 0;
  std::string fill = "touched";
  bool keep_volume_error = false;
  double smallest_part = 0.01;
  std::string picture;
  int threads = 0;
  bool json = false;
};

template <std::size_t n>
std::size_t choose(std::string_view option, const std::string& word,
                   const std::array<std::string_view, n>& known) {
  for (std::size_t i = 0; i < n; ++i) {
    if (word == known[i]) return i;
  }
  throw Error("{}: unknown value '{}'; {}", option, word, suggestion(word, known));
}

MesherOptions mesher_options(const MeshCommand& options) {
  static constexpr std::array<std::string_view, 2> methods{"tet", "voxel"};
  static constexpr std::array<std::string_view, 3> fills{"touched", "center", "shell"};
  MesherOptions result;
  result.method =
      choose("--method", options.method, methods) == 0 ? MeshMethod::tetrahedra : MeshMethod::voxels;
  result.fill = static_cast<VoxelFill>(choose("--fill", options.fill, fills));
  result.cells = options.cells;
  result.target_elements = options.target_elements;
  result.grading = options.grading;
  result.match_volume = !options.keep_volume_error;
  result.smallest_part = options.smallest_part;
  result.executor = Executor(options.threads);
  return result;
}

void check_uses(const MeshCommand& options, const std::set<std::string>& stated) {
  const bool builtin = is_builtin(options.surfaces.front()), voxels = options.method == "voxel";
  std::vector<OptionUse> uses;
  for (const char* option : {"--method", "--cells", "--target-elements", "--grading", "--fill",
                             "--smallest-part", "--keep-volume-error"})
    uses.push_back({option, !builtin, "a built-in body, which has its mesh already,"});
  uses.push_back({"--cells", options.target_elements == 0, "--target-elements, which chooses the cells,"});
  for (const char* option : {"--grading", "--keep-volume-error"})
    uses.push_back({option, !voxels, "the method voxel"});
  uses.push_back({"--fill", voxels, "the method tet"});
  check_options("mesh", stated, uses);
}

OutputPlan output_plan(const MeshCommand& options) {
  check_mesh_extension(options.output);
  OutputPlan outputs;
  for (const std::filesystem::path& file : files_of_mesh(options.output)) outputs.add(OutputFile{file});
  outputs.add(OutputFile{options.picture, ".png", "the picture"});
  return outputs;
}

std::vector<RegionSurface> read_surfaces(const std::vector<std::string>& files, FileList& read_from) {
  std::vector<RegionSurface> surfaces;
  for (const std::string& file : files) {
    surfaces.push_back({read_surface(file, {}, &read_from), std::filesystem::path(file).stem().string()});
  }
  return surfaces;
}

void write_outputs(const MeshCommand& options, const VolumeMesh& mesh) {
  write_results([&] {
    write_mesh(options.output, mesh);
    if (!options.picture.empty()) write_png(options.picture, draw_mesh(mesh, Executor(options.threads)));
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

void run_mesh(const MeshCommand& options, const std::set<std::string>& stated) {
  check_uses(options, stated);
  const OutputPlan outputs = output_plan(options);
  check_outputs(outputs);
  if (is_builtin(options.surfaces.front())) return export_builtin(options);
  MesherOptions mesher = mesher_options(options);
  FileList inputs;
  const std::vector<RegionSurface> surfaces = read_surfaces(options.surfaces, inputs);
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
  parser->add_option("--method", options->method, "tet: tetrahedra that follow the surface; voxel: cubes")
      ->type_name("NAME")
      ->capture_default_str();
  parser->add_option("--cells", options->cells, "Lattice cells along the longest side")
      ->check(CLI::Range(1, 1 << 18).description(""))
      ->type_name("N")
      ->capture_default_str();
  parser
      ->add_option("--target-elements", options->target_elements, "Choose the cells to get about N elements")
      ->check(CLI::Range(std::int64_t{1}, std::int64_t{100'000'000}).description(""))
      ->type_name("N");
  parser->add_option("--grading", options->grading, "tet: let elements inside grow up to 2^N times as large")
      ->check(CLI::Range(0, 8).description(""))
      ->type_name("N")
      ->capture_default_str();
  parser->add_option("--fill", options->fill, "voxel: which cubes, touched, center or shell")
      ->type_name("NAME")
      ->capture_default_str();
  parser
      ->add_option("--smallest-part", options->smallest_part,
                   "Drop loose parts with less than this share of the largest one's volume")
      ->check(number_range(0.0, 1.0))
      ->type_name("SHARE")
      ->capture_default_str();
  parser->add_flag("--keep-volume-error", options->keep_volume_error,
                   "tet: do not shift the surface (by a tenth of a cell at most) to meet its volume");
  parser->add_option("--picture", options->picture, "Draw the mesh and a cut through it")
      ->type_name("FILE.png");
  add_threads(*parser, options->threads)->capture_default_str();
  parser->add_flag("--json", options->json, "Print JSON");
  parser->footer(
      "Example:\n  limber mesh bunny.obj -o bunny.msh --target-elements 50000 --picture bunny.png");
  return {parser, [parser, options] { run_mesh(*options, stated_options(*parser)); }};
}

}  // namespace limber::app
