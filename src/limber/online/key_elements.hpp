#pragma once

#include "limber/fem/full_model.hpp"
#include "limber/fem/vertex_maps.hpp"
#include "limber/linalg/state_stream.hpp"
#include "limber/precompute/mode_gradients.hpp"

#include <cstdint>
#include <memory>
#include <vector>

namespace limber {

struct KeyElementOptions {
  double error = 0.01;  ///< of the reduced force that training aims at, relative, root mean square over poses
  Index max_points = 400;
  Index candidates = 400;  ///< quadrature points that compete at a time, drawn at random
  Index max_poses = 60;    ///< kept: of more the first ones are forgotten
  std::uint64_t seed = 1;
};

struct KeyElementFit {
  double error = 0.0;  ///< reached on the training poses
  Index points = 0;
};

/// Elastic forces of any material in a subspace that changes while a simulation runs: a weighted sum over a
/// few quadrature points, retrained whenever the basis changes, starting from the last ones. [Kim & James
/// 2009, section 4.1; An, Kim & James 2008]
///
/// The world displacement is y = L U q + c (vertex_maps.hpp), the reduced force (L U)^T f(y), so that at a
/// point F = I + sum_a (c_a + L_a U_a q) g_a^T over the vertices a of its element.
class KeyElements {
 public:
  /// Keeps a reference to the model.
  KeyElements(const FullModel& model, const KeyElementOptions& options);
  ~KeyElements();
  KeyElements(KeyElements&&) noexcept;

  /// Records a training pose: the world displacements of all vertices (3 x n) under these maps, and the
  /// forces of the full model there (dofs, in the world, N).
  void add_pose(const Matrix3X& displacement, const VertexMaps& maps, const Vector& force);
  [[nodiscard]] Index pose_count() const;

  /// Chooses points and weights for the basis (dofs x r), starting from the present ones; those whose weight
  /// becomes 0 go. Deterministic: the same calls in the same order give the same bits, for any number of
  /// threads. Throws Error where there are no poses.
  KeyElementFit train(const Eigen::Ref<const Matrix>& basis);

  /// Takes points and weights (m^3, > 0) from elsewhere; set_basis comes next.
  void set_points(const std::vector<QuadraturePoint>& points, const Vector& weights);

  /// The same points and weights for another basis (dofs x r), e.g. one that lost a column or was turned.
  void set_basis(const Eigen::Ref<const Matrix>& basis);

  /// How vertices are carried in the evaluations to come. Cost O(points r).
  void set_maps(const VertexMaps& maps);

  [[nodiscard]] Index rank() const;
  [[nodiscard]] Index point_count() const;
  [[nodiscard]] const std::vector<QuadraturePoint>& points() const;
  [[nodiscard]] const Vector& weights() const;  ///< m^3, positive

  /// f (r) and, where asked for, K (r x r, both triangles, of exact stress derivatives); returns the energy,
  /// J. Not from several threads at once: working memory is kept between calls.
  double evaluate(const VectorRef& q, Vector& f, Matrix& K) const;
  double evaluate_force(const VectorRef& q, Vector& f) const;

  /// Everything but the basis and the maps, which the owner hands in again (set_basis, set_maps).
  void save(StateWriter& out) const;
  void restore(StateReader& in);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace limber
