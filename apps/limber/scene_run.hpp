#pragma once

#include "apps/limber/checkpoint_run.hpp"
#include "apps/limber/scene_report.hpp"

#include <filesystem>

namespace limber::app {

/// Runs a scene to its end and writes what it asks for, showing progress on standard error. Everything is
/// checked (where the output goes, the models, the start state) before the first file is written. A step that
/// fails ends the run: the result says so, the series up to there stays and nothing else is written. Where
/// writing fails the series goes too, unless there is a checkpoint to go on from. folder: made, with its
/// parents, before the first output; empty for none. checkpoints: of a scene that steps through time, to go
/// on from and to write; they are left when it ends, until the caller has said so (CheckpointRun::finish).
/// null for none. Throws Error for bad input and Failure where writing fails.
RunResult run_scene(const Scene& scene, const std::filesystem::path& folder = {},
                    CheckpointRun* checkpoints = nullptr);

/// Whether a scene steps through time.
inline bool steps_in_time(const Scene& scene) { return scene.solver.type != SimulationType::statics; }

}  // namespace limber::app
