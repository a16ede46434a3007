#pragma once

#include "limber/base/error.hpp"
#include "limber/io/joint_animation.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

/// Aborts unless motions are poses of finite numbers and unit quaternions at any time.
inline void check_motions(const limber::JointAnimation& animation) {
  const std::size_t count = std::min<std::size_t>(animation.joints.size(), 8);
  for (std::size_t j = 0; j < count; ++j) {
    for (const double share : {-1.0, 0.0, 0.3, 0.5, 1.0}) {
      const limber::Pose pose = animation.joints[j].motion(share * animation.duration);
      if (!pose.position.allFinite() || !(std::abs(pose.rotation.norm() - 1.0) < 1e-9)) std::abort();
    }
  }
}

/// Reading ends with motions or with an Error of one short line.
template <class Read>
void check_animation(const std::uint8_t* data, std::size_t size, const Read& read) {
  try {
    check_motions(read(std::string_view(reinterpret_cast<const char*>(data), size)));
  } catch (const limber::Error& error) {
    const std::string_view message = error.what();
    if (message.size() > 1000 || message.find('\n') != std::string_view::npos) std::abort();
  }
}
