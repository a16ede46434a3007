#include "apps/limber/command.hpp"
#include "apps/limber/viewer_page.hpp"
#include "limber/io/mesh_file.hpp"
#include "limber/io/model_file.hpp"
#include "tests/apps/http_support.hpp"
#include "tests/apps/support.hpp"

#include <nlohmann/json.hpp>

#include <array>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <optional>

namespace limber::test {
extern const std::string_view awkward_page_text;
}

namespace limber::view_test {
namespace {

using app::page_with_models;
using app::PageModels;
using nlohmann::json;
using test::contains;
using test::run_limber;
using test::ScratchFolder;

std::string decoded_base64(std::string_view text) {
  constexpr std::string_view digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string bytes;
  std::uint32_t bits = 0;
  int count = 0;
  for (const char c : text.substr(0, text.find('='))) {
    bits = (bits << 6) | static_cast<std::uint32_t>(digits.find(c));
    count += 6;
    if (count < 8) continue;
    count -= 8;
    bytes += static_cast<char>((bits >> count) & 255U);
  }
  return bytes;
}

/// What stands between two marks; a failed test where they are not there.
std::string between(std::string_view text, std::string_view begin, std::string_view end) {
  const std::size_t first = text.find(begin);
  const std::size_t last = text.find(end, first + begin.size());
  EXPECT_TRUE(first != std::string_view::npos && last != std::string_view::npos) << begin;
  return std::string(text.substr(first + begin.size(), last - first - begin.size()));
}

/// A model with its simulation mesh, m.glb in the folder.
void make_model(const ScratchFolder& folder) {
  const auto result = run_limber(
      folder.path(),
      fmt::format("reduce '{}' --fixed-where 'x < 0.01' --modes 2 --rank 3 -o m.glb", test::tiny_beam_name));
  ASSERT_EQ(result.status, 0) << result.err;
}

std::string page_with_model(std::string_view page, const std::string& content, const std::string& name,
                            std::string_view title) {
  return page_with_models(page, PageModels{{{name, content}}, {0}}, title);
}

constexpr std::string_view plain_page =
    R"(<title>x</title><script id="limber-model" type="application/octet-stream" data-name=""></script>)";

TEST(EmbedText, KeepsEveryCharacter) { EXPECT_TRUE(test::awkward_page_text == read_file(AWKWARD_PAGE)); }

TEST(ViewerPage, HoldsTheModelInBase64) {
  EXPECT_EQ(
      page_with_model(plain_page, "\xFF\x01glTF", "m.glb", "m - limber"),
      R"(<title>m - limber</title><script id="limber-model" type="application/octet-stream" data-name="m.glb">/wFnbFRG</script>)");
  for (const std::string bytes : {"", "a", "ab", "abc", "abcd"}) {
    EXPECT_EQ(decoded_base64(between(page_with_model(plain_page, bytes, "m", "t"), "data-name=\"m\">", "<")),
              bytes);
  }
}

TEST(ViewerPage, EscapesNames) {
  const std::string html =
      page_with_model(plain_page, "", "a\"b<c>&'\xC3\xA9.glb", "</title><script>alert(1)</script>");
  EXPECT_TRUE(contains(html, "data-name=\"a&quot;b&lt;c&gt;&amp;'\xC3\xA9.glb\"")) << html;
  EXPECT_TRUE(contains(html, "<title>&lt;/title&gt;&lt;script&gt;alert(1)&lt;/script&gt;</title><script id"))
      << html;
}

TEST(ViewerPage, ChangesNothingButTheTitleAndThePlaceForTheModel) {
  const std::string_view page = test::awkward_page_text;
  const std::string html = page_with_model(page, "abc", "m.glb", "t");
  std::string expected(page);
  const auto replace = [&](std::string_view old_part, std::string_view new_part) {
    expected.replace(expected.find(old_part), old_part.size(), new_part);
  };
  replace("<title>limber</title>", "<title>t</title>");
  replace("<SCRIPT data-name=\"\" type='application/octet-stream' ID=limber-model>\n",
          "<script type=\"application/octet-stream\" id=\"limber-model\" data-name=\"m.glb\">YWJj");
  EXPECT_EQ(html, expected);
}

TEST(ViewerPage, MayHaveItsTitleLast) {
  EXPECT_EQ(page_with_model("<script id=limber-model></script><title></title>", "abc", "m", "t"),
            R"(<script id="limber-model" data-name="m">YWJj</script><title>t</title>)");
}

TEST(ViewerPage, MustHaveOneEmptyPlaceAndATitle) {
  const std::string title = "<title></title>", place = "<script id=limber-model></script>";
  for (const std::string& page :
       {title, title + place + place, place, title + "<script id=limber-models></script>",
        title + "<script id=limber-model>x</script>", std::string()}) {
    EXPECT_THROW(page_with_model(page, "", "m", "t"), app::Failure) << page;
  }
}

TEST(ViewerPage, HoldsTheModelsOfSeveralBodiesEachFileOnce) {
  EXPECT_EQ(page_with_models("<title></title><script id=limber-model></script>.",
                             PageModels{{{"a.glb", "abc"}, {"b&.glb", "abcd"}}, {0, 1, 0}}, "t"),
            R"(<title>t</title><script id="limber-model" data-name="a.glb">YWJj</script>)"
            R"(<script id="limber-model-2" data-name="b&amp;.glb">YWJjZA==</script>)"
            R"(<script id="limber-model-3" data-same-as="limber-model" data-name="a.glb"></script>.)");
}

TEST(ViewerPage, HoldsGravityWithTheFirstModel) {
  EXPECT_EQ(
      page_with_models("<title></title><script id=limber-model data-gravity=x></script>",
                       PageModels{{{"a.glb", ""}}, {0, 0}, Vector3(0.0, 0.0, -9.81)}, "t"),
      R"(<title>t</title><script id="limber-model" data-gravity="0,0,-9.81" data-name="a.glb"></script>)"
      R"(<script id="limber-model-2" data-same-as="limber-model" data-name="a.glb"></script>)");
}

TEST(ViewerPage, ReadsAFileOnceByWhateverPath) {
  const ScratchFolder folder;
  write_file(folder / "a.glb", "A");
  write_file(folder / "b.glb", "B");
  const std::string a = folder / "a.glb", again = folder / "." / "a.glb", b = folder / "b.glb";
  std::vector<std::string> read;
  const PageModels models = app::read_page_models({a, b, again, b}, [&](const std::string& path) {
    read.push_back(path);
    return std::vector<app::PageModel>{{app::display_name(path), read_file(path)}};
  });
  EXPECT_EQ(read, (std::vector{a, b}));
  EXPECT_EQ(models.bodies, (std::vector<std::size_t>{0, 1, 0, 1}));
  ASSERT_EQ(models.files.size(), 2u);
  EXPECT_EQ(models.files[1].name, "b.glb");
  EXPECT_EQ(models.files[1].content, "B");
}

TEST(ViewerPage, NamesFilesInUtf8) {
  EXPECT_EQ(app::display_name("folder/sp\xC3\xB6on.glb"), "sp\xC3\xB6on.glb");
  EXPECT_EQ(app::display_name("a\xFF.glb"), "a\xEF\xBF\xBD.glb");
}

#ifdef LIMBER_VIEWER_PAGE

/// `limber view` as another process, until it is ended by a signal.
class ViewProcess {
 public:
  explicit ViewProcess(const std::filesystem::path& folder, const std::string& arguments) {
    std::array<int, 2> ends{};
    if (::pipe(ends.data()) != 0) return;
    process_ = ::fork();
    if (process_ == 0) {
      ::dup2(ends[1], STDOUT_FILENO);
      ::close(ends[0]);
      ::close(ends[1]);
      // The shell is replaced by the command: signals reach it.
      const std::string line =
          fmt::format("cd '{}' && exec '{}' view {}", folder.string(), LIMBER_COMMAND, arguments);
      ::execl("/bin/sh", "sh", "-c", line.c_str(), nullptr);
      ::_exit(127);
    }
    ::close(ends[1]);
    for (char c = 0; ::read(ends[0], &c, 1) == 1 && c != '\n';) line_ += c;
    ::close(ends[0]);
  }
  ~ViewProcess() {
    if (process_ > 0) end(SIGKILL);
  }
  ViewProcess(const ViewProcess&) = delete;
  ViewProcess& operator=(const ViewProcess&) = delete;

  [[nodiscard]] const std::string& line() const { return line_; }  ///< the first it printed

  [[nodiscard]] int port() const {
    const std::size_t colon = line_.find("127.0.0.1:");
    return colon == std::string::npos ? 0 : std::atoi(line_.c_str() + colon + 10);
  }

  /// Its exit status after the signal; -1 where the signal itself ended it.
  int end(int signal) {
    int status = 0;
    ::kill(process_, signal);
    ::waitpid(std::exchange(process_, -1), &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  }

 private:
  pid_t process_ = -1;
  std::string line_;
};

TEST(View, ServesThePageAndTheModelUntilInterrupted) {
  const ScratchFolder folder;
  make_model(folder);
  ViewProcess view(folder.path(), "m.glb --no-open");
  EXPECT_EQ(view.line(), fmt::format("viewer at http://127.0.0.1:{}/ until Ctrl-C", view.port()));
  EXPECT_TRUE(test::get(view.port(), "/").body == read_file(LIMBER_VIEWER_PAGE));
  EXPECT_TRUE(test::get(view.port(), "/model.glb").body == read_file(folder / "m.glb"));
  EXPECT_EQ(view.end(SIGINT), 0);
}

TEST(View, ServesSeveralModels) {
  const ScratchFolder folder;
  make_model(folder);
  std::filesystem::copy(folder / "m.glb", folder / "n.glb");
  ViewProcess view(folder.path(), "m.glb n.glb m.glb --no-open");
  const auto answer = test::get(view.port(), "/model-2.glb");
  EXPECT_TRUE(answer.body == read_file(folder / "n.glb"));
  EXPECT_TRUE(contains(answer.head, "X-Limber-Bodies: model.glb, model-2.glb, model.glb\r\n")) << answer.head;
  EXPECT_EQ(view.end(SIGINT), 0);
  test::expect_refused(folder, "view m.glb missing.glb --no-open", "missing.glb: no such file");
}

TEST(View, ServesAClipAsItIs) {
  const ScratchFolder folder;
  make_model(folder);
  ASSERT_EQ(run_limber(folder.path(), "simulate m.glb -o clip.glb --seconds 0.1").status, 0);
  ViewProcess view(folder.path(), "clip.glb --no-open");
  const auto answer = test::get(view.port(), "/model.glb");
  EXPECT_TRUE(answer.body == read_file(folder / "clip.glb"));
  EXPECT_FALSE(contains(answer.head, "X-Limber-Gravity")) << answer.head;
  EXPECT_EQ(view.end(SIGINT), 0);
}

TEST(View, StartsWithTheGravityOfAScene) {
  const ScratchFolder folder;
  write_mesh(folder / "beam.msh", test::tiny_beam());
  for (const auto& [gravity, up, expected] : {std::tuple("[0, 0, -9.81]", R"(, "up": "z")", "0,0,-9.81"),
                                              {"3.5", R"(, "up": "y")", "0,-3.5,0"},
                                              {"[0, 0, 0]", R"(, "up": "z")", ""},
                                              {"[0, 0, 9.81]", "", "0,0,9.81"},
                                              {"[6.5, 0, -7]", "", "6.5,0,-7"}}) {
    write_file(folder / "scene.json",
               fmt::format(R"({{"bodies": [{{"mesh": "beam.msh", "fixed": {{"where": "x < 0.01"}},
                 "material": {{"young": 1e5, "poisson": 0.3}}}}], "gravity": {}{},
                 "solver": {{"type": "dynamic", "timestep": 0.01, "steps": 2}}}})",
                           gravity, up));
    ViewProcess view(folder.path(), "scene.json --no-open");
    const auto answer = test::get(view.port(), "/model.glb");
    const std::string header = fmt::format("X-Limber-Gravity: {}\r\n", expected);
    EXPECT_EQ(contains(answer.head, "X-Limber-Gravity"), *expected != 0) << answer.head;
    if (*expected != 0) {
      EXPECT_TRUE(contains(answer.head, header)) << answer.head;
    }
    EXPECT_EQ(view.end(SIGINT), 0);
  }
}

TEST(View, NeedsNoModelAndPrintsJson) {
  const ScratchFolder folder;
  ViewProcess view(folder.path(), "--no-open --json");
  EXPECT_EQ(json::parse(view.line())["url"], fmt::format("http://127.0.0.1:{}/", view.port()));
  EXPECT_EQ(test::get(view.port(), "/model.glb").status, 404);
  const test::Connection stuck(view.port());
  EXPECT_EQ(view.end(SIGTERM), 0);
}

TEST(View, SaysWhenItsPortIsTaken) {
  const ScratchFolder folder;
  const ViewProcess view(folder.path(), "--no-open");
  test::expect_refused(folder, fmt::format("view --no-open --port {}", view.port()), "is taken");
}

/// A variable of the environment with another value, for as long as this lives.
class EnvironmentGuard {
 public:
  EnvironmentGuard(const char* name, const char* value) : name_(name) {
    if (const char* before = ::getenv(name)) before_ = before;
    ::setenv(name, value, 1);
  }
  ~EnvironmentGuard() {
    if (before_) {
      ::setenv(name_, before_->c_str(), 1);
    } else {
      ::unsetenv(name_);
    }
  }
  EnvironmentGuard(const EnvironmentGuard&) = delete;
  EnvironmentGuard& operator=(const EnvironmentGuard&) = delete;

 private:
  const char* name_;
  std::optional<std::string> before_;
};

/// False where a file is not there within a minute.
bool appears(const std::filesystem::path& file) {
  using Clock = std::chrono::steady_clock;
  const auto deadline = Clock::now() + std::chrono::minutes(1);
  while (!std::filesystem::exists(file)) {
    if (Clock::now() > deadline) return false;
    ::usleep(1000);
  }
  return true;
}

TEST(View, OpensTheBrowserOnlyWithAScreenAndWithoutBeingForbidden) {
  // A "browser" that leaves a trace of its one argument, and is no file of ours: not every folder may hold
  // programs.
  const ScratchFolder folder;
  std::filesystem::create_directory(folder / "http:");
  const EnvironmentGuard browser("BROWSER", "mkdir");
  const EnvironmentGuard display("DISPLAY", ":0");
  { const ViewProcess forbidden(folder.path(), "--no-open"); }
  EXPECT_TRUE(std::filesystem::is_empty(folder / "http:"));
  ViewProcess view(folder.path(), "");
  EXPECT_TRUE(appears(folder / "http:" / fmt::format("127.0.0.1:{}", view.port())));
  EXPECT_EQ(view.end(SIGINT), 0);
}

TEST(Export, WritesOnePageWithTheModelInside) {
  const ScratchFolder folder;
  make_model(folder);
  const auto result = run_limber(folder.path(), "export m.glb -o page.html");
  ASSERT_EQ(result.status, 0) << result.err;
  EXPECT_TRUE(result.out.starts_with("wrote page.html (")) << result.out;
  const std::string html = read_file(folder / "page.html");
  EXPECT_TRUE(decoded_base64(between(html, "data-name=\"m.glb\">", "</script")) ==
              read_file(folder / "m.glb"));
  EXPECT_EQ(between(html, "<title>", "</title>"), "m - limber");
  EXPECT_EQ(test::files_in(folder.path()), (std::set<std::string>{"m.glb", "page.html"}));
}

TEST(Export, WritesSeveralModelsIntoOnePage) {
  const ScratchFolder folder;
  make_model(folder);
  std::filesystem::copy(folder / "m.glb", folder / "n.glb");
  const auto result = run_limber(folder.path(), "export m.glb n.glb m.glb -o page.html --json");
  ASSERT_EQ(result.status, 0) << result.err;
  EXPECT_EQ(json::parse(result.out)["model_bytes"], 2 * read_file(folder / "m.glb").size());
  const std::string html = read_file(folder / "page.html");
  EXPECT_TRUE(decoded_base64(between(html, "data-name=\"n.glb\">", "</script")) ==
              read_file(folder / "n.glb"));
  EXPECT_TRUE(contains(html, R"(data-same-as="limber-model" data-name="m.glb"></script>)"));
  EXPECT_EQ(between(html, "<title>", "</title>"), "m, n - limber");
  test::expect_refused(folder, "export m.glb missing.glb -o other.html", "missing.glb: no such file");
}

TEST(Export, NamesTheLicencesOfWhatIsInside) {
  const ScratchFolder folder;
  make_model(folder);
  ASSERT_EQ(run_limber(folder.path(), "export m.glb -o m.html").status, 0);
  const std::string licence = read_file(LIMBER_SOURCE_DIR "/LICENSE");
  const std::string page = read_file(folder / "m.html").substr(0, 4096 + licence.size());
  EXPECT_TRUE(contains(page, licence)) << "limber's own is not there in full";
  for (const char* name : {"Apache License 2.0", "Mozilla Public License 2.0", "three.js", "The MIT License"})
    EXPECT_TRUE(contains(page, name)) << name;
}

TEST(Export, LeavesTheSimulationMeshOutWhenAsked) {
  const ScratchFolder folder;
  make_model(folder);
  const Model whole = read_model(folder / "m.glb");
  const ReducedModel& model = single_domain(whole, "m.glb");
  ASSERT_TRUE(model.simulation.has_value());
  const auto result = run_limber(folder.path(), "export m.glb -o page.html --small --title 'A & B' --json");
  ASSERT_EQ(result.status, 0) << result.err;
  const std::string html = read_file(folder / "page.html");
  const std::string inside = decoded_base64(between(html, "data-name=\"m.glb\">", "</script"));
  const Model without = parse_model(inside, "inside");
  const ReducedModel& small = single_domain(without, "inside");
  EXPECT_FALSE(small.simulation.has_value());
  EXPECT_EQ(small.surface.basis, model.surface.basis);
  EXPECT_EQ(between(html, "<title>", "</title>"), "A &amp; B");
  const json report = json::parse(result.out);
  EXPECT_EQ(report["file_bytes"], html.size());
  EXPECT_EQ(report["model_bytes"], inside.size());
  EXPECT_EQ(report["saved_bytes"], read_file(folder / "m.glb").size() - inside.size());
}

TEST(Export, WritesATreeOfDomains) {
  const ScratchFolder folder;
  ASSERT_EQ(run_limber(folder.path(),
                       fmt::format("reduce '{}' --fixed-where 'x < 0.01' --domains auto:2 --rank 3 -o t.glb",
                                   test::tiny_beam_name))
                .status,
            0);
  ASSERT_EQ(run_limber(folder.path(), "export t.glb -o page.html --small").status, 0);
  const std::string inside =
      decoded_base64(between(read_file(folder / "page.html"), "data-name=\"t.glb\">", "</script"));
  const Model whole = read_model(folder / "t.glb"), small = parse_model(inside, "inside");
  ASSERT_EQ(small.domain_count(), whole.domain_count());
  for (const ReducedPart& part : small.parts) EXPECT_FALSE(part.model.simulation.has_value());
  EXPECT_EQ(small.coordinate_count(), whole.coordinate_count());
}

TEST(Export, SparesItsInput) {
  const ScratchFolder folder;
  make_model(folder);
  std::filesystem::rename(folder / "m.glb", folder / "m.html");
  test::expect_refused(folder, "export m.html -o ./m.html", "would overwrite the input");
}

#else

TEST(View, SaysThatItsPageIsMissing) {
  const ScratchFolder folder;
  make_model(folder);
  for (const char* arguments : {"view m.glb", "view", "export m.glb -o page.html"}) {
    const auto result = run_limber(folder.path(), arguments);
    EXPECT_EQ(result.status, 1) << arguments;
    EXPECT_TRUE(contains(result.err, "built without the viewer's page")) << result.err;
    EXPECT_EQ(test::line_count(result.err), 1) << result.err;
  }
  EXPECT_EQ(test::files_in(folder.path()), std::set<std::string>{"m.glb"});
}

#endif

TEST(ExportCommand, ABodyOfASceneStandsAsTheSceneSays) {
  const ScratchFolder folder;
  const auto up_in_page = [&](std::string_view keys) {
    write_file(folder / "scene.json", fmt::format(R"({{{} "bodies": [{{"name": "beam", "mesh": "{}",
        "method": "reduced", "basis": {{"modes": 3, "rank": 4}}}}],
        "solver": {{"type": "dynamic", "timestep": 0.01, "steps": 2}}}})",
                                                  keys, test::tiny_beam_name));
    const auto result = run_limber(folder.path(), "export scene.json -o page.html");
    EXPECT_EQ(result.status, 0) << result.err;
    const std::string html = read_file(folder / "page.html");
    return parse_model(decoded_base64(between(html, "data-name=\"beam.glb\">", "</script")), "inside").up;
  };
  EXPECT_EQ(up_in_page(R"("gravity": [0, -9.81, 0],)"), UpAxis::y);
  EXPECT_EQ(up_in_page(R"("gravity": 9.81,)"), UpAxis::z);
  EXPECT_EQ(up_in_page(R"("up": "x",)"), UpAxis::x);
  write_file(
      folder / "scene.json",
      fmt::format(R"({{"gravity": [0, -9.81, 0], "bodies": [{{"mesh": "{}"}}]}})", test::tiny_beam_name));
  const json up = json::parse(run_limber(folder.path(), "inspect scene.json --json").out)["up"];
  EXPECT_EQ(up.dump(), "[0.0,1.0,0.0]") << "no -0";
}

}  // namespace
}  // namespace limber::view_test
