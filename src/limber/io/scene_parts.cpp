#include "limber/io/scene_parts.hpp"

#include "limber/base/error.hpp"
#include "limber/base/text.hpp"
#include "limber/bodies/builtin.hpp"
#include "limber/io/mesh_file.hpp"
#include "limber/io/scene_materials.hpp"
#include "limber/io/surface_file.hpp"
#include "limber/scene/body_tree.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <map>
#include <utility>

namespace limber {
namespace {

using nlohmann::json;

/// Index of a name among those of a list; says which is nearest where it has none.
template <class Items>
int find_name(const Items& items, const std::string& name, const std::string& where, std::string_view what) {
  std::vector<std::string_view> names;
  for (const auto& item : items) names.emplace_back(item.name);
  const auto found = std::find(names.begin(), names.end(), name);
  require(found != names.end(), "{}: there is no {} '{}'; {}", where, what, name,
          names.empty() ? "it has none" : suggestion(name, names));
  return static_cast<int>(found - names.begin());
}

AttachmentSite to_site(const json& value, const VolumeMesh& mesh, const std::string& name,
                       const std::string& where) {
  const VertexSelection selection = to_selection(value, where);
  require(value.contains("near") == value.contains("radius"), "{}: 'near' and 'radius' go together", where);
  require(value.contains("near") != !selection.empty(),
          "{}: give either 'near' and 'radius' or vertices, by 'vertices', 'box', 'where' or 'nearest'",
          where);
  if (value.contains("near"))
    return site_near(mesh, to_vector(value["near"]), value["radius"].get<double>(), name);
  AttachmentSite site{name, select_vertices(mesh, selection, where), {}};
  site.weights.assign(site.vertices.size(), 1.0);
  return site;
}

Part to_part(const json& value, const json& body, const std::string& name, SceneFiles& files,
             const std::string& where, const Executor& executor) {
  Part part;
  part.name = name;
  const std::string mesh = value["mesh"].get<std::string>();
  require(!is_builtin_tree(mesh), "{}.mesh: '{}' is a tree of parts itself; give the mesh of one part", where,
          mesh);
  if (is_builtin(mesh)) {
    BuiltinBody builtin = make_builtin(mesh, executor);
    part.mesh = std::move(builtin.mesh);
    part.render = std::move(builtin.render);
    part.colors = std::move(builtin.part_colors);
    part.fixed = std::move(builtin.fixed);
    part.materials = std::move(builtin.materials);
  } else {
    part.mesh = read_mesh(files.path(value, "mesh"), &files.inputs);
  }
  if (value.contains("render")) {
    part.render = read_surface(files.path(value, "render"), {}, &files.inputs);
    part.colors.clear();
  }
  json made_of = value;
  if (!value.contains("material") && body.contains("material")) made_of["material"] = body["material"];
  part.materials = to_materials(made_of, part.mesh.regions, part.materials, where);
  if (value.contains("fixed"))
    part.fixed = select_vertices(part.mesh, to_fixed(value["fixed"], where + ".fixed", "leave it out"),
                                 where + ".fixed");
  part.rigid = value["rigid"].get<bool>();
  part.rank = value["rank"].get<int>();
  require(!part.rigid || part.rank == 0, "{}: a rigid part has no coordinates; leave out 'rank' or 'rigid'",
          where);
  for (const auto& [site, place] : value["sites"].items())
    part.sites.push_back(to_site(place, part.mesh, site, fmt::format("{}.sites.{}", where, site)));
  return part;
}

/// An instance before it is sorted: `parent` is its number in the file, -1 for the root.
Placement to_placement(const json& value, const PartTree& tree, const std::string& where) {
  Placement placement;
  placement.name = value["name"].get<std::string>();
  placement.part = find_name(tree.parts, value["part"].get<std::string>(), where + ".part", "part");
  placement.position = to_vector(value["position"]);
  placement.rotation = to_rotation(value["rotation"], where);
  placement.scale = value["scale"].get<double>();
  placement.stiffness = value["stiffness"].get<double>();
  return placement;
}

/// Throws Error unless all are named differently; returns the numbers of the names.
std::map<std::string, int> number_names(const std::vector<Placement>& placements, const std::string& where) {
  std::map<std::string, int> numbers;
  for (std::size_t i = 0; i < placements.size(); ++i) {
    const bool first = numbers.emplace(placements[i].name, static_cast<int>(i)).second;
    require(first, "{}[{}].name: another instance is called '{}'; choose other names", where, i,
            placements[i].name);
  }
  return numbers;
}

/// Finds out what the instances are attached to.
void attach(const json& instances, const PartTree& tree, const std::string& where,
            std::vector<Placement>& placements) {
  const std::map<std::string, int> numbers = number_names(placements, where);
  for (std::size_t i = 0; i < placements.size(); ++i) {
    const json& value = instances[i];
    const std::string place = fmt::format("{}[{}] ('{}')", where, i, placements[i].name);
    if (!value.contains("parent")) {
      require(!value.contains("site"), "{}: it has a 'site' but no 'parent'; say what it is attached to",
              place);
      continue;
    }
    const std::string parent = value["parent"].get<std::string>();
    const auto found = numbers.find(parent);
    if (found == numbers.end()) {
      (void)find_name(placements, parent, place + ".parent", "instance");  // throws
      continue;
    }
    require(value.contains("site"), "{}: 'site' is missing: the site of '{}' that it is attached to", place,
            parent);
    placements[i].parent = found->second;
    const Part& part =
        tree.parts[static_cast<std::size_t>(placements[static_cast<std::size_t>(found->second)].part)];
    placements[i].site = find_name(part.sites, value["site"].get<std::string>(), place + ".site",
                                   fmt::format("site of the part '{}' called", part.name));
  }
}

void check_root(const std::vector<Placement>& placements, const std::string& where) {
  const Placement* root = nullptr;
  for (std::size_t i = 0; i < placements.size(); ++i) {
    if (placements[i].parent >= 0) continue;
    require(root == nullptr,
            "{}[{}] ('{}'): it has no parent, and neither has '{}', but there is one root only; say by "
            "'parent' and 'site' what it is attached to",
            where, i, placements[i].name, root != nullptr ? root->name : "");
    root = &placements[i];
  }
}

/// "a -> b -> a": what hangs from what, from an instance in a loop on.
std::string describe_loop(const std::vector<Placement>& placements, int start) {
  std::string text = placements[static_cast<std::size_t>(start)].name;
  int i = start;
  do {
    i = placements[static_cast<std::size_t>(i)].parent;
    text += fmt::format(" -> {}", placements[static_cast<std::size_t>(i)].name);
  } while (i != start);
  return text;
}

/// Parents first, otherwise in the order of the file; renumbers them.
std::vector<Placement> sort_placements(std::vector<Placement> placements, const std::string& where) {
  constexpr int waiting = -1, climbed = -2;
  std::vector<int> place(placements.size(), waiting);  // in the result
  std::vector<int> order, climb;
  for (int start = 0; start < static_cast<int>(placements.size()); ++start) {
    for (int i = start; i >= 0 && place[static_cast<std::size_t>(i)] < 0;
         i = placements[static_cast<std::size_t>(i)].parent) {
      if (place[static_cast<std::size_t>(i)] == climbed) {
        throw Error(
            "{}: instances hang from each other in a loop: {}; one must be the root, without 'parent'", where,
            describe_loop(placements, i));
      }
      place[static_cast<std::size_t>(i)] = climbed;
      climb.push_back(i);
    }
    for (; !climb.empty(); climb.pop_back()) {
      place[static_cast<std::size_t>(climb.back())] = static_cast<int>(order.size());
      order.push_back(climb.back());
    }
  }
  std::vector<Placement> sorted;
  for (const int i : order) {
    sorted.push_back(std::move(placements[static_cast<std::size_t>(i)]));
    if (sorted.back().parent >= 0)
      sorted.back().parent = place[static_cast<std::size_t>(sorted.back().parent)];
  }
  return sorted;
}

}  // namespace

PartTree read_assembly(const json& body, SceneFiles& files, const std::string& body_where,
                       const Executor& executor) {
  const json& value = body["assembly"];
  const std::string where = body_where + ".assembly";
  PartTree tree;
  tree.name = body["name"].get<std::string>();
  for (const auto& [name, part] : value["parts"].items())
    tree.parts.push_back(to_part(part, body, name, files, fmt::format("{}.parts.{}", where, name), executor));

  const json& instances = value["instances"];
  const std::string list = where + ".instances";
  std::vector<char> used(tree.parts.size(), 0);
  for (std::size_t i = 0; i < instances.size(); ++i) {
    tree.placements.push_back(to_placement(instances[i], tree, fmt::format("{}[{}]", list, i)));
    used[static_cast<std::size_t>(tree.placements.back().part)] = 1;
  }
  for (std::size_t p = 0; p < used.size(); ++p)
    require(used[p] != 0, "{}.parts.{}: no instance stands for it; take it out", where, tree.parts[p].name);
  attach(instances, tree, list, tree.placements);
  check_root(tree.placements, list);
  tree.placements = sort_placements(std::move(tree.placements), list);
  if (value["free"].get<bool>()) release_root(tree);
  check_parts(tree, where);
  return tree;
}

}  // namespace limber
