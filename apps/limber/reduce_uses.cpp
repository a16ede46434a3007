// Which options `limber reduce` has a use for, by what it makes.

#include "apps/limber/option_uses.hpp"
#include "apps/limber/reduce_options.hpp"
#include "apps/limber/tree_parts.hpp"
#include "limber/bodies/builtin.hpp"
#include "limber/bodies/part_tree.hpp"

#include <initializer_list>

namespace limber::app {
namespace {

/// Rows of the table for several options at once.
void add(std::vector<OptionUse>& uses, std::initializer_list<std::string_view> options, bool used,
         std::string_view whose) {
  for (const std::string_view option : options) uses.push_back({option, used, whose});
}

}  // namespace

ReduceTask task_of(const ReduceCommand& options) {
  if (is_scene_file(options.body.mesh)) return ReduceTask::tree_of_scene;
  if (is_builtin_tree(options.body.mesh)) return ReduceTask::tree_of_parts;
  return options.stated.contains("--domains") ? ReduceTask::tree_of_mesh : ReduceTask::one_body;
}

void check_reduce_options(const ReduceCommand& options) {
  const ReduceTask task = task_of(options);
  const bool tree = task != ReduceTask::one_body;
  std::vector<OptionUse> uses;
  add(uses, {"--root", "--total-rank", "--rigid"}, tree, "a body of one piece (add --domains)");
  add(uses,
      {"--modes", "--basis", "--orthogonalization", "--condense", "--no-check", "--sketch",
       "--load-separation", "--shape-separation", "--snapshots", "--contact", "--contact-where", "--training",
       "--report", "--picture"},
      !tree, "a tree, whose domains are reduced each on its own,");
  const bool file =
      (task == ReduceTask::one_body || task == ReduceTask::tree_of_mesh) && !is_builtin(options.body.mesh);
  add_body_uses(uses, options.body, file, file && is_surface_file(options.body.mesh));
  add(uses, {"--domains", "--root", "--render", "--fixed-vertices", "--fixed-where", "--hold"},
      task != ReduceTask::tree_of_parts, "a tree of parts");
  add(uses,
      {"--domains", "--render", "--fixed-vertices", "--fixed-where", "--hold", "--free", "--material",
       "--young", "--poisson", "--density", "--law", "--mass", "--derivatives", "--forces",
       "--training-error", "--poses", "--amplitude", "--points", "--seed"},
      task != ReduceTask::tree_of_scene, "a scene, which says that itself,");
  add(uses, {"--basis", "--derivatives", "--orthogonalization", "--no-check"}, tree || options.modes > 0,
      "a basis without modes (--modes 0)");
  add(uses, {"--orthogonalization"}, options.basis != "modal",
      "a basis of natural modes (add --basis inertia)");
  add(uses, {"--load-separation", "--shape-separation"}, !options.sketch.empty(), "a basis without --sketch");
  add(uses, {"--contact-where"}, options.contact.has_value(), "a basis without --contact");
  check_options("reduce", options.stated, uses);
}

void check_force_options(const ReduceCommand& options, bool exact) {
  std::vector<OptionUse> uses;
  add(uses, {"--training-error", "--poses", "--training", "--amplitude", "--points"}, !exact,
      "an exact force, which is not trained (add --forces cubature or modal-cubature),");
  add(uses, {"--seed"}, !exact || options.condense == "random", "a reduction without random numbers");
  check_options("reduce", options.stated, uses);
}

}  // namespace limber::app
