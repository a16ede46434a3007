#include "limber/multidomain/domain_graph.hpp"

#include <algorithm>
#include <map>
#include <utility>

namespace limber {

std::vector<DomainInterface> find_interfaces(const std::vector<SharedFace>& faces,
                                             const std::vector<int>& domain) {
  std::map<std::pair<int, int>, DomainInterface> found;
  for (std::size_t f = 0; f < faces.size(); ++f) {
    const auto [first, second] = std::minmax({domain[static_cast<std::size_t>(faces[f].first)],
                                              domain[static_cast<std::size_t>(faces[f].second)]});
    if (first == second) continue;
    DomainInterface& interface = found[{first, second}];
    interface.first = first;
    interface.second = second;
    interface.area += faces[f].area;
    interface.faces.push_back(static_cast<int>(f));
  }
  std::vector<DomainInterface> interfaces;
  interfaces.reserve(found.size());
  for (auto& [pair, interface] : found) interfaces.push_back(std::move(interface));
  return interfaces;
}

}  // namespace limber
