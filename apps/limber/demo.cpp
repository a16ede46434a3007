#include "apps/limber/command.hpp"
#include "apps/limber/console.hpp"
#include "apps/limber/scene_run.hpp"
#include "limber/base/file.hpp"
#include "limber/io/scene_file.hpp"

#include <fmt/format.h>

#include <memory>
#include <string>

namespace limber::app {
namespace {

/// A soft beam that falls under its weight and a load at its tip; damped, so that it ends bent and nearly at
/// rest.
constexpr std::string_view demo_scene = R"({
  "description": "A soft beam, held at its left end, bends under its weight and a load at its tip",
  "bodies": [
    {
      "name": "beam",
      "mesh": "builtin:beam?size=1,0.1,0.1&cells=40,4,4",
      "material": {"model": "stvk", "young": 2000000, "poisson": 0.4, "density": 1000},
      "fixed": {"where": "x < 0.001"},
      "loads": [{"where": "x > 0.999", "force": [0, 0, -1.0]}],
      "damping": {"mass": 4, "stiffness": 0.002}
    }
  ],
  "gravity": [0, 0, -9.81],
  "solver": {"type": "dynamic", "timestep": 0.016666666666666666, "steps": 90},
  "output": {"displacements": "u.csv", "vtu": ".", "picture": "beam.png"}
}
)";

void run(const std::filesystem::path& folder) {
  const Scene scene = parse_scene(demo_scene, folder, "the demo's scene");
  const RunResult result = run_scene(scene, folder);
  require_success(result, "the demo");
  const std::string file = (folder / "scene.json").lexically_normal().string();
  write_file(file, demo_scene);
  print(
      fmt::format("{}wrote {}\n\nNext:\n"
                  "  look at {}\n"
                  "  open {} in ParaView and press play\n"
                  "  edit {} and run: limber simulate {}\n",
                  to_text(result), file, (folder / "beam.png").lexically_normal().string(),
                  (folder / "beam.pvd").lexically_normal().string(), file, file));
}

}  // namespace

Command add_demo(CLI::App& program) {
  CLI::App* parser =
      program.add_subcommand("demo", "Bend a built-in beam: no input needed, ends with a picture");
  const auto folder = std::make_shared<std::string>("demo");
  parser->add_option("-o,--output-dir", *folder, "Folder for the results, made where missing")
      ->type_name("DIR")
      ->capture_default_str();
  parser->footer("Example:\n  limber demo -o demo");
  return {parser, [folder] { run(*folder); }};
}

}  // namespace limber::app
