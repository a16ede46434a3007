#pragma once

#include "limber/base/random.hpp"
#include "limber/body/method.hpp"
#include "limber/integrators/dynamic_system.hpp"
#include "limber/multidomain/model.hpp"

#include <cmath>
#include <memory>
#include <string_view>

namespace limber::bench {

// What soak.cpp takes into rough hands.

inline constexpr double most_stiffening = 100.0;  ///< factor of a material's moduli

inline double log_uniform(Random& random, double low, double high) {
  return low * std::pow(high / low, random.uniform());
}

inline Vector3 random_direction(Random& random) {
  return Vector3(random.normal(), random.normal(), random.normal()).normalized();
}

/// None in most cases.
RayleighDamping random_damping(Random& random);

/// Energy in parts, so that what it is compared with is known: they may cancel.
struct Energy {
  double kinetic = 0.0, elastic = 0.0, weight = 0.0;  ///< J

  [[nodiscard]] double total() const { return kinetic + elastic + weight; }
  [[nodiscard]] double size() const { return kinetic + std::abs(elastic) + std::abs(weight); }
};

/// What a kind of body is held to, and how much of the soak it gets.
struct Goals {
  double gain = 1e-9;     ///< of energy, as a share of what there was when it was let go
  double drift = 1e-12;   ///< of momentum, as a share of what so much energy can have
  double rescues = 0.01;  ///< share of the steps
  double share = 1.0;     ///< of the steps of a body; less where they cost more
  double episode = 1.0;   ///< length of its episodes, of the usual one
};

/// What the soak does to a body, of whatever kind.
class Subject {
 public:
  virtual ~Subject() = default;
  [[nodiscard]] virtual Goals goals() const { return {}; }
  virtual void change(Random& random) = 0;  ///< its materials, rank, damping
  virtual void set_gravity(const Vector3& g) = 0;
  virtual void pull(Random& random, double h) = 0;  ///< at new places. h: of the steps that follow, s
  virtual void move_hands(Random& random) = 0;      ///< of those that pull
  virtual void let_go() = 0;
  /// Whether loads are those of instants, so that they end within the step after let_go().
  [[nodiscard]] virtual bool ends_within_a_step() const { return false; }
  virtual void reset() = 0;
  virtual SolveReport step(double h) = 0;
  [[nodiscard]] virtual Energy energy() const = 0;
  [[nodiscard]] virtual double energy_rounding() const { return 0.0; }  ///< J, where more than a share of it
  /// J, since hands let go: by which what was pressed into something came out of it.
  [[nodiscard]] virtual double pushed_out() const { return 0.0; }
  virtual void mark_momentum() {}                             ///< which it should keep from now on
  [[nodiscard]] virtual double drift() const { return 0.0; }  ///< of the momentum since, as a share
  [[nodiscard]] virtual bool is_finite() = 0;
};

std::unique_ptr<Subject> make_body_subject(Model model);
/// Moves by natural modes, warped or as they are, held by handles.
std::unique_ptr<Subject> make_modal_subject(Model model, Method method);
/// On a support that moves while it is in hand.
std::unique_ptr<Subject> make_shaken_subject(Model model, Method method);
/// In a room with others, all of which touch.
std::unique_ptr<Subject> make_touching_subject(Model model);
/// Small beams of this law, held at an end and pushed, or thrown.
std::unique_ptr<Subject> make_full_subject(std::string_view law, bool thrown);
std::unique_ptr<Subject> make_online_subject(std::string_view law);

}  // namespace limber::bench
