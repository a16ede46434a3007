#include "apps/limber/scene_report.hpp"

#include "apps/limber/command.hpp"
#include "apps/limber/describe.hpp"
#include "apps/limber/online_report.hpp"
#include "limber/base/length_text.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <numbers>

namespace limber::app {
namespace {

namespace fs = std::filesystem;

double degrees(double angle) { return angle * (180.0 / std::numbers::pi); }

nlohmann::ordered_json warped_json(const RunResult& result) {
  nlohmann::ordered_json json = nlohmann::ordered_json::array();
  for (const BodyWarpResult& one : result.warped)
    json.push_back({{"body", one.body},
                    {"largest_rotation_degrees", degrees(one.distortion.rotation)},
                    {"largest_length_error", one.distortion.length}});
  return json;
}

nlohmann::ordered_json linear_json(const RunResult& result) {
  nlohmann::ordered_json json = nlohmann::ordered_json::array();
  for (const BodyLinearResult& one : result.linear) {
    json.push_back({{"body", one.body},
                    {"largest_displacement", one.reach.displacement},
                    {"share_of_size", one.reach.share},
                    {"largest_rotation_degrees", degrees(one.reach.rotation)}});
    if (!one.domain.empty()) json.back()["domain"] = one.domain;
  }
  return json;
}

nlohmann::ordered_json trained_json(const RunResult& result) {
  nlohmann::ordered_json json = nlohmann::ordered_json::array();
  for (const BodyTrainedResult& one : result.trained) {
    json.push_back({{"body", one.body},
                    {"largest_displacement", one.reach.displacement},
                    {"share_of_size", one.reach.share},
                    {"trained_share_of_size", one.reach.trained}});
    if (!one.domain.empty()) json.back()["domain"] = one.domain;
  }
  return json;
}

nlohmann::ordered_json constraints_json(const RunResult& result) {
  nlohmann::ordered_json json{{"met", true}, {"each", nlohmann::ordered_json::array()}};
  for (const BodyConstraintOutcome& one : result.constraints) {
    const ConstraintOutcome& outcome = one.outcome;
    if (!outcome.met) json["met"] = false;
    json["each"].push_back({{"body", one.body},
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
                        small_length(tree.gap.largest), 100.0 * tree.gap.share, tree.gap_domain);
  }
  return text + "\n";
}

std::string contact_text(const RunResult& result) {
  return fmt::format("contact: {} deep at most, not solved in {}, rescued {} of {} steps\n",
                     small_length(result.contact->deepest), result.contact->unsolved,
                     result.report.rescued_steps, result.steps);
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
                              {"method", name_of(body.method)},
                              {"vertices", body.vertices},
                              {"elements", body.elements},
                              {"unknowns", body.unknowns},
                              {"max_displacement", body.max_displacement}});
    if (body.farthest > 0.0)
      json["bodies"].back()["max_displacement_in_motion"] = std::max(body.farthest, body.max_displacement);
  }
  if (!result.constraints.empty()) json["constraints"] = constraints_json(result);
  if (!result.warped.empty()) json["warped"] = warped_json(result);
  if (!result.linear.empty()) json["linear"] = linear_json(result);
  if (!result.trained.empty()) json["trained"] = trained_json(result);
  if (!result.animations.empty()) json["animation"] = animations_json(result);
  if (!result.trees.empty()) json["trees"] = trees_json(result);
  if (result.contact)
    json["contact"] = {{"unsolved_steps", result.contact->unsolved},
                       {"untested_pairs", result.contact->untested},
                       {"deepest", result.contact->deepest}};
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
    text += fmt::format("{}: {}, {} vertices, {} elements, {} unknowns, largest displacement {}{:.6g} m",
                        body.name, name_of(body.method), body.vertices, body.elements, body.unknowns,
                        result.statics ? "" : "at the end ", body.max_displacement);
    if (body.farthest > 0.0 && !result.statics)
      text += fmt::format(", in motion {:.6g} m", std::max(body.farthest, body.max_displacement));
    text += '\n';
  }
  if (result.steps > 0 && !result.statics && result.solve_seconds > 0.0)
    text += fmt::format("{:.4g} steps per second ({:.3g} ms each), {:.3g} times real time\n",
                        result.steps / result.solve_seconds, 1e3 * result.solve_seconds / result.steps,
                        result.time / result.solve_seconds);
  if (result.contact && !result.statics) text += contact_text(result);
  for (const BodyTreeResult& tree : result.trees) text += tree_result_text(tree);
  for (const BodyOnlineResult& one : result.online)
    text += online_text(one.body, one.report, one.accepted_error, terminal_text_set());
  if (report.smallest_volume_ratio <= 0.0) text += "warning: some element is inverted at the end\n";
  text += fmt::format("seconds: read {:.2f}, setup {:.2f}, solve {:.2f}, write {:.2f}\n", result.read_seconds,
                      result.setup_seconds, result.solve_seconds, result.write_seconds);
  for (const AnimationFit& fit : result.animations) {
    text += fmt::format("animation{}: {} target{}, largest error {} (tolerance {})\n",
                        result.animations.size() > 1 ? " of " + fit.body : "", fit.targets,
                        fit.targets == 1 ? "" : "s", small_length(fit.largest_error),
                        small_length(fit.tolerance));
  }
  for (const fs::path& path : result.outputs) text += fmt::format("wrote {}\n", path.string());
  return text;
}

std::string failure_text(const SolveReport& report) {
  const std::string_view status = name_of(report.status);
  const bool known = std::isfinite(report.residual) && report.status != SolveStatus::not_finite;
  return known ? fmt::format("{}, residual {:.2g}", status, report.residual) : std::string(status);
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
