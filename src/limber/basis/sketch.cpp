// Shapes from sketched forces.
//
// A sketch holds hundreds of forces on few points: a person takes hold of a point and drags it. The linear
// responses are therefore solved for unit forces on each point that occurs, Y = K^-1 B, and every response is
// a combination Y c. All mass-distances follow from the small Gram matrix G = Y^T M Y:  |Y c - Y d|^2 = (c -
// d)^T G (c - d).

#include "limber/basis/sketch.hpp"

#include "limber/base/error.hpp"
#include "limber/linalg/mass_basis.hpp"
#include "limber/mesh/embedding.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <vector>

namespace limber {
namespace {

double distance_to_box(const Vector3& point, const BoundingBox& box) {
  return (box.min - point).cwiseMax(point - box.max).cwiseMax(0.0).norm();
}

void check_sketch(const VolumeMesh& mesh, std::span<const SketchForce> sketch) {
  require(!sketch.empty(), "the sketch holds no force");
  const BoundingBox box = bounding_box(mesh);
  const double size = (box.max - box.min).norm();
  for (std::size_t i = 0; i < sketch.size(); ++i) {
    require(sketch[i].at.allFinite() && sketch[i].force.allFinite(),
            "force {} of the sketch holds a number that is not finite", i + 1);
    const double distance = distance_to_box(sketch[i].at, box);
    require(distance <= size,
            "force {} of the sketch acts at ({}, {}, {}), {} m away from a body of {} m; are both in metres?",
            i + 1, sketch[i].at.x(), sketch[i].at.y(), sketch[i].at.z(), distance, size);
  }
}

/// Below 1, the largest response or shape is never too near to the rest shape, so that one is kept at least.
void check_separation(double separation, const char* name) {
  require(separation >= 0.0 && separation < 1.0,
          "{} of the sketch is {}, expected a share of the largest: at least 0 and less than 1", name,
          separation);
}

/// All forces of a sketch as combinations of few loads.
struct SketchLoads {
  Matrix unit;          ///< dofs x 3 points: unit forces along x, y, z at each point
  Matrix coefficients;  ///< 3 points x forces
};

SketchLoads make_loads(const FullModel& model, std::span<const SketchForce> sketch) {
  std::map<std::array<double, 3>, Index> number;
  std::vector<Index> point_of;
  Matrix3X points(3, 0);
  for (const SketchForce& force : sketch) {
    const std::array<double, 3> key{force.at.x(), force.at.y(), force.at.z()};
    const auto [entry, is_new] = number.try_emplace(key, points.cols());
    if (is_new) {
      points.conservativeResize(3, points.cols() + 1);
      points.rightCols<1>() = force.at;
    }
    point_of.push_back(entry->second);
  }

  const Embedding embedding = embed_points(model.mesh(), points, model.executor());
  SketchLoads loads;
  loads.unit = Matrix::Zero(model.dof_count(), 3 * points.cols());
  for (Index p = 0; p < points.cols(); ++p) {
    for (Index a = 0; a < embedding.weights.rows(); ++a) {
      const int free = model.dofs().free_index(embedding.vertices(a, p));
      if (free < 0) continue;
      loads.unit.block<3, 3>(3 * Index{free}, 3 * p) += embedding.weights(a, p) * Matrix3::Identity();
    }
  }
  loads.coefficients = Matrix::Zero(3 * points.cols(), static_cast<Index>(sketch.size()));
  for (std::size_t i = 0; i < sketch.size(); ++i)
    loads.coefficients.block<3, 1>(3 * point_of[i], static_cast<Index>(i)) = sketch[i].force;
  return loads;
}

/// X^T M X.
Matrix mass_gram(const Matrix& X, const FullModel& model) {
  Matrix MX(X.rows(), X.cols());
  SymmetricProduct(model.mass()).apply(X, MX, model.executor());
  return tall_product(X, MX, model.executor());
}

/// Mass-distances between combinations of vectors with a known Gram matrix; -1 stands for the rest shape, no
/// displacement.
class Distances {
 public:
  Distances(Matrix gram, Matrix coefficients)
      : gram_(std::move(gram)), coefficients_(std::move(coefficients)) {}

  [[nodiscard]] double between(Index i, Index j) const {
    Vector d = Vector::Zero(coefficients_.rows());
    if (i >= 0) d += coefficients_.col(i);
    if (j >= 0) d -= coefficients_.col(j);
    return std::sqrt(std::max(0.0, d.dot(gram_ * d)));
  }

  [[nodiscard]] double largest() const {
    double result = 0.0;
    for (Index i = 0; i < coefficients_.cols(); ++i) result = std::max(result, between(i, -1));
    return result;
  }

 private:
  Matrix gram_;
  Matrix coefficients_;
};

/// Drops shapes that hardly differ from one kept before, or from the rest shape: a hand that goes to and fro
/// comes by the same shapes many times.
std::vector<Index> thin_all(const Distances& shapes, Index count, double separation) {
  std::vector<Index> kept{-1};
  for (Index i = 0; i < count; ++i) {
    const bool is_new =
        std::all_of(kept.begin(), kept.end(), [&](Index k) { return shapes.between(i, k) > separation; });
    if (is_new) kept.push_back(i);
  }
  kept.erase(kept.begin());
  return kept;
}

/// Full static solutions, in the order of the forces; those without one are left out.
Matrix solve_shapes(const FullModel& model, const SketchLoads& loads, const Distances& responses,
                    const std::vector<Index>& forces, const SketchOptions& options) {
  StaticSolver statics(model, options.statics);
  Matrix shapes(model.dof_count(), static_cast<Index>(forces.size()));
  std::vector<Index> solved;  // forces, one per column
  for (std::size_t k = 0; k < forces.size(); ++k) {
    const Vector load = loads.unit * loads.coefficients.col(forces[k]);
    Vector u = Vector::Zero(model.dof_count());
    double nearest = responses.between(forces[k], -1);
    for (std::size_t c = 0; c < solved.size(); ++c) {
      const double distance = responses.between(forces[k], solved[c]);
      if (distance >= nearest) continue;
      nearest = distance;
      u = shapes.col(static_cast<Index>(c));
    }
    bool found = statics.solve(load, u).ok();
    if (!found) {
      u.setZero();
      found = statics.solve(load, u).ok();
    }
    if (found) {
      shapes.col(static_cast<Index>(solved.size())) = u;
      solved.push_back(forces[k]);
    }
    report(options.progress, "sketch", static_cast<double>(k + 1) / static_cast<double>(forces.size()));
  }
  shapes.conservativeResize(Eigen::NoChange, static_cast<Index>(solved.size()));
  return shapes;
}

}  // namespace

SketchShapes solve_sketch(RestStiffness& rest, std::span<const SketchForce> sketch,
                          const SketchOptions& options) {
  const FullModel& model = rest.model();
  check_sketch(model.mesh(), sketch);
  check_separation(options.load_separation, "load_separation");
  check_separation(options.shape_separation, "shape_separation");
  require(
      rest.rigid_modes().cols() == 0,
      "nothing holds a part of the body, so sketched forces have no static answer; fix at least three of its "
      "vertices that are not on one line");
  const SketchLoads loads = make_loads(model, sketch);
  Matrix unit_responses(loads.unit.rows(), loads.unit.cols());
  const SolveReport linear = rest.solve(loads.unit, unit_responses);
  require(linear.ok(), "the linear responses to the sketch cannot be solved: {}", name_of(linear.status));
  const Distances responses(mass_gram(unit_responses, model), loads.coefficients);
  const double largest_response = responses.largest();
  require(largest_response > 0.0,
          "none of the {} forces of the sketch moves the body: they are zero or act on fixed "
          "vertices",
          sketch.size());

  SketchShapes result;
  const Index recorded = static_cast<Index>(sketch.size());
  const std::vector<Index> forces = thin_all(responses, recorded, options.load_separation * largest_response);
  const Matrix shapes = solve_shapes(model, loads, responses, forces, options);
  result.recorded = static_cast<int>(recorded);
  result.solved = static_cast<int>(forces.size());
  result.failed = result.solved - static_cast<int>(shapes.cols());
  require(shapes.cols() > 0,
          "none of the {} forces of the sketch has a static solution; are they too large for the material?",
          result.solved);

  const Distances between_shapes(mass_gram(shapes, model), Matrix::Identity(shapes.cols(), shapes.cols()));
  const double largest_shape = between_shapes.largest();
  require(largest_shape > 0.0,
          "none of the {} forces of the sketch moves the body within the tolerance of statics, {}; ask for a "
          "smaller one",
          result.solved, options.statics.tolerance);
  const std::vector<Index> kept =
      thin_all(between_shapes, shapes.cols(), options.shape_separation * largest_shape);
  result.shapes = shapes(Eigen::all, kept);
  result.kept = static_cast<int>(kept.size());
  return result;
}

}  // namespace limber
