// OpenBLAS built for many CPUs ("dynamic arch") holds one table of kernels per CPU family and picks one when
// it is loaded. It offers no call to pick another, but the pair gotoblas_dynamic_quit() /
// gotoblas_dynamic_init() that its own start-up uses is exported: it drops the table and picks anew,
// honouring OPENBLAS_CORETYPE. All symbols are looked up at run time, so that any BLAS can stand in.

#include "limber/linalg/blas.hpp"

#include <array>
#include <cstdlib>
#include <dlfcn.h>
#include <mutex>
#include <optional>
#include <string_view>

namespace limber {
namespace {

template <class Function>
Function* lookup(const char* name) {
  return reinterpret_cast<Function*>(dlsym(RTLD_DEFAULT, name));
}

/// Kernel families from slow to fast, by the instructions they use. Names that are not listed count as SSE.
enum class KernelLevel { sse, avx, avx2, avx512 };

KernelLevel level_of(std::string_view core) {
  constexpr std::array<std::string_view, 4> avx{"Sandybridge", "Bulldozer", "Piledriver", "Steamroller"};
  constexpr std::array<std::string_view, 3> avx2{"Haswell", "Zen", "Excavator"};
  constexpr std::array<std::string_view, 3> avx512{"SkylakeX", "Cooperlake", "SapphireRapids"};
  for (const std::string_view name : avx512) {
    if (core == name) return KernelLevel::avx512;
  }
  for (const std::string_view name : avx2) {
    if (core == name) return KernelLevel::avx2;
  }
  for (const std::string_view name : avx) {
    if (core == name) return KernelLevel::avx;
  }
  return KernelLevel::sse;
}

struct WantedKernels {
  const char* name;
  KernelLevel level;
};

/// The fastest kernels that this CPU can run; nothing on CPUs other than x86.
std::optional<WantedKernels> wanted_kernels() {
#if defined(__x86_64__)
  __builtin_cpu_init();
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
      __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl")) {
    return WantedKernels{"SkylakeX", KernelLevel::avx512};
  }
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
    return WantedKernels{"Haswell", KernelLevel::avx2};
  if (__builtin_cpu_supports("avx")) return WantedKernels{"Sandybridge", KernelLevel::avx};
#endif
  return std::nullopt;
}

BlasReport correct_kernels(const BlasOptions& options) {
  auto* core_name = lookup<char*()>("openblas_get_corename");
  auto* drop = lookup<void()>("gotoblas_dynamic_quit");
  auto* pick = lookup<void()>("gotoblas_dynamic_init");
  if (!core_name) return {};
  BlasReport report{core_name(), core_name()};
  const char* chosen = std::getenv("OPENBLAS_CORETYPE");
  const auto wanted = wanted_kernels();
  if (!drop || !pick || !wanted || wanted->level <= level_of(report.kernels_found)) return report;
  if (chosen && !options.override_environment) return report;

  const std::optional<std::string> saved = chosen ? std::optional<std::string>(chosen) : std::nullopt;
  setenv("OPENBLAS_CORETYPE", wanted->name, 1);
  drop();
  pick();
  if (saved) {
    setenv("OPENBLAS_CORETYPE", saved->c_str(), 1);
  } else {
    unsetenv("OPENBLAS_CORETYPE");
  }
  report.kernels_used = core_name();
  return report;
}

}  // namespace

BlasReport prepare_blas(const BlasOptions& options) {
  static std::mutex mutex;
  static std::optional<BlasReport> first_report;
  const std::lock_guard lock(mutex);
  if (options.override_environment) return correct_kernels(options);
  if (!first_report) first_report = correct_kernels(options);
  return *first_report;
}

void set_blas_threads(int threads) {
  static std::mutex mutex;
  static auto* get_threads = lookup<int()>("openblas_get_num_threads");
  static auto* set_threads = lookup<void(int)>("openblas_set_num_threads");
  const std::lock_guard lock(mutex);
  if (std::getenv("OPENBLAS_NUM_THREADS") != nullptr) return;
  if (get_threads && set_threads && get_threads() != threads) set_threads(threads);
}

SerialOpenMp::SerialOpenMp(bool serial) {
  static auto* get_levels = lookup<int()>("omp_get_max_active_levels");
  static auto* set_levels = lookup<void(int)>("omp_set_max_active_levels");
  if (!serial || !get_levels || !set_levels) return;
  set_levels_ = set_levels;
  before_ = get_levels();
  set_levels(0);
}

SerialOpenMp::~SerialOpenMp() {
  if (set_levels_) set_levels_(before_);
}

}  // namespace limber
