#include "limber/io/gltf.hpp"

#include "tests/io/gltf_support.hpp"
#include "tests/io/surface_support.hpp"

#include <numbers>

namespace limber::gltf_test {
namespace {

using nlohmann::json;
using test::GltfSample;
using test::Refusal;
using test::tetrahedron_sample;
using testing::ElementsAre;
using testing::HasSubstr;

SurfaceMesh parse(std::string_view content) { return parse_surface(content, "test.gltf"); }

TEST(Gltf, ReadsBackWhatItWritesExactlyWhereCoordinatesAreFloats) {
  SurfaceMesh surface = test::awkward_float_surface();
  surface.part = {0, 0, 1, 1};
  const SurfaceMesh read = parse(encode_glb(surface, "test.glb"));
  EXPECT_EQ(read.vertices, surface.vertices);
  EXPECT_EQ(read.triangles, surface.triangles);
  EXPECT_EQ(read.part, surface.part);
  EXPECT_EQ(read.parts, surface.parts);
}

TEST(Gltf, SortsTrianglesByPartWhenItWrites) {
  const SurfaceMesh surface = test::awkward_float_surface();  // parts 1 0 1 0
  const SurfaceMesh read = parse(encode_glb(surface, "test.glb"));
  EXPECT_EQ(read.triangles, surface.triangles(Eigen::all, {1, 3, 0, 2}));
  EXPECT_THAT(read.part, ElementsAre(0, 0, 1, 1));
}

TEST(Gltf, WritesIndicesOf32BitsWhereTheyAreNeeded) {
  SurfaceMesh surface = make_surface_mesh(Matrix3X::Random(3, 70000).cast<float>().cast<double>(),
                                          Eigen::Vector3i(0, 65535, 69999), "a");
  const SurfaceMesh read = parse(encode_glb(surface, "test.glb"));
  EXPECT_EQ(read.vertices, surface.vertices);
  EXPECT_EQ(read.triangles, surface.triangles);
}

TEST(Gltf, WriterRefusesWhatTheFormatCannotHold) {
  SurfaceMesh surface = test::awkward_surface();
  surface.vertices(1, 2) = 1e300;
  EXPECT_THAT(test::error_text([&] { encode_glb(surface, "test.glb"); }),
              HasSubstr("test.glb: vertex 2 has the coordinates"));
  surface = test::awkward_float_surface();
  surface.parts[0] = "\xff\xfe";
  EXPECT_THAT(test::error_text([&] { encode_glb(surface, "test.glb"); }), HasSubstr("not UTF-8"));
}

TEST(Gltf, ReadsBothContainers) {
  for (const std::string& content : {tetrahedron_sample().gltf(), tetrahedron_sample().glb()}) {
    const SurfaceMesh surface = parse(content);
    EXPECT_EQ(surface.vertex_count(), 4);
    EXPECT_NEAR(enclosed_volume(surface), 1.0 / 6.0, 1e-15);
  }
}

TEST(Gltf, ReadsIndicesOfEveryTypeAndNone) {
  const std::vector<std::uint16_t>& indices = test::tetrahedron_indices;
  GltfSample sample;
  const int position = sample.add_positions(test::tetrahedron_positions);
  const std::vector<int> accessors{
      sample.add_indices(5121, std::vector<std::uint8_t>(indices.begin(), indices.end())),
      sample.add_indices(5123, indices),
      sample.add_indices(5125, std::vector<std::uint32_t>(indices.begin(), indices.end()))};
  for (const int accessor : accessors) {
    sample.document["meshes"] = json::array();
    sample.add_mesh({{"attributes", {{"POSITION", position}}}, {"indices", accessor}});
    EXPECT_NEAR(enclosed_volume(parse(sample.gltf())), 1.0 / 6.0, 1e-15);
  }
  std::vector<float> soup;
  for (const std::uint16_t i : indices) {
    for (std::size_t axis = 0; axis < 3; ++axis) soup.push_back(test::tetrahedron_positions[3U * i + axis]);
  }
  const int soup_position = sample.add_positions(soup);
  sample.document["meshes"] = json::array();
  sample.add_mesh({{"attributes", {{"POSITION", soup_position}}}});
  EXPECT_EQ(parse(sample.gltf()).vertex_count(), 12);
  EXPECT_NEAR(enclosed_volume(parse(sample.gltf())), 1.0 / 6.0, 1e-15);
}

TEST(Gltf, ReadsStripsAndFans) {
  // A square strip, and a fan of three triangles around vertex 0.
  GltfSample sample;
  const int position = sample.add_positions({0, 0, 0, 1, 0, 0, 0, 1, 0, 1, 1, 0, -1, 1, 0});
  const int strip = sample.add_indices(5121, std::vector<std::uint8_t>{0, 1, 2, 3});
  const int fan = sample.add_indices(5121, std::vector<std::uint8_t>{0, 1, 3, 2, 4});
  sample.add_mesh({{"attributes", {{"POSITION", position}}}, {"indices", strip}, {"mode", 5}});
  sample.add_mesh({{"attributes", {{"POSITION", position}}}, {"indices", fan}, {"mode", 6}});
  sample.add_mesh({{"attributes", {{"POSITION", position}}}, {"mode", 0}});  // points
  const SurfaceMesh surface = parse(sample.gltf());
  EXPECT_EQ(surface.vertex_count(), 5) << "shared by all primitives";
  ASSERT_EQ(surface.triangle_count(), 5);
  const Eigen::Matrix3Xi expected =
      (Eigen::Matrix3Xi(3, 5) << 0, 1, 1, 3, 2, 1, 3, 3, 2, 4, 2, 2, 0, 0, 0).finished();
  EXPECT_EQ(surface.triangles, expected);
}

TEST(Gltf, DropsTrianglesThatOnlyJoinStrips) {
  GltfSample sample = tetrahedron_sample();
  const int strip = sample.add_indices(5121, std::vector<std::uint8_t>{0, 1, 2, 2, 3, 3, 0, 1});
  sample.document["meshes"][0]["primitives"][0].update({{"indices", strip}, {"mode", 5}});
  EXPECT_EQ(parse(sample.gltf()).triangle_count(), 2);
}

TEST(Gltf, ReadsAccessorsWithStrideAndOffset) {
  GltfSample sample;
  std::vector<float> interleaved{99, 99};  // then position and normal of each vertex
  for (std::size_t v = 0; v < 4; ++v) {
    for (std::size_t axis = 0; axis < 3; ++axis)
      interleaved.push_back(test::tetrahedron_positions[3 * v + axis]);
    interleaved.insert(interleaved.end(), {7, 7, 7});
  }
  const int view = sample.add_view(interleaved);
  sample.document["bufferViews"][0]["byteStride"] = 24;
  const int position = sample.add_accessor(5126, "VEC3", 4, {{"bufferView", view}, {"byteOffset", 8}});
  const int indices = sample.add_indices(5123, test::tetrahedron_indices);
  sample.add_mesh({{"attributes", {{"POSITION", position}}}, {"indices", indices}});
  EXPECT_NEAR(enclosed_volume(parse(sample.gltf())), 1.0 / 6.0, 1e-15);
}

TEST(Gltf, ReadsSparseAccessors) {
  GltfSample sample = tetrahedron_sample();
  const int indices = sample.add_view(std::vector<std::uint8_t>{1, 3});
  const int values = sample.add_view(std::vector<float>{2, 0, 0, 0, 0, 4});
  sample.document["accessors"][0]["sparse"] = {
      {"count", 2},
      {"indices", {{"bufferView", indices}, {"componentType", 5121}}},
      {"values", {{"bufferView", values}}}};
  const SurfaceMesh surface = parse(sample.gltf());
  EXPECT_EQ(surface.vertices.col(1), Vector3(2, 0, 0));
  EXPECT_EQ(surface.vertices.col(2), Vector3(0, 1, 0));
  EXPECT_EQ(surface.vertices.col(3), Vector3(0, 0, 4));
  sample.document["accessors"][0].erase("bufferView");  // zeros but for the two
  EXPECT_EQ(parse(sample.gltf()).vertices.col(2), Vector3::Zero());
}

TEST(Gltf, ReadsQuantizedPositions) {
  const std::vector<std::int16_t> shorts{0, 0,      0, 0, 32767, 0, 0,      0,
                                         0, -32767, 0, 0, 0,     0, -32768, 0};  // padded to 8
  for (const bool normalized : {true, false}) {
    GltfSample sample;
    const int view = sample.add_view(shorts);
    sample.document["bufferViews"][0]["byteStride"] = 8;
    const int position =
        sample.add_accessor(5122, "VEC3", 4, {{"bufferView", view}, {"normalized", normalized}});
    sample.add_mesh({{"attributes", {{"POSITION", position}}},
                     {"indices", sample.add_indices(5123, test::tetrahedron_indices)}});
    sample.document["extensionsRequired"] = {"KHR_mesh_quantization"};
    const SurfaceMesh surface = parse(sample.gltf());
    EXPECT_EQ(surface.vertices.col(1), Vector3(normalized ? 1.0 : 32767.0, 0, 0));
    EXPECT_EQ(surface.vertices.col(2), Vector3(0, normalized ? -1.0 : -32767.0, 0));
    EXPECT_EQ(surface.vertices.col(3), Vector3(0, 0, normalized ? -1.0 : -32768.0));
  }
}

TEST(Gltf, AppliesTheTransformsOfNodes) {
  GltfSample sample = tetrahedron_sample();
  const double h = std::numbers::sqrt2 / 2.0;
  sample.document["nodes"] = {
      {{"children", {1}},
       {"translation", {10, 0, 0}},
       {"rotation", {0, 0, h, h}}},  // a quarter turn around z
      {{"mesh", 0}, {"name", "a"}, {"matrix", {2, 0, 0, 0, 0, 3, 0, 0, 0, 0, 4, 0, 1, 0, 0, 1}}}};
  const SurfaceMesh surface = parse(sample.gltf());
  const Matrix3X expected = (Matrix3X(3, 4) << 10, 10, 7, 10, 1, 3, 1, 1, 0, 0, 0, 4).finished();
  EXPECT_LT((surface.vertices - expected).norm(), 1e-14);
  EXPECT_NEAR(enclosed_volume(surface), 4.0, 1e-13);
}

TEST(Gltf, KeepsTrianglesTurnedOutwardUnderMirrors) {
  GltfSample sample = tetrahedron_sample();
  sample.document["nodes"][0]["scale"] = {-2, 1, 1};
  EXPECT_NEAR(enclosed_volume(parse(sample.gltf())), 1.0 / 3.0, 1e-15);
}

TEST(Gltf, ReadsAMeshOnceForEachNodeThatShowsIt) {
  GltfSample sample = tetrahedron_sample();
  sample.document["nodes"] = {{{"mesh", 0}, {"name", "left"}},
                              {{"mesh", 0}, {"name", "right"}, {"translation", {5, 0, 0}}},
                              {{"mesh", 0}, {"name", "not in the scene"}}};
  sample.document["scenes"][0]["nodes"] = {0, 1};
  const SurfaceMesh surface = parse(sample.gltf());
  EXPECT_EQ(surface.vertex_count(), 8);
  EXPECT_EQ(surface.triangle_count(), 8);
  EXPECT_THAT(surface.parts, ElementsAre("left", "right"));
  EXPECT_NEAR(enclosed_volume(surface), 1.0 / 3.0, 1e-14);
}

TEST(Gltf, NamesPartsByNodesElseByMeshes) {
  GltfSample sample = tetrahedron_sample();
  EXPECT_THAT(parse(sample.gltf()).parts, ElementsAre(""));
  sample.document["meshes"][0]["name"] = "mesh";
  EXPECT_THAT(parse(sample.gltf()).parts, ElementsAre("mesh"));
  sample.document["nodes"][0]["name"] = "node";
  EXPECT_THAT(parse(sample.gltf()).parts, ElementsAre("node"));
}

TEST(Gltf, ReadsAllNodesWithoutScenesAndAllMeshesWithoutNodes) {
  GltfSample sample = tetrahedron_sample();
  sample.document["nodes"] = {{{"children", {1}}}, {{"mesh", 0}}, {{"mesh", 0}, {"translation", {0, 0, 9}}}};
  sample.document.erase("scenes");
  sample.document.erase("scene");
  EXPECT_EQ(parse(sample.gltf()).triangle_count(), 8);
  sample.document.erase("nodes");
  EXPECT_EQ(parse(sample.gltf()).triangle_count(), 4);
}

TEST(Gltf, ReadsTheSceneThatIsChosen) {
  GltfSample sample = tetrahedron_sample();
  sample.document["nodes"].push_back({{"mesh", 0}, {"name", "other"}});
  sample.document["scenes"].push_back({{"nodes", {1}}});
  sample.document["scene"] = 1;
  EXPECT_THAT(parse(sample.gltf()).parts, ElementsAre("other"));
}

TEST(Gltf, LeavesSkinnedMeshesWhereTheyAreBound) {
  GltfSample sample = tetrahedron_sample();
  sample.document["nodes"][0].update({{"translation", {7, 7, 7}}, {"skin", 0}});
  EXPECT_EQ(parse(sample.gltf()).vertices.col(1), Vector3(1, 0, 0));
}

TEST(Gltf, ReadsDataInFilesBesideIt) {
  const test::ScratchFolder folder;
  GltfSample sample = tetrahedron_sample();
  sample.document["buffers"] = json::array({{{"byteLength", sample.bytes.size()}, {"uri", "my%20data.bin"}}});
  write_file(folder / "a.gltf", sample.document.dump());
  write_file(folder / "my data.bin", sample.bytes);
  EXPECT_EQ(read_surface(folder / "a.gltf").triangle_count(), 4);
  std::filesystem::remove(folder / "my data.bin");
  EXPECT_THAT(test::error_text([&] { read_surface(folder / "a.gltf"); }),
              HasSubstr("my data.bin: no such file"));
  EXPECT_THAT(test::surface_error(sample.document.dump(), "a.gltf"),
              HasSubstr("buffers[0].uri: the data is in another file, 'my data.bin'"));
}

TEST(Gltf, ReadsSamplesOfVtk) {
  for (const std::string_view name : {"vtk_inline.gltf", "vtk_external.gltf"}) {
    const SurfaceMesh surface = read_surface(test::surface_sample(name));
    EXPECT_EQ(surface.triangle_count(), 24) << name;
    EXPECT_EQ(surface.parts.size(), 2U) << name;
    EXPECT_NEAR(enclosed_volume(surface), 3.0, 1e-6) << name;
    EXPECT_NEAR(surface_area(surface), 16.0, 1e-6) << name;
  }
}

TEST(Gltf, SurvivesDamage) {
  test::expect_survives_damage(tetrahedron_sample().glb(), "test.glb");
  test::expect_survives_damage(tetrahedron_sample().gltf(), "test.gltf");
}

TEST(Gltf, IsRefusedWhereverItIsCutOff) {
  for (const std::string& content : {tetrahedron_sample().glb(), tetrahedron_sample().gltf()}) {
    for (std::size_t length = 0; length < content.size(); ++length) {
      EXPECT_THROW(parse(std::string_view(content).substr(0, length)), Error) << length << " bytes";
    }
  }
}

/// The tetrahedron with one value changed; the pointer is one of RFC 6901.
std::string changed(const std::string& pointer, json value) {
  GltfSample sample = tetrahedron_sample();
  sample.document[json::json_pointer(pointer)] = std::move(value);
  return sample.gltf();
}

std::string without(const std::string& parent, const std::string& key) {
  GltfSample sample = tetrahedron_sample();
  sample.document[json::json_pointer(parent)].erase(key);
  return sample.gltf();
}

std::string with_buffer(json buffer) {
  GltfSample sample = tetrahedron_sample();
  sample.document["buffers"] = json::array({std::move(buffer)});
  return sample.document.dump();
}

std::string with_position(float value) {
  GltfSample sample = tetrahedron_sample();
  sample.bytes.replace(16, 4, std::string(reinterpret_cast<const char*>(&value), 4));
  return sample.gltf();
}

std::string with_sparse(json sparse) {
  GltfSample sample = tetrahedron_sample();
  sample.add_view(std::vector<std::uint8_t>{9, 1, 2, 3});
  sample.document["accessors"][0]["sparse"] = std::move(sparse);
  return sample.gltf();
}

std::string nested_scales() {
  GltfSample sample = tetrahedron_sample();
  sample.document["nodes"] = {{{"children", {1}}, {"scale", {1e200, 1, 1}}},
                              {{"mesh", 0}, {"scale", {1e200, 1, 1}}}};
  return sample.gltf();
}

std::string draco_primitive() {
  GltfSample sample = tetrahedron_sample();
  sample.document["meshes"][0]["primitives"][0]["extensions"] = {
      {"KHR_draco_mesh_compression", {{"bufferView", 0}}}};
  for (json& accessor : sample.document["accessors"]) accessor.erase("bufferView");
  return sample.gltf();
}

std::string many_instances() {
  GltfSample sample = tetrahedron_sample();
  // 400 nodes of 400 primitives of 12,000 triangles each, if it were believed
  const int strip = sample.add_indices(5121, std::vector<std::uint8_t>(36000, 1));
  sample.document["meshes"][0]["primitives"][0]["indices"] = strip;
  const json primitive = sample.document["meshes"][0]["primitives"][0];
  sample.document["meshes"][0]["primitives"] = std::vector<json>(400, primitive);
  sample.document["nodes"] = std::vector<json>(400, {{"mesh", 0}});
  sample.document.erase("scenes");
  sample.document.erase("scene");
  return sample.gltf();
}

class GltfRefusal : public testing::TestWithParam<Refusal> {};

TEST_P(GltfRefusal, SaysWhatAndWhere) { test::expect_refused(GetParam(), "test.gltf"); }

INSTANTIATE_TEST_SUITE_P(
    Documents, GltfRefusal,
    testing::Values(
        Refusal{"Empty", "", "is empty"}, Refusal{"NoJson", "{\"asset\": ", "line 1, column"},
        Refusal{"NoVersion", "{\"asset\": {}}", "asset: 'version' is missing"},
        Refusal{"OldVersion", "{\"asset\": {\"version\": \"1.0\"}}",
                "asset.version: glTF 1.0 is not read, expected 2.0"},
        Refusal{"NoMeshes", "{\"asset\": {\"version\": \"2.0\"}}", "has no meshes"},
        Refusal{"NothingInTheScene", changed("/scenes/0/nodes", json::array()),
                "has no triangles in its scene"},
        Refusal{"NoPrimitives", without("/meshes/0", "primitives"), "meshes[0]: 'primitives' is missing"},
        Refusal{"NoPosition", changed("/meshes/0/primitives/0/attributes", json::object()),
                "meshes[0].primitives[0].attributes: 'POSITION' is missing"},
        Refusal{"UnknownMode", changed("/meshes/0/primitives/0/mode", 9),
                "meshes[0].primitives[0].mode: expected an integer from 0 to 6, found 9"},
        Refusal{"OddCorners", changed("/accessors/1/count", 11),
                "meshes[0].primitives[0]: 11 corners of triangles, expected a multiple of 3"},
        Refusal{"PositionsOfTwo", changed("/accessors/0/type", "VEC2"),
                "accessors[0]: expected VEC3 for POSITION"},
        Refusal{"UnknownShape", changed("/accessors/0/type", "VEC9"), "accessors[0].type: expected SCALAR"},
        Refusal{"UnknownType", changed("/accessors/0/componentType", 5124),
                "accessors[0].componentType: expected one of"},
        Refusal{"SignedIndices", changed("/accessors/1/componentType", 5122),
                "accessors[1]: expected indices"},
        Refusal{"NormalizedFloats", changed("/accessors/0/normalized", true), "accessors[0]: is normalized"},
        Refusal{"ManyElements", changed("/accessors/0/count", 1000000000),
                "accessors[0]: needs 12000000000 bytes from byte 0 on, but its buffer view has 48"},
        Refusal{"ManyIndices", changed("/accessors/1/count", 1000000002),
                "accessors[1]: needs 2000000004 bytes from byte 0 on, but its buffer view has 24"},
        Refusal{"AbsurdCount", changed("/accessors/0/count", 99999999999),
                "accessors[0].count: expected an integer from 1"},
        Refusal{"NegativeCount", changed("/accessors/0/count", -1),
                "accessors[0].count: expected an integer from 1"},
        Refusal{"NoElements", changed("/accessors/0/count", 0),
                "accessors[0].count: expected an integer from 1"},
        Refusal{"TextAsCount", changed("/accessors/0/count", "4"), "found \"4\""},
        Refusal{"ManyZeros",
                changed("/accessors/0", {{"componentType", 5126}, {"type", "VEC3"}, {"count", 50000000}}),
                "accessors[0]: 50000000 elements without a buffer view"},
        Refusal{"OffsetBeyondTheView", changed("/accessors/0/byteOffset", 4),
                "accessors[0]: needs 48 bytes from byte 4 on"},
        Refusal{"SmallStride", changed("/bufferViews/0/byteStride", 8),
                "accessors[0]: elements of 12 bytes, but the view has a stride of 8"},
        Refusal{"LargeStride", changed("/bufferViews/0/byteStride", 1024),
                "bufferViews[0].byteStride: expected"},
        Refusal{"ViewBeyondTheBuffer", changed("/bufferViews/0/byteLength", 4800),
                "bufferViews[0]: bytes 0 to 4800, but buffer 0 has 72"},
        Refusal{"NoSuchView", changed("/accessors/0/bufferView", 7),
                "accessors[0].bufferView: expected an integer from 0 to 1"},
        Refusal{"NoSuchBuffer", changed("/bufferViews/0/buffer", 7),
                "bufferViews[0].buffer: expected an integer from 0 to 0"},
        Refusal{"NoSuchAccessor", changed("/meshes/0/primitives/0/indices", 7),
                "meshes[0].primitives[0].indices: expected an integer from 0 to 1, found 7"},
        Refusal{"NoSuchMesh", changed("/nodes/0/mesh", -1),
                "nodes[0].mesh: expected an integer from 0 to 0, found -1"},
        Refusal{"NoSuchNode", changed("/scenes/0/nodes", {3}),
                "scenes[0].nodes[0]: expected an integer from 0 to 0, found 3"},
        Refusal{"NoSuchScene", changed("/scene", 3), "scene: expected an integer from 0 to 0, found 3"},
        Refusal{"IndexOutOfRange", changed("/accessors/0/count", 3),
                "accessors[1]: element 5 is index 3, expected 0 to 2"},
        Refusal{"NotANumber", with_position(std::nanf("")), "accessors[0]: element 1 is not finite"},
        Refusal{"Infinite", with_position(HUGE_VALF), "accessors[0]: element 1 is not finite"},
        Refusal{"Cycle", changed("/nodes/0/children", {0}),
                "nodes[0]: has two parents or is its own ancestor"},
        Refusal{"ShortMatrix", changed("/nodes/0/matrix", {1, 0, 0}),
                "nodes[0].matrix: expected 16 numbers, found 3"},
        Refusal{"Projection", changed("/nodes/0/matrix", {1, 0, 0, 1, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1}),
                "nodes[0].matrix: expected 0 0 0 1 as the last row"},
        Refusal{"NoRotation", changed("/nodes/0/rotation", {0, 0, 0, 0}),
                "nodes[0].rotation: expected a unit quaternion"},
        Refusal{"TextInScale", changed("/nodes/0/scale", {1, "x", 1}),
                "nodes[0].scale[1]: expected a number, found \"x\""},
        Refusal{"BeyondDoubles",
                changed("/nodes/0/matrix", {1e308, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 1e308, 0, 0, 1}),
                "vertex 0 has the coordinates (1e+308, 0, 0), expected at most 1e+30 m; scale the mesh"},
        Refusal{"TransformBeyondDoubles", nested_scales(),
                "nodes[1]: its transform is beyond the range of numbers"},
        Refusal{
            "Draco", changed("/extensionsRequired", {"KHR_draco_mesh_compression"}),
            "extensionsRequired[0]: the meshes are compressed (KHR_draco_mesh_compression); export without"},
        Refusal{"Meshopt", changed("/extensionsRequired", {"EXT_meshopt_compression"}),
                "the meshes are compressed (EXT_meshopt_compression)"},
        Refusal{"DracoPrimitive", draco_primitive(),
                "meshes[0].primitives[0]: is compressed (KHR_draco_mesh_compression)"},
        Refusal{"MeshoptView",
                changed("/bufferViews/0/extensions", {{"EXT_meshopt_compression", json::object()}}),
                "bufferViews[0]: is compressed (EXT_meshopt_compression)"},
        Refusal{"UnknownExtension", changed("/extensionsRequired", {"ACME_shapes"}),
                "the file needs the extension 'ACME_shapes'"},
        Refusal{"Instancing", changed("/nodes/0/extensions", {{"EXT_mesh_gpu_instancing", json::object()}}),
                "nodes[0]: instances in attributes (EXT_mesh_gpu_instancing) are not read"},
        Refusal{"ManyInstances", many_instances(),
                "more than 200000000 vertices and corners, counting every instance"},
        Refusal{"SparseOutOfRange",
                with_sparse({{"count", 1},
                             {"indices", {{"bufferView", 2}, {"componentType", 5121}}},
                             {"values", {{"bufferView", 0}}}}),
                "accessors[0].sparse.indices: names element 9, but the accessor has 4"},
        Refusal{"SparseSigned",
                with_sparse({{"count", 1},
                             {"indices", {{"bufferView", 2}, {"componentType", 5120}}},
                             {"values", {{"bufferView", 0}}}}),
                "accessors[0].sparse.indices: expected unsigned integers"},
        Refusal{"SparseTooMany", with_sparse({{"count", 5}}),
                "accessors[0].sparse.count: expected an integer from 1 to 4"},
        Refusal{"SparseBeyondTheView",
                with_sparse({{"count", 2},
                             {"indices", {{"bufferView", 2}, {"componentType", 5125}}},
                             {"values", {{"bufferView", 0}}}}),
                "accessors[0].sparse.indices: needs 8 bytes from byte 0 on"},
        Refusal{"BufferTooShort", with_buffer({{"byteLength", 72}, {"uri", "data:;base64,AAAA"}}),
                "buffers[0]: byteLength is 72, but there are 3 bytes"},
        Refusal{"HugeBuffer", with_buffer({{"byteLength", 1000000000000}, {"uri", "data:;base64,AAAA"}}),
                "but there are 3 bytes"},
        Refusal{"NoBase64", with_buffer({{"byteLength", 72}, {"uri", "data:;base64,A?AA"}}),
                "buffers[0].uri: expected data in base 64"},
        Refusal{"OtherData", with_buffer({{"byteLength", 72}, {"uri", "data:text/plain,abc"}}),
                "buffers[0].uri: expected data in base 64"},
        Refusal{"NoComma", with_buffer({{"byteLength", 72}, {"uri", "data:;base64"}}),
                "buffers[0].uri: expected data in base 64"},
        Refusal{"NoUri", with_buffer({{"byteLength", 72}}), "buffers[0]: has no uri"},
        Refusal{"FileAbove", with_buffer({{"byteLength", 72}, {"uri", "../a.bin"}}),
                "buffers[0].uri: expected a file in the folder"},
        Refusal{"FileAboveInDisguise", with_buffer({{"byteLength", 72}, {"uri", "a/%2e%2E/%2e./a.bin"}}),
                "expected a file in the folder"},
        Refusal{"AbsoluteFile", with_buffer({{"byteLength", 72}, {"uri", "/etc/passwd"}}),
                "expected a file in the folder"},
        Refusal{"WebAddress", with_buffer({{"byteLength", 72}, {"uri", "http://a.b/c.bin"}}),
                "expected a file in the folder"},
        Refusal{"BadPercent", with_buffer({{"byteLength", 72}, {"uri", "a%2"}}),
                "expected a file in the folder"}),
    test::name_of_refusal);

std::string with_word(std::size_t at, std::uint32_t value) {
  std::string content = tetrahedron_sample().glb();
  std::string bytes;
  append_number(bytes, value, ByteOrder::little);
  return content.replace(at, 4, bytes);
}

INSTANTIATE_TEST_SUITE_P(
    Containers, GltfRefusal,
    testing::Values(
        Refusal{"OnlyMagic", "glTF", "byte 4: the file ends in its header"},
        Refusal{"OtherVersion", with_word(4, 1), "byte 4: the container has version 1, expected 2"},
        Refusal{"OtherLength", with_word(8, 4000000000U),
                "byte 8: announces 4000000000 bytes, but the file has"},
        Refusal{"LongChunk", with_word(12, 4000000000U), "byte 12: a chunk of 4000000000 bytes, but only"},
        Refusal{"NoJsonFirst", with_word(16, 7), "byte 12: expected the JSON chunk first"},
        Refusal{"DamagedJson", with_word(20, 0x20202020), "JSON chunk: line 1, column"}),
    test::name_of_refusal);

}  // namespace
}  // namespace limber::gltf_test
