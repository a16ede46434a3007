#pragma once

#include <cstdint>
#include <vector>

namespace limber {

/// A hash table from 64-bit keys to ints, for lattices: several times faster than std::unordered_map because
/// everything lies in one array. Keys are never removed; the key 2^64 - 1 is not allowed.
class FlatMap {
 public:
  FlatMap() : slots_(16) {}

  /// The value of a key, or -1.
  [[nodiscard]] int find(std::uint64_t key) const {
    const Slot& slot = slots_[position(key)];
    return slot.key == key ? slot.value : -1;
  }

  /// The value of a key; one that is new gets `value`.
  int insert(std::uint64_t key, int value) {
    if (2 * (size_ + 1) > slots_.size()) grow();
    Slot& slot = slots_[position(key)];
    if (slot.key != key) {
      slot = {key, value};
      ++size_;
    }
    return slot.value;
  }

  /// Changes the value of a key that is there.
  void set(std::uint64_t key, int value) { slots_[position(key)].value = value; }

  [[nodiscard]] std::size_t size() const { return size_; }

 private:
  static constexpr std::uint64_t free_key = ~std::uint64_t{0};
  struct Slot {
    std::uint64_t key = free_key;
    int value = -1;
  };

  /// Slot of the key, or the free one where it belongs.
  [[nodiscard]] std::size_t position(std::uint64_t key) const {
    std::uint64_t hash =
        (key ^ (key >> 32)) * 0x9e3779b97f4a7c15ULL;  // keys of neighbours differ in few bits
    hash ^= hash >> 29;
    const std::size_t mask = slots_.size() - 1;
    std::size_t slot = hash & mask;
    while (slots_[slot].key != key && slots_[slot].key != free_key) slot = (slot + 1) & mask;
    return slot;
  }

  void grow() {
    std::vector<Slot> old(2 * slots_.size());
    old.swap(slots_);
    for (const Slot& slot : old) {
      if (slot.key != free_key) slots_[position(slot.key)] = slot;
    }
  }

  std::vector<Slot> slots_;
  std::size_t size_ = 0;
};

}  // namespace limber
