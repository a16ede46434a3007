#include "apps/limber/command.hpp"
#include "apps/limber/console.hpp"
#include "apps/limber/output_files.hpp"
#include "apps/limber/picture.hpp"
#include "apps/limber/progress_bar.hpp"
#include "limber/base/error.hpp"
#include "limber/base/text.hpp"
#include "limber/base/timer.hpp"
#include "limber/basis/linear_modes.hpp"
#include "limber/io/mesh_file.hpp"
#include "limber/io/png.hpp"
#include "limber/io/vtu.hpp"
#include "limber/scene/selection.hpp"

#include <nlohmann/json.hpp>

#include <array>
#include <memory>
#include <string>
#include <vector>

namespace limber::app {
namespace {

struct Options {
  std::string mesh;
  int count = 12;
  double young = 1e6;       ///< Pa
  double poisson = 0.3;     ///< no unit
  double density = 1000.0;  ///< kg/m^3
  std::string model = "stvk";
  std::string fixed_vertices;
  std::string fixed_where;
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

FullModel make_model(const Options& options) {
  const Material material{make_law(options.model, lame_from_young(options.young, options.poisson)),
                          options.density};
  check_density(material.density);
  const MassKind mass = mass_of(options.mass);
  const VertexSelection selection = selection_of(options);
  VolumeMesh mesh = load_mesh(options.mesh);
  std::vector<Material> materials(mesh.regions.size(), material);
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
  parser->add_option("MESH", options->mesh, "Mesh file (Gmsh .msh) or builtin:beam")
      ->required()
      ->type_name("");
  parser->add_option("--count", options->count, "How many, the lowest first")
      ->type_name("N")
      ->capture_default_str();
  parser->add_option("--young", options->young, "Young's modulus, Pa")->type_name("E")->capture_default_str();
  parser->add_option("--poisson", options->poisson, "Poisson's ratio, more than -1 and less than 0.5")
      ->type_name("NU")
      ->capture_default_str();
  parser->add_option("--density", options->density, "Density, kg/m^3")
      ->type_name("RHO")
      ->capture_default_str();
  parser->add_option("--model", options->model, "Material law; near rest all agree")
      ->type_name("NAME")
      ->capture_default_str();
  parser->add_option("--fixed-vertices", options->fixed_vertices, "Vertices that do not move, as 0,1,2")
      ->type_name("LIST");
  parser->add_option("--fixed-where", options->fixed_where, "Vertices that do not move, as \"x < 0.01\"")
      ->type_name("TEXT");
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
