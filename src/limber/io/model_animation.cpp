#include "limber/base/error.hpp"
#include "limber/base/file.hpp"
#include "limber/io/clip_builder.hpp"
#include "limber/io/clip_file.hpp"
#include "limber/warp/rotation.hpp"

namespace limber {
namespace {

void check_motion(const BodyMotion& body, Index frames, std::string_view where) {
  require(body.surface != nullptr, "{}: the body '{}' has no surface", where, body.name);
  check_clip_surface(*body.surface, body.name, where);
  const Index rank = body.surface->basis.cols();
  require(body.coordinates.cols() == frames && body.coordinates.rows() <= rank,
          "{}: the motion of '{}' is {} x {}, expected at most {} coordinates x {} frames", where, body.name,
          body.coordinates.rows(), body.coordinates.cols(), rank, frames);
  require((body.coordinates.array().abs() < largest_clip_number).all(),
          "{}: the motion of '{}' has coordinates that are not finite or beyond 1e30", where, body.name);
  check_clip_up(body.up, body.name, where);
  require(body.frame.empty() || static_cast<Index>(body.frame.size()) == frames,
          "{}: the frame of '{}' has {} poses, expected none or {}, one per frame", where, body.name,
          body.frame.size(), frames);
  for (std::size_t f = 0; f < body.frame.size(); ++f) {
    const Pose& pose = body.frame[f];
    require((pose.position.array().abs() < largest_clip_number).all(),
            "{}: pose {} of '{}' is at ({}, {}, {}), expected finite numbers below 1e30", where, f, body.name,
            pose.position.x(), pose.position.y(), pose.position.z());
    require(is_unit(pose.rotation), "{}: pose {} of '{}' has a quaternion of length {}, expected 1", where, f,
            body.name, pose.rotation.norm());
  }
}

void add_body(ClipBuilder& clip, const BodyMotion& body) {
  const ClipEncoding encoding(body.coordinates.rowwise().minCoeff(), body.coordinates.rowwise().maxCoeff());
  const Matrix weights = encoding.weights(body.coordinates);
  const std::string name = body.name.empty() ? "body" : body.name;
  const int node = clip.add_node(clip.add_mesh(*body.surface, encoding, weights, name), name);
  clip.move(node, body.frame.empty() ? std::vector<Pose>(1) : body.frame, body.up);
  clip.deform(node, weights);
}

}  // namespace

std::string encode_animation(std::span<const double> times, std::span<const BodyMotion> bodies,
                             std::string_view where) {
  ClipBuilder clip(times, where);
  require(!bodies.empty(), "{}: a clip needs at least one body", where);
  for (const BodyMotion& body : bodies) {
    check_motion(body, clip.frame_count(), where);
    add_body(clip, body);
  }
  return clip.encode();
}

void write_animation(const std::filesystem::path& path, std::span<const double> times,
                     std::span<const BodyMotion> bodies) {
  write_file(path, encode_animation(times, bodies, path.string()),
             [](std::span<const std::string> contents) { check_clip(contents.front(), "its content"); });
}

}  // namespace limber
