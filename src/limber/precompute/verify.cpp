#include "limber/precompute/verify.hpp"

#include "limber/base/error.hpp"
#include "limber/base/random.hpp"
#include "limber/linalg/symmetric_eigen.hpp"
#include "limber/precompute/cubature_fit.hpp"
#include "limber/precompute/poses.hpp"
#include "limber/precompute/stvk_coefficients.hpp"
#include "limber/reduced/reduced_equations.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace limber {
namespace {

/// Positions and parameters that differ by less, relatively, are the same: what a text file with ten digits
/// keeps.
constexpr double same = 1e-9;

/// Share of the largest eigenvalue of K(0) that counts as soft as it gets: rigid motions have 0.
constexpr double softest_share = 1e-6;

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
    const Material& expected = reduced.regions[i].material;
    require(material.law.index() == expected.law.index(), "region {} is made of {}, the reduced model of {}",
            i, name_of(material.law), name_of(expected.law));
    const MaterialConstants constants = constants_of(material.law),
                            expected_constants = constants_of(expected.law);
    require(!differ(constants.mooney_share, expected_constants.mooney_share) &&
                !differ(constants.locking_stretch, expected_constants.locking_stretch),
            "region {} has other constants of {} than the reduced model", i, name_of(material.law));
    const LameParameters lame = lame_of(material.law), expected_lame = lame_of(expected.law);
    require(!differ(lame.lambda, expected_lame.lambda) && !differ(lame.mu, expected_lame.mu) &&
                !differ(material.density, expected.density),
            "region {} has lambda {} Pa, mu {} Pa and {} kg/m^3, expected {} Pa, {} Pa and {} kg/m^3 as in "
            "the reduced model",
            i, lame.lambda, lame.mu, material.density, expected_lame.lambda, expected_lame.mu,
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
    ElasticWorkspace work;
    Vector f(equations.rank);
    Matrix K(equations.rank, equations.rank);
    equations.elastic.evaluate(Vector::Zero(equations.rank), work, f, K);
    const SymmetricEigen spectrum = symmetric_eigen(K);
    const double largest = spectrum.values.cwiseAbs().maxCoeff();
    const Vector values = largest > 0.0 ? spectrum.values.cwiseMax(softest_share * largest).eval()
                                        : Vector::Ones(equations.rank).eval();
    directions_ = spectrum.vectors * values.cwiseSqrt().cwiseInverse().asDiagonal();
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

/// Random states whose gradients are spread over (0, largest]: r x count.
Matrix random_states(const FullModel& full, const ReducedEquations& equations, const Matrix& U, Index count,
                     const VerifyOptions& options) {
  RandomStates random(equations, options.seed);
  Matrix states(equations.rank, count);
  for (Index s = 0; s < count; ++s) {
    states.col(s) = random.next();
    const double gradient = full.largest_gradient(U * states.col(s));
    require(gradient > 0.0, "the basis moves the body without deforming it, so there is no force to compare");
    states.col(s) *=
        options.largest_gradient * static_cast<double>(s + 1) / static_cast<double>(count) / gradient;
  }
  return states;
}

/// States along motions, with other random numbers than training takes.
Matrix motion_states(const FullModel& full, const ReducedModel& reduced, const ReducedEquations& equations,
                     const Matrix& U, Index count, const VerifyOptions& options) {
  constexpr std::uint64_t apart = 0x76657269667921;
  const double amplitude = reduced.cubature->training.amplitude;
  require(amplitude > 0.0,
          "the cubature does not say for which amplitude it was trained, so no motion can be chosen");
  const Matrix states = motion_poses(make_pose_space(full, U), equations.elastic, count, amplitude,
                                     options.seed ^ apart, full.executor());
  require(states.cols() > 0, "no motion of the reduced model could be simulated: its cubature is not usable");
  return states;
}

/// The exact polynomial of a body of St. Venant-Kirchhoff material, where that does not take too long.
std::optional<Quartic> exact_polynomial(const FullModel& full, const ReducedModel& reduced, const Matrix& U,
                                        const Progress& progress) {
  constexpr Index largest_rank = 60;
  if (reduced.rank > largest_rank) return std::nullopt;
  Vector energy = Vector::Zero(monomial_count(reduced.rank));
  for (const Material& material : full.materials()) {
    if (!std::holds_alternative<Stvk>(material.law)) return std::nullopt;
  }
  const std::vector<StvkCoefficients> regions = compute_stvk_coefficients(full, U, progress);
  for (std::size_t i = 0; i < regions.size(); ++i) {
    const LameParameters lame = lame_of(full.materials()[i].law);
    energy += lame.lambda * regions[i].lambda_energy + lame.mu * regions[i].mu_energy;
  }
  return Quartic(reduced.rank, energy);
}

}  // namespace

double mass_error(const FullModel& full, const ReducedModel& reduced) {
  require(reduced.simulation.has_value(), "the reduced model was kept without its simulation mesh");
  check_meshes(full.mesh(), reduced.simulation->mesh);
  check_fixed(full, *reduced.simulation);
  const Matrix U = restrict(full.dofs(), reduced.simulation->basis);
  return relative_error(U.transpose() * (full.mass() * U), make_equations(reduced).mass);
}

VerifyReport verify_model(const FullModel& full, const ReducedModel& reduced, const VerifyOptions& options) {
  require(reduced.simulation.has_value(),
          "the reduced model was kept without its simulation mesh, so nothing can be compared; make it again "
          "with the mesh");
  require(options.states >= 0, "{} states to compare, expected one at least, or 0 to choose", options.states);
  require(std::isfinite(options.largest_gradient) && options.largest_gradient > 0.0,
          "the largest gradient is {}, expected a positive number", options.largest_gradient);
  check_meshes(full.mesh(), reduced.simulation->mesh);
  check_fixed(full, *reduced.simulation);
  check_materials(full, reduced);

  const Matrix U = restrict(full.dofs(), reduced.simulation->basis);
  const ReducedEquations equations = make_equations(reduced);
  const bool cubature = reduced.cubature.has_value();
  const Index count = options.states > 0 ? options.states : cubature ? 100 : 10;
  const Matrix states = cubature ? motion_states(full, reduced, equations, U, count, options)
                                 : random_states(full, equations, U, count, options);
  std::optional<Quartic> polynomial;
  if (cubature) polynomial = exact_polynomial(full, reduced, U, options.progress);

  ElasticWorkspace work;
  Vector f(equations.rank), exact_f(equations.rank), full_f;
  Matrix K(equations.rank, equations.rank);
  SparseMatrix full_K = full.pattern();
  Vector errors(states.cols()), exact_errors(states.cols());
  VerifyReport report{.states = static_cast<int>(states.cols()),
                      .lost = static_cast<int>(count - states.cols())};
  report.mass_error = relative_error(U.transpose() * (full.mass() * U), equations.mass);
  for (Index s = 0; s < states.cols(); ++s) {
    limber::report(options.progress, "verification",
                   static_cast<double>(s) / static_cast<double>(states.cols()));
    const Vector q = states.col(s), u = U * q;
    report.largest_gradient = std::max(report.largest_gradient, full.largest_gradient(u));
    const Vector energy = Vector::Constant(1, equations.elastic.evaluate(q, work, f, K));
    full.force_and_stiffness(u, full_f, full_K);
    errors(s) = relative_error(f, U.transpose() * full_f);
    report.stiffness_error =
        std::max(report.stiffness_error, relative_error(K, U.transpose() * (full_K * U)));
    report.energy_error =
        std::max(report.energy_error, relative_error(energy, Vector::Constant(1, full.energy(u))));
    if (polynomial) {
      polynomial->evaluate_force(q, work.quartic, exact_f);
      exact_errors(s) = relative_error(f, exact_f);
    }
  }
  report.force_error = errors.maxCoeff<Eigen::PropagateNaN>();
  report.held_out_error = root_mean_square(errors);
  if (polynomial) report.polynomial_error = root_mean_square(exact_errors);
  limber::report(options.progress, "verification", 1.0);
  return report;
}

}  // namespace limber
