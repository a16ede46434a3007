#include "limber/multidomain/model.hpp"

#include "limber/base/error.hpp"
#include "limber/base/text.hpp"
#include "limber/linalg/symmetric_eigen.hpp"
#include "limber/warp/rotation.hpp"

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

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

void check_domain(const Model& tree, Index i, std::string_view where) {
  const Domain& domain = tree.domains[static_cast<std::size_t>(i)];
  const auto parts = static_cast<int>(tree.parts.size());
  require(domain.part >= 0 && domain.part < parts, "{}: part {}, expected 0 to {}", where, domain.part,
          parts - 1);
  check_place(domain, where);
  if (i == 0) {
    require(domain.parent == -1 && domain.port == -1,
            "{}: the root has the parent {} and the port {}, expected -1", where, domain.parent, domain.port);
  } else {
    require(domain.parent >= 0 && domain.parent < i, "{}: the parent is {}, expected a domain before it",
            where, domain.parent);
    const auto ports = static_cast<int>(tree.part(domain.parent).ports.size());
    require(domain.port >= 0 && domain.port < ports, "{}: port {} of its parent, which has {}", where,
            domain.port, ports);
  }
  const ReducedModel& model = tree.part(i).model;
  check_copies(domain.vertices, model.simulation ? model.simulation->mesh.vertex_count() : 0, where,
               "vertices");
  check_copies(domain.surface_vertices, model.surface.mesh.vertex_count(), where, "surface vertices");
}

/// Numbers of vertices of the whole must be given for all domains or for none, and be no larger than there
/// are vertices.
void check_numbers(const Model& tree, std::vector<int> Domain::*numbers, std::string_view where,
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

/// Densities, volumes and scales may be good each and their product not.
void check_masses(const Model& tree, std::string_view where) {
  double whole = 0.0;
  for (Index i = 0; i < tree.domain_count(); ++i) {
    const Domain& domain = tree.domains[static_cast<std::size_t>(i)];
    double mass = 0.0;
    for (const ReducedRegion& region : tree.part(i).model.regions)
      mass += region.material.density * region.volume * domain.scale * domain.scale * domain.scale;
    whole += mass;
    require(std::isfinite(whole) && mass > 0.0,
            "{}: domain {} ('{}') has a mass of {} kg, expected a positive number; change its density or its "
            "scale",
            where, i, printable(domain.name), mass);
  }
}

}  // namespace

Index Model::coordinate_count() const {
  Index sum = 0;
  for (Index i = 0; i < domain_count(); ++i) sum += rank(i);
  return sum;
}

Index Model::depth() const {
  std::vector<Index> level(domains.size(), 1);
  for (std::size_t i = 1; i < domains.size(); ++i)
    level[i] = level[static_cast<std::size_t>(domains[i].parent)] + 1;
  return level.empty() ? 0 : *std::max_element(level.begin(), level.end());
}

void check_model(const Model& tree, std::string_view where) {
  require(!tree.domains.empty() && !tree.parts.empty(), "{}: the model has no domains", where);
  for (std::size_t k = 0; k < tree.parts.size(); ++k) {
    const ReducedPart& part = tree.parts[k];
    const std::string name = fmt::format("{}: part {} ('{}')", where, k, printable(part.model.name));
    check_model(part.model, name, 0);
    for (std::size_t p = 0; p < part.ports.size(); ++p)
      check_port(part.ports[p], part.model, fmt::format("{}: port {}", name, p));
  }
  std::set<std::string_view> names;
  for (Index i = 0; i < tree.domain_count(); ++i) {
    const Domain& domain = tree.domains[static_cast<std::size_t>(i)];
    check_domain(tree, i, fmt::format("{}: domain {} ('{}')", where, i, printable(domain.name)));
    require(names.insert(domain.name).second, "{}: two domains are called '{}'", where,
            printable(domain.name));
  }
  check_masses(tree, where);
  check_numbers(tree, &Domain::vertices, where, "vertices");
  check_numbers(tree, &Domain::surface_vertices, where, "surface vertices");
}

Model make_model(ReducedModel reduced, bool free) {
  Model model;
  model.name = reduced.name;
  model.description = reduced.description;
  model.free = free;
  model.domains.push_back({.name = reduced.name.empty() ? "body" : reduced.name});
  model.parts.push_back({std::move(reduced), {}});
  return model;
}

Model make_model(ReducedModel reduced) {
  require(reduced.simulation.has_value(),
          "{}: the reduced model was kept without its mesh, which alone says whether something holds it",
          reduced.name.empty() ? "a body" : reduced.name);
  const bool free = reduced.simulation->fixed.empty();
  return make_model(std::move(reduced), free);
}

std::vector<PartSettings> settings_of(const Model& model) {
  std::vector<PartSettings> settings;
  settings.reserve(model.parts.size());
  for (const ReducedPart& part : model.parts) settings.push_back({part.model.materials(), part.model.rank});
  return settings;
}

void check_settings(const Model& model, const std::vector<PartSettings>& settings) {
  require(settings.size() == model.parts.size(), "settings for {} parts, the model has {}", settings.size(),
          model.parts.size());
  for (std::size_t i = 0; i < settings.size(); ++i) {
    const ReducedModel& part = model.parts[i].model;
    const Index least = std::min<Index>(1, part.rank);
    require(settings[i].rank >= least && settings[i].rank <= part.rank,
            "the rank of part '{}' is {}, expected {} to {}", part.name, settings[i].rank, least, part.rank);
    require(settings[i].materials.size() == part.regions.size(),
            "{} materials for part '{}', expected one for each of its {} regions",
            settings[i].materials.size(), part.name, part.regions.size());
    for (const Material& material : settings[i].materials) check_material(material);
  }
}

const ReducedModel& single_domain(const Model& model, std::string_view where) {
  require(model.domain_count() == 1, "{}: is a tree of {} domains, expected a body that was reduced as one",
          where, model.domain_count());
  return model.parts[static_cast<std::size_t>(model.domains.front().part)].model;
}

}  // namespace limber
