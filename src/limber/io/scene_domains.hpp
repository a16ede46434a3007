#pragma once

#include "limber/io/scene_plan.hpp"
#include "limber/io/scene_values.hpp"
#include "limber/scene/scene.hpp"

#include <nlohmann/json_fwd.hpp>

#include <string>

namespace limber {

// The keys of a body of a scene file that trees of domains have. value: the body, checked by the schema, with
// all defaults. stated: the same without them.  where: names it in messages.

/// Where a body that moves as a tree comes from, if that is a model or a tree of parts: fills model or parts,
/// and mesh and surface with those of the whole. Returns false, without doing anything, for a mesh, which is
/// yet to be cut. Throws Error for keys that mean nothing to a tree.
bool load_tree(const nlohmann::json& value, const nlohmann::json& stated, SceneFiles& files,
               const std::string& where, const ScenePlan& plan, int threads, SceneBody& body);

/// How a tree is made and moves: of every body that is one, and of every one that states it. body: with its
/// mesh.
void read_domains(const nlohmann::json& value, const nlohmann::json& stated, const std::string& where,
                  const ScenePlan& plan, SceneBody& body);

}  // namespace limber
