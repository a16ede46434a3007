#include "apps/limber/reduce_to_tree.hpp"

#include "apps/limber/command.hpp"
#include "apps/limber/console.hpp"
#include "apps/limber/describe.hpp"
#include "apps/limber/memory.hpp"
#include "apps/limber/progress_bar.hpp"
#include "apps/limber/tree_parts.hpp"
#include "limber/base/error.hpp"
#include "limber/base/timer.hpp"
#include "limber/base/words.hpp"
#include "limber/io/model_file.hpp"
#include "limber/multidomain/reduce_tree.hpp"
#include "limber/run/output_files.hpp"
#include "limber/scene/body_tree.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <filesystem>

namespace limber::app {
namespace {

using Json = nlohmann::ordered_json;

Json parts_json(const TreeReduceReport& report) {
  Json parts = Json::array();
  for (const PartReport& part : report.parts) {
    parts.push_back({{"name", part.name},
                     {"elements", part.elements},
                     {"rank", part.rank},
                     {"uses", part.uses},
                     {"frequencies_hz", to_list(part.frequencies_hz)},
                     {"seconds", part.seconds}});
  }
  return parts;
}

/// Says which parts have fewer coordinates than were asked for.
void warn_of_small_parts(const ReduceCommand& options, const TreeReduceReport& report) {
  if (!options.rank) return;
  std::vector<std::string> small;
  for (const PartReport& part : report.parts) {
    if (part.rank > 0 && part.rank < *options.rank)
      small.push_back(fmt::format("'{}' has rank {}", part.name, part.rank));
  }
  if (small.empty()) return;
  print_warning(fmt::format(
      "{}{}, not {}: no more is independent in so few vertices", small.front(),
      small.size() == 1 ? "" : fmt::format(", and {} more parts less", small.size() - 1), *options.rank));
}

Json reduction_json(const std::string& output, const Model& tree, const TreeReduceReport& report,
                    double seconds) {
  Json json{{"output", output},
            {"domains", tree.domain_count()},
            {"coordinates", tree.coordinate_count()},
            {"depth", tree.depth()},
            {"free", tree.free},
            {"up", word_of(tree.up, up_axis_words)},
            {"unknowns", report.full_dofs},
            {"description", tree.description},
            {"parts", parts_json(report)}};
  json["seconds"] = Json::object();
  for (const auto& [stage, time] : report.stages) json["seconds"][stage] = time;
  json["seconds"]["total"] = seconds;
  json["peak_memory_bytes"] = peak_memory();
  json["file_bytes"] = std::filesystem::file_size(output);
  return json;
}

std::string reduced_tree_text(const std::string& body, const Json& json) {
  std::string text = fmt::format("{}: {} domain{}, {} deep, {}; {} unknowns -> {} coordinates\n", body,
                                 count_text(json["domains"]), json["domains"] == 1 ? "" : "s",
                                 count_text(json["depth"]), json["free"].get<bool>() ? "free" : "held",
                                 count_text(json["unknowns"]), count_text(json["coordinates"]));
  text +=
      json.contains("held") ? source_text(json) : fmt::format("{} is up\n", json["up"].get<std::string>());
  std::size_t width = std::string_view("part").size();
  for (const Json& part : json["parts"]) width = std::max(width, part["name"].get<std::string>().size());
  text += fmt::format("\n{:<{}} {:>9} {:>5} {:>6} {:>12} {:>8}\n", "part", width, "elements", "rank", "uses",
                      "lowest (Hz)", "seconds");
  for (const Json& part : json["parts"]) {
    const Json& frequencies = part["frequencies_hz"];
    text += fmt::format("{:<{}} {:>9} {:>5} {:>6} {:>12} {:>8.2f}\n", part["name"].get<std::string>(), width,
                        count_text(part["elements"]), part["rank"].get<int>(), count_text(part["uses"]),
                        part["rank"] == 0     ? "rigid"
                        : frequencies.empty() ? "-"
                                              : number_text(frequencies.front()),
                        part["seconds"].get<double>());
  }
  text += fmt::format("\n{:<20} {:>8}\n", "stage", "seconds");
  for (const auto& [stage, time] : json["seconds"].items())
    text += fmt::format("{:<20} {:>8.2f}\n", stage, time.get<double>());
  return text + fmt::format("\npeak memory {}\nwrote {} ({})\n",
                            bytes_text(json["peak_memory_bytes"].get<double>()),
                            json["output"].get<std::string>(), bytes_text(json["file_bytes"].get<double>()));
}

/// From the body to its tree.
Model reduce_parts(const ReduceCommand& options, const SceneBody& body, TreeReduceReport& report) {
  const Timer stage;
  const PartTree parts = find_parts(body, "--rigid");
  const double part_seconds = stage.seconds();
  Model tree;
  {
    ProgressBar bar;
    tree = reduce_tree(parts, reduce_options(body, Executor(options.body.threads), bar.callback()), report);
  }
  report.stages.emplace(report.stages.begin(), "parts", part_seconds);
  const DomainSettings domains = body.domains.value_or(DomainSettings{});
  if (domains.from == DomainSource::automatic && body.parts.placements.empty() &&
      tree.domain_count() < domains.count) {
    print_warning(fmt::format("{} domains, not {}: no more were found that form a tree", tree.domain_count(),
                              domains.count));
  }
  warn_of_small_parts(options, report);
  return tree;
}

}  // namespace

Model reduce_tree_to_show(const ReduceCommand& options, FileList& inputs) {
  const Timer timer;
  Json source;
  const SceneBody body = load_tree_body(options, inputs, source);
  TreeReduceReport report;
  Model tree = reduce_parts(options, body, report);
  print_note(fmt::format("{}: {} domains, {} coordinates, {}, in {:.1f} s", options.body.mesh,
                         count_text(tree.domain_count()), count_text(tree.coordinate_count()),
                         tree.free ? "which nothing holds" : "held at its root", timer.seconds()));
  return tree;
}

void reduce_to_tree(const ReduceCommand& options) {
  OutputPlan outputs;
  outputs.add(OutputFile{options.output, ".glb", "the tree of domains"});
  check_outputs(outputs);
  const Timer total;
  Timer stage;
  FileList inputs;
  Json source;
  const SceneBody body = load_tree_body(options, inputs, source);
  check_spares(outputs, inputs);
  TreeReduceReport report;
  Model tree = reduce_parts(options, body, report);
  tree.name = std::filesystem::path(options.output).stem().string();
  stage.restart();
  write_results([&] { write_model(options.output, tree); });
  report.stages.emplace_back("file", stage.seconds());
  Json json = reduction_json(options.output, tree, report, total.seconds());
  if (!source.is_null()) json.update(source);
  if (options.json) {
    print_json(json);
  } else {
    print(reduced_tree_text(options.body.mesh, json));
  }
}

}  // namespace limber::app
