#include "limber/material/named_materials.hpp"

#include "limber/base/error.hpp"
#include "limber/base/text.hpp"

#include <algorithm>
#include <array>

namespace limber {
namespace {

constexpr std::array<NamedMaterial, 16> all_materials{{
    {"fat", 3e3, 0.45, 920.0},
    {"jelly", 6e3, 0.45, 1030.0},
    {"flesh", 2e4, 0.45, 1060.0},
    {"silicone", 1e5, 0.45, 1070.0},
    {"skin", 2e5, 0.45, 1100.0},
    {"foam", 5e5, 0.28, 30.0},
    {"rubber", 2e6, 0.45, 930.0},
    {"cork", 2e7, 0.1, 180.0},
    {"leather", 2e8, 0.4, 930.0},
    {"plastic", 1.2e9, 0.42, 900.0},
    {"wood", 1e10, 0.35, 600.0},
    {"bone", 1.8e10, 0.3, 1900.0},
    {"concrete", 3e10, 0.2, 2400.0},
    {"glass", 7e10, 0.22, 2500.0},
    {"aluminium", 7e10, 0.33, 2700.0},
    {"steel", 2.1e11, 0.3, 7850.0},
}};

}  // namespace

std::span<const NamedMaterial> named_materials() { return all_materials; }

std::vector<std::string_view> named_material_words() {
  std::vector<std::string_view> words;
  for (const NamedMaterial& one : all_materials) words.push_back(one.name);
  return words;
}

const NamedMaterial& find_named_material(std::string_view name, std::string_view where) {
  const auto* const found = std::find_if(all_materials.begin(), all_materials.end(),
                                         [&](const NamedMaterial& one) { return one.name == name; });
  if (found == all_materials.end())
    throw Error("{}: unknown material '{}'; {}", where, name, suggestion(name, named_material_words()));
  return *found;
}

}  // namespace limber
