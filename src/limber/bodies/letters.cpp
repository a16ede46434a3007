#include "limber/bodies/tree_plans.hpp"

#include <Eigen/Geometry>
#include <fmt/format.h>

#include <array>
#include <cmath>
#include <numbers>
#include <utility>
#include <vector>

// The word FLEXIBLE, which stands in the plane y = 0 and flies freely: soft letters in a chain between rigid
// links. The link in the middle is the root, so that letters to its left are held at their right side and the
// others at their left: even equal letters are parts of their own where they are held otherwise.
//                                                                    [after Barbic & Zhao 2011, section 5]

namespace limber {
namespace {

constexpr double height = 1.0, stroke = 0.20, depth = 0.24, rounding = 0.045;  ///< of a letter, m
constexpr double gap = 0.22;                                                   ///< between letters, m
constexpr double bite = 0.05;                        ///< how far a link reaches into a letter, m
constexpr double link_radius = 0.05;                 ///< m
constexpr double hold_radius = 0.11;                 ///< of what a link holds, m
constexpr double cell = 0.062, render_cell = 0.022;  ///< m
constexpr double link_cell = 0.030;                  ///< m
constexpr int letter_rank = 20;
const Vector3 metal(0.62, 0.65, 0.70);

constexpr double high = 0.5 * height - 0.5 * stroke, low = -high;  ///< where strokes and links may be

struct Letter {
  char name;
  double width;        ///< m
  double left, right;  ///< heights at which links meet it
  Vector3 color;
};

const std::array<Letter, 8> word{{{'F', 0.56, 0.0, high, {0.86, 0.27, 0.22}},
                                  {'L', 0.54, high, low, {0.93, 0.52, 0.17}},
                                  {'E', 0.56, low, high, {0.96, 0.76, 0.20}},
                                  {'X', 0.70, high, low, {0.52, 0.74, 0.25}},
                                  {'I', 0.20, low, high, {0.20, 0.66, 0.53}},
                                  {'B', 0.60, high, low + 0.11, {0.20, 0.55, 0.80}},
                                  {'L', 0.54, low + 0.11, low, {0.36, 0.38, 0.78}},
                                  {'E', 0.56, low, 0.0, {0.62, 0.32, 0.70}}}};
constexpr std::size_t left_letters = 4;  ///< to the left of the root

Implicit box(double x0, double x1, double z0, double z1) {
  return rounded_box({0.5 * (x0 + x1), 0.0, 0.5 * (z0 + z1)}, {0.5 * (x1 - x0), 0.5 * depth, 0.5 * (z1 - z0)},
                     rounding);
}

Implicit upright(double x) { return box(x, x + stroke, -0.5 * height, 0.5 * height); }

Implicit across(double x1, double z) { return box(0.0, x1, z - 0.5 * stroke, z + 0.5 * stroke); }

/// A stroke from corner to corner.
Implicit slanted(double width, double side) {
  const double angle = side * std::atan2(width - stroke, height - 0.4 * stroke);
  const Vector3 half(0.5 * stroke, 0.5 * depth, 0.5 * std::hypot(width - stroke, height) + 0.01);
  return rounded_box({0.5 * width, 0, 0}, half, rounding,
                     Eigen::AngleAxisd(angle, Vector3::UnitY()).toRotationMatrix());
}

/// Half of a ring that opens to the left, with straight ends back to the upright.
Implicit bow(double width, double z, double reach) {
  const double outer = 0.5 * reach, turn = width - outer;
  const Implicit ring =
      subtract(cylinder({turn, -0.5 * depth, z}, {turn, 0.5 * depth, z}, outer, rounding),
               cylinder({turn, -depth, z}, {turn, depth, z}, outer - 0.85 * stroke), rounding);
  const Implicit half = intersect(ring, half_space({turn, 0, 0}, {-1, 0, 0}));
  const double top = z + outer, bottom = z - outer, thin = 0.85 * stroke;
  return unite({half, box(0.0, turn + 0.04, top - thin, top), box(0.0, turn + 0.04, bottom, bottom + thin)},
               0.02);
}

/// From x = 0 to its width, centred on z = 0.
Implicit shape_of(const Letter& letter) {
  const double w = letter.width;
  std::vector<Implicit> strokes;
  if (letter.name != 'X') strokes.push_back(upright(0.0));
  if (letter.name == 'E' || letter.name == 'F') {
    strokes.push_back(across(w, high));
    strokes.push_back(across(0.86 * w, 0.0));
  }
  if (letter.name == 'E' || letter.name == 'L') strokes.push_back(across(w, low));
  if (letter.name == 'X') {
    strokes.push_back(slanted(w, 1.0));
    strokes.push_back(slanted(w, -1.0));
  }
  if (letter.name == 'B') {
    const double overlap = 0.5 * 0.85 * stroke, reach = 0.5 * height + overlap;
    strokes.push_back(bow(0.93 * w, 0.5 * (height - reach), reach));
    strokes.push_back(bow(w, -0.5 * (height - reach), reach));
  }
  return unite(std::move(strokes));
}

/// A letter that is held at one side; the site of the next link, if there is one, is at the other.
Part make_letter(const Letter& letter, bool held_right, bool last, const Executor& executor) {
  const Vector3 left(0.0, 0.0, letter.left), right(letter.width, 0.0, letter.right);
  BodyPlan plan;
  plan.solid = shape_of(letter);
  plan.regions = {{std::string(1, letter.name), elastic(4e6, 0.35, 200.0), {}}};
  plan.surfaces = {{std::string(1, letter.name), letter.color, plan.solid}};
  Part part = make_part(fmt::format("{} held {}", letter.name, held_right ? "right" : "left"), plan,
                        {.cell = cell, .render_cell = render_cell, .executor = executor});
  part.rank = letter_rank;
  part.fixed = site_near(part.mesh, held_right ? right : left, hold_radius).vertices;
  if (!last) part.sites.push_back(site_near(part.mesh, held_right ? left : right, hold_radius, "next"));
  return part;
}

/// A rod along x from 0 to its end with a collar in the middle.
Part make_link(bool root, const Executor& executor) {
  const double length = gap + 2.0 * bite;
  const Vector3 a(0, 0, 0), b(length, 0, 0), middle(0.5 * length, 0, 0);
  BodyPlan plan;
  plan.solid = unite(
      {cylinder(a, b, link_radius, 0.01),
       cylinder(middle - 0.03 * Vector3::UnitX(), middle + 0.03 * Vector3::UnitX(), 1.5 * link_radius, 0.01)},
      0.01);
  plan.regions = {{"link", elastic(1e9, 0.3, 400.0), {}}};
  plan.surfaces = {{"link", metal, plan.solid}};
  Part part = make_part(root ? "middle link" : "link", plan,
                        {.cell = link_cell, .render_cell = 0.4 * link_cell, .executor = executor});
  part.rigid = true;
  if (root) {
    part.sites.push_back(site_near(part.mesh, a, 1.2 * link_radius, "left"));
  } else {
    part.fixed = site_near(part.mesh, a, 1.2 * link_radius).vertices;
  }
  part.sites.push_back(site_near(part.mesh, b, 1.2 * link_radius, root ? "right" : "next"));
  return part;
}

}  // namespace

PartTree make_letters(const Executor& executor, const Progress& progress) {
  PartTree tree;
  tree.name = "letters";
  tree.free = true;
  tree.parts = {make_link(true, executor), make_link(false, executor)};
  for (std::size_t i = 0; i < word.size(); ++i) {
    report(progress, "letters", static_cast<double>(i) / static_cast<double>(word.size()));
    tree.parts.push_back(make_letter(word[i], i < left_letters, i == 0 || i + 1 == word.size(), executor));
  }
  report(progress, "letters", 1.0);

  Placement root;
  root.name = "link 0";
  root.position = {-bite, 0.0, word[left_letters - 1].right};
  tree.placements.push_back(root);
  const Eigen::Quaterniond reversed(Eigen::AngleAxisd(std::numbers::pi, Vector3::UnitZ()));
  for (const bool to_left : {true, false}) {
    double x = to_left ? 0.0 : gap;  // where the next letter begins
    int parent = 0, site = to_left ? 0 : 1;
    for (std::size_t step = 0; step < left_letters; ++step) {
      const std::size_t i = to_left ? left_letters - 1 - step : left_letters + step;
      const Letter& letter = word[i];
      Placement soft;
      soft.name = fmt::format("letter {} {}", i + 1, letter.name);
      soft.part = static_cast<int>(i) + 2;
      soft.parent = parent;
      soft.site = site;
      soft.position = {to_left ? x - letter.width : x, 0.0, 0.0};
      x += (to_left ? -1.0 : 1.0) * letter.width;
      tree.placements.push_back(soft);
      if (step + 1 == left_letters) break;
      Placement link;
      link.name = fmt::format("link {}{}", to_left ? "-" : "+", step + 1);
      link.part = 1;
      link.parent = static_cast<int>(tree.placements.size()) - 1;
      link.site = 0;
      link.position = {to_left ? x + bite : x - bite, 0.0, to_left ? letter.left : letter.right};
      if (to_left) link.rotation = reversed;
      x += (to_left ? -1.0 : 1.0) * gap;
      tree.placements.push_back(link);
      parent = static_cast<int>(tree.placements.size()) - 1;
      site = 0;
    }
  }
  return tree;
}

}  // namespace limber
