#include "limber/scene/body_tree.hpp"

#include "limber/base/error.hpp"
#include "limber/base/text.hpp"
#include "limber/multidomain/decompose.hpp"
#include "limber/multidomain/tree_shape.hpp"

#include <algorithm>
#include <cctype>
#include <utility>

namespace limber {
namespace {

/// Whether a name is another one with a number after it: "leaf 12".
bool is_numbered(std::string_view name, std::string_view stem) {
  if (!name.starts_with(stem) || name.size() < stem.size() + 2 || name[stem.size()] != ' ') return false;
  const std::string_view number = name.substr(stem.size() + 1);
  return std::all_of(number.begin(), number.end(),
                     [](char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; });
}

/// Indices of the pieces that a name stands for. own, parts: names of the pieces, and of what they are made
/// of.
std::vector<Index> find_named(const std::vector<std::string_view>& own,
                              const std::vector<std::string_view>& parts, std::string_view name,
                              std::string_view where) {
  std::vector<Index> found;
  const auto take = [&](const auto& fits) {
    for (std::size_t i = 0; i < own.size() && found.size() < own.size(); ++i) {
      if (fits(i)) found.push_back(static_cast<Index>(i));
    }
    return !found.empty();
  };
  if (take([&](std::size_t i) { return own[i] == name; })) return found;
  if (take([&](std::size_t i) { return parts[i] == name; })) return found;
  if (take([&](std::size_t i) { return is_numbered(own[i], name); })) return found;
  std::vector<std::string_view> known = own;
  known.insert(known.end(), parts.begin(), parts.end());
  std::sort(known.begin(), known.end());
  known.erase(std::unique(known.begin(), known.end()), known.end());
  constexpr std::size_t most = 12;  // of an oak's 1,435 names nobody wants to read more
  const bool some = known.size() > most && nearest_name(name, known).empty();
  if (some) known.resize(most);
  throw Error("{}: the body has no domain '{}'; {}{}", where, name, suggestion(name, known),
              some ? ", ..." : "");
}

const Part& part_of(const PartTree& tree, const Placement& placement) {
  return tree.parts[static_cast<std::size_t>(placement.part)];
}

/// Changes the part of these placements, but not that of others which share it. mark: told apart by, in the
/// name of a copy.
template <class Change>
void change_parts(PartTree& tree, const std::vector<Index>& placements, std::string_view mark,
                  const Change& change) {
  std::vector<char> meant(tree.placements.size(), 0);
  for (const Index i : placements) meant[static_cast<std::size_t>(i)] = 1;
  std::vector<int> replaced(tree.parts.size(), -1);
  for (std::size_t p = 0; p < replaced.size(); ++p) {
    bool wanted = false, shared = false;
    for (std::size_t i = 0; i < meant.size(); ++i) {
      if (tree.placements[i].part != static_cast<int>(p)) continue;
      (meant[i] != 0 ? wanted : shared) = true;
    }
    if (!wanted) continue;
    replaced[p] = static_cast<int>(p);
    if (shared) {
      Part copy = tree.parts[p];
      copy.name = fmt::format("{} ({})", copy.name, mark);
      replaced[p] = static_cast<int>(tree.parts.size());
      tree.parts.push_back(std::move(copy));
    }
    change(tree.parts[static_cast<std::size_t>(replaced[p])]);
  }
  for (std::size_t i = 0; i < meant.size(); ++i) {
    if (meant[i] != 0) tree.placements[i].part = replaced[static_cast<std::size_t>(tree.placements[i].part)];
  }
}

/// As the body says; as if it had said nothing where it only brings parts.
DomainSettings settings_for(const SceneBody& body) { return body.domains.value_or(DomainSettings{}); }

Decomposition decompose(const SceneBody& body, const DomainSettings& settings,
                        const std::vector<int>& fixed) {
  if (settings.from == DomainSource::automatic)
    return decompose_automatically(body.mesh, settings.count, fixed);
  if (settings.from == DomainSource::sets) return decompose_by_sets(body.mesh, settings.sets);
  return decompose_by_regions(body.mesh);
}

void make_rigid(PartTree& tree, const std::vector<std::string>& names, const std::string& where) {
  for (const std::string& name : names) {
    std::vector<std::string_view> own, parts;
    for (const Placement& placement : tree.placements) {
      own.emplace_back(placement.name);
      parts.emplace_back(part_of(tree, placement).name);
    }
    change_parts(tree, find_named(own, parts, name, where), "rigid", [](Part& part) { part.rigid = true; });
  }
}

/// What stands for the parts while only their places matter: rigid domains.
Model make_resting(const PartTree& parts) {
  Model tree;
  for (const Part& part : parts.parts) {
    ReducedModel model;
    model.name = part.name;
    model.surface.mesh = part.render.triangle_count() > 0 ? part.render : boundary_surface(part.mesh);
    model.surface.colors = part.colors;
    model.surface.colors.resize(model.surface.mesh.parts.size(), Vector3(0.60, 0.68, 0.78));
    model.simulation = SimulationMesh{part.mesh, {}, {}, {}};
    tree.parts.push_back({std::move(model), {}});
  }
  for (const Placement& placement : parts.placements) {
    Domain domain;
    domain.name = placement.name;
    domain.part = placement.part;
    domain.position = placement.position;
    domain.rotation = placement.rotation;
    domain.scale = placement.scale;
    domain.vertices = placement.vertices;
    domain.surface_vertices = placement.surface_vertices;
    tree.domains.push_back(std::move(domain));
  }
  return tree;
}

}  // namespace

PartTree find_parts(const SceneBody& body, std::string_view rigid_key) {
  PartTree parts = body.parts;
  const DomainSettings settings = settings_for(body);
  if (parts.placements.empty()) {
    const std::vector<int> fixed = select_vertices(body.mesh, body.fixed, body.name + ": fixed");
    const DecomposedBody whole{body.mesh, body.materials, body.render, body.render_colors, fixed};
    try {
      parts = make_parts(whole, decompose(body, settings, fixed), settings.root);
    } catch (const Error& error) {
      throw Error("{}: {}", body.name, error.what());
    }
    parts.name = body.name;
    parts.up = body.up;
  }
  make_rigid(parts, settings.rigid, fmt::format("{}: {}", body.name, rigid_key));
  return parts;
}

TreeReduceOptions reduce_options(const SceneBody& body, const Executor& executor, const Progress& progress) {
  const DomainSettings settings = settings_for(body);
  TreeReduceOptions options;
  options.reduce = body.reduction;
  options.rank = settings.rank;
  options.total_rank = settings.total_rank;
  options.mass = body.mass;
  options.executor = executor;
  options.progress = progress;
  return options;
}

std::shared_ptr<const Model> find_tree(const SceneBody& body, const Executor& executor,
                                       const Progress& progress, TreeReduceReport& report) {
  report = {};
  if (body.model) return body.model;
  return std::make_shared<const Model>(
      reduce_tree(find_parts(body), reduce_options(body, executor, progress), report));
}

std::optional<TreeMesh> find_mesh(const std::shared_ptr<const Model>& tree) {
  const bool kept = std::all_of(tree->parts.begin(), tree->parts.end(),
                                [](const ReducedPart& part) { return part.model.simulation.has_value(); });
  return kept ? std::optional<TreeMesh>(tree) : std::nullopt;
}

void take_tree(std::shared_ptr<const Model> tree, SceneBody& body) {
  if (const std::optional<TreeMesh> mesh = find_mesh(tree)) body.mesh = mesh->mesh();
  const TreeSurface surface(tree);
  body.render = surface.mesh();
  body.render_colors = surface.colors();
  body.up = tree->up;
  body.model = std::move(tree);
}

std::vector<Index> find_domains(const Model& tree, std::string_view name, std::string_view where) {
  std::vector<std::string_view> own, parts;
  for (Index d = 0; d < tree.domain_count(); ++d) {
    own.emplace_back(tree.domains[static_cast<std::size_t>(d)].name);
    parts.emplace_back(tree.part(d).model.name);
  }
  return find_named(own, parts, name, where);
}

void release_root(PartTree& parts) {
  parts.free = true;
  if (parts.placements.empty() || part_of(parts, parts.placements.front()).fixed.empty()) return;
  change_parts(parts, {0}, "free", [](Part& part) { part.fixed.clear(); });
}

WholeBody join_parts(const PartTree& parts) {
  const auto tree = std::make_shared<const Model>(make_resting(parts));
  const TreeSurface surface(tree);
  WholeBody whole{TreeMesh(tree).mesh(), surface.mesh(), surface.colors()};
  const bool plain = std::all_of(parts.parts.begin(), parts.parts.end(),
                                 [](const Part& part) { return part.colors.empty(); });
  if (plain) whole.colors.clear();
  return whole;
}

}  // namespace limber
