#pragma once

#include "limber/precompute/reduce.hpp"

#include <nlohmann/json.hpp>

#include <string>

namespace limber::app {

/// What `limber reduce` tells about its work. output: the model's file, which exists.  seconds: of all.
nlohmann::ordered_json reduce_json(const std::string& output, const FullModel& model,
                                   const ReducedModel& reduced, const ReduceReport& report, double seconds);

/// The same for people. mesh: what was reduced.
std::string reduce_text(const std::string& mesh, const nlohmann::ordered_json& json);

}  // namespace limber::app
