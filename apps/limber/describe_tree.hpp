#pragma once

#include "limber/bodies/part_tree.hpp"
#include "limber/multidomain/domain_tree.hpp"

#include <nlohmann/json_fwd.hpp>

#include <memory>
#include <string>

namespace limber::app {

// As describe.hpp, for trees.

/// Kinds, shape, mass, frequencies and memory of a tree of domains.
nlohmann::ordered_json describe_tree(const std::shared_ptr<const DomainTree>& tree);
std::string tree_text(const nlohmann::ordered_json& tree);

/// Parts and shape of a tree that is not reduced yet.
nlohmann::ordered_json describe_parts(const PartTree& tree);
std::string parts_text(const nlohmann::ordered_json& tree);

}  // namespace limber::app
