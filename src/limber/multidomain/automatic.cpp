#include "limber/base/error.hpp"
#include "limber/multidomain/decompose.hpp"

#ifdef LIMBER_WITH_CHOLMOD

#include "limber/mesh/union_find.hpp"
#include "limber/multidomain/domain_graph.hpp"

#include <metis.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>
#include <optional>
#include <set>
#include <tuple>
#include <utility>

// How a body falls into domains that form a tree.
//
// METIS cuts the graph of elements into pieces of about equal size with little area between them. Such pieces
// form loops wherever the body is thick: those are joined along their largest interfaces until none is left.
// As that leaves fewer domains than pieces, METIS is asked for more and more pieces, and of what is left the
// worst cuts are undone until there are as many domains as asked for. A cut is the worse the larger its area
// is for the size of what it cuts off: so necks stay, and arms, legs and branches become domains.

namespace limber {
namespace {

/// Pieces asked of METIS for each domain, try after try: the more, the nearer its cuts come to the necks,
/// until pieces are so small that their shapes no longer mean anything.
constexpr std::array<double, 8> pieces_per_domain{1.0, 1.5, 2.0, 3.0, 4.0, 6.0, 8.0, 12.0};

/// Pieces of METIS that fall apart: fragments below this share of the mean size go to a neighbour.
constexpr double smallest_fragment = 0.25;

/// Patches of one interface that are smaller than this share of the largest do not count: the rims of cuts
/// are ragged.
constexpr double smallest_patch = 0.2;

/// Sizes may differ by this factor from their mean, so that METIS can look for necks; in thousandths.
constexpr idx_t imbalance = 200;

/// Elements sorted by where they are: their order in the file does not matter.
std::vector<int> sort_elements(const VolumeMesh& mesh) {
  Matrix3X centre(3, mesh.element_count());
  for (Index e = 0; e < mesh.element_count(); ++e) {
    for (int axis = 0; axis < 3; ++axis) {
      Vector x = mesh.vertices.row(axis)(mesh.elements.col(e)).transpose();
      std::sort(x.begin(), x.end());  // a sum does not depend on the order of the corners
      centre(axis, e) = x.sum();
    }
  }
  std::vector<int> order(static_cast<std::size_t>(mesh.element_count()));
  std::iota(order.begin(), order.end(), 0);
  std::sort(order.begin(), order.end(), [&](int a, int b) {
    return std::tuple(centre(0, a), centre(1, a), centre(2, a), a) <
           std::tuple(centre(0, b), centre(1, b), centre(2, b), b);
  });
  return order;
}

/// Elements that share faces, in the form METIS takes.
struct DualGraph {
  std::vector<idx_t> begin{0}, neighbour, weight;
};

DualGraph make_graph(const std::vector<SharedFace>& faces, std::size_t elements) {
  double total = 0.0;
  for (const SharedFace& face : faces) total += face.area;
  // Three digits where all weights together still fit into 32 bits.
  const double largest_sum = 1e9, digits = 1e3;
  const auto count = static_cast<double>(faces.size());
  const double scale = std::min(digits, largest_sum / count) * count / total;
  std::vector<std::vector<std::pair<int, idx_t>>> neighbours(elements);
  for (const SharedFace& face : faces) {
    const auto weight = static_cast<idx_t>(std::max(1.0, std::round(scale * face.area)));
    neighbours[face.first].emplace_back(face.second, weight);
    neighbours[face.second].emplace_back(face.first, weight);
  }
  DualGraph graph;
  for (auto& list : neighbours) {
    std::sort(list.begin(), list.end());
    for (const auto& [other, weight] : list) {
      graph.neighbour.push_back(other);
      graph.weight.push_back(weight);
    }
    graph.begin.push_back(static_cast<idx_t>(graph.neighbour.size()));
  }
  return graph;
}

std::vector<int> partition(DualGraph& graph, int pieces) {
  auto vertices = static_cast<idx_t>(graph.begin.size() - 1);
  idx_t constraints = 1, parts = pieces, cut = 0;
  std::vector<idx_t> part(static_cast<std::size_t>(vertices), 0);
  idx_t options[METIS_NOPTIONS];
  METIS_SetDefaultOptions(options);
  options[METIS_OPTION_SEED] = 1;
  options[METIS_OPTION_CONTIG] = 1;
  options[METIS_OPTION_MINCONN] = 1;
  options[METIS_OPTION_NCUTS] = 3;
  options[METIS_OPTION_UFACTOR] = imbalance;
  const int status =
      METIS_PartGraphKway(&vertices, &constraints, graph.begin.data(), graph.neighbour.data(), nullptr,
                          nullptr, graph.weight.data(), &parts, nullptr, nullptr, options, &cut, part.data());
  require(status == METIS_OK, "METIS cannot cut the mesh into {} pieces (status {}); ask for fewer", pieces,
          status);
  return {part.begin(), part.end()};
}

/// The pieces and the area between them, while some of them are joined.
class PieceGraph {
 public:
  /// label: of each element. Elements with the same one hang together.
  PieceGraph(const VolumeMesh& mesh, const std::vector<SharedFace>& faces, std::vector<int> label)
      : faces_(faces), label_(std::move(label)) {
    const auto pieces = static_cast<std::size_t>(*std::max_element(label_.begin(), label_.end()) + 1);
    owner_.resize(pieces);
    std::iota(owner_.begin(), owner_.end(), 0);
    count_ = static_cast<int>(pieces);
    elements_.assign(pieces, 0);
    volume_.assign(pieces, 0.0);
    area_.resize(pieces);
    for (std::size_t e = 0; e < label_.size(); ++e) {
      ++elements_[label_[e]];
      volume_[label_[e]] += element_volume(mesh, static_cast<Index>(e));
    }
    for (const SharedFace& face : faces_) {
      const int a = label_[face.first], b = label_[face.second];
      if (a == b) continue;
      area_[a][b] += face.area;
      area_[b][a] += face.area;
    }
  }

  [[nodiscard]] int count() const { return count_; }

  void join(int a, int b) {
    if (a > b) std::swap(a, b);
    owner_[b] = a;
    elements_[a] += elements_[b];
    volume_[a] += volume_[b];
    for (const auto& [other, area] : area_[b]) {
      area_[other].erase(b);
      if (other == a) continue;
      area_[a][other] += area;
      area_[other][a] = area_[a][other];
    }
    area_[b].clear();
    --count_;
  }

  /// Fragments go to the neighbour that they share the most area with.
  void join_fragments(double fewest_elements) {
    for (int a = 0; a < pieces(); ++a) {
      if (!alive(a) || elements_[a] >= fewest_elements || area_[a].empty()) continue;
      const auto largest = std::max_element(area_[a].begin(), area_[a].end(),
                                            [](const auto& x, const auto& y) { return x.second < y.second; });
      join(a, largest->first);
    }
  }

  /// Joins pieces of loops along their largest interface until the graph is a tree.
  void join_loops() {
    while (true) {
      const std::set<std::pair<int, int>> bridges = find_bridges();
      std::pair<int, int> worst{-1, -1};
      double largest = -1.0;
      for_each_interface([&](int a, int b, double area) {
        if (area <= largest || bridges.contains({a, b})) return;
        largest = area;
        worst = {a, b};
      });
      if (worst.first < 0) return;
      join(worst.first, worst.second);
    }
  }

  /// Two pieces of a tree that touch at several places form a loop as well: a ring cut into halves.
  void join_rings() {
    std::vector<int> piece = label_;
    for (int& a : piece) a = root(a);
    for (const DomainInterface& interface : find_interfaces(faces_, piece)) {
      if (has_patches(interface)) join(root(interface.first), root(interface.second));
    }
  }

  /// Makes one piece of a tree contain all of some vertices: those between others that do are joined.
  void gather(const VolumeMesh& mesh, std::span<const int> vertices) {
    std::map<int, std::set<int>> holders;
    for (const int v : vertices) holders[v];
    for (Index e = 0; e < mesh.element_count(); ++e) {
      for (const int v : mesh.elements.col(e)) {
        const auto found = holders.find(v);
        if (found != holders.end()) found->second.insert(root(label_[static_cast<std::size_t>(e)]));
      }
    }
    std::map<int, int> held;
    for (const auto& [v, pieces] : holders) {
      for (const int a : pieces) ++held[a];
    }
    if (held.empty()) return;
    const int most = std::max_element(held.begin(), held.end(), [](const auto& x, const auto& y) {
                       return x.second < y.second;
                     })->first;
    for (const auto& [v, pieces] : holders) {
      const bool there =
          std::any_of(pieces.begin(), pieces.end(), [&](int a) { return root(a) == root(most); });
      if (!there && !pieces.empty()) join_path(root(most), root(*pieces.begin()));
    }
  }

  /// Undoes the worst cuts of a tree until that many pieces are left.
  void join_worst(int wanted) {
    while (count_ > wanted) {
      std::pair<int, int> worst{-1, -1};
      double largest = -1.0;
      for_each_interface([&](int a, int b, double area) {
        const double cost = badness(a, b, area);
        if (cost <= largest) return;
        largest = cost;
        worst = {a, b};
      });
      join(worst.first, worst.second);
    }
  }

  /// Of all cuts together.
  [[nodiscard]] double badness() const {
    double sum = 0.0;
    for_each_interface([&](int a, int b, double area) { sum += badness(a, b, area); });
    return sum;
  }

  /// Of each element, counted from 0 in the order of their first element.
  [[nodiscard]] std::vector<int> domains() const {
    std::vector<int> number(owner_.size(), -1), domain(label_.size());
    int next = 0;
    for (std::size_t e = 0; e < label_.size(); ++e) {
      int& n = number[root(label_[e])];
      if (n < 0) n = next++;
      domain[e] = n;
    }
    return domain;
  }

 private:
  [[nodiscard]] int pieces() const { return static_cast<int>(owner_.size()); }
  [[nodiscard]] bool alive(int a) const { return owner_[a] == a; }
  [[nodiscard]] int root(int a) const {
    while (owner_[a] != a) a = owner_[a];
    return a;
  }

  template <class Visit>
  void for_each_interface(const Visit& visit) const {
    for (int a = 0; a < pieces(); ++a) {
      for (auto it = area_[a].upper_bound(a); it != area_[a].end(); ++it) visit(a, it->first, it->second);
    }
  }

  /// Area of a cut for the size of the pieces: small for a neck between large ones.
  [[nodiscard]] double badness(int a, int b, double area) const {
    const double size = 1.0 / (1.0 / volume_[a] + 1.0 / volume_[b]);
    return area / std::cbrt(size * size);
  }

  /// Interfaces that no loop runs through.                                              [Tarjan 1974]
  [[nodiscard]] std::set<std::pair<int, int>> find_bridges() const {
    struct Visit {
      int piece, parent;
      std::map<int, double>::const_iterator next;
    };
    std::set<std::pair<int, int>> bridges;
    std::vector<int> entered(owner_.size(), -1), low(owner_.size(), -1);
    int time = 0;
    for (int start = 0; start < pieces(); ++start) {
      if (!alive(start) || entered[start] >= 0) continue;
      std::vector<Visit> path{{start, -1, area_[start].begin()}};
      entered[start] = low[start] = time++;
      while (!path.empty()) {
        auto& [piece, parent, next] = path.back();
        if (next != area_[piece].end()) {
          const int other = (next++)->first;
          if (other == parent) continue;
          if (entered[other] >= 0) {
            low[piece] = std::min(low[piece], entered[other]);
          } else {
            entered[other] = low[other] = time++;
            path.push_back({other, piece, area_[other].begin()});
          }
          continue;
        }
        const int done = piece, above = parent;
        path.pop_back();
        if (above < 0) continue;
        low[above] = std::min(low[above], low[done]);
        if (low[done] > entered[above]) bridges.insert(std::minmax(done, above));
      }
    }
    return bridges;
  }

  /// Whether an interface consists of several patches that share no vertex.
  [[nodiscard]] bool has_patches(const DomainInterface& interface) const {
    std::map<int, int> first_with;  // face at each vertex
    UnionFind joined(static_cast<Index>(interface.faces.size()));
    for (int f = 0; f < static_cast<int>(interface.faces.size()); ++f) {
      for (const int v : faces_[interface.faces[f]].corners)
        joined.join(f, first_with.try_emplace(v, f).first->second);
    }
    std::map<int, double> area;
    for (int f = 0; f < static_cast<int>(interface.faces.size()); ++f)
      area[joined.root(f)] += faces_[interface.faces[f]].area;
    double largest = 0.0, second = 0.0;
    for (const auto& [patch, a] : area) {
      second = std::max(second, std::min(largest, a));
      largest = std::max(largest, a);
    }
    return second > smallest_patch * largest;
  }

  /// Joins all pieces of a tree on the way from one to another.
  void join_path(int from, int to) {
    std::vector<int> before(owner_.size(), -1), queue{from};
    before[from] = from;
    for (std::size_t i = 0; i < queue.size(); ++i) {
      for (const auto& [other, area] : area_[queue[i]]) {
        if (before[other] >= 0) continue;
        before[other] = queue[i];
        queue.push_back(other);
      }
    }
    for (int a = to; a != from; a = before[a]) join(root(a), root(before[a]));
  }

  const std::vector<SharedFace>& faces_;
  std::vector<int> label_;
  std::vector<int> owner_;  ///< the piece that a joined one belongs to, itself for others
  std::vector<double> elements_, volume_;
  std::vector<std::map<int, double>> area_;  ///< to each neighbour
  int count_ = 0;
};

VolumeMesh in_order(const VolumeMesh& mesh, const std::vector<int>& order) {
  VolumeMesh sorted = mesh;
  sorted.elements = mesh.elements(Eigen::all, order);
  for (std::size_t i = 0; i < order.size(); ++i) sorted.region[i] = mesh.region[order[i]];
  return sorted;
}

}  // namespace

Decomposition decompose_automatically(const VolumeMesh& mesh, int parts, std::span<const int> together) {
  check_mesh(mesh, "the mesh to decompose");
  require(parts >= 1, "{} domains asked for, expected at least 1", parts);
  require(parts <= mesh.element_count(), "{} domains asked for, but the mesh has {} elements", parts,
          mesh.element_count());
  const std::vector<int> order = sort_elements(mesh);
  const VolumeMesh sorted = in_order(mesh, order);
  const std::vector<SharedFace> faces = shared_faces(sorted);
  const std::vector<int> pieces = connected_elements(faces, std::vector<int>(order.size(), 0));
  require(pieces.empty() || *std::max_element(pieces.begin(), pieces.end()) == 0,
          "the mesh falls into {} pieces that share no face, expected one that hangs together",
          *std::max_element(pieces.begin(), pieces.end()) + 1);

  std::vector<int> best(order.size(), 0);
  int best_count = 1;
  double best_badness = std::numeric_limits<double>::infinity();
  if (parts > 1) {
    DualGraph graph = make_graph(faces, order.size());
    for (const double factor : pieces_per_domain) {
      const double wanted = std::ceil(factor * parts);
      // Pieces of fewer elements have no shape.
      if (factor > 1.0 && wanted > static_cast<double>(order.size()) / 16.0) break;
      const std::vector<int> label = partition(graph, static_cast<int>(wanted));
      PieceGraph tree(sorted, faces, connected_elements(faces, label));
      tree.join_fragments(smallest_fragment * static_cast<double>(order.size()) / wanted);
      tree.join_loops();
      tree.join_rings();
      tree.gather(sorted, together);
      tree.join_worst(parts);
      if (std::pair(-tree.count(), tree.badness()) >= std::pair(-best_count, best_badness)) continue;
      best = tree.domains();
      best_count = tree.count();
      best_badness = tree.badness();
    }
  }
  Decomposition result;
  result.domain.resize(order.size());
  for (std::size_t i = 0; i < order.size(); ++i) result.domain[order[i]] = best[i];
  for (int d = 0; d < best_count; ++d) result.names.push_back(fmt::format("part {}", d + 1));
  return result;
}

}  // namespace limber

#else

namespace limber {

Decomposition decompose_automatically(const VolumeMesh& /*mesh*/, int /*parts*/,
                                      std::span<const int> /*together*/) {
  throw Error(
      "this limber was built without METIS, which decomposes meshes; name regions or sets of elements "
      "instead");
}

}  // namespace limber

#endif
