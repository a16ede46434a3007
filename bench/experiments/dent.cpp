// How much bodies in a subspace give way where they are touched, and what that costs their motion.
//   dent [NAME...]
// NAME: block, octopus, held-octopus, heart or small (seconds); all but small by default. Prints a table of
// docs/precomputation.md.

#include "limber/base/error.hpp"
#include "limber/base/random.hpp"
#include "limber/basis/contact_responses.hpp"
#include "limber/basis/energy_pca.hpp"
#include "limber/basis/linear_modes.hpp"
#include "limber/bodies/builtin.hpp"
#include "limber/full/statics.hpp"
#include "limber/linalg/cholesky.hpp"
#include "limber/linalg/symmetric_eigen.hpp"
#include "limber/precompute/reduce.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace limber::bench {
namespace {

constexpr Index modes_compared = 10;
constexpr int places = 40;         // of the surface, random ones
constexpr double far_moved = 0.8;  // of the size, by the linear body under the weight of the last column

struct Subject {
  std::string name;
  FullModel model;
};

FullModel make_block(int cells) {
  const VolumeMesh mesh =
      make_builtin(fmt::format("builtin:beam?size=0.2,0.2,0.2&cells={0},{0},{0}", cells)).mesh;
  return {mesh, {{make_law("stvk", lame_from_young(1e6, 0.4)), 1000.0}}, {}};
}

/// St. Venant-Kirchhoff, as all laws are where they are at rest.
FullModel make_body(const std::string& builtin, bool free) {
  BuiltinBody body = make_builtin(builtin);
  for (Material& material : body.materials) material.law = make_law("stvk", lame_of(material.law));
  return {body.mesh, body.materials, free ? std::vector<int>{} : body.fixed};
}

Subject make_subject(const std::string& name) {
  if (name == "block") return {name, make_block(12)};
  if (name == "small") return {name, make_block(6)};
  if (name == "octopus") return {"octopus, free", make_body("builtin:octopus", true)};
  if (name == "held-octopus") return {"octopus, held", make_body("builtin:octopus", false)};
  require(name == "heart", "no body '{}'; there are block, octopus, held-octopus, heart and small", name);
  return {"heart, held", make_body("builtin:heart", false)};
}

/// Even pressure on all that is near and turned to the same side: sharper than what --contact is made of.
/// radius: m, 0: the vertex alone; infinite: all that is turned to within 45 degrees, a whole face.
Vector pressure(const FullModel& model, const BoundaryAreas& areas, int center, double radius) {
  constexpr double within = 0.7;  // of the cosine: the edges of a block have 0.7071
  const Matrix3X& x = model.mesh().vertices;
  const Vector3 outward = areas.vectors.col(center).normalized();
  Matrix3X load = Matrix3X::Zero(3, x.cols());
  for (const int v : areas.vertices) {
    const bool turned =
        areas.vectors.col(v).normalized().dot(outward) > (std::isfinite(radius) ? 0.0 : within);
    if (v == center || (turned && (x.col(v) - x.col(center)).norm() <= radius * (1.0 + 1e-9)))
      load.col(v) = -areas.vectors.col(v);
  }
  return model.dofs().restrict(load);
}

/// Responses of the full body to pressure of four sizes at many places.
std::vector<Matrix> true_responses(RestStiffness& rest, const BoundaryAreas& areas) {
  const FullModel& model = rest.model();
  std::vector<int> centers;
  Random random(7);
  while (centers.size() < places) {
    const auto i = static_cast<std::size_t>(random.uniform() * static_cast<double>(areas.vertices.size()));
    if (model.dofs().free_index(areas.vertices[i]) >= 0) centers.push_back(areas.vertices[i]);
  }
  std::vector<Matrix> responses;
  for (const double radius : {0.0, 0.1, 0.25, std::numeric_limits<double>::infinity()}) {
    Matrix loads(model.dof_count(), places), shapes(model.dof_count(), places);
    for (Index i = 0; i < places; ++i)
      loads.col(i) = pressure(model, areas, centers[static_cast<std::size_t>(i)], radius * areas.size);
    require(rest.solve(loads, shapes).ok(), "the full responses were not found");
    responses.push_back(std::move(shapes));
  }
  return responses;
}

/// Largest and mean error of the lowest frequencies, which a subspace makes too high.
std::pair<double, double> frequency_error(const RestStiffness& rest, const Matrix& U,
                                          const Vector& eigenvalues) {
  const Matrix K = U.transpose() * (rest.matrix() * U), M = U.transpose() * (rest.model().mass() * U);
  const Vector found = symmetric_eigenvalues(K, M).values.head(eigenvalues.size());
  const Vector error = (found.array() / eigenvalues.array()).sqrt() - 1.0;
  return {error.maxCoeff(), error.mean()};
}

/// A weight that bends the body far, and how it stands under it.
struct Bent {
  Vector load, shape;
};

Bent bend(RestStiffness& rest, double distance) {
  const FullModel& model = rest.model();
  Bent bent{model.gravity_force({0.3, 0.5, -0.8}), Vector::Zero(model.dof_count())};
  Matrix linear(model.dof_count(), 1);
  require(rest.solve(bent.load, linear).ok(), "the weight was not taken");
  bent.load *= distance / linear.reshaped(3, model.dof_count() / 3).colwise().norm().maxCoeff();
  require(solve_static(model, bent.load, bent.shape).ok(), "the full body found no rest under the weight");
  return bent;
}

/// The same in a subspace, by Newton's method in four steps of the load; its distance from the full one.
double bending_error(const FullModel& model, const Matrix& U, const Bent& bent) {
  constexpr int load_steps = 4, most_iterations = 15;
  Vector q = Vector::Zero(U.cols());
  for (int step = 1; step <= load_steps; ++step) {
    for (int i = 0; i < most_iterations; ++i) {
      const Vector u = U * q;
      const Vector residual = U.transpose() * (step * bent.load / load_steps - model.internal_force(u));
      const Cholesky factor(U.transpose() * (model.stiffness(u) * U));
      if (!factor.ok()) return std::numeric_limits<double>::quiet_NaN();
      const Vector change = factor.solve(residual);
      q += change;
      if (change.norm() <= 1e-8 * q.norm()) break;
    }
  }
  const Vector error = U * q - bent.shape;
  return std::sqrt(error.dot(model.mass() * error) / bent.shape.dot(model.mass() * bent.shape));
}

/// Contact responses as further samples of mass-PCA, for comparison.
std::vector<Matrix3X> mixed_in(RestStiffness& rest, int count) {
  const ContactResponses responses = compute_contact_responses(rest, {.patches = count});
  std::vector<Matrix3X> fields;
  for (const auto& shape : responses.shapes.colwise()) fields.push_back(rest.model().dofs().expand(shape));
  return fields;
}

void print_body(const std::string& name) {
  const Subject body = make_subject(name);
  RestStiffness rest(body.model);
  const BoundaryAreas areas = boundary_areas(body.model.mesh());
  const std::vector<Matrix> responses = true_responses(rest, areas);
  const Index rigid = rest.rigid_modes().cols();
  const LinearModes modes = compute_linear_modes(rest, modes_compared + rigid);
  const bool held = rigid == 0;
  const Bent bent = held ? bend(rest, far_moved * areas.size) : Bent{};
  for (const int rank : name == "small" ? std::vector{30} : std::vector{30, 60}) {
    for (const std::string_view way : {"without", "mixed by mass", "`--contact`"}) {
      BasisSettings settings;
      settings.rank = rank;
      settings.check = false;
      if (way == "mixed by mass") settings.snapshots = mixed_in(rest, contact_share(rank));
      if (way == "`--contact`") settings.contact = contact_share(rank);
      ReduceReport report;
      const Matrix U = compute_basis(body.model, settings, report);
      fmt::print("| {} | {} | {} |", body.name, rank, way);
      for (const Matrix& shapes : responses) {
        const Vector held_share = held_energy(rest, U, shapes);
        fmt::print(" {:.2f} ({:.2f}) |", held_share.mean(), held_share.minCoeff());
      }
      const auto [worst, mean] = frequency_error(rest, U, modes.elastic_eigenvalues());
      fmt::print(" {:.2g} %, {:.2g} % |", 100.0 * worst, 100.0 * mean);
      fmt::print(" {} |\n", held ? fmt::format("{:.2g} %", 100.0 * bending_error(body.model, U, bent)) : "");
      std::fflush(stdout);
    }
  }
}

}  // namespace
}  // namespace limber::bench

int main(int argc, char** argv) {
  std::vector<std::string> names(argv + 1, argv + argc);
  if (names.empty()) names = {"block", "octopus", "held-octopus", "heart"};
  try {
    fmt::print(
        "| body | rank | contact | vertex | 0.1 of the size | 0.25 | face | ten frequencies: largest error, "
        "mean "
        "| far bent |\n| --- | --- | --- | --- | --- | --- | --- | --- | --- |\n");
    for (const std::string& name : names) limber::bench::print_body(name);
  } catch (const limber::Error& error) {
    fmt::print(stderr, "dent: {}\n", error.what());
    return 2;
  }
  return 0;
}
