#include "limber/run/frame_store.hpp"

#include "limber/base/error.hpp"
#include "limber/io/checkpoint_file.hpp"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <unistd.h>

namespace limber {
namespace {

constexpr std::size_t flush_bytes = std::size_t{64} << 20U;  ///< in memory, after which they go to the file

::off_t place(Index frame, std::size_t frame_bytes) {
  return static_cast<::off_t>(static_cast<std::size_t>(frame) * frame_bytes);
}

}  // namespace

FrameStore::FrameStore(std::size_t frame_bytes, std::filesystem::path file)
    : frame_bytes_(frame_bytes), path_(std::move(file)), next_flush_(flush_bytes) {
  require(frame_bytes > 0, "frames of 0 bytes");
}

FrameStore::~FrameStore() {
  if (file_ >= 0) ::close(file_);
}

void FrameStore::add(std::string_view frame) {
  require(frame.size() == frame_bytes_, "a frame of {} bytes, expected {}", frame.size(), frame_bytes_);
  hash_ = content_hash(frame, hash_);
  memory_ += frame;
  if (path_.empty() || memory_.size() < next_flush_) return;
  try {
    flush();
  } catch (const Error&) {
    next_flush_ = memory_.size() + flush_bytes;  // memory is slower to fill than a disk, and may suffice
  }
}

void FrameStore::read(Index frame, std::size_t offset, std::size_t bytes, void* to) const {
  if (frame >= stored_) {
    std::memcpy(to, memory_.data() + place(frame - stored_, frame_bytes_) + offset, bytes);
    return;
  }
  auto* next = static_cast<char*>(to);
  ::off_t from = place(frame, frame_bytes_) + static_cast<::off_t>(offset);
  while (bytes > 0) {
    const ::ssize_t got = ::pread(file_, next, bytes, from);
    if (got < 0 && errno == EINTR) continue;
    require(got > 0, "{}: frame {} cannot be read ({})", path_.string(), frame,
            got == 0 ? "the file ends" : std::strerror(errno));
    next += got;
    from += got;
    bytes -= static_cast<std::size_t>(got);
  }
}

void FrameStore::open(bool anew) {
  constexpr mode_t anybody = 0666;  // less the umask, as usual
  file_ = ::open(path_.c_str(), O_RDWR | O_CLOEXEC | (anew ? O_CREAT | O_TRUNC : 0), anybody);
  require(file_ >= 0, "{}: cannot be opened ({})", path_.string(), std::strerror(errno));
}

/// A flush that fails midway is repeated at the same place: what it left there is written over.
void FrameStore::flush() {
  if (memory_.empty()) return;
  if (file_ < 0) open(true);
  std::string_view rest = memory_;
  ::off_t to = place(stored_, frame_bytes_);
  while (!rest.empty()) {
    const ::ssize_t written = ::pwrite(file_, rest.data(), rest.size(), to);
    if (written < 0 && errno == EINTR) continue;
    require(written > 0, "{}: cannot be written ({})", path_.string(), std::strerror(errno));
    rest.remove_prefix(static_cast<std::size_t>(written));
    to += written;
  }
  stored_ = count();
  memory_.clear();
  next_flush_ = flush_bytes;
}

void FrameStore::save() {
  require(!path_.empty(), "frames that have no file cannot be saved");
  flush();
  if (file_ < 0) return;
  const bool synced =
      ::fsync(file_) == 0 || errno == EINVAL || errno == ENOTSUP;  // not every file system can
  require(synced, "{}: cannot be written ({})", path_.string(), std::strerror(errno));
}

void FrameStore::resume(Index count, std::uint64_t hash) {
  if (count == 0) return;
  open(false);
  stored_ = count;
  std::string frame(frame_bytes_, '\0');
  hash_ = 0;
  try {
    for (Index i = 0; i < count; ++i) {
      read(i, 0, frame_bytes_, frame.data());
      hash_ = content_hash(frame, hash_);
    }
  } catch (const Error&) {
    hash_ = ~hash;
  }
  require(
      hash_ == hash,
      "{}: does not hold the {} frames that the checkpoint speaks of; delete the checkpoint and start anew",
      path_.string(), count);
  require(::ftruncate(file_, place(count, frame_bytes_)) == 0, "{}: cannot be cut to its frames ({})",
          path_.string(), std::strerror(errno));
}

}  // namespace limber
