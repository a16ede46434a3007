#include "apps/limber/scene_run.hpp"

#include "apps/limber/command.hpp"
#include "apps/limber/console.hpp"
#include "apps/limber/progress_bar.hpp"

#include <optional>
#include <utility>

namespace limber::app {

RunResult run_on_console(const Scene& scene, RunOptions options) {
  std::optional<ProgressBar> bar;  // one per stage; it goes where a line is printed, and comes again below it
  options.on_progress = [&bar](std::string_view stage, double fraction) {
    if (!bar) bar.emplace();
    bar->show(stage, fraction);
    if (fraction >= 1.0) bar.reset();
  };
  options.on_note = [&bar](std::string_view line) {
    bar.reset();
    print_note(line);
  };
  options.on_warning = [&bar](std::string_view line) {
    bar.reset();
    print_warning(line);
  };
  options.on_end = [&bar, on_end = std::move(options.on_end)](const RunResult& result) {
    bar.reset();
    if (on_end) on_end(result);
  };
  try {
    return run_scene(scene, options);
  } catch (const OutputError& error) {
    if (error.checkpoint().empty()) throw Failure(error.what());
    throw Failure(fmt::format("{}; --resume goes on from {}", error.what(), error.checkpoint().string()));
  }
}

}  // namespace limber::app
