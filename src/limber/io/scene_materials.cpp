#include "limber/io/scene_materials.hpp"

#include "limber/base/error.hpp"
#include "limber/base/text.hpp"
#include "limber/io/scene_uses.hpp"
#include "limber/material/named_materials.hpp"

#include <nlohmann/json.hpp>

namespace limber {

using nlohmann::json;

namespace {

constexpr double usual_density = 1000.0;  ///< kg/m^3

/// The numbers of a material by its name, for what the others do not say.
json named_numbers(json value, const std::string& where) {
  if (!value.contains("name")) {
    if (!value.contains("density")) value["density"] = usual_density;
    return value;
  }
  const NamedMaterial& named = find_named_material(value["name"].get<std::string>(), where + ".name");
  const bool lame = value.contains("lambda") || value.contains("mu");
  if (value.contains("density") && (lame || (value.contains("young") && value.contains("poisson"))))
    refuse_unused(where + ".name", "a material all of whose numbers are given");
  if (!lame && !value.contains("young")) value["young"] = named.young;
  if (!lame && !value.contains("poisson")) value["poisson"] = named.poisson;
  if (!value.contains("density")) value["density"] = named.density;
  return value;
}

Material to_material(const json& stated, const std::string& where) {
  const json value = named_numbers(stated, where);
  const bool engineering = value.contains("young") || value.contains("poisson");
  const bool lame_given = value.contains("lambda") || value.contains("mu");
  require(engineering != lame_given, "{}: give a 'name', 'young' and 'poisson', or 'lambda' and 'mu'", where);
  const char* first = engineering ? "young" : "lambda";
  const char* second = engineering ? "poisson" : "mu";
  for (const char* key : {first, second}) {
    require(value.contains(key), "{}: '{}' is missing; '{}' and '{}' go together", where, key, first, second);
  }
  const double a = value[first].get<double>(), b = value[second].get<double>();
  try {
    const LameParameters lame = engineering ? lame_from_young(a, b) : LameParameters{a, b};
    const MaterialConstants constants{value["mooney_share"].get<double>(),
                                      value["locking_stretch"].get<double>()};
    return {make_law(value["law"].get<std::string>(), lame, constants), value["density"].get<double>()};
  } catch (const Error& error) {
    throw Error("{}: {}", where, error.what());
  }
}

}  // namespace

std::vector<Material> to_materials(const json& body, const std::vector<Region>& regions,
                                   const std::vector<Material>& defaults, const std::string& where) {
  std::vector<const json*> chosen(regions.size(), body.contains("material") ? &body["material"] : nullptr);
  std::vector<std::string> origin(regions.size(), where + ".material");
  const json no_materials = json::object();
  const json& materials = body.contains("materials") ? body["materials"] : no_materials;
  for (const auto& [key, material] : materials.items()) {
    bool found = false;
    std::vector<std::string> names;
    for (std::size_t r = 0; r < regions.size(); ++r) {
      const Region& region = regions[r];
      names.push_back(region.name.empty() ? std::to_string(region.tag) : region.name);
      if (key != region.name && key != std::to_string(region.tag)) continue;
      chosen[r] = &material;
      origin[r] = fmt::format("{}.materials.{}", where, key);
      found = true;
    }
    const std::vector<std::string_view> known(names.begin(), names.end());
    require(found, "{}.materials: the mesh has no region '{}'; {}", where, key, suggestion(key, known));
  }
  std::vector<Material> result;
  for (std::size_t r = 0; r < regions.size(); ++r) {
    if (chosen[r] == nullptr && !defaults.empty()) {
      result.push_back(defaults[r]);
      continue;
    }
    require(chosen[r] != nullptr,
            "{}: region '{}' (tag {}) has no material; give 'material' or name it in 'materials'", where,
            regions[r].name, regions[r].tag);
    result.push_back(to_material(*chosen[r], origin[r]));
  }
  return result;
}

}  // namespace limber
