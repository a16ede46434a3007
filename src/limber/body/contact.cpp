#include "limber/body/contact.hpp"

#include "limber/base/error.hpp"

#include <algorithm>
#include <cmath>

namespace limber {

void check_material(const ContactMaterial& material, std::string_view where) {
  const auto good = [](double x) { return std::isfinite(x) && x >= 0.0; };
  require(good(material.friction), "{}: the friction is {}, expected a number of at least 0", where,
          material.friction);
  require(good(material.restitution) && material.restitution <= 1.0,
          "{}: the restitution is {}, expected a share from 0 to 1", where, material.restitution);
  require(good(material.compliance), "{}: the compliance is {} m/N, expected a number of at least 0", where,
          material.compliance);
}

ContactMaterial combined(const ContactMaterial& one, const ContactMaterial& other) {
  return {.friction = std::sqrt(one.friction * other.friction),
          .restitution = std::max(one.restitution, other.restitution),
          .compliance = one.compliance + other.compliance};
}

}  // namespace limber
