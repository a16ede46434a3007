#pragma once

#include "limber/live/handles.hpp"

#include <span>
#include <vector>

namespace limber {

/// A force on a vertex of the surface.
struct VertexForce {
  int vertex = -1;
  Vector3 force = Vector3::Zero();  ///< N

  bool operator==(const VertexForce&) const = default;
};

/// Whether a step was taken: the errors of one that left the range of double are infinite.
bool is_finite(const ConstraintReport& report);

/// The part of a LiveBody that moves by warped modes: WarpedDynamics in coordinates of the model, of which
/// all the natural modes of their span are taken. Then S is square and p = S^T M q is exact, with p the
/// amplitudes of the modes.
///
/// Functions that throw Error leave it as it was.
class WarpedBody {
 public:
  /// Keeps a reference to the model. mass: r' x r', of the coordinates in use.
  WarpedBody(const ReducedModel& model, WarpedEquations equations, const Matrix& mass);

  void set_gravity(const Vector3& acceleration);
  void set_forces(const std::vector<VertexForce>& forces);
  void set_frame_motion(const FrameMotion& motion);
  void set_handles(std::span<const Handle> handles, ConstraintPriority priority);
  [[nodiscard]] const std::vector<Handle>& handles() const { return handles_; }
  [[nodiscard]] ConstraintPriority priority() const { return priority_; }

  /// time, u and v. Orientations that handles hold are from now on those nearest to the new ones, by whole
  /// turns.
  void set_state(const DynamicState& state);
  /// Sets the acceleration that balances the forces; those of handles are not known before the step.
  void balance(DynamicState& state) const;
  /// From the state last set or reached, which is written. Its acceleration is the mean one over the step.
  /// Where it fails, by numbers that are not finite, all is left as it was.
  ConstraintReport step(double h, ModalIntegrator integrator, DynamicState& state);

  [[nodiscard]] double elastic_energy() const { return dynamics_.elastic_energy(); }  ///< J
  [[nodiscard]] double kinetic_energy() const { return dynamics_.kinetic_energy(); }  ///< J
  [[nodiscard]] double load_energy() const;  ///< J, of gravity, forces and the frame's motion

 private:
  [[nodiscard]] std::vector<SiteForce> site_forces(const std::vector<VertexForce>& forces) const;
  void hold(WarpedDynamics& dynamics, std::span<const Handle> handles, ConstraintPriority priority) const;
  void take_integrator(ModalIntegrator integrator);

  const ReducedModel* model_;
  Matrix amplitudes_;  ///< S^T M: of the modes for each coordinate
  WarpedDynamics dynamics_;
  // As they were given: dynamics do not tell.
  Vector3 gravity_ = Vector3::Zero();
  std::vector<VertexForce> forces_;
  FrameMotion frame_;
  std::vector<Handle> handles_;
  ConstraintPriority priority_ = ConstraintPriority::position;
};

}  // namespace limber
