#include "limber/reduced/reduced_model.hpp"
#include "tests/reduced/support.hpp"

#include <gmock/gmock.h>
#include <limits>

namespace limber::model_test {
namespace {

using testing::HasSubstr;

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

/// What check_model says of the small model after a change; empty where it has nothing to say.
template <class Change>
std::string complaint(const Change& change) {
  ReducedModel model = test::small_model();
  change(model);
  return test::error_text([&] { check_model(model, "m.glb"); });
}

TEST(CheckModel, AcceptsASoundModel) {
  EXPECT_NO_THROW(check_model(test::small_model(), "m.glb"));
  ReducedModel without_mesh = test::small_model();
  without_mesh.simulation.reset();
  EXPECT_NO_THROW(check_model(without_mesh, "m.glb"));
}

TEST(CheckModel, RefusesARankOutOfRange) {
  for (const Index rank : {Index{-1}, Index{0}, Index{1001}, std::numeric_limits<Index>::max()}) {
    EXPECT_EQ(complaint([&](ReducedModel& m) { m.rank = rank; }),
              fmt::format("m.glb: the rank is {}, expected 1 to 1000", rank));
  }
}

TEST(CheckModel, RefusesOneWithoutRegions) {
  EXPECT_EQ(complaint([](ReducedModel& m) { m.regions.clear(); }),
            "m.glb: the model has no regions, expected at least one");
}

TEST(CheckModel, NamesArraysOfTheWrongSize) {
  EXPECT_EQ(complaint([](ReducedModel& m) { m.regions[1].lambda_energy.conservativeResize(69); }),
            "m.glb: region 1: the energy for lambda is 69 x 1, expected 70 x 1");
  EXPECT_EQ(complaint([](ReducedModel& m) { m.regions[0].mu_energy.conservativeResize(71); }),
            "m.glb: region 0: the energy for mu is 71 x 1, expected 70 x 1");
  EXPECT_EQ(complaint([](ReducedModel& m) { m.regions[0].mass.resize(3, 4); }),
            "m.glb: region 0: the mass is 3 x 4, expected 4 x 4");
  EXPECT_EQ(complaint([](ReducedModel& m) { m.regions[0].weight.resize(3, 3); }),
            "m.glb: region 0: the weight is 3 x 3, expected 4 x 3");
  EXPECT_EQ(complaint([](ReducedModel& m) { m.regions[1].moments.second_rows.resize(3, 4); }),
            "m.glb: region 1: the second moment of the modes is 3 x 4, expected 9 x 4");
  EXPECT_EQ(complaint([](ReducedModel& m) { m.regions[0].moments.second_pairs.resize(9, 4); }),
            "m.glb: region 0: the second moment of pairs of modes is 9 x 4, expected 9 x 16");
  EXPECT_THAT(complaint([](ReducedModel& m) { m.surface.basis.resize(7, 4); }),
              HasSubstr("m.glb: the basis of the surface is 7 x 4, expected 36 x 4"));
  EXPECT_THAT(complaint([](ReducedModel& m) { m.simulation->basis.resize(36, 5); }),
              HasSubstr("m.glb: the basis of the simulation mesh is 36 x 5, expected 36 x 4"));
}

TEST(CheckModel, NamesArraysThatAreNotFinite) {
  EXPECT_EQ(complaint([](ReducedModel& m) { m.regions[0].mu_energy(3) = nan; }),
            "m.glb: region 0: the energy for mu has entries that are not finite");
  EXPECT_EQ(complaint([](ReducedModel& m) { m.regions[1].mass(0, 1) = nan; }),
            "m.glb: region 1: the mass has entries that are not finite");
  EXPECT_EQ(complaint([](ReducedModel& m) { m.regions[0].moments.first(1) = nan; }),
            "m.glb: region 0: the first moment has entries that are not finite");
  EXPECT_EQ(complaint([](ReducedModel& m) { m.regions[0].moments.second(2, 2) = nan; }),
            "m.glb: region 0: the second moment has entries that are not finite");
  EXPECT_EQ(complaint([](ReducedModel& m) { m.regions[1].moments.second_rows(8, 3) = nan; }),
            "m.glb: region 1: the second moment of the modes has entries that are not finite");
  EXPECT_EQ(complaint([](ReducedModel& m) { m.regions[1].moments.second_pairs(0, 15) = nan; }),
            "m.glb: region 1: the second moment of pairs of modes has entries that are not finite");
  EXPECT_EQ(
      complaint([](ReducedModel& m) { m.surface.basis(2, 1) = std::numeric_limits<float>::infinity(); }),
      "m.glb: the basis of the surface has entries that are not finite");
  EXPECT_EQ(complaint([](ReducedModel& m) { m.simulation->embedding.weights(0, 1) = nan; }),
            "m.glb: the array of embedding weights has entries that are not finite");
}

TEST(CheckModel, RefusesImpossibleMaterials) {
  EXPECT_EQ(complaint([](ReducedModel& m) {
              m.regions[1].material.law = Stvk{{1.0, 0.0}};
            }),
            "m.glb: region 1: Lamé's mu is 0, expected a positive number of pascals");
  EXPECT_EQ(complaint([](ReducedModel& m) { m.regions[0].material.density = 0.0; }),
            "m.glb: region 0: the density is 0, expected a positive number of kg/m^3");
  EXPECT_EQ(complaint([](ReducedModel& m) { m.regions[0].volume = -1.0; }),
            "m.glb: region 0: the volume is -1, expected a positive number of m^3");
}

TEST(CheckModel, RefusesAMassThatIsNotSymmetricOrNotPositive) {
  EXPECT_THAT(complaint([](ReducedModel& m) { m.regions[0].mass(0, 1) *= 1.001; }),
              HasSubstr("m.glb: region 0: the mass is not symmetric"));
  EXPECT_EQ(complaint([](ReducedModel& m) {
              for (ReducedRegion& region : m.regions) {
                region.mass.row(2) = region.mass.row(1).eval();
                region.mass.col(2) = region.mass.col(1).eval();
              }
            }),
            "m.glb: the mass of the model is not positive definite: its basis vectors are not independent");
}

TEST(CheckModel, RefusesASecondMomentThatIsNotSymmetric) {
  EXPECT_EQ(complaint([](ReducedModel& m) { m.regions[1].moments.second(0, 2) += 0.01; }),
            "m.glb: region 1: the second moment is not symmetric");
}

TEST(CheckModel, ChecksTheSurfaceAndItsColours) {
  EXPECT_THAT(complaint([](ReducedModel& m) { m.surface.mesh.triangles(0, 1) = 99; }),
              HasSubstr("m.glb: triangle 1 names vertex 99"));
  EXPECT_EQ(complaint([](ReducedModel& m) { m.surface.colors.pop_back(); }),
            "m.glb: 1 colours for 2 parts, expected one each");
  EXPECT_EQ(complaint([](ReducedModel& m) { m.surface.colors[1] = Vector3(0, 2, nan); }),
            "m.glb: the colour of part 1 is (0, 2, nan), expected numbers from 0 to 1");
  EXPECT_THAT(complaint([](ReducedModel& m) { m.surface.mesh.vertices(0, 5) = 0.1; }),
              HasSubstr("m.glb: vertex 5 of the surface at (0.1, "));
}

TEST(CheckModel, ChecksTheSimulationMeshAndItsRegions) {
  EXPECT_THAT(complaint([](ReducedModel& m) { m.simulation->mesh.elements(0, 1) = 99; }),
              HasSubstr("m.glb: element 1 names vertex 99"));
  EXPECT_EQ(complaint([](ReducedModel& m) {
              m.simulation->mesh.regions.push_back({3, "more"});
            }),
            "m.glb: the simulation mesh has 3 regions, the model 2; expected the same");
  EXPECT_EQ(complaint([](ReducedModel& m) { m.regions[1].region.name = "else"; }),
            "m.glb: region 1 is 'else' (2) in the model and 'right' (2) in its mesh; expected the same");
}

TEST(CheckModel, ChecksTheFixedVertices) {
  EXPECT_EQ(complaint([](ReducedModel& m) { std::swap(m.simulation->fixed[0], m.simulation->fixed[1]); }),
            "m.glb: fixed vertex 0 after 1, expected ascending numbers from 0");
  EXPECT_EQ(complaint([](ReducedModel& m) { m.simulation->fixed = {-1}; }),
            "m.glb: fixed vertex -1 after -1, expected ascending numbers from 0");
  EXPECT_EQ(complaint([](ReducedModel& m) { m.simulation->fixed = {12}; }),
            "m.glb: fixed vertex 12, but the mesh has vertices 0 to 11");
  EXPECT_EQ(complaint([](ReducedModel& m) { m.simulation->fixed = {11}; }),
            "m.glb: the basis moves vertex 11, which is fixed");
}

TEST(CheckModel, ChecksTheEmbedding) {
  EXPECT_EQ(complaint([](ReducedModel& m) { m.simulation->embedding.element.pop_back(); }),
            "m.glb: 11 elements for the embedding of 12 surface vertices, expected one each");
  EXPECT_THAT(complaint([](ReducedModel& m) { m.simulation->embedding.element[3] = -1; }),
              HasSubstr("m.glb: surface vertex 3 is bound to element -1, but the mesh has elements 0 to"));
  EXPECT_THAT(complaint([](ReducedModel& m) { m.simulation->embedding.vertices(0, 2) += 1; }),
              HasSubstr("m.glb: surface vertex 2 is bound to vertices that are not those of its element"));
  EXPECT_THAT(complaint([](ReducedModel& m) { m.simulation->embedding.weights(1, 4) += 0.5; }),
              HasSubstr("m.glb: the embedding weights of surface vertex 4 sum to 1.5, expected 1"));
  EXPECT_EQ(complaint([](ReducedModel& m) { m.simulation->embedding.mesh_vertices = 13; }),
            "m.glb: the embedding is of a mesh with 13 vertices, but the mesh has 12");
  EXPECT_EQ(complaint([](ReducedModel& m) { m.simulation->embedding.outside = 13; }),
            "m.glb: 13 surface vertices outside of the mesh, expected 0 to 12");
  EXPECT_THAT(complaint([](ReducedModel& m) { m.simulation->embedding.farthest = nan; }),
              HasSubstr("m.glb: the farthest surface vertex is nan m outside"));
}

/// Warp data that fit to the small model: two lumps of the first region, one of the second.
WarpData small_warp(const ReducedModel& model) {
  WarpData warp;
  warp.surface_rotations = Eigen::MatrixXf::Constant(model.surface.basis.rows(), model.rank, 0.1f);
  warp.lumps.region = {0, 1, 0};
  warp.lumps.volume = Vector3(0.6, 1.0, 0.4);
  warp.lumps.center = Matrix3X::Ones(3, 3);
  warp.lumps.rotations = Matrix::Ones(9, model.rank);
  warp.lumps.moment.resize(9, model.rank);
  warp.lumps.moment << 1.5 * model.regions[0].weight.transpose(), model.regions[1].weight.transpose(),
      -0.5 * model.regions[0].weight.transpose();
  return warp;
}

/// What check_model says of the small model after a change of its warp data.
template <class Change>
std::string warp_complaint(const Change& change) {
  return complaint([&](ReducedModel& model) {
    model.warp = small_warp(model);
    change(*model.warp);
  });
}

TEST(CheckModel, AcceptsWarpDataThatFit) {
  ReducedModel model = test::small_model();
  model.warp = small_warp(model);
  EXPECT_NO_THROW(check_model(model, "m.glb"));
  model.warp->lumps.moment *= 1.0 + 1e-8;
  EXPECT_NO_THROW(check_model(model, "m.glb"));
}

TEST(CheckModel, NamesArraysOfWarpDataOfTheWrongSize) {
  EXPECT_EQ(warp_complaint([](WarpData& w) { w.surface_rotations.resize(33, 4); }),
            "m.glb: warping: the array of rotations of the surface is 33 x 4, expected 36 x 4");
  EXPECT_EQ(warp_complaint([](WarpData& w) { w.lumps.region.pop_back(); }),
            "m.glb: warping: 2 regions for 3 lumps, expected one each");
  EXPECT_EQ(warp_complaint([](WarpData& w) { w.lumps.center.resize(3, 2); }),
            "m.glb: warping: the array of centers is 3 x 2, expected 3 x 3");
  EXPECT_EQ(warp_complaint([](WarpData& w) { w.lumps.moment.resize(9, 3); }),
            "m.glb: warping: the array of moments is 9 x 3, expected 9 x 4");
  EXPECT_EQ(warp_complaint([](WarpData& w) { w.lumps.rotations.resize(3, 4); }),
            "m.glb: warping: the array of rotations of the lumps is 3 x 4, expected 9 x 4");
}

TEST(CheckModel, NamesArraysOfWarpDataThatAreNotFinite) {
  EXPECT_EQ(
      warp_complaint([](WarpData& w) { w.surface_rotations(1, 2) = std::numeric_limits<float>::infinity(); }),
      "m.glb: warping: the array of rotations of the surface has entries that are not finite");
  EXPECT_EQ(warp_complaint([](WarpData& w) { w.lumps.volume(1) = nan; }),
            "m.glb: warping: the array of volumes has entries that are not finite");
  EXPECT_EQ(warp_complaint([](WarpData& w) { w.lumps.moment(4, 1) = nan; }),
            "m.glb: warping: the array of moments has entries that are not finite");
}

TEST(CheckModel, RefusesLumpsOfUnknownRegionsAndWithoutVolume) {
  EXPECT_EQ(warp_complaint([](WarpData& w) { w.lumps.region[2] = 2; }),
            "m.glb: warping: lump 2 is of region 2, but the model has regions 0 to 1");
  EXPECT_EQ(warp_complaint([](WarpData& w) { w.lumps.region[0] = -1; }),
            "m.glb: warping: lump 0 is of region -1, but the model has regions 0 to 1");
  EXPECT_EQ(warp_complaint([](WarpData& w) { w.lumps.volume(1) = 0.0; }),
            "m.glb: warping: the volume of lump 1 is 0, expected a positive number of m^3");
}

TEST(CheckModel, RefusesLumpsThatDoNotAddUpToTheWeightOfTheirRegion) {
  EXPECT_THAT(warp_complaint([](WarpData& w) { w.lumps.moment.middleRows<3>(3) *= 1.00001; }),
              HasSubstr("m.glb: warping: the moments of the lumps of region 1 miss its weight by "));
  EXPECT_THAT(warp_complaint([](WarpData& w) {
                w.lumps.region = {0, 0, 0};
              }),
              HasSubstr("m.glb: warping: the moments of the lumps of region 0 miss its weight by "));
}

}  // namespace
}  // namespace limber::model_test
