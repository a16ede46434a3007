#include "limber/reduced/inertia.hpp"

#include "limber/base/error.hpp"

namespace limber {

Inertia inertia_of(const ReducedModel& model, std::span<const Material> materials, Index rank) {
  require(materials.size() == model.regions.size(), "{} materials for {} regions, expected one each",
          materials.size(), model.regions.size());
  require(rank >= 0 && rank <= model.rank, "rank {} of a model of rank {}", rank, model.rank);
  Inertia sum;
  sum.first_rows = Matrix3X::Zero(3, rank);
  sum.second_rows = Matrix::Zero(9, rank);
  sum.second_pairs = Matrix::Zero(9, rank * rank);
  for (std::size_t i = 0; i < materials.size(); ++i) {
    const ReducedRegion& region = model.regions[i];
    const RegionMoments& moments = region.moments;
    const double density = materials[i].density;
    sum.mass += density * region.volume;
    sum.first += density * moments.first;
    sum.second += density * moments.second;
    sum.first_rows += density * region.weight.topRows(rank).transpose();
    sum.second_rows += density * moments.second_rows.leftCols(rank);
    for (Index j = 0; j < rank; ++j)
      sum.second_pairs.middleCols(rank * j, rank) +=
          density * moments.second_pairs.middleCols(model.rank * j, rank);
  }
  return sum;
}

Inertia inertia_of(const ReducedModel& model) {
  const std::vector<Material> materials = model.materials();
  return inertia_of(model, materials, model.rank);
}

}  // namespace limber
