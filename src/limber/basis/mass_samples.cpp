#include "limber/base/error.hpp"
#include "limber/base/random.hpp"
#include "limber/basis/reduced_gram_schmidt.hpp"
#include "limber/mesh/flat_map.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <vector>

namespace limber {
namespace {

/// Cubes of one size that fill the box around a body.
struct Cubes {
  Vector3 corner;
  double side;

  [[nodiscard]] Eigen::Array3i place(const Vector3& x) const {
    return ((x - corner).array() / side).floor().cast<int>();
  }
};

/// 21 bits for each axis: cubes are never that small (finest_share).
std::uint64_t key_of(const Eigen::Array3i& place) {
  std::uint64_t key = 0;
  for (int axis = 0; axis < 3; ++axis) key = key << 21 | static_cast<std::uint64_t>(place(axis));
  return key;
}

/// The smallest cubes tried, as a share of the box: far below any element, and few enough to be numbered.
constexpr double finest_share = 1e-6;

/// Sides are tried until the number of cubes is this near to the one asked for, where the mesh has such ones:
/// the error of the samples goes with the side, the third root of the number.
constexpr double near_enough = 0.05;
constexpr int most_trials = 16;

int count_cubes(const FullModel& model, const Cubes& cubes) {
  FlatMap found;
  for (const int v : model.dofs().free_vertices())
    found.insert(key_of(cubes.place(model.mesh().vertices.col(v))), 0);
  return static_cast<int>(found.size());
}

/// Cubes of which about `count` hold vertices that move.
Cubes choose_cubes(const FullModel& model, int count) {
  const BoundingBox box = bounding_box(model.mesh());
  const double largest = (box.max - box.min).maxCoeff();
  const double volume = (box.max - box.min).cwiseMax(finest_share * largest).prod();
  double too_large = 1.001 * largest, too_small = finest_share * largest;
  Cubes cubes{box.min, std::clamp(std::cbrt(volume / count), too_small, too_large)};
  for (int trial = 0; trial < most_trials; ++trial) {
    const double ratio = static_cast<double>(count_cubes(model, cubes)) / count;
    if (std::abs(ratio - 1.0) < near_enough) break;
    (ratio > 1.0 ? too_small : too_large) = cubes.side;
    // The number goes with a power of the side between -1 (a rod) and -3: -2 is never far off.
    const double guess = cubes.side * std::sqrt(ratio);
    const bool inside = guess > too_small && guess < too_large;
    cubes.side = inside ? guess : std::sqrt(too_small * too_large);
  }
  return cubes;
}

/// Of the vertices of a regular mesh that are equally near, always the first would shift all samples to one
/// side.
double tie_break(std::size_t vertex) { return 1e-3 * Random(vertex).uniform(); }

MassSamples in_order(const std::vector<Index>& free_vertex, const Vector& mass) {
  std::vector<std::size_t> order(free_vertex.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(),
            [&](std::size_t a, std::size_t b) { return free_vertex[a] < free_vertex[b]; });
  MassSamples samples;
  samples.mass.resize(mass.size());
  for (std::size_t i = 0; i < order.size(); ++i) {
    samples.free_vertex.push_back(free_vertex[order[i]]);
    samples.mass(static_cast<Index>(i)) = mass(static_cast<Index>(order[i]));
  }
  return samples;
}

}  // namespace

MassSamples sample_mass(const FullModel& model, int count) {
  require(count >= 1, "{} samples of the mass asked for, expected 1 or more", count);
  const Matrix3X& x = model.mesh().vertices;
  const std::vector<int>& free = model.dofs().free_vertices();
  // Where every vertex can have a cube of its own there is nothing more to find.
  const Cubes cubes = choose_cubes(model, std::min(count, static_cast<int>(free.size())));
  FlatMap number;
  for (const int v : free) number.insert(key_of(cubes.place(x.col(v))), static_cast<int>(number.size()));
  const auto n = static_cast<Index>(number.size());
  Vector mass = Vector::Zero(n);
  Matrix3X centre = Matrix3X::Zero(3, n);
  for (int v = 0; v < model.mesh().vertex_count(); ++v) {
    const int i = number.find(key_of(cubes.place(x.col(v))));
    if (i < 0) continue;
    mass(i) += model.vertex_masses()(v);
    centre.col(i) += model.vertex_masses()(v) * x.col(v);
  }
  centre *= mass.cwiseInverse().asDiagonal();
  std::vector<Index> nearest(number.size(), -1);
  Vector distance = Vector::Constant(n, std::numeric_limits<double>::infinity());
  for (std::size_t f = 0; f < free.size(); ++f) {
    const int i = number.find(key_of(cubes.place(x.col(free[f]))));
    const double d = (x.col(free[f]) - centre.col(i)).squaredNorm() + tie_break(f) * cubes.side * cubes.side;
    if (!(d < distance(i))) continue;
    distance(i) = d;
    nearest[static_cast<std::size_t>(i)] = static_cast<Index>(f);
  }
  return in_order(nearest, mass);
}

MassSamples sample_mass(const FullModel& model, const ReducedGramSchmidtOptions& options) {
  require(options.samples >= 0, "{} samples of the mass asked for, expected 0 (as many as needed) or more",
          options.samples);
  if (options.samples > 0) return sample_mass(model, options.samples);
  return sample_mass(model,
                     static_cast<int>(100.0 * std::log2(static_cast<double>(model.mesh().vertex_count()))));
}

}  // namespace limber
