#pragma once

#include "limber/material/elastic_moduli.hpp"

#include <span>
#include <string_view>
#include <vector>

namespace limber {

/// What something is made of, by the word that people use. docs/materials.md says where the numbers come from
/// and how far real ones are from each other.
struct NamedMaterial {
  std::string_view name;
  double young = 0.0;    ///< Pa
  double poisson = 0.0;  ///< 0.45 at most: linear tetrahedra of what keeps its volume lock
  double density = 0.0;  ///< kg/m^3
};

/// All of them, from soft to stiff.
std::span<const NamedMaterial> named_materials();

/// Throws Error for a name that is none of them, naming the nearest. where: what was given it.
const NamedMaterial& find_named_material(std::string_view name, std::string_view where);

/// "jelly, fat, ...", for texts.
std::vector<std::string_view> named_material_words();

}  // namespace limber
