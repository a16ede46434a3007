#pragma once

#include <string_view>

namespace limber {

/// How a body moves.
enum class Method {
  reduced,  ///< the reduced forces of its model                              [Barbic & James 2005]
  /// The forces of the stiffness at rest, K(0) q: what sketching is done with [Barbic & James 2005, section
  /// 5.2]
  linear,
  warped,  ///< natural modes that are warped                                                [Choi & Ko 2005]
};

std::string_view name_of(Method method);

/// What some methods can do and others cannot.
enum class Ability { springs, handles, wind, support, flight, several_domains };

/// The table of what each method can do; the one place that says so.
bool can(Method method, Ability ability);

/// Throws Error, naming the body, for what a method cannot do, and says which can.
void require_ability(Method method, Ability ability, std::string_view body);

}  // namespace limber
