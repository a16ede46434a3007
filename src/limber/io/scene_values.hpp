#pragma once

#include "limber/base/error.hpp"
#include "limber/base/file.hpp"
#include "limber/mesh/surface_mesh.hpp"
#include "limber/scene/selection.hpp"
#include "limber/warp/pose.hpp"

#include <Eigen/Geometry>
#include <nlohmann/json_fwd.hpp>

#include <filesystem>
#include <string>
#include <string_view>

namespace limber {

// Values that several keys of a scene file hold. The schema has checked them.

/// A list of three numbers.
Vector3 to_vector(const nlohmann::json& value);

/// The quaternion under the key rotation of what `where` names: x, y, z, w, made one of unit length. Throws
/// Error unless its length is 1 to 1e-3.
Eigen::Quaterniond to_rotation(const nlohmann::json& value, const std::string& where);

/// The keys position and rotation of an object. Throws Error as to_rotation() does.
Pose to_pose(const nlohmann::json& value, const std::string& where);

/// m, of the numbers in the files of a body: its key unit.
double unit_of(const nlohmann::json& body);

/// The keys vertices, box, where and nearest of an object. where: names it in messages.
VertexSelection to_selection(const nlohmann::json& value, const std::string& where);

/// The same for vertices that are fixed. Throws Error for an object without keys, which does not say what it
/// means; an empty list of vertices is none. otherwise: what to do where none shall be.
VertexSelection to_fixed(const nlohmann::json& value, const std::string& where, std::string_view otherwise);

/// The files of a scene.
struct SceneFiles {
  std::filesystem::path folder;            ///< that paths in the scene are relative to
  FileList inputs;                         ///< that were read
  std::vector<std::string> warnings = {};  ///< what was lost on the way, one line each

  /// The path under a key; empty where the key is not there.
  [[nodiscard]] std::filesystem::path path(const nlohmann::json& object, const char* key) const;
  /// The same for a file that is read as it is: it becomes an input.
  std::filesystem::path input(const nlohmann::json& object, const char* key);
};

/// Runs what reads the file that a key names. What is wrong with it is told with the key, whose place in the
/// scene is `where`.
template <class Read>
auto read_at(const std::string& where, const Read& read) {
  try {
    return read();
  } catch (const Error& error) {
    const std::string_view what = error.what();
    if (what.starts_with(where)) throw;
    throw Error("{}: {}", where, what);
  }
}

/// The surface in the file that a key of an object names.  where: the object. Throws Error for bodies made by
/// code, which are volume meshes.
SurfaceMesh read_surface_at(const nlohmann::json& object, const char* key, SceneFiles& files,
                            const std::string& where);

}  // namespace limber
