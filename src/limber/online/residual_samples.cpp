#include "limber/online/residual_samples.hpp"

#include "limber/base/random.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace limber {
namespace {

/// `count` of the numbers below `total`, ascending.
std::vector<int> draw(Index total, Index count, std::uint64_t seed) {
  std::vector<int> numbers(static_cast<std::size_t>(total));
  std::iota(numbers.begin(), numbers.end(), 0);
  Random random(seed);
  const auto chosen = static_cast<std::size_t>(std::clamp<Index>(count, 1, total));
  for (std::size_t i = 0; i < chosen; ++i) {
    const auto rest = static_cast<double>(numbers.size() - i);
    std::swap(numbers[i], numbers[i + static_cast<std::size_t>(random.uniform() * rest)]);
  }
  numbers.resize(chosen);
  std::sort(numbers.begin(), numbers.end());
  return numbers;
}

}  // namespace

ResidualSamples::ResidualSamples(const FullModel& model, Index count, std::uint64_t seed)
    : free_count_(model.dof_count() / 3) {
  const VolumeMesh& mesh = model.mesh();
  const std::vector<int>& free_vertices = model.dofs().free_vertices();
  std::vector<char> sampled(static_cast<std::size_t>(mesh.vertex_count()), 0);
  for (const int f : draw(free_count_, count, seed)) {
    samples_.push_back({free_vertices[static_cast<std::size_t>(f)], f, 0});
    sampled[static_cast<std::size_t>(samples_.back().vertex)] = 1;
  }

  std::vector<int> elements;
  std::vector<int> place(sampled.size(), -1);
  for (int e = 0; e < mesh.element_count(); ++e) {
    const auto corners = mesh.elements.col(e);
    if (std::none_of(corners.begin(), corners.end(),
                     [&](int v) { return sampled[static_cast<std::size_t>(v)]; }))
      continue;
    elements.push_back(e);
    for (const int v : corners) {
      int& at = place[static_cast<std::size_t>(v)];
      if (at >= 0) continue;
      at = static_cast<int>(vertices_.size());
      vertices_.push_back(v);
      free_.push_back(model.dofs().free_index(v));
    }
  }
  for (Sample& sample : samples_) sample.around = place[static_cast<std::size_t>(sample.vertex)];

  VolumeMesh around;
  around.kind = mesh.kind;
  around.regions = mesh.regions;
  around.vertices.resize(3, static_cast<Index>(vertices_.size()));
  for (std::size_t v = 0; v < vertices_.size(); ++v)
    around.vertices.col(static_cast<Index>(v)) = mesh.vertices.col(vertices_[v]);
  around.elements.resize(mesh.elements.rows(), static_cast<Index>(elements.size()));
  around.region.resize(elements.size());
  for (std::size_t e = 0; e < elements.size(); ++e) {
    for (Index a = 0; a < mesh.elements.rows(); ++a) {
      around.elements(a, static_cast<Index>(e)) =
          place[static_cast<std::size_t>(mesh.elements(a, elements[e]))];
    }
    around.region[e] = mesh.region[static_cast<std::size_t>(elements[e])];
  }
  around_ = std::make_unique<FullModel>(std::move(around), model.materials(), std::vector<int>{},
                                        FullModelOptions{model.mass_kind(), model.executor()});
}

void ResidualSamples::set_basis(const Eigen::Ref<const Matrix>& basis) {
  rows_.setZero(3 * static_cast<Index>(vertices_.size()), basis.cols());
  for (std::size_t v = 0; v < vertices_.size(); ++v) {
    if (free_[v] >= 0)
      rows_.middleRows(3 * static_cast<Index>(v), 3) = basis.middleRows(3 * Index{free_[v]}, 3);
  }
}

double ResidualSamples::residual(const VectorRef& q, const VertexMaps& maps, const VectorRef& f_ext) const {
  Vector y = rows_ * q;
  for (std::size_t v = 0; v < vertices_.size(); ++v) {
    auto place = y.segment<3>(3 * static_cast<Index>(v));
    if (maps.carries()) place = (maps.linear[static_cast<std::size_t>(vertices_[v])] * place).eval();
    place += maps.offset.col(vertices_[v]);
  }
  const Vector f = around_->internal_force(y);
  double squares = 0.0;
  for (const Sample& sample : samples_) {
    Vector3 residual = f.segment<3>(3 * Index{sample.around}) - f_ext.segment<3>(3 * Index{sample.free});
    if (maps.carries())
      residual = (maps.linear[static_cast<std::size_t>(sample.vertex)].transpose() * residual).eval();
    squares += residual.squaredNorm();
  }
  return std::sqrt(squares / static_cast<double>(samples_.size()) * static_cast<double>(free_count_));
}

}  // namespace limber
