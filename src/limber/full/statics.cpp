#include "limber/full/statics.hpp"

#include "limber/base/error.hpp"
#include "limber/base/random.hpp"

#include <algorithm>
#include <cmath>

namespace limber {
namespace {

constexpr double comfortable_gradient = 0.5;  ///< |grad u| of one load step that Newton takes without trouble
constexpr int max_automatic_steps = 64;
constexpr int max_near_iterations =
    12;  ///< a start that is near takes 3 to 6; one that takes more is better led there
constexpr int max_increment_halvings = 12;
constexpr int max_total_iterations =
    2000;  ///< of Newton; a load that takes more is beyond what the body can bear
constexpr double armijo =
    1e-4;  ///< share of the predicted decrease that a step must achieve; the usual value
constexpr int max_backtracks = 30;
/// What a tangent without resistance gets on its diagonal, as a share of the mean there.
constexpr double smallest_shift = 1e-10, largest_shift = 1.0;
/// A motion x for which x K x is this small a share of |x| |K| |x| meets no resistance: rounding alone leaves
/// about 1e-16, the bending of a beam a thousand elements long still 1e-11.
constexpr double free_motion = 1e-14;

std::vector<int> held_vertices(const FullModel& model) {
  std::vector<int> held;
  for (int v = 0; v < model.mesh().vertex_count(); ++v) {
    if (model.dofs().free_index(v) < 0) held.push_back(v);
  }
  return held;
}

/// Throws Error when the fixed vertices leave some part of the body free: statics then has no answer.
void require_held(const FullModel& model) {
  const std::vector<int> unheld = unheld_parts(model.mesh(), held_vertices(model));
  if (unheld.empty()) return;
  const std::vector<int> part = connected_parts(model.mesh());
  const auto vertex = std::find(part.begin(), part.end(), unheld.front()) - part.begin();
  throw Error(
      "nothing holds the part of the body around vertex {} ({} such part{}): fix at least three of its "
      "vertices that are "
      "not on one line, or simulate it dynamically",
      vertex, unheld.size(), unheld.size() == 1 ? "" : "s");
}

}  // namespace

struct StaticSolver::Impl {
  const FullModel& model;
  StaticOptions options;
  std::unique_ptr<SparseSolver> solver;
  SparseMatrix K;
  Matrix3X vertex_forces;
  Vector force, residual, step, trial;
  bool projected = false;  ///< whether `step` is by the projected tangent
  FullSprings springs;
  Matrix3X supports;  ///< what fixed vertices are displaced by, where there are springs

  Impl(const FullModel& m, const StaticOptions& o) : model(m), options(o), K(m.pattern()) {
    require_held(model);
    solver = make_sparse_solver({.kind = options.solver, .threads = model.executor().threads()});
    solver->analyze(K);
    const Vector rest = Vector::Zero(model.dof_count());
    model.force_and_stiffness(rest, force, K);
    require(solver->factor(K).ok() && resists_every_motion(),
            "the body can move without strain although each part is held: some elements hang on by a vertex "
            "or an edge "
            "only; join them by faces or fix them");
  }

  /// Looks for the softest motion of the factored stiffness by two steps of inverse iteration.
  bool resists_every_motion() {
    Random random(1);
    Vector x(model.dof_count()), y(model.dof_count());
    for (double& value : x) value = random.normal();
    for (int iteration = 0; iteration < 2; ++iteration) {
      if (!solver->solve(x, y).ok()) return false;
      x = y / y.norm();
    }
    const double resistance = x.dot(K * x);
    return resistance > free_motion * x.cwiseAbs().dot(K.cwiseAbs() * x.cwiseAbs());
  }

  double potential(const VectorRef& f_ext, const Vector& u) const {
    return model.energy(u) + springs.energy(u, supports) - f_ext.dot(u);
  }

  /// Of the body and its springs.
  Vector internal_force(const Vector& u) const {
    Vector f = model.internal_force(u);
    springs.add_force(u, supports, f);
    return f;
  }
  void force_and_stiffness(const Vector& u, Tangent tangent) {
    model.force_and_stiffness(u, force, K, tangent);
    add_springs(u);
  }
  void add_springs(const Vector& u) {
    springs.add_force(u, supports, force);
    springs.add_stiffness(K);
  }

  /// Number of equal load steps such that the linear solution of each stays comfortable.
  int choose_steps(const VectorRef& f_ext, const Vector& u) {
    if (options.load_steps > 0) return options.load_steps;
    force_and_stiffness(u, Tangent::projected);
    residual = f_ext - force;
    step.resize(u.size());
    if (!solver->factor(K).ok() || !solver->solve(residual, step).ok()) return 1;
    const double gradient = model.largest_gradient_of_change(step);
    return static_cast<int>(
        std::clamp(std::ceil(gradient / comfortable_gradient), 1.0, double{max_automatic_steps}));
  }

  /// Newton's direction: step = K^-1 residual, with the projected tangent where the exact one does not
  /// descend.
  SolveReport newton_direction(const Vector& u, StaticReport& report) {
    projected = false;
    step.resize(u.size());
    SolveReport solved = solver->factor(K);
    if (solved.ok()) solved = solver->solve(residual, step);
    if (solved.ok() && step.dot(residual) > 0.0) return solved;
    projected = true;
    ++report.projected_iterations;
    force_and_stiffness(u, Tangent::projected);
    solved = factor_projected();
    return solved.ok() ? solver->solve(residual, step) : solved;
  }

  /// The projected tangent has no negative eigenvalues, but collapsed elements may resist nothing: then a
  /// diagonal that grows until it can be factored, which shortens the step and turns it towards the residual.
  SolveReport factor_projected() {
    SolveReport factored = solver->factor(K);
    const double mean = K.diagonal().mean();
    for (double added = smallest_shift; !factored.ok() && added <= largest_shift; added *= 100.0) {
      K.diagonal().array() += added * mean;
      factored = solver->factor(K);
    }
    return factored;
  }

  /// Moves u along `step` as far as the potential falls. Returns whether it moved.
  bool line_search(const VectorRef& f_ext, Vector& u) {
    const double slope = -residual.dot(step);
    const double start = potential(f_ext, u);
    // Near the solution the decrease drowns in the rounding of the energies themselves.
    const double noise = model.energy_rounding() + 1e-13 * (std::abs(start) + std::abs(f_ext.dot(u))) +
                         springs.rounding(u, supports).energy;
    double length = 1.0;
    for (int k = 0; k < max_backtracks; ++k, length *= 0.5) {
      trial = u + length * step;
      const double energy = potential(f_ext, trial);
      if (std::isfinite(energy) && energy <= start + armijo * length * slope + noise) {
        u.swap(trial);
        if (k == 0 && projected) go_on_along_step(f_ext, energy, u);
        return true;
      }
    }
    return false;
  }

  /// The projected tangent is far stiffer than the body along motions in which that buckles: there its steps
  /// are too short by powers of ten. Doubles the one just taken while the potential falls and the step stays
  /// comfortable.
  void go_on_along_step(const VectorRef& f_ext, double energy, Vector& u) {
    double gradient = model.largest_gradient_of_change(step);
    for (double length = 1.0; 2.0 * gradient <= comfortable_gradient; length *= 2.0, gradient *= 2.0) {
      trial = u + length * step;
      const double next = potential(f_ext, trial);
      if (!(next < energy)) return;
      u.swap(trial);
      energy = next;
    }
  }

  bool acts_beside_load() const { return model.supports_moved() || !springs.empty(); }

  /// What residuals are measured by: the load, or the forces inside the body where something else acts too.
  double residual_scale(double load) const {
    return acts_beside_load() ? std::max(load, vertex_forces.norm()) : load;
  }

  /// near: gives up when the start turns out to be far from the solution.
  SolveReport newton(const VectorRef& f_ext, double load_scale, Vector& u, StaticReport& report,
                     bool near = false) {
    SolveReport result;
    const int most = near ? std::min(options.max_iterations, max_near_iterations) : options.max_iterations;
    for (;; ++result.iterations) {
      model.vertex_forces_and_stiffness(u, vertex_forces, K);
      model.dofs().restrict(vertex_forces, force);
      add_springs(u);
      residual = f_ext - force;
      const double scale = residual_scale(load_scale);
      result.residual = scale > 0.0 ? residual.norm() / scale : residual.norm();
      if (!std::isfinite(result.residual)) {
        result.status = SolveStatus::not_finite;
        return result;
      }
      const double rounding = model.force_rounding() * std::max(1.0, model.largest_gradient(u)) +
                              springs.rounding(u, supports).force;
      if (result.residual <= options.tolerance) return result;
      // A body that its supports carry along as it is has no forces to measure residuals by.
      const bool may_be_noise = result.iterations > 0 || model.supports_moved();
      if (may_be_noise && residual.norm() <= rounding) return result;
      if (result.iterations == most) break;
      const SolveReport solved = newton_direction(u, report);
      if (!solved.ok()) {
        result.status = solved.status;
        return result;
      }
      if (near && result.iterations == 0 && model.largest_gradient_of_change(step) > comfortable_gradient)
        break;
      if (!line_search(f_ext, u)) break;
    }
    result.status = SolveStatus::not_converged;
    return result;
  }

  /// Linear elasticity knows no inversion: its answer is unique, however large.
  bool all_linear() const {
    return std::all_of(model.materials().begin(), model.materials().end(),
                       [](const Material& material) { return std::holds_alternative<Linear>(material.law); });
  }

  void check_sizes(const VectorRef& f_ext, const Vector& u) const {
    require(f_ext.size() == model.dof_count() && u.size() == model.dof_count(),
            "load has {} and displacement {} entries, the model needs {} (3 per free vertex)", f_ext.size(),
            u.size(), model.dof_count());
  }

  /// start: the force at the start.
  double load_scale(const VectorRef& f_ext, const Vector& start) const {
    return f_ext.norm() > 0.0 || acts_beside_load() ? f_ext.norm() : start.norm();
  }

  StaticReport solve_near(const VectorRef& f_ext, Vector& u) {
    check_sizes(f_ext, u);
    StaticReport report;
    const double scale = load_scale(f_ext, internal_force(u));
    Vector candidate = u;
    static_cast<SolveReport&>(report) = newton(f_ext, scale, candidate, report, true);
    if (report.ok()) {
      u = candidate;
      report.load_steps = 1;
      report.smallest_volume_ratio = model.smallest_volume_ratio(u);
    }
    return report;
  }

  StaticReport solve(const VectorRef& f_ext, Vector& u, const Progress& progress) {
    check_sizes(f_ext, u);
    StaticReport report;
    const Vector start = internal_force(u);  // the load that u already balances
    const double scale = load_scale(f_ext, start);
    const double first_increment = 1.0 / choose_steps(f_ext, u);
    const double smallest_increment = std::ldexp(first_increment, -max_increment_halvings);
    double increment = first_increment;
    bool inversion_accepted = all_linear();
    for (double done = 0.0; done < 1.0;) {
      const double target = done + increment > 1.0 - 1e-12 ? 1.0 : done + increment;
      Vector candidate = u;
      const Vector load = start + target * (f_ext - start);
      const SolveReport result = newton(load, scale, candidate, report);
      report.iterations += result.iterations;
      report.residual = result.residual;
      const double ratio = result.ok() ? model.smallest_volume_ratio(candidate) : -1.0;
      const bool inverted = ratio <= 0.0 && !inversion_accepted;
      // Inverted elements may be the true answer, but more often the step jumped into a false one: look
      // closer first.
      const bool hopeless = report.iterations > max_total_iterations;
      if ((!result.ok() || inverted) && increment > smallest_increment && !hopeless) {
        increment *= 0.5;
        continue;
      }
      if (!result.ok()) {
        report.status = result.status;
        break;
      }
      if (inverted) {
        inversion_accepted = true;
        increment = first_increment;
      }
      u = candidate;
      done = target;
      ++report.load_steps;
      report.smallest_volume_ratio = ratio;
      limber::report(progress, "static load", done);
    }
    return report;
  }
};

StaticSolver::StaticSolver(const FullModel& model, const StaticOptions& options)
    : impl_(std::make_unique<Impl>(model, options)) {}
StaticSolver::~StaticSolver() = default;
StaticSolver::StaticSolver(StaticSolver&&) noexcept = default;
StaticSolver& StaticSolver::operator=(StaticSolver&&) noexcept = default;

void StaticSolver::set_springs(std::span<const FullSpring> springs, const Matrix3X& supports) {
  impl_->springs = FullSprings(impl_->model, springs);
  impl_->supports = supports;
}

StaticReport StaticSolver::solve(const VectorRef& f_ext, Vector& u, const Progress& progress) {
  return impl_->solve(f_ext, u, progress);
}

StaticReport StaticSolver::solve_near(const VectorRef& f_ext, Vector& u) {
  return impl_->solve_near(f_ext, u);
}

StaticReport solve_static(const FullModel& model, const VectorRef& f_ext, Vector& u,
                          const StaticOptions& options) {
  return StaticSolver(model, options).solve(f_ext, u);
}

}  // namespace limber
