#include "limber/fem/dof_map.hpp"

#include "limber/base/error.hpp"

namespace limber {

DofMap::DofMap(const VolumeMesh& mesh, std::span<const int> fixed) {
  std::vector<char> moves = used_vertices(mesh);
  for (const int vertex : fixed) {
    require(vertex >= 0 && vertex < mesh.vertex_count(),
            "fixed vertex {} does not exist; the mesh has vertices 0 to {}", vertex, mesh.vertex_count() - 1);
    moves[static_cast<std::size_t>(vertex)] = 0;
  }
  free_of_vertex_.assign(moves.size(), -1);
  for (std::size_t v = 0; v < moves.size(); ++v) {
    if (!moves[v]) continue;
    free_of_vertex_[v] = static_cast<int>(vertex_of_free_.size());
    vertex_of_free_.push_back(static_cast<int>(v));
  }
}

Matrix3X DofMap::expand(const VectorRef& u) const {
  Matrix3X field;
  expand(u, field);
  return field;
}

void DofMap::expand(const VectorRef& u, Matrix3X& field) const {
  require(u.size() == dof_count(), "displacement has {} entries, the model needs {} (3 per free vertex)",
          u.size(), dof_count());
  field.setZero(3, vertex_count());
  for (std::size_t f = 0; f < vertex_of_free_.size(); ++f) {
    field.col(vertex_of_free_[f]) = u.segment<3>(3 * static_cast<Index>(f));
  }
}

Vector DofMap::restrict(const Matrix3X& field) const {
  Vector u;
  restrict(field, u);
  return u;
}

void DofMap::restrict(const Matrix3X& field, Vector& u) const {
  require(field.cols() == vertex_count(), "field has {} columns, the mesh has {} vertices", field.cols(),
          vertex_count());
  u.resize(dof_count());
  for (std::size_t f = 0; f < vertex_of_free_.size(); ++f) {
    u.segment<3>(3 * static_cast<Index>(f)) = field.col(vertex_of_free_[f]);
  }
}

}  // namespace limber
