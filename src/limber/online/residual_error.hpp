#pragma once

#include "limber/fem/full_model.hpp"
#include "limber/fem/vertex_maps.hpp"
#include "limber/full/full_springs.hpp"
#include "limber/linalg/sparse_solver.hpp"
#include "limber/linalg/state_stream.hpp"

#include <memory>

namespace limber {

/// What displacement a force residual stands for: e = (K + s M)^-1 R, with K of a state not long ago, so that
/// one solve with a factor at hand does. In statics (s = 0) that is the error itself, to first order. In
/// motion s is the square of the slowest frequency of the body: errors then count by the stiffness and the
/// inertia that they meet in its own motion, whatever the time step is.
///
/// Everything is in the rest pose (vertex_maps.hpp): K stands for L^T K L, which hardly changes as a skeleton
/// turns.
class ResidualError {
 public:
  /// Keeps a reference to the model, whose supports it moves.
  ResidualError(FullModel& model, SparseSolverKind solver);

  /// Springs that resist, too, where vertices are carried by nothing; none at first. K is taken anew.
  void set_springs(FullSprings springs);

  [[nodiscard]] bool ready() const { return ready_; }
  /// u where K was taken, in the rest pose.
  [[nodiscard]] const Vector& reference() const { return u_; }

  /// Takes K at u (of a positive definite matrix near it where it is not); leaves the supports of the model
  /// where the maps say. shift: s, 1/s^2.
  SolveReport refresh(const Vector& u, const VertexMaps& maps, double shift);

  /// e, m.  residual: L^T R, N.
  [[nodiscard]] Vector displacement(const Vector& residual) const;

  /// What the factor was made from; restore() makes it again.
  void save(StateWriter& out) const;
  void restore(StateReader& in);

 private:
  FullModel& model_;
  std::unique_ptr<SparseSolver> solver_;
  SparseMatrix K_;
  FullSprings springs_;
  bool ready_ = false;
  Vector u_, force_;
  VertexMaps maps_;
  double shift_ = 0.0;
};

/// The slowest natural frequency of the body about its rest shape, rad/s, by some steps of inverse iteration:
/// a few per cent too high at most. 0 for a body that some part of could move without strain.  Cost: one
/// factorisation.
double lowest_frequency(const FullModel& model, SparseSolverKind solver);

/// K <- L^T K L, for a matrix of 3 x 3 blocks on the unknowns.
void pull_back_stiffness(const DofMap& dofs, const VertexMaps& maps, SparseMatrix& K);

}  // namespace limber
