#pragma once

#include <string>

namespace limber {

/// What prepare_blas() found and did.
struct BlasReport {
  std::string
      kernels_found;  ///< the CPU that OpenBLAS took this one for when it was loaded; empty for another BLAS
  std::string kernels_used;  ///< and after the correction
};

struct BlasOptions {
  bool override_environment = false;  ///< correct even what the user chose by OPENBLAS_CORETYPE (for tests)
};

/// Makes sure that OpenBLAS uses kernels made for this CPU. Releases older than the CPU do not recognise it
/// and fall back, silently, to kernels of 2004 that are five to ten times slower. Costs nothing after the
/// first call; called by everything in limber that uses BLAS. Does nothing where the BLAS is another one, or
/// where the user set OPENBLAS_CORETYPE.
/// Not while another thread is inside BLAS: an application that uses it on its own calls this first, at its start.
BlasReport prepare_blas(const BlasOptions& options = {});

/// Number of threads for BLAS calls from now on. OpenBLAS keeps it for the whole process; a number that the user set by
/// OPENBLAS_NUM_THREADS stays.
void set_blas_threads(int threads);

}  // namespace limber
