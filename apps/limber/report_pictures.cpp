#include "apps/limber/report_figures.hpp"
#include "limber/base/grouped.hpp"
#include "limber/draw/regions.hpp"
#include "limber/draw/render.hpp"
#include "limber/io/png.hpp"
#include "limber/reduced/reduced_equations.hpp"

#include <Eigen/Geometry>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <numbers>
#include <utility>

namespace limber::app {
namespace {

constexpr double amplitude =
    0.13;  ///< largest displacement of a basis vector in its picture, share of the diagonal
constexpr double report_ghost_opacity = 0.2;              ///< of the rest shape behind it
constexpr double body_opacity = 0.2;                      ///< of the body around points of cubature
constexpr Index most_report_triangles_with_edges = 6000;  ///< beyond, edges would cover pictures of this size
constexpr double largest_ball = 0.014;  ///< radius of the point of largest weight, share of the diagonal
constexpr double smallest_ball = 0.2;   ///< least radius, share of that one

double diagonal(const Matrix3X& points) {
  return (points.rowwise().maxCoeff() - points.rowwise().minCoeff()).norm();
}

/// What is drawn of a body at rest, with the basis at its vertices.
struct DrawnBody {
  Shape shape;
  Matrix basis;  ///< 3n x columns, the first ones
};

DrawnBody drawn_body(const ReducedModel& reduced, Index columns) {
  DrawnBody body;
  if (reduced.simulation) {
    body.shape = make_shape(reduced.simulation->mesh);
    body.basis = reduced.simulation->basis.leftCols(columns);
  } else {
    body.shape.vertices = reduced.surface.mesh.vertices;
    body.shape.triangles = reduced.surface.mesh.triangles;
    body.basis = reduced.surface.basis.leftCols(columns).cast<double>();
  }
  body.shape.edges = reduced.simulation && body.shape.triangles.cols() <= most_report_triangles_with_edges;
  return body;
}

/// Frequency of a motion along each basis vector alone, Hz: sqrt(K_ii / M_ii) / 2 pi; not a number where it
/// has none.
Vector frequencies_along(const ReducedModel& reduced) {
  const ReducedEquations equations = make_equations(reduced);
  Vector force(equations.rank);
  Matrix stiffness(equations.rank, equations.rank);
  ElasticWorkspace work;
  equations.elastic.evaluate(Vector::Zero(equations.rank), work, force, stiffness);
  return (stiffness.diagonal().array() / equations.mass.diagonal().array()).sqrt() / (2.0 * std::numbers::pi);
}

/// The unit sphere as an icosahedron whose triangles are cut in four once.
Shape make_ball() {
  const double golden = std::numbers::phi;
  std::vector<Vector3> points;
  for (int axis = 0; axis < 3; ++axis) {
    for (const double a : {-1.0, 1.0}) {
      for (const double b : {-golden, golden}) {
        Vector3 point = Vector3::Zero();
        point((axis + 1) % 3) = a;
        point((axis + 2) % 3) = b;
        points.push_back(point.normalized());
      }
    }
  }
  const double side = 2.0 / std::sqrt(1.0 + golden * golden);
  const auto joined = [&](int a, int b) { return (points[a] - points[b]).norm() < 1.01 * side; };
  std::vector<std::array<int, 3>> faces;
  for (int a = 0; a < 12; ++a) {
    for (int b = a + 1; b < 12; ++b) {
      for (int c = b + 1; c < 12; ++c) {
        if (!joined(a, b) || !joined(b, c) || !joined(a, c)) continue;
        const bool outward = points[a].dot(points[b].cross(points[c])) > 0.0;
        faces.push_back(outward ? std::array{a, b, c} : std::array{a, c, b});
      }
    }
  }
  std::map<std::pair<int, int>, int> middles;
  const auto middle = [&](int a, int b) {
    const auto [found, is_new] = middles.try_emplace(std::minmax(a, b), static_cast<int>(points.size()));
    if (is_new) points.push_back((points[a] + points[b]).normalized());
    return found->second;
  };
  Shape ball;
  ball.triangles.resize(3, 4 * static_cast<Index>(faces.size()));
  Index t = 0;
  for (const auto& [a, b, c] : faces) {
    const int ab = middle(a, b), bc = middle(b, c), ca = middle(c, a);
    for (const auto& [i, j, k] : {std::array{a, ab, ca}, {b, bc, ab}, {c, ca, bc}, {ab, bc, ca}}) {
      ball.triangles.col(t++) << i, j, k;
    }
  }
  ball.vertices.resize(3, static_cast<Index>(points.size()));
  for (Index i = 0; i < ball.vertices.cols(); ++i) ball.vertices.col(i) = points[static_cast<std::size_t>(i)];
  return ball;
}

/// Balls in one shape; their radii (m) and values, one each.
Shape make_balls(const Matrix3X& centres, const Vector& radii, const Vector& values) {
  const Shape ball = make_ball();
  const Index n = ball.vertices.cols();
  const Index t = ball.triangles.cols();
  Shape balls;
  balls.vertices.resize(3, n * centres.cols());
  balls.triangles.resize(3, t * centres.cols());
  balls.values.resize(n * centres.cols());
  for (Index i = 0; i < centres.cols(); ++i) {
    balls.vertices.middleCols(n * i, n) = (radii(i) * ball.vertices).colwise() + centres.col(i);
    balls.triangles.middleCols(t * i, t) = ball.triangles.array() + static_cast<int>(n * i);
    balls.values.segment(n * i, n).setConstant(values(i));
  }
  balls.edges = false;
  return balls;
}

}  // namespace

std::vector<Figure> draw_basis(const std::filesystem::path& folder, const ReducedModel& reduced, UpAxis up,
                               const Executor& executor, int width) {
  const Index shown = std::min(reduced.rank, most_mode_pictures);
  const DrawnBody body = drawn_body(reduced, shown);
  const Vector frequencies = frequencies_along(reduced);
  Shape ghost = body.shape;
  ghost.opacity = report_ghost_opacity;
  ghost.edges = false;
  RenderOptions options;
  options.view = upright_view(direction_of(up));
  options.width = width;
  options.height = width * 11 / 16;
  options.color_bar = false;
  options.ghosts_in_front = false;
  options.shadow = false;
  options.executor = executor;
  std::vector<Figure> figures;
  for (Index i = 0; i < shown; ++i) {
    Shape moved = body.shape;
    const Matrix3X direction = body.basis.col(i).reshaped(3, moved.vertices.cols());
    const Vector lengths = direction.colwise().norm();
    const double largest = std::max(lengths.maxCoeff(), std::numeric_limits<double>::min());
    moved.vertices += (amplitude * diagonal(moved.vertices) / largest) * direction;
    moved.values = lengths / largest;
    Figure figure{
        .file = fmt::format("mode_{:02}.png", i + 1),
        .alternative = fmt::format("The body moved along basis vector {}, coloured by displacement", i + 1),
        .caption = fmt::format("q{}", i + 1),
        .width = options.width,
        .height = options.height};
    if (frequencies(i) > 0.0) figure.caption += fmt::format(", {:.4g} Hz", frequencies(i));
    write_png(folder / figure.file, render(std::array{ghost, moved}, options));
    figures.push_back(std::move(figure));
  }
  return figures;
}

std::optional<Figure> draw_held_vertices(const std::filesystem::path& folder, const ReducedModel& reduced,
                                         UpAxis up, const Executor& executor, int width) {
  if (!reduced.simulation || reduced.simulation->fixed.empty()) return std::nullopt;
  RenderOptions options;
  options.view = upright_view(direction_of(up));
  options.width = width;
  options.height = width * 11 / 16;
  options.executor = executor;
  std::vector<Shape> shapes = make_held_shapes(reduced.simulation->mesh, reduced.simulation->fixed);
  for (Shape& shape : shapes) shape.edges = shape.triangles.cols() <= most_report_triangles_with_edges;
  Figure figure{.file = "held.png",
                .alternative = "The mesh at rest, with what holds it in orange",
                .caption = "What does not move, in orange",
                .width = options.width,
                .height = options.height};
  write_png(folder / figure.file, render(shapes, options));
  return figure;
}

Matrix3X cubature_positions(const CubatureRule& rule, const VolumeMesh& mesh) {
  Matrix3X positions(3, rule.point_count());
  for (Index p = 0; p < positions.cols(); ++p) {
    const auto i = static_cast<std::size_t>(p);
    const Matrix3X corners = mesh.vertices(Eigen::all, mesh.elements.col(rule.element[i]));
    positions.col(p) = corners.rowwise().mean();
    if (mesh.kind == ElementKind::tetrahedron) continue;
    const double offset = 0.5 * std::sqrt(0.6);  // three Gauss points along each axis, x first
    const Vector3 size = corners.rowwise().maxCoeff() - corners.rowwise().minCoeff();
    const int q = rule.point[i];
    const Eigen::Vector3i place(q % 3 - 1, q / 3 % 3 - 1, q / 9 - 1);
    positions.col(p) += offset * size.cwiseProduct(place.cast<double>());
  }
  return positions;
}

std::optional<Figure> draw_cubature(const std::filesystem::path& folder, const ReducedModel& reduced,
                                    UpAxis up, const Executor& executor, int width) {
  if (!reduced.cubature || !reduced.simulation) return std::nullopt;
  const CubatureRule& rule = *reduced.cubature;
  // Cube roots, because a weight is a volume and a ball shows its radius.
  Vector sizes = rule.weights.rowwise().sum().array().pow(1.0 / 3.0);
  sizes /= std::max(sizes.maxCoeff(), std::numeric_limits<double>::min());
  Shape body = make_shape(reduced.simulation->mesh);
  body.opacity = body_opacity;
  body.edges = body.triangles.cols() <= most_report_triangles_with_edges;
  const Vector radii = largest_ball * diagonal(body.vertices) * sizes.cwiseMax(smallest_ball);
  RenderOptions options;
  options.view = upright_view(direction_of(up));
  options.width = width;
  options.height = width * 4 / 7;
  options.color_bar = false;
  options.shadow = false;
  options.range = ValueRange{0.0, 1.0};
  options.executor = executor;
  Figure figure{
      .file = "cubature.png",
      .alternative = fmt::format("The {} cubature points as balls inside of the translucent body, larger and "
                                 "lighter with more weight",
                                 rule.point_count()),
      .caption = fmt::format("{} points in {} elements", grouped(rule.point_count()),
                             grouped(reduced.simulation->mesh.element_count())),
      .width = options.width,
      .height = options.height};
  write_png(
      folder / figure.file,
      render(std::array{body, make_balls(cubature_positions(rule, reduced.simulation->mesh), radii, sizes)},
             options));
  return figure;
}

}  // namespace limber::app
