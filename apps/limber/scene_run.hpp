#pragma once

#include "apps/limber/motion_recording.hpp"
#include "limber/scene/constraint_schedule.hpp"
#include "limber/scene/scene.hpp"

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

/// What running a scene gave.
struct RunResult {
  bool statics = true;
  StepReport report;  ///< of the last step; iterations: of all steps
  int steps = 0;      ///< that succeeded
  double time = 0.0;  ///< s, simulated
  std::vector<BodyResult> bodies;
  std::vector<BodyConstraintOutcome> constraints;  ///< of all bodies
  std::vector<AnimationFit> animations;            ///< of all warped bodies, where there is an animation
  std::vector<std::filesystem::path> outputs;      ///< written; a series is named by its .pvd files

  double read_seconds = 0.0;
  double setup_seconds = 0.0;
  double solve_seconds = 0.0;
  double write_seconds = 0.0;
};

/// Runs a scene to its end and writes what it asks for, showing progress on standard error. Everything is
/// checked (where the output goes, the models, the start state) before the first file is written. A step that
/// fails ends the run: the result says so, the series up to there stays and nothing else is written. folder:
/// made, with its parents, before the first output; empty for none. Throws Error for bad input and Failure
/// where writing fails.
RunResult run_scene(const Scene& scene, const std::filesystem::path& folder = {});

nlohmann::ordered_json to_json(const RunResult& result);
std::string to_text(const RunResult& result);

/// Throws Failure, saying what went wrong where, unless the run succeeded.
void require_success(const RunResult& result, std::string_view scene);

}  // namespace limber::app
