#pragma once

#include <array>
#include <optional>
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

/// What some methods can do and others cannot.
enum class Ability { orientations, rank, several_domains, contact };

/// The table of what each method can do; the one place that says so.
bool can(Method method, Ability ability);

/// Throws Error, naming the body, for what a method cannot do, and says which can.
void require_ability(Method method, Ability ability, std::string_view body);

}  // namespace limber
