#pragma once

#include "limber/fem/dof_map.hpp"
#include "limber/linalg/types.hpp"

#include <vector>

namespace limber {

/// Where each element's 3 x 3 blocks go in the global sparse matrix: computed once, used by every assembly.
struct Sparsity {
  SparseMatrix pattern;  ///< all blocks that any element touches, both triangles, values zero
  int nodes = 0;         ///< N, vertices per element
  std::vector<int>
      slots;  ///< m x N x N: slot(e, a, b) is the position, in the values of `pattern`, of the first entry of
              ///< the block (row vertex a, column vertex b); -1 where either vertex does not move
  std::vector<int> stride;  ///< per free vertex: entries in each of its three columns; entry (i, j) of a
                            ///< block is at slot + i + j * stride(column vertex)
};

/// Throws Error when the matrix would have more than 2^31 - 1 entries.
Sparsity make_sparsity(const VolumeMesh& mesh, const DofMap& dofs);

}  // namespace limber
