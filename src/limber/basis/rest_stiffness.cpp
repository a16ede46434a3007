#include "limber/basis/rest_stiffness.hpp"

#include "limber/base/error.hpp"
#include "limber/base/random.hpp"
#include "limber/linalg/mass_basis.hpp"
#include "limber/linalg/qr.hpp"

#include <Eigen/Geometry>

#include <algorithm>
#include <vector>

namespace limber {
namespace {

/// A motion x for which x K x is this small a share of |x| |K| |x| meets no resistance: rounding alone leaves
/// about 1e-16, the bending of a beam a thousand elements long still 1e-11.
constexpr double free_motion = 1e-14;

std::vector<int> fixed_vertices(const FullModel& model) {
  std::vector<int> fixed;
  for (int v = 0; v < model.mesh().vertex_count(); ++v) {
    if (model.dofs().free_index(v) < 0) fixed.push_back(v);
  }
  return fixed;
}

/// Infinitesimal rigid motions of one part of a body that leave its fixed vertices in place.
struct PartMotions {
  Vector3 pivot = Vector3::Zero();  ///< a place that the rotations leave where it is
  bool translates = false;          ///< in all directions
  std::vector<Vector3> axes;        ///< of the rotations

  [[nodiscard]] Index count() const { return (translates ? 3 : 0) + static_cast<Index>(axes.size()); }
};

/// The motions of a part that is not held: its fixed vertices are none, one place or on a line.
/// vertices: those of the part that move.
PartMotions motions_of(const VolumeMesh& mesh, const std::vector<int>& vertices,
                       const std::vector<int>& fixed) {
  PartMotions motions;
  Vector3 along = Vector3::Zero();
  if (fixed.empty()) {
    motions.translates = true;
    for (const int v : vertices) motions.pivot += mesh.vertices.col(v) / static_cast<double>(vertices.size());
  } else {
    motions.pivot = mesh.vertices.col(fixed.front());
    for (const int v : fixed) {
      const Vector3 d = mesh.vertices.col(v) - motions.pivot;
      if (d.squaredNorm() > along.squaredNorm()) along = d;
    }
  }
  if (along.isZero(0.0)) {
    motions.axes = {Vector3::UnitX(), Vector3::UnitY(), Vector3::UnitZ()};
  } else {
    motions.axes = {along.normalized()};
  }
  return motions;
}

/// Their displacements at these vertices, and none elsewhere: dofs x count.
Matrix evaluate(const PartMotions& motions, const FullModel& model, const std::vector<int>& vertices) {
  Matrix N = Matrix::Zero(model.dof_count(), motions.count());
  for (const int v : vertices) {
    const Index row = 3 * Index{model.dofs().free_index(v)};
    Index column = 0;
    if (motions.translates) {
      N.block<3, 3>(row, 0).setIdentity();
      column = 3;
    }
    const Vector3 arm = model.mesh().vertices.col(v) - motions.pivot;
    for (const Vector3& axis : motions.axes) N.block<3, 1>(row, column++) = axis.cross(arm);
  }
  return N;
}

/// As many unknowns as N has columns which, pinned, leave none of the motions: the rows that a QR
/// factorisation of N^T with column pivoting takes first are large and far from dependent.
std::vector<Index> statically_determinate_unknowns(const Eigen::Ref<const Matrix>& N) {
  std::vector<Index> order = pivot_columns(N.transpose());
  order.resize(static_cast<std::size_t>(N.cols()));
  return order;
}

/// Takes the couplings of the pinned unknowns out of K; their diagonal stays, so that the scale of K does.
void pin(const std::vector<Index>& pinned, SparseMatrix& K) {
  std::vector<char> is_pinned(static_cast<std::size_t>(K.rows()), 0);
  for (const Index i : pinned) is_pinned[static_cast<std::size_t>(i)] = 1;
  for (Index j = 0; j < K.cols(); ++j) {
    for (SparseMatrix::InnerIterator it(K, j); it; ++it) {
      const bool couples =
          is_pinned[static_cast<std::size_t>(it.row())] != 0 || is_pinned[static_cast<std::size_t>(j)] != 0;
      if (couples && it.row() != j) it.valueRef() = 0.0;
    }
  }
}

/// Looks for the softest motion of the factored K by two steps of inverse iteration.
bool resists_every_motion(const SparseMatrix& K, SparseSolver& solver) {
  Random random(1);
  Vector x(K.rows()), y(K.rows());
  for (double& value : x) value = random.normal();
  for (int iteration = 0; iteration < 2; ++iteration) {
    if (!solver.solve(x, y).ok()) return false;
    x = y / y.norm();
  }
  return x.dot(K * x) > free_motion * x.cwiseAbs().dot(K.cwiseAbs() * x.cwiseAbs());
}

}  // namespace

class RestStiffness::Solver final : public SparseSolver {
 public:
  explicit Solver(const FullModel& body)
      : model(body), K(body.stiffness(Vector::Zero(body.dof_count()))), N(body.dof_count(), 0) {
    find_rigid_modes();
    cholesky_ = make_sparse_solver({.threads = model.executor().threads()});
    SparseMatrix pinned_K;
    if (!pinned_.empty()) {
      pinned_K = K;
      pin(pinned_, pinned_K);
    }
    const SparseMatrix& positive = pinned_.empty() ? K : pinned_K;
    const SolveReport factored = cholesky_->factor(positive);
    require(factored.status != SolveStatus::out_of_memory,
            "the factor of {} unknowns does not fit into memory; use a coarser mesh", K.rows());
    require(factored.ok() && resists_every_motion(positive, *cholesky_),
            "the stiffness at rest is singular beyond the rigid motions: either some elements hang on by a "
            "vertex or an edge only (join them by faces) or the material is unstable");
  }

  void analyze(const SparseMatrix&) override { refuse(); }
  SolveReport factor(const SparseMatrix&) override { refuse(); }

  SolveReport solve(const Eigen::Ref<const Matrix>& B, Eigen::Ref<Matrix> X) override {
    check_shapes(K.rows(), B, X);
    if (N.cols() == 0) return cholesky_->solve(B, X);
    Matrix load = B;
    load -= tall_combination(MN_, tall_product(N, B, model.executor()), model.executor());
    for (const Index i : pinned_) load.row(i).setZero();
    const SolveReport report = cholesky_->solve(load, X);
    // Twice: the pinned solution may hold far more of the rigid motions than of strain.
    for (int pass = 0; pass < 2; ++pass)
      X -= tall_combination(N, tall_product(MN_, X, model.executor()), model.executor());
    return report;
  }

  double factor_flops() const override { return cholesky_->factor_flops(); }
  double reciprocal_condition() const override { return cholesky_->reciprocal_condition(); }

  const FullModel& model;
  SparseMatrix K;
  Matrix N;  ///< rigid modes

 private:
  [[noreturn]] static void refuse() {
    throw Error("the stiffness at rest is factored already, once for all");
  }

  /// Fills N, M N and the pinned unknowns, part by part: M couples no two of them.
  void find_rigid_modes() {
    const std::vector<int> unheld = unheld_parts(model.mesh(), fixed_vertices(model));
    if (unheld.empty()) return;
    const std::vector<int> part = connected_parts(model.mesh());
    MassBasis basis(model.mass(), model.executor());
    for (const int p : unheld) {
      std::vector<int> vertices, fixed;
      for (int v = 0; v < static_cast<int>(part.size()); ++v) {
        if (part[static_cast<std::size_t>(v)] != p) continue;
        (model.dofs().free_index(v) < 0 ? fixed : vertices).push_back(v);
      }
      basis.append(evaluate(motions_of(model.mesh(), vertices, fixed), model, vertices), 0.0);
    }
    MN_ = basis.mass_vectors();
    N = basis.take_vectors();
    pinned_ = statically_determinate_unknowns(N);
  }

  Matrix MN_;
  std::vector<Index> pinned_;
  std::unique_ptr<SparseSolver> cholesky_;  ///< of K, or of K with the pinned unknowns taken out
};

RestStiffness::RestStiffness(const FullModel& model) : solver_(std::make_unique<Solver>(model)) {}
RestStiffness::~RestStiffness() = default;
RestStiffness::RestStiffness(RestStiffness&&) noexcept = default;

const FullModel& RestStiffness::model() const { return solver_->model; }
const SparseMatrix& RestStiffness::matrix() const { return solver_->K; }
const Matrix& RestStiffness::rigid_modes() const { return solver_->N; }
SolveReport RestStiffness::solve(const Eigen::Ref<const Matrix>& B, Eigen::Ref<Matrix> X) {
  return solver_->solve(B, X);
}
SparseSolver& RestStiffness::solver() { return *solver_; }

}  // namespace limber
