#include "limber/precompute/reduce.hpp"

#include "limber/base/error.hpp"
#include "limber/base/text.hpp"
#include "limber/base/timer.hpp"
#include "limber/base/words.hpp"
#include "limber/basis/basis_quality.hpp"
#include "limber/basis/contact_responses.hpp"
#include "limber/basis/derivative_family.hpp"
#include "limber/basis/energy_pca.hpp"
#include "limber/basis/linear_modes.hpp"
#include "limber/basis/mass_pca.hpp"
#include "limber/basis/random_projection.hpp"
#include "limber/linalg/pairs.hpp"
#include "limber/precompute/build_model.hpp"

#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <numbers>

namespace limber {
namespace {

/// Runs one stage, keeps its time and tells who watches.
template <class Action>
auto timed(std::string_view stage, ReduceReport& report, const Progress& progress, const Action& action) {
  limber::report(progress, stage, 0.0);
  const Timer timer;
  auto result = action();
  report.stages.emplace_back(stage, timer.seconds());
  limber::report(progress, stage, 1.0);
  return result;
}

/// Linear modes with their eigenvalues, or what the kind of basis takes for them.
struct Modes {
  Matrix shapes;  ///< dofs x k
  Vector eigenvalues;
};

/// Linear modes to look for: as many as asked for, or all that the body has beside its rigid motions.
Index mode_count(const RestStiffness& rest, const BasisSettings& settings) {
  const Index most = rest.model().dof_count() - rest.rigid_modes().cols();
  require(most > 0,
          "the body has {} unknowns and {} ways to move without strain: nothing is left that could deform; "
          "hold less of it, or refine the mesh",
          rest.model().dof_count(), rest.rigid_modes().cols());
  return std::min<Index>(settings.modes, most);
}

Modes natural_modes(RestStiffness& rest, Index count, double tolerance, const Progress& progress) {
  const Index rigid = rest.rigid_modes().cols();
  LinearModesOptions options;
  options.eigen.tolerance = tolerance;
  options.eigen.progress = progress;
  const LinearModes modes = compute_linear_modes(rest, count + rigid, options);
  require(modes.report.ok(), "the linear modes were not found: {} after {} iterations, residual {:.2g}",
          name_of(modes.report.status), modes.report.iterations, modes.report.residual);
  return {modes.elastic_shapes(), modes.elastic_eigenvalues()};
}

/// Whole blocks of inertia modes, of which the combinations that come nearest to the lowest modes are taken:
/// fewer than asked for where the blocks of a small body hold no more that is independent.
Modes inertia_modes(RestStiffness& rest, const BasisSettings& settings, Index count, ReduceReport& report,
                    const Progress& progress) {
  InertiaModesOptions options;
  options.start = inertia_start(rest);
  options.orthogonalization = settings.orthogonalization;
  options.progress = progress;
  const Index width = options.start.cols(), blocks = (count + width - 1) / width;
  const Index most = rest.model().dof_count() - rest.rigid_modes().cols();
  const InertiaModes inertia = compute_inertia_modes(rest, std::min(blocks * width, most), options);
  require(inertia.report.ok(), "the inertia modes were not found: {}", name_of(inertia.report.status));
  report.reduced_gram_schmidt = inertia.reduced;
  report.modes_orthonormality =
      orthonormality_error(inertia.shapes, rest.model().mass(), rest.model().executor());
  RitzModes ritz = rayleigh_ritz(rest, inertia.shapes, std::min(count, inertia.shapes.cols()));
  return {std::move(ritz.shapes), std::move(ritz.eigenvalues)};
}

/// Linear modes and their derivatives, each scaled by importance. Every order is a source of its own: a
/// derivative has another unit than a mode (its size goes with 1 / (sqrt(mass) length)), so only within each
/// do sizes mean the same.
std::vector<WeightedSamples> modal_samples(RestStiffness& rest, const BasisSettings& settings, Modes& modes,
                                           ReduceReport& report, const Progress& progress) {
  const FullModel& model = rest.model();
  const Index count = mode_count(rest, settings);
  if (settings.kind == ModeKind::modal) {
    modes = timed("linear modes", report, progress,
                  [&] { return natural_modes(rest, count, EigenOptions{}.tolerance, progress); });
    report.modes_orthonormality = orthonormality_error(modes.shapes, model.mass(), model.executor());
  } else {
    modes = timed("inertia modes", report, progress,
                  [&] { return inertia_modes(rest, settings, count, report, progress); });
  }
  report.modes = modes.shapes.cols();
  report.frequencies_hz = modes.eigenvalues.cwiseSqrt() / (2.0 * std::numbers::pi);
  const std::string_view stage = settings.order == 0                ? "scaling"
                                 : settings.kind == ModeKind::modal ? "modal derivatives"
                                                                    : "inertia derivatives";
  const DerivativeFamily family = timed(stage, report, progress, [&] {
    return compute_derivative_family(rest, modes.shapes, modes.eigenvalues, settings.order, progress);
  });
  require(family.report.ok(), "the derivatives of the modes were not found: {}",
          name_of(family.report.status));
  std::vector<WeightedSamples> samples;
  for (std::size_t k = 0; k + 1 < family.first.size(); ++k) {
    const Index first = family.first[k], size = family.first[k + 1] - first;
    if (size == 0) continue;
    samples.push_back(
        {family.shapes.middleCols(first, size) * family.weights.segment(first, size).asDiagonal()});
  }
  return samples;
}

/// Without rigid motion, which a reduced model does not hold.
Matrix snapshot_samples(const RestStiffness& rest, const std::vector<Matrix3X>& snapshots) {
  const FullModel& model = rest.model();
  Matrix samples(model.dof_count(), static_cast<Index>(snapshots.size()));
  for (std::size_t i = 0; i < snapshots.size(); ++i) {
    require(snapshots[i].cols() == model.mesh().vertex_count(),
            "snapshot {} has {} vertices, the mesh has {}", i, snapshots[i].cols(),
            model.mesh().vertex_count());
    samples.col(static_cast<Index>(i)) = model.dofs().restrict(snapshots[i]);
  }
  const Matrix& rigid = rest.rigid_modes();
  if (rigid.cols() > 0) samples -= rigid * (rigid.transpose() * (model.mass() * samples));
  require(!samples.isZero(0.0), "all snapshots are zero where the body can move: nothing to learn from");
  return samples;
}

Matrix sketch_samples(RestStiffness& rest, const BasisSettings& settings, ReduceReport& report,
                      const Progress& progress) {
  report.sketch = timed("sketch", report, progress, [&] {
    SketchOptions options = settings.sketching;
    options.progress = progress;
    return solve_sketch(rest, settings.sketch, options);
  });
  return std::exchange(report.sketch.shapes, Matrix());
}

std::string describe(const BasisSettings& settings, const ReduceReport& report, const ReducedModel& model) {
  std::vector<std::string> sources;
  const std::string_view kind = settings.kind == ModeKind::modal ? "linear" : "inertia";
  if (report.modes > 0) sources.push_back(fmt::format("{} {} modes", report.modes, kind));
  if (report.modes > 0 && settings.order > 0) {
    const auto modes = static_cast<double>(report.modes);
    sources.push_back(fmt::format("{} derivatives{}",
                                  derivative_family_size(report.modes, settings.order) - modes,
                                  settings.order > 1 ? fmt::format(" up to order {}", settings.order) : ""));
  }
  if (!settings.snapshots.empty()) sources.push_back(fmt::format("{} snapshots", settings.snapshots.size()));
  if (report.sketch.kept > 0) sources.push_back(fmt::format("{} sketched shapes", report.sketch.kept));
  std::string text = fmt::format("{} of {} to rank {}",
                                 settings.condense == Condensation::pca ? "mass-PCA" : "random projection",
                                 fmt::join(sources, ", "), model.rank);
  if (report.contact.directions > 0) {
    text += fmt::format(", {} of it for contact at {} patches", report.contact.directions,
                        report.contact.patches);
  }
  if (model.cubature) {
    text += fmt::format("; {} cubature with {} points", model.cubature->modal() ? "modal" : "optimized",
                        model.cubature->point_count());
  }
  return text;
}

/// Refuses what would fill the memory of any machine before the long work begins.
void check_memory(const RestStiffness& rest, const BasisSettings& settings) {
  constexpr double most_bytes = 64e9;
  const auto unknowns = static_cast<double>(rest.model().dof_count());
  const double samples = derivative_family_size(mode_count(rest, settings), settings.order);
  // Derivatives beside the loads that they come from; or the samples, the vectors that they span with those
  // times the mass, and the coefficients of the samples in these, with what their singular values take.
  const double spanned = settings.condense == Condensation::pca ? std::min(samples, unknowns) : settings.rank;
  const double numbers =
      unknowns * samples + std::max(unknowns * samples, 2.0 * unknowns * spanned + 5.0 * spanned * samples);
  require(8.0 * numbers < most_bytes,
          "{} derivatives of {} unknowns need {:.0f} GB; ask for fewer modes or a lower order", samples,
          unknowns, 8e-9 * numbers);
}

void check_coefficient_memory(int rank) {
  constexpr double most_bytes = 64e9;
  const double pairs = static_cast<double>(pair_count(rank + 1));
  require(
      16.0 * pairs * pairs < most_bytes,
      "rank {} needs {:.0f} GB for the coefficients of exact forces; ask for a rank of at most 200, or take "
      "cubature",
      rank, 16e-9 * pairs * pairs);
}

Matrix condense(const FullModel& model, const Matrix& samples, const BasisSettings& settings,
                ReduceReport& report) {
  if (settings.condense == Condensation::random) {
    // The span counts; orthonormal vectors give a unit mass at run time.
    const Matrix projected = random_projection(samples, settings.rank, settings.seed, model.executor());
    return mass_orthonormalize(projected, model.mass(), 1e-10, model.executor()).Q;
  }
  MassPca pca = mass_pca(samples, model.mass(), settings.rank, model.executor());
  report.singular_values = std::move(pca.singular_values);
  return std::move(pca.basis);
}

/// Gives some coordinates of a condensed basis to contact. What it holds first, the most important, stays;
/// the rest are the directions that hold most of what is missed of responses to pressure on the surface and,
/// for the sake of the motion, of the lowest modes. Their measure is energy: mixed into the other samples by
/// mass, responses gain half as much, and without the modes frequencies suffer (docs/precomputation.md).
/// basis: dofs x r, the most important direction first.
Matrix make_touchable(RestStiffness& rest, const Matrix& basis, const BasisSettings& settings,
                      const Modes& modes, ReduceReport& report) {
  const FullModel& model = rest.model();
  const ContactResponses responses = compute_contact_responses(rest, {.where = settings.contact_vertices});
  const Index patches = responses.shapes.cols();
  const Index lowest = std::min<Index>(modes.shapes.cols(), contact_share(settings.rank));
  Matrix samples(basis.rows(), patches + lowest);
  samples.leftCols(patches) = responses.shapes;
  if (lowest > 0) {
    // All of them together count as much as all patches.
    const double weight = std::sqrt(static_cast<double>(patches) / static_cast<double>(lowest));
    samples.rightCols(lowest) =
        modes.shapes.leftCols(lowest) *
        (weight * modes.eigenvalues.head(lowest).cwiseSqrt().cwiseInverse()).asDiagonal();
  }
  const Index kept = std::min<Index>(basis.cols(), settings.rank - settings.contact);
  const Matrix added = energy_directions(rest, basis.leftCols(kept), samples, settings.rank - kept);
  // The others follow: a small body may leave room for them.
  Matrix joined(basis.rows(), basis.cols() + added.cols());
  joined << basis.leftCols(kept), added, basis.rightCols(basis.cols() - kept);
  Matrix result = mass_orthonormalize(joined, model.mass(), 1e-10, model.executor()).Q;
  result.conservativeResize(Eigen::NoChange, std::min<Index>(result.cols(), settings.rank));
  report.contact = {patches, added.cols(), held_energy(rest, basis, responses.shapes).mean(),
                    held_energy(rest, result, responses.shapes).mean()};
  return result;
}

/// How well the basis holds the true modes: those at hand, or else found for this alone. Nothing where they
/// are not found.
std::optional<ModeCheck> check_modes(RestStiffness& rest, const Matrix& basis, const BasisSettings& settings,
                                     Modes modes, const Progress& progress) {
  constexpr double tolerance = 1e-5;  // angles to 1e-5 are more than anyone asks for
  const Timer timer;
  if (settings.kind == ModeKind::inertia) {
    try {
      modes = natural_modes(rest, mode_count(rest, settings), tolerance, progress);
    } catch (const Error&) {
      return std::nullopt;
    }
  }
  const FullModel& model = rest.model();
  return ModeCheck{modes.eigenvalues.cwiseSqrt() / (2.0 * std::numbers::pi),
                   subspace_angles(basis, modes.shapes, model.mass(), model.executor()), timer.seconds()};
}

/// The coordinates of displacement fields.
Matrix project_snapshots(const FullModel& model, const Matrix& basis,
                         const std::vector<Matrix3X>& snapshots) {
  Matrix fields(model.dof_count(), static_cast<Index>(snapshots.size()));
  for (std::size_t i = 0; i < snapshots.size(); ++i) {
    require(snapshots[i].cols() == model.mesh().vertex_count(),
            "training snapshot {} has {} vertices, the mesh has {}", i, snapshots[i].cols(),
            model.mesh().vertex_count());
    fields.col(static_cast<Index>(i)) = model.dofs().restrict(snapshots[i]);
  }
  return basis.transpose() * (model.mass() * fields);
}

ForceKind chosen_forces(const FullModel& model, const ReduceOptions& options) {
  require(options.cubature.source != PoseSource::given || !options.training_snapshots.empty() ||
              options.cubature.given.cols() > 0,
          "cubature shall be trained with given poses alone, but none are given");
  if (options.forces == ForceKind::exact) require_stvk(model);
  if (options.forces != ForceKind::automatic) return options.forces;
  const bool stvk =
      std::all_of(model.materials().begin(), model.materials().end(),
                  [](const Material& material) { return std::holds_alternative<Stvk>(material.law); });
  return stvk ? ForceKind::exact : ForceKind::cubature;
}

CubatureRule train(const FullModel& model, const Matrix& basis, const ReduceOptions& options,
                   ForceKind forces, ReduceReport& report) {
  CubatureSettings settings = options.cubature;
  settings.kind = forces == ForceKind::cubature ? CubatureKind::optimized : CubatureKind::modal;
  if (!options.training_snapshots.empty())
    settings.given = project_snapshots(model, basis, options.training_snapshots);
  const Timer timer;
  report.cubature = train_cubature(model, basis, settings, options.progress);
  report.stages.emplace_back("training poses", report.cubature->pose_seconds);
  report.stages.emplace_back("cubature", timer.seconds() - report.cubature->pose_seconds);
  return std::exchange(report.cubature->rule, {});
}

}  // namespace

ForceKind parse_force_kind(std::string_view word) {
  return parse_word<ForceKind>(word, force_kind_words, "unknown kind of forces");
}

std::string_view name_of(ForceKind kind) { return word_of(kind, force_kind_words); }

ForceKind forces_of(const ReducedModel& model) {
  return model.cubature ? forces_of(*model.cubature) : ForceKind::exact;
}

ForceKind forces_of(const CubatureRule& rule) {
  return rule.modal() ? ForceKind::modal_cubature : ForceKind::cubature;
}

PoseSource parse_pose_source(std::string_view word) {
  static constexpr std::array<std::string_view, 3> known{"motion", "gaussian", "given"};
  return parse_word<PoseSource>(word, known, "unknown source of poses");
}

Matrix compute_basis(const FullModel& model, const BasisSettings& settings, ReduceReport& report,
                     const Progress& progress) {
  require(settings.rank >= 1, "the rank is {}, expected at least 1", settings.rank);
  require(settings.modes > 0 || !settings.snapshots.empty() || !settings.sketch.empty(),
          "a basis needs linear modes, snapshots or a sketch; none was given");
  require(settings.order >= 0, "the order of the derivatives is {}, expected 0 or more", settings.order);
  require(settings.contact >= 0 && settings.contact < settings.rank,
          "{} of {} coordinates are to be for contact, expected 0 to {}: the others hold the motion",
          settings.contact, settings.rank, settings.rank - 1);
  RestStiffness rest = timed("factorisation", report, progress, [&] { return RestStiffness(model); });
  if (settings.modes > 0) check_memory(rest, settings);
  report.rigid_modes = rest.rigid_modes().cols();
  Modes modes;
  std::vector<WeightedSamples> sources;
  if (settings.modes > 0) sources = modal_samples(rest, settings, modes, report, progress);
  if (!settings.sketch.empty()) sources.push_back({sketch_samples(rest, settings, report, progress)});
  if (!settings.snapshots.empty()) sources.push_back({snapshot_samples(rest, settings.snapshots)});
  Matrix samples;
  const std::string_view stage = settings.condense == Condensation::pca ? "mass-PCA" : "random projection";
  Matrix basis = timed(stage, report, progress, [&] {
    samples = mix_samples(std::move(sources), model.mass());
    return condense(model, samples, settings, report);
  });
  require(basis.cols() > 0, "the samples of the basis are all zero: nothing to learn from");
  if (settings.contact > 0) {
    basis = timed("contact responses", report, progress,
                  [&] { return make_touchable(rest, basis, settings, modes, report); });
  }
  report.samples = samples.cols();
  report.missed = projection_error(basis, samples, model.mass(), model.executor());
  report.orthonormality = orthonormality_error(basis, model.mass(), model.executor());
  if (settings.check && settings.modes > 0)
    report.check = check_modes(rest, basis, settings, std::move(modes), progress);
  return basis;
}

ReducedModel reduce(const FullModel& model, const SurfaceMesh& surface, const std::vector<Vector3>& colors,
                    const ReduceOptions& options, ReduceReport& report) {
  const ForceKind forces = chosen_forces(model, options);  // before the long work
  if (forces == ForceKind::exact) check_coefficient_memory(options.basis.rank);
  const Matrix basis = compute_basis(model, options.basis, report, options.progress);
  BuildModelOptions building{.keep_simulation_mesh = options.keep_simulation_mesh,
                             .lumps = options.lumps,
                             .progress = options.progress};
  if (forces != ForceKind::exact) building.cubature = train(model, basis, options, forces, report);
  ReducedModel reduced =
      timed(forces == ForceKind::exact ? "coefficients" : "model", report, options.progress,
            [&] { return build_reduced_model(model, basis, surface, colors, building); });
  reduced.description = describe(options.basis, report, reduced);
  return reduced;
}

}  // namespace limber
