#include "limber/body/surface_loads.hpp"

#include "limber/base/error.hpp"
#include "limber/body/motion.hpp"

#include <Eigen/Geometry>

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

namespace limber {
namespace {

void check_triangles(const SurfaceLoad& load, Index count, const std::string& where) {
  require(!load.triangles.empty(), "{} has no triangles; name those that it acts on", where);
  std::vector<int> sorted = load.triangles;
  std::sort(sorted.begin(), sorted.end());
  for (std::size_t i = 0; i < sorted.size(); ++i) {
    require(sorted[i] >= 0 && sorted[i] < count, "{} acts on triangle {} of a surface with triangles 0 to {}",
            where, sorted[i], count - 1);
    require(i == 0 || sorted[i] != sorted[i - 1], "{} names triangle {} twice; name it once", where,
            sorted[i]);
  }
}

void check_load(const SurfaceLoad& load, Index count, const std::string& where) {
  check_triangles(load, count, where);
  require(std::isfinite(load.pressure) && load.traction.allFinite(),
          "{} is a pressure of {} Pa and a traction of ({}, {}, {}) Pa, expected finite numbers", where,
          load.pressure, load.traction.x(), load.traction.y(), load.traction.z());
  require(!std::isnan(load.from) && !std::isnan(load.to) && load.to > load.from,
          "{} acts from {} s to {} s, expected that it ends after it starts", where, load.from, load.to);
}

/// What acts together, before vertices have places in a list.
struct Gathered {
  double from = 0.0, to = 0.0;
  std::map<int, Vector3> tractions;                        ///< of each vertex, N
  std::vector<std::pair<Eigen::Vector3i, double>> pushed;  ///< corners and pressure
};

Gathered& with_times(const SurfaceLoad& load, std::vector<Gathered>& all) {
  const SurfaceForces times{{}, {}, load.from, load.to};
  const double from = times.always() ? 0.0 : load.from;
  const auto found = std::find_if(all.begin(), all.end(),
                                  [&](const Gathered& one) { return one.from == from && one.to == load.to; });
  if (found != all.end()) return *found;
  all.push_back({from, load.to, {}, {}});
  return all.back();
}

void gather(const SurfaceLoad& load, const SurfaceMesh& surface, Gathered& all) {
  for (const int triangle : load.triangles) {
    const Eigen::Vector3i corners = surface.triangles.col(triangle);
    const Vector3 a = surface.vertices.col(corners(0)), b = surface.vertices.col(corners(1)),
                  c = surface.vertices.col(corners(2));
    const double area = 0.5 * (b - a).cross(c - a).norm();
    const Vector3 third = area / 3.0 * load.traction;
    for (const int v : corners) all.tractions.try_emplace(v, Vector3::Zero()).first->second += third;
    if (load.pressure != 0.0) all.pushed.emplace_back(corners, load.pressure);
  }
}

/// The loads by their times; tractions that always act apart from all else.
struct Sorted {
  std::vector<Gathered> always, others;
};

Sorted sort_loads(std::span<const SurfaceLoad> loads, const SurfaceMesh& surface) {
  Sorted result;
  for (SurfaceLoad load : loads) {
    if (SurfaceForces{{}, {}, load.from, load.to}.always()) {
      SurfaceLoad traction = load;
      traction.pressure = 0.0;
      if (!traction.traction.isZero(0.0)) gather(traction, surface, with_times(traction, result.always));
      load.traction.setZero();
    }
    if (load.pressure != 0.0 || !load.traction.isZero(0.0))
      gather(load, surface, with_times(load, result.others));
  }
  return result;
}

int place_of(int vertex, const std::vector<int>& ascending) {
  return static_cast<int>(std::lower_bound(ascending.begin(), ascending.end(), vertex) - ascending.begin());
}

}  // namespace

SurfaceLoads::SurfaceLoads(const SurfaceMesh& surface, std::span<const SurfaceLoad> loads,
                           const std::string& name) {
  for (std::size_t i = 0; i < loads.size(); ++i)
    check_load(loads[i], surface.triangle_count(), fmt::format("{}: surface load {}", name, i));
  const auto [always, others] = sort_loads(loads, surface);
  for (const Gathered& one : always) {
    for (const auto& [vertex, force] : one.tractions) constant_.push_back({vertex, force});
  }
  for (const Gathered& one : others) {
    const auto count = static_cast<Index>(one.tractions.size());
    SurfaceForces& forces = forces_.emplace_back(SurfaceForces{{}, Matrix3X(3, count), one.from, one.to});
    Group& group =
        groups_.emplace_back(Group{{}, Matrix3X(3, count), Matrix3X(3, count), Matrix3X(3, count)});
    for (const auto& [vertex, force] : one.tractions) {
      const auto place = static_cast<Index>(forces.vertices.size());
      forces.vertices.push_back(vertex);
      group.tractions.col(place) = force;
      group.places.col(place) = surface.vertices.col(vertex);
    }
    for (const auto& [corners, pressure] : one.pushed)
      group.pushed.push_back({place_of(corners(0), forces.vertices), place_of(corners(1), forces.vertices),
                              place_of(corners(2), forces.vertices), pressure});
    follow_ = follow_ || !group.pushed.empty();
    compute(forces_.size() - 1);
  }
}

void SurfaceLoads::compute(std::size_t i) {
  Matrix3X& f = forces_[i].forces;
  const Matrix3X& x = groups_[i].places;
  f = groups_[i].tractions;
  for (const auto& [a, b, c, pressure] : groups_[i].pushed) {
    const Vector3 ab = x.col(b) - x.col(a), ac = x.col(c) - x.col(a);
    const Vector3 third = (-pressure / 6.0) * ab.cross(ac);
    for (const int corner : {a, b, c}) f.col(corner) += third;
  }
}

bool SurfaceLoads::update(const Motion& motion) {
  bool others = false;
  for (std::size_t i = 0; i < forces_.size(); ++i) {
    Group& group = groups_[i];
    if (group.pushed.empty()) continue;
    group.before = forces_[i].forces;
    motion.positions_of(forces_[i].vertices, group.places);
    compute(i);
    others = others || group.before != forces_[i].forces;
  }
  return others;
}

}  // namespace limber
