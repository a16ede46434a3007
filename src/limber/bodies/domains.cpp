#include "limber/bodies/domains.hpp"

#include "limber/base/error.hpp"
#include "limber/mesh/shared_faces.hpp"
#include "limber/mesh/union_find.hpp"

#include <algorithm>
#include <map>
#include <utility>

namespace limber {
namespace {

/// Crumbs of crumbs: more rounds than this are never needed, since each leaves fewer.
constexpr int most_rounds = 100;

/// Regions into which one piece could go, with the number of faces that it shares with each.
using Neighbours = std::map<int, int>;

}  // namespace

std::vector<PlanRegion> domain_regions(const std::vector<PlanDomain>& domains) {
  std::vector<PlanRegion> regions;
  for (std::size_t i = 0; i < domains.size(); ++i) {
    const PlanDomain& domain = domains[i];
    require(i == 0 ? domain.parent == -1 : domain.parent >= 0 && domain.parent < static_cast<int>(i),
            "domain '{}' hangs on {}, expected one before it", domain.name, domain.parent);
    if (i == 0) {  // the root takes what nobody else does
      regions.push_back({domain.name, domain.material, {[](const Vector3&) { return 0.0; }, {}}});
      continue;
    }
    std::vector<Implicit> own{domain.shape}, given{half_space(domain.neck, domain.along)};
    for (std::size_t k = i + 1; k < domains.size(); ++k) {
      if (domains[k].parent != static_cast<int>(i)) continue;
      const Implicit beyond = half_space(domains[k].neck, -domains[k].along);
      own.push_back(subtract(domains[k].shape, beyond));
      given.push_back(intersect(domains[k].shape, beyond));
    }
    regions.push_back({domain.name, domain.material, unite(std::move(own))});
    for (Implicit& other : given) {
      regions.back().shape = subtract(std::move(regions.back().shape), std::move(other));
    }
  }
  return regions;
}

void join_crumbs(VolumeMesh& mesh) {
  const std::vector<SharedFace> faces = shared_faces(mesh);
  const auto region = [&](int e) -> int& { return mesh.region[static_cast<std::size_t>(e)]; };
  for (int round = 0; round < most_rounds; ++round) {
    UnionFind pieces(mesh.element_count());
    for (const SharedFace& face : faces) {
      if (region(face.first) == region(face.second)) pieces.join(face.first, face.second);
    }
    std::vector<int> size(mesh.region.size(), 0), largest(mesh.regions.size(), -1);
    for (int e = 0; e < static_cast<int>(mesh.element_count()); ++e) {
      ++size[static_cast<std::size_t>(pieces.root(e))];
    }
    for (int e = 0; e < static_cast<int>(mesh.element_count()); ++e) {
      int& best = largest[static_cast<std::size_t>(region(e))];
      if (best < 0 || size[static_cast<std::size_t>(e)] > size[static_cast<std::size_t>(best)]) best = e;
    }
    const auto crumb = [&](int e) { return pieces.root(e) != largest[static_cast<std::size_t>(region(e))]; };
    std::map<int, Neighbours> touching;  // by the root of each crumb
    for (const SharedFace& face : faces) {
      const int a = face.first, b = face.second;
      if (region(a) == region(b)) continue;
      if (crumb(a) && !crumb(b)) ++touching[pieces.root(a)][region(b)];
      if (crumb(b) && !crumb(a)) ++touching[pieces.root(b)][region(a)];
    }
    if (touching.empty()) return;
    std::map<int, int> home;
    for (const auto& [root, regions] : touching) {
      home[root] = std::max_element(regions.begin(), regions.end(), [](const auto& a, const auto& b) {
                     return a.second < b.second;
                   })->first;
    }
    for (int e = 0; e < static_cast<int>(mesh.element_count()); ++e) {
      if (const auto found = home.find(pieces.root(e)); found != home.end()) region(e) = found->second;
    }
  }
}

}  // namespace limber
