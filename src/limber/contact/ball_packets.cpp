#include "limber/contact/ball_packets.hpp"

#include <Eigen/LU>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace limber {
namespace {

struct EnclosingBall {
  Vector3 center = Vector3::Zero();
  double radius = std::numeric_limits<double>::infinity();
};

/// Up to five places, those that a ball is made of.
struct Support {
  std::array<Vector3, 5> places;
  int count = 0;

  void add(const Vector3& x) { places[static_cast<std::size_t>(count++)] = x; }
};

/// The ball with all of one to four places on it whose centre is between them as far as they span. Its radius
/// is infinite where they span less than they could: fewer of them make the same ball.
EnclosingBall ball_through(const Support& on) {
  constexpr double flat = 1e-9;  // of the product of the edges' squares: nothing is left of the digits
  const Vector3& first = on.places[0];
  const int edges = on.count - 1;
  if (edges == 0) return {first, 0.0};
  // The centre is first + sum t_i e_i with |centre - first - e_i| = |centre - first|: 2 E^T E t = (e_i^2).
  Matrix3 products = Matrix3::Identity();
  Vector3 squares = Vector3::Zero();
  double scale = 1.0;
  const auto edge = [&](int i) -> Vector3 { return on.places[static_cast<std::size_t>(i + 1)] - first; };
  for (int i = 0; i < edges; ++i) {
    for (int j = 0; j < edges; ++j) products(i, j) = 2.0 * edge(i).dot(edge(j));
    squares(i) = 0.5 * products(i, i);
    scale *= products(i, i);
  }
  if (!(products.determinant() > flat * scale)) return {};
  const Vector3 shares = products.inverse() * squares;
  Vector3 center = first;
  for (int i = 0; i < edges; ++i) center += shares(i) * edge(i);
  return {center, (center - first).norm()};
}

/// The smallest ball around some places, the last of which is on it; leaves of them those that it is through.
EnclosingBall enclose_support(Support& places) {
  constexpr double rounding = 1e-9;  // of a radius: whether a place is on the ball
  EnclosingBall smallest;
  Support kept = places;
  const int others = places.count - 1;
  for (int chosen = 0; chosen < 1 << others; ++chosen) {
    Support on;
    on.add(places.places[static_cast<std::size_t>(others)]);
    for (int i = 0; i < others && on.count < 5; ++i)
      if ((chosen >> i & 1) != 0) on.add(places.places[static_cast<std::size_t>(i)]);
    if (on.count == 5) continue;
    const EnclosingBall ball = ball_through(on);
    bool around = ball.radius < smallest.radius;
    for (int i = 0; around && i < others; ++i)
      around =
          (places.places[static_cast<std::size_t>(i)] - ball.center).norm() <= (1.0 + rounding) * ball.radius;
    if (!around) continue;
    smallest = ball;
    kept = on;
  }
  places = kept;
  return smallest;
}

/// The smallest ball around places: takes up what is farthest from the one around a few of them, until
/// nothing is outside. A few rounds, as each makes that ball larger. [Welzl 1991; Gaertner 1999]
EnclosingBall enclose(const Matrix3X& places) {
  constexpr double enough = 1e-6;  // of the radius: as floats have it
  constexpr int most_rounds = 64;  // should rounding go in circles: any centre makes a ball
  Support support;
  support.add(places.col(0));
  EnclosingBall ball{places.col(0), 0.0}, best;
  for (int round = 0; round < most_rounds; ++round) {
    Index farthest = 0;
    const double squared = (places.colwise() - ball.center).colwise().squaredNorm().maxCoeff(&farthest);
    const double radius = std::sqrt(squared);
    if (radius < best.radius) best = {ball.center, radius};
    if (radius <= (1.0 + enough) * ball.radius || support.count == 5) break;
    support.add(places.col(farthest));
    ball = enclose_support(support);
    if (!std::isfinite(ball.radius)) break;
  }
  return best;
}

}  // namespace

BallPackets::BallPackets(const Matrix3X& rest, const Eigen::Ref<const Matrix>& rows)
    : rank_(rows.cols()), rest_(rest), rows_(rows) {}

int BallPackets::add() {
  const auto packet = static_cast<int>(size());
  numbers_.resize(numbers_.size() + stride(), 0.0F);
  float* const radii = numbers_.data() + static_cast<std::size_t>(packet) * stride() + 3 * lane_count;
  std::fill(radii, radii + lane_count, -std::numeric_limits<float>::infinity());
  return packet;
}

void BallPackets::put(int packet, int lane, std::span<const int> points) {
  // Of floats, in sums of some dozen numbers that are then turned: 6e-8 for each of these at most.
  constexpr double rounding = 3e-6;
  float* to = numbers_.data() + static_cast<std::size_t>(packet) * stride() + lane;
  // Of a column at the points: a middle, and how far they are from it at most.
  Matrix3X places(3, static_cast<Index>(points.size()));
  const auto put_column = [&](const auto& column) {
    for (Index i = 0; i < places.cols(); ++i) places.col(i) = column(points[static_cast<std::size_t>(i)]);
    const auto [middle, farthest] = enclose(places);
    for (int l = 0; l < 3; ++l, to += lane_count) *to = static_cast<float>(middle(l));
    *to = static_cast<float>(farthest + rounding * (farthest + middle.norm()));
    to += lane_count;
  };
  put_column([&](int i) { return Vector3(rest_.col(i)); });
  for (Index k = 0; k < rank_; ++k) put_column([&](int i) { return Vector3(rows_.block<3, 1>(3 * i, k)); });
}

void BallPackets::finish() {
  rest_.resize(3, 0);
  rows_.resize(0, 0);
}

inline void BallPackets::add_columns(const float* columns, const float* q, const float* sizes, Index rank,
                                     Packet& to) {
  for (Index k = 0; k < rank; ++k, columns += 4 * lane_count) {
    for (int l = 0; l < 3; ++l) to.center.at[l] += load_lanes(columns + l * lane_count) * q[k];
    to.radius += load_lanes(columns + 3 * lane_count) * sizes[k];
  }
}

BallPackets::Packet BallPackets::at(int packet, const float* q, const float* sizes, Index rank) const {
  const float* const numbers = numbers_.data() + static_cast<std::size_t>(packet) * stride();
  Packet balls;
  for (int l = 0; l < 3; ++l) balls.center.at[l] = load_lanes(numbers + l * lane_count);
  balls.radius = load_lanes(numbers + 3 * lane_count);
  add_columns(numbers + 4 * lane_count, q, sizes, rank, balls);
  return balls;
}

BallPackets::Packet BallPackets::ways(int packet, const float* v, const float* sizes, Index rank) const {
  Packet balls{};
  add_columns(numbers_.data() + static_cast<std::size_t>(packet) * stride() + 4 * lane_count, v, sizes, rank,
              balls);
  return balls;
}

}  // namespace limber
