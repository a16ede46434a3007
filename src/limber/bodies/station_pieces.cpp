#include "limber/bodies/station_pieces.hpp"

#include "limber/bodies/plan.hpp"
#include "limber/bodies/triangles.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <numbers>
#include <string>
#include <string_view>
#include <utility>

// Pieces are simulated as bricks, softer than real ones, and drawn as what they are.

namespace limber {
namespace {

const Vector3 white(0.90, 0.91, 0.93), grey(0.52, 0.55, 0.60), dark(0.24, 0.26, 0.30), gold(0.86, 0.66, 0.26),
    blue(0.11, 0.19, 0.47), red(0.80, 0.22, 0.18);

constexpr double core_half = 5.0, core_radius = 2.2;          ///< m
constexpr double node_length = 4.0, node_radius = 1.7;        ///< m
constexpr double lab_length = 7.0, lab_radius = 1.9;          ///< m
constexpr double truss_length = 24.0, truss_half = 1.0;       ///< m
constexpr double truss_cell = 0.5;                            ///< m
constexpr int truss_bay = 6;                                  ///< cells from frame to frame
constexpr double boom_cell = 0.3, boom_foot = 2.1;            ///< m
constexpr double boom_half = 2.7, boom_length = 16.5;         ///< half its width, m
constexpr double panel_length = 14.0, panel_half = 1.8;       ///< m
constexpr double panel_side = 2.4;                            ///< distance of its middle from the boom, m
constexpr int panel_columns = 40;                             ///< of cells
constexpr double wing_length = 5.0, wing_half = 0.8;          ///< of a capsule, m
constexpr double radiator_length = 6.5, radiator_half = 1.2;  ///< m
constexpr double capsule_length = 4.2, capsule_radius = 1.3;  ///< m
constexpr double dish_stem = 1.8, dish_radius = 1.8;          ///< m
constexpr double mast_length = 6.0;                           ///< m

/// Lattice of bricks: cells of one size from a corner on.
struct Lattice {
  Vector3 low, cell;       ///< m
  Eigen::Vector3i counts;  ///< of cells
};

/// A lattice along x that is centred on it.
Lattice lattice_along_x(double from, double to, double half_y, double half_z, const Eigen::Vector3i& counts) {
  const Vector3 low(from, -half_y, -half_z), size(to - from, 2.0 * half_y, 2.0 * half_z);
  return {low, size.cwiseQuotient(counts.cast<double>()), counts};
}

/// The cells that a function of their centre takes.
VolumeMesh make_bricks(const Lattice& lattice, const std::function<bool(const Vector3&)>& inside) {
  const Eigen::Vector3i n = lattice.counts;
  std::vector<int> number(static_cast<std::size_t>((n.array() + 1).prod()), -1);
  std::vector<Vector3> vertices;
  std::vector<int> corners;  // 8 per brick
  const auto vertex = [&](int i, int j, int k) {
    int& v = number[static_cast<std::size_t>((i * (n.y() + 1) + j) * (n.z() + 1) + k)];
    if (v < 0) {
      v = static_cast<int>(vertices.size());
      vertices.push_back(lattice.low + lattice.cell.cwiseProduct(Vector3(i, j, k)));
    }
    return v;
  };
  for (int i = 0; i < n.x(); ++i) {
    for (int j = 0; j < n.y(); ++j) {
      for (int k = 0; k < n.z(); ++k) {
        if (!inside(lattice.low + lattice.cell.cwiseProduct(Vector3(i + 0.5, j + 0.5, k + 0.5)))) continue;
        for (const int up : {0, 1}) {
          corners.insert(corners.end(), {vertex(i, j, k + up), vertex(i + 1, j, k + up),
                                         vertex(i + 1, j + 1, k + up), vertex(i, j + 1, k + up)});
        }
      }
    }
  }
  VolumeMesh mesh;
  mesh.kind = ElementKind::brick;
  mesh.regions = {{1, ""}};
  mesh.vertices.resize(3, static_cast<Index>(vertices.size()));
  for (std::size_t v = 0; v < vertices.size(); ++v) mesh.vertices.col(static_cast<Index>(v)) = vertices[v];
  mesh.elements =
      Eigen::Map<const Eigen::MatrixXi>(corners.data(), 8, static_cast<Index>(corners.size() / 8));
  mesh.region.assign(corners.size() / 8, 0);
  return mesh;
}

/// A piece of what is drawn, in one colour.
struct Drawn {
  std::string name;
  Vector3 color;
  std::vector<SurfaceMesh> pieces;
};

StationPiece make_piece(std::string name, VolumeMesh mesh, const Material& material, int rank,
                        const std::vector<Drawn>& drawn) {
  Part part;
  part.name = std::move(name);
  part.mesh = std::move(mesh);
  part.mesh.regions.front().name = part.name;
  part.materials = {material};
  part.rank = rank;
  for (int v = 0; v < part.mesh.vertex_count(); ++v) {
    if (std::abs(part.mesh.vertices(0, v)) < 1e-9) part.fixed.push_back(v);
  }
  std::vector<SurfaceMesh> surfaces;
  for (std::size_t i = 0; i < drawn.size(); ++i) {
    surfaces.push_back(joined(drawn[i].pieces));
    part.render.part.resize(
        part.render.part.size() + static_cast<std::size_t>(surfaces.back().triangle_count()),
        static_cast<int>(i));
    part.render.parts.push_back(drawn[i].name);
    part.colors.push_back(drawn[i].color);
  }
  SurfaceMesh all = joined(surfaces);
  part.render.vertices = std::move(all.vertices);
  part.render.triangles = std::move(all.triangles);
  return {std::move(part), {}};
}

void add_site(StationPiece& piece, std::string name, const Vector3& place, double radius) {
  piece.part.sites.push_back(site_near(piece.part.mesh, place, radius, std::move(name)));
  piece.places.push_back(place);
}

/// A body of revolution about x. outline: x, radius.
SurfaceMesh turned_about_x(std::vector<Eigen::Vector2d> outline, int segments = 40) {
  for (Eigen::Vector2d& point : outline) point = Eigen::Vector2d(point.y(), point.x());
  Matrix3 frame;
  frame << 0, 0, 1, 1, 0, 0, 0, 1, 0;
  return revolved_surface(outline, Vector3::Zero(), frame, segments);
}

/// A hull with bevelled ends.
SurfaceMesh hull(double from, double to, double radius) {
  const double neck = 0.55 * radius, bevel = 0.35 * radius;
  std::vector<Eigen::Vector2d> outline{{from, 0.0}, {from, neck}, {from + bevel, radius}};
  constexpr int rings = 10;
  for (int i = 1; i < rings; ++i) {
    outline.emplace_back(from + bevel + (to - from - 2.0 * bevel) * i / rings, radius);
  }
  outline.insert(outline.end(), {{to - bevel, radius}, {to, neck}, {to, 0.0}});
  return turned_about_x(std::move(outline));
}

SurfaceMesh band(double at, double width, double radius) {
  return turned_about_x({{at - 0.5 * width, 0.9 * radius},
                         {at - 0.5 * width, radius},
                         {at + 0.5 * width, radius},
                         {at + 0.5 * width, 0.9 * radius}});
}

/// A round window or hatch cover on the side of a hull.
SurfaceMesh disc(const Vector3& center, const Vector3& normal, double radius, double thickness) {
  return cylinder_surface(center - 0.5 * thickness * normal, center + 0.5 * thickness * normal, radius, 24);
}

/// Walls two cells thick around a cylinder's hollow inside.
VolumeMesh hull_bricks(double from, double to, double radius, int along, int across) {
  const Lattice lattice = lattice_along_x(from, to, radius, radius, {along, across, across});
  const double wall = 2.0 * lattice.cell.y(), ends = lattice.cell.x();
  return make_bricks(lattice, [=](const Vector3& x) {
    const double r = std::hypot(x.y(), x.z());
    const bool end = x.x() < from + ends || x.x() > to - ends;
    return r < radius + 0.1 * wall && (end || r > radius - wall);
  });
}

Material soft(double young, double density) { return elastic(young, 0.3, density); }

StationPiece make_core() {
  const double r = core_radius;
  StationPiece piece = make_piece(
      "core", hull_bricks(-core_half, core_half, r, 20, 10), soft(6e7, 150.0), 24,
      {{"hull", white, {hull(-core_half, core_half, r)}},
       {"bands", grey, {band(-3.4, 0.5, 1.02 * r), band(0.0, 2.4, 1.02 * r), band(3.4, 0.5, 1.02 * r)}},
       {"hatches",
        gold,
        {disc({0, r, 0}, Vector3::UnitY(), 1.1, 0.3), disc({0, -r, 0}, Vector3::UnitY(), 1.1, 0.3)}}});
  piece.part.fixed.clear();
  add_site(piece, "port", {0, r, 0}, 1.1);
  add_site(piece, "starboard", {0, -r, 0}, 1.1);
  add_site(piece, "fore", {core_half, 0, 0}, 1.1);
  add_site(piece, "aft", {-core_half, 0, 0}, 1.1);
  add_site(piece, "top", {2.0, 0, r}, 0.6);
  return piece;
}

StationPiece make_node() {
  const double r = node_radius, mid = 0.5 * node_length;
  StationPiece piece = make_piece(
      "node", hull_bricks(0.0, node_length, r, 10, 8), soft(4e7, 150.0), 18,
      {{"hull", white, {hull(0.0, node_length, r)}},
       {"bands", gold, {band(0.9, 0.25, 1.02 * r), band(node_length - 0.9, 0.25, 1.02 * r)}},
       {"hatches",
        grey,
        {disc({mid, r, 0}, Vector3::UnitY(), 0.9, 0.4), disc({mid, -r, 0}, Vector3::UnitY(), 0.9, 0.4)}}});
  add_site(piece, "left", {mid, r, 0}, 1.0);
  add_site(piece, "right", {mid, -r, 0}, 1.0);
  add_site(piece, "end", {node_length, 0, 0}, 0.9);
  add_site(piece, "top", {mid, 0, r}, 0.6);
  return piece;
}

StationPiece make_lab() {
  const double r = lab_radius;
  std::vector<SurfaceMesh> windows;
  for (int i = 0; i < 4; ++i) windows.push_back(disc({1.9 + 1.05 * i, 0, r}, Vector3::UnitZ(), 0.32, 0.12));
  return make_piece("lab", hull_bricks(0.0, lab_length, r, 14, 8), soft(4e7, 150.0), 18,
                    {{"hull", white, {hull(0.0, lab_length, r)}},
                     {"bands", grey, {band(1.0, 0.35, 1.02 * r), band(lab_length - 1.0, 0.35, 1.02 * r)}},
                     {"windows", dark, windows}});
}

StationPiece make_capsule() {
  const double r = capsule_radius, length = capsule_length;
  const Lattice lattice = lattice_along_x(0.0, length, r, r, {12, 8, 8});
  const auto radius_at = [=](double x) {
    return x < 0.45 * length ? r : r * (1.0 - 0.60 * (x / length - 0.45) / 0.55);
  };
  const SurfaceMesh nose = turned_about_x({{0.45 * length, 0.0},
                                           {0.45 * length, r},
                                           {0.70 * length, radius_at(0.70 * length)},
                                           {0.97 * length, radius_at(0.97 * length)},
                                           {length, 0.3 * r},
                                           {length, 0.0}});
  const SurfaceMesh rear = turned_about_x(
      {{0.0, 0.0}, {0.0, 0.7 * r}, {0.08 * length, r}, {0.45 * length, r}, {0.45 * length, 0.0}});
  StationPiece piece = make_piece(
      "capsule",
      make_bricks(lattice,
                  [=](const Vector3& x) { return std::hypot(x.y(), x.z()) < radius_at(x.x()) + 0.1 * r; }),
      soft(1.5e7, 150.0), 18,
      {{"nose", dark, {nose}},
       {"rear", white, {rear}},
       {"band", gold, {band(0.40 * length, 0.3, 1.02 * r)}}});
  add_site(piece, "left", {0.2 * length, r, 0}, 0.5);
  add_site(piece, "right", {0.2 * length, -r, 0}, 0.5);
  return piece;
}

/// Four longerons and a square frame at every bay, drawn with diagonals.
StationPiece make_truss() {
  const int cells = static_cast<int>(truss_length / truss_cell), across = 4;
  const double axis = truss_half - 0.5 * truss_cell;  // where the longerons run
  const Lattice lattice = lattice_along_x(0.0, truss_length, truss_half, truss_half, {cells, across, across});
  const auto at_frame = [=](double x) {
    const int i = static_cast<int>(x / truss_cell);
    return i % truss_bay == 0 || i == cells - 1;
  };
  VolumeMesh mesh = make_bricks(lattice, [=](const Vector3& x) {
    const bool outer_y = std::abs(x.y()) > axis - 1e-6, outer_z = std::abs(x.z()) > axis - 1e-6;
    return (outer_y && outer_z) || ((outer_y || outer_z) && at_frame(x.x()));
  });
  std::vector<Bar> longerons, battens, diagonals;
  std::vector<double> frames;
  for (int i = 0; i < cells; i += truss_bay) frames.push_back((i + 0.5) * truss_cell);
  frames.push_back(truss_length - 0.5 * truss_cell);
  const auto corner = [=](std::size_t k) {
    return Vector3(0.0, k == 0 || k == 3 ? axis : -axis, k < 2 ? axis : -axis);
  };
  for (std::size_t k = 0; k < 4; ++k) {
    const Vector3 a = corner(k), b = corner((k + 1) % 4);
    const Vector3 across_up = Vector3::UnitX();
    for (std::size_t f = 0; f < frames.size(); ++f) {
      const Vector3 x = frames[f] * Vector3::UnitX();
      battens.push_back({x + a, x + b, 0.16, 0.16, across_up});
      if (f + 1 == frames.size()) continue;
      const Vector3 next = frames[f + 1] * Vector3::UnitX();
      const bool flip = (f + k) % 2 == 0;
      diagonals.push_back({x + (flip ? a : b), next + (flip ? b : a), 0.10, 0.10, a + b});
    }
    std::vector<double> ends{0.0};
    for (int i = truss_bay / 2; i < cells; i += truss_bay / 2) ends.push_back((i + 0.5) * truss_cell);
    ends.push_back(truss_length);
    for (std::size_t i = 0; i + 1 < ends.size(); ++i) {
      longerons.push_back({ends[i] * Vector3::UnitX() + a, ends[i + 1] * Vector3::UnitX() + a, 0.24, 0.24});
    }
  }
  StationPiece piece = make_piece("truss", std::move(mesh), soft(1.2e9, 120.0), 30,
                                  {{"longerons", white, {bar_surface(longerons)}},
                                   {"battens", grey, {bar_surface(battens)}},
                                   {"diagonals", gold, {bar_surface(diagonals)}}});
  const auto frame = [](int bay) { return (truss_bay * bay + 0.5) * truss_cell; };
  for (const double side : {1.0, -1.0}) {
    const std::string_view word = side > 0.0 ? "left" : "right";
    add_site(piece, fmt::format("{} inner", word), {frame(4), side * truss_half, 0}, 0.9);
    add_site(piece, fmt::format("{} outer", word), {frame(7), side * truss_half, 0}, 0.9);
    add_site(piece, fmt::format("radiator {}", word), {frame(2), side * truss_half, 0}, 0.9);
  }
  add_site(piece, "top", {frame(3), 0, truss_half}, 0.9);
  return piece;
}

/// A foot, a bar across it that carries two panels, and a long mast between these.
StationPiece make_boom() {
  const double h = boom_cell;
  const Lattice lattice = lattice_along_x(0.0, boom_length, boom_half, h, {55, 18, 2});
  VolumeMesh mesh = make_bricks(lattice, [=](const Vector3& x) {
    return std::abs(x.y()) < h || (x.x() > boom_foot - 2.0 * h && x.x() < boom_foot);
  });
  std::vector<Bar> bars;
  constexpr int pieces = 24;
  for (int i = 0; i < pieces; ++i) {
    const double step = (boom_length - boom_foot) / pieces, from = boom_foot + i * step;
    bars.push_back({{from, 0, 0}, {from + step, 0, 0}, 0.22, 0.22});
    if (i % 2 == 1) bars.push_back({{from, 0, 0}, {from + 0.15, 0, 0}, 0.40, 0.40});
  }
  const double across = boom_foot - h;
  const std::array<Bar, 2> cross{{{{across, -boom_half, 0}, {across, 0, 0}, 0.42, 0.42},
                                  {{across, 0, 0}, {across, boom_half, 0}, 0.42, 0.42}}};
  StationPiece piece =
      make_piece("boom", std::move(mesh), soft(5e8, 60.0), 18,
                 {{"foot", gold, {cylinder_surface({0, 0, 0}, {boom_foot - 0.4, 0, 0}, 0.30, 20)}},
                  {"bar", white, {bar_surface(cross)}},
                  {"mast", grey, {bar_surface(bars)}}});
  add_site(piece, "left", {boom_foot, panel_side, 0}, 0.5);
  add_site(piece, "right", {boom_foot, -panel_side, 0}, 0.5);
  return piece;
}

struct Sail {
  double length, half;  ///< m
  int columns, rows;    ///< of bricks
  double thickness;     ///< as simulated, m
  int drawn_columns, drawn_rows;
  double neck;  ///< half its width where it is held, m
};

/// A flat panel that is held at a neck.
VolumeMesh sail_bricks(const Sail& sail) {
  const Lattice lattice =
      lattice_along_x(0.0, sail.length, sail.half, 0.5 * sail.thickness, {sail.columns, sail.rows, 1});
  return make_bricks(
      lattice, [=](const Vector3& x) { return x.x() > lattice.cell.x() || std::abs(x.y()) < sail.neck; });
}

/// Plates in rows and columns with gaps between them, on thin bars.
std::vector<Drawn> drawn_sail(const Sail& sail, const Vector3& plate, const Vector3& frame) {
  const double start = sail.length / sail.columns;
  const double dx = (sail.length - start) / sail.drawn_columns, dy = 2.0 * sail.half / sail.drawn_rows;
  std::vector<Bar> plates, bars;
  for (int i = 0; i < sail.drawn_columns; ++i) {
    const double x = start + i * dx;
    for (int j = 0; j < sail.drawn_rows; ++j) {
      const double y = -sail.half + (j + 0.5) * dy;
      plates.push_back({{x + 0.04 * dx, y, 0}, {x + 0.96 * dx, y, 0}, 0.93 * dy, 0.06});
    }
    for (int j = 0; j <= sail.drawn_rows; ++j) {
      const double y = std::clamp(-sail.half + j * dy, -sail.half + 0.04, sail.half - 0.04);
      bars.push_back({{x, y, 0}, {x + dx, y, 0}, 0.08, 0.09});
    }
  }
  for (int j = 0; j < sail.drawn_rows; ++j) {
    for (int i = 0; i <= sail.drawn_columns; ++i) {
      const double x = start + i * dx, y = -sail.half + j * dy;
      bars.push_back({{x, y, 0}, {x, y + dy, 0}, 0.06, 0.09});
    }
  }
  bars.push_back({{0, 0, 0}, {start, 0, 0}, 1.4 * sail.neck, 0.12});
  return {{"plates", plate, {bar_surface(plates)}}, {"frame", frame, {bar_surface(bars)}}};
}

StationPiece make_panel() {
  const Sail sail{panel_length, panel_half, panel_columns, 10, 0.16, 13, 4, 0.4};
  return make_piece("panel", sail_bricks(sail), soft(4e8, 40.0), 20, drawn_sail(sail, blue, gold));
}

StationPiece make_wing() {
  const Sail sail{wing_length, wing_half, 20, 6, 0.12, 6, 2, 0.3};
  return make_piece("wing", sail_bricks(sail), soft(6e7, 40.0), 16, drawn_sail(sail, blue, white));
}

StationPiece make_radiator() {
  const Sail sail{radiator_length, radiator_half, 26, 10, 0.16, 7, 1, 0.4};
  return make_piece("radiator", sail_bricks(sail), soft(6e7, 40.0), 20, drawn_sail(sail, white, grey));
}

/// A bowl on a stem that looks along +x, with a horn before it.
StationPiece make_dish() {
  const double depth = 0.8, feed = 1.3;
  const auto bowl = [=](double r) { return dish_stem + depth * r * r / (dish_radius * dish_radius); };
  const Lattice lattice = lattice_along_x(0.0, dish_stem + 1.4, 2.0, 2.0, {16, 20, 20});
  VolumeMesh mesh = make_bricks(lattice, [=](const Vector3& x) {
    const double r = std::hypot(x.y(), x.z());
    if (r < 0.3) return true;
    return r < dish_radius + 0.05 && std::abs(x.x() - bowl(r)) < 0.26;
  });
  std::vector<Eigen::Vector2d> outline;
  constexpr int rings = 10;
  for (int i = 0; i <= rings; ++i)
    outline.emplace_back(bowl(dish_radius * i / rings) - 0.06, dish_radius * i / rings);
  for (int i = rings; i >= 0; --i)
    outline.emplace_back(bowl(dish_radius * i / rings) + 0.03, dish_radius * i / rings);
  std::vector<Bar> struts;
  for (int i = 0; i < 3; ++i) {
    const double angle = 2.0 * std::numbers::pi * i / 3.0, r = 0.55 * dish_radius;
    const Vector3 side(0.0, std::cos(angle), std::sin(angle));
    struts.push_back(
        {bowl(r) * Vector3::UnitX() + r * side, (dish_stem + feed) * Vector3::UnitX(), 0.05, 0.05, side});
  }
  const SurfaceMesh horn = sphere_surface({dish_stem + feed, 0, 0}, 0.16, 16);
  return make_piece(
      "dish", std::move(mesh), soft(8e7, 60.0), 20,
      {{"bowl", white, {turned_about_x(outline)}},
       {"stem", grey, {cylinder_surface({0, 0, 0}, {dish_stem, 0, 0}, 0.18, 16), bar_surface(struts)}},
       {"horn", red, {horn}}});
}

StationPiece make_mast() {
  const double half = 0.15;
  const Lattice lattice = lattice_along_x(0.0, mast_length, half, half, {40, 2, 2});
  std::vector<TubePoint> path;
  for (int i = 0; i <= 12; ++i) path.push_back({{mast_length * i / 12.0, 0, 0}, 0.11 - 0.006 * i});
  const SurfaceMesh tip = sphere_surface({mast_length - 0.05, 0, 0}, 0.15, 14);
  return make_piece("mast", make_bricks(lattice, [](const Vector3&) { return true; }), soft(1e8, 60.0), 15,
                    {{"rod", grey, {tube_surface(path, 10, Vector3::UnitZ())}}, {"tip", red, {tip}}});
}

}  // namespace

std::vector<StationPiece> make_station_pieces() {
  std::vector<StationPiece> pieces;
  for (const auto make : {make_core, make_node, make_lab, make_capsule, make_wing, make_truss, make_boom,
                          make_panel, make_radiator, make_dish, make_mast}) {
    pieces.push_back(make());
  }
  return pieces;
}

}  // namespace limber
