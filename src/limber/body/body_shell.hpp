#pragma once

#include "limber/contact/contact_solver.hpp"
#include "limber/contact/point_shell.hpp"
#include "limber/multidomain/tree_dynamics.hpp"

#include <memory>
#include <vector>

namespace limber {

/// Points that stand for the surface of a model where it touches something: of the surface that is drawn, and of
/// the boundary of its simulation mesh where that was kept. Constant, and shared by all bodies of it.
class BodyShell {
 public:
  /// points: at most, of all domains together; at least a few dozen of each.
  explicit BodyShell(const Model& model, Index points = 2000);

  [[nodiscard]] const PointShell& part(Index i) const { return *parts_[static_cast<std::size_t>(i)]; }
  /// No point of the boundary is farther from one of these at rest, m before scaling.
  [[nodiscard]] double spacing() const { return spacing_; }
  [[nodiscard]] double size() const { return size_; }  ///< m, diagonal of the box around the body at rest

 private:
  std::vector<std::unique_ptr<const PointShell>> parts_;
  double spacing_ = 0.0, size_ = 0.0;
};

/// The shell of one body in its present state, in the world.
class MovingShell {
 public:
  explicit MovingShell(std::shared_ptr<const BodyShell> shell) : shell_(std::move(shell)) {}

  [[nodiscard]] const BodyShell& shell() const { return *shell_; }
  void follow(const TreeDynamics& tree);  ///< before all that follows

  /// Calls visit(domain, point, x) for the points within `margin` of what a function measures the distance
  /// from.  distance(x): in the world.
  template <class Distance, class Visit>
  void for_each_near(double margin, const Distance& distance, const Visit& visit) const;

  /// No point is faster, m/s, where the body moves with u.
  [[nodiscard]] double speed(const TreeDynamics& tree, const Vector& u) const;

  /// How a point moves with the unknowns of the body along the columns of `axes`, times `sign`: written whole.
  void write_rows(const TreeDynamics& tree, Index domain, Index point, const Vector3& x, const Matrix3& axes,
                  double sign, ContactSolver::Rows rows) const;

 private:
  struct Placed {
    const PointShell* shell = nullptr;
    Matrix3 rotation;  ///< scaled
    Vector3 position;
    double scale = 1.0;
    Index first = 0, rank = 0;
    PointShell::Coordinates q;
  };
  std::shared_ptr<const BodyShell> shell_;
  std::vector<Placed> domains_;
  mutable std::vector<int> columns_;
  mutable Matrix3X own_, rows_;
};

template <class Distance, class Visit>
void MovingShell::for_each_near(double margin, const Distance& distance, const Visit& visit) const {
  for (std::size_t d = 0; d < domains_.size(); ++d) {
    const Placed& placed = domains_[d];
    const auto in_world = [&](const Vector3& x) { return Vector3(placed.position + placed.rotation * x); };
    placed.shell->for_each_near(
        placed.q, margin / placed.scale,
        [&](const Vector3& x) { return distance(in_world(x)) / placed.scale; },
        [&](Index point, const Vector3& x) { visit(static_cast<Index>(d), point, in_world(x)); });
  }
}

}  // namespace limber
