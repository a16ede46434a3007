#include "limber/precompute/verify.hpp"

#include "limber/base/error.hpp"
#include "limber/base/random.hpp"
#include "limber/reduced/reduced_equations.hpp"

#include <Eigen/Eigenvalues>

#include <algorithm>
#include <cmath>
#include <limits>

namespace limber {
namespace {

/// Positions and parameters that differ by less, relatively, are the same: what a text file with ten digits keeps.
constexpr double same = 1e-9;

/// Share of the largest eigenvalue of K(0) that counts as soft as it gets: rigid motions have 0.
constexpr double softest = 1e-6;

bool differ(double a, double b) { return std::abs(a - b) > same * std::max(std::abs(a), std::abs(b)); }

void check_meshes(const VolumeMesh& full, const VolumeMesh& reduced) {
  require(full.kind == reduced.kind && full.vertex_count() == reduced.vertex_count() &&
              full.element_count() == reduced.element_count(),
          "the mesh has {} {}s and {} vertices, that of the reduced model {} {}s and {} vertices: expected "
          "the same mesh",
          full.element_count(), name_of(full.kind), full.vertex_count(), reduced.element_count(),
          name_of(reduced.kind), reduced.vertex_count());
  const BoundingBox box = bounding_box(reduced);
  Index vertex = 0;
  const double distance = (full.vertices - reduced.vertices).colwise().norm().maxCoeff(&vertex);
  require(distance <= same * (box.max - box.min).norm(),
          "vertex {} lies {:.3g} m from where the reduced model has it: expected the same mesh", vertex,
          distance);
  require(full.elements == reduced.elements && full.region == reduced.region,
          "the elements or their regions are not those of the reduced model: expected the same mesh, not "
          "renumbered");
}

void check_fixed(const FullModel& full, const SimulationMesh& simulation) {
  const std::vector<char> used = used_vertices(full.mesh());
  for (int v = 0; v < static_cast<int>(used.size()); ++v) {
    if (!used[static_cast<std::size_t>(v)]) continue;
    const bool fixed = full.dofs().free_index(v) < 0;
    const bool expected = std::binary_search(simulation.fixed.begin(), simulation.fixed.end(), v);
    require(fixed == expected, "vertex {} is {} here and {} in the reduced model; fix the same vertices", v,
            fixed ? "fixed" : "free", expected ? "fixed" : "free");
  }
}

void check_materials(const FullModel& full, const ReducedModel& reduced) {
  require(full.materials().size() == reduced.regions.size(),
          "{} materials, but the reduced model has {} regions: expected one each", full.materials().size(),
          reduced.regions.size());
  for (std::size_t i = 0; i < reduced.regions.size(); ++i) {
    const Material& material = full.materials()[i];
    const RegionMaterial& expected = reduced.regions[i].material;
    const auto* stvk = std::get_if<Stvk>(&material.law);
    require(stvk != nullptr, "region {} is made of {}, the reduced model of stvk", i, name_of(material.law));
    require(!differ(stvk->lame.lambda, expected.lame.lambda) && !differ(stvk->lame.mu, expected.lame.mu) &&
                !differ(material.density, expected.density),
            "region {} has lambda {} Pa, mu {} Pa and {} kg/m^3, expected {} Pa, {} Pa and {} kg/m^3 as in "
            "the reduced model",
            i, stvk->lame.lambda, stvk->lame.mu, material.density, expected.lame.lambda, expected.lame.mu,
            expected.density);
  }
}

/// The basis at the unknowns of the full model.
Matrix restrict(const DofMap& dofs, const Matrix& basis) {
  Matrix U(dofs.dof_count(), basis.cols());
  for (Index i = 0; i < basis.cols(); ++i) {
    const Matrix3X field = Eigen::Map<const Matrix3X>(basis.col(i).data(), 3, dofs.vertex_count());
    U.col(i) = dofs.restrict(field);
  }
  return U;
}

/// |a - b| / |b|, 0 where both vanish.
template <class A, class B>
double relative_error(const A& a, const B& b) {
  const double difference = (a - b).norm(), size = b.norm();
  if (difference == 0.0) return 0.0;
  return size > 0.0 ? difference / size : std::numeric_limits<double>::infinity();
}

/// Directions that strain the body in all coordinates alike: V L^-1/2 times normal numbers, K(0) = V L V^T.
class RandomStates {
 public:
  RandomStates(const ReducedEquations& equations, std::uint64_t seed) : random_(seed) {
    QuarticWorkspace work;
    Vector f(equations.rank);
    Matrix K(equations.rank, equations.rank);
    equations.elastic.evaluate(Vector::Zero(equations.rank), work, f, K);
    const Eigen::SelfAdjointEigenSolver<Matrix> spectrum(K);
    const double largest = spectrum.eigenvalues().cwiseAbs().maxCoeff();
    const Vector values = largest > 0.0 ? spectrum.eigenvalues().cwiseMax(softest * largest).eval()
                                        : Vector::Ones(equations.rank).eval();
    directions_ = spectrum.eigenvectors() * values.cwiseSqrt().cwiseInverse().asDiagonal();
  }

  Vector next() {
    Vector coordinates(directions_.cols());
    for (double& x : coordinates) x = random_.normal();
    return directions_ * coordinates;
  }

 private:
  Random random_;
  Matrix directions_;
};

}  // namespace

VerifyReport verify_model(const FullModel& full, const ReducedModel& reduced, const VerifyOptions& options) {
  require(reduced.simulation.has_value(),
          "the reduced model was kept without its simulation mesh, so nothing can be compared; make it again "
          "with the mesh");
  require(options.states >= 1, "{} states to compare, expected one at least", options.states);
  require(std::isfinite(options.largest_gradient) && options.largest_gradient > 0.0,
          "the largest gradient is {}, expected a positive number", options.largest_gradient);
  check_meshes(full.mesh(), reduced.simulation->mesh);
  check_fixed(full, *reduced.simulation);
  check_materials(full, reduced);

  const Matrix U = restrict(full.dofs(), reduced.simulation->basis);
  const ReducedEquations equations = make_equations(reduced);
  RandomStates states(equations, options.seed);
  QuarticWorkspace work;
  Vector f(equations.rank), full_f;
  Matrix K(equations.rank, equations.rank);
  SparseMatrix full_K = full.pattern();
  VerifyReport report{.states = options.states};
  report.mass_error = relative_error(U.transpose() * (full.mass() * U), equations.mass);
  for (int s = 0; s < options.states; ++s) {
    limber::report(options.progress, "verification", static_cast<double>(s) / options.states);
    Vector q = states.next();
    const double gradient = full.largest_gradient(U * q);
    require(gradient > 0.0, "the basis moves the body without deforming it, so there is no force to compare");
    q *= options.largest_gradient * (s + 1) / options.states / gradient;
    const Vector u = U * q;
    report.largest_gradient = std::max(report.largest_gradient, full.largest_gradient(u));
    const Vector energy = Vector::Constant(1, equations.elastic.evaluate(q, work, f, K));
    full.force_and_stiffness(u, full_f, full_K);
    report.force_error = std::max(report.force_error, relative_error(f, U.transpose() * full_f));
    report.stiffness_error =
        std::max(report.stiffness_error, relative_error(K, U.transpose() * (full_K * U)));
    report.energy_error =
        std::max(report.energy_error, relative_error(energy, Vector::Constant(1, full.energy(u))));
  }
  limber::report(options.progress, "verification", 1.0);
  return report;
}

}  // namespace limber
