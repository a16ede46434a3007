#pragma once

#include "limber/linalg/types.hpp"
#include "limber/material/material.hpp"

#include <span>
#include <vector>

namespace limber {

// Reduced forces of any material from a few points of the body.
//                                              [An, Kim & James 2008; Yang et al. 2015, section 5]
//
//   F_p = I + G_p q,      f(q) = sum_p L_p^T P(F_p),      K(q) = sum_p L_p^T A(F_p) G_p,
//
// where G_p (9 x r) holds the gradients of the modes at point p, P is the stress and A its derivative by F.
// With one weight per point L_p = w_p G_p ("optimized" cubature): f is then the gradient of W(q) = sum_p w_p
// psi(F_p), and K is symmetric. With a weight per point and coordinate ("modal" cubature) column j of L_p is
// w_pj times column j of G_p: fewer points do, but f has no potential.

/// How a rule was trained.
struct CubatureTraining {
  double error_asked_for = 0.0;  ///< share of the force, e.g. 0.01
  double training_error = 0.0;   ///< |f - exact| / |exact|, root mean square over the training poses
  double held_out_error = 0.0;   ///< the same over poses that it was not trained with
  double amplitude = 0.0;        ///< largest displacement in the poses as a share of the body's size
  Index poses = 0;

  bool operator==(const CubatureTraining&) const = default;
};

/// The points, the modes' gradients there, and the weights.
struct CubatureRule {
  std::vector<int> element;  ///< m, of the simulation mesh
  std::vector<int> point;   ///< m, number of the quadrature point in it: 0 for tetrahedra, 0 to 26 for bricks
  std::vector<int> region;  ///< m, of the model
  Matrix gradients;         ///< 9m x r: row 9 p + c + 3 axis is d u_c / d x_axis at point p, 1 per unit of q
  Matrix weights;           ///< m x 1: one for all coordinates; or m x r: one for each; m^3, >= 0
  Vector energy_weights;    ///< m, m^3, >= 0: of the energy; those above where there is one for all
  CubatureTraining training;

  [[nodiscard]] Index point_count() const { return weights.rows(); }
  [[nodiscard]] bool modal() const { return weights.cols() != 1; }
};

/// Memory for one evaluation at a time; sized by the first one, for any rule. See cubature.cpp for the
/// symbols.
struct CubatureWorkspace {
  Vector q, f;  ///< padded
  Vector sums;  ///< K, its lower triangle, padded
  /// Modal cubature: f and K by the weights of the energy, whose derivatives they then are.
  bool forces_of_energy = false;
};

/// A rule with its materials, in a layout made for evaluation. Constant after construction. Nothing is
/// allocated by an evaluation whose workspace has been used before.
class Cubature {
 public:
  Cubature() = default;
  /// materials: one per region of the model.  rank: the first so many coordinates of the rule.
  Cubature(const CubatureRule& rule, std::span<const Material> materials, Index rank);

  [[nodiscard]] Index rank() const { return rank_; }
  [[nodiscard]] Index point_count() const { return point_count_; }

  /// Whether f is the gradient of W: one weight per point.
  [[nodiscard]] bool conservative() const { return !modal_; }

  /// f (r), K (r x r, both triangles; the symmetric part of df/dq where that is not symmetric); returns W.
  /// Cost O(points r^2). f and K must have their sizes.
  double evaluate(const VectorRef& q, CubatureWorkspace& work, Eigen::Ref<Vector> f,
                  Eigen::Ref<Matrix> K) const;

  /// f alone; returns W.  Cost O(points r).
  double evaluate_force(const VectorRef& q, CubatureWorkspace& work, Eigen::Ref<Vector> f) const;

  /// The smallest |q| at which the gradient of the displacement reaches 1 at one of the points; 1 where
  /// nothing moves.
  [[nodiscard]] double reach() const { return reach_; }

  /// J, the energy of strains of 1 at all points, which roundings of the energy are measured by: those of
  /// modes in which the body bends are small against it.
  [[nodiscard]] double unit_energy() const { return unit_energy_; }

 private:
  /// Up to eight points of one region that are computed together.
  struct PointPacket {
    int count = 0;
    int region = 0;
  };

  void pack(const CubatureRule& rule);
  template <bool with_stiffness>
  double sweep(const VectorRef& q, CubatureWorkspace& work) const;

  Index rank_ = 0, point_count_ = 0;
  Index panels_ = 0;  ///< of coordinates: how cubature_kernels.hpp cuts the rank
  bool modal_ = false;
  double reach_ = 1.0, unit_energy_ = 0.0;
  std::vector<MaterialLaw> laws_;  ///< of the regions
  std::vector<PointPacket> packets_;
  Vector gradients_;       ///< G, packet by packet
  Vector weights_;         ///< of the packets: of the points, or of the points and coordinates
  Vector energy_weights_;  ///< of the points
};

}  // namespace limber
