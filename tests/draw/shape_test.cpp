#include "limber/draw/shape.hpp"

#include "limber/mesh/beam.hpp"
#include "tests/draw/support.hpp"

namespace limber::shape_test {
namespace {

using test::error_text;

TEST(MakeShape, MovesTheVerticesByTheDisplacement) {
  const VolumeMesh mesh = make_beam({.cells = {2, 1, 1}});
  const Matrix3X u = Matrix3X::Random(3, mesh.vertex_count());
  EXPECT_EQ(make_shape(mesh).vertices, mesh.vertices);
  EXPECT_EQ(make_shape(mesh, u).vertices, mesh.vertices + u);
  EXPECT_EQ(make_shape(mesh).triangles, boundary_triangles(mesh));
}

TEST(MakeShape, GivesTheTrueEdges) {
  // On a closed surface of triangles E = 3 T / 2; of quadrilaterals, E = 2 Q.
  const VolumeMesh tetrahedra = make_beam({.cells = {3, 2, 2}});
  const Shape a = make_shape(tetrahedra);
  EXPECT_EQ(a.edge_list->cols(), a.triangles.cols() * 3 / 2);
  const VolumeMesh bricks = make_beam({.kind = ElementKind::brick, .size = {3, 2, 2}, .cells = {3, 2, 2}});
  const Shape b = make_shape(bricks);
  EXPECT_EQ(b.edge_list->cols(), b.triangles.cols());
  for (const auto& edge : b.edge_list->colwise()) {
    EXPECT_NEAR((b.vertices.col(edge(0)) - b.vertices.col(edge(1))).norm(), 1.0, 1e-12);  // no diagonal
  }
}

TEST(MakeShape, RefusesADisplacementOfAnotherMesh) {
  const VolumeMesh mesh = make_beam({.cells = {1, 1, 1}});
  EXPECT_EQ(error_text([&] { make_shape(mesh, Matrix3X::Zero(3, 7)); }),
            "displacement has 7 columns, the mesh needs 8 (one per vertex)");
}

TEST(CheckShape, SaysWhatIsWrong) {
  const auto refusal = [](const auto& change) {
    Shape shape = test::square(1.0, 0.0, Color::Zero());
    change(shape);
    return error_text([&] { render({&shape, 1}); });
  };
  EXPECT_EQ(refusal([](Shape& s) { s.values.setZero(3); }),
            "shape has 3 values for 4 vertices, expected one each or none");
  EXPECT_EQ(refusal([](Shape& s) { s.triangles(1, 1) = 4; }),
            "a triangle names vertex 4, but the shape has vertices 0 to 3");
  EXPECT_EQ(refusal([](Shape& s) { s.triangles(1, 1) = -1; }),
            "a triangle names vertex -1, but the shape has vertices 0 to 3");
  EXPECT_EQ(refusal([](Shape& s) { s.edge_list = Eigen::Matrix2Xi::Constant(2, 1, 9); }),
            "an edge names vertex 9, but the shape has vertices 0 to 3");
  EXPECT_EQ(refusal([](Shape& s) { s.opacity = 1.5; }), "shape has the opacity 1.5, expected 0 to 1");
  EXPECT_EQ(refusal([](Shape& s) { s.color.x() = std::numeric_limits<double>::infinity(); }),
            "shape has the colour (inf, 0, 0), expected numbers from 0 to 1");
}

}  // namespace
}  // namespace limber::shape_test
