#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>

namespace limber {

/// How a body moves.
enum class Method {
  full,  ///< with every vertex of its mesh
  /// With every vertex, and in a subspace learned from that wherever it will do [Kim & James 2009]
  online,
  reduced,  ///< the reduced forces of its model                              [Barbic & James 2005]
  /// The forces of the stiffness at rest, K(0) q: what sketching is done with [Barbic & James 2005, section
  /// 5.2]
  linear,
  warped,  ///< natural modes that are warped                                                [Choi & Ko 2005]
};

inline constexpr std::array all_methods{Method::full, Method::online, Method::reduced, Method::linear,
                                        Method::warped};

std::string_view name_of(Method method);
std::optional<Method> find_method(std::string_view name);

/// Whether bodies are computed with their mesh, at least at times: without a reduced model.
constexpr bool uses_mesh(Method method) { return method == Method::full || method == Method::online; }

/// What a body can be asked for.
enum class Ability {
  forces,  ///< constant ones, gravity and damping
  timed_loads,
  surface_loads,
  springs,
  handles,
  orientations,  ///< that handles hold
  supports,      ///< that move
  flight,        ///< with the velocity that it starts with
  statics,
  quasistatics,
  wind,
  materials,
  rank,
  several_domains,
  contact,
  self_contact,
  central_differences,
  conjugate_gradients,
  modal_integrators,
  saving,
};

inline constexpr std::array all_abilities{Ability::forces,
                                          Ability::timed_loads,
                                          Ability::surface_loads,
                                          Ability::springs,
                                          Ability::handles,
                                          Ability::orientations,
                                          Ability::supports,
                                          Ability::flight,
                                          Ability::statics,
                                          Ability::quasistatics,
                                          Ability::wind,
                                          Ability::materials,
                                          Ability::rank,
                                          Ability::several_domains,
                                          Ability::contact,
                                          Ability::self_contact,
                                          Ability::central_differences,
                                          Ability::conjugate_gradients,
                                          Ability::modal_integrators,
                                          Ability::saving};

/// As it is said in a sentence, and in the table of docs/embedding.md.
std::string_view name_of(Ability ability);

/// What may be true of a body beside its method, and takes abilities away.
enum class Circumstance {
  touching,     ///< it may touch others
  framed,       ///< of reduced and linear bodies: several domains, flight, a support, wind, contact
  in_domains,   ///< several of them
  quasistatic,  ///< it has no velocities
};

/// The table of what each method can do; the one place that says so.
bool can(Method method, Ability ability);
bool can(Method method, Ability ability, Circumstance circumstance);  ///< as long as that is so

/// Those that can, as in: 'full' or 'online'.
std::string methods_with(Ability ability);

/// Throws Error, naming the body, for what a method cannot do, and says which can.
void require_ability(Method method, Ability ability, std::string_view body);
/// Likewise, for what it cannot do as long as that is so.
void require_ability(Method method, Ability ability, Circumstance circumstance, std::string_view body);

}  // namespace limber
