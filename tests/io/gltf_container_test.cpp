#include "limber/io/gltf_container.hpp"

#include "limber/base/error.hpp"
#include "tests/io/gltf_support.hpp"
#include "tests/support/files.hpp"

#include <gmock/gmock.h>

namespace limber::gltf_container_test {
namespace {

using nlohmann::json;
using test::GltfSample;

/// The accessor of that number.
Eigen::MatrixXd read(const GltfContainer& container, int accessor) {
  const json number = accessor;
  return container.read(JsonValue(number, "accessor", "test.glb"));
}

TEST(GltfContainer, ReadsBackWhatTheBuilderStores) {
  GlbBuilder builder;
  std::vector<Eigen::MatrixXf> arrays;
  for (Eigen::Index rows = 1; rows <= 4; ++rows) {
    arrays.emplace_back(Eigen::MatrixXf::Random(rows, 5));
    EXPECT_EQ(builder.add_floats(arrays.back(), rows == 3), static_cast<int>(rows - 1));
  }
  const std::vector<std::uint32_t> small{0, 7, 65534};
  const std::vector<std::uint32_t> large{0, 7, 65535};
  EXPECT_EQ(builder.add_indices(small), 4);
  EXPECT_EQ(builder.add_indices(large), 5);
  builder.document["extras"] = {{"answer", 42}};
  const std::string content = builder.encode("test.glb");

  EXPECT_EQ(content.size() % 4, 0U);
  const GltfContainer container(content, "test.glb", {});
  EXPECT_EQ(container.root().at("extras").at("answer").integer(0, 100), 42);
  for (std::size_t i = 0; i < arrays.size(); ++i) {
    EXPECT_EQ(read(container, static_cast<int>(i)), arrays[i].cast<double>()) << i;
  }
  const auto indices = [&](int accessor) {
    const json number = accessor;
    return container.read_indices(JsonValue(number, "accessor", "test.glb"), 70000);
  };
  EXPECT_EQ(indices(4), small);
  EXPECT_EQ(indices(5), large);
}

TEST(GltfContainer, SaysTheRangeOfWhatItStores) {
  GlbBuilder builder;
  builder.add_floats((Eigen::MatrixXf(2, 3) << 1, -2, 3, 0.5, 0.25, 0.125).finished(), false);
  EXPECT_EQ(builder.document["accessors"][0]["min"], json({-2.0, 0.125}));
  EXPECT_EQ(builder.document["accessors"][0]["max"], json({3.0, 0.5}));
}

TEST(GltfContainer, ReadsNormalizedIntegersAsWhatTheyStandFor) {
  GltfSample sample;
  sample.add_accessor(
      5120, "SCALAR", 4,
      {{"bufferView", sample.add_view(std::vector<std::int8_t>{-128, -127, 0, 127})}, {"normalized", true}});
  sample.add_accessor(
      5121, "SCALAR", 2,
      {{"bufferView", sample.add_view(std::vector<std::uint8_t>{51, 255})}, {"normalized", true}});
  sample.add_accessor(
      5123, "SCALAR", 2,
      {{"bufferView", sample.add_view(std::vector<std::uint16_t>{0, 65535})}, {"normalized", true}});
  const std::string content = sample.glb();
  const GltfContainer container(content, "test.glb", {});
  EXPECT_EQ(read(container, 0), Eigen::RowVector4d(-1, -1, 0, 1));
  EXPECT_EQ(read(container, 1), Eigen::RowVector2d(0.2, 1));
  EXPECT_EQ(read(container, 2), Eigen::RowVector2d(0, 1));
}

TEST(GltfContainer, StartsTheColumnsOfMatricesAtMultiplesOfFourBytes) {
  GltfSample sample;
  sample.add_accessor(
      5121, "MAT3", 1,
      {{"bufferView", sample.add_view(std::vector<std::uint8_t>{1, 2, 3, 0, 4, 5, 6, 0, 7, 8, 9, 0})}});
  const std::string content = sample.glb();
  const Eigen::MatrixXd values = read(GltfContainer(content, "test.glb", {}), 0);
  EXPECT_EQ(values, Eigen::VectorXd::LinSpaced(9, 1, 9));
}

TEST(GltfContainer, IgnoresChunksItDoesNotKnow) {
  std::string content = test::tetrahedron_sample().glb();
  append_number(content, std::uint32_t{4}, ByteOrder::little);
  content += "ABCDdata";
  std::string length;
  append_number(length, static_cast<std::uint32_t>(content.size()), ByteOrder::little);
  content.replace(8, 4, length);
  EXPECT_EQ(read(GltfContainer(content, "test.glb", {}), 0).cols(), 4);
}

TEST(GlbBuilder, RefusesWhatAnAccessorCannotHold) {
  GlbBuilder builder;
  for (const Eigen::MatrixXf& values :
       {Eigen::MatrixXf(Eigen::MatrixXf::Zero(5, 1)), Eigen::MatrixXf(Eigen::MatrixXf::Zero(3, 0)),
        Eigen::MatrixXf(Eigen::MatrixXf::Constant(1, 1, std::nanf("")))}) {
    EXPECT_THAT(test::error_text([&] { builder.add_floats(values, false); }),
                testing::HasSubstr("1 to 4 finite numbers"));
  }
}

}  // namespace
}  // namespace limber::gltf_container_test
