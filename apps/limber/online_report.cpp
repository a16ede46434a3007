#include "apps/limber/online_report.hpp"

#include "limber/base/error.hpp"
#include "limber/base/text.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <string_view>

namespace limber::app {
namespace {

using Json = nlohmann::ordered_json;

constexpr int text_columns = 76;  ///< of a timeline, which is indented by two

std::string_view step_word(StepKind kind) { return kind == StepKind::full ? "full" : "reduced"; }

Json runs_json(const Timeline& timeline) {
  Json runs = Json::array();
  for (const TimelineRun& run : runs_of(timeline)) {
    Json json{{"kind", step_word(run.kind)}, {"steps", run.steps}, {"rank", run.rank}};
    if (run.change == BasisChange::grown) json["basis"] = "grown";
    if (run.change == BasisChange::shrunk) json["basis"] = "shrunk";
    runs.push_back(std::move(json));
  }
  return runs;
}

/// "1 vector", "5 vectors".
std::string counted(Index count, std::string_view what) {
  return fmt::format("{} {}{}", count, what, count == 1 ? "" : "s");
}

/// A share in per cent with two digits; 0 and 100 only where it is exactly that.
std::string share_text(double share) {
  if (share > 0.999 && share < 1.0) return "over 99.9 %";
  return fmt::format("{:.3g} %", 100.0 * share);
}

std::string online_seconds(double seconds) {
  return seconds < 10.0 ? fmt::format("{:.2f} s", seconds) : fmt::format("{:.1f} s", seconds);
}

std::string basis_text(const OnlineReport& report) {
  if (report.basis_grown == 0 && report.rank == 0) return "no basis was learned";
  std::string text = fmt::format("rank {}, ", report.rank);
  text += report.key_elements > 0 ? counted(report.key_elements, "key element")
                                  : std::string("exact polynomial forces");
  text += fmt::format("; {} added to the basis", counted(report.basis_grown, "vector"));
  if (report.basis_shrunk > 0) text += fmt::format(", {}", counted(report.basis_shrunk, "down-date"));
  return text;
}

std::string error_text(const OnlineReport& report, double accepted_error) {
  const std::string accepted = fmt::format("{:.3g} %", 100.0 * accepted_error);
  if (report.reduced_steps == 0) return fmt::format("no error: every step was full ({} accepted)", accepted);
  const std::string error =
      fmt::format("error about {:.2g} % of the largest displacement", 100.0 * report.error);
  return report.error <= accepted_error ? fmt::format("{} ({} accepted)", error, accepted)
                                        : fmt::format("{}, more than the {} accepted", error, accepted);
}

/// What happened in the steps that one character stands for.
struct Cell {
  Index full = 0, steps = 0;
  bool grown = false, shrunk = false;
};

std::vector<Cell> cells_of(const Timeline& timeline, int columns) {
  const std::size_t count = std::min(timeline.size(), static_cast<std::size_t>(columns));
  std::vector<Cell> cells(count);
  for (std::size_t i = 0; i < timeline.size(); ++i) {
    Cell& cell = cells[i * count / timeline.size()];
    ++cell.steps;
    cell.full += timeline[i].kind == StepKind::full ? 1 : 0;
    cell.grown = cell.grown || timeline[i].change == BasisChange::grown;
    cell.shrunk = cell.shrunk || timeline[i].change == BasisChange::shrunk;
  }
  return cells;
}

struct Characters {
  std::string_view reduced, some_full, most_full, full, grown, shrunk;
};

const Characters& characters_of(TextSet set) {
  static constexpr Characters unicode{"░", "▒", "▓", "█", "╵", "▼"};
  static constexpr Characters ascii{".", ":", "+", "#", "|", "v"};
  return set == TextSet::unicode ? unicode : ascii;
}

std::string_view block_of(const Cell& cell, const Characters& characters) {
  if (cell.full == 0) return characters.reduced;
  if (cell.full == cell.steps) return characters.full;
  return 2 * cell.full < cell.steps ? characters.some_full : characters.most_full;
}

/// What the characters of the timeline mean, as far as there are any.
std::string key_text(const OnlineReport& report, TextSet set) {
  const Characters& characters = characters_of(set);
  std::string text = fmt::format("{} full  {} reduced", characters.full, characters.reduced);
  if (report.basis_grown > 0) text += fmt::format("  {} basis grown", characters.grown);
  if (report.basis_shrunk > 0) text += fmt::format("  {} basis down-dated", characters.shrunk);
  return text;
}

}  // namespace

Json online_json(const OnlineReport& report) {
  return {{"rank", report.rank},
          {"key_elements", report.key_elements},
          {"skipped_share", report.skipped_share()},
          {"full_steps", report.full_steps},
          {"reduced_steps", report.reduced_steps},
          {"basis_grown", report.basis_grown},
          {"basis_shrunk", report.basis_shrunk},
          {"error_estimate", report.error},
          {"speedup_estimate", report.speedup()},
          {"seconds",
           {{"full", report.full_seconds},
            {"reduced", report.reduced_seconds},
            {"learning", report.learning_seconds}}},
          {"timeline", runs_json(report.timeline)}};
}

TextSet terminal_text_set() {
  for (const char* const name : {"LC_ALL", "LC_CTYPE", "LANG"}) {  // the first that is set counts
    const char* const value = std::getenv(name);
    if (value == nullptr || *value == '\0') continue;
    std::string locale(value);
    std::ranges::transform(locale, locale.begin(),
                           [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    const bool is_utf8 =
        locale.find("utf-8") != std::string::npos || locale.find("utf8") != std::string::npos;
    return is_utf8 ? TextSet::unicode : TextSet::ascii;
  }
  return TextSet::ascii;
}

std::string timeline_text(const Timeline& timeline, int columns, TextSet set) {
  require(columns >= 1, "a timeline of {} columns, expected at least 1", columns);
  if (timeline.empty()) return {};
  const Characters& characters = characters_of(set);
  std::string blocks, marks;
  std::size_t spaces = 0;  // before the next mark
  for (const Cell& cell : cells_of(timeline, columns)) {
    blocks += block_of(cell, characters);
    if (!cell.grown && !cell.shrunk) {
      ++spaces;
      continue;
    }
    marks += std::string(spaces, ' ');
    marks += cell.shrunk ? characters.shrunk : characters.grown;
    spaces = 0;
  }
  return marks.empty() ? blocks + "\n" : blocks + "\n" + marks + "\n";
}

std::string online_text(const std::string& body, const OnlineReport& report, double accepted_error,
                        TextSet set) {
  const Index steps = report.full_steps + report.reduced_steps;
  if (steps == 0) return fmt::format("{}: no steps\n", body);
  std::string text = fmt::format("{}: {} of {} reduced ({})", body, report.reduced_steps,
                                 counted(steps, "step"), share_text(report.skipped_share()));
  if (report.reduced_steps > 0 && report.full_steps > 0) {
    text += fmt::format(", about {:.3g} times as fast as full steps alone", report.speedup());
  }
  text += fmt::format("\n  {}\n  {}\n", basis_text(report), error_text(report, accepted_error));
  text += fmt::format("  full steps {}, reduced steps {}, learning {}\n", online_seconds(report.full_seconds),
                      online_seconds(report.reduced_seconds), online_seconds(report.learning_seconds));
  const std::string timeline = timeline_text(report.timeline, text_columns, set);
  if (timeline.empty()) return text;
  for (const std::string_view line : split(std::string_view(timeline).substr(0, timeline.size() - 1), '\n')) {
    text += fmt::format("  {}\n", line);
  }
  return text + fmt::format("  {}\n", key_text(report, set));
}

}  // namespace limber::app
