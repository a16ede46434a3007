#include "limber/io/mesh_file.hpp"
#include "limber/io/model_file.hpp"
#include "limber/io/sketch_file.hpp"
#include "limber/io/surface_file.hpp"
#include "limber/reduced/quartic.hpp"
#include "tests/apps/support.hpp"

#include <nlohmann/json.hpp>

namespace limber::reduce_test {
namespace {

using nlohmann::json;
using test::contains;
using test::expect_refused;
using test::files_in;
using test::line_count;
using test::run_limber;
using test::ScratchFolder;

constexpr std::string_view beam =
    "'builtin:beam?size=1,0.1,0.1&cells=8,2,2' --young 1e5 --fixed-where 'x < 0.01'";

test::CommandResult reduce(const ScratchFolder& folder, std::string_view more = "--modes 4 --rank 8") {
  return run_limber(folder.path(), fmt::format("reduce {} -o m.glb --json {}", beam, more));
}

json scene() {
  return json::parse(R"({
    "bodies": [{"name": "beam", "model": "m.glb", "method": "reduced",
                "loads": [{"where": "x > 0.99", "force": [0, 0.01, -0.05], "to": 0.5}],
                "damping": {"stiffness": 0.001}}],
    "solver": {"type": "dynamic", "timestep": 0.05, "steps": 20},
    "output": {"animation": "motion.glb", "every": 2, "displacements": "u.csv", "picture": "beam.png"}})");
}

TEST(Reduce, TellsRankSizesTimesAndMemory) {
  const ScratchFolder folder;
  const test::CommandResult result = reduce(folder);
  ASSERT_EQ(result.status, 0) << result.err;
  const json report = json::parse(result.out);
  EXPECT_EQ(report["rank"], 8);
  EXPECT_EQ(report["vertices"], 81);
  EXPECT_EQ(report["elements"], 192);
  EXPECT_EQ(report["frequencies_hz"].size(), 4u);
  EXPECT_LT(report["orthonormality"].get<double>(), 1e-10);
  EXPECT_GT(report["peak_memory_bytes"].get<double>(), 1e6);
  double sum = 0.0;
  for (const auto& [stage, seconds] : report["seconds"].items())
    if (stage != "total") sum += seconds.get<double>();
  EXPECT_LE(sum, report["seconds"]["total"].get<double>());
  const Model model = read_model(folder / "m.glb");
  ASSERT_EQ(model.domain_count(), 1);
  EXPECT_EQ(model.rank(0), 8);
  EXPECT_EQ(model.name, "m");
  EXPECT_FALSE(model.free);
}

TEST(Reduce, GivesTheSameFileAgain) {
  const ScratchFolder folder;
  ASSERT_EQ(reduce(folder).status, 0);
  const std::string first = read_file(folder / "m.glb");
  ASSERT_EQ(reduce(folder).status, 0);
  EXPECT_EQ(read_file(folder / "m.glb"), first);
}

TEST(Reduce, TakesLittleMemoryForMoreSamplesThanUnknowns) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "sanitizers reserve terabytes of addresses";
#endif
  // 20 modes and their derivatives of two orders are 4,430 samples of 36 unknowns. Their Gram matrix alone
  // would be large; what they span is not.
  const ScratchFolder folder;
  const test::CommandResult result =
      test::run_shell(folder.path(),
                      "ulimit -v 2000000; limber reduce 'builtin:beam?cells=3,1,1' --derivatives 2 --json "
                      "--threads 2 -o m.glb");
  ASSERT_EQ(result.status, 0) << result.err;
  EXPECT_LE(json::parse(result.out)["rank"].get<int>(), 36);
  EXPECT_LT(json::parse(result.out)["peak_memory_bytes"].get<double>(), 2e8);  // it was 6e7
}

TEST(Reduce, MixesASketchAndSnapshots) {
  const ScratchFolder folder;
  write_sketch(folder / "sketch.json", std::vector<SketchForce>{{Vector3(1, 0, 0), Vector3(0, 0, -0.2)},
                                                                {Vector3(1, 0, 0), Vector3(0, 0.3, 0)}});
  std::string snapshot;
  for (int v = 0; v < 81; ++v) snapshot += fmt::format("0,0,{}\n", 0.01 * v);
  write_file(folder / "u.csv", snapshot);
  const test::CommandResult result =
      reduce(folder, "--modes 2 --rank 8 --sketch sketch.json --snapshots u.csv");
  ASSERT_EQ(result.status, 0) << result.err;
  const json report = json::parse(result.out);
  EXPECT_EQ(report["rank"], 8);  // 2 modes, 3 derivatives, 2 sketched shapes, 1 snapshot
  EXPECT_EQ(report["sketch"]["kept"], 2);
  EXPECT_EQ(json::parse(reduce(folder, "--modes 0 --rank 8 --sketch sketch.json").out)["rank"], 2);
}

TEST(Reduce, RefusesWhatItCannotDo) {
  const ScratchFolder folder;
  write_file(folder / "short.csv", "1,2,3\n");
  write_file(folder / "bad.json", "{\"format\": \"limber sketch\", \"version\": 1, \"forces\": []}");
  const std::string start = fmt::format("reduce {} ", beam);
  expect_refused(folder, start + "-o m.txt", ".glb");
  expect_refused(folder, start + "-o missing/m.glb", "the folder");
  expect_refused(folder, start + "-o m.glb --law neo-hookean --forces exact", "stvk");
  expect_refused(folder, start + "-o m.glb --modes 0", "a basis needs");
  expect_refused(folder, start + "-o m.glb --rank 0", "--rank");
  for (const char* word : {"0", "-1", "x", "1.5", "99999999999"}) {
    expect_refused(
        folder, fmt::format("{}-o m.glb --contact {}", start, word),
        fmt::format("--contact: expected a number of coordinates, 1 or more, or nothing, found '{}'", word));
  }
  expect_refused(folder, start + "-o m.glb --rank 5 --contact 5", "--contact: 5 of 5 coordinates");
  expect_refused(folder, start + "-o m.glb --rank 1 --contact", "--contact: 1 of 1 coordinates");
  expect_refused(folder, start + "-o m.glb --modes 0 --contact", "a basis needs");
  expect_refused(folder, start + "-o m.glb --contact-where 'x > 0.5'", "a basis without --contact");
  expect_refused(folder, start + "-o m.glb --contact --contact-where 'x > 5'", "--contact-where");
  expect_refused(folder, start + "-o m.glb --contact --contact-where 'x < 0.01'", "nothing could be touched");
  expect_refused(folder, start + "-o m.glb --domains auto:2 --contact", "--contact: a tree");
  expect_refused(folder, start + "-o m.glb --snapshots short.csv", "short.csv");
  expect_refused(folder, start + "-o m.glb --sketch bad.json", "bad.json");
  expect_refused(folder, start + "-o m.glb --free", "exclude");
  expect_refused(folder, "reduce missing.msh -o m.glb", "missing.msh");
}

TEST(Reduce, KeepsCoordinatesForContact) {
  const ScratchFolder folder;
  const json third = json::parse(reduce(folder, "--modes 6 --rank 18 --contact").out);
  EXPECT_EQ(third["rank"], 18);
  EXPECT_EQ(third["contact"]["directions"], 6);
  EXPECT_GT(third["contact"]["compliance"].get<double>(),
            third["contact"]["compliance_before"].get<double>());
  EXPECT_LE(third["contact"]["compliance"].get<double>(), 1.0);
  const json tip = json::parse(reduce(folder, "--modes 6 --rank 18 --contact --contact-where 'x > 0.9'").out);
  EXPECT_LT(tip["contact"]["patches"].get<int>(), third["contact"]["patches"].get<int>());
  const json two = json::parse(reduce(folder, "--modes 6 --rank 18 --contact 2").out);
  EXPECT_EQ(two["contact"]["directions"], 2);
  EXPECT_GT(third["contact"]["compliance"].get<double>(), two["contact"]["compliance"].get<double>());
  EXPECT_EQ(run_limber(folder.path(), "verify m.glb").status, 0);
  EXPECT_EQ(run_limber(folder.path(), "simulate m.glb -o c.glb --seconds 0.5").status, 0);
  EXPECT_TRUE(contains(run_limber(folder.path(), fmt::format("reduce {} -o m.glb --contact", beam)).out,
                       "contact: 10 coordinates for pressure at"));
  EXPECT_FALSE(json::parse(reduce(folder).out).contains("contact"));
}

TEST(Reduce, WorksForAFreeBody) {
  const ScratchFolder folder;
  const test::CommandResult result = run_limber(
      folder.path(),
      "reduce 'builtin:beam?size=1,0.1,0.1&cells=6,2,2' --free -o m.glb --modes 4 --rank 10 --json");
  ASSERT_EQ(result.status, 0) << result.err;
  const json report = json::parse(result.out);
  EXPECT_EQ(report["rigid_modes"], 6);
  EXPECT_GT(report["frequencies_hz"][0].get<double>(), 1.0);
  EXPECT_TRUE(read_model(folder / "m.glb").free);
  EXPECT_EQ(run_limber(folder.path(), "verify m.glb").status, 0);
  EXPECT_TRUE(json::parse(run_limber(folder.path(), "inspect m.glb --json").out)["free"].get<bool>());
}

TEST(Reduce, SaysThatABodyWithoutItsMeshIsFree) {
  const ScratchFolder folder;
  ASSERT_EQ(run_limber(folder.path(),
                       "reduce 'builtin:beam?size=1,0.1,0.1&cells=6,2,2' --free -o m.glb "
                       "--modes 4 --rank 6 --no-simulation-mesh")
                .status,
            0);
  EXPECT_TRUE(read_model(folder / "m.glb").free);
}

TEST(SimulateReduced, LetsAFreeBodyFall) {
  const ScratchFolder folder;
  ASSERT_EQ(run_limber(folder.path(),
                       "reduce 'builtin:beam?size=1,0.1,0.1&cells=6,2,2' --free -o m.glb --modes 4 --rank 6")
                .status,
            0);
  const test::CommandResult result =
      run_limber(folder.path(), "simulate m.glb -o fall.glb --seconds 0.5 --json");
  ASSERT_EQ(result.status, 0) << result.err;
  const json report = json::parse(result.out);
  ASSERT_EQ(report["trees"].size(), 1u);
  EXPECT_EQ(report["trees"][0]["domains"], 1);
  EXPECT_EQ(report["trees"][0]["coordinates"], 6);
  // g t^2 / 2 in half a second is 1.2 m, many times what a beam held at rest would bend.
  EXPECT_GT(report["bodies"][0]["max_displacement"].get<double>(), 1.0);
}

TEST(Verify, AgreesWithTheMeshAndNoticesAnother) {
  const ScratchFolder folder;
  ASSERT_EQ(reduce(folder).status, 0);
  const test::CommandResult result =
      run_limber(folder.path(), "verify m.glb --mesh 'builtin:beam?size=1,0.1,0.1&cells=8,2,2' --json");
  ASSERT_EQ(result.status, 0) << result.err;
  const json report = json::parse(result.out);
  EXPECT_EQ(report["domains"], 1);
  ASSERT_EQ(report["parts"].size(), 1u);
  for (const char* key : {"force_error", "stiffness_error", "energy_error", "mass_error", "inertia_error"})
    EXPECT_LT(report["parts"][0][key].get<double>(), 1e-10) << key;
  EXPECT_NEAR(report["parts"][0]["largest_gradient"].get<double>(), 1.0, 0.01);
  expect_refused(folder, "verify m.glb --mesh 'builtin:beam?size=1,0.1,0.1&cells=9,2,2'", "vertices");
}

TEST(Verify, FailsForAModelThatIsWrong) {
  const ScratchFolder folder;
  ASSERT_EQ(reduce(folder).status, 0);
  const Model good = read_model(folder / "m.glb");
  Model stiff = good;
  Vector& energy = stiff.parts[0].model.regions[0].mu_energy;
  energy(monomial_count(8) / 2) += 0.1 * energy.cwiseAbs().maxCoeff();
  write_model(folder / "m.glb", stiff);
  const test::CommandResult result = run_limber(folder.path(), "verify m.glb");
  EXPECT_EQ(result.status, 1);
  EXPECT_TRUE(contains(result.err, "differs")) << result.err;
  Model heavy = good;
  heavy.parts[0].model.regions[0].moments.second_rows *= 1.01;
  write_model(folder / "m.glb", heavy);
  const test::CommandResult noticed = run_limber(folder.path(), "verify m.glb");
  EXPECT_EQ(noticed.status, 1);
  EXPECT_TRUE(contains(noticed.err, "differs from mesh and basis: the inertia of")) << noticed.err;
}

TEST(InspectModel, TellsAllAboutIt) {
  const ScratchFolder folder;
  ASSERT_EQ(reduce(folder).status, 0);
  const test::CommandResult result = run_limber(folder.path(), "inspect m.glb --json --picture m.png");
  ASSERT_EQ(result.status, 0) << result.err;
  const json found = json::parse(result.out);
  EXPECT_EQ(found["type"], "reduced model");
  EXPECT_EQ(found["domains"], 1);
  EXPECT_EQ(found["free"], false);
  EXPECT_EQ(found["coordinates"], 8);
  EXPECT_NEAR(found["mass"].get<double>(), 11.0, 1e-9);
  ASSERT_EQ(found["parts"].size(), 1u);
  const json& part = found["parts"][0];
  EXPECT_EQ(part["rank"], 8);
  EXPECT_EQ(part["uses"], 1);
  EXPECT_EQ(part["elements"], 192);
  EXPECT_EQ(part["fixed_vertices"], 9);
  EXPECT_NEAR(part["materials"][0]["young"].get<double>(), 1e5, 1e-4);
  EXPECT_GT(part["explicit_timestep"].get<double>(), 0.0);
  for (std::size_t i = 0; i < 8; ++i) {
    const double frequency = part["frequencies_hz"][i].get<double>();
    EXPECT_NEAR(found["frequencies_hz"][i].get<double>(), frequency, 1e-6 * frequency) << i;
  }
  EXPECT_TRUE(std::filesystem::exists(folder / "m.png"));
  const std::string text = run_limber(folder.path(), "inspect m.glb").out;
  EXPECT_TRUE(contains(text, "1 of 1 part, 1 deep, held")) << text;
  EXPECT_TRUE(contains(text, "young 100000 Pa")) << text;
  EXPECT_TRUE(contains(text, "exact, 495 coefficients")) << text;
}

TEST(SimulateReduced, WritesAnAnimationThatOtherProgramsPlay) {
  const ScratchFolder folder;
  ASSERT_EQ(reduce(folder).status, 0);
  write_file(folder / "scene.json", scene().dump());
  const test::CommandResult result = run_limber(folder.path(), "simulate scene.json --json");
  ASSERT_EQ(result.status, 0) << result.err;
  const json report = json::parse(result.out);
  EXPECT_EQ(report["steps"], 20);
  EXPECT_EQ(report["bodies"][0]["unknowns"], 8);
  EXPECT_GT(report["bodies"][0]["max_displacement"].get<double>(), 1e-3);
  EXPECT_EQ(files_in(folder.path()),
            (std::set<std::string>{"m.glb", "scene.json", "motion.glb", "u.csv", "beam.png"}));
  EXPECT_EQ(line_count(read_file(folder / "u.csv")), 81);
  const test::CommandResult inspected = run_limber(folder.path(), "inspect motion.glb");
  EXPECT_EQ(inspected.status, 0) << inspected.err;
}

TEST(SimulateReduced, LetsAModelGoUnderItsWeight) {
  const ScratchFolder folder;
  ASSERT_EQ(reduce(folder).status, 0);
  const test::CommandResult result = run_limber(folder.path(), "simulate m.glb -o fall.glb --seconds 0.5");
  ASSERT_EQ(result.status, 0) << result.err;
  EXPECT_TRUE(contains(result.out, "steps per second")) << result.out;
  EXPECT_TRUE(std::filesystem::exists(folder / "fall.glb"));
  expect_refused(folder, "simulate m.glb", "-o");
  expect_refused(folder, "simulate m.glb -o m.glb", "overwrite");
}

TEST(SimulateReduced, RefusesBrokenModelsAndScenes) {
  const ScratchFolder folder;
  ASSERT_EQ(reduce(folder).status, 0);
  const std::string good = read_file(folder / "m.glb");
  write_file(folder / "cut.glb", good.substr(0, good.size() / 2));
  write_file(folder / "noise.glb", std::string(1000, 'x'));
  std::string broken = good;
  broken[broken.find("\"rank\":") + 7] = '9';
  write_file(folder / "rank.glb", broken);
  json plain = scene();
  for (const char* name : {"cut.glb", "noise.glb", "rank.glb", "missing.glb"}) {
    plain["bodies"][0]["model"] = name;
    write_file(folder / "scene.json", plain.dump());
    expect_refused(folder, "simulate scene.json", name);
    expect_refused(folder, fmt::format("simulate {} -o out.glb", name), name);
    expect_refused(folder, fmt::format("verify {}", name), name);
  }
  json still = scene();
  still["solver"] = {{"type", "static"}};
  still["bodies"][0]["method"] = "full";
  for (const char* key : {"loads", "damping"}) still["bodies"][0].erase(key);
  write_file(folder / "scene.json", still.dump());
  expect_refused(folder, "simulate scene.json", "output.animation");
  json nothing = scene();
  nothing["bodies"][0].erase("model");
  write_file(folder / "scene.json", nothing.dump());
  expect_refused(folder, "simulate scene.json", "'mesh', 'model' or 'assembly' is missing");
  json itself = scene();
  itself["output"]["animation"] = "m.glb";
  write_file(folder / "scene.json", itself.dump());
  expect_refused(folder, "simulate scene.json", "overwrite");
}

TEST(SimulateReduced, MovesAModelThatWasKeptWithoutItsMesh) {
  const ScratchFolder folder;
  ASSERT_EQ(reduce(folder, "--modes 4 --rank 8 --no-simulation-mesh").status, 0);
  json light = scene();
  light["output"] = {{"animation", "motion.glb"}, {"picture", "beam.png"}};
  write_file(folder / "scene.json", light.dump());
  const test::CommandResult inspected = run_limber(folder.path(), "inspect scene.json");
  EXPECT_EQ(inspected.status, 0) << inspected.err;
  const test::CommandResult simulated = run_limber(folder.path(), "simulate scene.json --output-dir out");
  EXPECT_EQ(simulated.status, 0) << simulated.err;
  EXPECT_TRUE(std::filesystem::exists(folder / "out/motion.glb"));
  light["bodies"][0]["mesh"] = test::tiny_beam_name;
  write_file(folder / "scene.json", light.dump());
  expect_refused(folder, "simulate scene.json",
                 "bodies[0].mesh: a body with 'model' and the method 'reduced' has no use for it");
  expect_refused(folder, "verify m.glb", "without its mesh");
  write_file(folder / "scene.json", scene().dump());
  expect_refused(folder, "simulate scene.json", "need the mesh");
}

TEST(SimulateReduced, SparesItsInputs) {
  const ScratchFolder folder;
  ASSERT_EQ(reduce(folder).status, 0);
  write_file(folder / "scene.json", scene().dump());
  expect_refused(folder, "simulate scene.json -o m.glb", "overwrite");
  json moved = scene();
  moved["output"] = {{"animation", "m.glb"}};
  std::filesystem::create_directory(folder / "a");
  moved["bodies"][0]["model"] = "../m.glb";
  write_file(folder / "a/scene.json", moved.dump());
  expect_refused(folder, "simulate a/scene.json --output-dir .", "overwrite");
  write_surface(folder / "surface.glb", boundary_surface(test::tiny_beam()));
  expect_refused(folder, fmt::format("reduce {} -o surface.glb --render surface.glb", beam), "overwrite");
}

TEST(SimulateReduced, RefusesWhatWouldHaveNoEffect) {
  const ScratchFolder folder;
  ASSERT_EQ(reduce(folder).status, 0);
  json held = scene();
  write_file(folder / "scene.json", held.dump());
  expect_refused(folder, "simulate scene.json --seconds 3", "--seconds");
  expect_refused(folder, "simulate m.glb -o c.glb --output-dir new", "--output-dir");
  expect_refused(folder, "simulate m.glb -o c.glb --gravity nan,0,0", "finite");
  held["bodies"][0]["fixed"] = "none";
  write_file(folder / "scene.json", held.dump());
  expect_refused(folder, "simulate scene.json", "the scene fixes 0 vertices");
  expect_refused(folder, "compare scene.json --probe nan,0,0", "finite");
}

TEST(SimulateReduced, ThrowsAModelThatNothingHolds) {
  const ScratchFolder folder;
  ASSERT_EQ(reduce(folder).status, 0);
  expect_refused(folder, "simulate m.glb -o c.glb --velocity 1,0,0",
                 "--velocity throws a body that nothing holds");
  expect_refused(folder, "simulate m.glb -o c.glb --spin 1,0,0", "reduce it with --free");
  ASSERT_EQ(
      run_limber(folder.path(), "reduce 'builtin:beam?size=1,0.1,0.1&cells=8,2,2' -o free.glb --free").status,
      0);
  expect_refused(folder, "simulate free.glb -o c.glb --velocity nan,0,0", "finite");
  expect_refused(folder, "simulate free.glb -o c.glb --damping -1,0", "at least 0");
  const auto reach = [&](const std::string& options) {
    const auto ran = run_limber(folder.path(), "simulate free.glb -o c.glb --json --seconds 1 " + options);
    EXPECT_EQ(ran.status, 0) << ran.err;
    return json::parse(ran.out)["bodies"][0]["max_displacement"].get<double>();
  };
  EXPECT_NEAR(reach(""), 0.5 * 9.81, 0.01 * 9.81);  // it falls, and nothing slows it down
  EXPECT_NEAR(reach("--gravity 0,0,0 --velocity 3,0,4"), 5.0, 1e-6);
  EXPECT_GT(reach("--gravity 0,0,0 --spin 0,3,0"), 0.3);
  EXPECT_LT(reach("--damping 5,0"), 0.3 * 9.81);
}

TEST(SimulateReduced, BouncesAsMuchAsItIsTold) {
  const ScratchFolder folder;
  ASSERT_EQ(
      run_limber(folder.path(), fmt::format("reduce '{}' -o free.glb --free --modes 3 --rank 4 --young 1e7",
                                            test::tiny_beam_name))
          .status,
      0);
  expect_refused(folder, "simulate free.glb -o c.glb --friction 0.1",
                 "--friction: a body without --ground has no use for it");
  expect_refused(folder, "simulate free.glb -o c.glb --ground -1 --restitution 2", "--restitution");
  const auto energy = [&](const std::string& options) {
    const auto ran = run_limber(folder.path(), "simulate free.glb -o c.glb --json --ground -0.3 " + options);
    EXPECT_EQ(ran.status, 0) << ran.err;
    const json found = json::parse(ran.out);
    EXPECT_EQ(found["steps"], 180) << "of 1/600 s";
    return found["energy"].get<double>();
  };
  // It strikes the ground at 0.2 s.
  EXPECT_NE(energy("--seconds 0.3 --restitution 0.9"), energy("--seconds 0.3"));
  EXPECT_LT(energy("--seconds 0.3 --velocity 2,0,0 --friction 5"),
            energy("--seconds 0.3 --velocity 2,0,0 --friction 0") - 1.0);
}

TEST(SimulateReduced, SaysHowFarItWentAndThatItHardlyShows) {
  const ScratchFolder folder;
  const std::string reduce =
      fmt::format("reduce '{}' -o m.glb --modes 3 --rank 4 --young ", test::tiny_beam_name);
  ASSERT_EQ(run_limber(folder.path(), reduce + "1e9").status, 0);
  const auto stiff = run_limber(folder.path(), "simulate m.glb -o c.glb --seconds 0.2");
  ASSERT_EQ(stiff.status, 0) << stiff.err;
  EXPECT_TRUE(contains(stiff.err, "limber: note: m: it moves by at most ")) << stiff.err;
  EXPECT_TRUE(contains(stiff.out, "largest displacement at the end ")) << stiff.out;
  EXPECT_TRUE(contains(stiff.out, ", in motion ")) << stiff.out;
  ASSERT_EQ(run_limber(folder.path(), reduce + "1e6").status, 0);
  const auto soft = run_limber(folder.path(), "simulate m.glb -o c.glb --seconds 0.2 --json");
  EXPECT_EQ(soft.err, "");
  const json body = json::parse(soft.out)["bodies"][0];
  EXPECT_GE(body["max_displacement_in_motion"].get<double>(), body["max_displacement"].get<double>());
}

TEST(SimulateReduced, DropsAModelThatNothingHoldsOnGround) {
  const ScratchFolder folder;
  ASSERT_EQ(reduce(folder).status, 0);
  expect_refused(folder, "simulate m.glb -o c.glb --ground -1", "--ground is for a body that nothing holds");
  ASSERT_EQ(
      run_limber(folder.path(), "reduce 'builtin:beam?size=1,0.1,0.1&cells=8,2,2' -o free.glb --free").status,
      0);
  expect_refused(folder, "simulate free.glb -o c.glb --ground nan", "finite");
  const auto ran = run_limber(folder.path(), "simulate free.glb -o c.glb --json --seconds 1 --ground -0.55");
  ASSERT_EQ(ran.status, 0) << ran.err;
  EXPECT_NEAR(json::parse(ran.out)["bodies"][0]["max_displacement"].get<double>(), 0.5, 0.05);
  const auto warped = run_limber(
      folder.path(), "simulate free.glb -o w.glb --json --seconds 1 --ground -0.55 --method warped");
  ASSERT_EQ(warped.status, 0) << warped.err;
  EXPECT_NEAR(json::parse(warped.out)["bodies"][0]["max_displacement"].get<double>(), 0.5, 0.05);
}

TEST(Compare, ReportsErrorsShiftsAndSpeedUp) {
  const ScratchFolder folder;
  ASSERT_EQ(reduce(folder).status, 0);
  json both = scene();
  both.erase("output");
  write_file(folder / "scene.json", both.dump());
  const test::CommandResult result = run_limber(
      folder.path(), "compare scene.json --basis model --basis motion --rank 6 --plot probe.svg --json");
  ASSERT_EQ(result.status, 0) << result.err;
  const json report = json::parse(result.out);
  ASSERT_EQ(report["reduced"].size(), 2u);
  for (const json& one : report["reduced"]) {
    EXPECT_EQ(one["rank"], 6);
    EXPECT_LT(one["trajectory_error"].get<double>(), 0.3) << one["basis"];
    EXPECT_GT(one["speed_up"].get<double>(), 0.0);
  }
  EXPECT_LT(report["reduced"][1]["trajectory_error"], report["reduced"][0]["trajectory_error"]);
  EXPECT_TRUE(contains(read_file(folder / "probe.svg"), "<svg"));
  EXPECT_TRUE(contains(run_limber(folder.path(), "compare scene.json").out, "speed-up"));
  expect_refused(folder, "compare scene.json --basis modals", "did you mean 'model'?");
  expect_refused(folder, "compare scene.json --plot p.png", ".svg");
}

}  // namespace
}  // namespace limber::reduce_test
