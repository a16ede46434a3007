#include "limber/precompute/reduce.hpp"

#include "apps/limber/body_options.hpp"
#include "apps/limber/command.hpp"
#include "apps/limber/console.hpp"
#include "apps/limber/output_files.hpp"
#include "apps/limber/progress_bar.hpp"
#include "apps/limber/reduce_text.hpp"
#include "apps/limber/report.hpp"
#include "limber/base/error.hpp"
#include "limber/base/text.hpp"
#include "limber/base/timer.hpp"
#include "limber/io/displacement_file.hpp"
#include "limber/io/model_file.hpp"
#include "limber/io/sketch_file.hpp"
#include "limber/io/surface_file.hpp"

#include <algorithm>
#include <array>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>

namespace limber::app {
namespace {

struct Options {
  BodyOptions body;
  std::string basis = "modal";
  int modes = 20;
  int order = 1;
  std::string orthogonalization = "full";
  std::string condense = "pca";
  int rank = 30;
  std::string sketch;
  double load_separation = SketchOptions{}.load_separation;
  double shape_separation = SketchOptions{}.shape_separation;
  std::string snapshots;
  bool no_check = false;
  std::string forces = "auto";
  std::optional<double> error;
  std::optional<std::string> poses;
  std::string training;
  std::optional<double> amplitude;
  std::optional<int> points;
  std::uint64_t seed = 1;
  std::string render;
  bool no_mesh = false;
  std::string output;
  std::string report;
  bool json = false;
};

/// One of two words.
bool is_second(std::string_view option, const std::string& word, std::string_view first,
               std::string_view second) {
  const std::array<std::string_view, 2> known{first, second};
  require(word == first || word == second, "{}: unknown word '{}'; {}", option, word,
          suggestion(word, known));
  return word == second;
}

BasisSettings basis_settings(const Options& options, const FullModel& model) {
  BasisSettings basis;
  basis.kind = is_second("--basis", options.basis, "modal", "inertia") ? ModeKind::inertia : ModeKind::modal;
  basis.modes = options.modes;
  basis.order = options.order;
  basis.orthogonalization = is_second("--orthogonalization", options.orthogonalization, "full", "reduced")
                                ? Orthogonalization::reduced
                                : Orthogonalization::full;
  require(basis.orthogonalization == Orthogonalization::full || basis.kind == ModeKind::inertia,
          "--orthogonalization reduced is for inertia modes; add --basis inertia");
  basis.condense =
      is_second("--condense", options.condense, "pca", "random") ? Condensation::random : Condensation::pca;
  basis.rank = options.rank;
  basis.seed = options.seed;
  basis.check = !options.no_check;
  if (!options.sketch.empty()) basis.sketch = read_sketch(options.sketch);
  basis.sketching.load_separation = options.load_separation;
  basis.sketching.shape_separation = options.shape_separation;
  if (!options.snapshots.empty())
    basis.snapshots = read_displacements(options.snapshots, model.mesh().vertex_count());
  return basis;
}

/// Options of training, which exact forces have no use for.
void check_training(const Options& options, bool exact) {
  const bool training =
      options.error || options.poses || !options.training.empty() || options.amplitude || options.points;
  require(!training || !exact,
          "--training-error, --poses, --training, --amplitude and --points are for cubature, but the forces "
          "are exact; "
          "add --forces cubature or modal-cubature");
  require(!options.poses || *options.poses != "given" || !options.training.empty(),
          "--poses given: cubature needs poses to train with; give them by --training FILE, or leave out "
          "--poses");
}

ReduceOptions reduce_options(const Options& options, const FullModel& model) {
  ReduceOptions result;
  result.basis = basis_settings(options, model);
  try {
    result.forces = parse_force_kind(options.forces);
  } catch (const Error& error) {
    throw Error("--forces: {}", error.what());
  }
  const bool stvk =
      std::all_of(model.materials().begin(), model.materials().end(),
                  [](const Material& material) { return std::holds_alternative<Stvk>(material.law); });
  const bool automatic = result.forces == ForceKind::automatic;
  check_training(options, result.forces == ForceKind::exact || (automatic && stvk));
  CubatureSettings& cubature = result.cubature;
  if (options.error) cubature.error = *options.error;
  if (options.amplitude) cubature.amplitude = *options.amplitude;
  if (options.points) cubature.points = *options.points;
  cubature.seed = options.seed;
  if (options.poses) {
    try {
      cubature.source = parse_pose_source(*options.poses);
    } catch (const Error& error) {
      throw Error("--poses: {}", error.what());
    }
  }
  if (!options.training.empty())
    result.training_snapshots = read_displacements(options.training, model.mesh().vertex_count());
  result.keep_simulation_mesh = !options.no_mesh;
  return result;
}

/// What the report page says of the body and of what was asked for.
ReportFacts facts(const Options& options, const FullModel& model, const nlohmann::ordered_json& json) {
  ReportFacts result;
  result.name = std::filesystem::path(options.output).stem().string();
  result.elements = model.mesh().element_count();
  result.vertices = model.mesh().vertex_count();
  result.unknowns = model.dof_count();
  result.total_seconds = json["seconds"]["total"].get<double>();
  result.peak_memory_bytes = json["peak_memory_bytes"].get<std::int64_t>();
  result.options = {"body: " + options.body.mesh, "basis: " + json["description"].get<std::string>(),
                    "forces: " + options.forces};
  return result;
}

bool holds_something(const FullModel& model) {
  const std::vector<char> used = used_vertices(model.mesh());
  return static_cast<Index>(std::count(used.begin(), used.end(), 1)) > model.dof_count() / 3;
}

void run(const Options& options) {
  check_extension(options.output, ".glb", "the reduced model");
  check_output_file(options.output);
  check_spares(options.output,
               {options.body.mesh, options.sketch, options.snapshots, options.training, options.render});
  if (!options.report.empty()) check_output_folder(options.report);
  const Timer total;
  Timer stage;
  LoadedBody body = load_body(options.body);
  if (!options.render.empty()) {
    body.surface = read_surface(options.render);
    body.colors.clear();
  }
  require(options.body.free || holds_something(body.model),
          "{}: nothing holds the body; say what does by --fixed-where or --fixed-vertices, or --free for a "
          "body that "
          "deforms in its own frame",
          options.body.mesh);
  ReduceOptions reducing = reduce_options(options, body.model);
  ReduceReport report;
  report.stages.emplace_back("mesh", stage.seconds());
  ReducedModel reduced;
  {
    ProgressBar bar;
    reducing.progress = bar.callback();
    reduced = reduce(body.model, body.surface, body.colors, reducing, report);
  }
  reduced.name = std::filesystem::path(options.output).stem().string();
  stage.restart();
  write_results([&] { write_model(options.output, reduced); });
  report.stages.emplace_back("file", stage.seconds());
  const nlohmann::ordered_json json =
      reduce_json(options.output, body.model, reduced, report, total.seconds());
  if (reduced.rank < options.rank) {
    print_warning(fmt::format("the basis has rank {}, not {}: what it is made of spans no more", reduced.rank,
                              options.rank));
  }
  if (report.cubature && !report.cubature->reached) {
    print_warning(
        fmt::format("the error of the forces is {:.2g} % in poses not trained with, {:.2g} % was asked for",
                    100.0 * reduced.cubature->training.held_out_error,
                    100.0 * reduced.cubature->training.error_asked_for));
  }
  if (options.json) {
    print_json(json);
  } else {
    print(reduce_text(options.body.mesh, json));
  }
  if (options.report.empty()) return;
  write_results([&] {
    write_report(options.report, reduced, report, facts(options, body.model, json), body.model.executor());
  });
  if (!options.json) print(fmt::format("wrote {}/index.html\n", options.report));
}

void add_basis_options(CLI::App& parser, Options& options) {
  parser.add_option("--basis", options.basis, "modal: by an eigensolver; inertia: by a few solves")
      ->type_name("KIND")
      ->capture_default_str();
  parser.add_option("--modes", options.modes, "Linear modes in the basis; 0: none")
      ->type_name("N")
      ->check(CLI::Range(0, 200).description(""))
      ->capture_default_str();
  parser.add_option("--order", options.order, "Order of the modes' derivatives along each other; 0: none")
      ->type_name("K")
      ->check(CLI::Range(0, 5).description(""))
      ->capture_default_str();
  parser
      .add_option("--orthogonalization", options.orthogonalization,
                  "Of inertia modes: full or reduced (on samples of the mass)")
      ->type_name("KIND")
      ->capture_default_str();
  parser.add_option("--condense", options.condense, "How many vectors become few: pca or random")
      ->type_name("KIND")
      ->capture_default_str();
  parser.add_option("--rank", options.rank, "Coordinates of the reduced model, at most")
      ->type_name("R")
      ->check(CLI::Range(1, 500).description(""))
      ->capture_default_str();
  parser.add_flag(
      "--no-check", options.no_check,
      "Do not look how well the true modes are captured, which takes an eigensolver for inertia modes");
  parser.add_option("--sketch", options.sketch, "Add the shapes under recorded point forces (JSON)")
      ->type_name("FILE");
  parser
      .add_option("--load-separation", options.load_separation,
                  "Sketch: least distance of forces, share of the largest response")
      ->type_name("S")
      ->check(CLI::Range(0.0, 1.0).description(""))
      ->capture_default_str();
  parser
      .add_option("--shape-separation", options.shape_separation,
                  "Sketch: least distance of shapes, share of the largest")
      ->type_name("S")
      ->check(CLI::Range(0.0, 1.0).description(""))
      ->capture_default_str();
  parser.add_option("--snapshots", options.snapshots, "Add displacement fields (.csv, .vtu, .pvd)")
      ->type_name("FILE");
}

void add_force_options(CLI::App& parser, Options& options) {
  parser
      .add_option("--forces", options.forces,
                  "exact (stvk only), cubature, modal-cubature, or auto: exact for stvk, else cubature")
      ->type_name("KIND")
      ->capture_default_str();
  parser.add_option("--training-error", options.error, "Cubature: error of the force aimed at [0.01]")
      ->type_name("E")
      ->check(CLI::Range(1e-6, 0.999).description(""));
  parser
      .add_option("--poses", options.poses,
                  "Cubature: motion (of the body itself), gaussian, or given (--training alone) [motion]")
      ->type_name("FROM");
  parser
      .add_option("--training", options.training,
                  "Cubature: displacement fields to train with (.csv, .vtu, .pvd)")
      ->type_name("FILE");
  parser
      .add_option("--amplitude", options.amplitude,
                  "Cubature: largest displacement in training, share of the body's size [so that |grad u| is "
                  "about 0.5]")
      ->type_name("A")
      ->check(CLI::Range(1e-6, 10.0).description(""));
  parser.add_option("--points", options.points, "Cubature: number of points [as many as the error needs]")
      ->type_name("N")
      ->check(CLI::Range(1, 3000).description(""));
  parser.add_option("--seed", options.seed, "Of all random numbers")->type_name("S")->capture_default_str();
}

}  // namespace

Command add_reduce(CLI::App& program) {
  CLI::App* parser =
      program.add_subcommand("reduce", "Precompute a reduced model: a body that moves in real time");
  const auto options = std::make_shared<Options>();
  add_body_options(*parser, options->body);
  parser->add_option("-o,--output", options->output, "The reduced model, which any glTF viewer opens")
      ->required()
      ->type_name("FILE.glb");
  add_basis_options(*parser, *options);
  add_force_options(*parser, *options);
  parser
      ->add_option("--render", options->render,
                   "Surface to draw, moved by the mesh [its boundary; built-in: their own]")
      ->type_name("FILE");
  parser->add_flag("--no-simulation-mesh", options->no_mesh,
                   "Leave the mesh out of the file, to keep it small");
  parser->add_option("--report", options->report, "Write a page about the model with pictures and curves")
      ->type_name("DIR");
  parser->add_flag("--json", options->json, "Print rank, sizes, seconds per stage and peak memory as JSON");
  parser->footer(
      "Several sources of a basis are mixed; '--modes 0' leaves only the others. Materials other than stvk "
      "take "
      "cubature.\n\n"
      "Example:\n  limber reduce builtin:spoon -o spoon.glb --modes 20 --rank 30\n"
      "  limber reduce builtin:heart -o heart.glb --model neo-hookean --report heart\n"
      "  limber reduce builtin:tower -o tower.glb --basis inertia --modes 12 --condense random --forces "
      "modal-cubature");
  return {parser, [options] { run(*options); }};
}

}  // namespace limber::app
