#include "limber/bodies/station_pieces.hpp"
#include "limber/bodies/tree_plans.hpp"

#include <Eigen/Geometry>
#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <utility>
#include <vector>

// A space station about 55 m wide that flies freely: x forward, y to port, z up. Its core carries nodes with
// labs and capsules, and two trusses with radiators, dishes and booms, each of which spreads two solar
// panels.
//                                                                    [after Barbic & Zhao 2011, Figures 2 and 6]

namespace limber {
namespace {

/// The station as it grows.
class Station {
 public:
  Station() : pieces_(make_station_pieces()) { place({}, StationKind::core); }

  /// Puts a piece at a site of its parent, along a direction in the parent's coordinates; `up`: its own z, as
  /// far as that is orthogonal. Returns its number.
  int attach(StationKind kind, int parent, std::string_view site, const Vector3& along, const Vector3& up) {
    const Placement& to = placements_[static_cast<std::size_t>(parent)];
    const StationPiece& carrier = pieces_[static_cast<std::size_t>(to.part)];
    const auto found = std::find_if(carrier.part.sites.begin(), carrier.part.sites.end(),
                                    [&](const AttachmentSite& one) { return one.name == site; });
    const auto number = found - carrier.part.sites.begin();
    Matrix3 axes;
    axes.col(0) = along.normalized();
    axes.col(1) = up.cross(axes.col(0)).normalized();
    axes.col(2) = axes.col(0).cross(axes.col(1));
    Placement placement;
    placement.parent = parent;
    placement.site = static_cast<int>(number);
    placement.position = to.position + to.rotation * carrier.places[static_cast<std::size_t>(number)];
    placement.rotation = to.rotation * Eigen::Quaterniond(axes);
    return place(std::move(placement), kind);
  }

  [[nodiscard]] PartTree finished() && {
    PartTree tree;
    tree.name = "station";
    tree.free = true;
    for (StationPiece& piece : pieces_) tree.parts.push_back(std::move(piece.part));
    tree.placements = std::move(placements_);
    return tree;
  }

 private:
  int place(Placement placement, StationKind kind) {
    placement.part = static_cast<int>(kind);
    const auto uses = std::count_if(placements_.begin(), placements_.end(),
                                    [&](const Placement& other) { return other.part == placement.part; });
    placement.name =
        fmt::format("{} {}", pieces_[static_cast<std::size_t>(placement.part)].part.name, uses + 1);
    placements_.push_back(std::move(placement));
    return static_cast<int>(placements_.size()) - 1;
  }

  std::vector<StationPiece> pieces_;
  std::vector<Placement> placements_;
};

}  // namespace

PartTree make_station() {
  using enum StationKind;
  const Vector3 x = Vector3::UnitX(), y = Vector3::UnitY(), z = Vector3::UnitZ();
  Station station;
  station.attach(mast, 0, "top", z, y);
  for (const bool fore : {true, false}) {
    const int hub = station.attach(node, 0, fore ? "fore" : "aft", fore ? x : Vector3(-x), z);
    station.attach(mast, hub, "top", z, y);
    const int ship = station.attach(capsule, hub, "end", x, z);
    for (const bool left : {true, false}) {
      const Vector3 side = left ? y : Vector3(-y);
      station.attach(lab, hub, left ? "left" : "right", side, z);
      station.attach(wing, ship, left ? "left" : "right", side, z);
    }
  }
  for (const bool port : {true, false}) {
    const int arm = station.attach(truss, 0, port ? "port" : "starboard", port ? y : Vector3(-y), z);
    station.attach(dish, arm, "top", z, y);
    for (const bool left : {true, false}) {
      const Vector3 side = left ? y : Vector3(-y);
      station.attach(radiator, arm, left ? "radiator left" : "radiator right", side + 1.2 * z, x);
      for (const std::string_view place : {"inner", "outer"}) {
        const int bar =
            station.attach(boom, arm, fmt::format("{} {}", left ? "left" : "right", place), side, z);
        station.attach(panel, bar, "left", x, z);
        station.attach(panel, bar, "right", x, z);
      }
    }
  }
  return std::move(station).finished();
}

}  // namespace limber
