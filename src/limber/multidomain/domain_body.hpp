#pragma once

#include "limber/integrators/dynamic_system.hpp"
#include "limber/linalg/symmetric_spectrum.hpp"
#include "limber/multidomain/domain_tree.hpp"
#include "limber/reduced/reduced_equations.hpp"

#include <optional>
#include <vector>

namespace limber {

using Matrix6 = Eigen::Matrix<double, 6, 6>;
using Vector6 = Eigen::Matrix<double, 6, 1>;  ///< of a frame: linear part first, then angular
using MatrixX6 = Eigen::Matrix<double, Eigen::Dynamic, 6>;
using MatrixX9 = Eigen::Matrix<double, Eigen::Dynamic, 9>;
using MatrixX3 = Eigen::MatrixX3d;
using Vector12 = Eigen::Matrix<double, 12, 1>;

/// How the inertia of a domain enters its equations of motion, about the origin of its frame and in its axes.
/// With A the acceleration of the frame:
///
///   force and torque on the frame:   rigid A + coupling^T q'' + bias
///   on the coordinates:              coupling A + M q'' + bias_q
///
/// Biases are the forces of velocities: centrifugal and Coriolis. [Barbic & Zhao 2011, Eq. 12-14]
struct InertiaTerms {
  double mass = 0.0;                     ///< kg
  Vector3 first = Vector3::Zero();       ///< mass times its centre, kg m
  Matrix3 rotational = Matrix3::Zero();  ///< kg m^2
  MatrixX6 coupling;                     ///< r x 6
  Vector6 bias = Vector6::Zero();
  Vector bias_q;  ///< r

  [[nodiscard]] Matrix6 rigid() const;
};

/// A point of a domain: at X + rows^T q in its coordinates.
struct DomainPoint {
  Vector3 place = Vector3::Zero();  ///< X
  MatrixX3 rows;                    ///< r x 3
};

/// The part of a domain's inertia that momentum and energy need: half the work of InertiaTerms.
struct MotionTerms {
  double mass = 0.0;                     ///< kg
  Vector3 first = Vector3::Zero();       ///< mass times its centre, kg m
  Matrix3 rotational = Matrix3::Zero();  ///< kg m^2
  Vector6 momentum = Vector6::Zero();    ///< of its coordinates: where the frame stands still
  double energy = 0.0;                   ///< likewise, J

  [[nodiscard]] Matrix6 rigid() const;
};

/// What run time makes of a kind, for all domains that are of it.
class DomainBody {
 public:
  /// Keeps a reference to the kind.
  explicit DomainBody(const DomainKind& kind);

  [[nodiscard]] Index rank() const { return rank_; }
  [[nodiscard]] const DomainKind& kind() const { return *kind_; }
  [[nodiscard]] const Matrix& mass() const { return mass_; }                      ///< r x r, before scaling
  [[nodiscard]] const Matrix& rest_stiffness() const { return rest_stiffness_; }  ///< r x r, before scaling
  [[nodiscard]] const Elasticity& elastic() const { return equations_.elastic; }
  /// The exact forces for many states at once; null where they are not exact.
  [[nodiscard]] const QuarticBatch* batch() const { return batch_ ? &*batch_ : nullptr; }
  [[nodiscard]] double shadow() const {
    return shadow_;
  }  ///< area seen from a direction, averaged over all, m^2

  [[nodiscard]] const DomainPoint& center() const { return center_; }  ///< of mass

  /// Of a domain at this scale (lengths are multiplied by it, coordinates are not), whose frame turns with w,
  /// rad/s in its axes.
  void inertia(const Eigen::Ref<const Vector>& q, const Eigen::Ref<const Vector>& v, const Vector3& w,
               double scale, InertiaTerms& terms);
  void motion(const Eigen::Ref<const Vector>& q, const Eigen::Ref<const Vector>& v, double scale,
              MotionTerms& terms);

  /// Size of the rounding error in an elastic energy that is nothing, J before scaling: cubature takes it
  /// from the stresses at I + G q, and I is rounded.
  [[nodiscard]] double energy_rounding() const { return energy_rounding_; }
  /// Coordinates as large as the domain: |q| of a motion whose root mean square is the distance of its
  /// vertices from their centre.
  [[nodiscard]] double reach() const { return reach_; }

  /// Memory for one domain of this kind at a time.
  struct Work {
    InertiaTerms terms;
    Matrix tangent;  ///< r x r, elastic stiffness without negative curvature, before scaling
    PositivePart positive;
    Matrix system;  ///< of a domain without children (elimination.hpp)
  };
  [[nodiscard]] Work& work() { return work_; }

  /// A port as run time sees it: by coordinates, which follow each other in memory.
  struct Port {
    const InterfacePort* data = nullptr;
    MatrixX3 center_rows;      ///< r x 3
    MatrixX9 covariance_rows;  ///< r x 9
    Matrix columns;       ///< 16 x r: entries of the covariance and of the centre for each coordinate, padded
    double spread = 0.0;  ///< the least of its spreads at rest
    double crush_energy = 0.0;  ///< that takes it to nothing where the domain is linear, J before scaling

    /// As shares of the spread at rest. An interface that is narrower than the first resists being crushed
    /// further; below the second, which next to nothing crushes it to, its rotation means nothing.
    static constexpr double narrow = 0.4, least = 0.05;

    /// What keeps it from being crushed to a line, past which its rotation would jump and the tree be stuck:
    /// of each spread, x times the least at rest, an energy of the domain that carries it,  c (narrow / x -
    /// 1)^3  where x is less than `narrow`, and below `least` the parabola that goes on from there: it bounds
    /// the stiffness, which would drown all others in rounding.
    struct Barrier {
      double energy = 0.0, slope = 0.0, curvature = 0.0;  ///< and derivatives by x, J before scaling
    };
    [[nodiscard]] Barrier barrier(double x) const;

    /// How covariance and centre have moved from rest with q, and move with v.
    void motion(const Eigen::Ref<const Vector>& q, const Eigen::Ref<const Vector>& v, Vector12& moved,
                Vector12& moving) const;
  };
  [[nodiscard]] const Port& port(Index i) const { return ports_[static_cast<std::size_t>(i)]; }

 private:
  const DomainKind* kind_;
  Index rank_;
  ReducedEquations equations_;
  std::optional<QuarticBatch> batch_;
  Matrix mass_, rest_stiffness_;
  double shadow_ = 0.0, energy_rounding_ = 0.0, reach_ = 0.0;
  DomainPoint center_;
  MatrixX3 first_rows_;   ///< r x 3
  MatrixX9 second_rows_;  ///< r x 9
  Matrix second_pairs_;   ///< 9r x r: its product with q is, as an r x 9 matrix, the integral of rho U_i u^T
  std::vector<Port> ports_;
  Work work_;
  Vector moments_q_, moments_v_;  ///< 9r, memory of inertia()
};

}  // namespace limber
