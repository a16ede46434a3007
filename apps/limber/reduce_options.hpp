#pragma once

#include "apps/limber/body_options.hpp"
#include "limber/basis/sketch.hpp"
#include "limber/precompute/reduce.hpp"

#include <CLI/CLI.hpp>

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace limber::app {

/// What `limber reduce` is told.
struct ReduceCommand {
  BodyOptions body;
  std::string basis = "modal";
  int modes = 20;
  int derivatives = 1;
  std::string orthogonalization = "full";
  std::string condense = "pca";
  std::optional<int> rank;
  std::string sketch;
  double load_separation = SketchOptions{}.load_separation;
  double shape_separation = SketchOptions{}.shape_separation;
  std::string snapshots;
  std::optional<std::string> contact;  ///< a number, or nothing: as many as is good
  std::string contact_where;
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
  std::string picture;
  std::string report;
  bool json = false;

  // Of a tree of domains.
  std::string domains;
  std::string root;
  int total_rank = 0;
  std::vector<std::string> rigid;

  std::set<std::string> stated;  ///< options that were given, as "--modes"
};

/// What it is to make.
enum class ReduceTask { one_body, tree_of_mesh, tree_of_parts, tree_of_scene };
ReduceTask task_of(const ReduceCommand& options);

/// Throws Error for an option that has no use for that task.
void check_reduce_options(const ReduceCommand& options);
/// The same for options about the forces.  exact: these are not trained.
void check_force_options(const ReduceCommand& options, bool exact);

/// Declares all of them.
void add_reduce_options(CLI::App& parser, ReduceCommand& options);

/// Basis and forces, without what is read from files. stvk: all materials are St. Venant-Kirchhoff.
/// Throws Error for words that are not known and for options that exclude each other.
ReduceOptions reduce_settings(const ReduceCommand& options, bool stvk);

bool all_stvk(const std::vector<Material>& materials);

}  // namespace limber::app
