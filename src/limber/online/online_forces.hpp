#pragma once

#include "limber/online/key_elements.hpp"
#include "limber/online/online_basis.hpp"
#include "limber/precompute/growing_coefficients.hpp"
#include "limber/reduced/quartic.hpp"

#include <memory>

namespace limber {

/// Elastic forces in a basis that changes: exact polynomials where the materials and the drive allow it and
/// key elements else.
class OnlineForces {
 public:
  enum class Kind {
    polynomial,    ///< St. Venant-Kirchhoff, supports that do not move
    key_elements,  ///< anything
  };

  /// Keeps a reference to the model.
  OnlineForces(FullModel& model, Kind kind, const KeyElementOptions& options);

  [[nodiscard]] Kind kind() const { return kind_; }
  [[nodiscard]] Index key_element_count() const { return elements_ ? elements_->point_count() : 0; }

  /// What key elements learn from: the displacement u (rest pose, dofs) under these maps and the forces of
  /// the full model there (in the world, dofs). Polynomials need none.
  void learn(const Vector& u, const VertexMaps& maps, const Vector& force);

  /// Follows the basis, which may have grown. Returns the relative error of the forces in training; 0 for
  /// polynomials.
  double follow(const OnlineBasis& basis);
  /// Follows a basis that was turned: nothing of the old coefficients holds any more.
  double follow_turned(const OnlineBasis& basis);

  /// Key elements: makes the forces exact at q, by adding what they are wrong by there until the basis
  /// changes. exact: U^T L^T f, N. What audits compute anyway so removes most of the error about the present
  /// state. Nothing for polynomials.
  void calibrate(const Vector& q, const Vector& exact);

  /// For key elements: how vertices are carried from now on.
  void set_maps(const VertexMaps& maps);

  /// f (r) and K (r x r, both triangles); returns the energy, J.
  double evaluate(const Vector& q, Vector& f, Matrix& K) const;
  double evaluate_force(const Vector& q, Vector& f) const;

  void save(StateWriter& out) const;
  /// basis: restored before.
  void restore(StateReader& in, const OnlineBasis& basis);

 private:
  FullModel& model_;
  Kind kind_;
  std::unique_ptr<GrowingCoefficients> coefficients_;
  Quartic quartic_;
  mutable QuarticWorkspace work_;
  std::unique_ptr<KeyElements> elements_;
  Vector correction_;  ///< of key elements, N
};

}  // namespace limber
