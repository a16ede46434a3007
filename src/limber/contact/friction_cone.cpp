#include "limber/contact/friction_cone.hpp"

#include <cmath>
#include <limits>

namespace limber {
namespace {

/// With y = -R^-1 (v - a e_n) inside of the cone: the contact sticks.
ConeResponse stick(const FrictionCone& cone, const Vector3& y, Matrix3* G) {
  if (G != nullptr) *G = Vector3(1.0 / cone.tangent, 1.0 / cone.tangent, 1.0 / cone.normal).asDiagonal();
  return {0.5 * (cone.tangent * y.head<2>().squaredNorm() + cone.normal * y.z() * y.z()), y};
}

/// Outside of it: y goes to the nearest point of its side. length: |y_t|, positive.  slope: friction R_t /
/// R_n.
ConeResponse slide(const FrictionCone& cone, const Vector3& y, double length, double slope, Matrix3* G) {
  const double mu = cone.friction, share = 1.0 / (1.0 + mu * slope);
  const double normal = share * (y.z() + slope * length);
  const Eigen::Vector2d along = y.head<2>() / length, across(-along.y(), along.x());
  if (G != nullptr) {
    // Along the way the impulse grows with the normal one, across it turns with the velocity.
    const double grows = mu * slope * share / cone.tangent, turns = mu * normal / (length * cone.tangent);
    G->topLeftCorner<2, 2>() = grows * along * along.transpose() + turns * across * across.transpose();
    G->topRightCorner<2, 1>() = mu * share / cone.normal * along;
    G->bottomLeftCorner<1, 2>() = G->topRightCorner<2, 1>().transpose();
    (*G)(2, 2) = share / cone.normal;
  }
  ConeResponse result;
  result.impulse << mu * normal * along, normal;
  result.cost = 0.5 * (cone.tangent * mu * mu + cone.normal) * normal * normal;
  return result;
}

[[gnu::always_inline]] inline Packet root_of_lanes(Packet x) {
  double numbers[packet_size];
  store_packet(numbers, x);
  Eigen::Map<Eigen::Array<double, packet_size, 1>> all(numbers);
  all = all.sqrt();
  return load_packet(numbers);
}

}  // namespace

ConeResponse respond(const FrictionCone& cone, const Vector3& v, Matrix3* G) {
  const Vector3 y(-v.x() / cone.tangent, -v.y() / cone.tangent, -(v.z() - cone.approach) / cone.normal);
  const double length = y.head<2>().norm(), slope = cone.friction * cone.tangent / cone.normal;
  if (y.z() >= 0.0 && length <= cone.friction * y.z()) return stick(cone, y, G);
  if (y.z() <= -slope * length) {
    if (G != nullptr) G->setZero();
    return {};
  }
  if (length == 0.0) return stick(cone, y, G);  // without friction, and pressed straight
  return slide(cone, y, length, slope, G);
}

ConeRoot stiffness_root(const FrictionCone& cone, const Vector3& v) {
  const Vector3 y(-v.x() / cone.tangent, -v.y() / cone.tangent, -(v.z() - cone.approach) / cone.normal);
  const double length = y.head<2>().norm(), slope = cone.friction * cone.tangent / cone.normal;
  ConeRoot root;
  const bool sticks = y.z() >= 0.0 && length <= cone.friction * y.z();
  if (!sticks && y.z() <= -slope * length) return root;
  if (sticks) {
    root.rows = 3;
    const double across = 1.0 / std::sqrt(cone.tangent);
    root.F = Vector3(across, across, 1.0 / std::sqrt(cone.normal)).asDiagonal();
    return root;
  }
  const double mu = cone.friction, share = 1.0 / (1.0 + mu * slope);
  const double normal = share * (y.z() + slope * length);
  const Eigen::Vector2d along = y.head<2>() / length;
  const double grows = std::sqrt(share / cone.normal),
               turns = std::sqrt(mu * normal / (length * cone.tangent));
  root.rows = mu > 0.0 ? 2 : 1;
  root.F.row(0) << grows * mu * along.x(), grows * mu * along.y(), grows;
  root.F.row(1) << -turns * along.y(), turns * along.x(), 0.0;
  return root;
}

ConeLanes::ConeLanes() {
  for (int lane = 0; lane < packet_size; ++lane)
    set_cone(lane, {.normal = 1.0, .tangent = 1.0, .approach = -std::numeric_limits<double>::max()});
}

void ConeLanes::set_cone(int lane, const FrictionCone& cone) {
  friction_[lane] = cone.friction;
  tangent_[lane] = 1.0 / cone.tangent;
  normal_[lane] = 1.0 / cone.normal;
  approach_[lane] = cone.approach;
  slope_[lane] = cone.friction * cone.tangent / cone.normal;
  share_[lane] = 1.0 / (1.0 + cone.friction * slope_[lane]);
}

void ConeLanes::set_velocity(int lane, const Vector3& v) {
  for (int l = 0; l < 3; ++l) velocity_[l][lane] = v(l);
}

void ConeLanes::set_change(int lane, const Vector3& c) {
  for (int l = 0; l < 3; ++l) change_[l][lane] = c(l);
}

unsigned ConeLanes::pushing() const {
  const Packet x = load_packet(velocity_[0]), y = load_packet(velocity_[1]);
  const Packet length = root_of_lanes(x * x + y * y) * load_packet(tangent_);
  const Packet normal = (load_packet(approach_) - load_packet(velocity_[2])) * load_packet(normal_);
  const PacketMask pushes = ~(normal <= -(load_packet(slope_) * length));  // what is no number, too
  unsigned bits = 0;
  for (int lane = 0; lane < packet_size; ++lane) bits |= static_cast<unsigned>(pushes[lane] & 1) << lane;
  return bits;
}

void ConeLanes::add_line(double x, Packet& slope, Packet& curvature) const {
  const Packet way = broadcast(x), zero{};
  const Packet c0 = load_packet(change_[0]), c1 = load_packet(change_[1]), cn = load_packet(change_[2]);
  const Packet mu = load_packet(friction_), stiff_t = load_packet(tangent_), stiff_n = load_packet(normal_);
  const Packet lean = load_packet(slope_), share = load_packet(share_);
  const Packet y0 = -(load_packet(velocity_[0]) + way * c0) * stiff_t,
               y1 = -(load_packet(velocity_[1]) + way * c1) * stiff_t,
               yn = (load_packet(approach_) - (load_packet(velocity_[2]) + way * cn)) * stiff_n;
  const Packet length = root_of_lanes(y0 * y0 + y1 * y1);
  const PacketMask none = yn <= -(lean * length), sticks = (yn >= zero) & (length <= mu * yn);
  // What sticks may have no length: its numbers are not taken from here.
  const Packet inverse = 1.0 / select(length > zero, length, broadcast(1.0));
  const Packet along = (y0 * c0 + y1 * c1) * inverse, across = c0 * c0 + c1 * c1;
  const Packet grown = share * (yn + lean * length), going = mu * along + cn;
  const Packet slid = -grown * going;
  const Packet turned = mu * grown * inverse * stiff_t * (across - along * along);
  const Packet slid_more = share * stiff_n * going * going + turned;
  const Packet stuck = -(y0 * c0 + y1 * c1 + yn * cn), stuck_more = across * stiff_t + cn * cn * stiff_n;
  slope += select(none & ~sticks, zero, select(sticks, stuck, slid));
  curvature += select(none & ~sticks, zero, select(sticks, stuck_more, slid_more));
}

void ConeLanes::advance(double x) {
  for (int l = 0; l < 3; ++l)
    store_packet(velocity_[l], load_packet(velocity_[l]) + broadcast(x) * load_packet(change_[l]));
}

}  // namespace limber
