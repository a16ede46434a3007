#pragma once

#include "limber/body/body.hpp"
#include "limber/contact/contact_solver.hpp"
#include "limber/contact/point_shell.hpp"
#include "limber/contact/touch_finder.hpp"
#include "limber/multidomain/tree_dynamics.hpp"

#include <algorithm>
#include <limits>
#include <memory>
#include <span>
#include <vector>

namespace limber {

/// Points that stand for the surface of a body where it touches something: of the surface that is drawn, and
/// of the boundary of its simulation mesh where that was kept. Constant, and shared by all bodies of a model.
class BodyShell {
 public:
  /// points: at most, of all domains together; at least a few dozen of each.
  explicit BodyShell(const std::shared_ptr<const Model>& model, Index points = 2000);
  /// Of a body that moves without frames: it is asked where each of its points is.
  explicit BodyShell(const Body& body, Index points = 2000);

  [[nodiscard]] const PointShell& part(Index i) const { return *parts_[static_cast<std::size_t>(i)]; }
  /// Of a body that moves without frames; else none.
  [[nodiscard]] const std::vector<Point>& points() const { return points_; }
  [[nodiscard]] bool pointwise() const { return parts_.empty(); }
  /// No point of the boundary is farther from one of these at rest, m before scaling.
  [[nodiscard]] double spacing() const { return spacing_; }
  [[nodiscard]] double size() const { return size_; }  ///< m, diagonal of the box around the body at rest

  // What others, and its own points, are tested against, of a body that was kept with its mesh; of several
  // domains where their meshes make one. Made by make_solid(), in a fraction of a second.

  [[nodiscard]] bool can_have_solid() const {
    return single_ != nullptr || tree_ != nullptr || mesh_.elements.size() > 0;
  }
  /// Whether it is tested as a whole with boxes around its points: of a body of one domain, at its own scale.
  [[nodiscard]] bool has_boxes() const { return single_ != nullptr; }
  /// Whether its solid is in pieces: one for each domain of a tree.
  [[nodiscard]] bool in_pieces() const { return tree_ != nullptr; }
  void make_solid();
  [[nodiscard]] bool has_solid() const { return field_ != nullptr; }
  /// Distances from its surface at rest: in the axes of its domain, of several in those of the model.
  [[nodiscard]] const RestField& field() const { return *field_; }
  [[nodiscard]] const std::shared_ptr<const RestSolid>& solid() const { return solid_; }
  /// That of a domain of a tree, where it is one of its pieces.
  [[nodiscard]] DeformedSolid make_piece(Index domain) const;
  [[nodiscard]] const std::shared_ptr<const ShellTree>& groups() const { return groups_; }
  [[nodiscard]] const OwnPatches& own_patches() const { return *own_; }

 private:
  std::vector<std::unique_ptr<const PointShell>> parts_;
  std::vector<Point> points_;
  // Of a body that moves without frames.
  std::shared_ptr<const BodySurface> surface_;  ///< shells are known by it as long as they live
  VolumeMesh mesh_;                             ///< empty where it was not kept
  std::string name_;
  double spacing_ = 0.0, size_ = 0.0;
  std::shared_ptr<const Model> single_, tree_;  ///< one of them at most: what a solid could be made of
  std::shared_ptr<const RestField> field_;
  std::shared_ptr<const RestSolid> solid_;
  std::vector<std::shared_ptr<const RestSolid>> pieces_;  ///< of the parts of a tree
  std::shared_ptr<const ShellTree> groups_;
  std::unique_ptr<const OwnPatches> own_;
};

/// The shell of one body in its present state, in the world.
class MovingShell {
 public:
  explicit MovingShell(std::shared_ptr<BodyShell> shell) : shell_(std::move(shell)) {}

  [[nodiscard]] const BodyShell& shell() const { return *shell_; }
  /// Of each part so many points are looked at, those that stand for most of it; all at first.
  void set_points(Index points) { points_ = points; }
  [[nodiscard]] Index points() const { return points_; }
  [[nodiscard]] bool uses(Index domain, Index point) const {
    return domains_[static_cast<std::size_t>(domain)].shell->turn(point) < points_;
  }
  void follow(const Body& body);  ///< before all that follows

  /// Calls visit(domain, point, x) for the points within `margin` of what a function measures the distance
  /// from.  distance(x): in the world.
  template <class Distance, class Visit>
  void for_each_near(double margin, const Distance& distance, const Visit& visit) const;

  /// No point is faster, m/s, where the body moves with u.
  [[nodiscard]] double speed(const Body& body, const Vector& u) const;

  /// A ball around all points, m.
  [[nodiscard]] const Vector3& center() const { return center_; }
  [[nodiscard]] double reach() const { return reach_; }
  /// No point moves farther per |q| of its domain, m. Of a body that moves without frames: at rest.
  [[nodiscard]] double swing() const;

  /// Balls around all points and their ways in h seconds, where the body moves with u, some dozen of each
  /// domain, and a box around these.
  void cover(const Body& body, const Vector& u, double h);
  [[nodiscard]] std::span<const PointShell::Ball> cover() const { return cover_; }
  [[nodiscard]] const BoundingBox& cover_box() const { return cover_box_; }

  /// What the functions after it need, in a fraction of a second, of a body that can have a solid; of others
  /// it does nothing.
  void make_solid();
  /// Boxes, or the solid, as they are, and as they move with u in h seconds.
  void refit_boxes(const Body& body, const Vector& u, double h);
  void refit_solid(const Body& body, const Vector& u, double h);
  [[nodiscard]] bool can_have_solid() const { return shell_->can_have_solid(); }
  [[nodiscard]] bool has_boxes() const { return shell_->has_boxes(); }
  [[nodiscard]] RefittedBoxes& boxes() { return *boxes_; }
  [[nodiscard]] DeformedSolid& solid() { return *solid_; }

  /// A place of the solid that a place of the world touches.
  struct PlaceTouch {
    Index domain = 0;
    double distance = 0.0;              ///< m
    Vector3 normal = Vector3::UnitZ();  ///< in the world
    SolidPlace place;
  };
  /// The nearest one, if it is at most `reach` (m) away or x is inside; else false, and touch is as it was.
  /// After cover() and refit_solid().
  bool touch(const Body& body, const Vector3& x, double reach, PlaceTouch& touch);

  /// Unknowns that move a point, or a place of the mesh, beside those that are in the list already.
  void list_unknowns(const Body& body, Index point, std::vector<int>& unknowns) const;
  void list_unknowns(const Body& body, const SolidPlace& place, std::vector<int>& unknowns) const;

  /// Where rows are written to.
  struct RowTarget {
    const Body& body;
    const CondensedStep* condensed;  ///< whose unknowns are meant; none: those of the body
    const Vector3& x;                ///< where the point is, m
    const Matrix3& axes;
    double sign;
    ContactSolver::Rows rows;
  };
  /// How a point, or a place of the mesh, moves with the unknowns of the body along the columns of `axes`,
  /// times `sign`: written whole.
  void write_rows(Index domain, const SolidPlace& place, RowTarget to) const;
  void write_rows(Index domain, Index point, RowTarget to) const;

 private:
  using Vector6 = Eigen::Matrix<double, 6, 1>;

  struct Placed {
    const PointShell* shell = nullptr;
    Matrix3 rotation;  ///< scaled
    Vector3 position;
    double scale = 1.0;
    Index first = 0, rank = 0;
    PointShell::Coordinates q;
    std::vector<PointShell::Ball> cover;  ///< in its axes
  };
  void follow_domains(const TreeDynamics& tree);
  void follow_points(const Body& body);
  void refit_vertices(const Body& body);
  void bound_pieces();
  DeformedSolid& refitted_piece(const Body& body, std::size_t domain);
  void add_to_cover(const PointShell::Ball& ball);
  [[nodiscard]] SweptMotion swept(const TreeDynamics& tree, const Vector& u, double h) const;
  [[nodiscard]] const std::vector<PointShell::Ball>& moves(const Placed& placed, const Vector6& frame,
                                                           const Vector& u) const;
  void write_root(RowTarget& to) const;
  void write_domain(Index domain, RowTarget& to) const;
  void add_rows(const Point& point, double weight, RowTarget& to) const;
  static void write_whole(RowTarget& to);

  std::shared_ptr<BodyShell> shell_;
  Index points_ = std::numeric_limits<int>::max();
  std::unique_ptr<RefittedBoxes> boxes_;
  std::unique_ptr<DeformedSolid> solid_;
  /// Of a domain of a tree: made, and refitted, where something is near.
  struct Piece {
    std::unique_ptr<DeformedSolid> solid;
    PointShell::Ball ball;  ///< around it, in the world
    bool refitted = false;
  };
  std::vector<Piece> pieces_;
  std::vector<Placed> domains_;
  std::vector<PointShell::Ball> cover_;
  BoundingBox cover_box_;
  Vector3 center_ = Vector3::Zero();
  double reach_ = 0.0;
  mutable PointShell::Coordinates moving_;
  mutable std::vector<PointShell::Ball> ways_;
  // Of a body that moves without frames.
  Matrix3X places_;  ///< of its points, m
  mutable double swing_ = 0.0;
  mutable PointRows point_rows_;
  mutable std::vector<int> columns_;
  mutable Matrix3X own_, rows_;
};

template <class Distance, class Visit>
void MovingShell::for_each_near(double margin, const Distance& distance, const Visit& visit) const {
  for (Index i = 0; i < std::min(points_, places_.cols()); ++i) {
    const Vector3 x = places_.col(i);
    if (distance(x) <= margin) visit(Index{0}, i, x);
  }
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
