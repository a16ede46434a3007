#include "apps/limber/command.hpp"
#include "apps/limber/console.hpp"
#include "apps/limber/output_files.hpp"
#include "apps/limber/picture.hpp"
#include "apps/limber/progress_bar.hpp"
#include "limber/base/error.hpp"
#include "limber/base/text.hpp"
#include "limber/base/timer.hpp"
#include "limber/basis/linear_modes.hpp"
#include "limber/bodies/builtin.hpp"
#include "limber/io/mesh_file.hpp"
#include "limber/io/png.hpp"
#include "limber/io/vtu.hpp"
#include "limber/scene/selection.hpp"

#include <nlohmann/json.hpp>

#include <array>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace limber::app {
namespace {

struct Options {
  std::string mesh;
  int count = 12;
  std::optional<double> young;    ///< Pa
  std::optional<double> poisson;  ///< no unit
  std::optional<double> density;  ///< kg/m^3
  std::optional<std::string> model;
  std::string fixed_vertices;
  std::string fixed_where;
  bool free = false;
  std::string mass = "consistent";
  int threads = 0;
  bool json = false;
  std::string output;
  std::string picture;
};

struct Seconds {
  double setup = 0.0;
  double solve = 0.0;
};

VertexSelection selection_of(const Options& options) {
  VertexSelection selection;
  selection.where = options.fixed_where;
  if (options.fixed_vertices.empty()) return selection;
  for (const std::string_view part : split(options.fixed_vertices, ',')) {
    const std::optional<int> vertex = parse_integer(part);
    require(vertex.has_value(),
            "--fixed-vertices: '{}' is not a vertex number; give numbers from 0, as in 0,1,2", part);
    selection.vertices.push_back(*vertex);
  }
  return selection;
}

MassKind mass_of(const std::string& name) {
  static constexpr std::array<std::string_view, 2> known{"consistent", "lumped"};
  if (name == known[0]) return MassKind::consistent;
  require(name == known[1], "--mass: unknown mass '{}'; {}", name, suggestion(name, known));
  return MassKind::lumped;
}

constexpr double default_young = 1e6, default_poisson = 0.3, default_density = 1000.0;

/// The material that the options name, or none where they name nothing.
std::optional<Material> material_of(const Options& options) {
  if (!options.young && !options.poisson && !options.density && !options.model) return std::nullopt;
  const LameParameters lame =
      lame_from_young(options.young.value_or(default_young), options.poisson.value_or(default_poisson));
  const Material material{make_law(options.model.value_or("stvk"), lame),
                          options.density.value_or(default_density)};
  check_density(material.density);
  return material;
}

/// A built-in body brings what the options do not say: materials, and what holds it.
FullModel make_model(const Options& options) {
  const std::optional<Material> material = material_of(options);
  const MassKind mass = mass_of(options.mass);
  VertexSelection selection = selection_of(options);
  require(!options.free || selection.empty(), "--free and --fixed-... exclude each other");
  VolumeMesh mesh;
  std::vector<Material> materials;
  if (is_builtin(options.mesh)) {
    BuiltinBody body = make_builtin(options.mesh, Executor(options.threads));
    mesh = std::move(body.mesh);
    materials = std::move(body.materials);
    if (selection.empty() && !options.free) selection.vertices = std::move(body.fixed);
  } else {
    mesh = read_mesh(options.mesh);
    materials.assign(mesh.regions.size(),
                     {make_law("stvk", lame_from_young(default_young, default_poisson)), default_density});
  }
  if (material) materials.assign(mesh.regions.size(), *material);
  const std::vector<int> fixed = select_vertices(mesh, selection, options.mesh + ": fixed");
  return {std::move(mesh), std::move(materials), fixed, {mass, Executor(options.threads)}};
}

LinearModes solve(const FullModel& model, int count) {
  ProgressBar bar;
  LinearModesOptions options;
  options.eigen.progress = bar.callback();
  return compute_linear_modes(model, count, options);
}

void write_shapes(const std::string& path, const FullModel& model, const LinearModes& modes) {
  const std::size_t digits = std::max<std::size_t>(2, std::to_string(modes.shapes.cols()).size());
  VtuFields fields;
  for (Index i = 0; i < modes.shapes.cols(); ++i) {
    fields.vertices.push_back(
        {fmt::format("mode_{:0{}}", i + 1, digits), model.dofs().expand(modes.shapes.col(i))});
  }
  write_vtu(path, model.mesh(), fields);
}

void write_outputs(const Options& options, const FullModel& model, const LinearModes& modes) {
  try {
    if (!options.output.empty()) write_shapes(options.output, model, modes);
    if (!options.picture.empty()) write_png(options.picture, draw_modes(model, modes));
  } catch (const Error& error) {
    throw Failure(error.what());  // the input was good
  }
}

nlohmann::ordered_json to_json(const LinearModes& modes, const Seconds& seconds) {
  nlohmann::ordered_json json;
  json["eigenvalues"] = std::vector<double>(modes.eigenvalues.begin(), modes.eigenvalues.end());
  json["frequencies_hz"] = std::vector<double>(modes.frequencies_hz.begin(), modes.frequencies_hz.end());
  json["report"] = {{"status", name_of(modes.report.status)},
                    {"iterations", modes.report.iterations},
                    {"residual", modes.report.residual}};
  json["seconds"] = {{"setup", seconds.setup}, {"solve", seconds.solve}};
  return json;
}

std::string to_text(const Options& options, const FullModel& model, const LinearModes& modes,
                    const Seconds& seconds) {
  std::string text = fmt::format("{}: {} elements, {} unknowns\n\n", options.mesh,
                                 model.mesh().element_count(), model.dof_count());
  text += fmt::format("{:>5}  {:>22}  {:>15}\n", "mode", "eigenvalue (rad^2/s^2)", "frequency (Hz)");
  for (Index i = 0; i < modes.eigenvalues.size(); ++i) {
    text +=
        fmt::format("{:>5}  {:>22.9g}  {:>15.6g}\n", i + 1, modes.eigenvalues(i), modes.frequencies_hz(i));
  }
  text += fmt::format("\nseconds: setup {:.2f}, solve {:.2f}\n", seconds.setup, seconds.solve);
  for (const std::string& path : {options.output, options.picture}) {
    if (!path.empty()) text += fmt::format("wrote {}\n", path);
  }
  return text;
}

void run(const Options& options) {
  if (!options.output.empty()) {
    check_extension(options.output, ".vtu", "the file of mode shapes");
    check_output_file(options.output);
  }
  if (!options.picture.empty()) {
    check_extension(options.picture, ".png", "the picture");
    check_output_file(options.picture);
  }
  Seconds seconds;
  Timer timer;
  const FullModel model = make_model(options);
  seconds.setup = timer.seconds();
  timer.restart();
  const LinearModes modes = solve(model, options.count);
  seconds.solve = timer.seconds();
  if (!modes.report.ok()) {
    throw Failure(fmt::format("{}: the modes were not found: {} after {} iterations, residual {:.2g}",
                              options.mesh, name_of(modes.report.status), modes.report.iterations,
                              modes.report.residual));
  }
  write_outputs(options, model, modes);
  if (options.json) {
    print_json(to_json(modes, seconds));
  } else {
    print(to_text(options, model, modes, seconds));
  }
}

}  // namespace

Command add_modes(CLI::App& program) {
  CLI::App* parser = program.add_subcommand("modes", "Compute natural frequencies and mode shapes");
  const auto options = std::make_shared<Options>();
  parser->add_option("MESH", options->mesh, "Volume mesh file or built-in body, as builtin:spoon")
      ->required()
      ->type_name("");
  parser->add_option("--count", options->count, "How many, the lowest first")
      ->type_name("N")
      ->capture_default_str();
  parser->add_option("--young", options->young, "Young's modulus, Pa [1e6; built-in bodies: their own]")
      ->type_name("E");
  parser
      ->add_option("--poisson", options->poisson,
                   "Poisson's ratio, more than -1 and less than 0.5 [0.3; ...]")
      ->type_name("NU");
  parser->add_option("--density", options->density, "Density, kg/m^3 [1000; ...]")->type_name("RHO");
  parser->add_option("--model", options->model, "Material law; near rest all agree [stvk; ...]")
      ->type_name("NAME");
  parser->add_option("--fixed-vertices", options->fixed_vertices, "Vertices that do not move, as 0,1,2")
      ->type_name("LIST");
  parser->add_option("--fixed-where", options->fixed_where, "Vertices that do not move, as \"x < 0.01\"")
      ->type_name("TEXT");
  parser->add_flag("--free", options->free,
                   "Hold nothing, not even a built-in body where it usually is held");
  parser->add_option("--mass", options->mass, "Mass matrix: consistent or lumped")
      ->type_name("KIND")
      ->capture_default_str();
  add_threads(*parser, options->threads)->capture_default_str();
  parser->add_flag("--json", options->json, "Print {\"eigenvalues\": [...], \"frequencies_hz\": [...], ...}");
  parser->add_option("-o,--output", options->output, "Write the mode shapes, one vector field each")
      ->type_name("FILE.vtu");
  parser->add_option("--picture", options->picture, "Draw the first twelve mode shapes")
      ->type_name("FILE.png");
  parser->footer(
      "A body that nothing holds is allowed: its first six frequencies are zero.\n\n"
      "Example:\n  limber modes \"builtin:beam?size=1,0.1,0.1&cells=40,4,4\" --fixed-where \"x < 0.001\" "
      "--count 6");
  return {parser, [options] { run(*options); }};
}

}  // namespace limber::app
