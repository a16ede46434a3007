#pragma once

#include "limber/body/method.hpp"

#include <nlohmann/json_fwd.hpp>

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace limber {

// Which keys have a use in which scenes is data of the schema, beside the keys themselves; what no rule
// restricts is used wherever the object that holds it is:
//
//   "x-used-by": {"dynamic": ["full", "reduced"]}   for these types of solver, by these methods
//   "x-only-where": {"law": ["mooney-rivlin"]}      where another key beside it has one of these values
//   "x-only-with": ["constraints"]                  where one of these keys stands beside it, and no empty list
//   "x-not-with": ["model"]                         where none of these keys stands beside it
//
// Methods in "x-used-by" are those of bodies that are one domain. Trees have words of their own: "domains"
// for all of them, "reduced-domains" and "linear-domains" for those of one method. A key of a body must be
// used by that body; a key beside the bodies, by one of them.

/// A way in which a body is run.
struct RunWay {
  Method method = Method::full;
  bool tree = false;  ///< as a tree of domains

  bool operator==(const RunWay&) const = default;
};

/// Throws Error, at the first key, for one that has no use in the scene: it would change nothing without a
/// word. schema: of scene files.  stated: the scene as it was given, checked by validate().  filled: the same
/// with all defaults. ways: of each body, its own and those that it is run in beside that; a key that one of
/// them uses has a use, and so has one that stands beside a key which only another needs.  where: names the
/// scene in messages.
void check_uses(const nlohmann::ordered_json& schema, const nlohmann::json& stated,
                const nlohmann::json& filled, std::span<const std::vector<RunWay>> ways,
                std::string_view where);

/// Throws the Error about a key, or an option, without a use.  place: it, and whose it is: "a.json:
/// solver.beta". whose: what has no use for it.  used_by: what has, if that is known.
[[noreturn]] void refuse_unused(std::string_view place, std::string_view whose,
                                std::string_view used_by = "");

/// In words, what uses a property of the schema: "static 'full'; dynamic 'full', trees of domains"; empty for
/// all.
std::string use_text(const nlohmann::ordered_json& property, std::string_view mark = "'");

/// All of its rules in words, for the reference page; empty where it has none.
std::string use_rules_text(const nlohmann::ordered_json& property);

}  // namespace limber
