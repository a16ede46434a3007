#pragma once

#include "apps/limber/motion_recording.hpp"
#include "limber/multidomain/tree_dynamics.hpp"
#include "limber/online/online_settings.hpp"
#include "limber/scene/constraint_schedule.hpp"
#include "limber/scene/scene.hpp"
#include "limber/warp/warp_distortion.hpp"

#include <nlohmann/json_fwd.hpp>

#include <filesystem>
#include <string>
#include <vector>

namespace limber::app {

struct BodyResult {
  std::string name;
  Index vertices = 0;
  Index elements = 0;
  Index unknowns = 0;
  double max_displacement = 0.0;  ///< m, at the end
};

struct BodyConstraintOutcome {
  std::string body;
  ConstraintOutcome outcome;
  Index held = 0;   ///< numbers that the constraints of the body hold at a time, at most
  Index modes = 0;  ///< of the body
};

struct BodyWarpResult {
  std::string body;
  WarpDistortion distortion;  ///< of the shape that was turned farthest
};

struct BodyOnlineResult {
  std::string body;
  OnlineReport report;
  double accepted_error = 0.0;
};

struct BodyTreeResult {
  std::string body;
  Index domains = 0, coordinates = 0, depth = 0;
  bool free = false;
  InterfaceGap gap;        ///< the largest of the run, by share
  std::string gap_domain;  ///< whose interface to its parent that is
};

/// What running a scene gave.
struct RunResult {
  bool statics = true;
  StepReport report;    ///< of the last step; iterations: of all steps
  int steps = 0;        ///< that succeeded
  double time = 0.0;    ///< s, simulated
  double energy = 0.0;  ///< elastic, and in dynamics kinetic, at the end, J
  std::string remedy;   ///< what may help where it failed
  std::vector<BodyResult> bodies;
  std::vector<BodyConstraintOutcome> constraints;  ///< of all bodies
  std::vector<BodyWarpResult> warped;              ///< of all bodies of order warped
  std::vector<AnimationFit> animations;            ///< of all bodies whose motion was fitted
  std::vector<BodyOnlineResult> online;            ///< of all bodies of order online
  std::vector<BodyTreeResult> trees;               ///< of all bodies of order domains
  std::vector<std::filesystem::path> outputs;      ///< written; a series is named by its .pvd files

  double read_seconds = 0.0;
  double setup_seconds = 0.0;
  double solve_seconds = 0.0;
  double write_seconds = 0.0;
};

nlohmann::ordered_json to_json(const RunResult& result);
std::string to_text(const RunResult& result);

/// Warnings on standard error: constraints that were missed, animations that miss their tolerance.
void print_warnings(const RunResult& result);

/// What became of a solve that failed, for a message: its status, and its residual where that is a number.
std::string failure_text(const SolveReport& report);

/// Throws Failure, saying what went wrong where, unless the run succeeded.
void require_success(const RunResult& result, std::string_view scene);

}  // namespace limber::app
