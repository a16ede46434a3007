#pragma once

#include "limber/linalg/sparse_solver.hpp"

#include <memory>

namespace limber {

/// Supernodal Cholesky factorisation by CHOLMOD, ordered by METIS on the graph of blocks: nested dissection
/// of vertices instead of unknowns is three times smaller a problem and gives the same fill. Only in builds
/// with LIMBER_WITH_CHOLMOD.
std::unique_ptr<SparseSolver> make_cholmod_solver(const SparseSolverOptions& options);

}  // namespace limber
