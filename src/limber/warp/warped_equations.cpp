#include "limber/warp/warped_equations.hpp"

#include "limber/base/error.hpp"
#include "limber/reduced/reduced_equations.hpp"
#include "limber/warp/rotation.hpp"

#include <cmath>
#include <numbers>
#include <vector>

namespace limber {
namespace {

void check_options(const ReducedModel& model, const WarpedEquationsOptions& options, Index rank) {
  require(rank >= 1 && rank <= model.rank, "rank {} of a reduced model with {} vectors, expected 1 to {}",
          rank, model.rank, model.rank);
  require(options.modes >= 0 && options.modes <= rank,
          "{} modes of a body with {} coordinates, expected 1 to {}", options.modes, rank, rank);
  const RayleighDamping& damping = options.damping;
  require(std::isfinite(damping.mass) && damping.mass >= 0.0 && std::isfinite(damping.stiffness) &&
              damping.stiffness >= 0.0,
          "Rayleigh damping is alpha = {}, beta = {}; expected finite numbers of at least 0", damping.mass,
          damping.stiffness);
}

void check_lumps(const ReducedModel& model) {
  const Lumps& lumps = model.warp->lumps;
  const Index count = lumps.count();
  require(static_cast<Index>(lumps.region.size()) == count && lumps.center.cols() == count &&
              lumps.moment.rows() == 3 * count && lumps.rotations.rows() == 3 * count &&
              lumps.moment.cols() == model.rank && lumps.rotations.cols() == model.rank,
          "the lumps of the model do not fit together: {} volumes, {} regions, moments of {} x {}, rotations "
          "of {} x {}; "
          "expected one each, 3 rows each and {} columns",
          count, lumps.region.size(), lumps.moment.rows(), lumps.moment.cols(), lumps.rotations.rows(),
          lumps.rotations.cols(), model.rank);
  for (const int region : lumps.region) {
    require(region >= 0 && region < static_cast<int>(model.regions.size()),
            "a lump of the model is in region {}, expected 0 to {}", region, model.regions.size() - 1);
  }
}

/// Exact forces know one law alone; the stiffness at rest is the same for every law of the same parameters.
std::vector<Material> materials_at_rest(const ReducedModel& model, std::span<const Material> materials) {
  std::vector<Material> result(materials.begin(), materials.end());
  if (model.cubature) return result;
  for (std::size_t i = 0; i < result.size(); ++i) {
    try {
      check_material(result[i]);
    } catch (const Error& error) {
      throw Error("material of region {}: {}", i, error.what());
    }
    result[i].law = Stvk{lame_of(result[i].law)};
  }
  return result;
}

void check_vertex(int vertex, Index count, std::string_view what) {
  require(vertex >= 0 && vertex < count, "vertex {} of {} with {} vertices, expected 0 to {}", vertex, what,
          count, count - 1);
}

}  // namespace

WarpedEquations make_warped_equations(const ReducedModel& model, std::span<const Material> materials,
                                      const WarpedEquationsOptions& options) {
  require(model.warp.has_value(),
          "the model has no modal rotations, which warping needs: it is of an older version; reduce the body "
          "again");
  const Index rank = options.rank == 0 ? model.rank : options.rank;
  check_options(model, options, rank);
  check_lumps(model);
  const NaturalModes natural =
      natural_modes(make_equations(model, materials_at_rest(model, materials), rank));
  const Index modes = options.modes == 0 ? rank : options.modes;

  WarpedEquations equations;
  equations.shapes = natural.shapes.leftCols(modes);
  equations.stiffness = (2.0 * std::numbers::pi * natural.frequencies.head(modes)).array().square();
  equations.damping = options.damping.mass + options.damping.stiffness * equations.stiffness.array();

  const Lumps& lumps = model.warp->lumps;
  equations.centers = lumps.center;
  equations.lump_mass = lumps.volume;
  equations.moments = lumps.moment.leftCols(rank) * equations.shapes;
  for (Index i = 0; i < lumps.count(); ++i) {
    const double density =
        materials[static_cast<std::size_t>(lumps.region[static_cast<std::size_t>(i)])].density;
    equations.lump_mass(i) *= density;
    equations.moments.middleRows<3>(3 * i) *= density;
  }
  equations.rotations = lumps.rotations.leftCols(rank) * equations.shapes;
  const Matrix3X& surface = model.surface.mesh.vertices;
  equations.size = (surface.rowwise().maxCoeff() - surface.rowwise().minCoeff()).norm();
  return equations;
}

Vector3 WarpSite::displacement(const VectorRef& q) const { return mean_rotation(turn * q) * (shape * q); }

void WarpSite::derivative(const VectorRef& q, Eigen::Ref<Matrix3X, 0, Eigen::OuterStride<>> result) const {
  const Vector3 w = turn * q, y = shape * q;
  const Matrix3 mean = mean_rotation(w), turning = mean_rotation_derivative(w, y);
  result.noalias() = mean.lazyProduct(shape);
  result.noalias() += turning.lazyProduct(turn);
}

Matrix3X WarpSite::derivative(const VectorRef& q) const {
  Matrix3X result(3, q.size());
  derivative(q, result);
  return result;
}

WarpSite surface_site(const ReducedModel& model, const WarpedEquations& equations, int vertex) {
  require(model.warp.has_value(),
          "the model has no modal rotations, which warping needs: it is of an older version; reduce the body "
          "again");
  check_vertex(vertex, model.surface.mesh.vertex_count(), "a surface");
  const Index rank = equations.shapes.rows(), row = 3 * Index{vertex};
  return {model.surface.mesh.vertices.col(vertex),
          model.surface.basis.block(row, 0, 3, rank).cast<double>() * equations.shapes,
          model.warp->surface_rotations.block(row, 0, 3, rank).cast<double>() * equations.shapes};
}

WarpSite mesh_site(const ReducedModel& model, const Matrix& rotations, const WarpedEquations& equations,
                   int vertex) {
  require(model.simulation.has_value(), "the model holds no simulation mesh; build it with one");
  const Matrix& basis = model.simulation->basis;
  check_vertex(vertex, model.simulation->mesh.vertex_count(), "a simulation mesh");
  require(rotations.rows() == basis.rows() && rotations.cols() == basis.cols(),
          "rotations of {} x {} for a basis of {} x {}, expected the same", rotations.rows(),
          rotations.cols(), basis.rows(), basis.cols());
  const Index rank = equations.shapes.rows(), row = 3 * Index{vertex};
  return {model.simulation->mesh.vertices.col(vertex), basis.block(row, 0, 3, rank) * equations.shapes,
          rotations.block(row, 0, 3, rank) * equations.shapes};
}

}  // namespace limber
