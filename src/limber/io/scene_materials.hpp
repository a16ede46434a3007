#pragma once

#include "limber/material/material.hpp"
#include "limber/mesh/volume_mesh.hpp"

#include <nlohmann/json_fwd.hpp>

#include <string>
#include <vector>

namespace limber {

/// The materials of a body or a part of a scene file, one per region: that of `materials` under the region's
/// name or tag, else `material`, else that of `defaults`, which is empty or has one per region. where: names
/// it in messages.
std::vector<Material> to_materials(const nlohmann::json& body, const std::vector<Region>& regions,
                                   const std::vector<Material>& defaults, const std::string& where);

}  // namespace limber
