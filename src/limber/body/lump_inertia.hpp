#pragma once

#include "limber/reduced/inertia.hpp"
#include "limber/warp/warped_equations.hpp"

#include <memory>

namespace limber {

/// What the lumps of a body add up to, in the axes of its frame.
struct LumpSums {
  Vector3 shift = Vector3::Zero();    ///< d: of the centre of mass, from where it is at rest, m
  Vector3 drift = Vector3::Zero();    ///< d': its velocity in the frame, m/s
  Matrix3 inertia = Matrix3::Zero();  ///< I: about the centre of mass, kg m^2
  Matrix3 inverse = Matrix3::Zero();  ///< of that
  Vector3 swirl = Vector3::Zero();    ///< A v: angular momentum of the motion in the frame, kg m^2/s
};

/// The mass of a body that moves by warped modes, as a whole: where its centre is, how it turns. About the
/// centre of mass X_c at rest, in the axes of the frame:
///
///   place of a lump          x_i = S (center_i - X_c) + u_i,         u = R~(Psi q) Phi q
///   centre of mass           d = sum of m_i u_i / m
///   second moments           C = D + sum of m_i x_i x_i^T - m d d^T,     I = tr(C) - C
///   of the motion in it      A v = sum of m_i x_i x u_i' - m d x d' + E v
///
/// Lumps are points, and those of a coarse mesh are its vertices, all of them too far outside. So that the
/// body at rest turns as it should, S draws them together where their second moments are larger than those of
/// the body, D >= 0 is what they lack, and E is what A lacks: A is exact at rest, 0 for a basis without rigid
/// motion. Then I is positive definite in any shape.
///
/// For one thread at a time. Once it is made it allocates nothing.
class LumpInertia {
 public:
  /// inertia: of the body at rest, in as many coordinates of the model as the modes are made of.
  LumpInertia(const WarpedEquations& equations, const Inertia& inertia);

  [[nodiscard]] double mass() const { return data_->mass; }              ///< m, kg
  [[nodiscard]] const Vector3& center() const { return data_->center; }  ///< X_c, m
  /// E, 3 x m: forces on lumps do not know of it.
  [[nodiscard]] const Matrix3X& unseen_swirl() const { return data_->unseen_swirl; }
  /// The same equations with the centers of their lumps as S has them, from X_c.
  [[nodiscard]] WarpedEquations about_center(WarpedEquations equations) const;

  /// Cost O(m lumps).  q, v: m.
  [[nodiscard]] LumpSums at(const Vector& q) const;  ///< of a body that stands still in its frame
  [[nodiscard]] LumpSums at(const Vector& q, const Vector& v) const;
  /// How d' and A v follow v: 3 x m each. Six times the cost of the others.
  void rows(const Vector& q, Matrix3X& drift, Matrix3X& swirl) const;

 private:
  /// What does not change. Copies share it.
  struct Data {
    double mass = 0.0;
    Vector3 center = Vector3::Zero();
    Vector lump_mass;
    Matrix3X places;   ///< S (center_i - X_c)
    Matrix moments;    ///< as the equations have them
    Matrix rotations;  ///< likewise
    Matrix3 lacking;   ///< D
    Matrix3X unseen_swirl;
  };

  [[nodiscard]] LumpSums sum(const Vector& q, const Vector* v) const;

  std::shared_ptr<const Data> data_;
  // Memory of sums: rotation vectors of the lumps and mass times displacements, and their rates. 3 lumps.
  mutable Vector turns_, moments_, turn_rates_, moment_rates_;
  mutable Matrix3X moving_;  ///< 3 x m, of rows()
};

}  // namespace limber
