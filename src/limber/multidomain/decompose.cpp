#include "limber/multidomain/decompose.hpp"

#include "limber/base/error.hpp"
#include "limber/multidomain/domain_graph.hpp"

#include <algorithm>
#include <set>
#include <utility>

namespace limber {
namespace {

std::string region_name(const Region& region) {
  return region.name.empty() ? fmt::format("region {}", region.tag) : region.name;
}

}  // namespace

Decomposition decompose_by_regions(const VolumeMesh& mesh) {
  check_mesh(mesh, "the mesh to decompose");
  const std::vector<int> piece = connected_elements(shared_faces(mesh), mesh.region);

  // Pieces in the order of their regions, then of their elements.
  std::vector<std::pair<int, int>> pieces;  // region, piece
  for (std::size_t e = 0; e < piece.size(); ++e) {
    if (piece[e] == static_cast<int>(pieces.size())) pieces.emplace_back(mesh.region[e], piece[e]);
  }
  std::sort(pieces.begin(), pieces.end());

  Decomposition result;
  std::set<std::string> taken;
  std::vector<int> number(pieces.size());
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    const std::string name = region_name(mesh.regions[static_cast<std::size_t>(pieces[i].first)]);
    const bool alone = std::count_if(pieces.begin(), pieces.end(), [&](const auto& other) {
                         return region_name(mesh.regions[static_cast<std::size_t>(other.first)]) == name;
                       }) == 1;
    std::string full = name;
    for (int k = 1; !alone || taken.contains(full); ++k) {
      full = fmt::format("{} {}", name, k);
      if (!taken.contains(full)) break;
    }
    taken.insert(full);
    result.names.push_back(std::move(full));
    number[static_cast<std::size_t>(pieces[i].second)] = static_cast<int>(i);
  }
  result.domain = piece;
  for (int& domain : result.domain) domain = number[static_cast<std::size_t>(domain)];
  return result;
}

Decomposition decompose_by_sets(const VolumeMesh& mesh, const std::vector<ElementSet>& sets,
                                std::string rest) {
  check_mesh(mesh, "the mesh to decompose");
  Decomposition result;
  result.domain.assign(static_cast<std::size_t>(mesh.element_count()), -1);
  for (std::size_t s = 0; s < sets.size(); ++s) {
    const ElementSet& set = sets[s];
    require(!set.elements.empty(), "the set '{}' has no elements; leave it out", set.name);
    require(std::find(result.names.begin(), result.names.end(), set.name) == result.names.end(),
            "two sets are named '{}'; give each a name of its own", set.name);
    for (const int e : set.elements) {
      require(e >= 0 && e < mesh.element_count(),
              "the set '{}' names element {}, but the mesh has elements 0 to {}", set.name, e,
              mesh.element_count() - 1);
      int& domain = result.domain[static_cast<std::size_t>(e)];
      require(domain < 0 || domain == static_cast<int>(s),
              "element {} is in the sets '{}' and '{}'; expected in one of them", e,
              sets[static_cast<std::size_t>(std::max(domain, 0))].name, set.name);
      domain = static_cast<int>(s);
    }
    result.names.push_back(set.name);
  }
  if (std::find(result.domain.begin(), result.domain.end(), -1) != result.domain.end()) {
    require(std::find(result.names.begin(), result.names.end(), rest) == result.names.end(),
            "elements that are in no set form the domain '{}', but a set has that name; call it otherwise",
            rest);
    std::replace(result.domain.begin(), result.domain.end(), -1, static_cast<int>(sets.size()));
    result.names.push_back(std::move(rest));
  }

  const std::vector<int> piece = connected_elements(shared_faces(mesh), result.domain);
  std::vector<int> seen(result.names.size(), -1);
  for (std::size_t e = 0; e < piece.size(); ++e) {
    int& first = seen[static_cast<std::size_t>(result.domain[e])];
    if (first < 0) first = static_cast<int>(e);
    require(piece[static_cast<std::size_t>(first)] == piece[e],
            "the domain '{}' does not hang together: no faces lead from its element {} to its element {}; "
            "make several of it",
            result.names[static_cast<std::size_t>(result.domain[e])], first, e);
  }
  return result;
}

}  // namespace limber
