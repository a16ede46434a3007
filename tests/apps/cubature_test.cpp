#include "limber/io/mesh_file.hpp"
#include "limber/io/model_file.hpp"
#include "tests/apps/support.hpp"

#include <nlohmann/json.hpp>

namespace limber::cubature_test {
namespace {

using nlohmann::json;
using test::contains;
using test::expect_refused;
using test::run_limber;
using test::ScratchFolder;

constexpr std::string_view beam =
    "'builtin:beam?size=1,0.1,0.1&cells=8,2,2' --young 1e5 --fixed-where 'x < 0.01'";

test::CommandResult reduce(const ScratchFolder& folder, std::string_view more) {
  return run_limber(folder.path(),
                    fmt::format("reduce {} -o m.glb --modes 4 --rank 8 --json {}", beam, more));
}

TEST(ReduceByCubature, MakesAModelThatHoldsInNewMotions) {
  const ScratchFolder folder;
  const test::CommandResult result = reduce(folder, "--law neo-hookean --training-error 0.02");
  ASSERT_EQ(result.status, 0) << result.err;
  const json forces = json::parse(result.out)["forces"];
  EXPECT_EQ(forces["kind"], "cubature");
  EXPECT_TRUE(forces["reached"].get<bool>());
  EXPECT_GE(forces["rounds"].size(), 2u);
  const Model whole = read_model(folder / "m.glb");
  const ReducedModel& model = single_domain(whole, "m.glb");
  ASSERT_TRUE(model.cubature.has_value());
  EXPECT_EQ(model.cubature->point_count(), forces["points"]);
  EXPECT_EQ(name_of(model.regions[0].material.law), "neo-hookean");

  const test::CommandResult verified = run_limber(folder.path(), "verify m.glb --json");
  ASSERT_EQ(verified.status, 0) << verified.err;
  const json part = json::parse(verified.out)["parts"][0];
  EXPECT_LE(part["held_out_error"].get<double>(), 0.04);
  EXPECT_LT(part["inertia_error"].get<double>(), 1e-10);
  EXPECT_TRUE(contains(run_limber(folder.path(), "verify m.glb --states 20").out, "not trained with"));
  Model heavy = whole;
  heavy.parts[0].model.regions[0].moments.first.x() *= 1.0 + 1e-4;
  write_model(folder / "heavy.glb", heavy);
  EXPECT_TRUE(contains(run_limber(folder.path(), "verify heavy.glb --states 5").err, "the inertia of"))
      << "exact, whatever error the forces may have";
  expect_refused(folder, "verify m.glb --gradient 0.5", "--gradient is for exact forces");
  EXPECT_TRUE(contains(run_limber(folder.path(), "inspect m.glb").out, "cubature, "));
}

TEST(ReduceByCubature, SaysWhereAMotionGoesBeyondTheTraining) {
  const ScratchFolder folder;
  ASSERT_EQ(reduce(folder, "--law neo-hookean --amplitude 0.05").status, 0);
  const std::string simulate = "simulate m.glb -o motion.glb --seconds 0.5 --json --gravity 0,0,";
  const test::CommandResult far = run_limber(folder.path(), simulate + "-9.81");
  ASSERT_EQ(far.status, 0) << far.err;
  EXPECT_TRUE(contains(far.err, "were trained up to 0.05: beyond that they are guesses")) << far.err;
  EXPECT_TRUE(contains(far.err, "reduce it again with --amplitude ")) << far.err;
  EXPECT_NEAR(json::parse(far.out)["trained"][0]["trained_share_of_size"].get<double>(), 0.05, 1e-12);
  const test::CommandResult near = run_limber(folder.path(), simulate + "-0.1");
  EXPECT_FALSE(contains(near.err, "guesses")) << near.err;
}

TEST(ReduceByCubature, GoesTheWholeFastWay) {
  const ScratchFolder folder;
  const test::CommandResult result =
      reduce(folder,
             "--basis inertia --condense random --orthogonalization reduced --forces modal-cubature "
             "--training-error 0.05 --seed 3");
  ASSERT_EQ(result.status, 0) << result.err;
  const json report = json::parse(result.out);
  EXPECT_EQ(report["forces"]["kind"], "modal-cubature");
  EXPECT_EQ(report["true_modes"]["angles_degrees"].size(), 4u);
  EXPECT_TRUE(report.contains("reduced_gram_schmidt"));
  EXPECT_TRUE(report["seconds"].contains("inertia derivatives"));
  EXPECT_EQ(run_limber(folder.path(), "simulate m.glb -o motion.glb --seconds 0.2").status, 0);
  const std::string first = read_file(folder / "m.glb");
  ASSERT_EQ(reduce(folder,
                   "--basis inertia --condense random --orthogonalization reduced --forces modal-cubature "
                   "--training-error 0.05 --seed 3")
                .status,
            0);
  EXPECT_EQ(read_file(folder / "m.glb"), first);
}

TEST(ReduceByCubature, WritesAPageAboutIt) {
  const ScratchFolder folder;
  ASSERT_EQ(reduce(folder, "--law mooney-rivlin --training-error 0.05 --report page").status, 0);
  const std::string page = read_file(folder / "page" / "index.html");
  EXPECT_TRUE(contains(page, "mooney-rivlin"));
  EXPECT_TRUE(contains(page, "cubature.png"));
}

TEST(ReduceByCubature, TrainsWithGivenFields) {
  const ScratchFolder folder;
  ASSERT_EQ(reduce(folder, "").status, 0);
  std::string fields;
  for (int t = 1; t <= 20; ++t) {
    for (int v = 0; v < 81; ++v) {
      const double x = (v % 9) / 8.0;
      fields += fmt::format("0,{},{}\n", 0.002 * t * x * x, 0.004 * t * x * x * (t % 3));
    }
  }
  write_file(folder / "fields.csv", fields);
  const test::CommandResult result = reduce(folder, "--forces cubature --poses given --training fields.csv");
  ASSERT_EQ(result.status, 0) << result.err;
  EXPECT_EQ(json::parse(result.out)["forces"]["poses"], 16);  // each fifth is kept apart
  EXPECT_LT(json::parse(result.out)["forces"]["training_error"].get<double>(), 0.02);
}

TEST(ReduceByCubature, AnswersContradictionsAndUnknownNames) {
  const ScratchFolder folder;
  const std::string start = fmt::format("reduce {} -o m.glb ", beam);
  expect_refused(folder, start + "--law neo-hookean --forces exact",
                 "only that law has exact reduced forces");
  expect_refused(folder, start + "--forces cubatur", "did you mean 'cubature'?");
  expect_refused(folder, start + "--basis inertial", "did you mean 'inertia'?");
  expect_refused(folder, start + "--condense randon", "did you mean 'random'?");
  expect_refused(folder, start + "--orthogonalization reduced", "--basis inertia");
  expect_refused(folder, start + "--forces modal-cubature --poses given", "give them by --training FILE");
  expect_refused(folder, start + "--forces cubature --poses gauss", "--poses");
  expect_refused(folder, start + "--training-error 0.1",
                 "--training-error: an exact force, which is not trained (add --forces cubature");
  expect_refused(folder, start + "--forces cubature --training-error 2", "--training-error");
  expect_refused(folder, start + "--law rubber", "rubber");
  write_file(folder / "page", "a file");
  expect_refused(folder, start + "--report page", "page");
}

TEST(CompareByCubature, RunsBothPipelines) {
  const ScratchFolder folder;
  write_file(folder / "scene.json", R"({
    "gravity": [0, 0, -1],
    "bodies": [{"mesh": "builtin:beam?size=1,0.1,0.1&cells=8,2,2", "material": {"young": 1e5, "poisson": 0.3},
                "fixed": {"where": "x < 0.01"}, "forces": {"error": 0.03}}],
    "solver": {"type": "dynamic", "timestep": 0.02, "steps": 30}})");
  const test::CommandResult result = run_limber(
      folder.path(),
      "compare scene.json --modes 4 --rank 8 --basis derivatives/exact --basis inertia/modal-cubature "
      "--basis inertia-random/cubature --json");
  ASSERT_EQ(result.status, 0) << result.err;
  const json report = json::parse(result.out);
  for (const json& one : report["reduced"])
    EXPECT_LT(one["trajectory_error"].get<double>(), 0.25) << one["basis"];
  expect_refused(folder, "compare scene.json --basis inertia/exakt", "--basis inertia/exakt: ");
  expect_refused(folder, "compare scene.json --basis inertia/exakt", "did you mean 'exact'?");
  expect_refused(folder,
                 "compare scene.json --basis sketch:", "--basis sketch:: name the file of the sketch");
}

TEST(SimulateByCubature, TakesConjugateGradientsInTheSubspace) {
  const ScratchFolder folder;
  const auto last_field = [&](std::string_view solver) {
    write_file(folder / "scene.json", fmt::format(R"({{
      "gravity": [0, 0, -1],
      "bodies": [{{"mesh": "builtin:beam?size=1,0.1,0.1&cells=8,2,2", "material": {{"young": 1e5, "poisson": 0.3, "law": "neo-hookean"}},
                  "fixed": {{"where": "x < 0.01"}}, "method": "reduced", "basis": {{"kind": "inertia", "modes": 4, "rank": 8}},
                  "damping": {{"stiffness": 0.001}}}}],
      "solver": {{"type": "dynamic", "timestep": 0.02, "steps": 20, "linear_solver": "{}"}},
      "output": {{"displacements": "u.csv"}}}})",
                                                  solver));
    const test::CommandResult result = run_limber(folder.path(), "simulate scene.json");
    EXPECT_EQ(result.status, 0) << result.err;
    return read_file(folder / "u.csv");
  };
  const std::string direct = last_field("cholesky"), iterative = last_field("cg");
  std::istringstream a(direct), b(iterative);
  double largest = 0.0, difference = 0.0;
  for (std::string x, y; std::getline(a, x, ',') && std::getline(b, y, ',');) {
    char *end_x = nullptr, *end_y = nullptr;
    const double p = std::strtod(x.c_str(), &end_x), q = std::strtod(y.c_str(), &end_y);
    largest = std::max(largest, std::abs(p));
    difference = std::max(difference, std::abs(p - q));
  }
  EXPECT_GT(largest, 1e-3);
  EXPECT_LT(difference, 1e-5 * largest);
}

}  // namespace
}  // namespace limber::cubature_test
