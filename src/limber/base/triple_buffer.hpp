#pragma once

#include <array>
#include <atomic>

namespace limber {

/// Hands the newest value from one thread to another. Neither ever waits for the other: the writer always has
/// a slot of its own, the reader another, and the third lies between them. Values that the reader had no time
/// for are lost.
template <class Value>
class TripleBuffer {
 public:
  /// All three slots start as copies of a value, with the memory that later ones need.
  explicit TripleBuffer(const Value& start) : slots_{start, start, start} {}

  // Of the writer.

  [[nodiscard]] Value& writing() { return slots_[written_]; }  ///< holds an old value
  void publish() { written_ = between_.exchange(written_ | fresh, std::memory_order_acq_rel) & slot; }

  // Of the reader.

  /// Takes the newest value, if there is one that it has not seen.
  bool refresh() {
    if ((between_.load(std::memory_order_relaxed) & fresh) == 0) return false;
    read_ = between_.exchange(read_, std::memory_order_acq_rel) & slot;
    return true;
  }
  [[nodiscard]] const Value& reading() const { return slots_[read_]; }  ///< stays as it is until refresh()

 private:
  static constexpr unsigned slot = 3, fresh = 4;

  std::array<Value, 3> slots_;
  unsigned written_ = 0, read_ = 1;
  std::atomic<unsigned> between_{2};
};

}  // namespace limber
