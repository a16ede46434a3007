#include "apps/limber/report.hpp"

#include "apps/limber/report_figures.hpp"
#include "apps/limber/report_page.hpp"
#include "apps/limber/report_style.hpp"
#include "limber/base/error.hpp"
#include "limber/base/file.hpp"
#include "limber/base/grouped.hpp"
#include "limber/base/words.hpp"
#include "limber/run/output_files.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <set>
#include <utility>

namespace limber::app {
namespace {

std::string percent_text(double share) { return fmt::format("{:.3g} %", 100.0 * share); }

std::string seconds_text(double seconds) {
  if (seconds < 0.0995) return fmt::format("{:.1f} ms", 1e3 * seconds);
  if (seconds < 9.995) return fmt::format("{:.2f} s", seconds);
  if (seconds < 119.95) return fmt::format("{:.1f} s", seconds);
  const auto whole = static_cast<std::int64_t>(std::llround(seconds));
  return fmt::format("{} min {} s", whole / 60, whole % 60);
}

std::string pressure_text(double pascals) {
  if (pascals >= 1e9) return fmt::format("{:.4g} GPa", pascals / 1e9);
  if (pascals >= 1e6) return fmt::format("{:.4g} MPa", pascals / 1e6);
  return pascals >= 1e3 ? fmt::format("{:.4g} kPa", pascals / 1e3) : fmt::format("{:.4g} Pa", pascals);
}

std::string size_text(std::int64_t bytes) {
  const auto number = static_cast<double>(bytes);
  return number < 1e9 ? fmt::format("{:.0f} MB", number / 1e6) : fmt::format("{:.2f} GB", number / 1e9);
}

/// What a report is made of.
struct Source {
  const std::filesystem::path& folder;
  const ReducedModel& reduced;
  const ReduceReport& report;
  const ReportFacts& facts;
  const Executor& executor;
};

void add_tiles(Page& page, const Source& source) {
  const ReducedModel& reduced = source.reduced;
  Rows tiles{{"Elements", grouped(source.facts.elements)}, {"Coordinates", grouped(reduced.rank)}};
  if (reduced.cubature) {
    tiles.emplace_back("Cubature points", grouped(reduced.cubature->point_count()));
    tiles.emplace_back("Error on new poses", percent_text(reduced.cubature->training.held_out_error));
  } else {
    tiles.emplace_back("Elastic forces", "exact");
  }
  tiles.emplace_back("Precomputation", seconds_text(source.facts.total_seconds));
  page.add("<dl class=\"tiles\">\n");
  for (const auto& [name, value] : tiles) page.add("<div><dt>{}</dt><dd>{}</dd></div>\n", name, value);
  page.add("</dl>\n");
}

Rows body_facts(const Source& source) {
  Rows rows{{"Elements", grouped(source.facts.elements)},
            {"Vertices", grouped(source.facts.vertices)},
            {"Unknowns of the full model", grouped(source.facts.unknowns)}};
  if (source.report.rigid_modes > 0) {
    rows.emplace_back("Motions without strain, left out", grouped(source.report.rigid_modes));
  }
  rows.emplace_back("Up", std::string(word_of(source.facts.up, up_axis_words)));
  rows.emplace_back("Held vertices", source.facts.held == 0
                                         ? "none, it flies"
                                         : fmt::format("{}: {}", grouped(source.facts.held),
                                                       escaped(source.facts.held_where)));
  rows.emplace_back("Vertices to draw", grouped(source.reduced.surface.mesh.vertex_count()));
  rows.emplace_back("Peak memory", size_text(source.facts.peak_memory_bytes));
  return rows;
}

Rows basis_facts(const Source& source) {
  const ReduceReport& report = source.report;
  Rows rows{{"Rank", grouped(source.reduced.rank)}};
  if (report.samples > 0) {
    rows.emplace_back("Condensed from", grouped(report.samples) + " vectors");
    rows.emplace_back("Share of these missed", percent_text(report.missed));
  }
  if (report.sketch.recorded > 0) {
    rows.emplace_back("Sketched forces",
                      fmt::format("{}, {} shapes kept", report.sketch.recorded, report.sketch.kept));
  }
  if (report.contact.patches > 0) {
    rows.emplace_back(
        "Compliance to pressure on the surface, share of the true one",
        fmt::format("{} ({} without the {} coordinates for contact)", percent_text(report.contact.after),
                    percent_text(report.contact.before), report.contact.directions));
  }
  rows.emplace_back("Orthonormal to", fmt::format("{:.1e}", report.orthonormality));
  if (report.frequencies_hz.size() > 0) {
    rows.emplace_back("Linear modes orthonormal to", fmt::format("{:.1e}", report.modes_orthonormality));
  }
  if (const ReducedGramSchmidtReport& reduced = report.reduced_gram_schmidt; reduced.products > 0) {
    rows.emplace_back(
        "Products left out by Gram-Schmidt",
        percent_text(static_cast<double>(reduced.skipped) / static_cast<double>(reduced.products)));
    rows.emplace_back("Sampled vertices", grouped(reduced.samples));
  }
  return rows;
}

Rows cubature_facts(const Source& source) {
  const CubatureRule& rule = *source.reduced.cubature;
  const CubatureTraining& training = rule.training;
  Rows rows{{"Points", grouped(rule.point_count())},
            {"Weights", rule.modal() ? "one per point and coordinate" : "one per point"},
            {"Error asked for", percent_text(training.error_asked_for)},
            {"On training poses", percent_text(training.training_error)},
            {"On new poses", percent_text(training.held_out_error)},
            {"Training poses", grouped(training.poses)},
            {"Amplitude", percent_text(training.amplitude) + " of its size"}};
  if (source.report.cubature) {
    rows.emplace_back("Error reached", source.report.cubature->reached ? "<span class=\"good\">yes</span>"
                                                                       : "<span class=\"bad\">no</span>");
  }
  return rows;
}

/// Further constants of a law, if it has some.
std::string constants_text(const MaterialLaw& law) {
  if (const auto* mooney = std::get_if<MooneyRivlin>(&law))
    return fmt::format(", share {:.3g}", mooney->share);
  if (const auto* arruda = std::get_if<ArrudaBoyce>(&law)) {
    return fmt::format(", locking at {:.3g}", arruda->locking_stretch);
  }
  return "";
}

void add_materials(Page& page, const ReducedModel& reduced) {
  page.add("<h3>Materials</h3>\n");
  page.begin_table("Materials", {{"Region", "words"},
                                 {"Law", "words"},
                                 {"Young's modulus", "number"},
                                 {"Poisson's ratio", "number"},
                                 {"Density (kg/m\u00b3)", "number"},
                                 {"Volume (m\u00b3)", "number"}});
  for (const ReducedRegion& region : reduced.regions) {
    const MaterialLaw& law = region.material.law;
    const LameParameters lame = lame_of(law);
    page.add_row(
        {region.region.name.empty() ? fmt::format("{}", region.region.tag) : escaped(region.region.name),
         fmt::format("{}{}", name_of(law), constants_text(law)), pressure_text(young_modulus(lame)),
         fmt::format("{:.4g}", poisson_ratio(lame)), fmt::format("{:.5g}", region.material.density),
         fmt::format("{:.4g}", region.volume)});
  }
  page.end_table();
}

void add_model(Page& page, const Source& source) {
  page.begin_section("model", "The model");
  page.add("<div class=\"columns\">\n");
  page.add_facts("Body", body_facts(source));
  page.add_facts("Basis", basis_facts(source));
  page.add("</div>\n");
  add_materials(page, source.reduced);
  if (const auto held = draw_held_vertices(source.folder, source.reduced, source.facts.up, source.executor)) {
    page.add("<div class=\"pictures wide\">\n");
    page.add_figure(*held);
    page.add("</div>\n");
  }
  page.end_section();
}

void add_basis(Page& page, const Source& source) {
  const std::vector<Figure> figures =
      draw_basis(source.folder, source.reduced, source.facts.up, source.executor);
  page.begin_section("basis", "The basis");
  page.add(
      "<p>The first {} of {} vectors, all with the same largest displacement, which is larger than life, and "
      "the rest shape behind them. Frequencies are those of a motion along a vector alone.</p>\n",
      figures.size(), source.reduced.rank);
  page.add_scale("at rest", "largest displacement");
  page.add("<div class=\"figures pictures\">\n");
  for (const Figure& figure : figures) page.add_figure(figure);
  page.add("</div>\n");
  page.end_section();
}

void add_spectrum(Page& page, const Source& source) {
  const std::optional<Figure> plots[] = {plot_frequencies(source.folder, source.reduced, source.report),
                                         plot_angles(source.folder, source.report),
                                         plot_singular_values(source.folder, source.reduced, source.report)};
  if (std::none_of(std::begin(plots), std::end(plots), [](const auto& plot) { return plot.has_value(); }))
    return;
  page.begin_section("spectrum", "How well it holds the body's own motions");
  if (source.report.check) {
    page.add(
        "<p>The true modes come from an eigensolver; an angle of 0 means that the basis holds a mode, one of "
        "90 "
        "degrees that it knows nothing of it. Finding them took {}, which is no part of the "
        "precomputation.</p>\n",
        seconds_text(source.report.check->seconds));
  }
  page.add("<div class=\"plots\">\n");
  for (const auto& plot : plots) {
    if (plot) page.add_plot(*plot);
  }
  page.add("</div>\n");
  page.end_section();
}

void add_rounds(Page& page, const std::vector<TrainingRound>& rounds) {
  if (rounds.empty()) return;
  page.add("<details><summary>All rounds of training</summary>\n");
  page.begin_table("Rounds of training", {{"Poses", "number"},
                                          {"Points", "number"},
                                          {"Error on known poses", "number"},
                                          {"On new poses", "number"},
                                          {"Time", "number"}});
  for (const TrainingRound& round : rounds) {
    page.add_row({grouped(round.poses), grouped(round.points), percent_text(round.training_error),
                  percent_text(round.held_out_error), seconds_text(round.seconds)});
  }
  page.end_table();
  page.add("</details>\n");
}

void add_cubature(Page& page, const Source& source) {
  if (!source.reduced.cubature) return;
  const auto picture = draw_cubature(source.folder, source.reduced, source.facts.up, source.executor);
  const auto curve = plot_training_curve(source.folder, source.reduced, source.report);
  const auto rounds = plot_training_rounds(source.folder, source.reduced, source.report);
  page.begin_section("cubature", "Cubature");
  page.add_text(
      "<p>Elastic forces are evaluated at a few points of the body, whose weights were fitted to the forces "
      "of "
      "the full model in training poses. Errors are shares of the force, root mean square over poses.");
  if (const auto& result = source.report.cubature) {
    page.add(" Making the poses took {}, fitting the weights {}.", seconds_text(result->pose_seconds),
             seconds_text(result->fit_seconds));
  }
  page.add_text("</p>\n");
  if (picture) {
    page.add_scale("no weight", "largest weight, by the cube root");
    page.add("<div class=\"pictures wide\">\n");
    page.add_figure(*picture);
    page.add("</div>\n");
  }
  page.add("<div class=\"plots\">\n");
  page.add_facts("Training", cubature_facts(source));
  if (curve) page.add_plot(*curve);
  if (rounds) page.add_plot(*rounds);
  page.add("</div>\n");
  if (source.report.cubature) add_rounds(page, source.report.cubature->rounds);
  page.end_section();
}

void add_timings(Page& page, const Source& source) {
  const auto& stages = source.report.stages;
  if (stages.empty()) return;
  double largest = 0.0;
  for (const auto& [name, seconds] : stages) largest = std::max(largest, seconds);
  page.begin_section("timings", "Timings");
  page.begin_table("Timings", {{"Stage", "words"}, {"Time", "number"}, {"Proportion", "share"}});
  for (const auto& [name, seconds] : stages) {
    const double share = largest > 0.0 ? seconds / largest : 0.0;
    page.add_row({escaped(name), seconds_text(seconds),
                  fmt::format("<div class=\"bar\" style=\"width:{:.1f}%\"></div>", 100.0 * share)});
  }
  page.add_row({"total", seconds_text(source.facts.total_seconds), ""}, "total");
  page.end_table();
  page.end_section();
}

void add_options(Page& page, const ReportFacts& facts) {
  if (facts.options.empty()) return;
  page.begin_section("options", "How it was asked for");
  page.add("<ul class=\"card options\">\n");
  for (const std::string& line : facts.options) page.add("<li>{}</li>\n", escaped(line));
  page.add("</ul>\n");
  page.end_section();
}

/// What comes before the sections.
std::string head_of(const Source& source, const Page& body) {
  const std::string& given = source.facts.name.empty() ? source.reduced.name : source.facts.name;
  const std::string name = given.empty() ? "Reduced model" : escaped(given);
  Page head;
  head.add(
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\" />\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\" />\n"
      "<title>{} - limber reduce</title>\n<style>{}</style>\n</head>\n<body>\n",
      name, report_style);
  head.add("<header>\n<p class=\"kind\">Reduced model</p>\n<h1>{}</h1>\n<p class=\"about\">{}</p>\n", name,
           escaped(source.reduced.description));
  add_tiles(head, source);
  head.add("<nav aria-label=\"Contents\"><ul>\n");
  for (const auto& [anchor, title] : body.contents())
    head.add("<li><a href=\"#{}\">{}</a></li>\n", anchor, title);
  head.add("</ul></nav>\n</header>\n");
  return head.html();
}

}  // namespace

bool is_report_file(std::string_view name) {
  return name == "index.html" || name.ends_with(".png") || name.ends_with(".svg");
}

namespace {

/// Pictures, plots and the page.
void write_all(const Source& source) {
  Page body;
  add_model(body, source);
  add_basis(body, source);
  add_spectrum(body, source);
  add_cubature(body, source);
  add_timings(body, source);
  add_options(body, source.facts);
  write_file(source.folder / "index.html",
             fmt::format("{}<main>\n{}</main>\n<footer>Written by limber reduce. This page needs "
                         "the files beside it and nothing else.</footer>\n</body>\n</html>\n",
                         head_of(source, body), body.html()));
}

std::set<std::string> report_files(const std::filesystem::path& folder) {
  std::set<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    const std::string name = entry.path().filename().string();
    if (is_report_file(name)) names.insert(name);
  }
  return names;
}

}  // namespace

void write_report(const std::filesystem::path& folder, const ReducedModel& reduced,
                  const ReduceReport& report, const ReportFacts& facts, const Executor& executor) {
  NewFolders folders;
  folders.make(folder);
  const std::set<std::string> before = report_files(folder);
  try {
    write_all({folder, reduced, report, facts, executor});
  } catch (const Error&) {
    for (const std::string& name : report_files(folder)) {
      if (!before.contains(name)) std::filesystem::remove(folder / name);
    }
    folders.remove_empty();
    throw;
  }
}

}  // namespace limber::app
