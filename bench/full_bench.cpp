#include "bench/bodies.hpp"
#include "bench/registry.hpp"
#include "limber/basis/linear_modes.hpp"
#include "limber/full/dynamics.hpp"

namespace limber::bench {
namespace {

/// One Newmark step with one Newton iteration, from a bent state at rest.
std::function<void()> newmark() {
  const auto model = bar("stvk", 1);
  DynamicsOptions options;
  options.newmark.max_iterations = 1;
  options.damping = {0.1, 0.001, RayleighDamping::Stiffness::local};
  const auto no_load = [](double, double, Vector& f) { f.setZero(); };
  auto dynamics = std::make_shared<FullDynamics>(*model, no_load, bent(*model),
                                                 Vector::Zero(model->dof_count()), options);
  (void)dynamics->step(1e-3);  // analyses the pattern
  return [model, dynamics] { (void)dynamics->step(1e-3); };
}

}  // namespace

std::vector<Case> full_cases(int) {
  std::vector<Case> cases;
  cases.push_back({"full/newmark_step/48000_tets_stvk", newmark, "assembly + factorisation + solve",
                   [](const Results& results, double s) {
                     return s / (results.at("fem/force_stiffness/48000_tets_stvk/1_thread") +
                                 results.at("linalg/factor/48000_tets/1_thread") +
                                 results.at("linalg/solve/48000_tets/1_rhs"));
                   }});
  cases.push_back(
      {"full/modes/20_of_48000_tets",
       [] {
         const auto model = bar("stvk", 1);
         return [model] { (void)compute_linear_modes(*model, 20); };
       },
       "one factorisation",
       [](const Results& results, double s) { return s / results.at("linalg/factor/48000_tets/1_thread"); }});
  return cases;
}

}  // namespace limber::bench
