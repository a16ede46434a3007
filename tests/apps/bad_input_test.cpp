#include "limber/io/gmsh_writer.hpp"
#include "tests/apps/support.hpp"

#include <nlohmann/json.hpp>

#include <functional>

namespace limber::bad_input_test {
namespace {

using nlohmann::json;
using test::contains;
using test::expect_refused;
using test::run_limber;
using test::ScratchFolder;

/// A case of bad input: what is wrong with an otherwise good scene or mesh, and what the message must hold.
struct BadInput {
  std::string name;
  std::string message;
  std::function<void(json&)> spoil_scene = [](json&) {};
  std::function<void(std::string&)> spoil_mesh = [](std::string&) {};
};

json good_scene() {
  return json::parse(R"({
    "bodies": [{"mesh": "body.msh", "material": {"young": 2e6, "poisson": 0.35},
                "fixed": {"vertices": [0, 1, 2]}, "loads": [{"vertices": [3], "force": [0, 0, -1]}]}],
    "output": {"displacements": "u.csv", "vtu": "frames", "picture": "p.png"}})");
}

constexpr std::string_view good_mesh = R"($MeshFormat
2.2 0 8
$EndMeshFormat
$Nodes
4
1 0 0 0
2 1 0 0
3 0 1 0
4 0 0 1
$EndNodes
$Elements
1
1 4 2 1 1 1 2 3 4
$EndElements
)";

void replace(std::string& text, std::string_view old_part, std::string_view new_part) {
  const std::size_t found = text.find(old_part);
  ASSERT_NE(found, std::string::npos) << old_part;
  text.replace(found, old_part.size(), new_part);
}

std::function<void(std::string&)> replacing(std::string old_part, std::string new_part) {
  return [=](std::string& text) { replace(text, old_part, new_part); };
}

std::vector<BadInput> bad_inputs() {
  const auto keep = [](json&) {};
  return {
      {"UnknownKey", "unknown key 'yuong'; did you mean 'young'?",
       [](json& s) { s["bodies"][0]["material"]["yuong"] = 1; }},
      {"UnknownLaw", "stvk", [](json& s) { s["bodies"][0]["material"]["law"] = "stvkk"; }},
      {"PoissonOneHalf", "poisson", [](json& s) { s["bodies"][0]["material"]["poisson"] = 0.5; }},
      {"PoissonMinusOne", "poisson", [](json& s) { s["bodies"][0]["material"]["poisson"] = -1; }},
      {"NothingHolds", "nothing holds", [](json& s) { s["bodies"][0].erase("fixed"); }},
      {"HeldByOneLine", "nothing holds",
       [](json& s) {
         s["bodies"][0]["fixed"]["vertices"] = {0, 1};
       }},
      {"MissingMesh", "other.msh: no such file", [](json& s) { s["bodies"][0]["mesh"] = "other.msh"; }},
      {"UnknownBuiltin", "did you mean 'beam'?", [](json& s) { s["bodies"][0]["mesh"] = "builtin:baem"; }},
      {"FixedVertexOutOfRange", "vertex 4 does not exist",
       [](json& s) {
         s["bodies"][0]["fixed"]["vertices"] = {0, 1, 2, 4};
       }},
      {"LoadedVertexOutOfRange", "vertex 99 does not exist",
       [](json& s) { s["bodies"][0]["loads"][0]["vertices"] = {99}; }},
      {"OutputFolderMissing", "the folder", [](json& s) { s["output"]["displacements"] = "missing/u.csv"; }},
      {"OutputIsAFolder", "is a folder", [](json& s) { s["output"]["displacements"] = "."; }},
      {"OutputFolderIsAFile", "is a file", [](json& s) { s["output"]["vtu"] = "body.msh/frames"; }},
      {"OutputNotWritable", "takes no new files", [](json& s) { s["output"]["picture"] = "/proc/p.png"; }},
      {"PictureIsNoPng", ".png", [](json& s) { s["output"]["picture"] = "p.jpg"; }},
      {"TimestepMissing", "timestep",
       [](json& s) {
         s["solver"] = {{"type", "dynamic"}, {"steps", 5}};
       }},
      {"DegenerateElement", "element 0 is degenerate", keep, replacing("4 0 0 1\n", "4 1 1 0\n")},
      {"IndexOutOfRange", "body.msh", keep, replacing("1 2 3 4\n$End", "1 2 3 77\n$End")},
      {"NanCoordinate", "body.msh", keep, replacing("3 0 1 0\n", "3 0 nan 0\n")},
      {"EmptyMesh", "is empty", keep, [](std::string& m) { m.clear(); }},
      {"TruncatedMesh", "body.msh", keep, [](std::string& m) { m.resize(m.find("3 0 1 0")); }},
      {"AbsurdlySizedMesh", "body.msh", keep, replacing("$Nodes\n4\n", "$Nodes\n4000000000000\n")},
      {"NoMeshAtAll", "body.msh", keep, [](std::string& m) { m = "hello\n"; }},
  };
}

class BadInputTest : public testing::TestWithParam<BadInput> {};

TEST_P(BadInputTest, IsRefusedInOneLine) {
  const ScratchFolder folder;
  json scene = good_scene();
  std::string mesh(good_mesh);
  GetParam().spoil_scene(scene);
  GetParam().spoil_mesh(mesh);
  write_file(folder / "body.msh", mesh);
  write_file(folder / "scene.json", scene.dump());
  expect_refused(folder, "simulate scene.json --json", GetParam().message);
}

INSTANTIATE_TEST_SUITE_P(Simulate, BadInputTest, testing::ValuesIn(bad_inputs()),
                         [](const auto& test) { return test.param.name; });

TEST(GoodInput, IsAcceptedUnspoilt) {
  const ScratchFolder folder;
  write_file(folder / "body.msh", good_mesh);
  write_file(folder / "scene.json", good_scene().dump());
  const auto result = run_limber(folder.path(), "simulate scene.json");
  EXPECT_EQ(result.status, 0) << result.err;
}

TEST(BadScene, IsRefusedInOneLine) {
  const ScratchFolder folder;
  expect_refused(folder, "simulate missing.json", "missing.json: no such file");
  expect_refused(folder, "simulate .", "is a folder");
  for (const std::string text :
       {"", "{", "{\"bodies\": [}", "[1, 2]", "{\"bodies\": []}", "{\"bodies\": 1e999}"}) {
    write_file(folder / "scene.json", text);
    expect_refused(folder, "simulate scene.json", "scene.json");
  }
}

TEST(BadModel, IsNeitherServedNorExported) {
  const ScratchFolder folder;
  const std::string forged = "glTF" + std::string(40, '\xFF');
  for (const std::string& text : {std::string(), std::string("hello"), forged}) {
    write_file(folder / "m.glb", text);
    expect_refused(folder, "view m.glb --no-open", "m.glb");
    expect_refused(folder, "export m.glb -o page.html", "m.glb");
    expect_refused(folder, "export m.glb -o page.html --small", "m.glb");
  }
}

TEST(BadUsage, IsRefusedInOneLine) {
  const ScratchFolder folder;
  const std::string modes = fmt::format("modes '{}' ", test::tiny_beam_name);
  expect_refused(folder, "", "no command given");
  expect_refused(folder, "simulat scene.json", "did you mean 'simulate'?");
  expect_refused(folder, "--vresion", "did you mean '--version'?");
  expect_refused(folder, "modes", "MESH is required");
  expect_refused(folder, "modes --cuont 3", "did you mean '--count'?");
  expect_refused(folder, modes + "--count 3 --count 4", "see limber modes --help");
  expect_refused(folder, "modes builtin:oak", "bodies of the methods 'reduced' and 'linear' take it");
  expect_refused(folder, "reduce builtin:station --free -o s.glb",
                 "--free: nothing holds builtin:station anyway");
  expect_refused(folder, "simulate a.json b.json", "unknown argument 'b.json'");
  expect_refused(folder, modes + "--young stiff", "--young");
  for (const char* young : {"-5", "nan", "1e400", "1e21", "0"})
    expect_refused(folder, modes + "--young " + young,
                   fmt::format("--young: Value {} not in range 1e-20 to 1e+20", young));
  expect_refused(folder, modes + "--poisson 0.5", "--poisson: Poisson's ratio is 0.5");
  expect_refused(folder, modes + "--poisson -1", "Poisson's ratio is -1");
  expect_refused(folder, modes + "--poisson nan", "Poisson's ratio");
  expect_refused(folder, modes + "--density 0", "ensity");
  expect_refused(folder, modes + "--mass lumpd", "did you mean 'lumped'?");
  expect_refused(folder, modes + "--law stvk", "modes: unknown option '--law'");
  expect_refused(folder, "reduce builtin:beam -o m.glb --rank 201",
                 "--rank: Value 201 not in range 1 to 200");
  expect_refused(folder, "simulate m.glb -o a.glb --ground abc",
                 "--ground: expected a number, found 'abc'; see limber simulate --help");
  expect_refused(folder, "simulate m.glb -o a.glb --gravity 0,0,down",
                 "--gravity: expected numbers, found '");
  expect_refused(folder, "reduce builtin:beam -o m.glb --seed 1.5",
                 "--seed: expected an integer within range");
  expect_refused(folder, modes + "--count 0", "--count: Value 0 not in range 1 to 1000000");
  expect_refused(folder, modes + "--count 1000", "1000 modes");
  expect_refused(folder, "verify m.glb --gradient nan", "--gradient: Value nan not in range 1e-06 to 1000");
  expect_refused(folder, "simulate m.glb -o a.glb --throttle nan", "--throttle: Value nan not in range");
  expect_refused(folder, modes + "--fixed-vertices 0,x", "'x' is not a vertex number");
  expect_refused(folder, modes + "--fixed-vertices 0,16", "vertex 16 does not exist");
  expect_refused(folder, modes + "--fixed-where 'x < -1'", "chooses no vertex");
  expect_refused(folder, modes + "--threads -1", "--threads");
  expect_refused(folder, modes + "--count ''", "modes: --count is empty");
  expect_refused(folder, modes + "--picture ''", "modes: --picture is empty");
  expect_refused(folder, "inspect ''", "inspect: FILE is empty");
  expect_refused(folder, modes + "-o modes.obj", ".vtu");
  expect_refused(folder, modes + "-o missing/modes.vtu", "the folder");
  expect_refused(folder, "inspect missing.msh", "no such file");
  expect_refused(folder, "inspect builtin:bem", "did you mean 'beam'?");
  expect_refused(folder, "demo -o /proc/demo", "/proc/demo");
  expect_refused(folder, "view missing.glb", "missing.glb: no such file");
  expect_refused(folder, "view --port 65536", "--port");
  expect_refused(folder, "view --prot 80", "did you mean '--port'?");
  expect_refused(folder, "inspect beam.msh --unit cm", "unknown option '--unit'; see limber inspect --help");
  for (const char* command : {"export beam.msh -o page.html", "view beam.msh", "simulate beam.msh"})
    expect_refused(folder, fmt::format("{} --contact", command),
                   "'--contact'; it is for limber reduce: reduce the body with it, and name the model here");
  expect_refused(folder, "export", "BODY is required");
  expect_refused(folder, "export m.glb", "--output is required");
  expect_refused(folder, "export missing.glb -o page.html", "missing.glb: no such file");
  expect_refused(folder, "export missing.glb -o page.pdf", ".html");
  expect_refused(folder, "export missing.glb -o missing/page.html", "the folder");
}

TEST(OtherFiles, InPlaceOfASceneAreCalledWhatTheyAre) {
  const ScratchFolder folder;
  write_gmsh(folder / "body.msh", test::tiny_beam());
  ASSERT_EQ(run_limber(folder.path(), "reduce body.msh --fixed-where 'x < 0.01' --rank 2 -o m.glb").status,
            0);
  write_file(folder / "face.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n");
  for (const char* command : {"simulate", "compare"}) {
    expect_refused(folder, fmt::format("{} body.msh", command),
                   "body.msh: is a mesh, expected a scene (.json)");
    expect_refused(
        folder, fmt::format("{} face.obj", command),
        "face.obj: is a surface, expected a scene (.json) or a reduced model (.glb); make it one: limber "
        "reduce face.obj -o face.glb; or name it in a scene as 'mesh'");
  }
  expect_refused(folder, "compare m.glb", "m.glb: is a reduced model, expected a scene (.json)");
  expect_refused(folder, "reduce m.glb -o n.glb",
                 "m.glb: is a reduced model already, expected a surface, a volume mesh");
}

}  // namespace
}  // namespace limber::bad_input_test
