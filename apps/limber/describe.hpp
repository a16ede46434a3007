#pragma once

#include "limber/material/material.hpp"
#include "limber/mesh/mesher.hpp"
#include "limber/mesh/surface_mesh.hpp"
#include "limber/mesh/volume_mesh.hpp"

#include <nlohmann/json_fwd.hpp>

#include <string>
#include <string_view>

namespace limber::app {

// What is found goes into one JSON value; the text for people is made from it, so that both say the same.

nlohmann::ordered_json to_json(const Vector3& v);
nlohmann::ordered_json box_json(const BoundingBox& box);

/// Sizes, parts, regions and quality of a volume mesh.
nlohmann::ordered_json describe_mesh(const VolumeMesh& mesh);
std::string mesh_text(const nlohmann::ordered_json& mesh);

/// Sizes, area, volume and defects of a surface.
nlohmann::ordered_json describe_surface(const SurfaceMesh& surface);
std::string surface_text(const nlohmann::ordered_json& surface);

/// What the mesher met and did.
nlohmann::ordered_json describe_meshing(const MesherReport& report);
/// The same in a line: what was repaired for the mesh and not for what is drawn, and what was lost. Empty
/// where nothing was.
std::string meshing_note(const MesherReport& report);
std::string meshing_text(const nlohmann::ordered_json& meshing);

/// What a region is made of, as young, poisson, density.
nlohmann::ordered_json describe_material(const Region& region, const Material& material);
std::string material_text(const nlohmann::ordered_json& material);

std::string words(const nlohmann::ordered_json& text);  ///< a text as it is, without quotes
nlohmann::ordered_json to_list(const VectorRef& values);
nlohmann::ordered_json number_or_null(double value);  ///< null where it is not known (NaN) or infinite

/// Values as people read them.
std::string bytes_text(double bytes);  ///< "3.2 MB"
std::string number_text(const nlohmann::ordered_json& value);
std::string count_text(const nlohmann::ordered_json& value);
std::string point_text(const nlohmann::ordered_json& value);
std::string box_text(const nlohmann::ordered_json& box);

}  // namespace limber::app
