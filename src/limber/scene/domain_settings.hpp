#pragma once

#include "limber/multidomain/decompose.hpp"
#include "limber/multidomain/tree_dynamics.hpp"

#include <string>
#include <utility>
#include <vector>

namespace limber {

/// What shares out the elements of a mesh among domains.
enum class DomainSource {
  regions,    ///< each connected part of a region is a domain
  automatic,  ///< METIS, for small interfaces
  sets,       ///< sets of elements, and what is left
};

/// How a body becomes a tree of domains, and how that moves.
///
/// A name below means the domain of that name; else all domains that stand for the part of that name; else
/// those that are numbered after it, as "leaf 1" and "leaf 2" after "leaf".
struct DomainSettings {
  // A body with a mesh.
  DomainSource from = DomainSource::regions;
  int count = 8;                 ///< automatic only: domains
  std::vector<ElementSet> sets;  ///< sets only
  std::string root;              ///< domain at the root; empty: as make_parts() chooses

  // Whatever is yet to be reduced.
  int rank = 20;                   ///< coordinates of each domain that does not say
  int total_rank = 0;              ///< of all of them, shared out by their elements; 0: `rank` each
  std::vector<std::string> rigid;  ///< domains without coordinates

  SubtreeInertia inertia = SubtreeInertia::full;
  std::vector<std::pair<std::string, double>> stiffness;  ///< factors of elastic forces, by name
};

}  // namespace limber
