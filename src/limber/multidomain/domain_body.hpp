#pragma once

#include "limber/integrators/dynamic_system.hpp"
#include "limber/linalg/symmetric_spectrum.hpp"
#include "limber/multidomain/model.hpp"
#include "limber/reduced/inertia.hpp"
#include "limber/reduced/reduced_equations.hpp"

#include <memory>
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
  MatrixX6 coupling;                     ///< padded(r) x 6 (elimination.hpp)
  Vector6 bias = Vector6::Zero();
  Vector bias_q;  ///< padded(r)

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

/// So many domains of one part are computed at once: fewer would leave lanes of the registers empty.
inline constexpr Index least_batch = 8;

/// What run time makes of a part, for all domains that are of it. Copies share what is constant.
class DomainBody {
 public:
  /// Keeps a reference to the part. The settings fit it: check_settings(). uses: domains of it.
  DomainBody(const ReducedPart& part, const PartSettings& settings, Index uses);

  [[nodiscard]] Index rank() const { return data_->rank; }
  [[nodiscard]] const ReducedPart& part() const { return *data_->part; }
  [[nodiscard]] const Matrix& mass() const { return data_->equations.mass; }  ///< r x r, before scaling
  [[nodiscard]] bool has_unit_mass() const { return data_->unit_mass; }  ///< whether that is the identity
  [[nodiscard]] const Matrix& rest_stiffness() const { return data_->rest_stiffness; }  ///< likewise
  [[nodiscard]] const Elasticity& elastic() const { return data_->equations.elastic; }
  /// The exact forces for many states at once; null where they are not exact, or the
  /// part has few domains.
  [[nodiscard]] const QuarticBatch* batch() const { return data_->batch ? &*data_->batch : nullptr; }
  [[nodiscard]] double shadow() const {
    return data_->shadow;
  }  ///< area seen from a direction, averaged over all, m^2

  [[nodiscard]] const DomainPoint& center() const { return data_->center; }  ///< of mass

  /// Of a domain at this scale (lengths are multiplied by it, coordinates are not), whose frame turns with w,
  /// rad/s in its axes.
  void inertia(const Eigen::Ref<const Vector>& q, const Eigen::Ref<const Vector>& v, const Vector3& w,
               double scale, InertiaTerms& terms);
  void motion(const Eigen::Ref<const Vector>& q, const Eigen::Ref<const Vector>& v, double scale,
              MotionTerms& terms);

  /// Size of the rounding error in an elastic energy that is nothing, J before scaling: cubature takes it
  /// from the stresses at I + G q, and I is rounded.
  [[nodiscard]] double energy_rounding() const { return data_->energy_rounding; }
  /// Coordinates as large as the domain: |q| of a motion whose root mean square is the distance of its
  /// vertices from their centre.
  [[nodiscard]] double reach() const { return data_->reach; }

  /// Memory for one domain of this part at a time.
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
  [[nodiscard]] const Port& port(Index i) const { return data_->ports[static_cast<std::size_t>(i)]; }

 private:
  /// What does not change.
  struct Data {
    const ReducedPart* part = nullptr;
    Index rank = 0;
    Inertia inertia;
    ReducedEquations equations;
    std::optional<QuarticBatch> batch;
    Matrix rest_stiffness;
    double shadow = 0.0, energy_rounding = 0.0, reach = 0.0;
    DomainPoint center;
    MatrixX3 first_rows;  ///< padded(r) x 3
    // Second moments, integrals of rho U_i x^T, in nine combinations of their entries (domain_body.cpp).
    MatrixX9 second_rows;  ///< padded(r) x 9, of x = X
    Vector second_pairs;   ///< whose product with q is, as a padded(r) x 9 matrix, that of x = u; in blocks
    bool unit_mass = false;
    std::vector<Port> ports;
  };
  static Data make_data(const ReducedPart& part, const PartSettings& settings, Index uses);
  void take_moments(const Eigen::Ref<const Vector>& q, const Eigen::Ref<const Vector>& v, bool with_rates);

  std::shared_ptr<const Data> data_;
  Work work_;
  // Memory of inertia() and motion(), padded.
  Vector q_, v_;
  MatrixX9 moments_;  ///< of x = u
  MatrixX3 rates_;    ///< of u': the first three combinations
};

}  // namespace limber
