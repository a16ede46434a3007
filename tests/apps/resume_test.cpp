// Runs of `limber simulate` that are killed and resumed.
#include "limber/base/random.hpp"
#include "limber/io/gmsh_writer.hpp"
#include "tests/apps/support.hpp"

#include <nlohmann/json.hpp>

#include <chrono>
#include <csignal>
#include <fcntl.h>
#include <map>
#include <thread>

namespace limber::resume_test {
namespace {

using nlohmann::json;
using test::contains;
using test::run_limber;
using test::ScratchFolder;
namespace fs = std::filesystem;

/// The command in a folder, to be killed.
class Process {
 public:
  Process(const fs::path& folder, std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), LIMBER_COMMAND);
    std::vector<char*> words;
    for (std::string& argument : arguments) words.push_back(argument.data());
    words.push_back(nullptr);
    const std::string place = folder.string();
    pid_ = ::fork();
    if (pid_ != 0) return;
    const int nothing = ::open("/dev/null", O_RDWR);
    for (const int stream : {STDOUT_FILENO, STDERR_FILENO}) ::dup2(nothing, stream);
    if (::chdir(place.c_str()) == 0) ::execv(LIMBER_COMMAND, words.data());
    ::_exit(127);
  }
  ~Process() {
    if (!ended_) kill();
  }
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;

  /// Whether it has ended by itself; status() then says how.
  bool ended() {
    int status = 0;
    if (!ended_ && ::waitpid(pid_, &status, WNOHANG) == pid_) {
      ended_ = true;
      status_ = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    }
    return ended_;
  }
  [[nodiscard]] int status() const { return status_; }

  void kill() {
    ::kill(pid_, SIGKILL);
    int status = 0;
    ::waitpid(pid_, &status, 0);
    ended_ = true;
  }

 private:
  pid_t pid_ = -1;
  bool ended_ = false;
  int status_ = -1;
};

void wait(double seconds) { std::this_thread::sleep_for(std::chrono::duration<double>(seconds)); }

/// Starts a run in the folder and kills it once there is a checkpoint.
void interrupt(const ScratchFolder& folder, std::vector<std::string> arguments,
               const std::string& checkpoint) {
  arguments.insert(arguments.end(), {"--checkpoint-every", "0"});
  Process process(folder.path(), std::move(arguments));
  while (!fs::exists(folder / checkpoint) && !process.ended()) wait(0.001);
  ASSERT_FALSE(process.ended()) << "status " << process.status() << " before it could be killed";
  process.kill();
}

/// A soft beam that swings down, with one of each output.
json swinging_beam(const std::string& method = "full") {
  return json::parse(R"({
    "bodies": [{"name": "beam", "mesh": "beam.msh",
                "material": {"young": 5e5, "poisson": 0.3, "density": 1000},
                "fixed": {"where": "x < 0.01"}, "damping": {"mass": 0.1, "stiffness": 0.002},
                "method": ")" +
                     method + R"("}],
    "gravity": [0, 0, -9.81],
    "solver": {"type": "dynamic", "timestep": 0.01, "steps": 80},
    "output": {"vtu": "frames", "every": 3, "displacements": "u.csv", "animation": "motion.glb", "picture": "beam.png"}})");
}

void write_scene(const ScratchFolder& folder, const json& scene) {
  write_gmsh(folder / "beam.msh", make_beam({.size = {1.0, 0.2, 0.2}, .cells = {8, 2, 2}}));
  write_file(folder / "scene.json", scene.dump());
}

std::map<std::string, std::string> contents_of(const ScratchFolder& folder) {
  std::map<std::string, std::string> contents;
  for (const std::string& name : test::files_in(folder.path())) {
    const fs::path path = folder / name;
    contents[name] = fs::is_directory(path) ? "" : read_file(path);
  }
  return contents;
}

void expect_same_files(const ScratchFolder& folder, const std::map<std::string, std::string>& expected) {
  const auto found = contents_of(folder);
  for (const auto& [name, content] : expected) {
    ASSERT_TRUE(found.contains(name)) << name << " is missing";
    EXPECT_TRUE(found.at(name) == content) << name << " differs";
  }
  for (const auto& [name, content] : found) EXPECT_TRUE(expected.contains(name)) << name << " is too much";
}

json report_of(const test::CommandResult& result) {
  EXPECT_EQ(result.status, 0) << result.err;
  json report = json::parse(result.out);
  report.erase("seconds");
  if (report.contains("online")) {
    for (json& body : report["online"]) {
      body.erase("seconds");
      body.erase("speedup_estimate");
    }
  }
  return report;
}

/// What a run that nobody disturbs leaves, and its report.
struct Undisturbed {
  std::map<std::string, std::string> files;
  json report;
  double seconds = 0.0;

  Undisturbed(const ScratchFolder& folder, const json& scene, const std::string& options) {
    write_scene(folder, scene);
    const auto before = contents_of(folder);
    const auto start = std::chrono::steady_clock::now();
    report = report_of(run_limber(folder.path(), "simulate scene.json --json " + options));
    seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    files = contents_of(folder);
    clean(folder);
    EXPECT_EQ(contents_of(folder), before);
  }

  /// Removes all output.
  void clean(const ScratchFolder& folder) const {
    for (const auto& [name, content] : files) {
      if (name != "beam.msh" && name != "scene.json") fs::remove_all(folder / name);
    }
  }
};

/// Kills a run at ten moments and resumes it each time.
void expect_same_after_ten_kills(const json& scene) {
  const ScratchFolder folder;
  const Undisturbed whole(folder, scene, "--threads 1 --checkpoint-every 0");
  Random random(8);
  int kills = 0;
  while (kills < 10) {
    Process process(folder.path(),
                    {"simulate", "scene.json", "--threads", "1", "--resume", "--checkpoint-every", "0"});
    wait(random.uniform(0.0, 0.25) * whole.seconds);
    if (!process.ended()) {
      process.kill();
      ++kills;
      continue;
    }
    ASSERT_EQ(process.status(), 0);
    expect_same_files(folder, whole.files);
    whole.clean(folder);  // and once more
  }
  const auto end =
      run_limber(folder.path(), "simulate scene.json --threads 1 --resume --checkpoint-every 0 --json");
  EXPECT_EQ(report_of(end), whole.report);
  expect_same_files(folder, whole.files);
}

TEST(Resume, KilledAtTenMomentsEndsWithTheSameBits) { expect_same_after_ten_kills(swinging_beam()); }

TEST(Resume, KilledAtTenMomentsOfAnOnlineRunEndsWithTheSameBits) {
  json scene = swinging_beam("online");
  scene["solver"]["steps"] = 150;
  scene["output"] = {
      {"vtu", "frames"}, {"every", 10}, {"animation", "motion.glb"}, {"timeline", "timeline.svg"}};
  expect_same_after_ten_kills(scene);
}

TEST(Resume, OfOtherMethodsEndsWithTheSameBits) {
  for (const std::string way : {"reduced", "warped", "linear", "tree"}) {
    const ScratchFolder folder;
    json scene = swinging_beam(way == "tree" ? "reduced" : way);
    if (way == "tree") {
      scene["bodies"][0]["domains"] = {{"from", "auto"}, {"count", 2}, {"rank", 6}};
    } else {
      scene["bodies"][0]["basis"] = {{"modes", 6}};
    }
    scene["solver"]["steps"] = 300;
    scene["output"]["every"] = 40;
    scene["output"].erase("picture");
    if (way == "warped")
      scene["bodies"][0]["support"] = {
          {"keys", {{{"time", 0}}, {{"time", 1.0}, {"position", {0, 0, 0.2}}}, {{"time", 4.0}}}}};
    const Undisturbed whole(folder, scene, "--threads 1");
    interrupt(folder, {"simulate", "scene.json", "--threads", "1"}, "scene.checkpoint");
    const auto end = run_limber(folder.path(), "simulate scene.json --threads 1 --resume --json");
    EXPECT_TRUE(contains(end.err, "limber: note: going on after step ")) << end.err;
    EXPECT_EQ(report_of(end), whole.report) << way;
    expect_same_files(folder, whole.files);
  }
}

TEST(Resume, OfAModelContinuesItsMotion) {
  const ScratchFolder folder;
  ASSERT_EQ(
      run_limber(folder.path(), fmt::format("reduce '{}' -o m.glb --modes 3 --rank 5", test::tiny_beam_name))
          .status,
      0);
  const std::string model = read_file(folder / "m.glb");
  ASSERT_EQ(run_limber(folder.path(), "simulate m.glb -o a.glb --seconds 5").status, 0);
  interrupt(folder, {"simulate", "m.glb", "-o", "b.glb", "--seconds", "5"}, "b.checkpoint");
  test::expect_refused(folder, "simulate m.glb -o b.glb --seconds 6 --resume",
                       "the options have changed: now '--seconds 6', before '--seconds 5'");
  const auto end = run_limber(folder.path(), "simulate m.glb -o b.glb --seconds 5 --resume");
  ASSERT_EQ(end.status, 0) << end.err;
  EXPECT_TRUE(read_file(folder / "a.glb") == read_file(folder / "b.glb"));
  EXPECT_EQ(test::files_in(folder.path()), (std::set<std::string>{"m.glb", "a.glb", "b.glb"}));
}

TEST(Resume, WithoutACheckpointStartsAtTheBeginningAndSaysSo) {
  const ScratchFolder folder;
  write_scene(folder, swinging_beam());
  const auto result = run_limber(folder.path(), "simulate scene.json --resume --output-dir out");
  EXPECT_EQ(result.status, 0);
  EXPECT_TRUE(result.err.starts_with(  // and where steps take long, how far it is
      "limber: note: there is no checkpoint out/scene.checkpoint: starting at the beginning\n"))
      << result.err;
  EXPECT_FALSE(fs::exists(folder / "out/scene.checkpoint"));
  EXPECT_TRUE(fs::exists(folder / "out/motion.glb"));
}

TEST(Resume, RemovesWhatAProcessLeftThatWasKilledBeforeItsFirstCheckpoint) {
  const ScratchFolder folder;
  write_scene(folder, swinging_beam());
  fs::create_directory(folder / "frames");
  for (const char* name : {"frames/beam_0000.vtu.123.part", "u.csv.123.part"})
    write_file(folder / name, "half");
  for (const char* name : {"frames/other_0000.vtu.123.part", "frames/beam_0000.vtu.part"})
    write_file(folder / name, "not ours");
  ASSERT_EQ(run_limber(folder.path(), "simulate scene.json --resume").status, 0);
  EXPECT_FALSE(fs::exists(folder / "frames/beam_0000.vtu.123.part"));
  EXPECT_FALSE(fs::exists(folder / "u.csv.123.part"));
  EXPECT_TRUE(fs::exists(folder / "frames/other_0000.vtu.123.part"));
  EXPECT_TRUE(fs::exists(folder / "frames/beam_0000.vtu.part"));
}

/// A folder in which a run was killed.
void write_interrupted(const ScratchFolder& folder) {
  write_scene(folder, swinging_beam());
  interrupt(folder, {"simulate", "scene.json", "--threads", "1"}, "scene.checkpoint");
}

TEST(Resume, RefusesAnotherScene) {
  const ScratchFolder folder;
  write_interrupted(folder);
  json other = swinging_beam();
  other["solver"]["steps"] = 81;
  write_file(folder / "scene.json", other.dump());
  test::expect_refused(
      folder, "simulate scene.json --resume",
      "scene.checkpoint: this is not the run of the checkpoint: scene.json has changed; delete it");
}

TEST(Resume, RefusesAnotherMeshAndOtherOutputs) {
  const ScratchFolder folder;
  write_interrupted(folder);
  test::expect_refused(folder, "simulate scene.json --resume -o other.glb", "now 'animation: other.glb'");
  write_gmsh(folder / "beam.msh", test::tiny_beam());
  test::expect_refused(folder, "simulate scene.json --resume", "beam.msh has changed");
}

TEST(Resume, RefusesADamagedCheckpointAndMissingFrames) {
  const ScratchFolder folder;
  write_interrupted(folder);
  const std::string good = read_file(folder / "scene.checkpoint");
  std::string bad = good;
  bad[bad.size() / 2] = static_cast<char>(bad[bad.size() / 2] ^ 1);
  write_file(folder / "scene.checkpoint", bad);
  test::expect_refused(folder, "simulate scene.json --resume", "is damaged");
  write_file(folder / "scene.checkpoint", "mine");
  test::expect_refused(folder, "simulate scene.json --resume", "is no checkpoint");
  test::expect_refused(folder, "simulate scene.json", "is where checkpoints go, but is none");
  write_file(folder / "scene.checkpoint", good);
  write_file(folder / "scene.checkpoint.frames", "");
  const auto no_frames = run_limber(folder.path(), "simulate scene.json --threads 1 --resume");
  EXPECT_EQ(no_frames.status, 2);
  EXPECT_TRUE(contains(no_frames.err, "scene.checkpoint.frames: does not hold the ")) << no_frames.err;
  fs::remove(folder / "frames/beam_0000.vtu");
  const auto no_vtu = run_limber(folder.path(), "simulate scene.json --threads 1 --resume");
  EXPECT_EQ(no_vtu.status, 2);
  EXPECT_TRUE(contains(no_vtu.err, "beam_0000.vtu: is missing")) << no_vtu.err;
}

TEST(Checkpoint, OfAnEarlierRunIsReplacedWithAWarning) {
  const ScratchFolder folder;
  write_interrupted(folder);
  const auto result = run_limber(folder.path(), "simulate scene.json");
  EXPECT_EQ(result.status, 0);
  EXPECT_EQ(test::line_count(result.err), 1) << result.err;
  EXPECT_TRUE(
      contains(result.err, "scene.checkpoint is the checkpoint of an earlier run and will be replaced"));
  EXPECT_FALSE(fs::exists(folder / "scene.checkpoint"));
  EXPECT_FALSE(fs::exists(folder / "scene.checkpoint.frames"));
}

TEST(Resume, WithOtherThreadsWarns) {
  const ScratchFolder folder;
  write_interrupted(folder);
  const auto result = run_limber(folder.path(), "simulate scene.json --resume --threads 2");
  EXPECT_EQ(result.status, 0);
  EXPECT_TRUE(contains(result.err, "was begun with 1 thread and goes on with 2")) << result.err;
}

TEST(Checkpoint, GoesWhereItIsAskedFor) {
  const ScratchFolder folder;
  write_scene(folder, swinging_beam());
  interrupt(folder, {"simulate", "scene.json", "--checkpoint", "here.state"}, "here.state");
  EXPECT_EQ(run_limber(folder.path(), "simulate scene.json --checkpoint here.state --resume").status, 0);
  EXPECT_FALSE(fs::exists(folder / "here.state"));
  test::expect_refused(folder, "simulate scene.json --checkpoint beam.msh", "overwrite");
  test::expect_refused(folder, "simulate scene.json --checkpoint missing/a", "does not exist");
  test::expect_refused(folder, "simulate scene.json --checkpoint-every -1", "expected at least 0");
}

TEST(SimulateFull, WritesAnAnimationWithinItsTolerance) {
  const ScratchFolder folder;
  json scene = swinging_beam();
  scene["output"] = {{"animation", "motion.glb"}};
  write_scene(folder, scene);
  const json report = report_of(run_limber(folder.path(), "simulate scene.json --json"));
  ASSERT_EQ(report["animation"].size(), 1u);
  EXPECT_GT(report["animation"][0]["targets"].get<int>(), 2);
  EXPECT_LE(report["animation"][0]["largest_error"].get<double>(),
            report["animation"][0]["tolerance"].get<double>());
  EXPECT_EQ(report["outputs"], json::array({"motion.glb"}));
  scene["solver"] = {{"type", "static"}};
  scene["bodies"][0].erase("damping");
  write_scene(folder, scene);
  test::expect_refused(folder, "simulate scene.json",
                       "output.animation: a static scene of the method 'full' has no use for it");
}

}  // namespace
}  // namespace limber::resume_test
