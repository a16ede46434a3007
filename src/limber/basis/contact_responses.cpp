#include "limber/basis/contact_responses.hpp"

#include "limber/base/error.hpp"
#include "limber/mesh/farthest_points.hpp"

#include <Eigen/Geometry>

#include <cmath>

namespace limber {
namespace {

/// Vertices of the boundary that move, of all or of some.
std::vector<int> places_to_touch(const FullModel& model, const BoundaryAreas& areas,
                                 const std::vector<int>& some) {
  std::vector<char> chosen(static_cast<std::size_t>(model.mesh().vertex_count()), some.empty() ? 1 : 0);
  for (const int v : some) {
    require(v >= 0 && v < model.mesh().vertex_count(), "vertex {} is to be touched, the mesh has {}", v,
            model.mesh().vertex_count());
    chosen[static_cast<std::size_t>(v)] = 1;
  }
  std::vector<int> places;
  for (const int v : areas.vertices) {
    if (chosen[static_cast<std::size_t>(v)] != 0 && model.dofs().free_index(v) >= 0) places.push_back(v);
  }
  require(!places.empty(), "no vertex of the surface{} moves: nothing could be touched that gives way",
          some.empty() ? "" : " that is to be touched");
  return places;
}

/// Area vectors about a vertex that add up to less than this share of their areas cancel, but for rounding:
/// where two parts touch by a vertex there is no side to press on.
constexpr double cancelled = 1e-9;

/// Patches whose loads do less work than this share of the largest strain nothing, but for rounding.
constexpr double without_strain = 1e-12;

double falloff(double share) {
  const double rest = 1.0 - share * share;
  return share < 1.0 ? rest * rest : 0.0;
}

}  // namespace

BoundaryAreas boundary_areas(const VolumeMesh& mesh) {
  BoundaryAreas areas;
  areas.vectors = Matrix3X::Zero(3, mesh.vertex_count());
  Vector sums = Vector::Zero(mesh.vertex_count());
  const Eigen::Matrix3Xi triangles = boundary_triangles(mesh);
  for (const auto& triangle : triangles.colwise()) {
    const Vector3 a = mesh.vertices.col(triangle(0)), b = mesh.vertices.col(triangle(1)),
                  c = mesh.vertices.col(triangle(2));
    const Vector3 third = (b - a).cross(c - a) / 6.0;
    for (const int v : triangle) {
      areas.vectors.col(v) += third;
      sums(v) += third.norm();
    }
  }
  for (int v = 0; v < mesh.vertex_count(); ++v) {
    if (areas.vectors.col(v).norm() > cancelled * sums(v)) areas.vertices.push_back(v);
  }
  areas.size = std::sqrt(sums.sum() / 6.0);
  return areas;
}

Vector patch_load(const FullModel& model, const BoundaryAreas& areas, int center, double radius) {
  const Matrix3X& x = model.mesh().vertices;
  const Vector3 outward = areas.vectors.col(center);
  Matrix3X load = Matrix3X::Zero(3, x.cols());
  for (const int v : areas.vertices) {
    if (areas.vectors.col(v).dot(outward) <= 0.0) continue;
    const double distance = (x.col(v) - x.col(center)).norm();
    const double weight = distance == 0.0 ? 1.0 : radius > 0.0 ? falloff(distance / radius) : 0.0;
    load.col(v) = -weight * areas.vectors.col(v);
  }
  return model.dofs().restrict(load / load.rowwise().sum().norm());
}

ContactResponses compute_contact_responses(RestStiffness& rest, const ContactResponseOptions& options) {
  require(options.patches >= 1 && options.radius >= 0.0,
          "{} patches of radius {} asked for, expected at least 1 of 0 or more", options.patches,
          options.radius);
  const FullModel& model = rest.model();
  const BoundaryAreas areas = boundary_areas(model.mesh());
  const std::vector<int> moving = places_to_touch(model, areas, options.where);
  const FarthestPoints places = farthest_points(model.mesh().vertices(Eigen::all, moving), options.patches);

  ContactResponses responses;
  responses.radius = options.radius * areas.size;
  responses.spacing = places.spacing;
  const auto count = static_cast<Index>(places.chosen.size());
  Matrix loads(model.dof_count(), count), shapes(model.dof_count(), count);
  for (Index i = 0; i < count; ++i) {
    const int center = moving[static_cast<std::size_t>(places.chosen[static_cast<std::size_t>(i)])];
    loads.col(i) = patch_load(model, areas, center, responses.radius);
    responses.centers.push_back(center);
  }
  const SolveReport solved = rest.solve(loads, shapes);
  require(solved.ok(), "the body's responses to pressure were not found: {}", name_of(solved.status));
  responses.compliances = loads.cwiseProduct(shapes).colwise().sum();
  const double largest = responses.compliances.maxCoeff();
  Index kept = 0;
  for (Index i = 0; i < count; ++i) {
    if (!(responses.compliances(i) > without_strain * largest)) continue;
    shapes.col(kept) = shapes.col(i) / std::sqrt(responses.compliances(i));
    responses.compliances(kept) = responses.compliances(i);
    responses.centers[static_cast<std::size_t>(kept++)] = responses.centers[static_cast<std::size_t>(i)];
  }
  require(kept > 0, "no pressure on the body's surface strains it: nothing could be touched that gives way");
  responses.centers.resize(static_cast<std::size_t>(kept));
  responses.compliances.conservativeResize(kept);
  responses.shapes = shapes.leftCols(kept);
  return responses;
}

}  // namespace limber
