#include "limber/body/method.hpp"

#include "limber/base/error.hpp"

#include <algorithm>
#include <iterator>
#include <string>

namespace limber {
namespace {

/// A letter for each method, in the order of all_methods: y where it can, - where it cannot, . where there is
/// no such body.
using AbilityMarks = std::string_view;

struct AbilityRow {
  Ability ability;
  std::string_view words;
  AbilityMarks itself, touching, framed, in_domains, quasistatic;
  std::string_view instead;           ///< what else to choose, beside a method that can
  std::string_view instead_of_modes;  ///< the same, of bodies that natural modes move
};

constexpr AbilityRow ability_table[] = {
    {Ability::forces, "forces, gravity and damping", "yyyyy", "y.yyy", "..yy.", "..yy.", "yy..."},
    {Ability::timed_loads, "loads for a time", "yyyyy", "y.yyy", "..yy.", "..yy.", "yy..."},
    {Ability::surface_loads, "loads on the surface", "yyyyy", "y.yyy", "..yy.", "..yy.", "yy..."},
    {Ability::springs, "springs", "yyyyy", "y.yy-", "..yy.", "..yy.", "--..."},
    {Ability::handles, "handles", "yyyyy", "-.yy-", "..yy.", "..yy.", "--..."},
    // Places of other bodies do not turn.
    {Ability::orientations, "handles that hold orientations", "---yy", "-.---", "..--.", "..--.", "--..."},
    {Ability::supports, "supports that move", "yyyyy", "-.---", "..yy.", "..yy.", "--..."},
    {Ability::flight, "start velocities", "yyyyy", "y.yyy", "..yy.", "..yy.", "--..."},
    {Ability::statics, "equilibria", "yyyyy", "y.yyy", "..yy.", "..yy.", "yy..."},
    {Ability::quasistatics, "quasistatic steps", "yy---", "-.---", "..--.", "..--.", "yy..."},
    {Ability::wind, "wind", "yyyyy", "-.yy-", "..yy.", "..yy.", "--..."},
    {Ability::materials, "other materials", "yyyyy", "y.yyy", "..yy.", "..yy.", "yy..."},
    {Ability::rank, "another rank", "--yyy", "-.yyy", "..yy.", "..yy.", "--..."},
    {Ability::several_domains, "several domains", "--yy-", "-.yy-", "..yy.", "..yy.", "--..."},
    {Ability::contact, "contact with others", "y-yyy", "y.yyy", "..yy.", "..yy.", "--..."},
    {Ability::self_contact, "contact with itself", "--yy-", "-.yy-", "..yy.", "..--.", "--..."},
    {Ability::central_differences, "central differences", "y-y--", "-.---", "..--.", "..--.", "--...",
     "the integrator 'newmark'", "the integrator 'newmark', 'exact' or 'semi-implicit'"},
    {Ability::conjugate_gradients, "conjugate gradients", "yyy--", "y.---", "..--.", "..--.", "yy...",
     "a direct solver ('cholesky' in scenes)"},
    {Ability::modal_integrators, "the integrators 'exact' and 'semi-implicit'", "---yy", "-.---", "..--.",
     "..--.", "--...", "the integrator 'newmark'"},
    {Ability::saving, "saved states and copies", "yyyyy", "y.yyy", "..yy.", "..yy.", "yy..."},
};

constexpr bool is_ability_table() {
  if (std::size(ability_table) != all_abilities.size()) return false;
  for (std::size_t i = 0; i < all_abilities.size(); ++i) {
    if (ability_table[i].ability != all_abilities[i] || static_cast<std::size_t>(all_abilities[i]) != i)
      return false;
    for (const AbilityMarks marks :
         {ability_table[i].itself, ability_table[i].touching, ability_table[i].framed,
          ability_table[i].in_domains, ability_table[i].quasistatic})
      if (marks.size() != all_methods.size()) return false;
  }
  return true;
}
static_assert(is_ability_table());

const AbilityRow& row_of(Ability ability) { return ability_table[static_cast<std::size_t>(ability)]; }

AbilityMarks marks_of(Ability ability, Circumstance circumstance) {
  const AbilityRow& row = row_of(ability);
  switch (circumstance) {
    case Circumstance::touching:
      return row.touching;
    case Circumstance::framed:
      return row.framed;
    case Circumstance::in_domains:
      return row.in_domains;
    case Circumstance::quasistatic:
      break;
  }
  return row.quasistatic;
}

bool is_marked(AbilityMarks marks, Method method) { return marks[static_cast<std::size_t>(method)] == 'y'; }

std::string marked_methods(AbilityMarks marks) {
  std::string able;
  for (const Method method : all_methods) {
    if (is_marked(marks, method)) able += fmt::format("{}'{}'", able.empty() ? "" : " or ", name_of(method));
  }
  return able;
}

/// What to choose in its place.  instead: beside a method.  out: how the circumstance could end, if it could.
std::string choices_of(AbilityMarks marks, std::string_view instead, std::string_view out = "") {
  std::string choices = marked_methods(marks);
  if (!instead.empty()) choices += fmt::format("{}{}", choices.empty() ? "" : ", or ", instead);
  if (!choices.empty()) choices.insert(0, "choose ");
  if (!out.empty()) choices += fmt::format("{}{}", choices.empty() ? "" : ", or ", out);
  return choices;
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

std::string_view name_of(Ability ability) { return row_of(ability).words; }

bool can(Method method, Ability ability) { return is_marked(row_of(ability).itself, method); }

bool can(Method method, Ability ability, Circumstance circumstance) {
  return can(method, ability) && is_marked(marks_of(ability, circumstance), method);
}

std::string methods_with(Ability ability) { return marked_methods(row_of(ability).itself); }

void require_ability(Method method, Ability ability, std::string_view body) {
  if (can(method, ability)) return;
  const AbilityRow& row = row_of(ability);
  const bool modal = can(method, Ability::modal_integrators) && !row.instead_of_modes.empty();
  throw Error("{}: the method '{}' does not take {}; {}", body, name_of(method), row.words,
              choices_of(row.itself, modal ? row.instead_of_modes : row.instead));
}

void require_ability(Method method, Ability ability, Circumstance circumstance, std::string_view body) {
  require_ability(method, ability, body);
  if (can(method, ability, circumstance)) return;
  std::string such;
  std::string_view out;
  switch (circumstance) {
    case Circumstance::touching:
      such = fmt::format("a body of the method '{}' that may touch others", name_of(method));
      out = "let it touch nothing";
      break;
    case Circumstance::framed:
      such = "a body of several domains, in flight, on a support, in the wind or that touches";
      break;
    case Circumstance::in_domains:
      such = "a body of several domains";
      break;
    case Circumstance::quasistatic:
      such = "a quasistatic body";
      out = "let it move by the type 'dynamic'";
      break;
  }
  const AbilityRow& row = row_of(ability);
  const std::string choices = choices_of(marks_of(ability, circumstance), row.instead, out);
  throw Error("{}: {} takes no {}{}{}", body, such, row.words, choices.empty() ? "" : "; ", choices);
}

}  // namespace limber
