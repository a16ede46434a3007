#pragma once

// How functions and numbers go to JavaScript and back.
//
// Nothing is thrown across the boundary. Functions return whether they succeeded; limber_message() then says
// why not, and numbers that they give back are in limber_results(). Lists come in as doubles, in the room of
// a body or a world. Addresses are valid until the next call.

#include "limber/warp/pose.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <new>
#include <stdexcept>

namespace limber::bindings {

inline std::array<char, 1024> message{};
inline std::array<double, 16> results{};

/// Longer texts are cut. Allocates nothing: it may be about memory.
void set_message(const char* text);

/// Runs what may throw. Whether it did not.
template <class Action>
bool guarded(const Action& action) {
  constexpr const char* no_memory = "not enough memory; WebAssembly has 4 GB at most";
  try {
    action();
    return true;
  } catch (const std::bad_alloc&) {
    set_message(no_memory);
  } catch (const std::length_error&) {  // of a standard container that would need more than half of it
    set_message(no_memory);
  } catch (const std::exception& error) {
    set_message(error.what());
  }
  return false;
}

// What goes to JavaScript.

template <class... Numbers>
void give(Numbers... numbers) {
  results = {static_cast<double>(numbers)...};
}
template <class... Vectors>
void give_vectors(const Vectors&... vectors) {
  std::size_t i = 0;
  const auto append = [&](const auto& vector) {
    for (const double x : vector) results[i++] = x;
  };
  (append(vectors), ...);
}
inline double address_of(const void* data) {
  return static_cast<double>(reinterpret_cast<std::uintptr_t>(data));
}
template <class Container>
void give_array(const Container& values) {
  give(address_of(values.data()), values.size());
}
inline void give_nothing() { give(0, 0); }

// What comes from there.

inline Vector3 vector_at(const double* numbers) { return {numbers[0], numbers[1], numbers[2]}; }
inline Eigen::Quaterniond quaternion_at(const double* numbers) {
  return Eigen::Quaterniond(numbers);
}  ///< x, y, z, w

}  // namespace limber::bindings
