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
/// Not while another thread is inside BLAS: an application that uses it on its own calls this first, at its
/// start.
BlasReport prepare_blas(const BlasOptions& options = {});

/// Number of threads for BLAS calls from now on. OpenBLAS keeps it for the whole process; a number that the
/// user set by OPENBLAS_NUM_THREADS stays.
void set_blas_threads(int threads);

/// While it lives, the OpenMP regions of libraries that the calling thread enters run on that thread alone;
/// nothing without OpenMP. CHOLMOD opens thousands of tiny ones with four threads each, whatever the number
/// of cores: where these wait for one another a factorisation takes several times as long (measured: 0.23 s
/// instead of 0.04 s for a beam of 12,000 unknowns).
class SerialOpenMp {
 public:
  explicit SerialOpenMp(bool serial = true);
  ~SerialOpenMp();
  SerialOpenMp(const SerialOpenMp&) = delete;
  SerialOpenMp& operator=(const SerialOpenMp&) = delete;

 private:
  void (*set_levels_)(int) = nullptr;
  int before_ = 0;
};

}  // namespace limber
