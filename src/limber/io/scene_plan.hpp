#pragma once

#include "limber/io/scene_file.hpp"
#include "limber/io/scene_uses.hpp"
#include "limber/io/scene_values.hpp"

#include <nlohmann/json_fwd.hpp>

#include <memory>
#include <string>
#include <vector>

namespace limber {

/// What decides which keys of a body of a scene file have a use: known before meshes are loaded.
struct ScenePlan {
  Method method = Method::full;
  bool tree = false;                   ///< whether it moves as a tree of domains
  Pose pose;                           ///< where it stands
  std::shared_ptr<const Model> model;  ///< that the body names, standing there; none: it names none
  UpAxis up = UpAxis::z;               ///< of its file, as that says or files of its kind have it
  std::vector<RunWay> ways;            ///< that it is run in: its own first, each once

  [[nodiscard]] bool needs_mesh() const;            ///< in one of its ways at least
  [[nodiscard]] bool runs_by(Method method) const;  ///< in one of its ways, as one domain
};

/// value: the body, checked by the schema, with all defaults.  type: of the solver.  where: names it in
/// messages. Throws Error for a body without a shape or with several, a method that the solver or the shape
/// cannot be moved by, and a model that cannot be read.
ScenePlan plan_body(const nlohmann::json& value, SimulationType type, const SceneUse& use, SceneFiles& files,
                    const std::string& where);

/// Whether a body, or a part, names a tree of parts made by code.
bool names_tree(const nlohmann::json& body);

}  // namespace limber
