#include "limber/fem/full_model.hpp"

#include "limber/base/error.hpp"
#include "limber/fem/elements.hpp"
#include "limber/fem/sparsity.hpp"
#include "limber/linalg/pairs.hpp"

#include <Eigen/Geometry>

#include <algorithm>
#include <cmath>
#include <limits>

namespace limber {
namespace {

void check_materials(const std::vector<Material>& materials, const VolumeMesh& mesh) {
  require(materials.size() == mesh.regions.size(), "{} materials for {} regions, expected one per region",
          materials.size(), mesh.regions.size());
  for (const Material& material : materials) check_density(material.density);
}

double element_mass(const VolumeMesh& mesh, const std::vector<Material>& materials, Index e) {
  return element_volume(mesh, e) *
         materials[static_cast<std::size_t>(mesh.region[static_cast<std::size_t>(e)])].density;
}

void add_mass(const VolumeMesh& mesh, const std::vector<Material>& materials, MassKind kind,
              const Sparsity& sparsity, const DofMap& dofs, SparseMatrix& M) {
  const int N = sparsity.nodes;
  for (Index e = 0; e < mesh.element_count(); ++e) {
    const double mass = element_mass(mesh, materials, e);
    const int* slot = &sparsity.slots[static_cast<std::size_t>(e * N * N)];
    for (int b = 0; b < N; ++b) {
      const int column = dofs.free_index(mesh.elements(b, e));
      if (column < 0) continue;
      const int stride = sparsity.stride[static_cast<std::size_t>(column)];
      for (int a = 0; a < N; ++a) {
        if (slot[a + N * b] < 0) continue;
        const double consistent = mesh.kind == ElementKind::tetrahedron ? TetrahedronElement::mass_share(a, b)
                                                                        : BrickElement::mass_share(a, b);
        const double lumped = a == b ? 1.0 / N : 0.0;
        const double share = kind == MassKind::consistent ? consistent : lumped;
        for (int i = 0; i < 3; ++i) M.valuePtr()[slot[a + N * b] + i + i * stride] += mass * share;
      }
    }
  }
}

}  // namespace

FullModel::FullModel(VolumeMesh mesh, std::vector<Material> materials, std::span<const int> fixed,
                     const FullModelOptions& options)
    : mesh_((check_mesh(mesh, "mesh"), std::move(mesh))),
      materials_((check_materials(materials, mesh_), std::move(materials))),
      executor_(options.executor),
      dofs_(mesh_, fixed),
      mass_kind_(options.mass) {
  require(dofs_.dof_count() > 0, "every vertex is fixed, so nothing can move; fix fewer vertices");
  Sparsity sparsity = make_sparsity(mesh_, dofs_);
  assembly_ = make_assembly(mesh_, sparsity, dofs_, materials_, executor_);
  mass_ = sparsity.pattern;
  add_mass(mesh_, materials_, options.mass, sparsity, dofs_, mass_);
  pattern_.swap(sparsity.pattern);

  vertex_masses_ = Vector::Zero(mesh_.vertex_count());
  for (Index e = 0; e < mesh_.element_count(); ++e) {
    const double share = element_mass(mesh_, materials_, e) / static_cast<double>(mesh_.elements.rows());
    for (const int v : mesh_.elements.col(e)) vertex_masses_(v) += share;
  }
  const double whole = vertex_masses_.sum();
  require(std::isfinite(whole) && whole > 0.0,
          "the mass of the body is {} kg, expected a positive number; change its density or the size of its "
          "mesh",
          whole);
  const Vector3 middle = mesh_.vertices * vertex_masses_ / whole;
  const Vector x = dofs_.restrict(mesh_.vertices.colwise() - middle);
  const SparseMatrix K = stiffness(Vector::Zero(dof_count()));
  const Vector Kx = K.cwiseAbs() * x.cwiseAbs();
  constexpr double few_dozen_eps = 32.0 * std::numeric_limits<double>::epsilon();
  force_rounding_ = few_dozen_eps * Kx.norm();
  energy_rounding_ = few_dozen_eps * x.cwiseAbs().dot(Kx);
}

void FullModel::set_supports(const Matrix3X& displacement) {
  require(displacement.cols() == mesh_.vertex_count(),
          "displacements of supports have {} columns, the mesh has {} vertices", displacement.cols(),
          mesh_.vertex_count());
  require(displacement.allFinite(), "displacements of supports are not finite");
  supports_ = displacement;
  for (const int v : dofs_.free_vertices()) supports_.col(v).setZero();
  supports_moved_ = !supports_.isZero(0.0);
  const double size = (mesh_.vertices.rowwise().maxCoeff() - mesh_.vertices.rowwise().minCoeff()).norm();
  support_distance_ = std::max(1.0, supports_.colwise().norm().maxCoeff() / size);
}

Matrix3X FullModel::placed(const VectorRef& u) const {
  Matrix3X field = dofs_.expand(u);
  if (supports_moved_) field += supports_;  // one of the two is zero in each column
  return field;
}

double FullModel::energy(const VectorRef& u) const { return assembly_->energy(placed(u)); }

void FullModel::internal_force(const VectorRef& u, Vector& f) const { dofs_.restrict(vertex_forces(u), f); }

Vector FullModel::internal_force(const VectorRef& u) const { return dofs_.restrict(vertex_forces(u)); }

void FullModel::force_and_stiffness(const VectorRef& u, Vector& f, SparseMatrix& K, Tangent tangent) const {
  Matrix3X forces;
  vertex_forces_and_stiffness(u, forces, K, tangent);
  dofs_.restrict(forces, f);
}

void FullModel::vertex_forces_and_stiffness(const VectorRef& u, Matrix3X& forces, SparseMatrix& K,
                                            Tangent tangent) const {
  require(K.nonZeros() == pattern_.nonZeros() && K.rows() == pattern_.rows(),
          "the stiffness to fill has {} entries, expected a copy of pattern() with {}", K.nonZeros(),
          pattern_.nonZeros());
  assembly_->force_and_stiffness(placed(u), tangent, forces, K);
}

SparseMatrix FullModel::stiffness(const VectorRef& u, Tangent tangent) const {
  SparseMatrix K = pattern_;
  Vector f;
  force_and_stiffness(u, f, K, tangent);
  return K;
}

void FullModel::stiffness_derivative(const VectorRef& u, const VectorRef& a, SparseMatrix& H) const {
  require(H.nonZeros() == pattern_.nonZeros() && H.rows() == pattern_.rows(),
          "the matrix to fill has {} entries, expected a copy of pattern() with {}", H.nonZeros(),
          pattern_.nonZeros());
  assembly_->stiffness_derivative(placed(u), dofs_.expand(a), H);
}

SparseMatrix FullModel::stiffness_derivative(const VectorRef& u, const VectorRef& a) const {
  SparseMatrix H = pattern_;
  stiffness_derivative(u, a, H);
  return H;
}

void FullModel::stiffness_derivative_products(const VectorRef& u, const Eigen::Ref<const Matrix>& directions,
                                              Matrix& products) const {
  require(directions.rows() == dof_count(), "directions have {} rows, the model needs {} (3 per free vertex)",
          directions.rows(), dof_count());
  products.resize(dof_count(), pair_count(directions.cols()));
  assembly_->stiffness_derivative_products(placed(u), directions, products);
}

Vector FullModel::gravity_force(const Vector3& g) const {
  return dofs_.restrict(g * vertex_masses_.transpose());
}

Matrix3X FullModel::vertex_forces(const VectorRef& u) const {
  Matrix3X forces;
  assembly_->force(placed(u), forces);
  return forces;
}

double FullModel::smallest_volume_ratio(const VectorRef& u) const {
  return assembly_->smallest_volume_ratio(placed(u));
}

double FullModel::largest_gradient(const VectorRef& u) const {
  return assembly_->largest_gradient(placed(u));
}

double FullModel::largest_gradient_of_change(const VectorRef& du) const {
  return assembly_->largest_gradient(dofs_.expand(du));
}

std::vector<int> unheld_parts(const VolumeMesh& mesh, std::span<const int> fixed) {
  const std::vector<int> part = connected_parts(mesh);
  const int part_count = part.empty() ? 0 : *std::max_element(part.begin(), part.end()) + 1;
  std::vector<std::vector<int>> fixed_of_part(static_cast<std::size_t>(part_count));
  for (const int v : fixed) {
    if (part[static_cast<std::size_t>(v)] >= 0) fixed_of_part[static_cast<std::size_t>(part[v])].push_back(v);
  }

  std::vector<int> unheld;
  for (int p = 0; p < part_count; ++p) {
    const std::vector<int>& points = fixed_of_part[static_cast<std::size_t>(p)];
    // The widest pair through the first point spans a line; the part is held when some point is off that
    // line.
    bool held = false;
    if (!points.empty()) {
      const Vector3 origin = mesh.vertices.col(points[0]);
      Vector3 along = Vector3::Zero();
      for (const int v : points) {
        const Vector3 d = mesh.vertices.col(v) - origin;
        if (d.squaredNorm() > along.squaredNorm()) along = d;
      }
      for (const int v : points) {
        const Vector3 d = mesh.vertices.col(v) - origin;
        held |= d.cross(along).norm() >
                1e-9 * along.squaredNorm();  // an angle that coordinates in files still resolve
      }
    }
    if (!held) unheld.push_back(p);
  }
  return unheld;
}

}  // namespace limber
