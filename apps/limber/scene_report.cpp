#include "apps/limber/scene_report.hpp"

#include "apps/limber/command.hpp"
#include "apps/limber/console.hpp"
#include "apps/limber/describe.hpp"
#include "apps/limber/online_report.hpp"

#include <nlohmann/json.hpp>

#include <cmath>
#include <numbers>
#include <set>

namespace limber::app {
namespace {

namespace fs = std::filesystem;

std::string missed_text(const BodyConstraintOutcome& one) {
  const ConstraintOutcome& outcome = one.outcome;
  std::string by;
  if (outcome.position_error > 0.0) by = fmt::format("{:.3g} m", outcome.position_error);
  if (outcome.orientation_error > 0.0)
    by += fmt::format("{}{:.3g} rad", by.empty() ? "" : " and ", outcome.orientation_error);
  return fmt::format("'{}' of {} by up to {}, most at {:.6g} s", outcome.name, one.body, by,
                     outcome.worst_time);
}

void warn_of_missed_constraints(const RunResult& result) {
  std::string missed, crowded;
  std::set<std::string> named;
  for (const BodyConstraintOutcome& one : result.constraints) {
    if (one.outcome.met) continue;
    missed += (missed.empty() ? "" : "; ") + missed_text(one);
    if (one.held <= one.modes || !named.insert(one.body).second) continue;
    crowded += fmt::format("; in {} {} numbers are held by {} modes", one.body, one.held, one.modes);
  }
  if (missed.empty()) return;
  print_warning(fmt::format("constraints were missed: {}{}; raise basis.modes or rank, or {}", missed,
                            crowded, crowded.empty() ? "move them less" : "hold fewer vertices"));
}

/// A small length in the unit that suits it.
std::string length_text(double metres) {
  return metres < 0.1 ? fmt::format("{:.3g} mm", 1e3 * metres) : fmt::format("{:.3g} m", metres);
}

void warn_of_inexact_animations(const RunResult& result) {
  for (const AnimationFit& fit : result.animations) {
    if (fit.largest_error <= fit.tolerance) continue;
    print_warning(
        fmt::format("{}: the animation misses vertices by up to {}, more than its tolerance, which is {}, "
                    "with all of its "
                    "{} targets; write a shorter motion, or raise output.animation_tolerance of a scene",
                    fit.body, length_text(fit.largest_error), length_text(fit.tolerance), fit.targets));
  }
}

double degrees(double angle) { return angle * (180.0 / std::numbers::pi); }

void warn_of_distortion(const RunResult& result) {
  for (const BodyWarpResult& one : result.warped) {
    if (!(one.distortion.length > largest_warp_distortion)) continue;
    print_warning(fmt::format(
        "{}: its modes turn it by up to {:.0f} degrees, more than warping can represent: lengths are up to "
        "{:.0f} % off, and what is bent so far folds through itself; the order 'reduced' does not",
        one.body, degrees(one.distortion.rotation), 100.0 * one.distortion.length));
  }
}

/// Few are nothing that one sees.
void warn_of_rescues(const RunResult& result) {
  const auto taken = static_cast<double>(result.steps) * static_cast<double>(result.bodies.size());
  if (result.report.rescued_steps <= 0.01 * taken) return;
  print_warning(fmt::format(
      "{} of {:.0f} steps would have gained energy and were damped instead, more than 1 %: the motion is "
      "too fast for the time step; shorten solver.timestep",
      result.report.rescued_steps, taken));
}

nlohmann::ordered_json warped_json(const RunResult& result) {
  nlohmann::ordered_json json = nlohmann::ordered_json::array();
  for (const BodyWarpResult& one : result.warped)
    json.push_back({{"body", one.body},
                    {"largest_rotation_degrees", degrees(one.distortion.rotation)},
                    {"largest_length_error", one.distortion.length}});
  return json;
}

nlohmann::ordered_json constraints_json(const RunResult& result) {
  nlohmann::ordered_json json{{"met", true}, {"each", nlohmann::ordered_json::array()}};
  for (const auto& [body, outcome, held, modes] : result.constraints) {
    if (!outcome.met) json["met"] = false;
    json["each"].push_back({{"body", body},
                            {"name", outcome.name},
                            {"met", outcome.met},
                            {"position_error", outcome.position_error},
                            {"orientation_error", outcome.orientation_error},
                            {"worst_time", outcome.worst_time}});
  }
  return json;
}

nlohmann::ordered_json trees_json(const RunResult& result) {
  nlohmann::ordered_json json = nlohmann::ordered_json::array();
  for (const BodyTreeResult& tree : result.trees) {
    json.push_back({{"body", tree.body},
                    {"domains", tree.domains},
                    {"coordinates", tree.coordinates},
                    {"depth", tree.depth},
                    {"free", tree.free}});
    if (tree.gap.domain < 0) continue;  // no interfaces, or none whose vertices the model kept
    json.back()["largest_gap"] = {
        {"domain", tree.gap_domain}, {"length", tree.gap.largest}, {"share", tree.gap.share}};
  }
  return json;
}

std::string tree_result_text(const BodyTreeResult& tree) {
  std::string text =
      fmt::format("{}: {} domain{}, {} deep, {}, {} coordinates", tree.body, tree.domains,
                  tree.domains == 1 ? "" : "s", tree.depth, tree.free ? "free" : "held", tree.coordinates);
  if (tree.gap.domain >= 0) {
    text += fmt::format("; largest interface gap before averaging {} ({:.2g} % of the interface) at {}",
                        length_text(tree.gap.largest), 100.0 * tree.gap.share, tree.gap_domain);
  }
  return text + "\n";
}

nlohmann::ordered_json animations_json(const RunResult& result) {
  nlohmann::ordered_json json = nlohmann::ordered_json::array();
  for (const AnimationFit& fit : result.animations) {
    json.push_back({{"body", fit.body},
                    {"targets", fit.targets},
                    {"largest_error", fit.largest_error},
                    {"tolerance", fit.tolerance}});
  }
  return json;
}

}  // namespace

void print_warnings(const RunResult& result) {
  warn_of_missed_constraints(result);
  warn_of_inexact_animations(result);
  warn_of_distortion(result);
  warn_of_rescues(result);
}

nlohmann::ordered_json to_json(const RunResult& result) {
  nlohmann::ordered_json json{{"status", name_of(result.report.status)},
                              {"steps", result.steps},
                              {"time", result.time},
                              {"iterations", result.report.iterations},
                              {"residual", result.report.residual},
                              {"energy", result.energy},
                              {"load_steps", result.report.load_steps},
                              {"rescued_steps", result.report.rescued_steps},
                              {"smallest_volume_ratio", number_or_null(result.report.smallest_volume_ratio)}};
  json["seconds"] = {{"read", result.read_seconds},
                     {"setup", result.setup_seconds},
                     {"solve", result.solve_seconds},
                     {"write", result.write_seconds}};
  if (result.steps > 0 && !result.statics) json["seconds"]["step"] = result.solve_seconds / result.steps;
  json["bodies"] = nlohmann::ordered_json::array();
  for (const BodyResult& body : result.bodies) {
    json["bodies"].push_back({{"name", body.name},
                              {"vertices", body.vertices},
                              {"elements", body.elements},
                              {"unknowns", body.unknowns},
                              {"max_displacement", body.max_displacement}});
  }
  if (!result.constraints.empty()) json["constraints"] = constraints_json(result);
  if (!result.warped.empty()) json["warped"] = warped_json(result);
  if (!result.animations.empty()) json["animation"] = animations_json(result);
  if (!result.trees.empty()) json["trees"] = trees_json(result);
  for (const BodyOnlineResult& one : result.online) {
    nlohmann::ordered_json body{{"body", one.body}, {"accepted_error", one.accepted_error}};
    body.update(online_json(one.report));
    json["online"].push_back(std::move(body));
  }
  json["outputs"] = nlohmann::ordered_json::array();
  for (const fs::path& path : result.outputs) json["outputs"].push_back(path.string());
  return json;
}

std::string to_text(const RunResult& result) {
  const StepReport& report = result.report;
  std::string text = fmt::format("{}: ", name_of(report.status));
  if (result.statics) {
    text += fmt::format("{} load step{}", report.load_steps, report.load_steps == 1 ? "" : "s");
  } else {
    text += fmt::format("{} time step{}, {:.6g} s simulated", result.steps, result.steps == 1 ? "" : "s",
                        result.time);
  }
  text += fmt::format(", {} iterations, residual {:.2g}, energy {:.6g} J\n", report.iterations,
                      report.residual, result.energy);
  for (const BodyResult& body : result.bodies) {
    text += fmt::format("{}: {} vertices, {} elements, {} unknowns, largest displacement {:.6g} m\n",
                        body.name, body.vertices, body.elements, body.unknowns, body.max_displacement);
  }
  if (result.steps > 0 && !result.statics && result.solve_seconds > 0.0)
    text += fmt::format("{:.4g} steps per second ({:.3g} ms each), {:.3g} times real time\n",
                        result.steps / result.solve_seconds, 1e3 * result.solve_seconds / result.steps,
                        result.time / result.solve_seconds);
  for (const BodyTreeResult& tree : result.trees) text += tree_result_text(tree);
  for (const BodyOnlineResult& one : result.online)
    text += online_text(one.body, one.report, one.accepted_error, terminal_text_set());
  if (report.smallest_volume_ratio <= 0.0) text += "warning: some element is inverted at the end\n";
  text += fmt::format("seconds: read {:.2f}, setup {:.2f}, solve {:.2f}, write {:.2f}\n", result.read_seconds,
                      result.setup_seconds, result.solve_seconds, result.write_seconds);
  for (const AnimationFit& fit : result.animations) {
    text +=
        fmt::format("animation{}: {} target{}, largest error {} (tolerance {})\n",
                    result.animations.size() > 1 ? " of " + fit.body : "", fit.targets,
                    fit.targets == 1 ? "" : "s", length_text(fit.largest_error), length_text(fit.tolerance));
  }
  for (const fs::path& path : result.outputs) text += fmt::format("wrote {}\n", path.string());
  return text;
}

std::string failure_text(const SolveReport& report) {
  const std::string_view status = name_of(report.status);
  return std::isfinite(report.residual) ? fmt::format("{}, residual {:.2g}", status, report.residual)
                                        : std::string(status);
}

void require_success(const RunResult& result, std::string_view scene) {
  if (result.report.ok()) return;
  const std::string outcome = failure_text(result.report);
  if (result.statics) {
    throw Failure(fmt::format("{}: no static solution found: {}; {}", scene, outcome, result.remedy));
  }
  throw Failure(fmt::format("{}: the solve failed after {} step{} (t = {:.6g} s): {}; {}", scene,
                            result.steps, result.steps == 1 ? "" : "s", result.time, outcome, result.remedy));
}

}  // namespace limber::app
