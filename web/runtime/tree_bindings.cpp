// Trees of domains as JavaScript sees them; what they have in common with bodies is in bindings.cpp.

#include "bindings.hpp"
#include "limber/base/error.hpp"

#include <algorithm>
#include <emscripten.h>

namespace limber::bindings {
namespace {

constexpr Index root_size = 7;

double largest_row(const Eigen::MatrixXf& basis, Index column) {
  const auto rows = basis.col(column).reshaped(3, basis.rows() / 3).cast<double>();
  return rows.cols() > 0 ? std::sqrt(rows.colwise().squaredNorm().maxCoeff()) : 0.0;
}

}  // namespace

nlohmann::json describe_tree(const DomainTree& tree, const TreeSurface& surface) {
  nlohmann::json kinds = nlohmann::json::array(), domains = nlohmann::json::array();
  for (const DomainKind& kind : tree.kinds) {
    kinds.push_back({{"name", kind.model.name}, {"rank", kind.model.rank}});
  }
  for (const Domain& domain : tree.domains) {
    domains.push_back({{"name", domain.name},
                       {"kind", domain.kind},
                       {"parent", domain.parent},
                       {"stiffness", domain.stiffness}});
  }
  return {{"tree",
           {{"name", tree.name},
            {"description", tree.description},
            {"free", tree.free},
            {"depth", tree.depth()},
            {"coordinateCount", tree.coordinate_count()},
            {"kinds", kinds},
            {"domains", domains},
            {"vertexCount", surface.mesh().vertex_count()},
            {"triangleCount", surface.mesh().triangle_count()}}},
          {"parts", describe_parts(surface.mesh(), surface.colors())}};
}

void prepare(Entry& entry, const LiveTree& live) {
  const DomainTree& tree = live.tree();
  entry.reach.resize(live.dynamics().coordinate_count());
  std::vector<Vector> reach;  // of the kinds
  for (const DomainKind& kind : tree.kinds) {
    Vector& own = reach.emplace_back(kind.model.rank);
    for (Index i = 0; i < own.size(); ++i) own(i) = largest_row(kind.model.surface.basis, i);
  }
  for (Index d = 0; d < tree.domain_count(); ++d) {
    const Domain& domain = tree.domains[static_cast<std::size_t>(d)];
    const Index triangles = tree.kind(d).model.surface.mesh.triangle_count();
    entry.triangle_domains.insert(entry.triangle_domains.end(), static_cast<std::size_t>(triangles),
                                  static_cast<int>(d));
    entry.reach.segment(live.dynamics().first_coordinate(d), tree.rank(d)) =
        domain.scale * reach[static_cast<std::size_t>(domain.kind)];
  }
}

void give_array(const Entry& entry, const LiveTree& tree, Array which) {
  const TreeSurface& surface = tree.surface();
  if (which == Array::vertices) return give_array(surface.mesh().vertices);
  if (which == Array::triangles) return give_array(surface.mesh().triangles);
  if (which == Array::triangle_parts) return give_array(surface.mesh().part);
  if (which == Array::vertex_domains) return give_array(surface.domains());
  if (which == Array::triangle_domains) return give_array(entry.triangle_domains);
  if (which == Array::reach) return give_array(entry.reach);
  give_array(nullptr, 0);
}

void take_steps(LiveTree& tree, double h, int count, int iterations, bool conjugate_gradient) {
  require(!conjugate_gradient, "trees of domains are solved directly; leave the solver 'cg' out");
  const NewmarkOptions options = tree_newmark(iterations);
  for (int i = 0; i < count; ++i) {
    const SolveReport report = tree.step(h, options);
    require(report.ok(), "a step of {} s failed ({}); take smaller ones, or reset the tree", h,
            name_of(report.status));
  }
}

Index state_size(const LiveTree& tree) {
  return tree.dynamics().coordinate_count() + (tree.tree().free ? root_size : 0);
}

void give_state(Entry& entry, const LiveTree& tree) {
  const TreeState& state = tree.dynamics().state();
  entry.q.resize(state_size(tree));
  entry.v.resize(state_size(tree));
  entry.q.head(state.q.size()) = state.q;
  entry.v.head(state.v.size()) = state.v;
  if (tree.tree().free) {
    const RootState& root = state.root;
    entry.q.tail(root_size) << root.position, root.rotation.coeffs();
    entry.v.tail(root_size) << root.velocity, root.angular_velocity, 0.0;
  }
  give(state.time, entry.q.size(), address_of(entry.q.data()), address_of(entry.v.data()));
}

void set_state(LiveTree& tree, const Vector& q, const Vector& v) {
  require(q.allFinite() && v.allFinite(), "the state has entries that are not finite");
  TreeState state = tree.dynamics().state();
  const Index count = tree.dynamics().coordinate_count();
  state.q = q.head(count);
  state.v = v.head(count);
  if (tree.tree().free) {
    const auto place = q.tail(root_size), motion = v.tail(root_size);
    state.root.position = place.head<3>();
    state.root.rotation = Eigen::Quaterniond(place(6), place(3), place(4), place(5)).normalized();
    state.root.velocity = motion.head<3>();
    state.root.angular_velocity = motion.segment<3>(3);
  }
  tree.dynamics().set_state(state);
}

}  // namespace limber::bindings

using namespace limber;
using namespace limber::bindings;

extern "C" {

EMSCRIPTEN_KEEPALIVE bool limber_set_domain_stiffness(int number, int domain, double factor) {
  return guarded([&] { find_tree(number).dynamics().set_stiffness(domain, factor); });
}

EMSCRIPTEN_KEEPALIVE bool limber_domain_stiffness(int number, int domain) {
  return guarded([&] { give(find_tree(number).dynamics().stiffness(domain)); });
}

/// Numbers as in SubtreeInertia.
EMSCRIPTEN_KEEPALIVE bool limber_set_inertia(int number, int inertia) {
  return guarded([&] { find_tree(number).dynamics().set_inertia(static_cast<SubtreeInertia>(inertia)); });
}

EMSCRIPTEN_KEEPALIVE bool limber_inertia(int number) {
  return guarded([&] { give(static_cast<int>(find_tree(number).dynamics().inertia())); });
}

EMSCRIPTEN_KEEPALIVE bool limber_set_wind(int number, double x, double y, double z, double gusts) {
  return guarded([&] { find_tree(number).dynamics().set_wind({.velocity = {x, y, z}, .gusts = gusts}); });
}

EMSCRIPTEN_KEEPALIVE bool limber_lowest_frequency(int number) {
  return guarded([&] { give(find_tree(number).lowest_frequency()); });
}

/// Domain (-1: none), m, and share of the size of its interface.
EMSCRIPTEN_KEEPALIVE bool limber_largest_gap(int number) {
  return guarded([&] {
    const InterfaceGap gap = find_tree(number).dynamics().largest_gap();
    give(gap.domain, gap.largest, gap.share);
  });
}

}  // extern "C"
