#include "apps/limber/verify.hpp"

#include "apps/limber/command.hpp"
#include "apps/limber/console.hpp"
#include "apps/limber/progress_bar.hpp"
#include "limber/base/error.hpp"
#include "limber/bodies/builtin.hpp"
#include "limber/io/mesh_file.hpp"
#include "limber/io/model_file.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <memory>
#include <string>

namespace limber::app {
namespace {

VolumeMesh mesh_of(const VerifyCommand& options, const ReducedModel& model) {
  require(model.simulation.has_value(),
          "{}: it was kept without its mesh and basis (--no-simulation-mesh): nothing to verify against",
          options.model);
  if (options.mesh.empty()) return model.simulation->mesh;
  if (is_builtin(options.mesh)) return make_builtin(options.mesh, Executor(options.threads)).mesh;
  return read_mesh(options.mesh);
}

VerifyReport verify(const VerifyCommand& options, const ReducedModel& model) {
  VolumeMesh mesh = mesh_of(options, model);
  require(mesh.regions.size() == model.regions.size(), "{}: it has {} regions, the mesh {} has {}",
          options.model, model.regions.size(), options.mesh, mesh.regions.size());
  return verify_with_mesh(options, model, std::move(mesh));
}

nlohmann::ordered_json verification_json(const VerifyCommand& options, const ReducedModel& model,
                                         const VerifyReport& report, double inertia, const Verdict& verdict) {
  nlohmann::ordered_json json{{"file", options.model},
                              {"states", report.states},
                              {"lost", report.lost},
                              {"largest_gradient", report.largest_gradient},
                              {"force_error", report.force_error},
                              {"stiffness_error", report.stiffness_error},
                              {"energy_error", report.energy_error},
                              {"mass_error", report.mass_error},
                              {"inertia_error", inertia}};
  if (model.cubature) {
    json["held_out_error"] = report.held_out_error;
    json["error_asked_for"] = model.cubature->training.error_asked_for;
    json["training_error"] = model.cubature->training.training_error;
    if (report.polynomial_error) json["polynomial_error"] = *report.polynomial_error;
  }
  json["tolerance"] = verdict.tolerance;
  json["verified"] = verdict.good() && inertia <= verdict.tolerance;
  return json;
}

std::string percent(double share) { return fmt::format("{:.3g} %", 100.0 * share); }

std::string verification_text(const VerifyCommand& options, const ReducedModel& model,
                              const VerifyReport& report, double inertia) {
  std::string text =
      fmt::format("{}: rank {}, {} {} states, |grad u| up to {:.3g}\n", options.model, model.rank,
                  report.states, model.cubature ? "motion" : "random", report.largest_gradient);
  if (!model.cubature) {
    return text + "largest relative differences between reduced and projected full model\n" +
           to_text({{"force", fmt::format("{:.2e}", report.force_error)},
                    {"stiffness", fmt::format("{:.2e}", report.stiffness_error)},
                    {"energy", fmt::format("{:.2e}", report.energy_error)},
                    {"mass", fmt::format("{:.2e}", report.mass_error)},
                    {"inertia", fmt::format("{:.2e}", inertia)}});
  }
  const CubatureTraining& training = model.cubature->training;
  text += fmt::format("{} cubature of {} points, in motions that it was not trained with\n",
                      model.cubature->modal() ? "modal" : "optimized", model.cubature->point_count());
  text += to_text({{"force error, root mean square", percent(report.held_out_error)},
                   {"asked for in training", percent(training.error_asked_for)},
                   {"reached in training", percent(training.training_error)},
                   {"force error, largest", percent(report.force_error)},
                   {"stiffness error, largest", percent(report.stiffness_error)},
                   {"energy error, largest", percent(report.energy_error)},
                   {"mass error", fmt::format("{:.2e}", report.mass_error)},
                   {"inertia error", fmt::format("{:.2e}", inertia)}});
  if (report.polynomial_error)
    text += to_text({{"against the exact polynomial", percent(*report.polynomial_error)}});
  return text;
}

void run_verify(const VerifyCommand& options) {
  const double tolerance = options.tolerance.value_or(1.0);
  require(tolerance > 0.0 && std::isfinite(tolerance), "--tolerance is {}, expected more than 0", tolerance);
  const Model whole = read_model(options.model);
  if (whole.domain_count() > 1) return verify_tree(options, whole);
  const ReducedModel& model = single_domain(whole, options.model);
  const VerifyReport report = verify(options, model);
  const Verdict verdict = judge(options, model, report);
  const double inertia = moments_error(model);
  if (options.json) {
    print_json(verification_json(options, model, report, inertia, verdict));
  } else {
    print(verification_text(options, model, report, inertia));
  }
  if (!verdict.stable) {
    throw Failure(fmt::format("{}: {} of {} states could not be reached: its forces are unstable",
                              options.model, report.lost, report.states + report.lost));
  }
  if (!verdict.good()) {
    throw Failure(fmt::format("{}: the reduced model differs from the full one by {:.2e}, more than {:.2e}",
                              options.model, verdict.error, verdict.tolerance));
  }
  if (!(inertia <= verdict.tolerance)) {
    throw Failure(fmt::format("{}: its inertia differs from that of its mesh by {:.2e}, more than {:.2e}",
                              options.model, inertia, verdict.tolerance));
  }
}

}  // namespace

VerifyReport verify_with_mesh(const VerifyCommand& options, const ReducedModel& model, VolumeMesh mesh) {
  const std::vector<Material> materials = model.materials();
  const Executor executor(options.threads);
  ProgressBar bar;
  require(!model.cubature || !options.gradient,
          "--gradient is for exact forces; cubature is compared along motions");
  VerifyOptions verifying;
  verifying.states = options.states;
  verifying.largest_gradient = options.gradient.value_or(1.0);
  verifying.seed = options.seed;
  verifying.progress = bar.callback();
  const FullModel full(mesh, materials, model.simulation->fixed, {MassKind::consistent, executor});
  VerifyReport report = verify_model(full, model, verifying);
  if (report.mass_error > 1e-6) {  // the file does not say which mass it was made with
    const FullModel lumped(std::move(mesh), materials, model.simulation->fixed, {MassKind::lumped, executor});
    report.mass_error = std::min(report.mass_error, mass_error(lumped, model));
  }
  return report;
}

Verdict judge(const VerifyCommand& options, const ReducedModel& model, const VerifyReport& report) {
  if (model.cubature) {
    const double asked_for = model.cubature->training.error_asked_for;
    return {std::max(report.held_out_error, report.mass_error), options.tolerance.value_or(2.0 * asked_for),
            5 * report.lost <= report.states};
  }
  return {std::max({report.force_error, report.stiffness_error, report.energy_error, report.mass_error}),
          options.tolerance.value_or(1e-8)};
}

Command add_verify(CLI::App& program) {
  CLI::App* parser = program.add_subcommand(
      "verify",
      "Compare the forces of a reduced model, or of all domains of a tree, with those of their meshes");
  const auto options = std::make_shared<VerifyCommand>();
  parser->add_option("MODEL", options->model, "Reduced model (.glb)")->required()->type_name("");
  parser->add_option("--mesh", options->mesh, "The mesh it was made from [as kept in the model]")
      ->type_name("MESH");
  parser->add_option("--states", options->states, "States to compare [10; 100 along motions for cubature]")
      ->type_name("N")
      ->check(CLI::Range(1, 100000).description(""));
  parser->add_option("--gradient", options->gradient, "Exact forces: |grad u| of the strongest state [1]")
      ->type_name("G")
      ->check(number_range(1e-6, 1e3));
  parser
      ->add_option(
          "--tolerance", options->tolerance,
          "Difference at which the command fails [1e-8; cubature: twice what training was asked for]")
      ->type_name("T");
  parser->add_option("--seed", options->seed, "Of the states")->type_name("S")->capture_default_str();
  add_threads(*parser, options->threads)->capture_default_str();
  parser->add_flag("--json", options->json, "Print the errors as JSON");
  parser->footer("Example:\n  limber verify spoon.glb --mesh builtin:spoon");
  return {parser, [options] { run_verify(*options); }};
}

}  // namespace limber::app
