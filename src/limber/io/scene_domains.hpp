#pragma once

#include "limber/io/scene_values.hpp"
#include "limber/scene/scene.hpp"

#include <nlohmann/json_fwd.hpp>

#include <string>

namespace limber {

// The keys of a body of a scene file that trees of domains have. value: the body, checked by the schema, with
// all defaults. stated: the same without them.  where: names it in messages.

/// Throws Error for a tree of parts in a scene of another order, and for poses that no one can give for each
/// domain.
void check_domain_keys(const nlohmann::json& stated, const SolverSettings& solver, const std::string& where);

/// Where a body of the order domains comes from, if that is a tree or a tree of parts: fills tree or parts,
/// and mesh, surface and materials with those of the whole. Returns false, without doing anything, for a mesh
/// and for the model of one domain.
bool load_tree(const nlohmann::json& value, const nlohmann::json& stated, SceneFiles& files,
               const std::string& where, const SolverSettings& solver, SceneBody& body);

/// The keys domains and wind. body: with its mesh.
void read_domains(const nlohmann::json& value, const nlohmann::json& stated, const std::string& where,
                  SceneBody& body);

}  // namespace limber
