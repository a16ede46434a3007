#include "apps/limber/bounded_stream.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <poll.h>
#include <sys/socket.h>

namespace limber::app {
namespace {

using std::chrono::milliseconds;

/// Whether the socket is ready for the events, or has failed, before the time is over.
bool wait_for(int socket, short events, milliseconds time) {
  const auto deadline = std::chrono::steady_clock::now() + time;
  for (;;) {
    const auto left =
        std::chrono::duration_cast<milliseconds>(deadline - std::chrono::steady_clock::now()).count();
    pollfd request{.fd = socket, .events = events, .revents = 0};
    const int ready = ::poll(&request, 1, static_cast<int>(std::max<milliseconds::rep>(left, 0)));
    if (ready > 0) return true;
    if (ready == 0 || errno != EINTR) return false;
  }
}

}  // namespace

bool BoundedStream::is_readable() const {
  const auto left = std::chrono::duration_cast<milliseconds>(deadline_ - Clock::now());
  return bytes_read_ < max_request_bytes && left.count() > 0 && wait_for(socket_, POLLIN, left);
}

bool BoundedStream::is_writable() const { return wait_for(socket_, POLLOUT, write_limit); }

ssize_t BoundedStream::read(char* data, std::size_t size) {
  if (!is_readable()) return -1;
  const ssize_t count = ::recv(socket_, data, std::min(size, max_request_bytes - bytes_read_), MSG_DONTWAIT);
  if (count > 0) bytes_read_ += static_cast<std::size_t>(count);
  return count;
}

ssize_t BoundedStream::write(const char* data, std::size_t size) {
  if (!is_writable()) return -1;
  return ::send(socket_, data, size, MSG_DONTWAIT | MSG_NOSIGNAL);
}

// The server answers on the loopback interface alone and asks for neither address.
void BoundedStream::get_remote_ip_and_port(std::string& ip, int& port) const {
  ip = "127.0.0.1";
  port = -1;
}

void BoundedStream::get_local_ip_and_port(std::string& ip, int& port) const {
  get_remote_ip_and_port(ip, port);
}

void BoundedStream::finish() {
  constexpr milliseconds linger{200};
  constexpr int max_reads = 64;  // bodies longer than this lose their answer
  ::shutdown(socket_, SHUT_WR);
  const auto end = Clock::now() + linger;
  std::array<char, 16384> ignored;
  for (int i = 0; i < max_reads; ++i) {
    const auto left = std::chrono::duration_cast<milliseconds>(end - Clock::now());
    if (left.count() <= 0 || !wait_for(socket_, POLLIN, left)) return;
    if (::recv(socket_, ignored.data(), ignored.size(), MSG_DONTWAIT) <= 0) return;
  }
}

}  // namespace limber::app
