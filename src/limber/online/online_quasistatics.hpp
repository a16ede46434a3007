#pragma once

#include "limber/full/quasistatics.hpp"
#include "limber/linalg/definite_factor.hpp"
#include "limber/online/online_subspace.hpp"
#include "limber/online/patience.hpp"
#include "limber/online/residual_error.hpp"
#include "limber/online/residual_samples.hpp"

namespace limber {

/// Equilibrium over time (QuasistaticSolver) that learns a subspace from its own full solves and solves in it
/// while the error is small enough. [Kim & James 2009, Algorithms 1-4]
///
/// The unknown is u in the rest pose, so that one basis serves all poses of a skeleton. Each reduced solve is
/// judged by the residual at sampled vertices. How much displacement such a residual stands for is learned
/// from audits, which compute all of it and what it means, e = K^-1 R; the paper learns a bound on residuals
/// instead, from full steps. Where e is too large, the pose and e are learned from and the step is solved
/// again; where that does not do, the full model solves it.
class OnlineQuasistatics {
 public:
  /// Keeps a reference to the model, whose supports it moves. Throws Error as QuasistaticSolver does.
  OnlineQuasistatics(FullModel& model, QuasistaticSolver::MapFunction maps, LoadFunction load,
                     const StaticOptions& options, const OnlineSettings& settings);

  OnlineQuasistatics(const OnlineQuasistatics&) = delete;  // its parts refer to each other
  OnlineQuasistatics& operator=(const OnlineQuasistatics&) = delete;

  /// From equilibrium at time t0 to that at t1, s. On failure all stays as it was.
  StaticReport step(double t0, double t1);

  [[nodiscard]] const Vector& displacement() const {
    return u_;
  }  ///< in the rest pose, unknowns of the model, m
  [[nodiscard]] const VertexMaps& maps() const { return solver_.maps(); }  ///< of the last time
  [[nodiscard]] const OnlineReport& report() const { return subspace_.report(); }

  /// Remembers the state, and goes back to it, at the time t (s) that it was of. What was learned stays.
  void remember() {
    remembered_ = u_;
    subspace_.remember_report();
  }
  void go_back(double t);
  /// Goes on from other displacements, of time t (s), with what was learned.
  void resume(Vector u, double t);

  void save(StateWriter& out) const;
  /// t: the time that it was saved at, s.
  void restore(StateReader& in, double t);

 private:
  struct Audit {
    Vector displacement;  ///< e in the rest pose, m
    Vector force;         ///< f(y) in the world, N
    double size = 0.0;    ///< |L e|, m
  };

  StaticReport take_full_step(double t0, double t1);
  bool take_reduced_step(double t, StaticReport& report);
  SolveReport solve_reduced(Vector& q);
  [[nodiscard]] double potential(const Vector& q) const;
  Audit audit(const Vector& q);
  [[nodiscard]] bool descends_to(const Vector& u) const;
  void pass(const Vector& q, double size);
  void calibrate(const Vector& q, const Vector& force);
  bool learn_from(Audit audit, Vector& q);
  void learn();
  void follow_basis();
  [[nodiscard]] double norm_in_world(const Vector& y) const;
  [[nodiscard]] double accepted() const;
  [[nodiscard]] double discarded() const;

  FullModel& model_;
  LoadFunction load_;
  OnlineSettings settings_;
  QuasistaticSolver solver_;
  OnlineSubspace subspace_;
  ResidualError residual_error_;
  ResidualSamples samples_;
  Vector u_, remembered_, f_ext_;

  // Of one reduced solve:
  Vector load_in_subspace_, force_, step_, trial_;
  Matrix stiffness_;
  DefiniteFactor factor_;

  Patience patience_;
  Index since_audit_ = 0, audit_after_ = 1;
  double largest_ = 0.0;       ///< displacement in the world so far, m
  double per_residual_ = 0.0;  ///< |e| over the sampled residual in the last audit, m/N
  double error_ = 0.0;         ///< of the last reduced step, as estimated, m
};

}  // namespace limber
