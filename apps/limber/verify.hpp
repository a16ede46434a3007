#pragma once

#include "limber/multidomain/model.hpp"
#include "limber/precompute/verify.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace limber::app {

/// What `limber verify` is told.
struct VerifyCommand {
  std::string model;
  std::string mesh;
  int states = 0;
  std::optional<double> gradient;
  std::optional<double> tolerance;
  std::uint64_t seed = 1;
  int threads = 0;
  bool json = false;
};

/// What decides: rounding for exact forces; for cubature the error in motions, twice what training was asked
/// for.
struct Verdict {
  double error, tolerance;
  bool stable = true;  ///< nearly all motions could be simulated
  [[nodiscard]] bool good() const { return stable && error <= tolerance; }  // false for NaN
};

/// Compares a model with its mesh, showing progress on standard error. The mesh has the model's regions.
VerifyReport verify_with_mesh(const VerifyCommand& options, const ReducedModel& model, VolumeMesh mesh);
Verdict judge(const VerifyCommand& options, const ReducedModel& model, const VerifyReport& report);

/// `limber verify` for several domains: each part as a reduced model, and its integrals and ports against its
/// mesh and basis.
void verify_tree(const VerifyCommand& options, const Model& tree);

/// Largest relative difference of the integrals over a part's regions from those over its mesh.
double moments_error(const ReducedModel& model);

}  // namespace limber::app
