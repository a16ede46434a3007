#include "limber/scene/selection.hpp"

#include "limber/base/error.hpp"
#include "limber/base/text.hpp"
#include "limber/base/words.hpp"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <functional>

namespace limber {
namespace {

/// One comparison of a coordinate with a number, such as "x < 0.01".
struct Comparison {
  int axis = 0;
  std::string_view op;
  double bound = 0.0;

  [[nodiscard]] bool holds(const Vector3& x) const {
    if (op == "<") return x(axis) < bound;
    if (op == "<=") return x(axis) <= bound;
    if (op == ">") return x(axis) > bound;
    return x(axis) >= bound;
  }
};

constexpr std::string_view grammar = "expected comparisons such as \"x < 0.01\" or \"x < 0.01 and z >= 0\"";

void skip_spaces(std::string_view& text) {
  while (!text.empty() && std::isspace(static_cast<unsigned char>(text.front()))) text.remove_prefix(1);
}

/// Reads one comparison off the front of `text`.
Comparison read_comparison(std::string_view& text, std::string_view whole, std::string_view context) {
  Comparison comparison;
  skip_spaces(text);
  require(!text.empty() && text.front() >= 'x' && text.front() <= 'z', "{}: cannot read \"{}\"; {}", context,
          whole, grammar);
  comparison.axis = text.front() - 'x';
  text.remove_prefix(1);
  skip_spaces(text);
  for (const std::string_view op : {"<=", ">=", "<", ">"}) {
    if (text.starts_with(op)) {
      comparison.op = op;
      text.remove_prefix(op.size());
      break;
    }
  }
  require(!comparison.op.empty(), "{}: cannot read \"{}\"; {}", context, whole, grammar);
  skip_spaces(text);
  const std::size_t end = std::min(text.find_first_of(" \t\n\r"), text.size());
  const auto bound = parse_number(text.substr(0, end));
  require(bound.has_value(), "{}: '{}' in \"{}\" is not a number; {}", context, text.substr(0, end), whole,
          grammar);
  comparison.bound = *bound;
  text.remove_prefix(end);
  skip_spaces(text);
  return comparison;
}

std::vector<Comparison> parse_where(std::string_view whole, std::string_view context) {
  std::vector<Comparison> comparisons;
  std::string_view text = whole;
  while (true) {
    comparisons.push_back(read_comparison(text, whole, context));
    if (text.empty()) return comparisons;
    require(text.starts_with("and") && text.size() > 3 && std::isspace(static_cast<unsigned char>(text[3])),
            "{}: cannot read \"{}\"; {}", context, whole, grammar);
    text.remove_prefix(3);
  }
}

/// Appends the used vertices for which `test` holds; at least one must.
template <class Test>
void append_matching(const VolumeMesh& mesh, const std::vector<char>& used, std::string_view what,
                     std::string_view context, const Test& test, std::vector<int>& chosen) {
  const std::size_t before = chosen.size();
  for (int v = 0; v < mesh.vertex_count(); ++v) {
    if (used[static_cast<std::size_t>(v)] && test(mesh.vertices.col(v))) chosen.push_back(v);
  }
  const BoundingBox box = bounding_box(mesh);
  require(chosen.size() > before,
          "{}: {} chooses no vertex; the body reaches from ({}, {}, {}) to ({}, {}, {})", context, what,
          box.min.x(), box.min.y(), box.min.z(), box.max.x(), box.max.y(), box.max.z());
}

int nearest_vertex(const VolumeMesh& mesh, const std::vector<char>& used, const Vector3& point) {
  int best = -1;
  double best_distance = std::numeric_limits<double>::infinity();
  for (int v = 0; v < mesh.vertex_count(); ++v) {
    const double distance = (mesh.vertices.col(v) - point).squaredNorm();
    if (used[static_cast<std::size_t>(v)] && distance < best_distance) {
      best = v;
      best_distance = distance;
    }
  }
  return best;
}

/// Of the vertices that make a side the least coordinate along `outward`. As deep as side_depth says; deeper
/// where fewer than three vertices, which could turn about a line, lie there, as at the tip of a coarse mesh.
double side_depth_of(const VolumeMesh& mesh, const std::vector<char>& used, const Vector3& outward) {
  std::vector<double> along;
  for (Index v = 0; v < mesh.vertex_count(); ++v)
    if (used[static_cast<std::size_t>(v)]) along.push_back(outward.dot(mesh.vertices.col(v)));
  std::sort(along.begin(), along.end(), std::greater<>());
  const double depth = along.front() - side_depth * (along.front() - along.back());
  return std::min(depth, along[std::min<std::size_t>(2, along.size() - 1)]);
}

}  // namespace

std::vector<int> select_vertices(const VolumeMesh& mesh, const VertexSelection& selection,
                                 std::string_view context) {
  const std::vector<char> used = used_vertices(mesh);
  std::vector<int> chosen;
  for (const int v : selection.vertices) {
    require(v >= 0 && v < mesh.vertex_count(), "{}: vertex {} does not exist; the mesh has vertices 0 to {}",
            context, v, mesh.vertex_count() - 1);
    chosen.push_back(v);
  }
  if (selection.box) {
    append_matching(
        mesh, used, "the box", context,
        [&](const Vector3& x) {
          return (x.array() >= selection.box->min.array()).all() &&
                 (x.array() <= selection.box->max.array()).all();
        },
        chosen);
  }
  if (!selection.where.empty()) {
    const std::vector<Comparison> comparisons = parse_where(selection.where, context);
    append_matching(
        mesh, used, fmt::format("\"{}\"", selection.where), context,
        [&](const Vector3& x) {
          return std::all_of(comparisons.begin(), comparisons.end(),
                             [&](const Comparison& c) { return c.holds(x); });
        },
        chosen);
  }
  for (const BodySide side : selection.sides) {
    const Vector3 outward = direction_of(side, selection.up);
    const double reached = side_depth_of(mesh, used, outward);
    append_matching(
        mesh, used, fmt::format("the side '{}'", word_of(side, body_side_words)), context,
        [&](const Vector3& x) { return outward.dot(x) >= reached; }, chosen);
  }
  for (const Vector3& point : selection.nearest) chosen.push_back(nearest_vertex(mesh, used, point));
  std::sort(chosen.begin(), chosen.end());
  chosen.erase(std::unique(chosen.begin(), chosen.end()), chosen.end());
  return chosen;
}

}  // namespace limber
