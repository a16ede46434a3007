#include "entries.hpp"

#include "description.hpp"
#include "limber/base/error.hpp"

namespace limber::bindings {

Entry::Entry(Model model)
    : own(std::move(model)), text(describe(own)), triangles(triangle_domains(own.model())) {}

void WorldEntry::add(Entry& entry, const ContactMaterial& material) {
  require(entry.world == nullptr, "{} is in a world already; take it out first", entry.body().name());
  check_material(material, entry.own.name());
  entry.own.set_coupled(true);  // throws where it cannot touch, before anything has moved
  members.push_back(&entry);
  const Index number = world.add(std::move(entry.own));
  entry.world = this;
  try {
    world.set_contact(number, material);
  } catch (...) {
    remove(entry);
    throw;
  }
}

void WorldEntry::remove(Entry& entry) {
  const Index number = number_of(entry);
  entry.own = world.remove(number);
  members.erase(members.begin() + number);
  entry.world = nullptr;
}

/// A body that cannot leave, because its forces are not finite, lives on as it was in the world.
WorldEntry::~WorldEntry() {
  while (!members.empty()) {
    Entry& entry = *members.back();
    try {
      remove(entry);
    } catch (...) {
      entry.own = std::move(body_of(entry));
      entry.world = nullptr;
      members.pop_back();
    }
  }
}

Entry& find(int number) {
  const auto index = static_cast<std::size_t>(number) - 1;
  require(index < entries.size() && entries[index] != nullptr, "there is no body {}; it was disposed of",
          number);
  return *entries[index];
}

WorldEntry& find_world(int number) {
  const auto index = static_cast<std::size_t>(number) - 1;
  require(index < worlds.size() && worlds[index] != nullptr, "there is no world {}; it was disposed of",
          number);
  return *worlds[index];
}

}  // namespace limber::bindings
