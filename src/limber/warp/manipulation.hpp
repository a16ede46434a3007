#pragma once

#include "limber/linalg/state_stream.hpp"
#include "limber/warp/constraint_report.hpp"
#include "limber/warp/damped_inverse.hpp"
#include "limber/warp/warped_equations.hpp"

#include <Eigen/Geometry>

#include <vector>

namespace limber {

/// The sites that are constrained, and those at which forces may act to that end.
struct ManipulationSites {
  std::vector<WarpSite> positions;     ///< to be at given places
  std::vector<WarpSite> orientations;  ///< to be turned as given
  /// Where forces act. None: wherever the constraints themselves push, which does no work on the motions that
  /// they leave free. With others a constraint may add energy to the body: give that some damping.
  std::vector<WarpSite> exercised;
  ConstraintPriority priority = ConstraintPriority::position;
};

/// Hard constraints: forces that bring the constrained sites where they shall be at the end of a step.
///                                                                              [Choi & Ko 2005, Eq. 23-29]
/// Without exercised sites by Newton's method, with the derivative of R~ Phi q. With them by the paper's
/// pseudo-inverses, computed once for all steps of the same length: its one linear solve leaves an error,
/// because R~ is that of another q, so that they are iterated with the true error; where that is slow or
/// fails Newton's method takes over. Directions in which forces hardly act (redundant or unreachable
/// constraints) are damped: the result stays finite, as near as it gets, and the report says how far that is.
class Manipulation {
 public:
  Manipulation() = default;
  /// gain: m, q of a unit of modal force over the step (OscillatorStep::q_of_f of the semi-implicit step).
  /// size: of the body, m. Targets are where the sites are at rest. Throws Error for sites of another number
  /// of modes, and for a constrained site that no force on the exercised ones can move at all.
  Manipulation(ManipulationSites sites, const Vector& gain, double size);

  /// The same sites and targets for another length of steps.
  void set_gain(const Vector& gain);

  [[nodiscard]] bool empty() const { return sites_.positions.empty() && sites_.orientations.empty(); }
  [[nodiscard]] const ManipulationSites& sites() const { return sites_; }

  // Numbers as in the lists of sites. Throw Error for numbers that do not exist and for what is not finite.

  void set_position(Index i, const Vector3& position);  ///< m
  /// rotation: of the site from rest; a unit quaternion to 1e-6, else Error. Whole turns are kept: of the
  /// rotation vectors that it stands for the one nearest to the target before is taken.
  void set_orientation(Index i, const Eigen::Quaterniond& rotation);
  /// All targets become where the sites are at q (m), whole turns included.
  void set_targets(const VectorRef& q);
  [[nodiscard]] Vector3 position_target(Index i) const;
  [[nodiscard]] Vector3 orientation_target(Index i) const;  ///< rotation vector, rad

  /// q: m, as it would be without constraints; changed to where they are met. After a solve that missed, the
  /// next ones make less effort, until targets have moved noticeably (a tenth of the size, of a radian or of
  /// the error left) and once in 60. Allocates nothing but in the first solve.
  ConstraintReport solve(Vector& q) const;

  /// Distance (m) and angle (rad) by which a constraint is missed at q. The angle is the length of the
  /// difference of the rotation vectors: whole turns count, and the angle between the two orientations is
  /// never larger.
  [[nodiscard]] double position_error(Index i, const VectorRef& q) const;
  [[nodiscard]] double orientation_error(Index i, const VectorRef& q) const;

  /// Writes the targets and what later solves remember of earlier ones, and takes it back for the same sites
  /// and gain. Throws Error for those of other sites.
  void save(StateWriter& out) const;
  void restore(StateReader& in);

  /// To which constraints are met where they can be: as shares of the size, and rad.
  static constexpr double position_tolerance = 1e-10;
  static constexpr double orientation_tolerance = 1e-10;

 private:
  /// Memory of Newton's method.
  struct Newton {
    Matrix derivative;  ///< J, rows x m, scaled
    Matrix gained;      ///< J B, rows x forces
    Matrix inverse;     ///< of that, with priorities
    PrioritizedInverse tasks;
    Vector r, next, next_r, force, dq, left;
    Vector offset, way;  ///< what targets are moved by on the way, and all of it
  };

  [[nodiscard]] bool ideal() const { return sites_.exercised.empty(); }
  void precompute(const Vector& gain);
  void residual(const Vector& q, Vector& r) const;
  [[nodiscard]] bool to_local(const Vector& q, const Vector& r) const;
  void differentiate(const Vector& q) const;
  void invert(Matrix& inverse) const;
  [[nodiscard]] bool met(const Vector& r) const;
  [[nodiscard]] bool is_in_vain() const;
  void remember(bool was_met, bool was_in_vain) const;
  [[nodiscard]] double longest_step(const Vector& dq) const;
  int iterate_chords(Vector& q, Vector& r) const;
  int iterate_newton(Vector& q, int limit) const;
  int follow(Vector& q, const Vector& start) const;
  [[nodiscard]] ConstraintReport report(const Vector& q, int iterations) const;
  [[nodiscard]] Index position_rows() const { return 3 * static_cast<Index>(sites_.positions.size()); }

  ManipulationSites sites_;
  double size_ = 1.0;
  Matrix force_gain_;      ///< B, m x forces: gamma Phi_x^T, or the root of gamma
  Matrix chord_;           ///< m x rows: q for errors in the local frames, by the pseudo-inverses at rest
  Matrix3X positions_;     ///< targets
  Matrix3X orientations_;  ///< targets, rotation vectors
  // What the last solve with all methods missed.
  mutable int solves_left_ = 0;  ///< that make less effort; 0: it missed nothing, or long ago
  mutable double missed_error_ = 0.0;
  mutable Matrix3X missed_positions_, missed_orientations_;
  // Memory of solves, so that they allocate nothing.
  mutable Vector start_, error_, local_, next_q_, next_error_;
  mutable Newton newton_;
};

}  // namespace limber
