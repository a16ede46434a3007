#pragma once

#include "limber/fem/full_model.hpp"

#include <span>
#include <utility>
#include <vector>

namespace limber {

/// A place in a mesh that vertices carry along: it is displaced by the sum of what they are, times weights.
struct MeshPlace {
  std::vector<int> vertices;    ///< of one element
  std::vector<double> weights;  ///< one each; 1 for a place that is a vertex

  bool operator==(const MeshPlace&) const = default;
};

/// Where a place is displaced to, m.  u: of the unknowns.  supports: of the fixed vertices, 3 x n; without
/// columns: they stand where they were made.
Vector3 displacement_at(const MeshPlace& place, const DofMap& dofs, const VectorRef& u,
                        const Matrix3X& supports);

/// Adds a force on a place, N, to those on the unknowns. What fixed vertices take of it is lost.
void add_force_at(const MeshPlace& place, const DofMap& dofs, const Vector3& force, Vector& f);

/// What pulls a place of a full model towards a point: it adds the energy k/2 |B u - d|^2, with B u the
/// displacement of the place.
struct FullSpring {
  MeshPlace place;
  Vector3 anchor = Vector3::Zero();    ///< d, displacement at which the spring is slack, m
  double stiffness = 0.0;              ///< k, N/m, at least 0
  Vector3 half_way = Vector3::Zero();  ///< half of how far the anchor comes in the step that ends there, m

  bool operator==(const FullSpring&) const = default;
};

/// The springs of a system together: f = sum k B^T (B u - d), and K = sum k B^T B, which does not change.
/// O(1) per spring.
class FullSprings {
 public:
  FullSprings() = default;
  FullSprings(const FullModel& model, std::span<const FullSpring> springs);

  [[nodiscard]] bool empty() const { return entries_.empty(); }
  [[nodiscard]] bool moving() const { return moving_; }  ///< whether an anchor moves in the step

  // supports: as for displacement_at().
  void add_force(const Vector& u, const Matrix3X& supports, Vector& f) const;
  /// J. Less half of the work that a force as at u does on an anchor that moves: at the start of a step, with
  /// the anchor at its end already, that is what the spring had plus half of the work of the force there.
  [[nodiscard]] double energy(const Vector& u, const Matrix3X& supports) const;
  /// Size of the work by the forces at the end of the step, over half of the ways that anchors take in it, J.
  [[nodiscard]] double half_work(const Vector& u, const Matrix3X& supports) const;
  void add_product(const Vector& p, Vector& y) const;  ///< y += K p
  void add_stiffness(SparseMatrix& K) const;           ///< to one with the pattern of the model
  /// The same for u = U q, with supports that stand where they were made: f = K q + f_0, and the energy
  /// 1/2 q . K q + f_0 . q + e_0. O(r^2) per spring.
  struct Projected {
    Matrix stiffness;     ///< U^T K U, r x r, N/m
    Vector force;         ///< f_0, r, N
    double energy = 0.0;  ///< e_0, J
  };
  [[nodiscard]] Projected projected(const Eigen::Ref<const Matrix>& U) const;

  /// Sizes of the rounding errors in force (N) and energy (J) at u: the stretch is a difference of B u and d.
  struct Rounding {
    double force = 0.0, energy = 0.0;
  };
  [[nodiscard]] Rounding rounding(const Vector& u, const Matrix3X& supports) const;

 private:
  struct Entry {
    std::vector<std::pair<Index, double>> free;  ///< first unknown of a vertex, and its weight
    std::vector<std::pair<int, double>> fixed;   ///< the same for vertices that are fixed
    Vector3 anchor, half_way;                    ///< m
    double stiffness = 0.0;                      ///< N/m

    [[nodiscard]] Vector3 displacement(const Vector& u, const Matrix3X& supports) const;
  };

  std::vector<Entry> entries_;
  std::vector<std::pair<int, double>> stiffness_;  ///< where in the values of a matrix, and what, N/m
  bool moving_ = false;
};

}  // namespace limber
