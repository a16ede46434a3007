#include "limber/body/method.hpp"

#include "limber/base/error.hpp"

#include <algorithm>
#include <string>

namespace limber {
namespace {

/// What a body is asked for, as it is said in a sentence.
std::string_view words_of(Ability ability) {
  switch (ability) {
    case Ability::orientations:
      return "handles that hold orientations";
    case Ability::rank:
      return "another rank";
    case Ability::several_domains:
      return "several domains";
    case Ability::contact:
      return "contact with others";
  }
  return "that";
}

}  // namespace

std::string_view name_of(Method method) {
  switch (method) {
    case Method::full:
      return "full";
    case Method::online:
      return "online";
    case Method::reduced:
      return "reduced";
    case Method::linear:
      return "linear";
    case Method::warped:
      return "warped";
  }
  return "unknown";
}

std::optional<Method> find_method(std::string_view name) {
  const auto* const found = std::find_if(all_methods.begin(), all_methods.end(),
                                         [&](Method method) { return name_of(method) == name; });
  return found == all_methods.end() ? std::nullopt : std::optional(*found);
}

bool can(Method method, Ability ability) {
  const bool modal = method == Method::warped || method == Method::linear;
  switch (ability) {
    case Ability::orientations:  // places of other bodies do not turn
      return modal;
    case Ability::several_domains:
      return method == Method::reduced || method == Method::linear;
    case Ability::rank:
      return !uses_mesh(method);
    case Ability::contact:
      return method != Method::online;
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
