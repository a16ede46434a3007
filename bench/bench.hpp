#pragma once

#include <string>

namespace limber::bench {

struct BenchOptions {
  std::string filter;        ///< regular expression on the names; empty runs all
  bool json = false;         ///< [{"name", "seconds", "ratio", "ratio_to"}] instead of a table
  int threads = 0;           ///< the most that the parallel benchmarks use; 0: one per core
  double min_seconds = 0.5;  ///< spent on each benchmark, all repetitions together
};

/// Runs the benchmarks and prints their medians, with ratios to what this machine can do in the same run.
/// Throws Error for a filter that is no regular expression or matches no name.
void run(const BenchOptions& options);

}  // namespace limber::bench
