#include "limber/contact/deformed_solid.hpp"

#include <cmath>
#include <limits>

// Places next to a solid, a batch of them at a time. Each takes a distance at rest, a walk through deformed
// tetrahedra, and several rounds of distances and walks at rest, all of which wait for what came before, and
// mostly for memory. Batches take these stages together: what one place waits for, the processor does for
// the others. What is found of a place does not depend on what else is in its batch.

namespace limber {
namespace {

/// A tetrahedron holds what has no weight below; as walks have it.
constexpr float least_weight = -1e-5F;

bool is_own(const std::uint64_t* own, int patch) {
  return own != nullptr && (own[patch / 64] >> (patch % 64) & 1) != 0;
}

}  // namespace

/// In one place for all who ask: compilers round sums otherwise where they put them into other code, and who
/// asks first would decide the last digit.
[[gnu::noinline]] void DeformedSolid::compute_vertex(int vertex) {
  const auto v = static_cast<std::size_t>(vertex);
  const Four x = follow_by_fours(rest_->row_of(vertex), repeated_.data(), static_cast<Index>(now_.q.size()));
  __builtin_memcpy(positions_.data() + 4 * v, &x, sizeof x);
  time_of_[v] = time_;
  ++computed_;
}

inline const float* DeformedSolid::vertex_at(int vertex) {
  const auto v = static_cast<std::size_t>(vertex);
  if (time_of_[v] != time_) compute_vertex(vertex);
  return positions_.data() + 4 * v;
}

Vector3 DeformedSolid::position(int vertex) {
  const float* const x = vertex_at(vertex);
  return {x[0], x[1], x[2]};
}

inline TetrahedronFrame DeformedSolid::frame_at(int tetrahedron) {
  const auto& v = rest_->tetrahedra_[static_cast<std::size_t>(tetrahedron)].vertex;
  return {vertex_at(v[0]), vertex_at(v[1]), vertex_at(v[2]), vertex_at(v[3])};
}

void DeformedSolid::ask(std::span<Query* const> queries) {
  std::array<Query*, query_batch> near;
  std::array<Search, query_batch> searches;
  std::size_t count = 0, found = 0;
  for (Query* const query : queries) {
    query->found = false;
    near[count] = query;
    count += may_touch(*query) ? 1 : 0;
  }
  // Where walks start, all at once: while a walk waits for a vertex, it would be the only one.
  std::array<int, 4 * query_batch> missing;
  std::size_t missing_count = 0;
  for (std::size_t i = 0; count > 1 && i < count; ++i) {
    const int start = rest_->start_in(rest_->order_[static_cast<std::size_t>(near[i]->slot)], near[i]->guess);
    for (const int vertex : rest_->tetrahedra_[static_cast<std::size_t>(start)].vertex) {
      missing[missing_count] = vertex;
      missing_count += time_of_[static_cast<std::size_t>(vertex)] != time_ ? 1 : 0;
    }
  }
  for (std::size_t i = 0; i < missing_count; ++i) (void)vertex_at(missing[i]);
  for (std::size_t i = 0; i < count; ++i) found += begin_search(*near[i], searches[found]) ? 1 : 0;
  find_surfaces({searches.data(), found});
  for (std::size_t i = 0; i < found; ++i) {
    Query& query = *searches[i].query;
    const SolidTouch& touch = *query.touch;
    query.found = (touch.inside || touch.distance <= static_cast<double>(query.reach)) &&
                  !is_own(query.own, touch.patch);
  }
}

/// Whether the first guess is as near to the surface as the place might be.
bool DeformedSolid::may_touch(const Query& query) const {
  const auto slot = static_cast<std::size_t>(query.slot);
  const Motions& motions = motions_[slot / lane_count];
  const double beyond = rest_distance_alone(query.guess.cast<double>()) - cell();
  const auto off = static_cast<double>(motions.slack[slot % lane_count] + query.reach);
  return !(beyond > 0.0 &&
           beyond * beyond > static_cast<double>(motions.stretch[slot % lane_count]) * off * off);
}

/// Walks to where the place is, and says whether there may be a touch.
bool DeformedSolid::begin_search(Query& query, Search& search) {
  Eigen::Vector4f weights;
  const int at = walk_to(
      query.x, rest_->start_in(rest_->order_[static_cast<std::size_t>(query.slot)], query.guess),
      [&](int t) -> const auto& { return rest_->tetrahedra_[static_cast<std::size_t>(t)].next; },
      [&](int t) { return frame_at(t); }, weights);
  if (is_own(query.own, rest_->patch_of(at))) return false;
  const auto& v = rest_->tetrahedra_[static_cast<std::size_t>(at)].vertex;
  Eigen::Vector3f rest = Eigen::Vector3f::Zero();
  for (int k = 0; k < 4; ++k)
    rest += weights(k) * Eigen::Map<const Eigen::Vector3f>(rest_->rest_of(v[static_cast<std::size_t>(k)]));
  if (!rest.allFinite()) return false;
  const bool inside = weights.minCoeff() >= least_weight;
  const auto slot = static_cast<std::size_t>(query.slot), lane = slot % lane_count;
  const LanePlaces& rows = motions_[slot / lane_count].rows;
  const float stretch = std::sqrt(rows.at[0][lane] + rows.at[1][lane] + rows.at[2][lane]);
  // Twice: the map is continued, and stretches here may be others than in the mean of the patch.
  const double most = 2.0 * static_cast<double>(stretch * query.reach) + 0.05 * cell();
  if (!inside && rest_distance_alone(rest.cast<double>()) > most) return false;
  *query.touch = {};
  query.touch->inside = inside;
  search.query = &query;
  search.place = rest.cast<double>();
  search.best = std::numeric_limits<float>::infinity();
  search.tetrahedron = at;
  return true;
}

void DeformedSolid::find_surfaces(std::span<Search> searches) {
  constexpr int moves = 3;  // along a stretched body by as much as it is stretched: what is left shrinks by
                            // that factor less one each time
  std::array<int, query_batch> active;
  std::size_t count = searches.size();
  for (std::size_t i = 0; i < count; ++i) active[i] = static_cast<int>(i);
  for (int move = 0; move <= moves && count > 0; ++move) {
    project(searches, {active.data(), count});
    std::size_t left = 0;
    for (std::size_t i = 0; i < count; ++i) {
      const bool goes_on = move_search(searches[static_cast<std::size_t>(active[i])]);
      active[left] = active[i];
      left += goes_on ? 1 : 0;
    }
    count = left;
  }
  for (const Search& search : searches) {
    SolidTouch& touch = *search.query->touch;
    if (touch.inside || !(search.best > static_cast<float>(cell()))) continue;
    touch.normal = (search.query->x.cast<double>() - touch.surface).normalized();
    touch.distance = static_cast<double>(search.best);
  }
}

/// To the surface at rest.
void DeformedSolid::project(std::span<Search> searches, std::span<const int> active) const {
  constexpr int projections = 2;       // enough on lattices: the first is off by the curvature between
  const double on_it = 0.01 * cell();  // what the lattice does not know anyway
  std::array<int, query_batch> beside;
  std::size_t count = 0;
  const auto look = [&](int i, Search& search) {
    const SurfaceDistance there = rest_distance(search.place);
    search.distance = there.distance;
    search.normal = there.normal;
    beside[count] = i;
    count += std::abs(there.distance) > on_it ? 1 : 0;
  };
  for (const int i : active) look(i, searches[static_cast<std::size_t>(i)]);
  for (int projection = 0; projection < projections; ++projection) {
    const std::size_t last = count;
    count = 0;
    for (std::size_t k = 0; k < last; ++k) {
      const int i = beside[k];
      Search& search = searches[static_cast<std::size_t>(i)];
      search.place -= search.distance * search.normal;
      look(i, search);
    }
  }
}

/// What is touched there, if it is nearer than what was, and whether to look for a nearer one, from where.
bool DeformedSolid::move_search(Search& search) {
  constexpr float enough = 0.1F;  // of the distance: it is then wrong by half a percent
  // Of a tetrahedron: the surface of the field is not that of the mesh to the last digit.
  constexpr float beside_piece = 0.1F;
  const auto on_it = static_cast<float>(0.01 * cell());
  const RestSolid::RestWalk walk = rest_->walk_at_rest(search.place.cast<float>(), search.tetrahedron);
  const RestSolid::Tetrahedron& holder = rest_->tetrahedra_[static_cast<std::size_t>(walk.tetrahedron)];
  const TetrahedronFrame now = frame_at(walk.tetrahedron);
  const Eigen::Vector3f surface = now.place(walk.weights);
  const Eigen::Vector3f way = search.query->x - surface;
  const float length = way.norm();
  if (!(length < search.best)) return false;
  search.best = length;
  const TetrahedronFrame before(rest_->rest_of(holder.vertex[0]), rest_->rest_of(holder.vertex[1]),
                                rest_->rest_of(holder.vertex[2]), rest_->rest_of(holder.vertex[3]));
  const Eigen::Vector3f gradient = search.normal.cast<float>();
  Eigen::Vector3f normal = Eigen::Vector3f::Zero();
  for (std::size_t k = 0; k < 3; ++k) normal += before.edge[k].dot(gradient) * now.dual[k];
  const float size = normal.norm();
  normal = size > 0.0F ? Eigen::Vector3f(normal / size) : gradient;
  const float distance = way.dot(normal);
  SolidTouch& touch = *search.query->touch;
  touch.normal = normal.cast<double>();
  touch.distance = static_cast<double>(distance);
  touch.surface = surface.cast<double>();
  touch.rest = search.place;
  touch.patch = rest_->patch_of(walk.tetrahedron);
  touch.held = walk.weights.minCoeff() >= -beside_piece;
  touch.place.vertices = holder.vertex;
  for (std::size_t k = 0; k < 4; ++k)
    touch.place.weights[k] = static_cast<double>(walk.weights(static_cast<Index>(k)));
  const Eigen::Vector3f beside = way - distance * normal;
  if (beside.norm() <= enough * std::abs(distance) + on_it) return false;
  Eigen::Vector3f back = Eigen::Vector3f::Zero();
  for (std::size_t k = 0; k < 3; ++k) back += now.dual[k].dot(beside) * before.edge[k];
  search.place += back.cast<double>();
  search.tetrahedron = walk.tetrahedron;
  return true;
}

}  // namespace limber
