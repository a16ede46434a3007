#pragma once

#include "limber/mesh/mesher.hpp"
#include "limber/mesh/surface_mesh.hpp"
#include "limber/mesh/volume_mesh.hpp"

#include <nlohmann/json_fwd.hpp>

#include <string>

namespace limber::app {

// What is found goes into one JSON value; the text for people is made from it, so that both say the same.

nlohmann::ordered_json to_json(const Vector3& v);

/// Sizes, parts, regions and quality of a volume mesh.
nlohmann::ordered_json describe_mesh(const VolumeMesh& mesh);
std::string mesh_text(const nlohmann::ordered_json& mesh);

/// Sizes, area, volume and defects of a surface.
nlohmann::ordered_json describe_surface(const SurfaceMesh& surface);
std::string surface_text(const nlohmann::ordered_json& surface);

/// What the mesher met and did.
nlohmann::ordered_json describe_meshing(const MesherReport& report);
std::string meshing_text(const nlohmann::ordered_json& meshing);

/// Values as people read them.
std::string number_text(const nlohmann::ordered_json& value);
std::string count_text(const nlohmann::ordered_json& value);
std::string point_text(const nlohmann::ordered_json& value);

}  // namespace limber::app
