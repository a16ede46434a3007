#include "apps/limber/command.hpp"
#include "apps/limber/compare_motion.hpp"
#include "apps/limber/console.hpp"
#include "apps/limber/describe.hpp"
#include "apps/limber/option_uses.hpp"
#include "limber/base/error.hpp"
#include "limber/base/file.hpp"
#include "limber/base/text.hpp"
#include "limber/base/words.hpp"
#include "limber/draw/line_plot.hpp"
#include "limber/io/scene_file.hpp"
#include "limber/io/sketch_file.hpp"
#include "limber/run/output_files.hpp"
#include "limber/scene/placing.hpp"
#include "limber/scene/trajectory.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace limber::app {
namespace {

using Json = nlohmann::ordered_json;

struct CompareCommand {
  std::string scene;
  std::vector<std::string> bases;
  std::optional<int> modes;
  std::optional<int> rank;
  std::vector<double> probe;
  std::string plot;
  std::optional<int> threads;
  bool json = false;
};

constexpr std::size_t most_snapshots =
    300;  ///< of the full motion for the basis 'motion': more add next to nothing

constexpr std::string_view sketch_word = "sketch:";

/// The part after the last '/' of a word of --basis, where it names a kind of forces.
std::string forces_in(const std::string& word) {
  const std::size_t slash = word.rfind('/');
  if (slash == std::string::npos) return "";
  std::string end = word.substr(slash + 1);
  const bool path = word.starts_with(sketch_word) && end != "exact" && !end.ends_with("cubature");
  return path ? "" : end;
}

/// The file that a word of --basis names, as sketch:FILE or sketch:FILE/exact.
std::string sketch_file(const std::string& word) {
  const std::string forces = forces_in(word);
  const std::size_t end = forces.empty() ? word.size() : word.size() - forces.size() - 1;
  return word.substr(sketch_word.size(), end - sketch_word.size());
}

OutputPlan output_plan(const CompareCommand& options) {
  OutputPlan outputs;
  outputs.add(OutputFile{options.plot, ".svg", "the plot"});
  return outputs;
}

/// Refuses a model of the scene whose motion cannot be compared vertex by vertex.
void check_model_fits(const SceneBody& body, std::string_view word) {
  const ReducedModel& model = single_domain(*body.model, body.name);
  require(model.simulation.has_value(), "--basis {}: the model was kept without its mesh: nothing to compare",
          word);
  require(model.simulation->mesh.vertex_count() == body.mesh.vertex_count(),
          "the reduced model was made from a mesh of {} vertices, that of the scene has {}",
          model.simulation->mesh.vertex_count(), body.mesh.vertex_count());
}

bool names_domains(std::string_view word) {
  return word == "domains" || word.starts_with("domains:") || word.starts_with("domains/");
}

/// The scene with its body computed by every vertex.
Scene as_full(Scene scene) {
  for (SceneBody& body : scene.bodies) {
    body.method = Method::full;
    body.domains.reset();
  }
  return scene;
}

/// The scene with its body as a tree of domains. word: domains, domains:full, domains:center or
/// domains:interface.
Scene as_domains(Scene scene, const std::string& word, const CompareCommand& options) {
  SceneBody& body = scene.bodies[0];
  body.model.reset();
  body.rank = 0;
  if (!body.domains) body.domains.emplace();
  if (options.rank) {
    body.domains->rank = *options.rank;
    body.domains->total_rank = 0;
  }
  if (word == "domains") return scene;
  const std::string inertia = word.substr(std::string_view("domains:").size());
  body.domains->inertia = parse_word<SubtreeInertia>(inertia, subtree_inertia_words,
                                                     fmt::format("--basis {}: unknown inertia", word));
  return scene;
}

/// The scene with its body in the subspace that a word of --basis names.
/// It may end with the kind of forces, as in inertia/modal-cubature.
Scene with_basis(const Scene& scene, std::string word, const CompareCommand& options,
                 const ComparedMotion& full) {
  static constexpr std::array<std::string_view, 14> known{
      "model",   "derivatives",    "modes",          "inertia",          "warped",
      "linear",  "inertia-random", "motion",         "online",           "sketch:FILE",
      "domains", "domains:full",   "domains:center", "domains:interface"};
  Scene result = scene;
  SceneBody& body = result.bodies[0];
  body.method = Method::reduced;
  if (const std::string forces = forces_in(word); !forces.empty()) {
    try {
      body.reduction.forces = parse_force_kind(forces);
    } catch (const Error& error) {
      throw Error("--basis {}: {}", word, error.what());
    }
    word.resize(word.size() - forces.size() - 1);
    require(word != "model", "--basis model: a model has its own kind of forces; leave out '/{}'", forces);
    require(word != "warped" && word != "linear", "--basis {}: modes need no forces; leave out '/{}'", word,
            forces);
    require(word != "online", "--basis online: it chooses its forces itself; leave out '/{}'", forces);
  }
  if (names_domains(word)) return as_domains(std::move(result), word, options);
  body.domains.reset();
  if (word == "online") {
    body.method = Method::online;
    return result;
  }
  if (word == "warped" || word == "linear") {
    body.method = word == "warped" ? Method::warped : Method::linear;
    if (body.model) {
      check_model_fits(body, word);
      if (options.modes) body.rank = *options.modes;
    } else if (options.modes) {
      body.reduction.basis.modes = *options.modes;
    }
    return result;
  }
  if (word == "model") {
    require(body.model != nullptr, "--basis model: the scene's body names no 'model'");
    check_model_fits(body, word);
    if (options.rank) body.rank = *options.rank;
    return result;
  }
  body.model.reset();
  body.rank = 0;  // a prefix of the model's
  BasisSettings& basis = body.reduction.basis;
  basis.sketch.clear();
  basis.snapshots.clear();
  basis.kind = word.starts_with("inertia") ? ModeKind::inertia : ModeKind::modal;
  basis.condense = word == "inertia-random" ? Condensation::random : Condensation::pca;
  if (options.modes) basis.modes = *options.modes;
  if (options.rank) basis.rank = *options.rank;
  basis.order = word == "modes" ? 0 : std::max(basis.order, 1);
  if (word == "motion") {
    basis.modes = 0;
    const std::size_t stride = 1 + full.fields.size() / most_snapshots;
    for (std::size_t t = 0; t < full.fields.size(); t += stride) basis.snapshots.push_back(full.fields[t]);
  } else if (word.starts_with(sketch_word)) {
    basis.modes = 0;
    basis.sketch = read_sketch(word.substr(sketch_word.size()));
    place(body.pose, basis.sketch);
  } else {
    require(word == "derivatives" || word == "modes" || word == "inertia" || word == "inertia-random",
            "--basis: unknown basis '{}'; {}", word, suggestion(word, known));
  }
  return result;
}

/// The vertex to look at: nearest to the point asked for, else the one that moves farthest.
Index find_probe(const CompareCommand& options, const VolumeMesh& mesh, const ComparedMotion& full) {
  if (!options.probe.empty()) {
    VertexSelection selection;
    selection.nearest.emplace_back(options.probe[0], options.probe[1], options.probe[2]);
    return select_vertices(mesh, selection, "--probe").front();
  }
  Vector farthest = Vector::Zero(mesh.vertex_count());
  for (const Matrix3X& field : full.fields)
    farthest = farthest.cwiseMax(field.colwise().squaredNorm().transpose());
  Index probe = 0;
  farthest.maxCoeff(&probe);
  return probe;
}

/// When the last load that ends has ended: from there on the body vibrates freely.
double release_time(const SceneBody& body) {
  double time = 0.0;
  for (const SceneLoad& load : body.loads) {
    if (std::isfinite(load.to)) time = std::max(time, load.to);
  }
  for (const TimedAcceleration& load : body.accelerations) {
    if (std::isfinite(load.to)) time = std::max(time, load.to);
  }
  for (const SceneSurfaceLoad& load : body.surface_loads) {
    if (std::isfinite(load.to)) time = std::max(time, load.to);
  }
  return time;
}

/// Relative to the full motion; null where that does not move or vibrate.
Json shift(double ratio) { return ratio == 0.0 ? Json() : Json(ratio - 1.0); }

std::string shift_text(const Json& value) {
  return value.is_null() ? "-" : fmt::format("{:+.2f} %", 100.0 * value.get<double>());
}

Json frequencies_json(const ComparedMotion& motion) {
  return motion.frequencies_hz ? to_list(*motion.frequencies_hz) : Json();
}

Json comparison_json(const ComparedMotion& full, const ComparedMotion& reduced,
                     const TrajectoryError& error) {
  Json json{{"basis", reduced.name},
            {"rank", reduced.unknowns},
            {"trajectory_error", number_or_null(error.relative_rms)},
            {"largest_error", error.largest},
            {"largest_error_time", error.worst_time},
            {"amplitude", error.reduced.amplitude},
            {"amplitude_shift", shift(error.amplitude_ratio)},
            {"frequency_hz", error.reduced.frequency},
            {"frequency_shift", shift(error.frequency_ratio)},
            {"speed_up", full.seconds_per_step / reduced.seconds_per_step},
            {"seconds", {{"setup", reduced.setup_seconds}, {"step", reduced.seconds_per_step}}}};
  if (reduced.gap) {
    json["largest_gap"] = reduced.gap->share;
    json["natural_frequencies_hz"] = frequencies_json(reduced);
  }
  return json;
}

/// The lowest natural frequencies of trees beside those of the full model.
std::string frequencies_text(const Json& json) {
  const Json& full = json["natural_frequencies_hz"];
  std::string text = fmt::format("\n{:<29}", "natural frequencies (Hz)");
  for (const Json& frequency : full) text += fmt::format(" {:>9.4g}", frequency.get<double>());
  text += "\n";
  for (const Json& one : json["reduced"]) {
    if (!one.contains("largest_gap")) continue;
    text += fmt::format("{:<29}", one["basis"].get<std::string>());
    const Json& found = one["natural_frequencies_hz"];
    for (std::size_t i = 0; i < std::min(full.size(), found.size()); ++i)
      text += fmt::format(" {:>+7.2f} %", 100.0 * (found[i].get<double>() / full[i].get<double>() - 1.0));
    text +=
        fmt::format("   largest gap {:.2g} % of its interface\n", 100.0 * one["largest_gap"].get<double>());
  }
  return text;
}

std::string comparison_text(const Json& json) {
  std::string text = fmt::format("full: {} unknowns, {:.3g} s per step, probe vertex {} at {}\n",
                                 count_text(json["unknowns"]), json["seconds"]["step"].get<double>(),
                                 count_text(json["probe"]), point_text(json["probe_position"]));
  const double frequency = json["frequency_hz"].get<double>();
  text += fmt::format("probe: amplitude {:.4g} m, {}\n\n", json["amplitude"].get<double>(),
                      frequency > 0.0 ? fmt::format("frequency {:.4g} Hz", frequency)
                                      : "no frequency: it swings less than once after the last load ends");
  text += fmt::format("{:<29} {:>5} {:>12} {:>11} {:>11} {:>13} {:>10}\n", "basis", "rank", "error (rms)",
                      "amplitude", "frequency", "step", "speed-up");
  for (const Json& one : json["reduced"]) {
    const Json& error = one["trajectory_error"];  // of nothing, where the full model does not move
    text += fmt::format("{:<29} {:>5} {:>12} {:>11} {:>11} {:>10.1f} us {:>8.0f} x\n",
                        one["basis"].get<std::string>(), one["rank"].get<int>(),
                        error.is_null() ? "-" : fmt::format("{:.3f} %", 100.0 * error.get<double>()),
                        shift_text(one["amplitude_shift"]), shift_text(one["frequency_shift"]),
                        1e6 * one["seconds"]["step"].get<double>(), one["speed_up"].get<double>());
  }
  if (json.contains("natural_frequencies_hz")) text += frequencies_text(json);
  return text;
}

void write_plot(const CompareCommand& options, const std::vector<ComparedMotion>& motions, double h,
                Index probe, const Vector3& direction) {
  LinePlot plot;
  plot.title = "Displacement of the probe";
  plot.x_label = "time (s)";
  plot.y_label = "displacement (m)";
  for (const ComparedMotion& motion : motions) {
    const Index count = static_cast<Index>(motion.fields.size());
    plot.curves.push_back({motion.name, Vector::LinSpaced(count, 0.0, h * static_cast<double>(count - 1)),
                           probe_signal(motion.fields, probe, direction), !plot.curves.empty()});
  }
  write_results([&] { write_file(options.plot, to_svg(plot)); });
}

/// Refuses, before the long work, what cannot be compared.
void check_comparable(const Scene& scene) {
  const SceneBody& body = scene.bodies[0];
  require(body.parts.placements.empty() && (!body.model || body.model->domain_count() == 1),
          "{}: it is a tree of parts, which has no full motion to compare with; give a 'mesh'", body.name);
}

/// How the scene's body is run beside its own way. Without --basis all that it may then stand for.
SceneUse uses_of(const CompareCommand& options) {
  SceneUse use;
  use.methods.push_back(Method::full);
  if (options.bases.empty()) use.methods.push_back(Method::reduced);
  for (const std::string& word : options.bases) {
    const std::string basis = word.substr(0, word.find('/'));
    if (names_domains(word)) {
      use.domains = true;
    } else {
      use.methods.push_back(basis == "warped"   ? Method::warped
                            : basis == "linear" ? Method::linear
                            : basis == "online" ? Method::online
                                                : Method::reduced);
    }
  }
  return use;
}

Scene load(const CompareCommand& options) {
  const SceneUse use = uses_of(options);
  Scene scene = read_scene(options.scene, use);
  require(scene.bodies.size() == 1, "{}: it has {} bodies; only scenes of one body are compared",
          options.scene, scene.bodies.size());
  require(scene.solver.type == SimulationType::dynamics,
          "{}: it is {}; a comparison over time needs \"solver\": {{\"type\": \"dynamic\"}}", options.scene,
          word_of(scene.solver.type, simulation_type_words));
  require(scene.bodies[0].mesh.element_count() > 0 || !scene.bodies[0].parts.placements.empty(),
          "{}: the full model needs a mesh; give 'mesh'", options.scene);
  for (const std::string& warning : scene.warnings) print_warning(warning);
  for (const double x : options.probe) require(std::isfinite(x), "--probe: expected three finite numbers");
  check_comparable(scene);
  FileList inputs = scene.inputs;
  for (auto word = options.bases.begin(); word != options.bases.end(); ++word)
    require(std::find(options.bases.begin(), word, *word) == word,
            "--basis {}: it is named twice; leave one out", *word);
  for (const std::string& word : options.bases) {
    if (!word.starts_with(sketch_word)) continue;
    require(!sketch_file(word).empty(), "--basis {}: name the file of the sketch, as sketch:FILE", word);
    inputs.push_back(sketch_file(word));
  }
  check_spares(output_plan(options), inputs);
  if (options.threads) scene.solver.threads = *options.threads;
  return scene;
}

/// --modes and --rank need a basis that has them.
void check_uses(const std::set<std::string>& stated, const std::vector<std::string>& bases) {
  const auto without_forces = [](const std::string& word) { return word.substr(0, word.find('/')); };
  const auto any = [&](std::initializer_list<std::string_view> words) {
    return std::any_of(bases.begin(), bases.end(), [&](const std::string& word) {
      return std::find(words.begin(), words.end(), without_forces(word)) != words.end();
    });
  };
  const bool learned = std::any_of(bases.begin(), bases.end(), [](const std::string& word) {
    return word.starts_with(sketch_word) || names_domains(word);
  });
  const bool modal = any({"warped", "linear"});
  check_options(
      "compare", stated,
      {{"--modes", any({"derivatives", "modes", "inertia", "inertia-random"}) || modal,
        "a basis without modes (motion, sketch, online, domains or model)"},
       {"--rank", any({"derivatives", "modes", "inertia", "inertia-random", "motion", "model"}) || learned,
        modal ? "a basis of natural modes, whose number is --modes,"
              : "the basis online, whose rank is at most solver.online.max_rank,"}});
}

void run_compare(const CompareCommand& options, const std::set<std::string>& stated) {
  check_outputs(output_plan(options));
  const Scene scene = load(options);
  const SceneBody& body = scene.bodies[0];
  std::vector<std::string> bases = options.bases;
  if (bases.empty()) bases.push_back(body.is_tree() ? "domains" : body.model ? "model" : "derivatives");
  for (const std::string& word : bases)
    (void)with_basis(scene, word, options, {});  // refuses before the long work
  check_uses(stated, bases);

  std::vector<ComparedMotion> motions{run_motion(as_full(scene), "full")};
  if (std::any_of(bases.begin(), bases.end(), names_domains))
    motions[0].frequencies_hz = full_frequencies(scene);
  const Index probe = find_probe(options, body.mesh, motions[0]);
  Json results = Json::array();
  TrajectoryError error;
  for (const std::string& word : bases) {
    const std::string name = word.starts_with(sketch_word) ? "sketch" : word;
    motions.push_back(run_motion(with_basis(scene, word, options, motions[0]), name));
    error = compare_trajectories(motions[0].fields, motions.back().fields, scene.solver.timestep, probe,
                                 release_time(body));
    results.push_back(comparison_json(motions[0], motions.back(), error));
  }
  const ComparedMotion& full = motions[0];
  Json json{{"scene", options.scene},
            {"unknowns", full.unknowns},
            {"steps", scene.solver.steps},
            {"probe", probe},
            {"probe_position", to_json(Vector3(body.mesh.vertices.col(probe)))},
            {"amplitude", error.full.amplitude},
            {"frequency_hz", error.full.frequency},
            {"seconds", {{"setup", full.setup_seconds}, {"step", full.seconds_per_step}}},
            {"reduced", results}};
  if (full.frequencies_hz) json["natural_frequencies_hz"] = frequencies_json(full);
  if (!options.plot.empty()) write_plot(options, motions, scene.solver.timestep, probe, error.direction);
  if (options.json) {
    print_json(json);
  } else {
    print(comparison_text(json));
    if (!options.plot.empty()) print(fmt::format("wrote {}\n", options.plot));
  }
}

}  // namespace

Command add_compare(CLI::App& program) {
  CLI::App* parser =
      program.add_subcommand("compare", "Run a scene with the full and with reduced models side by side");
  const auto options = std::make_shared<CompareCommand>();
  parser->add_option("SCENE", options->scene, "Scene file of one body in motion")->required()->type_name("");
  parser
      ->add_option("--basis", options->bases,
                   "derivatives, modes, inertia, inertia-random, motion (of the full run), sketch:FILE, "
                   "online, domains (a tree as the scene says, with the inertia of subtrees as it says or as "
                   "in domains:full, domains:center and "
                   "domains:interface), warped, linear (both by the modes that the scene's basis names) or "
                   "model (the scene's "
                   "own), each with /exact, "
                   "/cubature or /modal-cubature if wanted; may be "
                   "repeated "
                   "[what the scene has: model or domains, else derivatives]")
      ->type_name("WHAT");
  parser->add_option("--modes", options->modes, "Linear modes [20]")
      ->check(CLI::Range(1, 200).description(""))
      ->type_name("N");
  parser
      ->add_option(
          "--rank", options->rank,
          "Coordinates of the reduced models, of domains of each; warped and linear take --modes [30; 20]")
      ->check(CLI::Range(1, 200).description(""))
      ->type_name("R");
  parser
      ->add_option("--probe", options->probe,
                   "Point x,y,z whose nearest vertex is looked at [what moves farthest]")
      ->delimiter(',')
      ->expected(3)
      ->type_name("P");
  parser->add_option("--plot", options->plot, "Draw the probe's motion over time")->type_name("FILE.svg");
  parser->add_option("--threads", options->threads, "Number of threads; 0 takes one per core")
      ->check(threads_range())
      ->type_name("N");
  parser->add_flag("--json", options->json, "Print errors, shifts and timings as JSON");
  parser->footer(
      "Errors are those of the motion of all vertices; amplitude and frequency are the probe's.\n\n"
      "Example:\n  limber compare examples/scenes/spoon.json --basis derivatives --basis motion --plot "
      "spoon.svg");
  return {parser, [parser, options] { run_compare(*options, stated_options(*parser)); }};
}

}  // namespace limber::app
