#pragma once

#include "limber/run/run_scene.hpp"

namespace limber::app {

/// Runs a scene as run_scene() does, with progress, notes and warnings on standard error. on_end of the
/// options is called when progress is no longer shown. Throws Error for bad input and Failure where writing
/// fails.
RunResult run_on_console(const Scene& scene, RunOptions options = {});

}  // namespace limber::app
