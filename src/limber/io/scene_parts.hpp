#pragma once

#include "limber/bodies/part_tree.hpp"
#include "limber/io/scene_values.hpp"

#include <nlohmann/json_fwd.hpp>

#include <string>

namespace limber {

/// The assembly of a body of a scene file, its meshes loaded; instances are sorted, parents first, and
/// otherwise stay in their order. body: checked by the schema; its material is that of parts without one.
/// where: names it in messages. Throws Error, at the key, for names that are used twice or unknown (naming
/// the nearest), several roots, instances that hang from each other in a loop, parts that nothing uses, and
/// what check_parts() refuses.
PartTree read_assembly(const nlohmann::json& body, SceneFiles& files, const std::string& where,
                       const Executor& executor);

}  // namespace limber
