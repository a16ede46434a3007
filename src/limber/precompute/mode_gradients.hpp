#pragma once

#include "limber/fem/full_model.hpp"
#include "limber/linalg/types.hpp"

#include <compare>
#include <vector>

namespace limber {

/// A quadrature point of the mesh: what cubature chooses from.
struct QuadraturePoint {
  int element = 0;
  int point = 0;  ///< in its element: 0 for tetrahedra, 0 to 26 for bricks

  auto operator<=>(const QuadraturePoint&) const =
      default;  // NOLINT(modernize-use-nullptr): clang-tidy 14 sees a 0
};

/// Gradients of the shape functions of an element: row a is d N_a / d x of its vertex a, 1/m.
using ShapeGradients = Eigen::Matrix<double, Eigen::Dynamic, 3, Eigen::ColMajor, 8, 3>;

/// At a quadrature point, which the mesh must have; returns its weight in the full quadrature, m^3.
double compute_shape_gradients(const VolumeMesh& mesh, const QuadraturePoint& point, ShapeGradients& g);

/// Gradients of basis vectors at quadrature points.
class ModeGradients {
 public:
  /// basis: dofs x r. Keeps references to the model and to the entries of the basis.
  /// Throws Error for a basis that does not fit the model.
  ModeGradients(const FullModel& model, const Eigen::Ref<const Matrix>& basis);

  [[nodiscard]] const FullModel& model() const { return model_; }
  [[nodiscard]] Index rank() const { return basis_.cols(); }
  [[nodiscard]] Index point_count() const;  ///< of the whole mesh

  /// number: 0 to point_count() - 1, element by element.
  [[nodiscard]] QuadraturePoint at(Index number) const;
  [[nodiscard]] Index number_of(const QuadraturePoint& point) const;

  [[nodiscard]] Vector3 position(const QuadraturePoint& point) const;  ///< in the rest shape, m
  [[nodiscard]] double weight(const QuadraturePoint& point) const;     ///< of the full quadrature, m^3
  [[nodiscard]] int region(const QuadraturePoint& point) const;        ///< of the mesh

  /// G, 9 x r: row c + 3 axis is d u_c / d x_axis of each vector.  Cost O(r).
  void write(const QuadraturePoint& point, Eigen::Ref<Matrix> G) const;

  /// Evenly spread points: a box around the body is cut into cubes, about `count` of which meet it; of the
  /// points in each, the one nearest to its centre is taken. Ascending, without repeats; all points where
  /// there are no more than `count`. The cubes are not along the axes: see mode_gradients.cpp.
  /// [Yang et al. 2015, sections 4.2 and 5]
  [[nodiscard]] std::vector<QuadraturePoint> spread(Index count) const;

 private:
  [[nodiscard]] int points_per_element() const;
  void check(const QuadraturePoint& point) const;

  const FullModel& model_;
  Eigen::Ref<const Matrix> basis_;  ///< by value: what it refers to lives on, the Ref given need not
};

}  // namespace limber
