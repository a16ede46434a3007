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
/// Returns the exit status of the command: 0, or 2 where the filter matches nothing.
int run(const BenchOptions& options);

}  // namespace limber::bench
