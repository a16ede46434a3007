#include "limber/run/run_result.hpp"

#include "limber/base/error.hpp"
#include "limber/base/length_text.hpp"
#include "limber/fem/full_model.hpp"
#include "limber/scene/body_held.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <set>

namespace limber {
namespace {

double accepted_error(const Scene& scene) {
  return scene.solver.online.error * std::max(1.0, scene.solver.online.throttle);
}

BodyTreeResult tree_result(const std::string& name, const Model& model, const InterfaceGap& gap) {
  BodyTreeResult result{name, model.domain_count(), model.coordinate_count(), model.depth(), model.free, gap,
                        {}};
  if (gap.domain >= 0) result.gap_domain = model.domains[static_cast<std::size_t>(gap.domain)].name;
  return result;
}

BodyLinearResult linear_result(const std::string& name, const Body& body, const LinearReach& reach) {
  const Model& model = body.model();
  BodyLinearResult result{name, reach, {}};
  if (reach.domain >= 0 && model.domain_count() > 1)
    result.domain = model.domains[static_cast<std::size_t>(reach.domain)].name;
  return result;
}

BodyTrainedResult trained_result(const std::string& name, const Body& body, const TrainedReach& reach) {
  const Model& model = body.model();
  BodyTrainedResult result{name, reach, {}};
  if (model.domain_count() > 1) result.domain = model.domains[static_cast<std::size_t>(reach.domain)].name;
  return result;
}

/// Whether all constraints of a body were met, of which it has some.
bool met_constraints(const SceneState& state, std::size_t i) {
  const std::vector<ConstraintOutcome>& outcomes = constraint_outcomes(state, i);
  return !outcomes.empty() && std::all_of(outcomes.begin(), outcomes.end(),
                                          [](const ConstraintOutcome& outcome) { return outcome.met; });
}

BodyHandleResult handle_result(const std::string& name, const Body& body, const HandleShare& share) {
  BodyHandleResult result{name, share, {}};
  if (body.model().domain_count() > 1)
    result.domain = body.model().domains[static_cast<std::size_t>(share.domain)].name;
  return result;
}

/// What to do where a run found no solution.
std::string_view remedy(const Scene& scene, SolveStatus status) {
  if (status == SolveStatus::not_finite)
    return scene.solver.type == SimulationType::dynamics
               ? "numbers grow beyond all bounds: check the units of its loads, materials and mesh, or use a "
                 "shorter solver.timestep"
               : "numbers grow beyond all bounds: check the units of its loads, materials and mesh";
  switch (scene.solver.type) {
    case SimulationType::dynamics:
      return "use a shorter solver.timestep";
    case SimulationType::quasistatic:
      return "the body may have no equilibrium there: lower the loads, move what holds it less far or more "
             "slowly, or simulate it dynamically";
    case SimulationType::statics: {
      const bool full = std::any_of(scene.bodies.begin(), scene.bodies.end(),
                                    [](const SceneBody& body) { return body.method == Method::full; });
      return full ? "apply a smaller load or give more solver.load_steps" : "apply a smaller load";
    }
  }
  return {};
}

/// Whether its supports keep it from turning as a whole, as a hinge does not.
bool stands_still(const SceneBody& stated, const Body& body) {
  if (body.has_model()) return is_held(body.model());
  return unheld_parts(stated.mesh, select_vertices(stated.mesh, stated.fixed, stated.name + ": fixed"))
      .empty();
}

/// See BodyResult::held_size.
double held_size(const SceneBody& stated, const Body& body) {
  const bool carried = stated.support || !stated.constraints.empty() || !stated.skin.empty();
  const bool free = body.has_model() ? body.model().free : stated.fixed.empty();
  const Matrix3X& rest = body.surface().mesh().vertices;
  if (carried || free || rest.cols() == 0 || !stands_still(stated, body)) return 0.0;
  return (rest.rowwise().maxCoeff() - rest.rowwise().minCoeff()).norm();
}

/// Of one body.
void add_result(const Scene& scene, const SceneState& state, std::size_t i, RunResult& result) {
  const SceneBody& stated = scene.bodies[i];
  const Body& body = state.body(i);
  const Matrix3X moved =
      stated.mesh.element_count() > 0 ? mesh_displacement(scene, state, i) : body.surface_displacement();
  result.bodies.push_back({stated.name, body.method(), stated.mesh.vertex_count(),
                           element_count(scene, state, i), body.freedoms(), moved.colwise().norm().maxCoeff(),
                           largest_displacement(state, i), held_size(stated, body)});
  for (const ConstraintOutcome& outcome : constraint_outcomes(state, i))
    result.constraints.push_back({stated.name, outcome, most_held(state, i), body.freedoms(), body.method()});
  if (body.has_model() && met_constraints(state, i))
    result.handles.push_back(handle_result(stated.name, body, largest_handle_share(state, i)));
  if (body.method() == Method::warped) result.warped.push_back({stated.name, largest_distortion(state, i)});
  if (body.method() == Method::linear)
    result.linear.push_back(linear_result(stated.name, body, largest_reach(state, i)));
  if (const TrainedReach reach = largest_trained_reach(state, i); reach.domain >= 0)
    result.trained.push_back(trained_result(stated.name, body, reach));
  if (const OnlineReport* const online = body.online_report())
    result.online.push_back({stated.name, *online, accepted_error(scene)});
  if (body.has_model() && (stated.is_tree() || body.model().free))
    result.trees.push_back(tree_result(stated.name, body.model(), largest_gap(state, i)));
}

std::string missed_text(const BodyConstraintOutcome& one) {
  const ConstraintOutcome& outcome = one.outcome;
  std::string by;
  if (outcome.position_error > 0.0) by = fmt::format("{:.3g} m", outcome.position_error);
  if (outcome.orientation_error > 0.0)
    by += fmt::format("{}{:.3g} rad", by.empty() ? "" : " and ", outcome.orientation_error);
  return fmt::format("'{}' of {} by up to {}, most at {:.6g} s", outcome.name, one.body, by,
                     outcome.worst_time);
}

/// What may help bodies of these methods to meet their constraints.
std::string constraint_remedy(bool subspace, bool crowded) {
  return fmt::format("{}{}", subspace ? "raise basis.modes or rank, or " : "",
                     crowded ? "hold fewer vertices" : "move them less");
}

void warn_of_missed_constraints(const RunResult& result, std::vector<std::string>& warnings) {
  std::string missed, crowded;
  std::set<std::string> named;
  bool subspace = false;
  for (const BodyConstraintOutcome& one : result.constraints) {
    if (one.outcome.met) continue;
    missed += (missed.empty() ? "" : "; ") + missed_text(one);
    subspace = subspace || !uses_mesh(one.method);
    if (one.held <= one.unknowns || !named.insert(one.body).second) continue;
    crowded += fmt::format("; in {} {} numbers are held by {} modes", one.body, one.held, one.unknowns);
  }
  if (missed.empty()) return;
  warnings.push_back(fmt::format("constraints were missed: {}{}; {}", missed, crowded,
                                 constraint_remedy(subspace, !crowded.empty())));
}

/// Constraints that are met and leave next to nothing of what a body could do beside them: it looks locked.
void warn_of_locked_bodies(const RunResult& result, std::vector<std::string>& warnings) {
  constexpr double most = 0.8;
  for (const BodyHandleResult& one : result.handles) {
    if (static_cast<double>(one.share.held) <= most * static_cast<double>(one.share.coordinates)) continue;
    warnings.push_back(fmt::format(
        "{}{}: constraints hold {} numbers where {} coordinates can meet them, so that it can hardly move in "
        "any other way; hold fewer vertices, or raise basis.modes or rank",
        one.body, one.domain.empty() ? "" : fmt::format(", '{}'", one.domain), one.share.held,
        one.share.coordinates));
  }
}

void warn_of_inexact_animations(const RunResult& result, std::vector<std::string>& warnings) {
  for (const AnimationFit& fit : result.animations) {
    if (fit.largest_error <= fit.tolerance) continue;
    warnings.push_back(
        fmt::format("{}: the animation misses vertices by up to {}, more than its tolerance, which is {}, "
                    "with all of its {} targets; write a shorter motion, or raise "
                    "output.animation_tolerance of a scene",
                    fit.body, small_length(fit.largest_error), small_length(fit.tolerance), fit.targets));
  }
}

void warn_of_distortion(const RunResult& result, std::vector<std::string>& warnings) {
  for (const BodyWarpResult& one : result.warped) {
    if (!(one.distortion.length > largest_warp_distortion)) continue;
    warnings.push_back(fmt::format(
        "{}: its modes turn it by up to {:.0f} degrees, more than warping can represent: lengths are up to "
        "{:.0f} % off, and what is bent so far folds through itself; the method 'reduced' does not",
        one.body, one.distortion.rotation * (180.0 / std::numbers::pi), 100.0 * one.distortion.length));
  }
}

void warn_of_linear_shapes(const RunResult& result, std::vector<std::string>& warnings) {
  for (const BodyLinearResult& one : result.linear) {
    const LinearReach& reach = one.reach;
    if (reach.share <= largest_linear_share && reach.rotation <= largest_linear_rotation) continue;
    const std::string which = one.domain.empty() ? one.body : fmt::format("{}, '{}'", one.body, one.domain);
    warnings.push_back(fmt::format(
        "{}: linear modes carry it by up to {:.3g} m, {:.3g} times its size, and turn it by {:.3g} "
        "degrees, too far for them: what they turn grows; choose the method {}",
        which, reach.displacement, reach.share, reach.rotation * (180.0 / std::numbers::pi),
        one.domain.empty() ? "'warped' or 'reduced'" : "'reduced'"));
  }
}

/// Sizes of a body. A slender one that droops until it hangs from what held it up has its end up to two of
/// them away; what is farther has been stretched.
constexpr double most_held_sizes = 2.0;

/// Linear modes have a warning of their own, and a run that failed says more.
void warn_of_collapsed_bodies(const RunResult& result, std::vector<std::string>& warnings) {
  if (!result.report.ok()) return;
  for (const BodyResult& body : result.bodies) {
    if (body.held_size == 0.0 || body.method == Method::linear ||
        body.max_displacement <= most_held_sizes * body.held_size)
      continue;
    warnings.push_back(fmt::format(
        "{}: it ends {:.3g} m from where it rests, {:.2g} times its size: it has collapsed, or been torn "
        "along; take "
        "a stiffer material, weaker loads, or another unit of length (limber reduce --material, --unit)",
        body.name, body.max_displacement, body.max_displacement / body.held_size));
  }
}

void warn_of_untrained_shapes(const RunResult& result, std::vector<std::string>& warnings) {
  for (const BodyTrainedResult& one : result.trained) {
    const TrainedReach& reach = one.reach;
    if (!(reach.share > largest_trained_share * reach.trained)) continue;
    const std::string which = one.domain.empty() ? one.body : fmt::format("{}, '{}'", one.body, one.domain);
    warnings.push_back(fmt::format(
        "{}: it moves by up to {:.3g} m, {:.2g} times its size, and its forces (cubature) were trained up to "
        "{:.2g}: "
        "beyond that they are guesses; reduce it again with --amplitude {:.2g}, in scenes forces.amplitude",
        which, reach.displacement, reach.share, reach.trained, 1.1 * reach.share));
  }
}

/// Of dynamic bodies alone: in quasistatics nothing has inertia, and handles may jump.
void warn_of_jumps(const RunResult& result, std::vector<std::string>& warnings) {
  for (const BodyConstraintOutcome& one : result.constraints) {
    if (one.outcome.jump == 0.0) continue;
    warnings.push_back(fmt::format(
        "'{}' of {} jumps by {:.3g} m at {:.6g} s, within a time step, by more than half the size of "
        "the body; let it move smoothly, or shorten solver.timestep",
        one.outcome.name, one.body, one.outcome.jump, one.outcome.jump_time));
  }
}

/// Few are nothing that one sees, and one or two of a short run are its start. A run that failed says more.
void warn_of_rescues(const RunResult& result, std::vector<std::string>& warnings) {
  const int taken = result.steps, rescued = result.report.rescued_steps;
  constexpr int few = 2;
  if (!result.report.ok() || rescued <= 0.01 * taken || (rescued <= few && rescued < 0.5 * taken)) return;
  warnings.push_back(fmt::format(
      "{} of {} steps would have gained energy and were damped instead, more than 1 %: the motion is "
      "too fast for the time step; shorten solver.timestep",
      rescued, taken));
}

void warn_of_contact(const RunResult& result, std::vector<std::string>& warnings) {
  if (!result.contact) return;
  if (const int unsolved = result.contact->unsolved; unsolved > 0)
    warnings.push_back(
        fmt::format("in {} of {} steps contact was not solved to its tolerance, so that bodies may be deeper "
                    "in each other "
                    "than they should; shorten solver.timestep",
                    unsolved, result.steps));
  if (const int untested = result.contact->untested; untested > 0)
    warnings.push_back(
        fmt::format("up to {} pair{} of bodies came near each other and cannot touch: models that were kept "
                    "without their "
                    "mesh, and trees of domains whose meshes do not make one; keep one of them with its mesh",
                    untested, untested == 1 ? "" : "s"));
}

}  // namespace

void summarize(const Scene& scene, const SceneState& state, RunResult& result) {
  result.statics = scene.solver.type == SimulationType::statics;
  result.steps = state.step;
  result.time = state.time;
  result.energy = state.world.energy();
  result.remedy = remedy(scene, result.report.status);
  const bool touched = std::any_of(scene.bodies.begin(), scene.bodies.end(),
                                   [&](const SceneBody& body) { return touches(scene, body); });
  if (touched || !scene.rigids.empty()) result.contact = state.contact;
  double smallest = std::numeric_limits<double>::quiet_NaN();  // until it is known of some body
  for (std::size_t i = 0; i < state.body_count(); ++i) {
    add_result(scene, state, i, result);
    smallest = std::fmin(smallest, state.body(i).smallest_volume_ratio());
  }
  result.report.smallest_volume_ratio = smallest;
}

std::vector<std::string> warnings_about(const RunResult& result) {
  std::vector<std::string> warnings;
  warn_of_missed_constraints(result, warnings);
  warn_of_locked_bodies(result, warnings);
  warn_of_inexact_animations(result, warnings);
  warn_of_distortion(result, warnings);
  warn_of_linear_shapes(result, warnings);
  warn_of_collapsed_bodies(result, warnings);
  warn_of_untrained_shapes(result, warnings);
  warn_of_jumps(result, warnings);
  warn_of_rescues(result, warnings);
  warn_of_contact(result, warnings);
  return warnings;
}

std::vector<std::string> notes_about(const RunResult& result) {
  constexpr double seen = 2e-3;  // of a body's size: two pixels where it fills a picture of a thousand
  std::vector<std::string> notes;
  if (result.statics || !result.report.ok()) return notes;
  for (const BodyResult& body : result.bodies) {
    const double farthest = std::max(body.farthest, body.max_displacement);
    if (body.farthest == 0.0 || body.held_size == 0.0 || farthest > seen * body.held_size) continue;
    notes.push_back(
        fmt::format("{}: it moves by at most {}, {:.2g} % of its size, which hardly shows; a softer "
                    "material (limber reduce --material jelly) or stronger loads show more",
                    body.name, small_length(farthest), 100.0 * farthest / body.held_size));
  }
  return notes;
}

}  // namespace limber
