#include "limber/basis/inertia_modes.hpp"

#include "limber/base/error.hpp"
#include "limber/basis/krylov_basis.hpp"
#include "limber/basis/linear_modes.hpp"
#include "limber/basis/mass_pca.hpp"
#include "limber/linalg/mass_basis.hpp"
#include "limber/linalg/symmetric_eigen.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

namespace limber {
namespace {

/// Start motions of which a smaller share is not rigid, or not in the others, are left out: coordinates are
/// given to some nine digits.
constexpr double dependent_start = 1e-9;

/// What the columns of S span beside the motions without strain, mass-orthonormal.
Matrix beside_rigid_modes(const RestStiffness& rest, const Matrix& S) {
  const Matrix& N = rest.rigid_modes();
  Matrix motions(N.rows(), N.cols() + S.cols());
  motions << N, S;
  const Matrix Q =
      mass_orthonormalize(motions, rest.model().mass(), dependent_start, rest.model().executor()).Q;
  return Q.rightCols(Q.cols() - N.cols());
}

/// The 30 displacement fields of some vertices whose components are polynomials of up to second degree: 1, x,
/// y, z, xx, yy, zz, xy, yz, zx times a unit vector; dofs x 30, zero at other vertices. Coordinates count
/// from the mean place, in the largest distance from it.
Matrix quadratic_fields(const FullModel& model, const std::vector<int>& vertices) {
  const Matrix3X at = model.mesh().vertices(Eigen::all, vertices);
  const Matrix3X arms = at.colwise() - at.rowwise().mean();
  const double unit = std::sqrt(arms.colwise().squaredNorm().maxCoeff());
  Matrix fields = Matrix::Zero(model.dof_count(), 30);
  for (std::size_t i = 0; i < vertices.size(); ++i) {
    const Vector3 p = arms.col(static_cast<Index>(i)) / unit;
    const double x = p.x(), y = p.y(), z = p.z();
    const double values[10] = {1.0, x, y, z, x * x, y * y, z * z, x * y, y * z, z * x};
    const Index row = 3 * Index{model.dofs().free_index(vertices[i])};
    for (Index k = 0; k < 10; ++k) fields.block<3, 3>(row, 3 * k).diagonal().setConstant(values[k]);
  }
  return fields;
}

/// The vertices that move, of each connected part of the body that has such ones.
std::vector<std::vector<int>> moving_vertices_of_parts(const FullModel& model) {
  const std::vector<int> part = connected_parts(model.mesh());
  std::vector<std::vector<int>> vertices;
  for (const int v : model.dofs().free_vertices()) {
    const auto p = static_cast<std::size_t>(part[static_cast<std::size_t>(v)]);
    if (p >= vertices.size()) vertices.resize(p + 1);
    vertices[p].push_back(v);
  }
  std::erase_if(vertices, [](const auto& of_part) { return of_part.empty(); });
  return vertices;
}

/// Those of every part of the body, side by side: what is the same motion for all parts would never tell two
/// alike ones apart.
Matrix quadratic_fields_of_parts(const FullModel& model) {
  const std::vector<std::vector<int>> vertices = moving_vertices_of_parts(model);
  Matrix fields(model.dof_count(), 30 * static_cast<Index>(vertices.size()));
  for (std::size_t p = 0; p < vertices.size(); ++p)
    fields.middleCols(30 * static_cast<Index>(p), 30) = quadratic_fields(model, vertices[p]);
  return fields;
}

/// The six rigid motions of every part, for the same reason.
Matrix rigid_motions_of_parts(const FullModel& model) {
  const Matrix whole = rigid_motions(model);
  const std::vector<std::vector<int>> vertices = moving_vertices_of_parts(model);
  if (vertices.size() == 1) return whole;
  Matrix motions = Matrix::Zero(model.dof_count(), 6 * static_cast<Index>(vertices.size()));
  for (std::size_t p = 0; p < vertices.size(); ++p) {
    for (const int v : vertices[p]) {
      const Index row = 3 * Index{model.dofs().free_index(v)};
      motions.block<3, 6>(row, 6 * static_cast<Index>(p)) = whole.middleRows<3>(row);
    }
  }
  return motions;
}

Matrix start_block(const RestStiffness& rest, const Matrix& given) {
  const bool held = rest.rigid_modes().cols() == 0;
  if (given.cols() == 0) return held ? rigid_motions_of_parts(rest.model()) : inertia_start(rest);
  require(given.rows() == rest.model().dof_count(),
          "the start of the inertia modes has {} rows, the model needs {} (3 per free vertex)", given.rows(),
          rest.model().dof_count());
  require(given.allFinite() && !given.isZero(0.0),
          "the start of the inertia modes is zero or holds numbers that are not finite");
  if (held) return given;
  Matrix start = beside_rigid_modes(rest, given);
  require(start.cols() > 0,
          "the start of the inertia modes holds nothing but motions that strain the body nowhere, as nothing "
          "holds it back; give other motions, or none");
  return start;
}

/// KrylovBasis and ReducedGramSchmidt behind one face: vectors go in block after block; M times the last
/// block comes out.
class FullBlocks {
 public:
  FullBlocks(const RestStiffness& rest, Index count)
      : basis_(rest.model().mass(), rest.rigid_modes(), count, rest.model().executor()) {}

  const SymmetricProduct& mass() const { return basis_.mass(); }
  Index size() const { return basis_.size(); }
  void append(Matrix W) { basis_.append(std::move(W)); }
  void finish() { basis_.finish(); }
  Matrix next_load() { return basis_.last_mass_vectors(); }
  Matrix take(InertiaModes&) { return basis_.take_vectors(); }

 private:
  KrylovBasis basis_;
};

class ReducedBlocks {
 public:
  ReducedBlocks(const RestStiffness& rest, Index count, const ReducedGramSchmidtOptions& options)
      : model_(rest.model()),
        mass_(model_.mass()),
        basis_(sample_mass(model_, options), options.threshold, model_.dof_count(), count,
               model_.executor()) {}

  const SymmetricProduct& mass() const { return mass_; }
  Index size() const { return basis_.size(); }
  void append(Matrix W) { last_ = basis_.append(std::move(W)); }
  void finish() {}
  Matrix next_load() {
    Matrix load(model_.dof_count(), last_);
    mass_.apply(basis_.vectors().rightCols(last_), load, model_.executor());
    return load;
  }
  Matrix take(InertiaModes& modes) {
    modes.reduced = basis_.report();
    return basis_.take_vectors();
  }

 private:
  const FullModel& model_;
  SymmetricProduct mass_;
  ReducedGramSchmidt basis_;
  Index last_ = 0;
};

template <class Blocks>
InertiaModes iterate(RestStiffness& rest, const Matrix& start, Index count, Blocks blocks,
                     const Progress& progress) {
  InertiaModes modes;
  Matrix load(start.rows(), start.cols());
  blocks.mass().apply(start, load, rest.model().executor());
  report(progress, "inertia modes", 0.0);
  while (blocks.size() < count && load.cols() > 0) {
    const Index columns = std::min(load.cols(), count - blocks.size());
    Matrix W(load.rows(), columns);
    const int solves = modes.report.iterations;
    modes.report = rest.solve(load.leftCols(columns), W);
    modes.report.iterations = solves + 1;
    if (!modes.report.ok()) break;
    blocks.append(std::move(W));
    if (blocks.size() == count) blocks.finish();
    // Columns cut off are needed after all where others were dropped.
    load = columns < load.cols() ? Matrix(load.rightCols(load.cols() - columns)) : blocks.next_load();
    report(progress, "inertia modes", static_cast<double>(blocks.size()) / static_cast<double>(count));
  }
  modes.shapes = blocks.take(modes);
  return modes;
}

}  // namespace

InertiaModes compute_inertia_modes(RestStiffness& rest, Index count, const InertiaModesOptions& options) {
  const FullModel& model = rest.model();
  const Index most = model.dof_count() - rest.rigid_modes().cols();
  require(count >= 1 && count <= most, "{} inertia modes asked for, expected 1 to {}: the body has no more",
          count, most);
  const Matrix start = start_block(rest, options.start);
  if (options.orthogonalization == Orthogonalization::full)
    return iterate(rest, start, count, FullBlocks(rest, count), options.progress);
  return iterate(rest, start, count, ReducedBlocks(rest, count, options.reduced), options.progress);
}

Matrix inertia_start(const RestStiffness& rest) {
  const bool held = rest.rigid_modes().cols() == 0;
  return beside_rigid_modes(
      rest, held ? rigid_motions_of_parts(rest.model()) : quadratic_fields_of_parts(rest.model()));
}

RitzModes rayleigh_ritz(const RestStiffness& rest, const Eigen::Ref<const Matrix>& vectors, Index count) {
  const FullModel& model = rest.model();
  const Executor& executor = model.executor();
  const Matrix Q = mass_orthonormalize(vectors, model.mass(), 1e-12, executor).Q;
  require(count >= 1 && count <= Q.cols(),
          "{} Ritz modes asked for, expected 1 to {}: the vectors span no more", count, Q.cols());
  Matrix KQ(Q.rows(), Q.cols());
  SymmetricProduct(rest.matrix()).apply(Q, KQ, executor);
  const SymmetricEigen eigen = symmetric_eigen(tall_product(Q, KQ, executor));
  return {eigen.values.head(count), tall_combination(Q, eigen.vectors.leftCols(count), executor)};
}

}  // namespace limber
