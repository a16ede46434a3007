#pragma once

#include "limber/linalg/types.hpp"

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

namespace limber {

/// Frames of equal size, appended one after the other: the last ones in memory, those before in a file, so
/// that a long motion takes little memory and a checkpoint need not repeat it. The bytes in the file are
/// those of this machine.
class FrameStore {
 public:
  /// file: where frames go, made when the first ones do; empty: all stay in memory.
  FrameStore(std::size_t frame_bytes, std::filesystem::path file);
  ~FrameStore();
  FrameStore(const FrameStore&) = delete;
  FrameStore& operator=(const FrameStore&) = delete;

  /// Keeps a frame. Where much has come together it goes to the file; where that fails it stays in memory.
  void add(std::string_view frame);
  [[nodiscard]] Index count() const { return stored_ + static_cast<Index>(memory_.size() / frame_bytes_); }
  [[nodiscard]] std::uint64_t hash() const { return hash_; }  ///< of all frames

  /// Copies bytes of a frame, from `offset` on, to `to`. Throws Error where the file cannot be read.
  void read(Index frame, std::size_t offset, std::size_t bytes, void* to) const;

  /// Brings all frames to the file and waits until the disk has them. Throws Error where that fails; nothing
  /// is lost then.
  void save();
  /// Goes on with the first `count` frames of the file, and cuts off what it has beyond them. Throws Error,
  /// saying what to do, unless they are there and have that hash.
  void resume(Index count, std::uint64_t hash);

 private:
  void open(bool anew);
  void flush();

  std::size_t frame_bytes_;
  std::filesystem::path path_;
  int file_ = -1;
  Index stored_ = 0;    ///< frames in the file
  std::string memory_;  ///< those after them
  std::size_t next_flush_;
  std::uint64_t hash_ = 0;
};

}  // namespace limber
