#include "limber/basis/sketch.hpp"

#include "limber/base/error.hpp"
#include "limber/mesh/embedding.hpp"
#include "tests/basis/support.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace limber::sketch_test {
namespace {

using test::Support;

class SketchOnABeam : public testing::Test {
 protected:
  FullModel model = test::supported_beam(Support::held);
  RestStiffness rest{model};
  Vector3 tip{4.0, 0.1, 0.05};  // no vertex

  /// Pulls at the tip that grow evenly.
  std::vector<SketchForce> drag(int count, const Vector3& largest = Vector3(0.0, 0.0, 300.0)) const {
    std::vector<SketchForce> sketch;
    for (int i = 1; i <= count; ++i) sketch.push_back({tip, i * largest / count});
    return sketch;
  }

  Vector load(const SketchForce& force) const {
    const Embedding embedding = embed_points(model.mesh(), force.at);
    Matrix3X forces = Matrix3X::Zero(3, model.mesh().vertex_count());
    for (Index a = 0; a < embedding.weights.rows(); ++a)
      forces.col(embedding.vertices(a, 0)) += embedding.weights(a, 0) * force.force;
    return model.dofs().restrict(forces);
  }

  std::string error_of(const std::vector<SketchForce>& sketch, const SketchOptions& options = {}) {
    try {
      (void)solve_sketch(rest, sketch, options);
    } catch (const Error& error) {
      return error.what();
    }
    return {};
  }
};

TEST_F(SketchOnABeam, DropsForcesWhoseResponseIsNearOneThatIsKept) {
  SketchOptions options;
  options.load_separation = 0.195;  // of the largest, in steps of 0.05: every fourth is far enough
  options.shape_separation = 0.0;
  const SketchShapes result = solve_sketch(rest, drag(20), options);
  EXPECT_EQ(result.recorded, 20);
  EXPECT_EQ(result.solved, 5);
  EXPECT_EQ(result.failed, 0);
  EXPECT_EQ(result.kept, 5);
}

TEST_F(SketchOnABeam, SolvesTheFullStaticProblem) {
  const std::vector<SketchForce> sketch{
      {tip, {0.0, 0.0, 300.0}}, {tip, {0.0, 200.0, 0.0}}, {{2.0, 0.0, 0.45}, {0.0, 0.0, -500.0}}};
  const SketchShapes result = solve_sketch(rest, sketch);
  ASSERT_EQ(result.kept, 3);
  for (Index i = 0; i < 3; ++i) {
    const Vector f = load(sketch[static_cast<std::size_t>(i)]);
    EXPECT_LT((model.internal_force(result.shapes.col(i)) - f).norm(), 1e-7 * f.norm()) << "force " << i;
    EXPECT_GT(model.largest_gradient(result.shapes.col(i)), 0.05) << "not in the linear range";
  }
}

TEST_F(SketchOnABeam, ContinuesToTheSameShapesAsFromRest) {
  const std::vector<SketchForce> sketch = drag(6);
  const SketchShapes result = solve_sketch(rest, sketch);
  ASSERT_EQ(result.kept, 6);
  Vector u = Vector::Zero(model.dof_count());
  ASSERT_TRUE(solve_static(model, load(sketch.back()), u).ok());
  EXPECT_LT((result.shapes.col(5) - u).norm(), 1e-6 * u.norm());
}

TEST_F(SketchOnABeam, KeepsOneOfTheShapesThatComeAgain) {
  std::vector<SketchForce> sketch = drag(4);
  const std::vector<SketchForce> back{sketch[2], sketch[1], sketch[0]};
  sketch.insert(sketch.end(), back.begin(), back.end());
  sketch.push_back({tip, Vector3::Zero()});  // let go: the rest shape
  const SketchShapes result = solve_sketch(rest, sketch);
  EXPECT_EQ(result.solved, 4) << "the way back is the way there";
  EXPECT_EQ(result.kept, 4);
  EXPECT_EQ(result.shapes.cols(), 4);
}

TEST_F(SketchOnABeam, CountsForcesWithoutASolution) {
  std::vector<SketchForce> sketch = drag(2);
  // No static solution: nothing holds a single vertex against a crushing load that grows without bound.
  sketch.push_back({tip, {-1e12, 3e11, 1e11}});
  SketchOptions options;
  options.load_separation = 0.0;
  options.statics.max_iterations = 3;
  const SketchShapes result = solve_sketch(rest, sketch, options);
  EXPECT_EQ(result.solved, 3);
  EXPECT_EQ(result.failed, 1);
  EXPECT_EQ(result.kept, 2);
}

TEST_F(SketchOnABeam, KeepsTheLargestWhereSeparationsAreNearOne) {
  const std::vector<SketchForce> sketch = drag(4);
  SketchOptions options;
  options.load_separation = options.shape_separation = std::nextafter(1.0, 0.0);
  const SketchShapes result = solve_sketch(rest, sketch, options);
  EXPECT_EQ(result.solved, 1);
  ASSERT_EQ(result.kept, 1);
  const Vector f = load(sketch.back());
  EXPECT_LT((model.internal_force(result.shapes.col(0)) - f).norm(), 1e-7 * f.norm());

  options.load_separation = 0.0;  // all are solved, one is kept
  const SketchShapes all = solve_sketch(rest, sketch, options);
  EXPECT_EQ(all.solved, 4);
  ASSERT_EQ(all.kept, 1);
  EXPECT_LT((model.internal_force(all.shapes.col(0)) - f).norm(), 1e-7 * f.norm());
}

TEST_F(SketchOnABeam, RefusesSeparationsOutOfRange) {
  for (const double wrong :
       {-0.1, 1.0, 2.0, std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()}) {
    SketchOptions options;
    options.load_separation = wrong;
    EXPECT_EQ(
        error_of(drag(2), options),
        fmt::format("load_separation of the sketch is {}, expected a share of the largest: at least 0 and "
                    "less than 1",
                    wrong));
    options = {};
    options.shape_separation = wrong;
    EXPECT_EQ(
        error_of(drag(2), options),
        fmt::format("shape_separation of the sketch is {}, expected a share of the largest: at least 0 and "
                    "less than 1",
                    wrong));
  }
}

TEST_F(SketchOnABeam, RefusesAToleranceOfStaticsThatTheRestShapeMeets) {
  SketchOptions options;
  options.statics.tolerance = 2.0;
  EXPECT_EQ(error_of(drag(2), options),
            "none of the 2 forces of the sketch moves the body within the tolerance of statics, 2; ask for a "
            "smaller one");
}

TEST_F(SketchOnABeam, ReportsProgressToTheEnd) {
  std::vector<double> seen;
  SketchOptions options;
  options.progress = [&](std::string_view stage, double fraction) {
    EXPECT_EQ(stage, "sketch");
    seen.push_back(fraction);
  };
  (void)solve_sketch(rest, drag(3), options);
  EXPECT_EQ(seen.size(), 3u);
  EXPECT_EQ(seen.back(), 1.0);
}

TEST_F(SketchOnABeam, RefusesWhatCannotBeSolved) {
  EXPECT_EQ(error_of({}), "the sketch holds no force");
  EXPECT_NE(error_of({{tip, {0.0, 0.0, std::numeric_limits<double>::infinity()}}})
                .find("force 1 of the sketch holds"),
            std::string::npos);
  EXPECT_NE(error_of({{tip, {1.0, 0.0, 0.0}}, {{4000.0, 0.0, 0.0}, {1.0, 0.0, 0.0}}})
                .find("force 2 of the sketch acts at (4000, 0, 0)"),
            std::string::npos);
  EXPECT_NE(error_of({{Vector3::Zero(), {1.0, 0.0, 0.0}}})
                .find("none of the 1 forces of the sketch moves the body"),
            std::string::npos);
}

TEST(Sketch, IsRefusedForABodyThatIsNotHeld) {
  const FullModel model = test::supported_beam(Support::hinge);
  RestStiffness rest(model);
  const std::vector<SketchForce> sketch{{Vector3(4.0, 0.0, 0.0), Vector3(0.0, 0.0, 1.0)}};
  EXPECT_THROW((void)solve_sketch(rest, sketch), Error);
}

}  // namespace
}  // namespace limber::sketch_test
