#pragma once

#include "limber/full/dynamics.hpp"
#include "limber/linalg/cholesky.hpp"

#include <span>

namespace limber {

/// Steps of a full body in velocities, for whoever couples it with others that it touches.
///
/// The unknown is the mean velocity u of the step. With the forces and the stiffness at its start, k = (h_0 +
/// h)/2 the time from the middle of the step before to the middle of this one, and impulses g on points that
/// move with J u,
///
///   A (u - u_0) = k (f_ext - f - (h - h_0)/2 K u_0 - D u_0 - bias) - e h^2 K P^2 u_0 + J^T g,
///   A = M + h/2 D + (1/4 + e) h^2 K,     P = I - A^-1 M.
///
/// That is Newmark's average acceleration but for e = 0.1, which is for motion that is fast for the step: P
/// is 0 for slow modes and 1 for fast ones, which lose a sixth of their size in each step. With x = w h a
/// mode is damped by 1e-5 of critical at x = 0.3 and by 0.25 % at x = 1. What rests is left alone, as u = u_0
/// = 0. A step keeps, and damping lowers, E = T(u) + W(middle) + e/2 h^2 u . K u, of linear bodies to
/// rounding.
///
/// A body that nothing holds turns with its own mean angular velocity w in the step, so that turning strains
/// nothing: places r about the centre of mass go to R(h w) r + h R(h w / 2) s, with s the rest of u; bias is
/// M (w x (u_0 - V)). Momenta are those of the middle of the step, and exact: w is the one with which they
/// are what impulses and forces leave.
///
/// Cost of a step: a sparse factor, four solves, and one for each unknown that is touched.
class CoupledFull {
 public:
  CoupledFull(const FullModel& model, const RayleighDamping& damping, SparseSolverKind solver);

  void set_damping(const RayleighDamping& damping);
  void set_springs(std::span<const FullSpring> springs);

  /// What a step leaves to the next one beside the state, whose v is u.
  struct Memory {
    double h = 0.0;        ///< s, of that step; 0: v is that of now
    double elastic = 0.0;  ///< W in its middle, J
    double pulled = 0.0;   ///< of springs there, J
    double fast = 0.0;     ///< u . K u, J/s^2
    bool judged = false;   ///< whether the next step may be judged by these: nothing has changed since

    void save(StateWriter& out) const;
    static Memory restored(StateReader& in);  ///< throws Error for numbers that cannot be
    /// What the step keeps beside T, of the body alone, J.
    [[nodiscard]] double kept() const;
  };

  /// Forces and the matrix, and u where nothing touches.  load: mean force from the middle of the step before
  /// to the middle of this one, N.
  enum class Elastic {
    mean,      ///< forces in A as above
    implicit,  ///< those of the end of the step
    rigid,     ///< the shape stays, and only the whole moves: the last resort
  };
  SolveReport begin(double h, Elastic elastic, const Vector& load, const DynamicState& start,
                    const Memory& memory);
  [[nodiscard]] double kick() const { return kick_; }  ///< k, s
  [[nodiscard]] const Vector& start_velocity() const { return start_velocity_; }
  [[nodiscard]] const Vector& free_velocity() const { return free_velocity_; }
  [[nodiscard]] bool flies() const { return flies_; }  ///< whether neither supports nor springs hold it
  [[nodiscard]] const Vector3& center() const { return center_; }  ///< of mass, of a body that flies, m

  /// The step as those see it who touch some of its unknowns alone: velocities of these, and of a body that
  /// flies then the velocity of its centre of mass and its angular velocity; the first are then those beside
  /// that motion as a whole.
  struct Condensed {
    Matrix
        matrix;  ///< (S A^-1 S^T)^-1, with S the choice of the unknowns, and the whole as a block of its own
    Vector start, free;
  };
  SolveReport condense(std::span<const int> unknowns, Condensed& result);

  /// Moves the state.  impulse: of the unknowns of condense(). Where the step gains energy it fails, and all
  /// is as it was; but for one that is rigid.  last: it may be slowed down by any factor.
  /// unearned, excess: what contacts gave that was not due, J (CoupledStep).
  SolveReport end(std::span<const int> unknowns, const Vector& impulse, double unearned, double excess,
                  bool last, DynamicState& state, Memory& memory);

 private:
  using Vector6 = Eigen::Matrix<double, 6, 1>;
  using Matrix6 = Eigen::Matrix<double, 6, 6>;
  /// A velocity as the motion of the whole and what is left, which A does not couple.
  struct Split {
    Vector6 whole = Vector6::Zero();
    Vector rest;
  };
  /// A way that a step can take.
  struct Way {
    Vector end, velocity, middle;  ///< u at the end, mean velocity, u in the middle
    double kinetic = 0.0, locked = 0.0, elastic = 0.0, pulled = 0.0, fast = 0.0;
  };

  void place_whole(const Vector& u);
  void set_whole_matrix();
  [[nodiscard]] Split split(const Vector& u) const;
  [[nodiscard]] Vector joined(const Split& split) const;
  /// A^-1 b but for the motion of the whole.
  SolveReport solve_rest(Eigen::Ref<Matrix> b, Eigen::Ref<Matrix> x);
  SolveReport solve(const Vector& b, Split& x);
  SolveReport damp_fast(const Vector& rest, Vector& rhs);
  void take_turned(const DynamicState& start);
  [[nodiscard]] Vector product_with_damping(const Vector& rest, const Vector& whole) const;
  [[nodiscard]] Vector6 momentum_after(const Vector6& impulse) const;
  void take_way(const Split& velocity, const Vector6& momentum, Way& way) const;
  void turn(const Vector& velocity, const Vector6& momentum, Way& way) const;
  [[nodiscard]] double potential(const Vector& middle) const;
  [[nodiscard]] double load_power(const Vector& velocity) const;
  void slow(double factor, Way& way) const;

  const FullModel& model_;
  RayleighDamping damping_;
  FullSystem system_;
  FullSprings springs_;
  std::optional<FreeFlight> flight_;

  double h_ = 0.0, last_h_ = 0.0, kick_ = 0.0;
  double on_stiffness_ = 0.0;  ///< factor of K in A, s^2
  double fast_share_ = 0.0;    ///< e in this step
  bool flies_ = false, rigid_ = false;
  Vector load_, displacement_, velocity_;  ///< of the start
  Vector start_velocity_, free_velocity_;
  // Of a body that flies.
  double mass_ = 0.0;  ///< kg
  Vector3 center_ = Vector3::Zero();
  Matrix3X arms_;                   ///< places about that, m
  Matrix whole_, whole_mass_;       ///< R, its motions as a whole, and M R, n x 6
  Matrix whole_product_;            ///< A R
  Matrix6 inertia_, whole_matrix_;  ///< R^T M R, R^T A R
  Cholesky inertia_factor_, whole_factor_;
};

}  // namespace limber
