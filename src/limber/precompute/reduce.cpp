#include "limber/precompute/reduce.hpp"

#include "limber/base/error.hpp"
#include "limber/base/timer.hpp"
#include "limber/basis/mass_pca.hpp"
#include "limber/basis/modal_derivatives.hpp"
#include "limber/linalg/pairs.hpp"
#include "limber/precompute/build_model.hpp"

#include <fmt/ranges.h>

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

/// Linear modes and, where asked for, their derivatives, each scaled by importance. They are two sources: a derivative has
/// another unit than a mode (its size goes with 1 / (sqrt(mass) length)), so only within each do sizes mean the same.
std::vector<WeightedSamples> modal_samples(RestStiffness& rest, const BasisSettings& settings,
                                           ReduceReport& report, const Progress& progress) {
  const FullModel& model = rest.model();
  require(settings.modes + report.rigid_modes <= model.dof_count(),
          "{} linear modes asked for, the body has {} unknowns; ask for fewer modes", settings.modes,
          model.dof_count());
  const LinearModes modes = timed("linear modes", report, progress, [&] {
    LinearModesOptions options;
    options.eigen.progress = progress;
    return compute_linear_modes(rest, settings.modes + report.rigid_modes, options);
  });
  require(modes.report.ok(), "the linear modes were not found: {} after {} iterations, residual {:.2g}",
          name_of(modes.report.status), modes.report.iterations, modes.report.residual);
  report.frequencies_hz = modes.frequencies_hz.tail(settings.modes);
  Matrix derivatives(model.dof_count(), 0);
  if (settings.derivatives) {
    ModalDerivatives solved = timed("modal derivatives", report, progress, [&] {
      return compute_modal_derivatives(rest, modes.elastic_shapes(), progress);
    });
    require(solved.report.ok(), "the modal derivatives were not found: {}", name_of(solved.report.status));
    derivatives = std::move(solved.shapes);
  }
  const Matrix scaled =
      scale_modes_and_derivatives(modes.elastic_shapes(), modes.elastic_eigenvalues(), derivatives);
  std::vector<WeightedSamples> samples{{scaled.leftCols(settings.modes)}};
  if (settings.derivatives) samples.push_back({scaled.rightCols(derivatives.cols())});
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

std::string describe(const BasisSettings& settings, const ReduceReport& report, Index rank) {
  std::vector<std::string> sources;
  if (settings.modes > 0) sources.push_back(fmt::format("{} linear modes", settings.modes));
  if (settings.modes > 0 && settings.derivatives)
    sources.push_back(fmt::format("{} modal derivatives", pair_count(settings.modes)));
  if (!settings.snapshots.empty()) sources.push_back(fmt::format("{} snapshots", settings.snapshots.size()));
  if (report.sketch.kept > 0) sources.push_back(fmt::format("{} sketched shapes", report.sketch.kept));
  return fmt::format("mass-PCA of {} to rank {}", fmt::join(sources, ", "), rank);
}

/// Only St. Venant-Kirchhoff has exact reduced forces.
void check_materials(const FullModel& model) {
  for (std::size_t r = 0; r < model.materials().size(); ++r) (void)stvk_material(model, r);
}

/// Refuses what would fill the memory of any machine before the long work begins.
void check_memory(const FullModel& model, const BasisSettings& settings) {
  constexpr double most_bytes = 64e9;
  const double pairs = static_cast<double>(pair_count(settings.rank + 1));
  require(16.0 * pairs * pairs < most_bytes,
          "rank {} needs {:.0f} GB for the coefficients; ask for a rank of at most 200", settings.rank,
          16e-9 * pairs * pairs);
  const double columns = settings.derivatives ? static_cast<double>(pair_count(settings.modes)) : 0.0;
  require(24.0 * columns * static_cast<double>(model.dof_count()) < most_bytes,
          "{} modal derivatives of {} unknowns need {:.0f} GB; ask for fewer modes", columns,
          model.dof_count(), 24e-9 * columns * static_cast<double>(model.dof_count()));
}

}  // namespace

Matrix compute_basis(const FullModel& model, const BasisSettings& settings, ReduceReport& report,
                     const Progress& progress) {
  require(settings.rank >= 1, "the rank is {}, expected at least 1", settings.rank);
  require(settings.modes > 0 || !settings.snapshots.empty() || !settings.sketch.empty(),
          "a basis needs linear modes, snapshots or a sketch; none was given");
  check_memory(model, settings);
  RestStiffness rest = timed("factorisation", report, progress, [&] { return RestStiffness(model); });
  report.rigid_modes = rest.rigid_modes().cols();
  std::vector<WeightedSamples> sources;
  if (settings.modes > 0) sources = modal_samples(rest, settings, report, progress);
  if (!settings.sketch.empty()) sources.push_back({sketch_samples(rest, settings, report, progress)});
  if (!settings.snapshots.empty()) sources.push_back({snapshot_samples(rest, settings.snapshots)});
  MassPca pca = timed("mass-PCA", report, progress, [&] {
    return mass_pca(mix_samples(sources, model.mass()), model.mass(), settings.rank, model.executor());
  });
  require(pca.basis.cols() > 0, "the samples of the basis are all zero: nothing to learn from");
  report.singular_values = std::move(pca.singular_values);
  const Matrix gram = pca.basis.transpose() * (model.mass() * pca.basis);
  report.orthonormality = (gram - Matrix::Identity(gram.rows(), gram.cols())).cwiseAbs().maxCoeff();
  return std::move(pca.basis);
}

ReducedModel reduce(const FullModel& model, const SurfaceMesh& surface, const std::vector<Vector3>& colors,
                    const ReduceOptions& options, ReduceReport& report) {
  check_materials(model);  // before the long work
  const Matrix basis = compute_basis(model, options.basis, report, options.progress);
  ReducedModel reduced = timed("coefficients", report, options.progress, [&] {
    return build_reduced_model(model, basis, surface, colors,
                               {options.keep_simulation_mesh, options.progress});
  });
  reduced.description = describe(options.basis, report, reduced.rank);
  return reduced;
}

}  // namespace limber
