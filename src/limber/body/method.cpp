#include "limber/body/method.hpp"

#include "limber/base/error.hpp"

#include <array>
#include <string>

namespace limber {
namespace {

constexpr std::array all_methods{Method::reduced, Method::linear, Method::warped};

/// What a body is asked for, as it is said in a sentence.
std::string_view words_of(Ability ability) {
  switch (ability) {
    case Ability::springs:
      return "springs";
    case Ability::handles:
      return "handles";
    case Ability::wind:
      return "wind";
    case Ability::support:
      return "a support that moves";
    case Ability::flight:
      return "free flight";
    case Ability::several_domains:
      return "several domains";
  }
  return "that";
}

}  // namespace

std::string_view name_of(Method method) {
  switch (method) {
    case Method::reduced:
      return "reduced";
    case Method::linear:
      return "linear";
    case Method::warped:
      return "warped";
  }
  return "unknown";
}

bool can(Method method, Ability ability) {
  const bool warped = method == Method::warped;
  switch (ability) {
    case Ability::handles:  // hard constraints are met by the amplitudes of modes
      return warped;
    case Ability::springs:
    case Ability::support:
      return true;
    case Ability::wind:
    case Ability::flight:
    case Ability::several_domains:
      return !warped;
  }
  return false;
}

void require_ability(Method method, Ability ability, std::string_view body) {
  if (can(method, ability)) return;
  std::string able;
  for (const Method other : all_methods) {
    if (can(other, ability)) able += fmt::format("{}'{}'", able.empty() ? "" : " or ", name_of(other));
  }
  throw Error("{}: the method '{}' does not take {}; choose {}", body, name_of(method), words_of(ability),
              able);
}

}  // namespace limber
