#pragma once

#include "limber/run/run_result.hpp"

#include <nlohmann/json_fwd.hpp>

#include <string>
#include <string_view>

namespace limber::app {

nlohmann::ordered_json to_json(const RunResult& result);
std::string to_text(const RunResult& result);

/// What became of a solve that failed, for a message: its status, and its residual where that is a number.
std::string failure_text(const SolveReport& report);

/// Throws Failure, saying what went wrong where, unless the run succeeded.
void require_success(const RunResult& result, std::string_view scene);

}  // namespace limber::app
