#include "limber/precompute/verify.hpp"

#include "apps/limber/command.hpp"
#include "apps/limber/console.hpp"
#include "apps/limber/progress_bar.hpp"
#include "limber/base/error.hpp"
#include "limber/bodies/builtin.hpp"
#include "limber/io/mesh_file.hpp"
#include "limber/io/model_file.hpp"

#include <nlohmann/json.hpp>

#include <memory>
#include <string>

namespace limber::app {
namespace {

struct Options {
  std::string model;
  std::string mesh;
  int states = 10;
  double gradient = 1.0;
  double tolerance = 1e-8;
  int threads = 0;
  bool json = false;
};

VolumeMesh mesh_of(const Options& options, const ReducedModel& model) {
  require(model.simulation.has_value(),
          "{}: it was kept without its mesh and basis (--no-simulation-mesh): nothing to verify against",
          options.model);
  if (options.mesh.empty()) return model.simulation->mesh;
  if (is_builtin(options.mesh)) return make_builtin(options.mesh, Executor(options.threads)).mesh;
  return read_mesh(options.mesh);
}

VerifyReport verify(const Options& options, const ReducedModel& model) {
  VolumeMesh mesh = mesh_of(options, model);
  require(mesh.regions.size() == model.regions.size(), "{}: it has {} regions, the mesh {} has {}",
          options.model, model.regions.size(), options.mesh, mesh.regions.size());
  std::vector<Material> materials;
  for (const RegionMaterial& material : model.materials())
    materials.push_back({Stvk{material.lame}, material.density});
  const Executor executor(options.threads);
  ProgressBar bar;
  VerifyOptions verifying;
  verifying.states = options.states;
  verifying.largest_gradient = options.gradient;
  verifying.progress = bar.callback();
  const FullModel full(mesh, materials, model.simulation->fixed, {MassKind::consistent, executor});
  VerifyReport report = verify_model(full, model, verifying);
  if (report.mass_error > 1e-6) {  // the file does not say which mass it was made with
    const FullModel lumped(std::move(mesh), materials, model.simulation->fixed, {MassKind::lumped, executor});
    verifying.states = 1;
    report.mass_error = std::min(report.mass_error, verify_model(lumped, model, verifying).mass_error);
  }
  return report;
}

void run(const Options& options) {
  require(options.tolerance > 0.0, "--tolerance is {}, expected more than 0", options.tolerance);
  const ReducedModel model = read_model(options.model);
  const VerifyReport report = verify(options, model);
  const double largest =
      std::max({report.force_error, report.stiffness_error, report.energy_error, report.mass_error});
  const bool good = largest <= options.tolerance;  // false for NaN
  if (options.json) {
    print_json({{"file", options.model},
                {"states", report.states},
                {"largest_gradient", report.largest_gradient},
                {"force_error", report.force_error},
                {"stiffness_error", report.stiffness_error},
                {"energy_error", report.energy_error},
                {"mass_error", report.mass_error},
                {"tolerance", options.tolerance},
                {"verified", good}});
  } else {
    print(fmt::format("{}: rank {}, {} random states, |grad u| up to {:.3g}\n", options.model, model.rank,
                      report.states, report.largest_gradient));
    print("largest relative differences between reduced and projected full model\n");
    print(to_text({{"force", fmt::format("{:.2e}", report.force_error)},
                   {"stiffness", fmt::format("{:.2e}", report.stiffness_error)},
                   {"energy", fmt::format("{:.2e}", report.energy_error)},
                   {"mass", fmt::format("{:.2e}", report.mass_error)}}));
  }
  if (!good) {
    throw Failure(fmt::format("{}: the reduced model differs from the full one by {:.2e}, more than {:.2e}",
                              options.model, largest, options.tolerance));
  }
}

}  // namespace

Command add_verify(CLI::App& program) {
  CLI::App* parser =
      program.add_subcommand("verify", "Compare the forces of a reduced model with those of its mesh");
  const auto options = std::make_shared<Options>();
  parser->add_option("MODEL", options->model, "Reduced model (.glb)")->required()->type_name("");
  parser->add_option("--mesh", options->mesh, "The mesh it was made from [as kept in the model]")
      ->type_name("MESH");
  parser->add_option("--states", options->states, "Number of random states")
      ->type_name("N")
      ->check(CLI::Range(1, 100000).description(""))
      ->capture_default_str();
  parser->add_option("--gradient", options->gradient, "|grad u| of the strongest state; 1 is 100 % strain")
      ->type_name("G")
      ->check(CLI::Range(1e-6, 1e3).description(""))
      ->capture_default_str();
  parser->add_option("--tolerance", options->tolerance, "Difference at which the command fails")
      ->type_name("T")
      ->capture_default_str();
  add_threads(*parser, options->threads)->capture_default_str();
  parser->add_flag("--json", options->json, "Print the errors as JSON");
  parser->footer("Example:\n  limber verify spoon.glb --mesh builtin:spoon");
  return {parser, [options] { run(*options); }};
}

}  // namespace limber::app
