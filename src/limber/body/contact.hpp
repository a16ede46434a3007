#pragma once

#include "limber/contact/shape.hpp"
#include "limber/warp/pose.hpp"

#include <functional>
#include <string>
#include <string_view>

namespace limber {

/// What a surface is to others that it touches.
struct ContactMaterial {
  double friction = 0.5;     ///< Coulomb's coefficient, at least 0; of two surfaces: the root of the product
  double restitution = 0.0;  ///< share of the speed that a stroke gives back, 0 to 1; of two: the larger
  double compliance = 0.0;   ///< m/N, of each contact; 0: as hard as a step can tell; of two: the sum

  bool operator==(const ContactMaterial&) const = default;
};

/// Throws Error, naming what it belongs to, for numbers that are out of range.
void check_material(const ContactMaterial& material, std::string_view where);

/// Of two surfaces that touch.
ContactMaterial combined(const ContactMaterial& one, const ContactMaterial& other);

/// What stands in the way of bodies and is moved by none.
struct Obstacle {
  std::string name;
  SolidShape shape;
  Pose pose;  ///< where its axes are
  ContactMaterial material;
  PoseFunction motion;  ///< by the time of the world, in place of the pose; none: it stands still
};

/// One of those that touch in a world, by its number.
struct Touching {
  enum class Of { body, rigid, obstacle, host };

  Of of = Of::body;
  Index number = 0;

  bool operator==(const Touching&) const = default;
};

/// Where two touched in the last step, or nearly so. Of a step that was taken as shorter ones there are those
/// of each, and positions and distances are of the start of that one.
struct ContactPoint {
  Touching first, second;
  Vector3 position = Vector3::Zero();  ///< at the start of the step, m
  Vector3 normal = Vector3::Zero();    ///< of unit length, towards the first
  double distance = 0.0;               ///< at the start of the step, m; negative: so deep in each other
  Vector3 impulse = Vector3::Zero();   ///< on the first, N s
  Vector3 velocity = Vector3::Zero();  ///< of the first seen from the second, m/s
};

/// Whether two may touch.
using ContactFilter = std::function<bool(const Touching& first, const Touching& second)>;

}  // namespace limber
