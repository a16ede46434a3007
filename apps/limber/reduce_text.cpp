#include "apps/limber/reduce_text.hpp"

#include "apps/limber/body_options.hpp"
#include "apps/limber/console.hpp"
#include "apps/limber/describe.hpp"
#include "apps/limber/memory.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <numbers>
#include <vector>

namespace limber::app {
namespace {

using Json = nlohmann::ordered_json;

Json cubature_json(const CubatureRule& rule, const CubatureResult& training) {
  Json json{{"kind", name_of(forces_of(rule))},
            {"points", rule.point_count()},
            {"poses", rule.training.poses},
            {"error_asked_for", rule.training.error_asked_for},
            {"training_error", rule.training.training_error},
            {"held_out_error", rule.training.held_out_error},
            {"amplitude", rule.training.amplitude},
            {"reached", training.reached},
            {"rounds", Json::array()}};
  for (const TrainingRound& round : training.rounds) {
    json["rounds"].push_back({{"poses", round.poses},
                              {"points", round.points},
                              {"training_error", round.training_error},
                              {"held_out_error", round.held_out_error},
                              {"seconds", round.seconds}});
  }
  return json;
}

}  // namespace

Json reduce_json(const std::string& output, const FullModel& model, const ReducedModel& reduced,
                 const ReduceReport& report, double seconds) {
  Json json{{"output", output},
            {"rank", reduced.rank},
            {"vertices", model.mesh().vertex_count()},
            {"elements", model.mesh().element_count()},
            {"unknowns", model.dof_count()},
            {"render_vertices", reduced.surface.mesh.vertex_count()},
            {"description", reduced.description},
            {"frequencies_hz", to_list(report.frequencies_hz)},
            {"rigid_modes", report.rigid_modes},
            {"samples", report.samples},
            {"singular_values", to_list(report.singular_values)},
            {"missed", report.missed},
            {"modes_orthonormality", report.modes_orthonormality},
            {"orthonormality", report.orthonormality}};
  if (report.check) {
    json["true_modes"] = {{"frequencies_hz", to_list(report.check->frequencies_hz)},
                          {"angles_degrees", to_list(report.check->angles * (180.0 / std::numbers::pi))},
                          {"seconds", report.check->seconds}};
  }
  if (report.reduced_gram_schmidt.products > 0) {
    json["reduced_gram_schmidt"] = {{"samples", report.reduced_gram_schmidt.samples},
                                    {"products", report.reduced_gram_schmidt.products},
                                    {"skipped", report.reduced_gram_schmidt.skipped}};
  }
  if (report.sketch.recorded > 0) {
    json["sketch"] = {{"recorded", report.sketch.recorded},
                      {"solved", report.sketch.solved},
                      {"failed", report.sketch.failed},
                      {"kept", report.sketch.kept}};
  }
  if (report.contact.patches > 0) {
    json["contact"] = {{"patches", report.contact.patches},
                       {"directions", report.contact.directions},
                       {"compliance_before", report.contact.before},
                       {"compliance", report.contact.after}};
  }
  if (report.cubature) json["forces"] = cubature_json(*reduced.cubature, *report.cubature);
  json["seconds"] = Json::object();
  for (const auto& [stage, time] : report.stages) json["seconds"][stage] = time;
  json["seconds"]["total"] = seconds - (report.check ? report.check->seconds : 0.0);
  json["peak_memory_bytes"] = peak_memory();
  json["file_bytes"] = std::filesystem::file_size(output);
  return json;
}

namespace {

/// What the supports leave free, which a reduced model has no motion for.
std::string rigid_text(int rigid) {
  if (rigid == 0) return "";
  if (rigid == 6) return "; nothing holds the body: it deforms in its own frame";
  return fmt::format("; the body can still move in {} way{} without strain, which the model leaves out",
                     rigid, rigid == 1 ? "" : "s");
}

/// How the true modes lie to the basis.
std::string angles_text(const Json& json) {
  if (!json.contains("true_modes")) return "";
  const auto angles = json["true_modes"]["angles_degrees"].get<std::vector<double>>();
  const auto held = std::count_if(angles.begin(), angles.end(), [](double angle) { return angle < 5.0; });
  const auto count = static_cast<std::ptrdiff_t>(angles.size());
  const std::string more = 5 * held < 3 * count
                               ? fmt::format("; --rank {} holds more of them", 2 * json["rank"].get<int>())
                               : std::string();
  return fmt::format("; of {} true modes it holds {} within 5 degrees (the farthest at {:.2g}){}", count,
                     held, *std::max_element(angles.begin(), angles.end()), more);
}

}  // namespace

std::string reduce_text(const std::string& mesh, const Json& json) {
  std::string text = fmt::format("{}: {} elements, {} unknowns -> rank {}\n{}\n", mesh,
                                 count_text(json["elements"]), count_text(json["unknowns"]),
                                 json["rank"].get<int>(), json["description"].get<std::string>());
  text += source_text(json);
  if (const Json& frequencies = json["frequencies_hz"]; !frequencies.empty()) {
    text += fmt::format("linear modes from {:.4g} to {:.4g} Hz{}\n", frequencies.front().get<double>(),
                        frequencies.back().get<double>(), rigid_text(json["rigid_modes"].get<int>()));
  }
  text += fmt::format("basis: orthonormal to {:.1e}, misses {:.2g} % of {} vectors{}\n",
                      json["orthonormality"].get<double>(), 100.0 * json["missed"].get<double>(),
                      json["samples"].get<int>(), angles_text(json));
  if (json.contains("reduced_gram_schmidt")) {
    const Json& reduced = json["reduced_gram_schmidt"];
    text += fmt::format(
        "inertia modes: orthonormal to {:.1e}; {} of {} subtractions skipped, {} samples of the mass\n",
        json["modes_orthonormality"].get<double>(), count_text(reduced["skipped"]),
        count_text(reduced["products"]), count_text(reduced["samples"]));
  }
  if (json.contains("sketch")) {
    const Json& sketch = json["sketch"];
    text += fmt::format("sketch: {} forces, {} solved, {} shapes kept{}\n", sketch["recorded"].get<int>(),
                        sketch["solved"].get<int>(), sketch["kept"].get<int>(),
                        sketch["failed"] == 0
                            ? std::string()
                            : fmt::format(", {} without a solution", sketch["failed"].get<int>()));
  }
  if (json.contains("contact")) {
    const Json& contact = json["contact"];
    text += fmt::format(
        "contact: {} coordinates for pressure at {} patches, which meets {:.0f} % of the true compliance "
        "(without them {:.0f} %)\n",
        contact["directions"].get<int>(), contact["patches"].get<int>(),
        100.0 * contact["compliance"].get<double>(), 100.0 * contact["compliance_before"].get<double>());
  }
  if (json.contains("forces")) {
    const Json& forces = json["forces"];
    text += fmt::format(
        "cubature: {} points from {} poses, displacements up to {:.2g} of the size; force error "
        "{:.2g} % in training, {:.2g} % in poses not trained with (asked for {:.2g} %)\n",
        forces["points"].get<int>(), forces["poses"].get<int>(), forces["amplitude"].get<double>(),
        100.0 * forces["training_error"].get<double>(), 100.0 * forces["held_out_error"].get<double>(),
        100.0 * forces["error_asked_for"].get<double>());
  }
  text += fmt::format("\n{:<20} {:>8}\n", "stage", "seconds");
  for (const auto& [stage, time] : json["seconds"].items())
    text += fmt::format("{:<20} {:>8.2f}\n", stage, time.get<double>());
  if (json.contains("true_modes") && json["true_modes"]["seconds"].get<double>() > 0.005) {
    text += fmt::format("and the true modes to compare with {:.2f} s, which --no-check saves\n",
                        json["true_modes"]["seconds"].get<double>());
  }
  return text + fmt::format("\npeak memory {}\nwrote {} ({})\n",
                            bytes_text(json["peak_memory_bytes"].get<double>()),
                            json["output"].get<std::string>(), bytes_text(json["file_bytes"].get<double>()));
}

}  // namespace limber::app
