#include "limber/multidomain/domain_tree.hpp"

#include "limber/base/error.hpp"
#include "limber/base/text.hpp"
#include "limber/linalg/symmetric_eigen.hpp"
#include "limber/warp/rotation.hpp"

#include <algorithm>
#include <cmath>
#include <set>

namespace limber {
namespace {

constexpr double covariance_tolerance = 1e-9;  ///< as for make_port(), with room for rounding
constexpr double symmetry_tolerance = 1e-9;
constexpr double weight_tolerance = 1e-6;  ///< of their sum to 1

template <class Derived>
void check_array(const Eigen::MatrixBase<Derived>& values, Index rows, Index cols, std::string_view where,
                 std::string_view what) {
  require(values.rows() == rows && values.cols() == cols, "{}: {} is {} x {}, expected {} x {}", where, what,
          values.rows(), values.cols(), rows, cols);
  require(values.allFinite(), "{}: {} has entries that are not finite", where, what);
}

void check_symmetric(const Matrix3& values, std::string_view where, std::string_view what) {
  require((values - values.transpose()).cwiseAbs().maxCoeff() <=
              symmetry_tolerance * values.cwiseAbs().maxCoeff(),
          "{}: {} is not symmetric", where, what);
}

void check_inertia(const DomainInertia& inertia, Index rank, std::string_view where) {
  require(std::isfinite(inertia.mass) && inertia.mass > 0.0,
          "{}: the mass is {}, expected a positive number of kg", where, inertia.mass);
  check_array(inertia.first, 3, 1, where, "the first moment");
  check_array(inertia.second, 3, 3, where, "the second moment");
  check_symmetric(inertia.second, where, "the second moment");
  check_array(inertia.first_rows, 3, rank, where, "the first moment of the modes");
  check_array(inertia.second_rows, 9, rank, where, "the second moment of the modes");
  check_array(inertia.second_pairs, 9, rank * rank, where, "the second moment of pairs of modes");
}

void check_port(const InterfacePort& port, const ReducedModel& model, std::string_view where) {
  require(port.vertices.size() >= 3, "{}: {} vertices, expected at least three", where, port.vertices.size());
  if (model.simulation) {
    const Index count = model.simulation->mesh.vertex_count();
    for (const int v : port.vertices)
      require(v >= 0 && v < count, "{}: vertex {}, expected 0 to {}", where, v, count - 1);
  }
  check_array(port.weights, static_cast<Index>(port.vertices.size()), 1, where, "the array of weights");
  require(port.weights.minCoeff() > 0.0 && std::abs(port.weights.sum() - 1.0) <= weight_tolerance,
          "{}: weights must be positive and add up to 1", where);
  check_array(port.center, 3, 1, where, "the centre");
  check_array(port.center_rows, 3, model.rank, where, "the motion of the centre");
  check_array(port.covariance, 3, 3, where, "the covariance");
  check_symmetric(port.covariance, where, "the covariance");
  check_array(port.covariance_rows, 9, model.rank, where, "the motion of the covariance");
  const Vector3 spread = symmetric_eigen3(port.covariance).values;
  require(spread(0) >= -covariance_tolerance * spread(2) && spread(2) > 0.0 &&
              spread(1) > covariance_tolerance * spread(2),
          "{}: its vertices are on one line, so that nothing says how it turns", where);
}

void check_copies(const std::vector<int>& copies, Index count, std::string_view where,
                  std::string_view what) {
  if (copies.empty()) return;
  require(static_cast<Index>(copies.size()) == count, "{}: {} numbers of {}, expected {}", where,
          copies.size(), what, count);
  for (const int v : copies) require(v >= 0, "{}: a number of {} is {}, expected 0 or more", where, what, v);
}

void check_place(const Domain& domain, std::string_view where) {
  require(domain.position.allFinite(), "{}: the position has entries that are not finite", where);
  require(is_unit(domain.rotation), "{}: the rotation is no quaternion of unit length", where);
  require(std::isfinite(domain.scale) && domain.scale > 0.0,
          "{}: the scale is {}, expected a positive number", where, domain.scale);
  require(std::isfinite(domain.stiffness) && domain.stiffness > 0.0,
          "{}: the stiffness is {}, expected a positive factor", where, domain.stiffness);
}

void check_domain(const DomainTree& tree, Index i, std::string_view where) {
  const Domain& domain = tree.domains[static_cast<std::size_t>(i)];
  const auto kinds = static_cast<int>(tree.kinds.size());
  require(domain.kind >= 0 && domain.kind < kinds, "{}: kind {}, expected 0 to {}", where, domain.kind,
          kinds - 1);
  check_place(domain, where);
  if (i == 0) {
    require(domain.parent == -1 && domain.port == -1,
            "{}: the root has the parent {} and the port {}, expected -1", where, domain.parent, domain.port);
  } else {
    require(domain.parent >= 0 && domain.parent < i, "{}: the parent is {}, expected a domain before it",
            where, domain.parent);
    const auto ports = static_cast<int>(tree.kind(domain.parent).ports.size());
    require(domain.port >= 0 && domain.port < ports, "{}: port {} of its parent, which has {}", where,
            domain.port, ports);
  }
  const ReducedModel& model = tree.kind(i).model;
  check_copies(domain.vertices, model.simulation ? model.simulation->mesh.vertex_count() : 0, where,
               "vertices");
  check_copies(domain.surface_vertices, model.surface.mesh.vertex_count(), where, "surface vertices");
}

/// Numbers of vertices of the whole must be given for all domains or for none, and be no larger than there
/// are vertices.
void check_numbers(const DomainTree& tree, std::vector<int> Domain::*numbers, std::string_view where,
                   std::string_view what) {
  const auto given = static_cast<std::size_t>(std::count_if(
      tree.domains.begin(), tree.domains.end(), [&](const Domain& d) { return !(d.*numbers).empty(); }));
  if (given == 0) return;
  require(given == tree.domains.size(),
          "{}: {} of {} domains say which {} of the whole they have, expected all or none", where, given,
          tree.domains.size(), what);
  std::size_t copies = 0;
  int last = -1;
  for (const Domain& domain : tree.domains) {
    copies += (domain.*numbers).size();
    for (const int v : domain.*numbers) last = std::max(last, v);
  }
  require(static_cast<std::size_t>(last) < copies,
          "{}: the number {} of {} is too large: there are {} of them at most", where, last, what, copies);
}

}  // namespace

Index DomainTree::coordinate_count() const {
  Index sum = 0;
  for (Index i = 0; i < domain_count(); ++i) sum += rank(i);
  return sum;
}

Index DomainTree::depth() const {
  std::vector<Index> level(domains.size(), 1);
  for (std::size_t i = 1; i < domains.size(); ++i)
    level[i] = level[static_cast<std::size_t>(domains[i].parent)] + 1;
  return level.empty() ? 0 : *std::max_element(level.begin(), level.end());
}

void check_tree(const DomainTree& tree, std::string_view where) {
  require(!tree.domains.empty() && !tree.kinds.empty(), "{}: the tree has no domains", where);
  for (std::size_t k = 0; k < tree.kinds.size(); ++k) {
    const DomainKind& kind = tree.kinds[k];
    const std::string name = fmt::format("{}: kind {} ('{}')", where, k, printable(kind.model.name));
    check_model(kind.model, name, 0);
    check_inertia(kind.inertia, kind.model.rank, name);
    for (std::size_t p = 0; p < kind.ports.size(); ++p)
      check_port(kind.ports[p], kind.model, fmt::format("{}: port {}", name, p));
  }
  std::set<std::string_view> names;
  for (Index i = 0; i < tree.domain_count(); ++i) {
    const Domain& domain = tree.domains[static_cast<std::size_t>(i)];
    check_domain(tree, i, fmt::format("{}: domain {} ('{}')", where, i, printable(domain.name)));
    require(names.insert(domain.name).second, "{}: two domains are called '{}'", where,
            printable(domain.name));
  }
  check_numbers(tree, &Domain::vertices, where, "vertices");
  check_numbers(tree, &Domain::surface_vertices, where, "surface vertices");
}

}  // namespace limber
