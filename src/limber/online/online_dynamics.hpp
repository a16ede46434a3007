#pragma once

#include "limber/full/dynamics.hpp"
#include "limber/online/error_budget.hpp"
#include "limber/online/online_subspace.hpp"
#include "limber/online/online_system.hpp"
#include "limber/online/patience.hpp"
#include "limber/online/residual_error.hpp"

#include <optional>

namespace limber {

/// Time integration of one body that learns a subspace from its own full steps and takes reduced steps in it
/// while the error that they make is small enough. [Kim & James 2009, Algorithms 1, 2, 5, 6]
///
/// After a full step, u and u' go into the basis unless they are in it already, and the reduced step beside
/// it tells whether the subspace would have done. Then reduced steps follow. The first of them, and others at
/// growing distances, are audited: the residual R of the full equations at the reduced state stands for the
/// displacement e = (K + s M)^-1 R (ResidualError). Where e is larger than the ErrorBudget allows, it is
/// itself the direction that the basis lacks: it is added and the step taken again. Where that does not do,
/// the step is taken by the full model. No step that was accepted is ever taken back. docs/online.md says
/// where this leaves the paper and why.
///
/// Springs pull in the subspace, too, and audits count them. While handles hold, air moves past the body, or
/// its support moves or is elsewhere than where it was made, steps are full, and nothing is learned from
/// them.
class OnlineDynamics {
 public:
  /// duration: of the whole run, s.  Keeps a reference to the model. Throws Error as FullDynamics does, and
  /// for integrators other than Newmark's.
  OnlineDynamics(FullModel& model, LoadFunction load, Vector u, Vector v, const DynamicsOptions& options,
                 const OnlineSettings& settings, double duration);

  OnlineDynamics(const OnlineDynamics&) = delete;  // its parts refer to each other
  OnlineDynamics& operator=(const OnlineDynamics&) = delete;

  // As those of FullDynamics.
  void set_springs(const std::vector<FullSpring>& springs);
  void set_handles(std::vector<FullHandle> handles);
  void set_support(std::shared_ptr<MovingSupport> support);
  void set_air(FullAir air);

  /// Advances by h seconds. On failure the state stays where it was and the report says why.
  SolveReport step(double h);

  /// Goes on from another state of the unknowns, with what was learned. started: whether its accelerations
  /// balance the forces; else the next step sees to it.
  void resume(DynamicState state, bool started);
  /// After a change of loads: the next step is audited.
  void note_change();
  [[nodiscard]] const FullDynamics::Memory& memory() const { return full_.memory(); }
  void set_memory(FullDynamics::Memory memory) { full_.set_memory(std::move(memory)); }

  [[nodiscard]] double time() const { return reduced_ ? state_.time : full_.state().time; }  ///< s
  [[nodiscard]] bool started() const { return full_.started(); }  ///< whether a step was tried
  [[nodiscard]] DynamicState state() const;                       ///< of the unknowns of the model
  [[nodiscard]] Vector displacement() const;                      ///< of these
  [[nodiscard]] double kinetic_energy() const;                    ///< J
  [[nodiscard]] double energy() const;  ///< kinetic and elastic, J: of the full model, whose cost it has
  [[nodiscard]] const OnlineReport& report() const { return subspace_.report(); }

  /// Remembers the state, and goes back to it: for a step of several bodies that one of them cannot take.
  /// What was learned stays.
  void remember();
  void go_back();

  void save(StateWriter& out) const;
  void restore(StateReader& in);

 private:
  struct Audit {
    Vector displacement;  ///< e, m
    Vector force;         ///< f(u), N
    double size = 0.0;    ///< |e|, m
  };

  [[nodiscard]] bool subspace_may_do(double h) const;
  SolveReport take_full_step(double h, bool learns);
  bool take_reduced_step(double h, SolveReport& report);
  SolveReport newmark(double h, DynamicState& state);
  bool subspace_would_do(double h, const DynamicState& start);
  void learn(const DynamicState& state, double h);
  bool learn_from(Audit audit, DynamicState& start);
  void follow_basis();
  void resize_system();
  [[nodiscard]] double energy_of_springs(const Vector& u) const { return springs_.energy(u, no_supports_); }
  void enter_subspace(double h);
  void leave_subspace(double h);
  void leave_remembered_subspace(double h);
  [[nodiscard]] double potential() const;
  void bound_energy();
  void balance();
  double lower_potential(double potential, double most);
  [[nodiscard]] bool wandered() const;
  [[nodiscard]] bool load_changed(double h);
  [[nodiscard]] bool by_key_elements() const {
    return subspace_.forces().kind() == OnlineForces::Kind::key_elements;
  }
  Audit audit(double h);
  void pass_audit(const Audit& audit, bool at_once);
  void calibrate(const Vector& q, const Vector& force);
  void predict_error_column(const Vector& u, const Vector& v);
  [[nodiscard]] double shift() const;

  FullModel& model_;
  LoadFunction load_;
  DynamicsOptions options_;
  bool learns_;  ///< false where no step may be skipped
  FullDynamics full_;
  OnlineSubspace subspace_;
  OnlineSystem system_;
  ErrorBudget budget_;
  ResidualError residual_error_;
  VertexMaps still_;                ///< of supports that do not move
  SparseMatrix rest_stiffness_;     ///< for linear damping
  double slowest_frequency_ = 0.0;  ///< of the body, rad/s; 0: it can move as a whole

  std::vector<FullSpring> spring_list_;
  FullSprings springs_;
  Matrix3X no_supports_ = Matrix3X(3, 0);
  std::shared_ptr<MovingSupport> support_;
  bool held_ = false, blown_ = false;  ///< whether handles hold, and air moves

  bool reduced_ = false;  ///< whether the state is that of the subspace
  bool enters_ =
      false;  ///< whether the next step is to be taken in the subspace, by what the last full one told
  DynamicState state_;  ///< in the subspace
  /// What the body may have, kinetic, elastic and of the load, J, by the full model: key elements have an
  /// energy of their own, which is another after each calibration. None: the load has changed.
  std::optional<double> allowed_;
  NewmarkWorkspace work_;
  Vector f_ext_, load_before_;

  Patience patience_;
  Index since_audit_ = 0, audit_after_ = 1;
  Index error_column_ = -1;  ///< the column that was predicted; -1: none
  double audited_ = 0.0;     ///< |e| of the last audit, m

  bool remembered_reduced_ = false, remembered_enters_ = false;
  DynamicState remembered_;
  FullDynamics::Memory remembered_memory_;
  std::optional<double> remembered_allowed_;
};

}  // namespace limber
