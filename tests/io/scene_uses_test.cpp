// Every key of the schema either changes the result of a scene or is refused, in every kind of scene.
//
// The table in scene_uses_rows.hpp has a row for each key of each object of the schema; a key without a row
// fails. Each is tried in scenes of all types and of one body of each method, as one domain and as a tree of
// domains.

#include "limber/base/error.hpp"
#include "limber/base/file.hpp"
#include "limber/io/csv.hpp"
#include "limber/io/gltf_container.hpp"
#include "limber/io/json_schema.hpp"
#include "limber/io/mesh_file.hpp"
#include "limber/io/model_file.hpp"
#include "limber/io/scene_file.hpp"
#include "limber/io/surface_file.hpp"
#include "limber/mesh/beam.hpp"
#include "tests/io/scene_uses_rows.hpp"
#include "tests/support/files.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <map>
#include <optional>
#include <set>

namespace limber::scene_uses_test {
namespace {

using nlohmann::json;

/// A kind of scene.
struct SceneKind {
  std::string type, method;
  bool tree = false;  ///< whether its body is a tree of domains
};

std::string title_of(const SceneKind& kind) {
  return kind.type + "_" + kind.method + (kind.tree ? "_tree" : "");
}

void PrintTo(const SceneKind& kind, std::ostream* out) { *out << title_of(kind); }

const std::vector<SceneKind>& all_kinds() {
  static const std::vector<SceneKind> kinds{
      {"static", "full"},          {"static", "reduced"},       {"static", "linear"},
      {"static", "warped"},        {"static", "reduced", true}, {"static", "linear", true},
      {"dynamic", "full"},         {"dynamic", "online"},       {"dynamic", "reduced"},
      {"dynamic", "linear"},       {"dynamic", "warped"},       {"dynamic", "reduced", true},
      {"dynamic", "linear", true}, {"quasistatic", "full"},     {"quasistatic", "online"}};
  return kinds;
}

/// A node that moves, twice: the animations "walk" and "run" of the joints "hand" and "foot".
void write_walk(const std::filesystem::path& path) {
  GlbBuilder builder;
  json& document = builder.document;
  document["scenes"] = {{{"nodes", {0, 1}}}};
  document["nodes"] = {{{"name", "hand"}}, {{"name", "foot"}}};
  Eigen::RowVectorXf times(2);
  times << 0.0F, 0.05F;
  const int input = builder.add_floats(times, false);
  for (const float size : {0.02F, 0.04F}) {
    json animation{
        {"name", size < 0.03F ? "walk" : "run"}, {"samplers", json::array()}, {"channels", json::array()}};
    for (int node = 0; node < 2; ++node) {
      Eigen::Matrix3Xf way = Eigen::Matrix3Xf::Zero(3, 2);
      way.col(1) << size, 0.5F * size, node == 0 ? 0.0F : size;
      animation["samplers"].push_back({{"input", input}, {"output", builder.add_floats(way, false)}});
      animation["channels"].push_back(
          {{"sampler", node}, {"target", {{"node", node}, {"path", "translation"}}}});
    }
    document["animations"].push_back(std::move(animation));
  }
  write_file(path, builder.encode("walk"));
}

/// Files that rows name.
void write_files_of_rows(const test::ScratchFolder& folder) {
  const VolumeMesh mesh = make_beam({.size = {1.0, 0.2, 0.2}, .cells = {4, 1, 1}});
  write_mesh(folder / "beam.msh", mesh);
  SurfaceMesh surface = boundary_surface(mesh);
  surface.vertices *= 0.9;
  write_surface(folder / "surface.obj", surface);
  write_surface(folder / "solid.obj",
                boundary_surface(make_beam({.size = {0.2, 0.2, 0.2}, .cells = {1, 1, 1}})));
  write_file(folder / "sketch.json", R"({"format": "limber sketch", "version": 1, "forces": [
    {"at": [1, 0, 0], "force": [0, 0.3, -0.2]}, {"at": [1, 0.2, 0], "force": [0.3, 0.3, 0]},
    {"at": [0.5, 0, 0], "force": [0, 0, 0.4]}]})");
  Matrix3X bent = Matrix3X::Zero(3, mesh.vertex_count());
  bent.row(2) = mesh.vertices.row(0).array().cube();
  write_csv(folder / "snapshots.csv", 0.1 * bent);
  std::string weights;
  for (Index v = 0; v < mesh.vertex_count(); ++v) weights += fmt::format("{},0,1\n", v);
  write_file(folder / "weights.csv", weights);
  write_walk(folder / "walk.glb");
  std::vector<int> fixed;
  for (int v = 0; v < mesh.vertex_count(); ++v) {
    if (mesh.vertices(0, v) < 0.01) fixed.push_back(v);
  }
  const FullModel full(mesh, {{make_law("stvk", lame_from_young(1e5, 0.3)), 1000.0}}, fixed,
                       {MassKind::consistent, Executor(1)});
  ReduceOptions options;
  options.basis.modes = options.basis.rank = 5;
  ReduceReport report;
  write_model(folder / "model.glb", make_model(reduce(full, {}, {}, options, report)));
}

/// A scene that all rows start from.
json base_scene(const SceneKind& kind) {
  json scene = json::parse(fmt::format(R"({{
    "bodies": [{{"name": "beam", "method": "{}", "mesh": "{}", "material": {{"young": 1e5, "poisson": 0.3}},
                 "fixed": {{"where": "x < 0.01"}}, "loads": [{{{}}}]}}],
    "gravity": [0, 0, -1], "solver": {{"type": "{}", "threads": 1}}}})",
                                       kind.method, beam, pull, kind.type));
  if (kind.type != "static") scene["solver"].update({{"timestep", 0.01}, {"steps", 5}});
  if (kind.tree) scene["bodies"][0]["domains"] = {{"from", "auto"}, {"count", 2}, {"rank", 4}};
  return scene;
}

json merged(const json& scene, const std::string& patch, bool of_scene) {
  json result = scene;
  json changes = json::parse(patch);
  if (of_scene) {
    result.merge_patch(changes);
    // Other bodies are of the same kind.
    for (json& body : result["bodies"]) {
      for (const char* key : {"method", "domains"}) {
        if (scene["bodies"][0].contains(key)) body[key] = scene["bodies"][0][key];
      }
    }
    return result;
  }
  // What a kind of scene does not have need not be taken away.
  json& body = result["bodies"][0];
  const bool domains = body.contains("domains");
  body.merge_patch(changes);
  if (!domains && body.contains("domains") && body["domains"].empty()) body.erase("domains");
  return result;
}

/// Whether a row says something about a kind of scene.
bool is_tried(const Row& row, const SceneKind& kind) {
  if (!row.type.empty() && row.type != kind.type) return false;
  // These make a tree of the body, which is another kind.
  const bool other_kind = !kind.tree && (kind.method == "reduced" || kind.method == "linear");
  return !other_kind || !row.key.starts_with("domains.");
}

/// What a scene computes: numbers, and words for what is no number.
struct Outcome {
  std::vector<double> numbers;
  std::string words;
};

void append(const Matrix3X& field, Outcome& outcome) {
  outcome.numbers.insert(outcome.numbers.end(), field.data(), field.data() + field.size());
}

Outcome compute(const json& value, const std::filesystem::path& folder) {
  const Scene scene = parse_scene(value.dump(), folder, "scene");
  SceneState state = make_state(scene);
  Outcome outcome;
  for (const SceneBody& body : scene.bodies)
    outcome.words += fmt::format("{} {};", body.name, body.render.vertex_count());
  for (int i = 0; i < step_count(scene); ++i) {
    const StepReport report = step(scene, state);
    outcome.words +=
        fmt::format("{} {} {};", static_cast<int>(report.status), report.iterations, report.load_steps);
    for (std::size_t b = 0; b < state.body_count(); ++b) {
      append(mesh_displacement(scene, state, b), outcome);
      append(state.body(b).surface_displacement(), outcome);
    }
    outcome.numbers.push_back(report.residual);
    if (!report.ok()) break;
  }
  return outcome;
}

/// Whether one differs from the other by more than rounding, or at all.
bool differs(const Outcome& a, const Outcome& b, Effect effect) {
  if (a.words != b.words || a.numbers.size() != b.numbers.size()) return true;
  const Vector x = Eigen::Map<const Vector>(a.numbers.data(), static_cast<Index>(a.numbers.size())),
               y = Eigen::Map<const Vector>(b.numbers.data(), static_cast<Index>(b.numbers.size()));
  return effect == Effect::any_bits ? x != y : !((x - y).norm() <= 1e-9 * y.norm());
}

class SceneKeys : public testing::TestWithParam<SceneKind> {};

TEST_P(SceneKeys, ChangeTheResultOrAreRefused) {
  const test::ScratchFolder folder;
  write_files_of_rows(folder);
  struct Try {
    std::optional<Outcome> outcome;  ///< none: refused
    std::string refusal;
  };
  std::map<std::string, Try> known;
  const auto outcome_of = [&](const json& scene) -> const Try& {
    const auto [entry, added] = known.try_emplace(scene.dump());
    if (!added) return entry->second;
    try {
      entry->second.outcome = compute(scene, folder.path());
    } catch (const Error& error) {
      entry->second.refusal = error.what();
      EXPECT_EQ(entry->second.refusal.find('\n'), std::string::npos) << error.what();
    }
    return entry->second;
  };
  for (const Row& row : table()) {
    if (!is_tried(row, GetParam())) continue;
    const json without = merged(base_scene(GetParam()), row.with, is_of_scene(row));
    const json with = merged(without, row.given, is_of_scene(row));
    const Try before = outcome_of(without), after = outcome_of(with);
    if (row.effect == Effect::nothing) {
      EXPECT_EQ(before.outcome.has_value(), after.outcome.has_value()) << row.key;
      continue;
    }
    if (!before.outcome) continue;  // what the key stands beside is refused here
    if (!after.outcome) {
      // By its own name, with all of the object that it stands in, or because it makes a tree of the body.
      const std::string name = row.key.substr(row.key.find_last_of('.') + 1);
      EXPECT_TRUE(test::contains(after.refusal, name) || test::contains(after.refusal, "has no use for it") ||
                  test::contains(after.refusal, "it makes the body a tree of domains"))
          << row.key << ": " << after.refusal;
      continue;
    }
    EXPECT_TRUE(differs(*after.outcome, *before.outcome, row.effect))
        << row.key << " changes nothing: " << row.given << " beside " << row.with;
  }
}

INSTANTIATE_TEST_SUITE_P(OfAllKinds, SceneKeys, testing::ValuesIn(all_kinds()),
                         [](const auto& one) { return title_of(one.param); });

/// OBJECT.KEY of all keys of the schema but those of "output", which the command writes.
std::set<std::string> keys_of_schema() {
  std::set<std::string> keys;
  const nlohmann::ordered_json& schema = scene_schema();
  for (const auto& [key, property] : schema["properties"].items()) keys.insert("scene." + key);
  for (const auto& [name, object] : schema["$defs"].items()) {
    if (name == "output" || !object.contains("properties")) continue;
    for (const auto& [key, property] : object["properties"].items()) keys.insert(name + "." + key);
  }
  return keys;
}

TEST(SceneKeyTable, HasARowForEveryKeyOfTheSchema) {
  std::set<std::string> rows;
  for (const Row& row : table()) rows.insert(row.key);
  EXPECT_EQ(rows, keys_of_schema());
}

TEST(SceneKeyTable, HasARowForEveryKeyThatChangesSomething) {
  const test::ScratchFolder folder;
  write_files_of_rows(folder);
  std::set<std::string> useful;
  for (const SceneKind& kind : all_kinds()) {
    for (const Row& row : table()) {
      if (row.effect == Effect::nothing || useful.contains(row.key)) continue;
      try {
        (void)compute(
            merged(merged(base_scene(kind), row.with, is_of_scene(row)), row.given, is_of_scene(row)),
            folder.path());
        useful.insert(row.key);
      } catch (const Error&) {
        continue;  // in another kind of scene
      }
    }
  }
  for (const Row& row : table())
    EXPECT_TRUE(row.effect == Effect::nothing || useful.contains(row.key))
        << row.key << " is refused everywhere";
}

}  // namespace
}  // namespace limber::scene_uses_test
