#include "limber/body/handle_share.hpp"

#include <vector>

namespace limber {
namespace {

/// Whose coordinate that is.
Index domain_of(const TreeDynamics& tree, Index coordinate) {
  Index domain = 0;
  while (coordinate >= tree.first_coordinate(domain) + tree.rank(domain)) ++domain;
  return domain;
}

}  // namespace

HandleShare largest_share(const Body& body, std::span<const Handle> handles) {
  if (!body.has_model()) return {};
  const TreeDynamics* const tree = body.tree();
  const bool flies = body.model().free;
  const auto domains = static_cast<std::size_t>(tree != nullptr ? body.model().domain_count() : 1);
  std::vector<HandleShare> shares(domains);
  PointRows rows;
  for (const Handle& handle : handles) {
    body.point_rows(handle.point, rows);
    const Index carried = static_cast<Index>(rows.columns.size()) - (flies ? 6 : 0);
    // Coordinates of its domain are the last ones; those before only carry it.
    const Index domain = tree != nullptr && carried > 0
                             ? domain_of(*tree, rows.columns[static_cast<std::size_t>(carried) - 1])
                             : 0;
    Index own = body.unknowns() - (flies ? 6 : 0);
    if (tree != nullptr) own = carried > 0 ? tree->rank(domain) : 0;
    const Index all = tree != nullptr ? static_cast<Index>(rows.columns.size()) : body.unknowns();
    HandleShare& share = shares[static_cast<std::size_t>(domain)];
    share.domain = domain;
    share.held += 3 * (Index{handle.hold_position} + Index{handle.hold_orientation});
    share.coordinates = own + std::min<Index>(6, all - own);
  }
  return *std::max_element(shares.begin(), shares.end(),
                           [](const HandleShare& a, const HandleShare& b) { return b.more_than(a); });
}

}  // namespace limber
