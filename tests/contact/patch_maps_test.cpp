#include "limber/contact/patch_maps.hpp"

#include "limber/mesh/beam.hpp"
#include "tests/contact/bending.hpp"
#include "tests/support/fixtures.hpp"

#include <gtest/gtest.h>

namespace limber::patch_maps_test {
namespace {

using test::random_vector;

/// A piece of a bar that bends, and its map.
struct Piece {
  Matrix3X places;
  Matrix columns;
  Vector3 center;
  PatchMaps maps;

  /// copies: of the first column, each twice as large as the one before; 0: columns that differ.
  explicit Piece(Index copies = 0) {
    places = make_beam({.size = {0.2, 0.2, 0.15}, .cells = {4, 4, 3}}).vertices;
    places.row(0).array() += 0.6;
    columns = test::bending_columns(places);
    if (copies > 0) columns.conservativeResize(Eigen::NoChange, copies);
    for (Index k = 1; k < copies; ++k) columns.col(k) = 2.0 * columns.col(k - 1);
    center = 0.5 * (places.rowwise().minCoeff() + places.rowwise().maxCoeff());
    maps = PatchMaps(columns.cols());
    maps.add(center, places, columns);
  }

  [[nodiscard]] PatchLanes at(const Vector& q, int lane) const {
    std::vector<float> numbers, sizes(maps.bound_count(), 0.0F);
    for (Index k = 0; k < q.size(); ++k) {
      numbers.push_back(static_cast<float>(q(k)));
      sizes[static_cast<std::size_t>(k)] = std::abs(numbers.back());
    }
    PatchLanes lanes{};
    maps.write(0, numbers.data(), sizes.data(), q.size(), lane, lanes);
    return lanes;
  }
};

/// How far the vertices are from where the map takes them, at most.
double farthest(const Piece& piece, const PatchLanes& lanes, int lane, const Vector& q) {
  Vector3 place;
  Matrix3 slope;
  for (int l = 0; l < 3; ++l) {
    place(l) = static_cast<double>(lanes.place.at[l][lane]);
    for (int i = 0; i < 3; ++i) slope(l, i) = static_cast<double>(lanes.slope[i].at[l][lane]);
  }
  const Vector moved = piece.columns.leftCols(q.size()) * q;
  double left = 0.0;
  for (Index v = 0; v < piece.places.cols(); ++v) {
    const Vector3 X = piece.places.col(v), x = X + moved.segment<3>(3 * v);
    left = std::max(left, (x - place - slope * (X - piece.center)).norm());
  }
  return left;
}

TEST(PatchMaps, BoundHowFarVerticesAreFromThemAndHardlyMore) {
  const Piece piece;
  double largest = 0.0;
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    const int lane = static_cast<int>(seed % lane_count);
    const Vector q = random_vector(piece.columns.cols(), 0.5, seed);
    const PatchLanes lanes = piece.at(q, lane);
    const double left = farthest(piece, lanes, lane, q), slack = static_cast<double>(lanes.slack[lane]);
    EXPECT_LE(left, slack + 1e-6);
    largest = std::max(largest, slack / left);
  }
  // Patterns are largest at vertices of their own.
  EXPECT_LT(largest, 3.0);
}

TEST(PatchMaps, KnowWhatCancels) {
  const Piece piece(2);
  const float alone = piece.at(Vector::Unit(2, 0), 3).slack[3];
  EXPECT_GT(alone, 1e-3F);
  EXPECT_LT(piece.at(Vector(Eigen::Vector2d(1.0, -0.5)), 3).slack[3], 0.01F * alone);
}

TEST(PatchMaps, TakePatchesWithoutCoordinates) {
  PatchMaps maps(0);
  const Piece piece;
  maps.add(piece.center, piece.places, Matrix(3 * piece.places.cols(), 0));
  PatchLanes lanes{};
  maps.write(0, nullptr, nullptr, 0, 5, lanes);
  EXPECT_FLOAT_EQ(lanes.place.at[0][5], static_cast<float>(piece.center.x()));
  EXPECT_EQ(lanes.slope[1].at[1][5], 1.0F);
  EXPECT_EQ(lanes.slack[5], 0.0F);
}

}  // namespace
}  // namespace limber::patch_maps_test
