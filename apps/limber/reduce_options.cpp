#include "apps/limber/reduce_options.hpp"

#include "apps/limber/command.hpp"
#include "limber/base/error.hpp"
#include "limber/base/text.hpp"
#include "limber/base/words.hpp"

#include <algorithm>
#include <array>

namespace limber::app {
namespace {

constexpr int default_rank = 30;

constexpr std::array<std::string_view, 2> orthogonalization_words{"full", "reduced"};

/// Of the rank.
int contact_coordinates(const std::string& text, int rank) {
  const std::optional<int> number = text.empty() ? std::max(1, contact_share(rank)) : parse_integer(text);
  require(
      number && *number >= 1,
      "--contact: expected a number of coordinates, 1 or more, or nothing, found '{}'; MESH stands before "
      "it",
      text);
  require(*number < rank, "--contact: {} of {} coordinates, expected fewer: the others hold the motion",
          *number, rank);
  return *number;
}

BasisSettings basis_settings(const ReduceCommand& options) {
  BasisSettings basis;
  basis.kind = parse_word<ModeKind>(options.basis, mode_kind_words, "--basis: unknown word");
  basis.modes = options.modes;
  basis.order = options.derivatives;
  basis.orthogonalization = parse_word<Orthogonalization>(options.orthogonalization, orthogonalization_words,
                                                          "--orthogonalization: unknown word");
  basis.condense = parse_word<Condensation>(options.condense, condensation_words, "--condense: unknown word");
  basis.rank = options.rank.value_or(default_rank);
  if (options.contact) basis.contact = contact_coordinates(*options.contact, basis.rank);
  basis.seed = options.seed;
  basis.check = !options.no_check;
  basis.sketching.load_separation = options.load_separation;
  basis.sketching.shape_separation = options.shape_separation;
  return basis;
}

void check_poses(const ReduceCommand& options) {
  require(!options.poses || *options.poses != "given" || !options.training.empty(),
          "--poses given: cubature needs poses to train with; give them by --training FILE, or leave out "
          "--poses");
}

void add_basis_options(CLI::App& parser, ReduceCommand& options) {
  parser.add_option("--basis", options.basis, "modal: by an eigensolver; inertia: by a few solves")
      ->type_name("KIND")
      ->capture_default_str();
  parser.add_option("--modes", options.modes, "Linear modes in the basis; 0: none")
      ->type_name("N")
      ->check(CLI::Range(0, 200).description(""))
      ->capture_default_str();
  parser
      .add_option("--derivatives", options.derivatives,
                  "Order of the modes' derivatives along each other; 0: none")
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
  parser.add_option("--rank", options.rank, "Coordinates of the reduced model, at most [30; each domain 20]")
      ->type_name("R")
      ->check(CLI::Range(1, 200).description(""));  // as in the scene schema
  parser.add_flag(
      "--no-check", options.no_check,
      "Do not look how well the true modes are captured, which takes an eigensolver for inertia modes");
  parser.add_option("--sketch", options.sketch, "Add the shapes under recorded point forces (JSON)")
      ->type_name("FILE");
  parser
      .add_option("--load-separation", options.load_separation,
                  "Sketch: least distance of forces, share of the largest response")
      ->type_name("S")
      ->check(number_range(0.0, 1.0))
      ->capture_default_str();
  parser
      .add_option("--shape-separation", options.shape_separation,
                  "Sketch: least distance of shapes, share of the largest")
      ->type_name("S")
      ->check(number_range(0.0, 1.0))
      ->capture_default_str();
  parser.add_option("--snapshots", options.snapshots, "Add displacement fields (.csv, .vtu, .pvd)")
      ->type_name("FILE");
  parser
      .add_option("--contact", options.contact,
                  "Make it dent where it is touched: N coordinates of the rank for static responses to "
                  "pressure on the surface [a third of them]")
      ->type_name("[N]")
      ->expected(0, 1);
  parser
      .add_option("--contact-where", options.contact_where,
                  "Vertices that will be touched, as \"z > 0.1\" [all of the surface]")
      ->type_name("TEXT");
}

void add_force_options(CLI::App& parser, ReduceCommand& options) {
  parser
      .add_option("--forces", options.forces,
                  "exact (stvk only), cubature, modal-cubature, or auto: exact for stvk, else cubature")
      ->type_name("KIND")
      ->capture_default_str();
  parser.add_option("--training-error", options.error, "Cubature: error of the force aimed at [0.01]")
      ->type_name("E")
      ->check(number_range(1e-6, 0.999));
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
      ->check(number_range(1e-6, 10.0));
  parser.add_option("--points", options.points, "Cubature: number of points [as many as the error needs]")
      ->type_name("N")
      ->check(CLI::Range(1, 3000).description(""));
  parser.add_option("--seed", options.seed, "Of all random numbers")->type_name("S")->capture_default_str();
}

void add_tree_options(CLI::App& parser, ReduceCommand& options) {
  parser
      .add_option(
          "--domains", options.domains,
          "Make it a tree of domains: regions, auto:K (about K parts), or a JSON file of element sets, "
          "{\"NAME\": [0, 1, ...], ...}")
      ->type_name("HOW");
  parser.add_option("--root", options.root, "Tree: domain at the root [the one that is held]")
      ->type_name("NAME");
  parser
      .add_option("--total-rank", options.total_rank,
                  "Tree: coordinates of all domains, by the logarithm of their elements, in place of --rank")
      ->type_name("R")
      ->check(CLI::Range(1, 1'000'000).description(""));
  parser.add_option("--rigid", options.rigid, "Tree: a domain or part that does not deform; may be repeated")
      ->type_name("NAME");
}

}  // namespace

bool all_stvk(const std::vector<Material>& materials) {
  return std::all_of(materials.begin(), materials.end(),
                     [](const Material& material) { return std::holds_alternative<Stvk>(material.law); });
}

ReduceOptions reduce_settings(const ReduceCommand& options, bool stvk) {
  ReduceOptions result;
  result.basis = basis_settings(options);
  try {
    result.forces = parse_force_kind(options.forces);
  } catch (const Error& error) {
    throw Error("--forces: {}", error.what());
  }
  const bool automatic = result.forces == ForceKind::automatic;
  check_force_options(options, result.forces == ForceKind::exact || (automatic && stvk));
  check_poses(options);
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
  result.keep_simulation_mesh = !options.no_mesh;
  return result;
}

void add_reduce_options(CLI::App& parser, ReduceCommand& options) {
  add_body_argument(parser, options.body);
  add_body_options(parser, options.body);
  add_law_option(parser, options.body);
  parser.add_option("-o,--output", options.output, "The reduced model, which any glTF viewer opens")
      ->required()
      ->type_name("FILE.glb");
  add_basis_options(parser, options);
  add_force_options(parser, options);
  add_tree_options(parser, options);
  parser
      .add_option("--render", options.render,
                  "Surface to draw, moved by the mesh [the surface that was meshed; else its boundary; "
                  "built-in: their own]")
      ->type_name("FILE");
  parser.add_flag("--no-simulation-mesh", options.no_mesh,
                  "Leave the mesh out of the file, to keep it small");
  parser.add_option("--picture", options.picture, "Draw the mesh, and in orange what holds it")
      ->type_name("FILE.png");
  parser.add_option("--report", options.report, "Write a page about the model with pictures and curves")
      ->type_name("DIR");
  parser.add_flag("--json", options.json, "Print rank, sizes, seconds per stage and peak memory as JSON");
}

}  // namespace limber::app
