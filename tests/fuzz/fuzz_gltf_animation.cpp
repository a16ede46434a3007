// Whatever bytes a glTF file holds, reading its animation ends with motions or with an Error of one short
// line; a motion is a pose of finite numbers and a unit quaternion at any time, or such an Error.
#include "limber/base/error.hpp"
#include "limber/io/gltf_animation.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

namespace {

void check_motions(const limber::JointAnimation& animation) {
  const std::size_t count = std::min<std::size_t>(animation.joints.size(), 8);
  for (std::size_t j = 0; j < count; ++j) {
    for (const double share : {-1.0, 0.0, 0.3, 0.5, 1.0}) {
      const limber::Pose pose = animation.joints[j].motion(share * animation.duration);
      if (!pose.position.allFinite() || !(std::abs(pose.rotation.norm() - 1.0) < 1e-9)) std::abort();
    }
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view content(reinterpret_cast<const char*>(data), size);
  try {
    check_motions(limber::parse_gltf_animation(content, "fuzz.glb"));
  } catch (const limber::Error& error) {
    const std::string_view message = error.what();
    if (message.size() > 1000 || message.find('\n') != std::string_view::npos) std::abort();
  }
  return 0;
}
