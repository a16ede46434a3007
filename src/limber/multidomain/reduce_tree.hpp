#pragma once

#include "limber/bodies/part_tree.hpp"
#include "limber/fem/full_model.hpp"
#include "limber/multidomain/model.hpp"
#include "limber/precompute/reduce.hpp"

#include <string>
#include <utility>
#include <vector>

namespace limber {

struct TreeReduceOptions {
  ReduceOptions reduce{};  ///< of each part; its modes and rank follow from the numbers below
  int rank = 20;           ///< of a part that does not say, where `total_rank` does not
  /// Coordinates of the whole body, shared out in proportion to the logarithm of each domain's elements; 0:
  /// `rank` each.
  int total_rank = 0;
  MassKind mass = MassKind::consistent;
  Executor executor{};
  Progress progress{};
};

struct PartReport {
  std::string name;
  Index elements = 0, rank = 0, uses = 0;
  double seconds = 0.0;
  Vector frequencies_hz;  ///< of its linear modes
};

struct TreeReduceReport {
  std::vector<PartReport> parts;                       ///< distinct ones; equal parts are reduced once
  Index full_dofs = 0;                                 ///< unknowns of all domains before reduction
  std::vector<std::pair<std::string, double>> stages;  ///< seconds
};

/// Coordinates of each part of a tree as the options say: 0 for a rigid one.
std::vector<int> choose_ranks(const PartTree& parts, const TreeReduceOptions& options);

/// Reduces every distinct part, in parallel, and puts the tree together. [Barbic & Zhao 2011, sections 3 and
/// 5]
Model reduce_tree(const PartTree& parts, const TreeReduceOptions& options, TreeReduceReport& report);

}  // namespace limber
