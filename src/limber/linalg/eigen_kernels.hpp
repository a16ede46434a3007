#pragma once

#include <Eigen/Core>

// Eigen's loops under products of matrices and vectors of doubles, declared as instantiated elsewhere
// (eigen_kernels.cpp): every source that multiplies would compile them again, at about a second each. Part of
// the precompiled headers and of nothing else: for code that is compiled with the flags of the library, never
// for its users.

namespace Eigen::internal {

using KernelTraits = gebp_traits<double, double>;
using ColumnMapper = const_blas_data_mapper<double, Index, ColMajor>;
using RowMapper = const_blas_data_mapper<double, Index, RowMajor>;

#define LIMBER_EIGEN_KERNELS(declaration)                                                                    \
  declaration struct gebp_kernel<double, double, Index, blas_data_mapper<double, Index, ColMajor, 0, 1>,     \
                                 KernelTraits::mr, KernelTraits::nr, false, false>;                          \
  declaration struct gemm_pack_lhs<double, Index, ColumnMapper, KernelTraits::mr, KernelTraits::LhsProgress, \
                                   KernelTraits::LhsPacket4Packing, ColMajor, false, false>;                 \
  declaration struct gemm_pack_lhs<double, Index, RowMapper, KernelTraits::mr, KernelTraits::LhsProgress,    \
                                   KernelTraits::LhsPacket4Packing, RowMajor, false, false>;                 \
  declaration struct gemm_pack_rhs<double, Index, ColumnMapper, KernelTraits::nr, ColMajor, false, false>;   \
  declaration struct gemm_pack_rhs<double, Index, RowMapper, KernelTraits::nr, RowMajor, false, false>;      \
  declaration struct general_matrix_matrix_product<Index, double, ColMajor, false, double, ColMajor, false,  \
                                                   ColMajor, 1>;                                             \
  declaration struct general_matrix_matrix_product<Index, double, RowMajor, false, double, ColMajor, false,  \
                                                   ColMajor, 1>;                                             \
  declaration struct general_matrix_matrix_product<Index, double, ColMajor, false, double, RowMajor, false,  \
                                                   ColMajor, 1>;                                             \
  declaration struct general_matrix_matrix_product<Index, double, RowMajor, false, double, RowMajor, false,  \
                                                   ColMajor, 1>;                                             \
  declaration struct general_matrix_vector_product<Index, double, ColumnMapper, ColMajor, false, double,     \
                                                   RowMapper, false, 0>;                                     \
  declaration struct general_matrix_vector_product<Index, double, RowMapper, RowMajor, false, double,        \
                                                   ColumnMapper, false, 0>

LIMBER_EIGEN_KERNELS(extern template);

}  // namespace Eigen::internal
