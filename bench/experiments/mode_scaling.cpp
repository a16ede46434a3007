// Inertia modes against true modes, and both against ARPACK, on one factorisation. [Yang et al. 2015, Table
// 2]
//   mode_scaling ELEMENTS,... MODES,... [--no-arpack]
// Bars of tetrahedra, held at one end. Prints rows of the table in docs/precomputation.md. Seconds, without
// the factorisation, which is the same for all.

#include "bench/bodies.hpp"
#include "limber/base/timer.hpp"
#include "limber/basis/basis_quality.hpp"
#include "limber/basis/inertia_modes.hpp"
#include "limber/basis/linear_modes.hpp"
#include "limber/linalg/blas.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <sstream>
#include <string>
#include <vector>

extern "C" {
void dsaupd_(int* ido, const char* bmat, const int* n, const char* which, const int* nev, const double* tol,
             double* resid, const int* ncv, double* v, const int* ldv, int* iparam, int* ipntr, double* workd,
             double* workl, const int* lworkl, int* info);
void dseupd_(const int* rvec, const char* howmny, int* select, double* d, double* z, const int* ldz,
             const double* sigma, const char* bmat, const int* n, const char* which, const int* nev,
             const double* tol, double* resid, const int* ncv, double* v, const int* ldv, int* iparam,
             int* ipntr, double* workd, double* workl, const int* lworkl, int* info);
}

namespace limber::bench {
namespace {

constexpr double tolerance = 1e-6;  ///< on the residual of each pair relative to it, for both eigensolvers

/// Lowest eigenvalues by ARPACK in shift-invert mode, with the solver and the mass of ours.
struct ArpackResult {
  Vector eigenvalues;
  int solves = 0;
  bool converged = false;
};

ArpackResult arpack_modes(RestStiffness& rest, int count) {
  const int n = static_cast<int>(rest.model().dof_count()), ncv = std::min(n, 2 * count + 20);
  const int lworkl = ncv * (ncv + 8), rvec = 1;
  const double sigma = 0.0;
  std::vector<double> resid(static_cast<std::size_t>(n)), workd(3 * static_cast<std::size_t>(n)),
      workl(static_cast<std::size_t>(lworkl)), v(static_cast<std::size_t>(n) * static_cast<std::size_t>(ncv));
  std::vector<int> iparam(11), ipntr(11), select(static_cast<std::size_t>(ncv));
  iparam[0] = 1;
  iparam[2] = 1000;
  iparam[6] = 3;
  int ido = 0, info = 0;
  ArpackResult result;
  const SparseMatrix& M = rest.model().mass();
  Vector load(n);
  Matrix answer(n, 1);
  while (true) {
    dsaupd_(&ido, "G", &n, "LM", &count, &tolerance, resid.data(), &ncv, v.data(), &n, iparam.data(),
            ipntr.data(), workd.data(), workl.data(), &lworkl, &info);
    if (ido == 99) break;
    const Eigen::Map<const Vector> x(workd.data() + ipntr[0] - 1, n);
    Eigen::Map<Vector> y(workd.data() + ipntr[1] - 1, n);
    if (ido == 2) {
      y.noalias() = M * x;
      continue;
    }
    if (ido == -1) {
      load.noalias() = M * x;
    } else {
      load = Eigen::Map<const Vector>(workd.data() + ipntr[2] - 1, n);  // M x is at hand
    }
    (void)rest.solve(load, answer);
    y = answer.col(0);
    ++result.solves;
  }
  result.eigenvalues.resize(count);
  int status = 0;
  dseupd_(&rvec, "A", select.data(), result.eigenvalues.data(), v.data(), &n, &sigma, "G", &n, "LM", &count,
          &tolerance, resid.data(), &ncv, v.data(), &n, iparam.data(), ipntr.data(), workd.data(),
          workl.data(), &lworkl, &status);
  result.converged = info == 0 && status == 0;
  return result;
}

/// Cells of a bar of about so many tetrahedra, eight times as long as it is thick.
Eigen::Vector3i cells_for(double elements) {
  const int side = std::max(2, static_cast<int>(std::lround(std::cbrt(elements / 48.0))));
  return {std::max(1, static_cast<int>(std::lround(elements / (6.0 * side * side)))), side, side};
}

std::vector<double> parse_list(const char* text) {
  std::vector<double> values;
  std::stringstream stream(text);
  for (std::string part; std::getline(stream, part, ',');) values.push_back(std::stod(part));
  return values;
}

/// Block solves of the width and number that inertia modes take, and nothing else.
double bare_solves(RestStiffness& rest, int count) {
  Matrix block = rest.model().mass() * rigid_motions(rest.model()), answer(block.rows(), block.cols());
  const Timer timer;
  for (int done = 0; done < count; done += static_cast<int>(block.cols())) (void)rest.solve(block, answer);
  return timer.seconds();
}

void print_row(RestStiffness& rest, double factorisation, int count, bool with_arpack) {
  const double solves = bare_solves(rest, count);
  Timer timer;
  const InertiaModes full = compute_inertia_modes(rest, count);
  const double inertia = timer.seconds();
  timer.restart();
  InertiaModesOptions options;
  options.orthogonalization = Orthogonalization::reduced;
  const InertiaModes reduced = compute_inertia_modes(rest, count, options);
  const double reduced_seconds = timer.seconds();
  const double deviation = orthonormality_error(reduced.shapes, rest.model().mass(), rest.model().executor());
  timer.restart();
  LinearModesOptions modes_options;
  modes_options.eigen.tolerance = tolerance;
  const LinearModes modes = compute_linear_modes(rest, count, modes_options);
  const double lanczos = timer.seconds();
  const Vector angles =
      subspace_angles(full.shapes, modes.shapes, rest.model().mass(), rest.model().executor());
  const auto held = (angles.array() < 5.0 * std::acos(-1.0) / 180.0).count();
  std::string arpack = "- | -", worst = "-";
  if (with_arpack) {
    timer.restart();
    const ArpackResult peer = arpack_modes(rest, count);
    const double seconds = timer.seconds();
    arpack = fmt::format("{:.2f}{} | {:.2f}", seconds, peer.converged ? "" : " (failed)", lanczos / seconds);
    Vector values = peer.eigenvalues;
    std::sort(values.begin(), values.end());
    worst = fmt::format("{:.0e}",
                        ((values - modes.eigenvalues).array() / modes.eigenvalues.array()).abs().maxCoeff());
  }
  fmt::print(
      "| {} | {} | {:.1f} | {:.2f} | {:.2f} | {:.2f} | {:.2f} ({:.0e}) | {:.2f} | {} | {} | {} of {} |\n",
      rest.model().mesh().element_count(), count, factorisation, solves, inertia, inertia / solves,
      reduced_seconds, deviation, lanczos, arpack, worst, held, count);
  std::fflush(stdout);
}

}  // namespace
}  // namespace limber::bench

int main(int argc, char** argv) {
  using namespace limber;
  if (argc < 3) {
    fmt::print(stderr, "usage: mode_scaling ELEMENTS,... MODES,... [--no-arpack]\n");
    return 2;
  }
  const bool with_arpack = argc < 4;
  fmt::print(
      "| elements | modes | factor (s) | bare solves (s) | inertia modes (s) | ratio | reduced Gram-Schmidt "
      "(s) | true "
      "modes (s) | ARPACK (s) | ours / ARPACK | eigenvalues differ | held within 5 degrees |\n"
      "| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |\n");
  for (const double elements : bench::parse_list(argv[1])) {
    const auto model = bench::bar("stvk", 0, ElementKind::tetrahedron, bench::cells_for(elements));
    const Timer timer;
    RestStiffness rest(*model);
    const double factorisation = timer.seconds();
    for (const double count : bench::parse_list(argv[2]))
      bench::print_row(rest, factorisation, static_cast<int>(count), with_arpack);
  }
  return 0;
}
