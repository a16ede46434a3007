#include "limber/base/error.hpp"
#include "limber/mesh/embedding.hpp"
#include "limber/multidomain/decompose.hpp"
#include "limber/multidomain/domain_graph.hpp"

#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <utility>

namespace limber {
namespace {

std::size_t at(int i) { return static_cast<std::size_t>(i); }

std::string list_of(const std::vector<std::string>& names, const std::vector<int>& domains) {
  std::vector<std::string> quoted;
  for (const int d : domains) quoted.push_back(fmt::format("'{}'", names[at(d)]));
  return fmt::format("{}", fmt::join(quoted, ", "));
}

void check_decomposition(const VolumeMesh& mesh, const Decomposition& decomposition,
                         const std::vector<SharedFace>& faces) {
  const auto& [domain, names] = decomposition;
  require(static_cast<Index>(domain.size()) == mesh.element_count(),
          "{} elements are shared out among domains, the mesh has {}", domain.size(), mesh.element_count());
  std::vector<int> piece_of(names.size(), -1);
  const std::vector<int> piece = connected_elements(faces, domain);
  for (std::size_t e = 0; e < domain.size(); ++e) {
    require(domain[e] >= 0 && domain[e] < static_cast<int>(names.size()),
            "element {} is in domain {}, but there are domains 0 to {}", e, domain[e],
            static_cast<int>(names.size()) - 1);
    int& known = piece_of[at(domain[e])];
    if (known < 0) known = piece[e];
    require(known == piece[e],
            "domain '{}' does not hang together: some of its elements share no face with the others",
            names[at(domain[e])]);
  }
  std::set<std::string_view> seen;
  for (std::size_t d = 0; d < names.size(); ++d) {
    require(piece_of[d] >= 0, "domain '{}' has no elements; leave it out", names[d]);
    require(seen.insert(names[d]).second, "two domains are named '{}'; expected a name for each", names[d]);
  }
}

/// The domains as seen from one of them.
struct Rooted {
  std::vector<int> order;      ///< parents first
  std::vector<int> parent;     ///< -1 for the root and for what it does not reach
  std::vector<int> interface;  ///< to the parent
  std::vector<int> depth;      ///< -1: not reached
  int closing = -1;            ///< an interface that closes a loop, if there is one
};

Rooted root_at(int root, std::size_t count, const std::vector<DomainInterface>& interfaces) {
  std::vector<std::vector<std::pair<int, int>>> neighbours(count);  // domain, interface
  for (std::size_t i = 0; i < interfaces.size(); ++i) {
    neighbours[at(interfaces[i].first)].emplace_back(interfaces[i].second, static_cast<int>(i));
    neighbours[at(interfaces[i].second)].emplace_back(interfaces[i].first, static_cast<int>(i));
  }
  Rooted tree{
      {root}, std::vector<int>(count, -1), std::vector<int>(count, -1), std::vector<int>(count, -1), -1};
  tree.depth[at(root)] = 0;
  for (std::size_t next = 0; next < tree.order.size(); ++next) {
    const int d = tree.order[next];
    for (const auto& [other, interface] : neighbours[at(d)]) {
      if (interface == tree.interface[at(d)]) continue;
      if (tree.depth[at(other)] >= 0) {
        if (tree.closing < 0) tree.closing = interface;
        continue;
      }
      tree.parent[at(other)] = d;
      tree.interface[at(other)] = interface;
      tree.depth[at(other)] = tree.depth[at(d)] + 1;
      tree.order.push_back(other);
    }
  }
  return tree;
}

/// The domains of the loop that an interface closes, in order.
std::vector<int> loop_of(const Rooted& tree, const DomainInterface& closing) {
  int a = closing.first, b = closing.second;
  std::vector<int> up{a}, down{b};
  while (a != b) {
    if (tree.depth[at(a)] >= tree.depth[at(b)]) {
      up.push_back(a = tree.parent[at(a)]);
    } else {
      down.push_back(b = tree.parent[at(b)]);
    }
  }
  down.pop_back();  // where both met
  std::vector<int> loop(up.rbegin(), up.rend());
  loop.insert(loop.end(), down.begin(), down.end());
  return loop;
}

void check_connections(const Rooted& tree, const std::vector<DomainInterface>& interfaces,
                       const std::vector<std::string>& names) {
  if (tree.closing >= 0) {
    throw Error("domains {} form a loop; join some of them",
                list_of(names, loop_of(tree, interfaces[at(tree.closing)])));
  }
  std::vector<int> apart;
  for (std::size_t d = 0; d < names.size(); ++d) {
    if (tree.depth[d] < 0) apart.push_back(static_cast<int>(d));
  }
  require(apart.empty(), "no interface joins {} {} to the domain '{}'; expected domains that share faces",
          apart.size() == 1 ? "domain" : "domains", list_of(names, apart), names[at(tree.order[0])]);
}

/// For each domain how many of the fixed vertices it has; and how many there are that elements use.
std::pair<std::vector<int>, int> count_fixed(const DecomposedBody& body, const Decomposition& decomposition) {
  std::vector<std::set<int>> domains_of(at(static_cast<int>(body.mesh.vertex_count())));
  std::vector<char> fixed(domains_of.size(), 0);
  for (const int v : body.fixed) {
    require(v >= 0 && v < body.mesh.vertex_count(), "vertex {} is fixed, but the mesh has vertices 0 to {}",
            v, body.mesh.vertex_count() - 1);
    fixed[at(v)] = 1;
  }
  for (Index e = 0; e < body.mesh.element_count(); ++e) {
    for (const int v : body.mesh.elements.col(e)) {
      if (fixed[at(v)]) domains_of[at(v)].insert(decomposition.domain[static_cast<std::size_t>(e)]);
    }
  }
  std::vector<int> count(decomposition.names.size(), 0);
  int all = 0;
  for (const std::set<int>& domains : domains_of) {
    for (const int d : domains) ++count[at(d)];
    if (!domains.empty()) ++all;
  }
  return {std::move(count), all};
}

/// Those that may be the root: asked for, or holding all fixed vertices.
std::vector<int> possible_roots(const DecomposedBody& body, const Decomposition& decomposition,
                                std::string_view root) {
  const std::vector<std::string>& names = decomposition.names;
  const auto [count, all] = count_fixed(body, decomposition);
  std::vector<int> possible, holding;
  for (std::size_t d = 0; d < names.size(); ++d) {
    if (count[d] == all) possible.push_back(static_cast<int>(d));
    if (count[d] > 0) holding.push_back(static_cast<int>(d));
  }
  if (!root.empty()) {
    const auto found = std::find(names.begin(), names.end(), root);
    require(found != names.end(), "no domain is named '{}', which shall be the root", root);
    const int d = static_cast<int>(found - names.begin());
    require(std::find(possible.begin(), possible.end(), d) != possible.end(),
            "the root '{}' has {} of {} fixed vertices; the others are in domains {}", root, count[at(d)],
            all, list_of(names, holding));
    return {d};
  }
  require(!possible.empty(),
          "fixed vertices are in several domains ({}), expected in one: the root; join them or fix fewer",
          list_of(names, holding));
  return possible;
}

/// Of the possible roots the one that makes the shallowest tree, then the one with the most elements.
Rooted choose_root(const std::vector<int>& possible, const Decomposition& decomposition,
                   const std::vector<DomainInterface>& interfaces) {
  std::optional<Rooted> best;
  std::pair<int, std::ptrdiff_t> best_cost;
  for (const int d : possible) {
    Rooted tree = root_at(d, decomposition.names.size(), interfaces);
    check_connections(tree, interfaces, decomposition.names);
    const std::pair cost{*std::max_element(tree.depth.begin(), tree.depth.end()),
                         -std::count(decomposition.domain.begin(), decomposition.domain.end(), d)};
    if (best && best_cost <= cost) continue;
    best = std::move(tree);
    best_cost = cost;
  }
  return *std::move(best);
}

/// The vertices of an interface, ascending, with the area that is theirs.
std::map<int, double> shares_of(const DomainInterface& interface, const std::vector<SharedFace>& faces) {
  std::map<int, double> shares;
  for (const int f : interface.faces) {
    const SharedFace& face = faces[at(f)];
    for (int k = 0; k < face.corner_count; ++k) shares[face.corners[at(k)]] += face.area / face.corner_count;
  }
  return shares;
}

/// Vertices, regions or parts that a domain uses, with their numbers there.
class Selection {
 public:
  explicit Selection(Index count) : local_(static_cast<std::size_t>(count), -1) {}

  void mark(int i) { local_[at(i)] = 0; }
  /// Numbers what was marked, in the order of the whole.
  void number() {
    for (std::size_t i = 0; i < local_.size(); ++i) {
      if (local_[i] < 0) continue;
      local_[i] = static_cast<int>(chosen_.size());
      chosen_.push_back(static_cast<int>(i));
    }
  }
  [[nodiscard]] int local(int i) const { return local_[at(i)]; }
  [[nodiscard]] const std::vector<int>& chosen() const { return chosen_; }

 private:
  std::vector<int> local_, chosen_;
};

Matrix3X moved(const Matrix3X& vertices, const std::vector<int>& chosen, const Vector3& origin) {
  Matrix3X x = vertices(Eigen::all, chosen);
  x.colwise() -= origin;
  return x;
}

/// Lists of the elements or triangles of each domain, ascending.
std::vector<std::vector<int>> group(const std::vector<int>& domain, std::size_t count) {
  std::vector<std::vector<int>> lists(count);
  for (std::size_t i = 0; i < domain.size(); ++i) lists[at(domain[i])].push_back(static_cast<int>(i));
  return lists;
}

/// What is drawn, and the triangles of each domain.
struct Drawn {
  SurfaceMesh surface;
  std::vector<std::vector<int>> triangles;
};

Drawn find_drawn(const DecomposedBody& body, const Decomposition& decomposition) {
  Drawn drawn;
  std::vector<int> owner;  // the element of each triangle, then its domain
  if (body.render.triangle_count() > 0) {
    drawn.surface = body.render;
    check_surface(drawn.surface, "the surface to draw");
    Matrix3X centres = Matrix3X::Zero(3, drawn.surface.triangle_count());
    for (int k = 0; k < 3; ++k)
      centres += drawn.surface.vertices(Eigen::all, drawn.surface.triangles.row(k)) / 3.0;
    owner = embed_points(body.mesh, centres).element;
  } else {
    drawn.surface = boundary_surface(body.mesh);
    owner = boundary_faces(body.mesh).element;
  }
  require(body.colors.empty() || body.colors.size() == drawn.surface.parts.size(),
          "{} colours for a surface of {} parts, expected one each or none", body.colors.size(),
          drawn.surface.parts.size());
  for (int& e : owner) e = decomposition.domain[at(e)];
  drawn.triangles = group(owner, decomposition.names.size());
  return drawn;
}

/// Takes over some triangles, without the parts and vertices that they do not use.
void add_surface(const SurfaceMesh& whole, const std::vector<int>& triangles,
                 const std::vector<Vector3>& colors, Part& part, Placement& placement) {
  Selection vertices(whole.vertex_count()), parts(static_cast<Index>(whole.parts.size()));
  for (const int t : triangles) {
    parts.mark(whole.part[at(t)]);
    for (const int v : whole.triangles.col(t)) vertices.mark(v);
  }
  vertices.number();
  parts.number();
  SurfaceMesh& surface = part.render;
  surface.vertices = moved(whole.vertices, vertices.chosen(), placement.position);
  surface.triangles = whole.triangles(Eigen::all, triangles);
  for (int& v : surface.triangles.reshaped()) v = vertices.local(v);
  for (const int t : triangles) surface.part.push_back(parts.local(whole.part[at(t)]));
  for (const int p : parts.chosen()) {
    surface.parts.push_back(whole.parts[at(p)]);
    if (!colors.empty()) part.colors.push_back(colors[at(p)]);
  }
  placement.surface_vertices = vertices.chosen();
}

/// Takes over some elements, without the regions and vertices that they do not use.
void add_mesh(const DecomposedBody& body, const std::vector<int>& elements, Part& part,
              Placement& placement) {
  const VolumeMesh& whole = body.mesh;
  Selection vertices(whole.vertex_count()), regions(static_cast<Index>(whole.regions.size()));
  for (const int e : elements) {
    regions.mark(whole.region[at(e)]);
    for (const int v : whole.elements.col(e)) vertices.mark(v);
  }
  vertices.number();
  regions.number();
  VolumeMesh& mesh = part.mesh;
  mesh.kind = whole.kind;
  mesh.vertices = moved(whole.vertices, vertices.chosen(), placement.position);
  mesh.elements = whole.elements(Eigen::all, elements);
  for (int& v : mesh.elements.reshaped()) v = vertices.local(v);
  for (const int e : elements) mesh.region.push_back(regions.local(whole.region[at(e)]));
  for (const int r : regions.chosen()) {
    mesh.regions.push_back(whole.regions[at(r)]);
    part.materials.push_back(body.materials[at(r)]);
  }
  placement.vertices = vertices.chosen();
}

/// Number of a vertex of the whole in a part, which has it.
int local_vertex(const Placement& placement, int vertex) {
  const auto found = std::lower_bound(placement.vertices.begin(), placement.vertices.end(), vertex);
  return static_cast<int>(found - placement.vertices.begin());
}

/// Holds a part where it touches its parent, and makes a site of that there.
void attach(const std::map<int, double>& shares, PartTree& tree, Part& part, Placement& placement) {
  Part& parent = tree.parts[at(placement.parent)];
  placement.site = static_cast<int>(parent.sites.size());
  AttachmentSite& site = parent.sites.emplace_back();
  site.name = part.name;
  for (const auto& [v, share] : shares) {
    part.fixed.push_back(local_vertex(placement, v));
    site.vertices.push_back(local_vertex(tree.placements[at(placement.parent)], v));
    site.weights.push_back(share);
  }
}

/// Where an interface has its centre.
Vector3 center_of(const std::map<int, double>& shares, const Matrix3X& vertices) {
  Vector3 sum = Vector3::Zero();
  double area = 0.0;
  for (const auto& [v, share] : shares) {
    sum += share * vertices.col(v);
    area += share;
  }
  return sum / area;
}

/// The fixed vertices that elements use, in the numbers of the root.
std::vector<int> fixed_of_root(const DecomposedBody& body, const Placement& root) {
  std::set<int> fixed;
  for (const int v : body.fixed) {
    if (std::binary_search(root.vertices.begin(), root.vertices.end(), v))
      fixed.insert(local_vertex(root, v));
  }
  return {fixed.begin(), fixed.end()};
}

}  // namespace

PartTree make_parts(const DecomposedBody& body, const Decomposition& decomposition, std::string_view root) {
  check_mesh(body.mesh, "the mesh to decompose");
  require(body.materials.size() == body.mesh.regions.size(), "{} materials for {} regions, expected one each",
          body.materials.size(), body.mesh.regions.size());
  const std::vector<SharedFace> faces = shared_faces(body.mesh);
  check_decomposition(body.mesh, decomposition, faces);
  const std::vector<DomainInterface> interfaces = find_interfaces(faces, decomposition.domain);
  const Rooted rooted = choose_root(possible_roots(body, decomposition, root), decomposition, interfaces);
  const Drawn drawn = find_drawn(body, decomposition);
  const auto elements = group(decomposition.domain, decomposition.names.size());

  PartTree tree;
  tree.free = body.fixed.empty();
  auto hidden = static_cast<int>(drawn.surface.vertex_count());  // numbers for domains within others
  std::vector<int> placement_of(decomposition.names.size(), -1);
  for (const int d : rooted.order) {
    Part part;
    Placement placement;
    part.name = placement.name = decomposition.names[at(d)];
    placement.part = placement_of[at(d)] = static_cast<int>(tree.parts.size());
    const bool is_root = rooted.parent[at(d)] < 0;
    std::map<int, double> shares;
    if (!is_root) {
      placement.parent = placement_of[at(rooted.parent[at(d)])];
      shares = shares_of(interfaces[at(rooted.interface[at(d)])], faces);
      placement.position = center_of(shares, body.mesh.vertices);
    }
    add_mesh(body, elements[at(d)], part, placement);
    if (!drawn.triangles[at(d)].empty()) {
      add_surface(drawn.surface, drawn.triangles[at(d)], body.colors, part, placement);
    } else {
      for (Index i = boundary_surface(part.mesh).vertex_count(); i > 0; --i)
        placement.surface_vertices.push_back(hidden++);
    }
    if (is_root) {
      part.fixed = fixed_of_root(body, placement);
    } else {
      attach(shares, tree, part, placement);
    }
    tree.parts.push_back(std::move(part));
    tree.placements.push_back(std::move(placement));
  }
  check_parts(tree, "the decomposed body");
  return tree;
}

}  // namespace limber
