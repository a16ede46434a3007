#pragma once

#include "limber/body/handle_share.hpp"
#include "limber/body/method.hpp"
#include "limber/body/step_report.hpp"
#include "limber/multidomain/tree_dynamics.hpp"
#include "limber/online/online_settings.hpp"
#include "limber/run/motion_recorder.hpp"
#include "limber/scene/body_watch.hpp"
#include "limber/scene/scene.hpp"
#include "limber/warp/warp_distortion.hpp"

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace limber {

struct BodyResult {
  std::string name;
  Method method = Method::full;
  Index vertices = 0;
  Index elements = 0;
  Index unknowns = 0;
  double max_displacement = 0.0;  ///< m, at the end
  double farthest = 0.0;          ///< m, the largest of the motion; 0: not known (largest_displacement())
  /// Diagonal of the box about it at rest, m, of one that is held where it was made; 0 of others, which may
  /// go anywhere, and of what turns about a hinge.
  double held_size = 0.0;
};

struct BodyConstraintOutcome {
  std::string body;
  ConstraintOutcome outcome;
  Index held = 0;      ///< numbers that the constraints of the body hold at a time, at most
  Index unknowns = 0;  ///< of the body
  Method method = Method::full;
};

/// Of a body with constraints, all of which were met.
struct BodyHandleResult {
  std::string body;
  HandleShare share;
  std::string domain;  ///< of a tree, where that is
};

struct BodyWarpResult {
  std::string body;
  WarpDistortion distortion;  ///< of the shape that was turned farthest
};

struct BodyLinearResult {
  std::string body;
  LinearReach reach;   ///< of the shape that was carried farthest
  std::string domain;  ///< of a tree, whose that is
};

struct BodyTrainedResult {
  std::string body;
  TrainedReach reach;  ///< of the shape that went farthest beyond its training
  std::string domain;  ///< of a tree, whose that is
};

struct BodyOnlineResult {
  std::string body;
  OnlineReport report;
  double accepted_error = 0.0;  ///< relative, with the throttle
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
  /// Of the last step; iterations of all steps, and as `rescued_steps` the steps in which some body was.
  StepReport report;
  int steps = 0;        ///< that succeeded
  double time = 0.0;    ///< s, simulated
  double energy = 0.0;  ///< World::energy() at the end, J
  std::string remedy;   ///< what may help where it failed
  std::vector<BodyResult> bodies;
  std::vector<BodyConstraintOutcome> constraints;  ///< of all bodies
  std::vector<BodyHandleResult> handles;           ///< of bodies with a reduced model that met theirs
  std::vector<BodyWarpResult> warped;              ///< of all bodies by the method warped
  std::vector<BodyLinearResult> linear;            ///< of all bodies by the method linear
  std::vector<BodyTrainedResult> trained;          ///< of all bodies whose forces were trained
  std::vector<AnimationFit> animations;            ///< of all bodies whose motion was fitted
  std::vector<BodyOnlineResult> online;            ///< of all bodies by the method online
  std::vector<BodyTreeResult> trees;               ///< of all bodies that are trees of domains, or fly
  std::optional<ContactSummary> contact;           ///< where something can touch
  std::vector<std::filesystem::path> outputs;      ///< written; a series is named by its .pvd files

  double read_seconds = 0.0;
  double setup_seconds = 0.0;
  double solve_seconds = 0.0;
  double write_seconds = 0.0;
};

/// What a state is like at the end of a run, into all that the result says of bodies.
void summarize(const Scene& scene, const SceneState& state, RunResult& result);

/// What a person should know of a run, a line each: constraints that were missed or lock a body, animations
/// that miss their tolerance, shapes that warped or linear modes cannot represent, handles that jump, steps
/// that had to be damped, contact that was not solved or not looked for.
std::vector<std::string> warnings_about(const RunResult& result);

/// What is good to know and no fault, a line each: a motion too small to be seen.
std::vector<std::string> notes_about(const RunResult& result);

}  // namespace limber
