#pragma once

#include "limber/multidomain/model.hpp"
#include "tests/io/model_equality.hpp"

#include <algorithm>
#include <string>
#include <string_view>

namespace limber::test {

/// What differs between two models, "" for nothing; to the bit.
inline std::string difference(const Model& a, const Model& b) {
  std::string found;
  const auto note = [&](bool same, std::string_view what) {
    if (!same) found += fmt::format("{} ", what);
  };
  note(a.name == b.name, "name");
  note(a.description == b.description, "description");
  note(a.free == b.free, "free");
  note(a.up == b.up, "up");
  note(a.parts.size() == b.parts.size(), "parts");
  for (std::size_t k = 0; k < std::min(a.parts.size(), b.parts.size()); ++k) {
    found += difference(a.parts[k].model, b.parts[k].model);
    note(a.parts[k].ports.size() == b.parts[k].ports.size(), "ports");
    for (std::size_t p = 0; p < std::min(a.parts[k].ports.size(), b.parts[k].ports.size()); ++p) {
      const InterfacePort& s = a.parts[k].ports[p];
      const InterfacePort& t = b.parts[k].ports[p];
      note(s.name == t.name, "port name");
      note(s.vertices == t.vertices, "port vertices");
      note(same_bits(s.weights, t.weights), "port weights");
      note(same_bits(s.center, t.center), "port center");
      note(same_bits(s.center_rows, t.center_rows), "port center rows");
      note(same_bits(s.covariance, t.covariance), "port covariance");
      note(same_bits(s.covariance_rows, t.covariance_rows), "port covariance rows");
    }
  }
  note(a.domains.size() == b.domains.size(), "domains");
  for (std::size_t i = 0; i < std::min(a.domains.size(), b.domains.size()); ++i) {
    const Domain& x = a.domains[i];
    const Domain& y = b.domains[i];
    note(x.name == y.name, "domain name");
    note(x.part == y.part && x.parent == y.parent && x.port == y.port, "domain part, parent or port");
    note(same_bits(x.position, y.position), "position");
    note(same_bits(x.rotation.coeffs(), y.rotation.coeffs()), "rotation");
    note(same_bits(x.scale, y.scale), "scale");
    note(same_bits(x.stiffness, y.stiffness), "stiffness");
    note(x.vertices == y.vertices, "domain vertices");
    note(x.surface_vertices == y.surface_vertices, "domain surface vertices");
  }
  return found;
}

}  // namespace limber::test
