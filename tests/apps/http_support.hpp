#pragma once

#include "limber/base/error.hpp"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <string>
#include <string_view>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

namespace limber::test {

/// A bare connection to a server on this machine: sends exactly what it is told to.
class Connection {
 public:
  explicit Connection(int port, const char* address = "127.0.0.1")
      : socket_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    const timeval limit{.tv_sec = 20, .tv_usec = 0};  // a server that hangs fails the test, not the whole run
    ::setsockopt(socket_, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
    sockaddr_in target{};
    target.sin_family = AF_INET;
    target.sin_port = htons(static_cast<std::uint16_t>(port));
    ::inet_pton(AF_INET, address, &target.sin_addr);
    connected_ = ::connect(socket_, reinterpret_cast<const sockaddr*>(&target), sizeof target) == 0;
  }
  ~Connection() { ::close(socket_); }
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  [[nodiscard]] bool connected() const { return connected_; }

  void send(std::string_view text) const {
    while (!text.empty()) {
      const ssize_t count = ::send(socket_, text.data(), text.size(), MSG_NOSIGNAL);
      if (count <= 0) return;  // the server has closed it: its answer says why
      text.remove_prefix(static_cast<std::size_t>(count));
    }
  }

  /// All that comes until the server closes.
  [[nodiscard]] std::string receive() const {
    std::string text, part(65536, '\0');
    for (ssize_t count = 0; (count = ::recv(socket_, part.data(), part.size(), 0)) > 0;) {
      text.append(part, 0, static_cast<std::size_t>(count));
    }
    return text;
  }

 private:
  int socket_;
  bool connected_ = false;
};

struct HttpAnswer {
  int status = 0;    ///< 0: there was none
  std::string head;  ///< status line and headers
  std::string body;
};

inline HttpAnswer ask(int port, std::string_view request) {
  const Connection connection(port);
  connection.send(request);
  const std::string text = connection.receive();
  const std::size_t end = text.find("\r\n\r\n");
  if (!text.starts_with("HTTP/1.1 ") || end == std::string::npos) return {};
  return {std::stoi(text.substr(9, 3)), text.substr(0, end + 2), text.substr(end + 4)};
}

/// Asks for a target as the page does. more: further headers, each with its line end.
inline HttpAnswer get(int port, std::string_view target, std::string_view more = "",
                      std::string_view method = "GET") {
  return ask(port, fmt::format("{} {} HTTP/1.1\r\nHost: 127.0.0.1:{}\r\n{}\r\n", method, target, port, more));
}

}  // namespace limber::test
