#include "limber/body/body_shell.hpp"

#include "limber/warp/rotation.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace limber {
namespace {

/// Vertices and triangles of what is drawn, and of the boundary of a mesh behind them: what is drawn is what
/// shall not sink in, and where it has few vertices the mesh has more.
struct BothSurfaces {
  Matrix3X vertices;
  Eigen::Matrix3Xi triangles;

  BothSurfaces(const SurfaceMesh& drawn, const VolumeMesh& mesh) {
    const Eigen::Matrix3Xi boundary = boundary_triangles(mesh);
    vertices.resize(3, drawn.vertices.cols() + mesh.vertices.cols());
    vertices << drawn.vertices, mesh.vertices;
    triangles.resize(3, drawn.triangles.cols() + boundary.cols());
    triangles << drawn.triangles, boundary.array() + static_cast<int>(drawn.vertices.cols());
  }
};

double size_of(const Matrix3X& places) {
  return (places.rowwise().maxCoeff() - places.rowwise().minCoeff()).norm();
}

}  // namespace

BodyShell::BodyShell(const std::shared_ptr<const Model>& shared, Index points) {
  const Model& model = *shared;
  constexpr Index least = 48;  // of a part: a twig still has its tips and edges
  const Index each = std::max(least, points / std::max<Index>(1, model.domain_count()));
  Vector3 low = Vector3::Constant(std::numeric_limits<double>::infinity()), high = -low;
  for (const ReducedPart& part : model.parts) {
    const ReducedModel& reduced = part.model;
    Matrix3X vertices;
    Matrix basis;
    Eigen::Matrix3Xi triangles;
    if (reduced.simulation) {
      BothSurfaces both(reduced.surface.mesh, reduced.simulation->mesh);
      basis.resize(3 * both.vertices.cols(), reduced.rank);
      basis << reduced.surface.basis.cast<double>(), reduced.simulation->basis;
      vertices = std::move(both.vertices);
      triangles = std::move(both.triangles);
    } else {
      vertices = reduced.surface.mesh.vertices;
      basis = reduced.surface.basis.cast<double>();
      triangles = reduced.surface.mesh.triangles;
    }
    const ShellSample sample = sample_shell(vertices, triangles, each);
    spacing_ = std::max(spacing_, sample.spacing);
    parts_.push_back(std::make_unique<const PointShell>(vertices, basis, sample.vertices));
  }
  for (const Domain& domain : model.domains) {
    const SurfaceMesh& mesh = model.parts[static_cast<std::size_t>(domain.part)].model.surface.mesh;
    const Matrix3 R = domain.scale * domain.rotation.normalized().toRotationMatrix();
    for (Index i = 0; i < mesh.vertices.cols(); ++i) {
      const Vector3 x = domain.position + R * mesh.vertices.col(i);
      low = low.cwiseMin(x);
      high = high.cwiseMax(x);
    }
  }
  size_ = (high - low).norm();
  const bool kept = std::all_of(model.parts.begin(), model.parts.end(),
                                [](const ReducedPart& part) { return part.model.simulation.has_value(); });
  if (kept && model.domain_count() == 1 && model.domains.front().scale == 1.0)
    single_ = shared;
  else if (kept && makes_one_mesh(model))
    tree_ = shared;
}

BodyShell::BodyShell(const Body& body, Index points) : surface_(body.shared_surface()), name_(body.name()) {
  const SurfaceMesh& drawn = body.surface().mesh();
  const auto own = static_cast<int>(drawn.vertices.cols());
  if (const VolumeMesh* const mesh = body.volume_mesh()) mesh_ = *mesh;
  const BothSurfaces both(drawn, mesh_);
  const ShellSample sample = sample_shell(both.vertices, both.triangles, points);
  spacing_ = sample.spacing;
  size_ = size_of(drawn.vertices);
  for (const int v : sample.vertices) points_.push_back(v < own ? Point(v) : mesh_point(v - own));
}

void BodyShell::make_solid() {
  if (has_solid() || !can_have_solid()) return;
  if (pointwise()) {
    auto field = std::make_shared<const RestField>(boundary_surface(mesh_), name_);
    solid_ = std::make_shared<const RestSolid>(mesh_, field);
    field_ = std::move(field);
    return;
  }
  if (single_) {
    const ReducedModel& model = single_->part(0).model;
    auto field = std::make_shared<const RestField>(make_rest_field(model));
    auto solid = std::make_shared<const RestSolid>(make_rest_solid(model, field));
    auto groups = std::make_shared<const ShellTree>(part(0));
    own_ = std::make_unique<const OwnPatches>(*groups, *solid);
    groups_ = std::move(groups);
    solid_ = std::move(solid);
    field_ = std::move(field);
    return;
  }
  auto field = std::make_shared<const RestField>(boundary_surface(TreeMesh(tree_).mesh()), tree_->name);
  std::vector<std::shared_ptr<const RestSolid>> pieces;
  for (const ReducedPart& part : tree_->parts) {
    const SimulationMesh& simulation = *part.model.simulation;
    pieces.push_back(std::make_shared<const RestSolid>(simulation.mesh, simulation.basis, nullptr));
  }
  pieces_ = std::move(pieces);
  field_ = std::move(field);
}

DeformedSolid BodyShell::make_piece(Index domain) const {
  const Domain& placed = tree_->domains[static_cast<std::size_t>(domain)];
  return {pieces_[static_cast<std::size_t>(placed.part)],
          {field_, placed.position, placed.rotation.normalized().toRotationMatrix(), placed.scale}};
}

double MovingShell::swing() const {
  double swing = swing_;
  for (const Placed& placed : domains_) swing = std::max(swing, placed.scale * placed.shell->swing());
  return swing;
}

/// Places are taken from the middle of the body: floats have few digits far from there.
void MovingShell::refit_vertices(const Body& body) {
  Matrix3X places = body.volume_mesh()->vertices + body.mesh_displacement();
  places.colwise() -= center_;
  solid_->refit_vertices({center_, Eigen::Quaterniond::Identity()}, places);
}

/// How the frame of a body of one domain moves.
SweptMotion MovingShell::swept(const TreeDynamics& tree, const Vector& u, double h) const {
  SweptMotion motion{.step = h};
  if (tree.tree().free) {
    motion.velocity = u.segment<3>(u.size() - 6);
    motion.angular_velocity = u.tail<3>();
  }
  return motion;
}

void MovingShell::make_solid() {
  if (solid_ || !can_have_solid()) return;
  shell_->make_solid();
  if (shell_->in_pieces()) return;
  if (has_boxes()) boxes_ = std::make_unique<RefittedBoxes>(shell_->groups());
  solid_ = std::make_unique<DeformedSolid>(shell_->solid());
}

void MovingShell::refit_boxes(const Body& body, const Vector& u, double h) {
  const TreeDynamics& tree = *body.tree();
  const Placed& placed = domains_.front();
  boxes_->refit({placed.position, Eigen::Quaterniond(placed.rotation)}, tree.state().q.head(placed.rank),
                u.head(placed.rank), swept(tree, u, h));
}

/// What is not near a domain is spared its refit.
void MovingShell::bound_pieces() {
  pieces_.resize(domains_.size());
  for (std::size_t d = 0; d < pieces_.size(); ++d) {
    const Placed& placed = domains_[d];
    Piece& piece = pieces_[d];
    piece.refitted = false;
    BoundingBox box;
    box.min.setConstant(std::numeric_limits<double>::infinity());
    box.max = -box.min;
    for (const PointShell::Ball& ball : placed.cover) {
      box.min = box.min.cwiseMin((ball.center.array() - ball.radius).matrix());
      box.max = box.max.cwiseMax((ball.center.array() + ball.radius).matrix());
    }
    piece.ball.center = placed.position + placed.rotation * (0.5 * (box.min + box.max));
    // Between points the surface may be farther out.
    piece.ball.radius = placed.scale * (0.5 * (box.max - box.min).norm() + shell_->spacing());
  }
}

DeformedSolid& MovingShell::refitted_piece(const Body& body, std::size_t domain) {
  Piece& piece = pieces_[domain];
  if (!piece.solid)
    piece.solid = std::make_unique<DeformedSolid>(shell_->make_piece(static_cast<Index>(domain)));
  if (piece.refitted) return *piece.solid;
  const Placed& placed = domains_[domain];
  const Matrix3 rotation = placed.rotation / placed.scale;
  piece.solid->refit({placed.position, Eigen::Quaterniond(rotation)},
                     body.tree()->state().q.segment(placed.first, placed.rank));
  piece.refitted = true;
  return *piece.solid;
}

bool MovingShell::touch(const Body& body, const Vector3& x, double reach, PlaceTouch& touch) {
  SolidTouch found;
  if (!shell_->in_pieces()) {
    if (!solid_->touch(solid_->pose().inverse().apply(x), reach, found)) return false;
    touch = {0, found.distance, solid_->pose().rotation * found.normal, found.place};
    return true;
  }
  // What holds x before what is only near, then what the surface there belongs to, then the nearer one.
  const auto before = [](const SolidTouch& a, const SolidTouch& b) {
    return a.inside == b.inside && a.held != b.held ? a.held : nearer(a, b);
  };
  SolidTouch best;
  bool any = false;
  for (std::size_t d = 0; d < pieces_.size(); ++d) {
    const double far = pieces_[d].ball.radius + reach;
    if ((x - pieces_[d].ball.center).squaredNorm() > far * far) continue;
    const double scale = domains_[d].scale;
    DeformedSolid& solid = refitted_piece(body, d);
    if (!solid.touch(solid.pose().inverse().apply(x) / scale, reach / scale, found)) continue;
    found.distance *= scale;  // from here on m
    if (any && !before(found, best)) continue;
    best = found;
    touch = {static_cast<Index>(d), found.distance, solid.pose().rotation * found.normal, found.place};
    any = true;
  }
  return any;
}

void MovingShell::refit_solid(const Body& body, const Vector& u, double h) {
  if (shell_->pointwise()) return refit_vertices(body);
  if (shell_->in_pieces()) return bound_pieces();
  const TreeDynamics& tree = *body.tree();
  const Placed& placed = domains_.front();
  solid_->refit({placed.position, Eigen::Quaterniond(placed.rotation)}, tree.state().q.head(placed.rank),
                u.head(placed.rank), swept(tree, u, h));
}

/// How the points of each ball of the cover move with u: that of its centre, and how much faster others are
/// at most. In the axes of the domain, at its scale.
const std::vector<PointShell::Ball>& MovingShell::moves(const Placed& placed, const Vector6& frame,
                                                        const Vector& u) const {
  moving_.set(u.segment(placed.first, placed.rank));
  placed.shell->cover_ways(moving_, ways_);
  for (std::size_t i = 0; i < ways_.size(); ++i) {
    const PointShell::Ball& around = placed.cover[i];
    ways_[i].center += frame.head<3>() / placed.scale + Vector3(frame.tail<3>()).cross(around.center);
    ways_[i].radius += frame.tail<3>().norm() * around.radius;
  }
  return ways_;
}

void MovingShell::cover(const Body& body, const Vector& u, double h) {
  cover_.clear();
  cover_box_.min.setConstant(std::numeric_limits<double>::infinity());
  cover_box_.max = -cover_box_.min;
  if (shell_->pointwise()) return add_to_cover({center_, reach_ + h * speed(body, u)});
  const TreeDynamics& tree = *body.tree();
  for (std::size_t d = 0; d < domains_.size(); ++d) {
    const Placed& placed = domains_[d];
    const Vector6 frame = tree.frame_motion(static_cast<Index>(d), u);
    const std::vector<PointShell::Ball>& velocities = moves(placed, frame, u);
    for (std::size_t i = 0; i < velocities.size(); ++i) {
      const PointShell::Ball& velocity = velocities[i];
      const Vector3 half = 0.5 * h * velocity.center;
      add_to_cover({placed.position + placed.rotation * (placed.cover[i].center + half),
                    placed.scale * (placed.cover[i].radius + half.norm() + h * velocity.radius)});
    }
  }
}

void MovingShell::add_to_cover(const PointShell::Ball& ball) {
  const Vector3 extent = Vector3::Constant(ball.radius);
  cover_box_.min = cover_box_.min.cwiseMin(ball.center - extent);
  cover_box_.max = cover_box_.max.cwiseMax(ball.center + extent);
  cover_.push_back(ball);
}

void MovingShell::follow(const Body& body) {
  if (shell_->pointwise()) return follow_points(body);
  follow_domains(*body.tree());
}

void MovingShell::follow_points(const Body& body) {
  const std::vector<Point>& points = shell_->points();
  places_.resize(3, static_cast<Index>(points.size()));
  for (Index i = 0; i < places_.cols(); ++i)
    places_.col(i) = body.position(points[static_cast<std::size_t>(i)]);
  center_ = 0.5 * (places_.rowwise().minCoeff() + places_.rowwise().maxCoeff());
  reach_ = std::sqrt((places_.colwise() - center_).colwise().squaredNorm().maxCoeff());
}

void MovingShell::follow_domains(const TreeDynamics& tree) {
  const Model& model = tree.tree();
  domains_.resize(model.domains.size());
  Vector3 sum = Vector3::Zero();
  Index count = 0;
  for (std::size_t d = 0; d < domains_.size(); ++d) {
    const Domain& domain = model.domains[d];
    const auto index = static_cast<Index>(d);
    Placed& placed = domains_[d];
    placed.shell = &shell_->part(domain.part);
    placed.scale = domain.scale;
    placed.rotation = domain.scale * tree.frame(index).rotation;
    placed.position = tree.frame(index).position;
    placed.first = tree.first_coordinate(index);
    placed.rank = tree.rank(index);
    placed.q.set(tree.state().q.segment(placed.first, placed.rank));
    placed.shell->cover(placed.q, placed.cover);
    for (const PointShell::Ball& ball : placed.cover) sum += placed.position + placed.rotation * ball.center;
    count += static_cast<Index>(placed.cover.size());
  }
  center_ = sum / static_cast<double>(count);
  reach_ = 0.0;
  for (const Placed& placed : domains_)
    for (const PointShell::Ball& ball : placed.cover)
      reach_ = std::max(reach_, (placed.position + placed.rotation * ball.center - center_).norm() +
                                    placed.scale * ball.radius);
}

double MovingShell::speed(const Body& body, const Vector& u) const {
  if (shell_->pointwise()) {
    double squared = 0.0;
    for (const Point& point : shell_->points()) {
      body.point_rows(point, point_rows_);
      Vector3 velocity = Vector3::Zero();
      for (std::size_t k = 0; k < point_rows_.columns.size(); ++k)
        velocity += u(point_rows_.columns[k]) * point_rows_.rows.col(static_cast<Index>(k));
      squared = std::max(squared, velocity.squaredNorm());
      swing_ = std::max(swing_, point_rows_.rows.norm());
    }
    return std::sqrt(squared);
  }
  const TreeDynamics& tree = *body.tree();
  double fastest = 0.0;
  for (std::size_t d = 0; d < domains_.size(); ++d) {
    const Placed& placed = domains_[d];
    const Vector6 frame = tree.frame_motion(static_cast<Index>(d), u);
    for (const PointShell::Ball& velocity : moves(placed, frame, u))
      fastest = std::max(fastest, placed.scale * (velocity.center.norm() + velocity.radius));
  }
  return fastest;
}

void MovingShell::list_unknowns(const Body& body, Index point, std::vector<int>& unknowns) const {
  body.point_rows(shell_->points()[static_cast<std::size_t>(point)], point_rows_);
  unknowns.insert(unknowns.end(), point_rows_.columns.begin(), point_rows_.columns.end());
}

void MovingShell::list_unknowns(const Body& body, const SolidPlace& place, std::vector<int>& unknowns) const {
  for (const int vertex : place.vertices) {
    body.point_rows(mesh_point(vertex), point_rows_);
    unknowns.insert(unknowns.end(), point_rows_.columns.begin(), point_rows_.columns.end());
  }
}

/// Of the frame of a body of one domain that flies.
void MovingShell::write_root(RowTarget& to) const {
  const Placed& placed = domains_.front();
  if (to.rows.cols() == placed.rank) return;
  to.rows.middleCols<3>(placed.rank) = to.sign * to.axes.transpose();
  to.rows.rightCols<3>().noalias() = to.sign * to.axes.transpose() * cross_matrix(placed.position - to.x);
}

/// Of a body that flies without frames: a push on a place acts where the other feels it, too, or angular
/// momentum is lost.
void MovingShell::write_whole(RowTarget& to) {
  if (!(to.condensed != nullptr ? to.condensed->flies : to.body.model().free)) return;
  const Vector3 origin = to.condensed != nullptr ? to.condensed->center : to.body.frame().position;
  to.rows.middleCols<3>(to.rows.cols() - 6) = to.sign * to.axes.transpose();
  to.rows.rightCols<3>().noalias() = to.sign * to.axes.transpose() * cross_matrix(origin - to.x);
}

void MovingShell::add_rows(const Point& point, double weight, RowTarget& to) const {
  to.body.point_rows(point, point_rows_);
  for (std::size_t k = 0; k < point_rows_.columns.size(); ++k) {
    const int unknown = point_rows_.columns[k];
    to.rows.col(to.condensed != nullptr ? to.condensed->index_of(unknown) : unknown) +=
        weight * to.sign * to.axes.transpose() * point_rows_.rows.col(static_cast<Index>(k));
  }
}

void MovingShell::write_rows(Index domain, const SolidPlace& place, RowTarget to) const {
  if (shell_->pointwise()) {
    to.rows.setZero();
    double sum = 0.0;  // 1 but for floats, which would cost momentum
    for (const double weight : place.weights) sum += weight;
    for (std::size_t i = 0; i < 4; ++i) add_rows(mesh_point(place.vertices[i]), place.weights[i] / sum, to);
    return write_whole(to);
  }
  const Placed& placed = domains_[static_cast<std::size_t>(domain)];
  if (shell_->in_pieces()) {
    own_.resize(3, placed.rank);
    pieces_[static_cast<std::size_t>(domain)].solid->rest().rows_at(place, own_);
    return write_domain(domain, to);
  }
  own_.resize(3, solid_->rest().rank());
  solid_->rest().rows_at(place, own_);
  to.rows.leftCols(placed.rank).noalias() =
      (to.sign * to.axes.transpose() * placed.rotation).lazyProduct(own_.leftCols(placed.rank));
  write_root(to);
}

void MovingShell::write_rows(Index domain, Index point, RowTarget to) const {
  if (shell_->pointwise()) {
    to.rows.setZero();
    add_rows(shell_->points()[static_cast<std::size_t>(point)], 1.0, to);
    return write_whole(to);
  }
  const Placed& placed = domains_[static_cast<std::size_t>(domain)];
  if (domains_.size() == 1) {
    placed.shell->rows(point, to.sign * placed.rotation.transpose() * to.axes, to.rows.leftCols(placed.rank));
    return write_root(to);
  }
  own_.resize(3, placed.rank);
  for (Index k = 0; k < placed.rank; ++k) own_.col(k) = placed.shell->column(point, k);
  write_domain(domain, to);
}

/// Of a place of a domain that is at x now and moves in it with own_.
void MovingShell::write_domain(Index domain, RowTarget& to) const {
  const Placed& placed = domains_[static_cast<std::size_t>(domain)];
  const TreeDynamics& tree = *to.body.tree();
  const Vector3 local =
      placed.rotation.transpose() * (to.x - placed.position) / (placed.scale * placed.scale);
  const Vector3 place = local - own_ * tree.state().q.segment(placed.first, placed.rank);
  tree.point_rows(domain, place, own_, columns_, rows_);
  to.rows.setZero();
  for (std::size_t k = 0; k < columns_.size(); ++k)
    to.rows.col(columns_[k]) = to.sign * to.axes.transpose() * rows_.col(static_cast<Index>(k));
}

}  // namespace limber
