#pragma once

#include <chrono>
#include <cstddef>
#include <httplib.h>
#include <string>

namespace limber::app {

/// A connection to a client that may be slow, stuck or hostile. cpp-httplib's own stream starts its time
/// limit anew with every byte and reads lines of any length; here a request has one deadline and one size.
/// Does not own the socket. A shutdown of the socket by another thread ends whatever it waits for.
class BoundedStream : public httplib::Stream {
 public:
  static constexpr std::chrono::seconds read_limit{5};    ///< for the whole request
  static constexpr std::chrono::seconds write_limit{20};  ///< without any progress
  static constexpr std::size_t max_request_bytes = 16384;

  explicit BoundedStream(int socket) : socket_(socket), deadline_(Clock::now() + read_limit) {}

  [[nodiscard]] bool is_readable() const override;
  [[nodiscard]] bool is_writable() const override;
  ssize_t read(char* data, std::size_t size) override;
  ssize_t write(const char* data, std::size_t size) override;
  void get_remote_ip_and_port(std::string& ip, int& port) const override;
  void get_local_ip_and_port(std::string& ip, int& port) const override;
  [[nodiscard]] socket_t socket() const override { return socket_; }

  /// Says that no more is coming and lets the client read it: closing a socket with unread input, e.g. the
  /// body of a refused request, would take back what was sent.
  void finish();

 private:
  using Clock = std::chrono::steady_clock;

  int socket_;
  Clock::time_point deadline_;
  std::size_t bytes_read_ = 0;
};

}  // namespace limber::app
