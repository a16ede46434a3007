#pragma once

#include "limber/contact/contact_solver.hpp"
#include "limber/contact/point_shell.hpp"
#include "limber/contact/touch_finder.hpp"
#include "limber/multidomain/tree_dynamics.hpp"

#include <limits>
#include <memory>
#include <vector>

namespace limber {

/// Points that stand for the surface of a model where it touches something: of the surface that is drawn,
/// and of the boundary of its simulation mesh where that was kept. Constant, and shared by all bodies of it.
class BodyShell {
 public:
  /// points: at most, of all domains together; at least a few dozen of each.
  explicit BodyShell(const std::shared_ptr<const Model>& model, Index points = 2000);

  [[nodiscard]] const PointShell& part(Index i) const { return *parts_[static_cast<std::size_t>(i)]; }
  /// No point of the boundary is farther from one of these at rest, m before scaling.
  [[nodiscard]] double spacing() const { return spacing_; }
  [[nodiscard]] double size() const { return size_; }  ///< m, diagonal of the box around the body at rest

  /// What others, and its own points, are tested against: of a body of one domain that was kept with its
  /// mesh, at its own scale; else none. Made by make_solid(), in a fraction of a second.
  [[nodiscard]] bool has_solid() const { return solid_ != nullptr; }
  [[nodiscard]] bool can_have_solid() const { return solid_of_ != nullptr; }
  void make_solid();
  [[nodiscard]] const std::shared_ptr<const RestSolid>& solid() const { return solid_; }
  [[nodiscard]] const std::shared_ptr<const ShellTree>& tree() const { return tree_; }
  [[nodiscard]] const OwnPatches& own_patches() const { return *own_; }

 private:
  std::vector<std::unique_ptr<const PointShell>> parts_;
  double spacing_ = 0.0, size_ = 0.0;
  std::shared_ptr<const Model> solid_of_;  ///< none where there can be no solid
  std::shared_ptr<const RestSolid> solid_;
  std::shared_ptr<const ShellTree> tree_;
  std::unique_ptr<const OwnPatches> own_;
};

/// The shell of one body in its present state, in the world.
class MovingShell {
 public:
  explicit MovingShell(std::shared_ptr<BodyShell> shell) : shell_(std::move(shell)) {}

  [[nodiscard]] const BodyShell& shell() const { return *shell_; }
  /// Of each part so many points are looked at, those that stand for most of it; all at first.
  void set_points(Index points) { points_ = points; }
  [[nodiscard]] bool uses(Index domain, Index point) const {
    return domains_[static_cast<std::size_t>(domain)].shell->turn(point) < points_;
  }
  void follow(const TreeDynamics& tree);  ///< before all that follows

  /// Calls visit(domain, point, x) for the points within `margin` of what a function measures the distance
  /// from.  distance(x): in the world.
  template <class Distance, class Visit>
  void for_each_near(double margin, const Distance& distance, const Visit& visit) const;

  /// No point is faster, m/s, where the body moves with u.
  [[nodiscard]] double speed(const TreeDynamics& tree, const Vector& u) const;

  /// A ball around all points, m.
  [[nodiscard]] const Vector3& center() const { return domains_.front().position; }
  [[nodiscard]] double reach(const TreeDynamics& tree) const;
  [[nodiscard]] double swing() const;  ///< no point moves farther per |q| of its domain, m

  /// Boxes and solid as they are, and as they move with u in h seconds, of a body that can have a solid; at
  /// the first call its solid is made.
  void refit(const TreeDynamics& tree, const Vector& u, double h);
  void make_solid();  ///< of such a body: before the first call
  [[nodiscard]] bool can_have_solid() const { return shell_->can_have_solid(); }
  [[nodiscard]] RefittedBoxes& boxes() { return *boxes_; }
  [[nodiscard]] DeformedSolid& solid() { return *solid_; }

  /// The same as below for a place of the mesh.
  void write_rows(const SolidPlace& place, const Vector3& x, const Matrix3& axes, double sign,
                  ContactSolver::Rows rows) const;
  /// How a point moves with the unknowns of the body along the columns of `axes`, times `sign`: written
  /// whole.
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
  void write_root(const Vector3& x, const Matrix3& axes, double sign, ContactSolver::Rows rows) const;

  std::shared_ptr<BodyShell> shell_;
  Index points_ = std::numeric_limits<int>::max();
  std::unique_ptr<RefittedBoxes> boxes_;
  std::unique_ptr<DeformedSolid> solid_;
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
        [&](Index point, const Vector3& x) { visit(static_cast<Index>(d), point, in_world(x)); }, points_);
  }
}

}  // namespace limber
