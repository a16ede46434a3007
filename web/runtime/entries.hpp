#pragma once

#include "exchange.hpp"
#include "limber/body/world.hpp"

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

namespace limber::bindings {

struct Entry;

/// A world, and the memory that it exchanges arrays through.
struct WorldEntry {
  WorldEntry() = default;
  WorldEntry(const WorldEntry&) = delete;
  WorldEntry& operator=(const WorldEntry&) = delete;
  ~WorldEntry();

  [[nodiscard]] Index number_of(const Entry& entry) const {
    return std::find(members.begin(), members.end(), &entry) - members.begin();
  }
  [[nodiscard]] Body& body_of(const Entry& entry) { return world.body(number_of(entry)); }
  void add(Entry& entry, const ContactMaterial& material);
  void remove(Entry& entry);

  World world;
  std::vector<Entry*> members;  ///< body i of the world is that of members[i]
  double last_step = 0.0;       ///< s; 0: there was none
  std::vector<double> room, numbers;
  std::string saved;  ///< its state as it was last saved
};

/// A body, and the memory that it exchanges arrays through.
struct Entry {
  explicit Entry(Model model);
  /// Of a copy of its body, which is in no world.
  Entry(const Entry& other) : own(other.body()), text(other.text), triangles(other.triangles) {
    own.set_coupled(false);
  }

  [[nodiscard]] Body& body() { return world != nullptr ? world->body_of(*this) : own; }
  [[nodiscard]] const Body& body() const { return world != nullptr ? world->body_of(*this) : own; }

  Body own;                     ///< while it is in no world
  WorldEntry* world = nullptr;  ///< that has it
  std::string text;             ///< what it is, in JSON
  std::string saved;            ///< its state as it was last saved
  std::vector<int> triangles;   ///< the domain of each
  std::vector<double> room;     ///< for what JavaScript writes
  Vector numbers;               ///< for what it reads
  Eigen::Matrix3Xf positions;
};

inline std::vector<std::unique_ptr<WorldEntry>> worlds;  ///< numbered as bodies are
/// Body number i is entries[i - 1]; null where it was released.
inline std::vector<std::unique_ptr<Entry>> entries;

/// Throw Error where there is none of that number.
Entry& find(int number);
WorldEntry& find_world(int number);

/// The number that a body or a world has from now on.
template <class Item>
int keep(std::unique_ptr<Item> item, std::vector<std::unique_ptr<Item>>& items) {
  auto slot = std::find(items.begin(), items.end(), nullptr);
  if (slot == items.end()) slot = items.insert(slot, nullptr);
  *slot = std::move(item);
  return static_cast<int>(slot - items.begin()) + 1;
}

/// The same with the body of a number.
template <class Action>
bool with(int number, const Action& action) {
  return guarded([&] { action(find(number).body()); });
}

/// One item for each record of so many numbers.
template <class Read>
auto records(const Entry& entry, std::size_t size, const Read& read) {
  std::vector<decltype(read(entry.room.data()))> result;
  for (std::size_t i = 0; i + size <= entry.room.size(); i += size) result.push_back(read(&entry.room[i]));
  return result;
}

}  // namespace limber::bindings
