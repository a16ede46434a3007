#include "limber/precompute/region_mass.hpp"

#include "tests/precompute/support.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace limber::region_mass_test {
namespace {

struct Setup {
  ElementKind kind;
  MassKind mass;
};

class RegionMass : public testing::TestWithParam<Setup> {};

INSTANTIATE_TEST_SUITE_P(Meshes, RegionMass,
                         testing::Values(Setup{ElementKind::tetrahedron, MassKind::consistent},
                                         Setup{ElementKind::tetrahedron, MassKind::lumped},
                                         Setup{ElementKind::brick, MassKind::consistent},
                                         Setup{ElementKind::brick, MassKind::lumped}),
                         [](const auto& setup) {
                           return fmt::format("{}s_{}_mass", name_of(setup.param.kind),
                                              setup.param.mass == MassKind::lumped ? "lumped" : "consistent");
                         });

std::vector<ReducedRegion> added_up(const VolumeMesh& mesh, MassKind mass, const Matrix& modes) {
  std::vector<ReducedRegion> regions(mesh.regions.size());
  add_up_mass(mesh, mass, modes, regions);
  return regions;
}

/// Modes that have nothing to do with the mesh: 3n x r.
Matrix random_modes(const VolumeMesh& mesh, Index rank) {
  const Index rows = 3 * mesh.vertex_count();
  return test::random_vector(rows * rank, 1.0, 3).reshaped(rows, rank);
}

/// The integral of U_i U_j^T.
Matrix3 pair_of(const ReducedRegion& region, Index i, Index j) {
  return region.moments.second_pairs.col(i + region.mass.rows() * j).reshaped(3, 3);
}

/// u = A x + b.
struct AffineField {
  Matrix3 A;
  Vector3 b;
};

/// The moments of such fields follow from those of the rest shape, whatever the mass.
TEST_P(RegionMass, KnowsTheMomentsOfAffineMotions) {
  const VolumeMesh mesh = test::uneven_beam(GetParam().kind, 3);
  std::vector<AffineField> fields;
  Matrix modes(3 * mesh.vertex_count(), 4);
  for (Index i = 0; i < modes.cols(); ++i) {
    const auto seed = static_cast<std::uint64_t>(10 * i);
    fields.push_back({test::random_matrix3(1.0, seed + 1), test::random_vector(3, 1.0, seed + 2)});
    Matrix3X field = fields.back().A * mesh.vertices;
    field.colwise() += fields.back().b;
    modes.col(i) = field.reshaped();
  }
  for (const ReducedRegion& region : added_up(mesh, GetParam().mass, modes)) {
    const Vector3& first = region.moments.first;
    const Matrix3& second = region.moments.second;
    for (Index i = 0; i < modes.cols(); ++i) {
      const auto& [A, b] = fields[static_cast<std::size_t>(i)];
      const Vector3 weight = A * first + region.volume * b;
      EXPECT_LT((region.weight.row(i).transpose() - weight).norm(), 1e-12 * weight.norm());
      const Matrix3 with_places = A * second + b * first.transpose();
      EXPECT_LT((region.moments.second_rows.col(i).reshaped(3, 3) - with_places).norm(),
                1e-12 * with_places.norm());
      for (Index j = 0; j < modes.cols(); ++j) {
        const auto& [C, d] = fields[static_cast<std::size_t>(j)];
        const Matrix3 pair = with_places * C.transpose() + weight * d.transpose();
        EXPECT_LT((pair_of(region, i, j) - pair).norm(), 1e-12 * pair.norm()) << i << " " << j;
      }
    }
  }
}

TEST_P(RegionMass, IsTheTraceOfTheMomentsOfPairs) {
  const VolumeMesh mesh = test::uneven_beam(GetParam().kind, 3);
  constexpr Index rank = 5;
  for (const ReducedRegion& region : added_up(mesh, GetParam().mass, random_modes(mesh, rank))) {
    Matrix trace(rank, rank);
    for (Index i = 0; i < rank; ++i) {
      for (Index j = 0; j < rank; ++j) {
        trace(i, j) = pair_of(region, i, j).trace();
        EXPECT_LT((pair_of(region, i, j) - pair_of(region, j, i).transpose()).norm(), 1e-14);
      }
    }
    EXPECT_LT((trace - region.mass).norm(), 1e-14 * region.mass.norm());
  }
}

TEST_P(RegionMass, OfAllRegionsAddsUpToThatOfTheBody) {
  const VolumeMesh parted = test::uneven_beam(GetParam().kind, 3),
                   whole = test::uneven_beam(GetParam().kind, 1);
  const Matrix modes = random_modes(whole, 3);
  ReducedRegion sum = added_up(whole, GetParam().mass, modes).front();
  const ReducedRegion body = sum;
  for (const ReducedRegion& region : added_up(parted, GetParam().mass, modes)) {
    sum.volume -= region.volume;
    sum.mass -= region.mass;
    sum.weight -= region.weight;
    sum.moments.first -= region.moments.first;
    sum.moments.second -= region.moments.second;
    sum.moments.second_rows -= region.moments.second_rows;
    sum.moments.second_pairs -= region.moments.second_pairs;
  }
  constexpr double rounding = 1e-13;
  EXPECT_LT(std::abs(sum.volume), rounding * body.volume);
  EXPECT_LT(sum.mass.norm(), rounding * body.mass.norm());
  EXPECT_LT(sum.weight.norm(), rounding * body.mass.norm());  // it nearly cancels
  EXPECT_LT(sum.moments.first.norm(), rounding * body.moments.first.norm());
  EXPECT_LT(sum.moments.second.norm(), rounding * body.moments.second.norm());
  EXPECT_LT(sum.moments.second_rows.norm(), rounding * body.mass.norm());
  EXPECT_LT(sum.moments.second_pairs.norm(), rounding * body.moments.second_pairs.norm());
}

TEST_P(RegionMass, OfARigidBodyHasMomentsOfItsShapeOnly) {
  const VolumeMesh mesh = test::uneven_beam(GetParam().kind, 2);
  const Matrix modes = random_modes(mesh, 2), none(modes.rows(), 0);
  const std::vector<ReducedRegion> moving = added_up(mesh, GetParam().mass, modes),
                                   rigid = added_up(mesh, GetParam().mass, none);
  for (std::size_t i = 0; i < rigid.size(); ++i) {
    EXPECT_EQ(rigid[i].volume, moving[i].volume);
    EXPECT_EQ(rigid[i].moments.first, moving[i].moments.first);
    EXPECT_EQ(rigid[i].moments.second, moving[i].moments.second);
    EXPECT_EQ(rigid[i].moments.second_rows.rows(), 9);
    EXPECT_EQ(rigid[i].moments.second_rows.cols(), 0);
    EXPECT_EQ(rigid[i].moments.second_pairs.rows(), 9);
    EXPECT_EQ(rigid[i].moments.second_pairs.cols(), 0);
    EXPECT_EQ(rigid[i].weight.rows(), 0);
    EXPECT_EQ(rigid[i].mass.size(), 0);
  }
}

/// The second moments of a box about its centre are V l^2 / 12 along its axes: of shape functions, which hold
/// linear ones, exactly. With the mass at the vertices they are larger.
TEST_P(RegionMass, OfABoxHasTheMomentsOfTheBooks) {
  VolumeMesh mesh = make_beam({GetParam().kind, Vector3(3.0, 1.4, 0.9), Eigen::Vector3i(5, 3, 2)});
  const Vector3 size(3.0, 1.4, 0.9), center(0.3, -0.2, 0.7);
  const Vector3 middle = 0.5 * (mesh.vertices.rowwise().minCoeff() + mesh.vertices.rowwise().maxCoeff());
  mesh.vertices.colwise() += center - middle;
  const ReducedRegion region = added_up(mesh, GetParam().mass, random_modes(mesh, 1)).front();
  const double volume = size.prod();
  EXPECT_NEAR(region.volume, volume, 1e-13);
  EXPECT_LT((region.moments.first - volume * center).norm(), 1e-13);
  const Matrix3 about = region.moments.second - volume * center * center.transpose();
  const Matrix3 book = volume / 12.0 * size.cwiseAbs2().asDiagonal().toDenseMatrix();
  if (GetParam().mass == MassKind::consistent) {
    EXPECT_LT((about - book).norm(), 1e-12) << about;
  } else {
    EXPECT_TRUE((about.diagonal().array() > 1.01 * book.diagonal().array()).all()) << about;
  }
}

}  // namespace
}  // namespace limber::region_mass_test
