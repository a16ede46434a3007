// Every option of every command either changes what it prints or writes, or is refused.
//
// Options come from the command itself (`limber schema --commands`); one without a row in the table below
// fails. Each is tried in all contexts of its command.

#include "limber/io/mesh_file.hpp"
#include "limber/io/sketch_file.hpp"
#include "limber/io/surface_file.hpp"
#include "limber/io/vtu.hpp"
#include "tests/apps/support.hpp"
#include "tests/mesh/shapes.hpp"

#include <nlohmann/json.hpp>

#include <array>
#include <map>
#include <regex>
#include <vector>

namespace limber::options_test {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using test::contains;
using test::ScratchFolder;

/// How an option is given, or why it is not tried here.
struct Option {
  std::string name;          ///< the last of its names
  std::string given;         ///< as on the command line
  std::string because = "";  ///< it may change nothing, or is tried elsewhere
};

struct CommandTable {
  std::string command;
  std::vector<std::string> contexts;  ///< without the option
  std::vector<Option> options;
};

constexpr const char* elsewhere = "tested elsewhere";
constexpr const char* is_default = "is the default, where it has a use";

std::vector<CommandTable> tables() {
  const std::string beam = "'builtin:beam?size=1,0.2,0.2&cells=4,1,1'", reduce = beam + " -o m.glb --json ";
  return {
      {"mesh",
       {"ball.off -o m.msh --cells 12 --json", "ball.off -o m.msh --json --method voxel",
        "ball.off -o m.msh --json --target-elements 8000",
        "ball.off -o m.msh --picture q.png --cells 12 --json", beam + " -o m.msh --json"},
       {{"SURFACE", "", "is in all of them"},
        {"--output", "", "is in all of them"},
        {"--method", "--method voxel"},
        {"--cells", "--cells 8"},
        {"--target-elements", "--target-elements 200"},
        {"--grading", "--grading 2"},
        {"--fill", "--fill center"},
        {"--smallest-part", "--smallest-part 1", "the surface has one part"},
        {"--keep-volume-error", "--keep-volume-error"},
        {"--up", "--up y"},
        {"--unit", "--unit cm"},
        {"--picture", "--picture p.png"},
        {"--threads", "--threads 2", "changes no result"},
        {"--json", "--json"}}},
      {"inspect",
       {"s.obj", "m.msh", "scene.json", "model.glb", "tree.glb", beam,
        "'builtin:spoon?cells=56' --picture q.png", "s.obj --picture q.png"},
       {{"FILE", "", "is in all of them"},
        {"--json", "--json"},
        {"--picture", "--picture p.png"},
        {"--up", "--up y"},
        {"--render", "--render"}}},
      {"modes",
       {beam + " --json", "m.msh --json --fixed-vertices 0,1,2,3", "ball.off --json --cells 12 --hold bottom",
        "ball.off --json --method voxel --cells 6 --hold top"},
       {{"MESH", "", "is in all of them"},
        {"--material", "--material jelly"},
        {"--young", "--young 2e5"},
        {"--poisson", "--poisson 0.4"},
        {"--density", "--density 50"},
        {"--fixed-vertices", "--fixed-vertices 4,5,6"},
        {"--fixed-where", "--fixed-where 'x > 0.9'"},
        {"--method", "--method voxel"},
        {"--cells", "--cells 8", elsewhere},
        {"--target-elements", "--target-elements 200", elsewhere},
        {"--grading", "--grading 2"},
        {"--fill", "--fill center"},
        {"--smallest-part", "--smallest-part 1", "the surface has one part"},
        {"--keep-volume-error", "--keep-volume-error"},
        {"--hold", "--hold top"},
        {"--up", "--up y"},
        {"--unit", "--unit cm"},
        {"--free", "--free"},
        {"--mass", "--mass lumped"},
        {"--threads", "--threads 2", "changes no result"},
        {"--count", "--count 3"},
        {"--json", "--json"},
        {"--output", "-o shapes.vtu"},
        {"--picture", "--picture p.png"}}},
      {"reduce",
       {reduce, reduce + "--modes 0 --snapshots u.csv", reduce + "--basis inertia --modes 6",
        reduce + "--law neo-hookean --modes 3 --rank 4", reduce + "--condense random --rank 5",
        reduce + "--sketch sketch.json --modes 2", reduce + "--domains auto:2 --rank 10",
        "ball.off -o m.glb --json --cells 12 --modes 3 --rank 4",
        "ball.off -o m.glb --json --method voxel --cells 6 --modes 3 --rank 4", "tree.json -o m.glb --json"},
       {{"MESH", "", "is in all of them"},
        {"--output", "", "is in all of them"},
        {"--material", "--material jelly"},
        {"--young", "--young 2e5"},
        {"--poisson", "--poisson 0.4"},
        {"--density", "--density 50"},
        {"--law", "--law mooney-rivlin"},
        {"--fixed-vertices", "--fixed-vertices 4,5,6"},
        {"--fixed-where", "--fixed-where 'x > 0.9'"},
        {"--method", "--method voxel"},
        {"--cells", "--cells 8", elsewhere},
        {"--target-elements", "--target-elements 200", elsewhere},
        {"--grading", "--grading 2"},
        {"--fill", "--fill center"},
        {"--smallest-part", "--smallest-part 1", "the surface has one part"},
        {"--keep-volume-error", "--keep-volume-error"},
        {"--hold", "--hold top"},
        {"--up", "--up y"},
        {"--unit", "--unit cm"},
        {"--free", "--free"},
        {"--mass", "--mass lumped"},
        {"--threads", "--threads 2", "changes no result"},
        {"--basis", "--basis inertia"},
        {"--basis", "--basis modal", is_default},
        {"--modes", "--modes 4"},
        {"--derivatives", "--derivatives 0"},
        {"--orthogonalization", "--orthogonalization reduced"},
        {"--condense", "--condense random"},
        {"--condense", "--condense pca", is_default},
        {"--rank", "--rank 3"},
        {"--no-check", "--no-check"},
        {"--sketch", "--sketch other.json"},
        {"--load-separation", "--load-separation 0.9"},
        {"--shape-separation", "--shape-separation 0.9"},
        {"--snapshots", "--snapshots v.csv"},
        {"--contact", "--contact 2"},
        {"--contact", "--contact"},
        {"--contact-where", "--contact 2 --contact-where 'z > 0'"},
        {"--forces", "--forces modal-cubature"},
        {"--training-error", "--training-error 0.3"},
        {"--poses", "--poses gaussian"},
        {"--training", "--training u.csv"},
        {"--amplitude", "--amplitude 0.3"},
        {"--points", "--points 3"},
        {"--seed", "--seed 5"},
        {"--domains", "--domains auto:3"},
        {"--root", "--root 'part 2'", "the domain that is held is the root"},
        {"--total-rank", "--total-rank 5"},
        {"--rigid", "--rigid 'part 2'"},
        {"--render", "--render s.obj"},
        {"--no-simulation-mesh", "--no-simulation-mesh"},
        {"--picture", "--picture p.png"},
        {"--report", "--report page"},
        {"--json", "--json"}}},
      {"verify",
       {"model.glb --json", "cubature.glb --json", "tree.glb --json"},
       {{"MODEL", "", "is in all of them"},
        {"--mesh", "--mesh other.msh", elsewhere},
        {"--states", "--states 3"},
        {"--gradient", "--gradient 0.3"},
        {"--tolerance", "--tolerance 1e-30"},
        {"--seed", "--seed 5"},
        {"--threads", "--threads 2", "changes no result"},
        {"--json", "--json"}}},
      {"simulate",
       {"model.glb -o c.glb --json", "tree.glb -o c.glb --json", "scene.json --json", "static.json --json",
        "online.json --json"},
       {{"SCENE", "", "is in all of them"},
        {"--output", "-o d.glb"},
        {"--seconds", "--seconds 0.5"},
        {"--timestep", "--timestep 0.004"},
        {"--gravity", "--gravity 0,1,0"},
        {"--damping", "--damping 0,0.01"},
        {"--velocity", "--velocity 1,0,2", elsewhere},
        {"--spin", "--spin 0,3,0", elsewhere},
        {"--ground", "--ground -1", elsewhere},
        {"--friction", "--friction 0.1", elsewhere},
        {"--restitution", "--restitution 0.5", elsewhere},
        {"--method", "--method warped"},
        {"--error", "--error 1e-5"},
        {"--throttle", "--throttle 0"},
        {"--json", "--json"},
        {"--threads", "--threads 2", "changes no result"},
        {"--output-dir", "--output-dir sub"},
        {"--resume", "--resume", elsewhere},
        {"--checkpoint-every", "--checkpoint-every 0", elsewhere},
        {"--checkpoint", "--checkpoint c.checkpoint", elsewhere}}},
      {"compare",
       {"scene.json --json", "scene.json --json --basis modes", "scene.json --json --basis motion",
        "scene.json --json --basis warped", "scene.json --json --basis online"},
       {{"SCENE", "", "is in all of them"},
        {"--basis", "--basis inertia"},
        {"--modes", "--modes 2"},
        {"--rank", "--rank 2"},
        {"--probe", "--probe 0.5,0,0"},
        {"--plot", "--plot p.svg"},
        {"--threads", "--threads 2", "changes no result"},
        {"--json", "--json"}}},
      {"view",
       {},
       {{"BODY", "", elsewhere},
        {"--method", "", elsewhere},
        {"--cells", "", elsewhere},
        {"--target-elements", "", elsewhere},
        {"--grading", "", elsewhere},
        {"--fill", "", elsewhere},
        {"--smallest-part", "", elsewhere},
        {"--keep-volume-error", "", elsewhere},
        {"--material", "", elsewhere},
        {"--young", "", elsewhere},
        {"--poisson", "", elsewhere},
        {"--density", "", elsewhere},
        {"--law", "", elsewhere},
        {"--fixed-vertices", "", elsewhere},
        {"--fixed-where", "", elsewhere},
        {"--hold", "", elsewhere},
        {"--up", "", elsewhere},
        {"--unit", "", elsewhere},
        {"--free", "", elsewhere},
        {"--mass", "", elsewhere},
        {"--threads", "", elsewhere},
        {"--modes", "", elsewhere},
        {"--rank", "", elsewhere},
        {"--port", "", elsewhere},
        {"--no-open", "", elsewhere},
        {"--json", "", elsewhere}}},
      {"export",
       {},
       {{"BODY", "", elsewhere},
        {"--method", "", elsewhere},
        {"--cells", "", elsewhere},
        {"--target-elements", "", elsewhere},
        {"--grading", "", elsewhere},
        {"--fill", "", elsewhere},
        {"--smallest-part", "", elsewhere},
        {"--keep-volume-error", "", elsewhere},
        {"--material", "", elsewhere},
        {"--young", "", elsewhere},
        {"--poisson", "", elsewhere},
        {"--density", "", elsewhere},
        {"--law", "", elsewhere},
        {"--fixed-vertices", "", elsewhere},
        {"--fixed-where", "", elsewhere},
        {"--hold", "", elsewhere},
        {"--up", "", elsewhere},
        {"--unit", "", elsewhere},
        {"--free", "", elsewhere},
        {"--mass", "", elsewhere},
        {"--threads", "", elsewhere},
        {"--modes", "", elsewhere},
        {"--rank", "", elsewhere},
        {"--output", "", elsewhere},
        {"--title", "", elsewhere},
        {"--small", "", elsewhere},
        {"--json", "", elsewhere}}},
      {"demo", {}, {{"--output-dir", "", elsewhere}}},
      {"schema", {""}, {{"--markdown", "--markdown"}, {"--commands", "--commands"}}},
      {"bench",
       {},
       {{"--filter", "", elsewhere},
        {"--json", "", elsewhere},
        {"--threads", "", elsewhere},
        {"--min-seconds", "", elsewhere}}},
  };
}

/// Files that the contexts name.
void write_inputs(const ScratchFolder& folder) {
  const VolumeMesh mesh = make_beam({.size = {1.0, 0.2, 0.2}, .cells = {4, 1, 1}});
  write_mesh(folder / "m.msh", mesh);
  VolumeMesh other = mesh;
  other.vertices *= 1.1;
  write_mesh(folder / "other.msh", other);
  write_surface(folder / "s.obj", boundary_surface(mesh));
  write_surface(folder / "ball.off", test::icosphere(2, 0.5));
  write_sketch(folder / "sketch.json", std::vector<SketchForce>{{Vector3(1, 0, 0), Vector3(0, 0, -0.2)},
                                                                {Vector3(1, 0, 0), Vector3(0, 0, -0.21)},
                                                                {Vector3(1, 0, 0), Vector3(0, 0.3, 0)}});
  write_sketch(folder / "other.json", std::vector<SketchForce>{{Vector3(1, 0, 0), Vector3(0.4, 0.2, 0)}});
  std::string u, v;
  for (Index i = 0; i < mesh.vertex_count(); ++i) {
    u += fmt::format("0,0,{}\n", 0.1 * std::pow(mesh.vertices(0, i), 2));
    v += fmt::format("0,{},0\n", 0.1 * std::pow(mesh.vertices(0, i), 3));
  }
  write_file(folder / "u.csv", u);
  write_file(folder / "v.csv", v);
  const auto scene = [&](const char* name, std::string_view body, std::string_view rest) {
    write_file(folder / name, fmt::format(R"({{"bodies": [{{"name": "b", "mesh": "m.msh", "fixed": {{"where":
      "x < 0.01"}}, "material": {{"young": 1e5, "poisson": 0.3}},
      "loads": [{{"where": "x > 0.9", "force": [0, 0.02, -0.1]}}]{}}}], {}}})",
                                          body, rest));
  };
  const std::string_view dynamic = R"("solver": {"type": "dynamic", "timestep": 0.02, "steps": 6)";
  scene("scene.json", "", fmt::format(R"({}}}, "output": {{"displacements": "u_out.csv"}})", dynamic));
  scene("static.json", "", R"("output": {"displacements": "u_out.csv"})");
  scene("online.json", R"(, "method": "online")", fmt::format("{}}}", dynamic));
  scene("tree.json", R"(, "method": "reduced", "domains": {"from": "auto", "count": 2, "rank": 4})",
        fmt::format("{}}}", dynamic));
  const std::string_view reduce = "reduce m.msh --fixed-where 'x < 0.01' --young 1e5 --modes 3 --rank 4 -o ";
  for (const auto& [name, more] : {std::pair("model.glb", ""), {"cubature.glb", "--forces cubature"}})
    ASSERT_EQ(test::run_limber(folder.path(), fmt::format("{} {} {}", reduce, name, more)).status, 0);
  ASSERT_EQ(test::run_limber(folder.path(), "reduce tree.json -o tree.glb").status, 0);
}

/// Without what differs from run to run.
void strip(json& value) {
  if (value.is_array()) {
    for (json& item : value) strip(item);
  }
  if (!value.is_object()) return;
  for (const char* key : {"seconds", "peak_memory_bytes", "speed_up", "setup_seconds", "step_seconds"})
    value.erase(key);
  for (auto& item : value.items()) strip(item.value());
}

std::string stable(const std::string& out) {
  json value = json::parse(out, nullptr, false);
  if (value.is_discarded()) return "text";  // which tells times; what it says is in JSON as well
  strip(value);
  return value.dump();
}

/// What a run left: status, what it printed and the files that it wrote.
struct Left {
  int status = 0;
  std::string printed;
  std::string error;  ///< and warnings
  std::map<std::string, std::string> files;
};

Left run(const ScratchFolder& inputs, const std::string& line) {
  const fs::path folder = inputs.path().string() + "-run";
  fs::remove_all(folder);
  fs::copy(inputs.path(), folder, fs::copy_options::recursive);
  const auto before = test::files_in(folder);
  const test::CommandResult result = test::run_limber(folder, line);
  Left left{result.status, stable(result.out), result.err, {}};
  for (const std::string& name : test::files_in(folder)) {
    if (!before.contains(name) && fs::is_regular_file(folder / name)) {
      const bool timed = name.ends_with(".html");
      left.files[name] = timed ? "" : read_file(folder / name);
    }
  }
  fs::remove_all(folder);
  return left;
}

bool differ(const Left& a, const Left& b) {
  return a.status != b.status || a.printed != b.printed || a.error != b.error || a.files != b.files;
}

/// Whether a refusal is about an option, or about one that it does not go with.
bool names(const std::string& error, const std::string& option) {
  if (test::contains(error, "has no use for it")) return true;
  if (option == "--free" && test::contains(error, "nothing holds")) return true;
  if (option == "--snapshots" && test::contains(error, "belongs to this mesh")) return true;
  const std::string word = option.substr(option.find_first_not_of('-'));
  return test::contains(error, word.substr(0, word.find('-')));
}

/// Whether a line of a command names a scene.
bool reads_scene(const std::string& line) {
  return std::ranges::any_of(std::array{"scene.json", "static.json", "online.json", "tree.json"},
                             [&](const char* name) { return contains(line, name); });
}

/// Whether a message speaks of keys of a scene. Who gave options has none.
bool speaks_of_keys(const std::string& message) {
  static const std::regex key(R"(bodies\[|\b(solver|basis|forces|domains|material)\.\w)");
  return std::regex_search(message, key);
}

void PrintTo(const CommandTable& table, std::ostream* out) { *out << table.command; }

class Options : public testing::TestWithParam<CommandTable> {};

TEST_P(Options, ChangeTheResultOrAreRefused) {
  const ScratchFolder inputs;
  const auto& [command, contexts, options] = GetParam();
  if (!contexts.empty()) write_inputs(inputs);
  std::map<std::string, bool> useful;
  for (const std::string& context : contexts) {
    const std::string line = command + " " + context;
    const Left without = run(inputs, line);
    EXPECT_EQ(without.status, 0) << line << ": " << without.error;
    for (const Option& option : options) {
      if (option.given.empty() || option.because == elsewhere) continue;
      const std::string first = option.given.substr(0, option.given.find(' '));
      const std::size_t there = line.find(" " + first);
      if (there != std::string::npos && first != "--json") continue;
      std::string changed = line + " " + option.given;
      if (there != std::string::npos) changed = std::string(line).erase(there, first.size() + 1);
      const Left with = run(inputs, changed);
      EXPECT_NE(with.status, -1) << line << " " << option.given << " ended by a signal";
      if (with.status == 2) {
        EXPECT_EQ(test::line_count(with.error), 1) << with.error;
        EXPECT_TRUE(names(with.error, first)) << changed << ": " << with.error;
        EXPECT_TRUE(with.files.empty()) << line << " " << option.given;
        EXPECT_TRUE(reads_scene(line) || !speaks_of_keys(with.error)) << changed << ": " << with.error;
        continue;
      }
      if (differ(with, without)) {
        useful[option.name] = true;
      } else {
        EXPECT_FALSE(option.because.empty()) << option.given << " changes nothing: " << line;
      }
    }
  }
  for (const Option& option : options) {
    if (option.given.empty() || !option.because.empty()) continue;
    EXPECT_TRUE(useful[option.name]) << command << " " << option.given << " is refused in all contexts";
  }
}

INSTANTIATE_TEST_SUITE_P(OfAllCommands, Options, testing::ValuesIn(tables()),
                         [](const auto& one) { return one.param.command; });

TEST(OptionTable, HasARowForEveryOptionOfEveryCommand) {
  const ScratchFolder folder;
  const json known = json::parse(test::run_limber(folder.path(), "schema --commands").out);
  std::set<std::string> rows, expected;
  for (const CommandTable& table : tables()) {
    for (const Option& option : table.options) rows.insert(table.command + " " + option.name);
  }
  for (const auto& [command, described] : known["commands"].items()) {
    for (const json& option : described["options"]) {
      const std::string name = option["names"].back();
      if (name != "--help") expected.insert(command + " " + name);
    }
  }
  EXPECT_EQ(rows, expected);
}

TEST(Refusals, SpeakOfKeysToWhoWroteAScene) {
  const ScratchFolder folder;
  write_file(folder / "scene.json", R"({"bodies": [{"mesh": "builtin:beam", "material": {"young": -1}}]})");
  const std::string error = test::run_limber(folder.path(), "simulate scene.json").err;
  EXPECT_TRUE(speaks_of_keys(error)) << error;
  EXPECT_FALSE(speaks_of_keys("limber: error: --modes is 0; give 1 or more, or --snapshots, to the basis."));
}

TEST(OptionTable, OfTheProgramItself) {
  const ScratchFolder folder;
  std::set<std::string> names;
  const json known = json::parse(test::run_limber(folder.path(), "schema --commands").out);
  for (const json& option : known["options"]) names.insert(option["names"].back());
  EXPECT_EQ(names, (std::set<std::string>{"--help", "--verbose", "--version"}));
  test::expect_refused(folder, "--verbose schema", "--verbose");
}

// Keys of a scene's "output": what is written depends on them, in every kind of scene, or they are refused.

struct OutputRow {
  std::string key, with, given;
};

std::vector<OutputRow> output_table() {
  return {{"displacements", "{}", R"({"displacements": "u.csv"})"},
          {"vtu", "{}", R"({"vtu": "frames"})"},
          {"every", "{}", R"({"every": 2})"},
          {"every", R"({"vtu": "frames"})", R"({"every": 2})"},
          {"every", R"({"animation": "a.glb"})", R"({"every": 2})"},
          {"picture", "{}", R"({"picture": "p.png"})"},
          {"animation", "{}", R"({"animation": "a.glb"})"},
          {"timeline", "{}", R"({"timeline": "t.svg"})"},
          {"animation_tolerance", "{}", R"({"animation_tolerance": 0.3})"},
          {"animation_tolerance", R"({"animation": "a.glb"})", R"({"animation_tolerance": 0.3})"},
          {"picture_of", "{}", R"({"picture_of": "appearance"})"},
          {"picture_of", R"({"picture": "p.png"})", R"({"picture_of": "appearance"})"}};
}

TEST(OutputKeys, HaveARowEach) {
  const ScratchFolder folder;
  std::set<std::string> rows, expected;
  for (const OutputRow& row : output_table()) rows.insert(row.key);
  const json schema = json::parse(test::run_limber(folder.path(), "schema").out);
  for (const auto& [key, property] : schema["$defs"]["output"]["properties"].items()) expected.insert(key);
  EXPECT_EQ(rows, expected);
}

TEST(OutputKeys, ChangeWhatIsWrittenOrAreRefused) {
  const ScratchFolder inputs;
  for (const auto& [type, way] : {std::pair("static", "full"),
                                  {"static", "reduced"},
                                  {"static", "warped"},
                                  {"dynamic", "full"},
                                  {"dynamic", "reduced"},
                                  {"dynamic", "warped"},
                                  {"dynamic", "linear"},
                                  {"dynamic", "online"},
                                  {"dynamic", "tree"},
                                  {"quasistatic", "full"},
                                  {"quasistatic", "online"}}) {
    const bool tree = std::string_view(way) == "tree";
    json scene = json::parse(fmt::format(R"({{
      "bodies": [{{"name": "b", "mesh": "builtin:beam?size=1,0.2,0.2&cells=4,1,1", "method": "{}",
                   "loads": [{{"where": "x > 0.9", "force": [0, 5, -9]}}]}}],
      "solver": {{"type": "{}", "threads": 1}}}})",
                                         tree ? "reduced" : way, type));
    if (std::string_view(type) != "static") scene["solver"].update({{"timestep", 0.02}, {"steps", 4}});
    if (tree) scene["bodies"][0]["domains"] = {{"from", "auto"}, {"count", 2}, {"rank", 4}};
    for (const OutputRow& row : output_table()) {
      scene["output"] = json::parse(row.with);
      write_file(inputs / "scene.json", scene.dump());
      const Left without = run(inputs, "simulate scene.json --json");
      scene["output"].update(json::parse(row.given));
      write_file(inputs / "scene.json", scene.dump());
      const Left with = run(inputs, "simulate scene.json --json");
      if (with.status == 2) {
        EXPECT_TRUE(test::contains(without.status == 2 ? without.error : with.error, "output."))
            << with.error;
        continue;
      }
      EXPECT_EQ(without.status, 0) << without.error;
      EXPECT_EQ(with.status, 0) << with.error;
      EXPECT_TRUE(without.files != with.files) << row.key << " changes nothing: " << type << " " << way;
    }
  }
}

}  // namespace
}  // namespace limber::options_test
