#pragma once

#include "limber/bodies/part_tree.hpp"
#include "limber/multidomain/model.hpp"

#include <nlohmann/json_fwd.hpp>

#include <memory>
#include <string>

namespace limber::app {

// As describe.hpp, for models and what they are made of.

/// Shape, mass, frequencies and memory of a model, and for each of its parts forces, materials and mesh.
nlohmann::ordered_json describe_model(const std::shared_ptr<const Model>& model);
std::string model_text(const nlohmann::ordered_json& model);

/// Parts and shape of a tree that is not reduced yet.
nlohmann::ordered_json describe_parts(const PartTree& tree);
std::string parts_text(const nlohmann::ordered_json& tree);

}  // namespace limber::app
