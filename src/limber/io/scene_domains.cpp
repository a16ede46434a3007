#include "limber/io/scene_domains.hpp"

#include "limber/base/error.hpp"
#include "limber/base/text.hpp"
#include "limber/base/words.hpp"
#include "limber/io/element_sets_file.hpp"
#include "limber/io/scene_materials.hpp"
#include "limber/io/scene_parts.hpp"
#include "limber/io/scene_uses.hpp"
#include "limber/scene/body_tree.hpp"
#include "limber/scene/placing.hpp"

#include <nlohmann/json.hpp>

#include <initializer_list>
#include <memory>
#include <set>
#include <utility>

namespace limber {
namespace {

using nlohmann::json;

/// Throws Error for any of these keys of an object that has no use for them.  place: path of the object.
/// whose: names it.
void refuse(const json& stated, std::initializer_list<const char*> keys, const std::string& place,
            std::string_view whose) {
  for (const char* key : keys) {
    if (stated.contains(key)) refuse_unused(fmt::format("{}.{}", place, key), whose);
  }
}

/// The same for keys of an object under a key.
void refuse_inside(const json& stated, const char* object, std::initializer_list<const char*> keys,
                   const std::string& place, std::string_view whose) {
  if (stated.contains(object)) refuse(stated[object], keys, fmt::format("{}.{}", place, object), whose);
}

/// Keys that cut a mesh, and what is drawn of it.
void refuse_mesh_keys(const json& stated, const std::string& where, std::string_view whose) {
  refuse_inside(stated, "domains", {"from", "count", "sets", "root"}, where, whose);
  refuse(stated, {"render"}, where, whose);
}

void load_model_tree(const json& stated, const std::string& where, std::shared_ptr<const Model> model,
                     SceneBody& body) {
  constexpr std::string_view reduced = "a tree of domains that is reduced already";
  refuse_mesh_keys(stated, where, reduced);
  refuse(stated, {"material", "materials", "fixed"}, where, reduced);
  refuse_inside(stated, "domains", {"rank", "total_rank", "rigid"}, where, reduced);
  take_tree(std::move(model), body);
}

/// Gives parts made by code the materials of the scene: `materials` by names of parts or of regions, else
/// `material`.
void change_materials(const json& value, const std::string& where, PartTree& tree) {
  const json materials = value.value("materials", json::object());
  std::set<std::string> used, known;
  for (Part& part : tree.parts) {
    json made_of = json::object();
    if (value.contains("material")) made_of["material"] = value["material"];
    known.insert(part.name);
    if (materials.contains(part.name)) {
      made_of["material"] = materials[part.name];
      used.insert(part.name);
    }
    for (const Region& region : part.mesh.regions) {
      if (region.name.empty()) continue;
      known.insert(region.name);
      if (!materials.contains(region.name)) continue;
      made_of["materials"][region.name] = materials[region.name];
      used.insert(region.name);
    }
    part.materials = to_materials(made_of, part.mesh.regions, part.materials, where);
  }
  const std::vector<std::string_view> names(known.begin(), known.end());
  for (const auto& [name, material] : materials.items())
    require(used.contains(name), "{}.materials: the body has no part or region '{}'; {}", where, name,
            suggestion(name, names));
}

void show_parts(SceneBody& body) {
  WholeBody whole = join_parts(body.parts);
  body.mesh = std::move(whole.mesh);
  body.render = std::move(whole.surface);
  body.render_colors = std::move(whole.colors);
}

std::vector<ElementSet> to_sets(const json& value, Index elements, const std::string& where) {
  ElementSetBuilder builder(elements);
  for (const auto& [name, list] : value.items()) {
    builder.begin(name);
    for (const json& item : list) {
      const bool range = item.is_array();
      builder.add((range ? item[0] : item).get<Index>(), (range ? item[1] : item).get<Index>(),
                  fmt::format("{}.{}", where, name));
    }
  }
  return std::move(builder).finish();
}

DomainSettings to_domains(const json& value, const json& stated, Index elements, const std::string& where) {
  DomainSettings domains;
  const std::string from = value["from"].get<std::string>();
  domains.from = from == "auto"   ? DomainSource::automatic
                 : from == "sets" ? DomainSource::sets
                                  : DomainSource::regions;
  require(value.contains("count") == (from == "auto"),
          "{}: 'count' and 'from' as 'auto' go together: how many domains are looked for", where);
  require(value.contains("sets") == (from == "sets"),
          "{}: 'sets' and 'from' as 'sets' go together: the elements of the domains", where);
  if (value.contains("count")) domains.count = value["count"].get<int>();
  if (value.contains("sets")) domains.sets = to_sets(value["sets"], elements, where + ".sets");
  if (value.contains("root")) domains.root = value["root"].get<std::string>();
  require(!(stated.contains("rank") && stated.contains("total_rank")),
          "{}: 'rank' and 'total_rank' exclude each other: that of each domain or that of all", where);
  domains.rank = value["rank"].get<int>();
  if (value.contains("total_rank")) domains.total_rank = value["total_rank"].get<int>();
  domains.rigid = value["rigid"].get<std::vector<std::string>>();
  domains.inertia = parse_word<SubtreeInertia>(value["inertia"].get<std::string>(), subtree_inertia_words,
                                               "unknown inertia");
  for (const auto& [name, factor] : value["stiffness"].items())
    domains.stiffness.emplace_back(name, factor.get<double>());
  return domains;
}

}  // namespace

bool load_tree(const json& value, const json& stated, SceneFiles& files, const std::string& where,
               const ScenePlan& plan, int threads, SceneBody& body) {
  require(stated.value("forces", json::object()).value("poses", "") != "given",
          "{}.forces.poses: there is nothing to give them for each domain; take 'motion' or 'gaussian'",
          where);
  if (plan.model) {
    load_model_tree(stated, where, plan.model, body);
    return true;
  }
  if (value.contains("assembly")) {
    refuse_mesh_keys(stated, where, "an assembly, which is in parts already,");
    refuse(stated, {"materials"}, where, "an assembly, whose parts name theirs,");
    refuse(stated, {"fixed"}, where, "an assembly, whose parts are held each and which 'free' lets go,");
    body.parts = read_assembly(value, files, where, Executor(threads));
  } else {
    if (!names_tree(value)) return false;
    refuse_mesh_keys(stated, where, "a tree of parts, which is made of domains already,");
    require(!value.contains("fixed") || value["fixed"].is_string(),
            "{}.fixed: a tree of parts is held at its root; leave it out, or let it go by 'none'", where);
    body.parts = make_builtin_tree(value["mesh"].get<std::string>(), Executor(threads));
    change_materials(value, where, body.parts);
    require(!value.contains("fixed") || !body.parts.free, "{}.fixed: nothing holds {} anyway; leave it out",
            where, value["mesh"].get<std::string>());
    if (value.contains("fixed")) release_root(body.parts);
  }
  place(body.pose, where, body.parts);
  show_parts(body);
  return true;
}

void read_domains(const json& value, const json& stated, const std::string& where, const ScenePlan& plan,
                  SceneBody& body) {
  if (value.contains("domains")) {
    body.domains =
        to_domains(value["domains"], stated["domains"], body.mesh.element_count(), where + ".domains");
  } else if (plan.tree) {
    body.domains = DomainSettings{};
  }
}

}  // namespace limber
