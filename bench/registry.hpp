#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

namespace limber::bench {

/// Median seconds by name of what has run so far.
using Results = std::map<std::string, double>;

/// One benchmark. Its name is module/what/size.
struct Case {
  std::string name;
  std::function<std::function<void()>()> prepare;  ///< does what is not timed; returns what is
  std::string ratio_to = "";                       ///< what the ratio compares with, in words
  std::function<double(const Results&, double seconds)> ratio =
      nullptr;  ///< may throw std::out_of_range: not measured
};

std::vector<Case> linalg_cases(int threads);
std::vector<Case> mesh_cases(int threads);
std::vector<Case> fem_cases(int threads);
std::vector<Case> full_cases(int threads);
std::vector<Case> precompute_cases(int threads);
std::vector<Case> pipeline_cases(int threads);
std::vector<Case> reduced_cases(int threads);
std::vector<Case> cubature_cases(int threads);
std::vector<Case> reduced_runtime_cases(int threads);
std::vector<Case> warp_cases(int threads);
std::vector<Case> multidomain_cases(int threads);
std::vector<Case> contact_cases(int threads);
std::vector<Case> contact_solve_cases(int threads);
std::vector<Case> body_cases(int threads);

}  // namespace limber::bench
