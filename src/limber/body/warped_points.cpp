#include "limber/base/error.hpp"
#include "limber/body/reduced_motion.hpp"
#include "limber/body/warped_motion.hpp"
#include "limber/warp/nodal_rotations.hpp"
#include "limber/warp/rotation.hpp"

#include <cmath>

// Where the points of a body are that moves by natural modes.

namespace limber {
namespace {

/// Rows of a vertex of the mesh (3n x r) times q.
Vector3 mesh_product_at(const Matrix& columns, int vertex, const Vector& q) {
  return columns.block(3 * Index{vertex}, 0, 3, q.size()).lazyProduct(q);
}

/// d(R~(Psi q) U q)/dq of a vertex, turned. basis and rotations: 3n x r or more columns.
template <class Basis, class Rows>
void fill_warped_rows(const Basis& basis, const Basis& rotations, int vertex, const Vector& q,
                      const Matrix3& turn, Rows&& rows) {
  const auto shape = basis.block(3 * Index{vertex}, 0, 3, q.size()).template cast<double>();
  const auto turning = rotations.block(3 * Index{vertex}, 0, 3, q.size()).template cast<double>();
  const Vector3 y = shape.lazyProduct(q), w = turning.lazyProduct(q);
  const Matrix3 moved = turn * mean_rotation(w), bent = turn * mean_rotation_derivative(w, y);
  rows.noalias() = moved.lazyProduct(shape);
  rows.noalias() += bent.lazyProduct(turning);
}

/// Of one that is displaced by U q.
template <class Basis, class Rows>
void fill_linear_rows(const Basis& basis, int vertex, const Matrix3& turn, Rows&& rows) {
  rows.noalias() =
      turn.lazyProduct(basis.block(3 * Index{vertex}, 0, 3, rows.cols()).template cast<double>());
}

}  // namespace

/// 3n x r, of the vertices of the mesh, rad per unit of q. Cost O(elements r), once.
const Matrix& WarpedMotion::mesh_rotations() const {
  if (!mesh_rotations_) {
    require(reduced().simulation.has_value(),
            "a vertex of the mesh, but the body was kept without it; name one of the surface");
    const SimulationMesh& simulation = *reduced().simulation;
    mesh_rotations_ = std::make_shared<const Matrix>(nodal_rotations(simulation.mesh, simulation.basis));
  }
  return *mesh_rotations_;
}

/// With how the point turns in any case: what handles hold the orientation of.
WarpSite WarpedMotion::turning_site(const Point& point) const {
  if (point.of == Point::Of::surface) return surface_site(reduced(), dynamics_.equations(), point.vertex);
  return mesh_site(reduced(), mesh_rotations(), dynamics_.equations(), point.vertex);
}

/// A point that forces act on: one of linear modes is displaced as if it did not turn.
WarpSite WarpedMotion::site(const Point& point) const {
  WarpSite result = turning_site(point);
  if (!setup_.warp) result.turn.setZero();
  return result;
}

std::vector<WarpSite> WarpedMotion::sites_of(std::span<const Point> points) const {
  std::vector<WarpSite> result;
  result.reserve(points.size());
  for (const Point& point : points) result.push_back(site(point));
  return result;
}

/// Rotation vector in the frame, rad.
Vector3 WarpedMotion::rotation(const Point& point) const {
  if (point.of == Point::Of::mesh) return mesh_product_at(mesh_rotations(), point.vertex, state_.q);
  return product_at(reduced().warp->surface_rotations, point.vertex, state_.q);
}

Vector3 WarpedMotion::place_in_frame(const Point& point) const {
  const ReducedModel& model = reduced();
  const bool of_mesh = point.of == Point::Of::mesh;
  const Matrix3X& rest = of_mesh ? model.simulation->mesh.vertices : model.surface.mesh.vertices;
  Vector3 u = of_mesh ? mesh_product_at(model.simulation->basis, point.vertex, state_.q)
                      : product_at(model.surface.basis, point.vertex, state_.q);
  if (setup_.warp) u = mean_rotation(rotation(point)) * u;
  return rest.col(point.vertex) + u;
}

Vector3 WarpedMotion::position(const Point& point) const { return pose_.apply(place_in_frame(point)); }

/// Velocity in the world of a place that stands still in the frame of the support, m/s.
Vector3 WarpedMotion::support_velocity(const Vector3& place) const {
  if (!support_) return Vector3::Zero();
  constexpr double h = 1e-4;  // s: of the support's own motion
  return (support_(state_.time + h).apply(place) - support_(state_.time - h).apply(place)) / (2.0 * h);
}

Vector3 WarpedMotion::velocity(const Point& point) const {
  if (flight_) return flight_->velocity(site(point));
  const WarpedState& modal = dynamics_.state();
  const Vector3 in_frame = pose_.rotation * (site(point).derivative(modal.q) * modal.v);
  return support_ ? Vector3(support_velocity(place_in_frame(point)) + in_frame) : in_frame;
}

Eigen::Quaterniond WarpedMotion::orientation(const Point& point) const {
  const Vector3 half = 0.5 * rotation(point);
  const Vector3 axis = rotation_factors(half.squaredNorm()).sine * half;
  return pose_.rotation * Eigen::Quaterniond(std::cos(half.norm()), axis.x(), axis.y(), axis.z());
}

void WarpedMotion::point_rows(const Point& point, PointRows& result) const {
  const ReducedModel& model = reduced();
  const bool of_mesh = point.of == Point::Of::mesh;
  const Matrix3 turn = pose_.rotation.toRotationMatrix();
  const Index rank = state_.q.size();
  result.take_first(rank + (flight_ ? 6 : 0));
  auto rows = result.rows.leftCols(rank);
  if (of_mesh && setup_.warp) {
    fill_warped_rows(model.simulation->basis, mesh_rotations(), point.vertex, state_.q, turn, rows);
  } else if (of_mesh) {
    fill_linear_rows(model.simulation->basis, point.vertex, turn, rows);
  } else if (setup_.warp) {
    fill_warped_rows(model.surface.basis, model.warp->surface_rotations, point.vertex, state_.q, turn, rows);
  } else {
    fill_linear_rows(model.surface.basis, point.vertex, turn, rows);
  }
  const WarpedEquations& equations = dynamics_.equations();
  if (equations.modes() < rank) {
    modal_rows_.resize(3, equations.modes());
    modal_rows_.noalias() = rows.lazyProduct(equations.shapes);
    rows.noalias() = modal_rows_.lazyProduct(amplitudes_);
  }
  if (!flight_) return;
  result.rows.middleCols<3>(rank).setIdentity();
  result.rows.rightCols<3>() = cross_matrix(pose_.position - position(point));
}

void WarpedMotion::positions(Eigen::Ref<Eigen::Matrix3Xf> x) const {
  coordinates_ = state_.q.cast<float>();
  if (setup_.warp) {
    warped_surface_.positions(coordinates_, x);
  } else {
    const TreePoints<float>::PartPoints& part = setup_.surface->part(0);
    part.basis.positions(part.rest, coordinates_, x);
  }
  if (!frame_moves()) return;
  const Eigen::Matrix3f turn = pose_.rotation.toRotationMatrix().cast<float>();
  const Eigen::Vector3f shift = pose_.position.cast<float>();
  for (Index v = 0; v < x.cols(); ++v) x.col(v) = turn * Eigen::Vector3f(x.col(v)) + shift;
}

/// Displacements in the world of what is displaced by u in the frame.
Matrix3X WarpedMotion::carried(const Matrix3X& rest, Matrix3X u) const {
  if (!frame_moves()) return u;
  const Matrix3 turn = pose_.rotation.toRotationMatrix();
  u = ((turn * (rest + u)).colwise() + pose_.position) - rest;
  return u;
}

Matrix3X WarpedMotion::surface_displacement() const {
  static const Eigen::MatrixXf none;  // linear modes
  const ReducedModel& model = reduced();
  return carried(
      model.surface.mesh.vertices,
      warped_field(model.surface.basis, setup_.warp ? model.warp->surface_rotations : none, state_.q));
}

Index WarpedMotion::mesh_vertex_count() const {
  return reduced().simulation ? reduced().simulation->mesh.vertex_count() : 0;
}

Matrix3X WarpedMotion::mesh_displacement() const {
  if (!reduced().simulation) return Matrix3X(3, 0);
  static const Matrix none;  // linear modes
  const SimulationMesh& simulation = *reduced().simulation;
  return carried(simulation.mesh.vertices,
                 warped_field(simulation.basis, setup_.warp ? mesh_rotations() : none, state_.q));
}

}  // namespace limber
