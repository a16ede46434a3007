#include "apps/limber/report.hpp"

#include "apps/limber/report_figures.hpp"
#include "limber/fem/elements.hpp"
#include "tests/apps/support.hpp"
#include "tests/reduced/support.hpp"

#include <limits>
#include <map>

namespace limber::report_test {
namespace {

using app::ReportFacts;
using app::write_report;
using test::contains;
using test::files_in;
using test::ScratchFolder;

ReducedModel exact_model() { return test::small_model(1); }

/// Points, gradients and weights without meaning, but of the right sizes.
ReducedModel cubature_model(Index rank = 2, Index points = 5) {
  ReducedModel model = test::small_model(2);
  const auto columns = [&](const Matrix& values) { return values.replicate(1, rank).leftCols(rank).eval(); };
  model.rank = rank;
  model.simulation->basis = columns(model.simulation->basis);
  model.surface.basis = columns(model.surface.basis.cast<double>()).cast<float>();
  for (ReducedRegion& region : model.regions) {
    region.material.law = make_law("neo-hookean", lame_from_young(4e7, 0.4));
    region.lambda_energy.resize(0);
    region.mu_energy.resize(0);
    region.mass = Matrix::Identity(rank, rank);
    region.weight = Eigen::MatrixX3d::Zero(rank, 3);
    region.moments.second_rows = Matrix::Zero(9, rank);
    region.moments.second_pairs = Matrix::Zero(9, rank * rank);
  }
  CubatureRule rule;
  for (Index p = 0; p < points; ++p) {
    rule.element.push_back(static_cast<int>(2 * p));
    rule.point.push_back(0);
    rule.region.push_back(static_cast<int>(p % 2));
  }
  rule.gradients = test::random_vector(9 * points * rank, 1.0, 1).reshaped(9 * points, rank);
  rule.weights = Vector::LinSpaced(points, 1.0, 2.0).replicate(1, rank);
  rule.energy_weights = rule.weights.col(0);
  rule.training = {.error_asked_for = 0.0125,
                   .training_error = 0.011,
                   .held_out_error = 0.0133,
                   .amplitude = 0.25,
                   .poses = 1234};
  model.cubature = std::move(rule);
  return model;
}

ReduceReport full_report() {
  ReduceReport report;
  report.frequencies_hz = Eigen::Vector3d(1.0, 2.5, 4.0);
  report.rigid_modes = 6;
  report.samples = 9;
  report.singular_values = Eigen::Vector4d(2.0, 1.0, 1e-3, 0.0);
  report.orthonormality = 1.5e-15;
  report.missed = 0.0345;
  report.reduced_gram_schmidt = {.samples = 70, .products = 8, .skipped = 2};
  report.check = ModeCheck{report.frequencies_hz, Eigen::Vector3d(0.0, 1e-3, 0.5), 1.5};
  report.stages = {{"mesh", 0.5}, {"modes", 2.0}, {"cubature", 1.0}};
  CubatureResult& cubature = report.cubature.emplace();
  cubature.curve = {{1, 0.8, 0.1}, {2, 0.3, 0.2}, {5, 0.011, 0.3}};
  cubature.rounds = {{100, 3, 0.01, 0.2, 1.0}, {200, 5, 0.011, 0.0133, 2.0}};
  return report;
}

ReportFacts some_facts() {
  return {.name = "small",
          .elements = 1234567,
          .vertices = 20,
          .unknowns = 60,
          .total_seconds = 4.0,
          .peak_memory_bytes = 123'000'000,
          .options = {"--modes 3"}};
}

/// The page that is written for these.
std::string page_of(const ScratchFolder& folder, const ReducedModel& model, const ReduceReport& report,
                    const ReportFacts& facts = some_facts()) {
  write_report(folder / "report", model, report, facts, Executor(1));
  return read_file(folder / "report/index.html");
}

/// A report with everything, written once for all tests that only read it.
struct WrittenReport {
  ScratchFolder folder;
  std::string page = page_of(folder, cubature_model(), full_report());
};
const WrittenReport& written_report() {
  static const WrittenReport report;
  return report;
}

/// Values of an attribute, as often as it occurs.
std::vector<std::string> values_of(std::string_view page, std::string_view attribute) {
  std::vector<std::string> values;
  const std::string start = fmt::format(" {}=\"", attribute);
  for (std::size_t at = page.find(start); at != std::string_view::npos; at = page.find(start, at + 1)) {
    const std::size_t first = at + start.size();
    values.emplace_back(page.substr(first, page.find('"', first) - first));
  }
  return values;
}

/// The first tag that does not fit, "" where every element is closed in its turn.
std::string unbalanced_tag(std::string_view page) {
  std::vector<std::string> open;
  for (std::size_t at = page.find('<'); at != std::string_view::npos; at = page.find('<', at + 1)) {
    const std::string tag(page.substr(at + 1, page.find('>', at) - at - 1));
    if (tag.starts_with('!') || tag.ends_with('/')) continue;
    const std::string name = tag.substr(0, tag.find(' '));
    if (!name.starts_with('/')) {
      open.push_back(name);
    } else if (open.empty() || "/" + open.back() != name) {
      return tag;
    } else {
      open.pop_back();
    }
  }
  return open.empty() ? "" : open.back();
}

TEST(Report, WritesThePageAndEveryImageThatItNamesAndNothingElse) {
  const ScratchFolder& folder = written_report().folder;
  const std::vector<std::string> images = values_of(written_report().page, "src");
  std::set<std::string> named(images.begin(), images.end());
  EXPECT_EQ(named, (std::set<std::string>{"mode_01.png", "mode_02.png", "held.png", "frequencies.svg",
                                          "angles.svg", "singular_values.svg", "cubature.png",
                                          "training_curve.svg", "training_rounds.svg"}));
  named.insert("index.html");
  EXPECT_EQ(files_in(folder / "report"), named);
  for (const std::string& image : images) {
    const std::string content = read_file(folder / "report" / image);
    EXPECT_TRUE(content.starts_with(image.ends_with(".png") ? "\x89PNG" : "<svg")) << image;
  }
}

TEST(Report, IsAPageThatNeedsNothingFromElsewhere) {
  const std::string& page = written_report().page;
  EXPECT_TRUE(page.starts_with("<!DOCTYPE html>\n<html lang=\"en\">"));
  EXPECT_EQ(unbalanced_tag(page), "");
  for (const std::string_view foreign : {"<script", "<link", "//", "url(", "@import"}) {
    EXPECT_FALSE(contains(page, foreign)) << foreign;
  }
}

TEST(Report, DescribesEveryImageInWords) {
  const std::string& page = written_report().page;
  const std::vector<std::string> texts = values_of(page, "alt");
  EXPECT_EQ(texts.size(), values_of(page, "src").size());
  for (const std::string& text : texts) EXPECT_GT(text.size(), 20U) << text;
}

TEST(Report, LinksToItsSections) {
  const std::string& page = written_report().page;
  const std::vector<std::string> links = values_of(page, "href");
  EXPECT_EQ(links.size(), 6U);
  for (const std::string& link : links) {
    EXPECT_TRUE(contains(page, fmt::format(" id=\"{}\"", link.substr(1)))) << link;
  }
}

TEST(Report, SpellsTextsOfAnyBytesSoThatTheyStayTexts) {
  const ScratchFolder folder;
  const std::string evil = "<b onload=\"x\">&\xff";
  const std::string harmless = "&lt;b onload=&quot;x&quot;&gt;&amp;\xef\xbf\xbd";
  ReducedModel model = exact_model();
  model.description = evil + "1";
  model.regions[0].region.name = model.simulation->mesh.regions[0].name = evil + "2";
  ReduceReport report = full_report();
  report.stages = {{evil + "3", 1.0}};
  ReportFacts facts = some_facts();
  facts.name = evil + "4";
  facts.options = {evil + "5"};
  const std::string page = page_of(folder, model, report, facts);
  EXPECT_FALSE(contains(page, "<b "));
  EXPECT_EQ(unbalanced_tag(page), "");
  for (int i = 1; i <= 5; ++i) EXPECT_TRUE(contains(page, fmt::format("{}{}", harmless, i))) << i;
}

TEST(Report, TellsSizesAndErrors) {
  const std::string& page = written_report().page;
  for (const std::string_view fact : {"1,234,567", "3.45 %", "1.5e-15", "25 %", "1.25 %", "1.1 %", "1.33 %",
                                      "1,234", "123 MB", "4.00 s", "neo-hookean", "40 MPa"}) {
    EXPECT_TRUE(contains(page, fact)) << fact;
  }
}

TEST(Report, DrawsTimesAsBarsInProportion) {
  const std::string& page = written_report().page;
  for (const std::string_view bar : {"width:25.0%", "width:100.0%", "width:50.0%"}) {
    EXPECT_TRUE(contains(page, bar)) << bar;
  }
}

TEST(Report, LeavesOutWhatThereIsNoDataFor) {
  const ScratchFolder folder;
  ReportFacts facts = some_facts();
  facts.options.clear();
  const std::string page = page_of(folder, exact_model(), ReduceReport{}, facts);
  EXPECT_EQ(files_in(folder / "report"),
            (std::set<std::string>{"held.png", "index.html", "mode_01.png", "frequencies.svg"}));
  EXPECT_EQ(values_of(page, "href"), (std::vector<std::string>{"#model", "#basis", "#spectrum"}));
}

TEST(Report, DrawsTheSurfaceWhereTheMeshWasLeftOut) {
  const ScratchFolder folder;
  ReducedModel model = cubature_model(1);
  model.simulation.reset();
  const std::string page = page_of(folder, model, full_report());
  const std::set<std::string> files = files_in(folder / "report");
  EXPECT_TRUE(files.contains("mode_01.png"));
  EXPECT_FALSE(files.contains("cubature.png")) << "nobody knows where the points are";
  EXPECT_TRUE(contains(page, "id=\"cubature\""));
}

TEST(Report, ShowsTwelveVectorsAtMost) {
  const ScratchFolder folder;
  std::filesystem::create_directory(folder / "pictures");
  EXPECT_EQ(app::draw_basis(folder / "pictures", cubature_model(13), UpAxis::z, Executor(1), 64).size(), 12U);
  EXPECT_EQ(files_in(folder / "pictures").size(), 12U);
}

TEST(Report, TakesNumbersThatNoPlotCanShow) {
  const ScratchFolder folder;
  ReduceReport report = full_report();
  const double nan = std::numeric_limits<double>::quiet_NaN();
  report.frequencies_hz = Eigen::Vector2d(nan, std::numeric_limits<double>::infinity());
  report.singular_values = Eigen::Vector2d(0.0, 0.0);
  report.check->angles = Eigen::Vector2d(0.0, nan);
  report.cubature->curve = {{0, 1.0, 0.0}, {3, 0.0, 0.1}};
  report.cubature->rounds[0].held_out_error = nan;
  report.stages = {{"nothing", 0.0}};
  ReducedModel model = cubature_model(1);
  model.simulation.reset();  // and with it a picture that takes its time
  const std::string page = page_of(folder, model, report);
  EXPECT_FALSE(contains(page, "singular_values.svg"));
  EXPECT_FALSE(contains(page, "training_curve.svg"));
  EXPECT_TRUE(contains(page, "training_rounds.svg"));
}

TEST(Report, ReplacesAnOlderOne) {
  const ScratchFolder folder;
  (void)page_of(folder, exact_model(), full_report());
  const std::set<std::string> before = files_in(folder / "report");
  ReportFacts facts = some_facts();
  facts.name = "another";
  EXPECT_TRUE(contains(page_of(folder, exact_model(), full_report(), facts), "<h1>another</h1>"));
  EXPECT_EQ(files_in(folder / "report"), before);
}

TEST(Report, MakesItsFolderWithParents) {
  const ScratchFolder folder;
  write_report(folder / "a/b", exact_model(), ReduceReport{}, some_facts(), Executor(1));
  EXPECT_TRUE(std::filesystem::exists(folder / "a/b/index.html"));
}

TEST(Report, RefusesAFileAsItsFolder) {
  const ScratchFolder folder;
  write_file(folder / "report", "mine");
  const std::string message = test::error_text(
      [&] { write_report(folder / "report", exact_model(), ReduceReport{}, some_facts(), Executor(1)); });
  EXPECT_TRUE(contains(message, "report: the folder cannot be made (Not a directory)")) << message;
  EXPECT_EQ(read_file(folder / "report"), "mine");
}

TEST(Report, HasTheSamePicturesForAnyNumberOfThreads) {
  const ScratchFolder folder;
  const ReducedModel model = cubature_model();
  std::map<std::string, std::string> first;
  for (const int threads : {1, 3}) {
    const auto figures = app::draw_basis(folder.path(), model, UpAxis::z, Executor(threads), 200);
    const auto points = app::draw_cubature(folder.path(), model, UpAxis::z, Executor(threads), 200);
    ASSERT_EQ(figures.size(), 2U);
    for (const std::string& file : {figures[0].file, figures[1].file, points->file}) {
      const std::string content = read_file(folder / file);
      EXPECT_TRUE(first.try_emplace(file, content).first->second == content) << file;
    }
  }
}

TEST(Report, PutsPointsOfTetrahedraIntoTheirMiddle) {
  const ReducedModel model = cubature_model();
  const VolumeMesh& mesh = model.simulation->mesh;
  const Matrix3X found = app::cubature_positions(*model.cubature, mesh);
  const Vector3 middle = mesh.vertices(Eigen::all, mesh.elements.col(8)).rowwise().mean();
  EXPECT_LT((found.col(4) - middle).norm(), 1e-15);
}

/// Where the gradient of u = x y z is (y z, x z, x y), as the element finds it.
TEST(Report, PutsPointsOfBricksWhereTheElementEvaluatesThem) {
  const VolumeMesh mesh = make_beam({ElementKind::brick, Vector3(1.0, 2.0, 3.0), Eigen::Vector3i(1, 1, 1)});
  CubatureRule rule;
  for (int q = 0; q < 27; ++q) rule.point.push_back(q);
  rule.element.assign(27, 0);
  rule.weights = Matrix::Ones(27, 1);
  const Matrix3X found = app::cubature_positions(rule, mesh);
  const BrickElement element(mesh, ElementPacket{.count = 1});
  for (int q = 0; q < 27; ++q) {
    Packet g[8][3];
    (void)element.point(q, g);
    Vector3 gradient = Vector3::Zero();
    for (int a = 0; a < 8; ++a) {
      const double u = mesh.vertices.col(mesh.elements(a, 0)).prod();
      for (int axis = 0; axis < 3; ++axis) gradient(axis) += u * g[a][axis][0];
    }
    const Vector3 x = found.col(q);
    const Vector3 expected(x.y() * x.z(), x.x() * x.z(), x.x() * x.y());
    EXPECT_LT((gradient - expected).norm(), 1e-13) << "point " << q;
  }
}

}  // namespace
}  // namespace limber::report_test
