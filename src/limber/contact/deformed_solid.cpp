#include "limber/contact/deformed_solid.hpp"

#include "limber/base/error.hpp"
#include "limber/contact/follow.hpp"
#include "limber/contact/lanes.hpp"

#include <Eigen/LU>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

namespace limber {
namespace {

/// Of floats, in sums of some dozen numbers.
constexpr float map_rounding = 1e-6F;

/// A place and a linear map, as patches have them.
struct AffineMap {
  Eigen::Vector3f place;
  Eigen::Matrix3f slope;
};

/// first + sum of the maps behind it times their factors.  numbers: columns of four, four to a map.
AffineMap follow_map(const float* first, const float* maps, const float* factors, Index rank) {
  Lanes even{}, odd{};
  if (first != nullptr) even = load_lanes(first);
  Index k = 0;
  for (; k + 2 <= rank; k += 2) {
    even += load_lanes(maps + 16 * k) * factors[k];
    odd += load_lanes(maps + 16 * (k + 1)) * factors[k + 1];
  }
  if (k < rank) even += load_lanes(maps + 16 * k) * factors[k];
  even += odd;
  float sums[16];
  __builtin_memcpy(sums, &even, sizeof even);
  AffineMap map;
  for (int l = 0; l < 3; ++l) {
    map.place(l) = sums[l];
    for (int i = 0; i < 3; ++i) map.slope(l, i) = sums[4 * i + 4 + l];
  }
  return map;
}

/// count: a multiple of sixteen.
float sum_of_bounds(const float* bounds, const float* sizes, std::size_t count) {
  Lanes sums{};
  for (std::size_t k = 0; k < count; k += 16) sums += load_lanes(bounds + k) * load_lanes(sizes + k);
  float lanes[16];
  __builtin_memcpy(lanes, &sums, sizeof sums);
  for (int half = 8; half > 0; half /= 2)
    for (int i = 0; i < half; ++i) lanes[i] += lanes[i + half];
  return lanes[0];
}

SweptBox::Corner corner_of(const Eigen::Vector3f& x) { return {x.x(), x.y(), x.z(), 0.0F}; }

Eigen::Matrix3f cross_matrix(const Eigen::Vector3f& w) {
  Eigen::Matrix3f m;
  m << 0.0F, -w.z(), w.y(), w.z(), 0.0F, -w.x(), -w.y(), w.x(), 0.0F;
  return m;
}

}  // namespace

DeformedSolid::DeformedSolid(std::shared_ptr<const RestSolid> rest)
    : DeformedSolid(std::move(rest), PieceField{}) {}

DeformedSolid::DeformedSolid(std::shared_ptr<const RestSolid> rest, PieceField field)
    : rest_(std::move(rest)), piece_(std::move(field)) {
  require(rest_ != nullptr, "a deformed solid without a solid at rest");
  require(rest_->has_field() != (piece_.whole != nullptr),
          "a solid with {} of distances, expected one: its own, or that of the whole",
          rest_->has_field() ? "two fields" : "no field");
  now_.reserve(rest_->rank());
  sizes_.resize(rest_->bound_stride_);
  way_sizes_.resize(rest_->bound_stride_);
  motions_.resize(rest_->patches_.size());
  const auto packets = static_cast<std::size_t>(rest_->balls_.size());
  fitted_.assign(packets, 0);
  boxes_.resize(packets);
  around_.resize(packets);
  packets_.resize((packets + lane_count - 1) / lane_count);
  positions_.resize(4 * static_cast<std::size_t>(rest_->vertex_count()));
  time_of_.assign(static_cast<std::size_t>(rest_->vertex_count()), 0);
  refit(Pose{}, Vector());
}

SurfaceDistance DeformedSolid::rest_distance(const Vector3& X) const {
  if (!piece_.whole) return rest_->field().distance(X);
  const SurfaceDistance found =
      piece_.whole->distance(piece_.position + piece_.rotation * (piece_.scale * X));
  return {found.distance / piece_.scale, piece_.rotation.transpose() * found.normal};
}

double DeformedSolid::rest_distance_alone(const Vector3& X) const {
  if (!piece_.whole) return rest_->field().distance_alone(X);
  return piece_.whole->distance_alone(piece_.position + piece_.rotation * (piece_.scale * X)) / piece_.scale;
}

double DeformedSolid::cell() const {
  return piece_.whole ? piece_.whole->cell() / piece_.scale : rest_->field().cell();
}

void DeformedSolid::refit(const Pose& pose, const VectorRef& q) {
  now_.set(q, rest_->rank(), "solid");
  begin_refit(pose, false, {});
}

void DeformedSolid::refit(const Pose& pose, const VectorRef& q, const VectorRef& v,
                          const SweptMotion& motion) {
  now_.set(q, v, motion.step, rest_->rank(), "solid");
  begin_refit(pose, true, motion);
}

void DeformedSolid::refit_vertices(const Pose& pose, const Matrix3X& places) {
  require(places.cols() == rest_->vertex_count() && !rest_->fits_.empty(),
          "{} places for a solid of {} vertices that {}", places.cols(), rest_->vertex_count(),
          rest_->fits_.empty() ? "coordinates move" : "move by themselves");
  begin_refit(pose, false, {});
  for (Index v = 0; v < places.cols(); ++v)
    for (Index l = 0; l < 3; ++l)
      positions_[static_cast<std::size_t>(4 * v + l)] = static_cast<float>(places(l, v));
  std::fill(time_of_.begin(), time_of_.end(), time_);
  computed_ = places.cols();
  for (std::size_t slot = 0; slot < rest_->order_.size(); ++slot) {
    const auto p = static_cast<std::size_t>(rest_->order_[slot]);
    SweptBox box;
    fit_motion(p, motions_[p]);
    set_box(rest_->patches_[p], motions_[p], box);
    boxes_[slot / lane_count].set(static_cast<int>(slot % lane_count), box);
    fitted_[slot / lane_count] |= 1U << (slot % lane_count);
  }
  computed_patches_ = rest_->patch_count();
  around_ = boxes_;
  join_packets();
}

void DeformedSolid::fit_motion(std::size_t patch, Motion& motion) const {
  const RestSolid::PatchFit& fit = rest_->fits_[patch];
  const auto rest = [&](int v) {
    return Eigen::Map<const Eigen::Vector3f>(rest_->rest_of(v)).cast<double>().eval();
  };
  const auto moved = [&](int v) {
    return (Eigen::Map<const Eigen::Vector3f>(&positions_[4 * static_cast<std::size_t>(v)]).cast<double>() -
            rest(v))
        .eval();
  };
  Vector3 middle = Vector3::Zero();
  Matrix3 products = Matrix3::Zero();
  for (const int v : fit.vertices) {
    const Vector3 u = moved(v);
    middle += u / static_cast<double>(fit.vertices.size());
    products += u * (rest(v) - fit.mean).transpose();
  }
  const Matrix3 slope = products * fit.inverse;
  double left = 0.0;
  for (const int v : fit.vertices)
    left = std::max(left, (moved(v) - middle - slope * (rest(v) - fit.mean)).norm());
  const Vector3 center = rest_->patches_[patch].center.cast<double>();
  motion.center = (center + middle + slope * (center - fit.mean)).cast<float>();
  motion.slope = (Matrix3::Identity() + slope).cast<float>();
  motion.slack =
      static_cast<float>(left) + map_rounding * (motion.center.norm() + rest_->patches_[patch].half.norm());
  motion.inverted = false;
}

void DeformedSolid::set_box(const RestSolid::Patch& patch, const Motion& motion, SweptBox& box) const {
  const Eigen::Matrix3f turn = rotation_.cast<float>();
  const SweptBox::Corner middle = corner_of(turn * motion.center);
  const SweptBox::Corner half = corner_of((turn * motion.slope).cwiseAbs() * patch.half) + motion.slack;
  box.low = middle - half;
  box.high = middle + half;
  box.least_way.setZero();
  box.most_way.setZero();
}

void DeformedSolid::begin_refit(const Pose& pose, bool moving, const SweptMotion& motion) {
  ++time_;
  computed_ = computed_patches_ = 0;
  pose_ = pose;
  rotation_ = pose_.rotation.toRotationMatrix();
  moving_ = moving;
  motion_ = motion;
  std::copy(now_.sizes.begin(), now_.sizes.end(), sizes_.begin());
  std::fill(sizes_.begin() + static_cast<std::ptrdiff_t>(now_.q.size()), sizes_.end(), 0.0F);
  std::copy(now_.way_sizes.begin(), now_.way_sizes.end(), way_sizes_.begin());
  std::fill(way_sizes_.begin() + static_cast<std::ptrdiff_t>(now_.q.size()), way_sizes_.end(), 0.0F);
  const Eigen::Matrix3f turn = rotation_.cast<float>();
  for (std::size_t p = 0; p < around_.size(); ++p) {
    fitted_[p] = 0;
    boxes_[p].clear();
    bound_followed(rest_->balls_, static_cast<int>(p), now_, moving_, turn, motion_, around_[p]);
  }
  join_packets();
}

void DeformedSolid::join_packets() {
  for (SweptBoxes& sixteen : packets_) sixteen.clear();
  for (std::size_t p = 0; p < around_.size(); ++p)
    packets_[p / lane_count].set(static_cast<int>(p % lane_count), around_[p].bounds());
  whole_ = packets_.front().bounds();
  for (const SweptBoxes& sixteen : packets_) whole_.include(sixteen.bounds());
}

void DeformedSolid::fit_missing(std::size_t packet, std::uint32_t missing) {
  fitted_[packet] |= missing;
  for (; missing != 0; missing &= missing - 1) {
    const int lane = std::countr_zero(missing);
    SweptBox box;
    fit_patch(static_cast<std::size_t>(rest_->order_[packet * lane_count + static_cast<std::size_t>(lane)]),
              box);
    boxes_[packet].set(lane, box);
  }
}

void DeformedSolid::fit_patch(std::size_t p, SweptBox& box) {
  ++computed_patches_;
  const Eigen::Matrix3f turn = rotation_.cast<float>();
  const auto rank = static_cast<Index>(now_.q.size());
  const RestSolid::Patch& patch = rest_->patches_[p];
  const float* const numbers = rest_->motions_.data() + p * 16 * static_cast<std::size_t>(rest_->rank() + 1);
  const float* const bounds = rest_->bounds_.data() + p * rest_->bound_stride_;
  const AffineMap map = follow_map(numbers, numbers + 16, now_.q.data(), rank);
  Motion& now = motions_[p];
  now.center = map.place;
  now.slack = sum_of_bounds(bounds, sizes_.data(), sizes_.size()) +
              map_rounding * (map.place.norm() + patch.half.norm());
  now.slope = map.slope;
  now.inverted = false;
  set_box(patch, now, box);
  if (!moving_) return;
  const Eigen::Vector3f shift = (motion_.step * motion_.velocity).cast<float>();
  const Eigen::Vector3f spin_vector = (motion_.step * motion_.angular_velocity).cast<float>();
  const Eigen::Matrix3f turned = turn * map.slope;
  const Eigen::Vector3f center = turn * map.place;
  const AffineMap change = follow_map(nullptr, numbers + 16, now_.ways.data(), rank);
  const SweptBox::Corner way = corner_of(turn * change.place + shift + spin_vector.cross(center));
  const SweptBox::Corner spread =
      corner_of((turn * change.slope + cross_matrix(spin_vector) * turned).cwiseAbs() * patch.half) +
      sum_of_bounds(bounds, way_sizes_.data(), sizes_.size()) + spin_vector.norm() * now.slack;
  box.least_way = way - spread;
  box.most_way = way + spread;
}

SweptBox DeformedSolid::box(int patch) {
  const auto slot = static_cast<std::size_t>(rest_->slots_[static_cast<std::size_t>(patch)]);
  fit(slot / lane_count, 1U << (slot % lane_count));
  return boxes_[slot / lane_count].at(static_cast<int>(slot % lane_count));
}

/// A bit for each; they are computed then.
std::uint32_t DeformedSolid::near_patches(std::size_t packet, const SweptBox& box,
                                          const SweptBox::Corner& between, float margin) {
  constexpr std::uint32_t all = (1U << lane_count) - 1;
  if (fitted_[packet] != all) fit(packet, may_meet(box, around_[packet], between, margin));
  return may_meet(box, boxes_[packet], between, margin);
}

void DeformedSolid::invert(Motion& motion) const {
  motion.inverted = true;
  // Squeezed to nothing or turned over: there is no guess, and nothing is excluded.
  constexpr float least_volume = 1e-3F;
  if (motion.slope.determinant() > least_volume) {
    motion.inverse = motion.slope.inverse();
    motion.rows = motion.inverse.rowwise().norm();
    motion.stretch = motion.inverse.norm();
  } else {
    motion.inverse.setZero();
    motion.rows.setConstant(std::numeric_limits<float>::infinity());
    motion.stretch = std::numeric_limits<float>::infinity();
  }
  const Eigen::Matrix3f turn = rotation_.cast<float>();
  motion.world = turn * motion.center;
  motion.back = motion.inverse * turn.transpose();
}

const float* DeformedSolid::vertex_at(int vertex) {
  const auto v = static_cast<std::size_t>(vertex);
  float* const at = positions_.data() + 4 * v;
  if (time_of_[v] != time_) {
    const Four x = follow(rest_->row_of(vertex), now_.q.data(), static_cast<Index>(now_.q.size()));
    __builtin_memcpy(at, &x, sizeof x);
    time_of_[v] = time_;
    ++computed_;
  }
  return at;
}

Vector3 DeformedSolid::position(int vertex) {
  const float* const x = vertex_at(vertex);
  return {x[0], x[1], x[2]};
}

TetrahedronFrame DeformedSolid::frame_at(int tetrahedron) {
  const auto& v = rest_->tetrahedra_[static_cast<std::size_t>(tetrahedron)].vertex;
  return {vertex_at(v[0]), vertex_at(v[1]), vertex_at(v[2]), vertex_at(v[3])};
}

bool DeformedSolid::touch(const Vector3& x, double reach, SolidTouch& touch) {
  const Eigen::Vector3f place = x.cast<float>();
  const auto within = static_cast<float>(reach);
  SweptBox at;
  at.low = at.high = corner_of((rotation_ * x).cast<float>());
  const SweptBox::Corner origin = SweptBox::Corner::Zero();
  SolidTouch found;
  bool any = false;
  for (std::size_t sixteen = 0; sixteen < packets_.size(); ++sixteen) {
    for (std::uint32_t packets = near_packets(sixteen, at, origin, within); packets != 0;
         packets &= packets - 1) {
      const std::size_t packet = sixteen * lane_count + static_cast<std::size_t>(std::countr_zero(packets));
      for (std::uint32_t near = near_patches(packet, at, origin, within); near != 0; near &= near - 1) {
        const auto slot = packet * lane_count + static_cast<std::size_t>(std::countr_zero(near));
        if (!touch_patch(rest_->order_[slot], place, within, nullptr, found) ||
            (any && !nearer(found, touch)))
          continue;
        touch = found;
        any = true;
        if (touch.inside) return true;
      }
    }
  }
  return any;
}

bool DeformedSolid::touch_patch(int patch, const Eigen::Vector3f& x, float reach, const std::uint64_t* own,
                                SolidTouch& touch) {
  const RestSolid::Patch& home = rest_->patches_[static_cast<std::size_t>(patch)];
  const Motion& motion = inverted_motion(patch);
  const Eigen::Vector3f guess = home.center + motion.inverse * (x - motion.center);
  const float off = motion.slack + reach;
  const Eigen::Vector3f beyond = (guess - home.center).cwiseAbs() - home.half;
  for (int k = 0; k < 3; ++k)
    if (beyond(k) > motion.rows(k) * off) return false;
  if (rest_distance_alone(guess.cast<double>()) >
      static_cast<double>(motion.stretch) * static_cast<double>(off) + cell())
    return false;
  Eigen::Vector4f weights;
  const int at = walk_to(
      x, rest_->start_in(patch, guess),
      [&](int t) { return rest_->tetrahedra_[static_cast<std::size_t>(t)].next; },
      [&](int t) { return frame_at(t); }, weights);
  const auto is_own = [&](int p) { return own != nullptr && (own[p / 64] >> (p % 64) & 1) != 0; };
  if (is_own(rest_->patch_of(at))) return false;
  const auto& v = rest_->tetrahedra_[static_cast<std::size_t>(at)].vertex;
  Eigen::Vector3f rest = Eigen::Vector3f::Zero();
  for (int k = 0; k < 4; ++k)
    rest += weights(k) * Eigen::Map<const Eigen::Vector3f>(rest_->rest_of(v[static_cast<std::size_t>(k)]));
  if (!rest.allFinite()) return false;
  touch.inside = weights.minCoeff() >= -1e-5F;  // as the walk has it
  // Twice: the map is continued, and stretches here may be others than in the mean of the patch.
  const SurfaceDistance there = rest_distance(rest.cast<double>());
  if (!touch.inside && there.distance > 2.0 * static_cast<double>(motion.stretch * reach) + 0.05 * cell())
    return false;
  find_surface(x, rest, there, at, touch);
  return (touch.inside || touch.distance <= static_cast<double>(reach)) && !is_own(touch.patch);
}

/// guess: rest place of x, or near it, and what the field says there.  tetrahedron: holds it, or is near.
void DeformedSolid::find_surface(const Eigen::Vector3f& x, const Eigen::Vector3f& guess,
                                 SurfaceDistance there, int tetrahedron, SolidTouch& touch) {
  // Twice is enough on lattices (the first is off by the curvature between), and moves along a stretched body
  // by as much as it is stretched: what is left shrinks by that factor less one each time.
  constexpr int projections = 2, moves = 3;
  constexpr float enough = 0.1F;  // of the distance: it is then wrong by half a percent
  // Of a tetrahedron: the surface of the field is not that of the mesh to the last digit.
  constexpr float beside_piece = 0.1F;
  const double on_it = 0.01 * cell();  // what the lattice does not know anyway
  Vector3 start = guess.cast<double>();
  float best = std::numeric_limits<float>::infinity();
  for (int move = 0; move <= moves; ++move) {
    Vector3 place = start;
    if (move > 0) there = rest_distance(place);
    for (int i = 0; i < projections && std::abs(there.distance) > on_it; ++i) {
      place -= there.distance * there.normal;
      there = rest_distance(place);
    }
    const RestSolid::RestWalk walk = rest_->walk_at_rest(place.cast<float>(), tetrahedron);
    const RestSolid::Tetrahedron& holder = rest_->tetrahedra_[static_cast<std::size_t>(walk.tetrahedron)];
    const TetrahedronFrame now = frame_at(walk.tetrahedron);
    const Eigen::Vector3f surface = now.place(walk.weights);
    const Eigen::Vector3f way = x - surface;
    const float length = way.norm();
    if (!(length < best)) break;
    best = length;
    const TetrahedronFrame before(rest_->rest_of(holder.vertex[0]), rest_->rest_of(holder.vertex[1]),
                                  rest_->rest_of(holder.vertex[2]), rest_->rest_of(holder.vertex[3]));
    const Eigen::Vector3f gradient = there.normal.cast<float>();
    Eigen::Vector3f normal = Eigen::Vector3f::Zero();
    for (std::size_t k = 0; k < 3; ++k) normal += before.edge[k].dot(gradient) * now.dual[k];
    const float size = normal.norm();
    normal = size > 0.0F ? Eigen::Vector3f(normal / size) : gradient;
    const float distance = way.dot(normal);
    touch.normal = normal.cast<double>();
    touch.distance = static_cast<double>(distance);
    touch.surface = surface.cast<double>();
    touch.rest = place;
    touch.patch = rest_->patch_of(walk.tetrahedron);
    touch.held = walk.weights.minCoeff() >= -beside_piece;
    touch.place.vertices = holder.vertex;
    for (std::size_t k = 0; k < 4; ++k)
      touch.place.weights[k] = static_cast<double>(walk.weights(static_cast<Index>(k)));
    const Eigen::Vector3f beside = way - distance * normal;
    if (beside.norm() <= enough * std::abs(distance) + static_cast<float>(on_it)) break;
    Eigen::Vector3f back = Eigen::Vector3f::Zero();
    for (std::size_t k = 0; k < 3; ++k) back += now.dual[k].dot(beside) * before.edge[k];
    start = place + back.cast<double>();
    tetrahedron = walk.tetrahedron;
  }
  if (!touch.inside && best > static_cast<float>(cell())) {
    touch.normal = (x.cast<double>() - touch.surface).normalized();
    touch.distance = static_cast<double>(best);
  }
}

}  // namespace limber
