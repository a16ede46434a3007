#include "bench/bench.hpp"

#include "bench/registry.hpp"
#include "limber/base/error.hpp"
#include "limber/base/executor.hpp"

#include <benchmark/benchmark.h>
#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <optional>
#include <regex>
#include <stdexcept>

namespace limber::bench {
namespace {

constexpr int repetitions = 5;  ///< of which the median counts: timings on shared machines are noisy

double median(std::vector<double> values) {
  std::nth_element(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2),
                   values.end());
  return values[values.size() / 2];
}

/// Prints each benchmark when it is done, and keeps its median for the ratios of later ones.
class RatioReporter final : public benchmark::BenchmarkReporter {
 public:
  RatioReporter(std::map<std::string, Case> cases, bool json) : cases_(std::move(cases)), json_(json) {}

  bool ReportContext(const Context&) override {
    if (!json_) fmt::print("{:<46} {:>12}   {}\n", "benchmark", "seconds", "ratio");
    return true;
  }

  void ReportRuns(const std::vector<Run>& runs) override {
    if (runs.empty() || runs[0].error_occurred) return;
    const std::string name = runs[0].run_name.function_name;
    std::vector<double> seconds;
    for (const Run& run : runs) {
      if (run.run_type == Run::RT_Iteration) {
        seconds.push_back(run.real_accumulated_time / static_cast<double>(run.iterations));
      }
    }
    if (seconds.empty()) return;
    const double middle = results_[name] = median(std::move(seconds));
    const Case& one = cases_.at(name);
    std::optional<double> ratio;
    try {
      if (one.ratio) ratio = one.ratio(results_, middle);
    } catch (const std::out_of_range&) {  // what it compares with was filtered out
    }
    if (json_) {
      output_.push_back({{"name", name},
                         {"seconds", middle},
                         {"ratio", ratio ? nlohmann::json(*ratio) : nlohmann::json()},
                         {"ratio_to", one.ratio_to}});
    } else if (ratio) {
      const bool unit = one.ratio_to.ends_with("/s") || one.ratio_to.ends_with("/copy");
      fmt::print("{:<46} {:>12.4g}   {:.3g} {}{}\n", name, middle, *ratio, unit ? "" : "x ", one.ratio_to);
    } else {
      fmt::print("{:<46} {:>12.4g}\n", name, middle);
    }
    std::fflush(stdout);
  }

  void Finalize() override {
    if (json_) fmt::print("{}\n", output_.dump(2));
  }

 private:
  std::map<std::string, Case> cases_;
  bool json_;
  Results results_;
  nlohmann::json output_ = nlohmann::json::array();
};

std::regex compiled(const std::string& filter) {
  try {
    return std::regex(filter);
  } catch (const std::regex_error&) {
    throw Error("--filter: '{}' is not a regular expression", filter);
  }
}

}  // namespace

void run(const BenchOptions& options) {
  const std::regex filter = compiled(options.filter);
  const int threads = Executor(options.threads).threads();
  std::map<std::string, Case> by_name;
  for (const auto& cases :
       {linalg_cases(threads), mesh_cases(threads), fem_cases(threads), full_cases(threads),
        precompute_cases(threads), pipeline_cases(threads), reduced_cases(threads), cubature_cases(threads),
        reduced_runtime_cases(threads), warp_cases(threads), multidomain_cases(threads),
        contact_cases(threads), contact_solve_cases(threads), body_cases(threads)}) {
    for (const Case& one : cases) {
      // Here and not by the benchmark library, which matches a longer name, with its own settings at the end.
      if (!std::regex_search(one.name, filter)) continue;
      by_name[one.name] = one;
      auto* registered =
          benchmark::RegisterBenchmark(one.name.c_str(), [prepare = one.prepare](benchmark::State& state) {
            const std::function<void()> body = prepare();
            for ([[maybe_unused]] auto _ : state) body();
          });
      constexpr double least = 1e-9;  // s: the benchmark library wants more than 0
      registered->UseRealTime()
          ->Repetitions(repetitions)
          ->MinTime(std::max(options.min_seconds / repetitions, least));
    }
  }
  require(!by_name.empty(), "no benchmark matches '{}'; names read module/what/size", options.filter);
  RatioReporter reporter(std::move(by_name), options.json);
  benchmark::RunSpecifiedBenchmarks(&reporter, ".");
}

}  // namespace limber::bench
