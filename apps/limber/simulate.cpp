#include "apps/limber/command.hpp"
#include "apps/limber/console.hpp"
#include "apps/limber/option_uses.hpp"
#include "apps/limber/scene_report.hpp"
#include "apps/limber/scene_run.hpp"
#include "limber/base/error.hpp"
#include "limber/base/file.hpp"
#include "limber/base/timer.hpp"
#include "limber/io/clip_file.hpp"
#include "limber/io/model_file.hpp"
#include "limber/io/scene_file.hpp"
#include "limber/io/surface_file.hpp"
#include "limber/scene/body_tree.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace limber::app {
namespace {

namespace fs = std::filesystem;

struct SimulateCommand {
  std::string scene;
  std::string output_dir;
  std::string animation;
  std::optional<double> seconds, timestep;      ///< s; for a reduced model
  std::vector<double> gravity;                  ///< m/s^2; for a reduced model
  std::vector<double> damping;                  ///< 1/s and s; for a reduced model
  std::vector<double> velocity, spin;           ///< m/s and rad/s; for a reduced model that nothing holds
  std::optional<double> ground;                 ///< m; for the same
  std::optional<double> friction, restitution;  ///< of it, and of the body; for the same
  std::string method = "reduced";               ///< for a reduced model
  std::optional<double> error, throttle;        ///< for the method online, in place of the scene's
  std::optional<int> threads;
  bool json = false;
  std::string checkpoint;          ///< file; empty: chosen
  double checkpoint_every = 30.0;  ///< s of wall time
  bool resume = false;
};

/// Where checkpoints go: with the results of a scene, beside the motion of a reduced model.
fs::path checkpoint_file(const SimulateCommand& options, bool model) {
  if (!options.checkpoint.empty()) return options.checkpoint;
  const fs::path scene(options.scene);
  fs::path file = model ? fs::path(options.animation)
                        : (options.output_dir.empty() ? scene.parent_path() : fs::path(options.output_dir)) /
                              scene.filename();
  return file.replace_extension(".checkpoint");
}

CheckpointOptions checkpoint_options(const SimulateCommand& options, bool model) {
  require(std::isfinite(options.checkpoint_every) && options.checkpoint_every >= 0.0,
          "--checkpoint-every is {} s, expected at least 0", options.checkpoint_every);
  CheckpointOptions result;
  result.file = checkpoint_file(options, model);
  result.file_stated = !options.checkpoint.empty();
  result.every = options.checkpoint_every;
  result.resume = options.resume;
  if (options.seconds) result.settings.push_back(fmt::format("--seconds {}", *options.seconds));
  if (options.timestep) result.settings.push_back(fmt::format("--timestep {}", *options.timestep));
  if (!options.gravity.empty())
    result.settings.push_back(fmt::format("--gravity {}", fmt::join(options.gravity, ",")));
  if (!options.damping.empty())
    result.settings.push_back(fmt::format("--damping {}", fmt::join(options.damping, ",")));
  if (!options.velocity.empty())
    result.settings.push_back(fmt::format("--velocity {}", fmt::join(options.velocity, ",")));
  if (!options.spin.empty())
    result.settings.push_back(fmt::format("--spin {}", fmt::join(options.spin, ",")));
  if (options.ground) result.settings.push_back(fmt::format("--ground {}", *options.ground));
  if (options.friction) result.settings.push_back(fmt::format("--friction {}", *options.friction));
  if (options.restitution) result.settings.push_back(fmt::format("--restitution {}", *options.restitution));
  if (options.error) result.settings.push_back(fmt::format("--error {}", *options.error));
  if (options.throttle) result.settings.push_back(fmt::format("--throttle {}", *options.throttle));
  if (model) result.settings.push_back(fmt::format("--method {}", options.method));
  return result;
}

/// The path as it would be with the scene file in `to` instead of `from`; absolute paths elsewhere stay.
fs::path moved(const fs::path& path, const fs::path& from, const fs::path& to) {
  if (path.empty()) return path;
  auto [rest_of_from, rest] = std::mismatch(from.begin(), from.end(), path.begin(), path.end());
  if (rest_of_from != from.end()) return path;
  fs::path result = to;
  for (; rest != path.end(); ++rest) result /= *rest;
  return result;
}

Vector3 vector_of(const std::vector<double>& numbers, const char* option) {
  const Vector3 result(numbers.data());
  require(result.allFinite(), "{}: expected three finite numbers", option);
  return result;
}

/// A body with a reduced model, which flies where nothing holds it: then without damping of its flight.
SceneBody body_of_model(const SimulateCommand& options, std::string_view content) {
  SceneBody body;
  take_tree(std::make_shared<const Model>(parse_model(content, options.scene)), body);
  body.name = body.model->name.empty() ? "body" : body.model->name;
  body.method = find_method(options.method).value();  // the option lists what it takes
  const bool free = body.model->free;
  body.damping = {free ? 0.0 : 0.5, 0.002};
  if (!options.damping.empty()) {
    body.damping = {options.damping[0], options.damping[1]};
    require(std::isfinite(body.damping.mass) && body.damping.mass >= 0.0 &&
                std::isfinite(body.damping.stiffness) && body.damping.stiffness >= 0.0,
            "--damping: {} and {}, expected two numbers of at least 0", body.damping.mass,
            body.damping.stiffness);
  }
  require(free || (options.velocity.empty() && options.spin.empty()),
          "{}: {} throws a body that nothing holds, and this one is held; reduce it with --free",
          options.scene, options.velocity.empty() ? "--spin" : "--velocity");
  require(free || !options.ground,
          "{}: --ground is for a body that nothing holds, and this one is held; reduce it with --free",
          options.scene);
  if (!options.velocity.empty()) body.velocity = vector_of(options.velocity, "--velocity");
  if (!options.spin.empty()) body.angular_velocity = vector_of(options.spin, "--spin");
  return body;
}

/// Steps in which the motion is as smooth as a clip shows it; where bodies strike the ground as short as the
/// strokes, which longer ones swallow. Both make whole frames of 60 per second.
constexpr double usual_timestep = 1.0 / 120.0, contact_timestep = 1.0 / 600.0;  // s

/// Of the ground and the body that falls on it.
ContactMaterial ground_material(const SimulateCommand& options) {
  ContactMaterial material;
  if (options.friction) material.friction = *options.friction;
  if (options.restitution) material.restitution = *options.restitution;
  return material;
}

/// A reduced model let go under its weight.
Scene scene_of_model(const SimulateCommand& options, std::string_view content) {
  SceneBody body = body_of_model(options, content);
  require(!options.animation.empty(), "{}: say where the motion goes with -o OUT.glb", options.scene);
  const double seconds = options.seconds.value_or(2.0),
               timestep = options.timestep.value_or(options.ground ? contact_timestep : usual_timestep);
  require(seconds > 0.0 && timestep > 0.0, "--seconds is {} and --timestep {}, expected more than 0", seconds,
          timestep);
  Scene scene;
  scene.bodies.push_back(std::move(body));
  if (options.gravity.empty()) scene.up = scene.bodies.front().up;
  scene.gravity =
      options.gravity.empty() ? Vector3(-9.81 * up_of(scene)) : vector_of(options.gravity, "--gravity");
  if (options.ground) {
    require(std::isfinite(*options.ground), "--ground is {} m, expected a finite number", *options.ground);
    scene.bodies.front().surface = ground_material(options);
    scene.obstacles.push_back(make_ground(*options.ground, up_of(scene), ground_material(options)));
  }
  scene.inputs.emplace_back(options.scene);
  scene.solver.type = SimulationType::dynamics;
  scene.solver.timestep = timestep;
  const double steps = std::round(seconds / timestep);
  require(steps >= 1.0 && steps <= 1e7,
          "--seconds is {} and --timestep {}: {} steps, expected 1 to 10,000,000", seconds, timestep, steps);
  scene.solver.steps = static_cast<int>(steps);
  scene.output.every = std::max(1, static_cast<int>(std::lround(1.0 / (60.0 * timestep))));
  return scene;
}

bool is_model(const SimulateCommand& options, std::string_view content) {
  if (looks_like_model(content)) return true;
  const bool surface = looks_like_surface(content) && !looks_like_clip(content);
  return fs::path(options.scene).extension() == ".glb" && !surface;
}

Scene load(const SimulateCommand& options, bool& model) {
  const std::string content = read_file(options.scene);
  model = is_model(options, content);
  if (model) return scene_of_model(options, content);
  return read_scene(options.scene, {.animation = !options.animation.empty()});
}

void check_uses(const Scene& scene, bool model, const std::set<std::string>& stated) {
  const OutputSettings& output = scene.output;
  const bool writes = !output.displacements.empty() || !output.vtu.empty() || !output.picture.empty() ||
                      !output.animation.empty() || !output.timeline.empty();
  std::vector<OptionUse> uses;
  const bool online = std::any_of(scene.bodies.begin(), scene.bodies.end(),
                                  [](const SceneBody& body) { return body.method == Method::online; });
  const bool grounded = model && stated.contains("--ground");
  for (const char* option : {"--seconds", "--timestep", "--gravity", "--damping", "--velocity", "--spin",
                             "--ground", "--friction", "--restitution", "--method"})
    uses.push_back({option, model, "a scene, which has its own,"});
  for (const char* option : {"--friction", "--restitution"})
    uses.push_back({option, grounded, "a body without --ground"});
  for (const char* option : {"--error", "--throttle"})
    uses.push_back({option, online, "a scene without a body of the method 'online'"});
  for (const char* option : {"--resume", "--checkpoint", "--checkpoint-every"})
    uses.push_back({option, steps_in_time(scene), "a static solve, which has one step,"});
  uses.push_back({"--output", steps_in_time(scene), "a static solve, which has no motion,"});
  uses.push_back({"--output-dir", !model, "a model, whose motion goes where -o says,"});
  uses.push_back({"--output-dir", writes || steps_in_time(scene), "a scene that writes nothing"});
  check_options("simulate", stated, uses);
}

void run_simulate(const SimulateCommand& options, const std::set<std::string>& stated) {
  const Timer timer;
  const fs::path file(options.scene);
  bool model = false;
  Scene scene = load(options, model);
  const double read_seconds = timer.seconds();
  if (options.threads) scene.solver.threads = *options.threads;
  check_uses(scene, model, stated);
  if (options.error) scene.solver.online.error = *options.error;
  if (options.throttle) scene.solver.online.throttle = *options.throttle;
  if (!options.output_dir.empty()) {
    for (fs::path* path : {&scene.output.displacements, &scene.output.vtu, &scene.output.picture,
                           &scene.output.animation, &scene.output.timeline}) {
      *path = moved(*path, file.parent_path(), options.output_dir);
    }
  }
  if (!options.animation.empty()) scene.output.animation = options.animation;
  RunOptions running;
  running.folder = options.output_dir;
  running.checkpoints = checkpoint_options(options, model);
  running.read_seconds = read_seconds;
  // Before the checkpoint goes: a process that is killed before can still be resumed to its report.
  running.on_end = [&options, model](RunResult result) {
    if (model) result.remedy = "use a shorter --timestep";
    if (options.json) {
      print_json(to_json(result));
    } else if (result.report.ok()) {
      print(to_text(result));
    }
    require_success(result, options.scene);
  };
  run_on_console(scene, std::move(running));
}

}  // namespace

Command add_simulate(CLI::App& program) {
  CLI::App* parser = program.add_subcommand(
      "simulate",
      "Run a scene of bodies, each full, online, reduced, linear or warped; or let a reduced model go");
  const auto options = std::make_shared<SimulateCommand>();
  parser
      ->add_option("SCENE", options->scene,
                   "Scene file (JSON; 'limber schema --markdown' explains its keys), reduced model "
                   "(.glb)")
      ->required()
      ->type_name("");
  parser->add_option("-o,--output", options->animation, "Motion of the bodies, which any glTF viewer plays")
      ->type_name("FILE.glb");
  parser->add_option("--seconds", options->seconds, "For a reduced model: how long it moves, s [2]")
      ->type_name("T");
  parser
      ->add_option("--timestep", options->timestep,
                   "For a reduced model: length of a step, s [1/120; with --ground 1/600]")
      ->type_name("H");
  parser
      ->add_option("--gravity", options->gravity,
                   "For a reduced model: x,y,z, m/s^2 [9.81 downward, as it stands]")
      ->delimiter(',')
      ->expected(3)
      ->type_name("G");
  parser
      ->add_option("--damping", options->damping,
                   "For a reduced model: Rayleigh's, of mass (1/s) and of stiffness (s) [0.5,0.002; of one "
                   "that nothing holds 0,0.002]")
      ->delimiter(',')
      ->expected(2)
      ->type_name("A,B");
  parser
      ->add_option("--velocity", options->velocity,
                   "For a reduced model that nothing holds: thrown at x,y,z, m/s [0,0,0]")
      ->delimiter(',')
      ->expected(3)
      ->type_name("V");
  parser
      ->add_option("--spin", options->spin,
                   "For a reduced model that nothing holds: turning about x,y,z, rad/s [0,0,0]")
      ->delimiter(',')
      ->expected(3)
      ->type_name("W");
  parser
      ->add_option("--ground", options->ground,
                   "For a reduced model that nothing holds: it falls on level ground at this height, m")
      ->type_name("HEIGHT");
  parser->add_option("--friction", options->friction, "Of --ground and the body: Coulomb's coefficient [0.5]")
      ->check(number_range(0.0, 1e3))
      ->type_name("MU");
  parser
      ->add_option("--restitution", options->restitution,
                   "Of --ground and the body: share of its speed that a stroke gives back [0]")
      ->check(number_range(0.0, 1.0))
      ->type_name("E");
  parser
      ->add_option("--method", options->method,
                   "For a reduced model: reduced, or by its natural modes: warped or linear [reduced]")
      ->check(CLI::IsMember({"reduced", "warped", "linear"}).description(""))
      ->type_name("HOW");
  parser
      ->add_option("--error", options->error,
                   "For the method online: relative displacement error to accept, in place of the scene's")
      ->check(number_range(1e-6, 1.0))
      ->type_name("E");
  parser
      ->add_option("--throttle", options->throttle,
                   "For the method online: above 1 skips more steps, as for a preview; 0 skips none")
      ->check(number_range(0.0, 1000.0))
      ->type_name("X");
  parser->add_flag("--json", options->json, "Print the report and timings as JSON");
  parser
      ->add_option("--threads", options->threads,
                   "Number of threads, in place of the scene's; 0 takes one per core")
      ->check(threads_range())
      ->type_name("N");
  parser
      ->add_option(
          "--output-dir", options->output_dir,
          "Folder that the scene's output paths start from, made where missing; else the scene's own")
      ->type_name("DIR");
  parser->add_flag("--resume", options->resume,
                   "Go on from the checkpoint of a run that was ended; without one, start at the beginning");
  parser
      ->add_option("--checkpoint-every", options->checkpoint_every,
                   "Least time between two checkpoints, s; 0 writes one after each step")
      ->type_name("SECONDS")
      ->capture_default_str();
  parser
      ->add_option("--checkpoint", options->checkpoint,
                   "File of the checkpoint, removed at the end [SCENE.checkpoint with the results]")
      ->type_name("FILE");
  parser->footer(
      "Writes what the scene's \"output\" asks for: displacements (.csv), a series for ParaView (.vtu, "
      ".pvd),\n"
      "a picture (.png), an animation (.glb) and, of online runs, a timeline (.svg, .png).\n\nExample:\n  "
      "limber simulate scene.json --output-dir "
      "results\n"
      "  limber simulate spoon.glb -o motion.glb --seconds 3\n"
      "  limber simulate spoon.glb -o warped.glb --method warped\n"
      "  limber simulate flyer.glb -o thrown.glb --velocity 2,0,4 --spin 0,6,0\n"
      "  limber simulate flyer.glb -o dropped.glb --ground -1 --restitution 0.5\n"
      "  limber simulate long.json --resume");
  return {parser, [parser, options] { run_simulate(*options, stated_options(*parser)); }};
}

}  // namespace limber::app
