#pragma once

#include "limber/linalg/packet.hpp"

namespace limber {

/// A number with its derivative along one direction: forward-mode differentiation of any template over
/// numbers. T is double or Packet. Comparisons look at the value alone.
template <class T>
struct Dual {
  T value{};
  T derivative{};

  Dual() = default;
  Dual(T v, T d) : value(v), derivative(d) {}
  Dual(T v) : value(v) {}  // NOLINT: constants convert, as they do for plain numbers

  Dual& operator+=(const Dual& b) { return *this = *this + b; }
  Dual& operator-=(const Dual& b) { return *this = *this - b; }
  Dual& operator*=(const Dual& b) { return *this = *this * b; }

  friend Dual operator-(const Dual& a) { return {-a.value, -a.derivative}; }
  friend Dual operator+(const Dual& a, const Dual& b) {
    return {a.value + b.value, a.derivative + b.derivative};
  }
  friend Dual operator-(const Dual& a, const Dual& b) {
    return {a.value - b.value, a.derivative - b.derivative};
  }
  friend Dual operator*(const Dual& a, const Dual& b) {
    return {a.value * b.value, a.value * b.derivative + a.derivative * b.value};
  }
  friend Dual operator/(const Dual& a, const Dual& b) {
    const T quotient = a.value / b.value;
    return {quotient, (a.derivative - quotient * b.derivative) / b.value};
  }
  friend Dual operator+(const Dual& a, double b) { return {a.value + b, a.derivative}; }
  friend Dual operator+(double a, const Dual& b) { return {a + b.value, b.derivative}; }
  friend Dual operator-(const Dual& a, double b) { return {a.value - b, a.derivative}; }
  friend Dual operator-(double a, const Dual& b) { return {a - b.value, -b.derivative}; }
  friend Dual operator*(double a, const Dual& b) { return {a * b.value, a * b.derivative}; }
  friend Dual operator*(const Dual& a, double b) { return b * a; }
  friend Dual operator/(double a, const Dual& b) {
    const T quotient = a / b.value;
    return {quotient, -quotient * b.derivative / b.value};
  }
  friend auto operator>(const Dual& a, double b) { return a.value > b; }
};

template <class T, class Mask>
Dual<T> select(Mask mask, const Dual<T>& yes, const Dual<T>& no) {
  return {select(mask, yes.value, no.value), select(mask, yes.derivative, no.derivative)};
}

template <class T>
Dual<T> log(const Dual<T>& x) {
  return {log(x.value), x.derivative / x.value};
}

}  // namespace limber
