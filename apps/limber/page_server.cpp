#include "apps/limber/page_server.hpp"

#include "apps/limber/bounded_stream.hpp"
#include "limber/base/error.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <fcntl.h>
#include <httplib.h>
#include <mutex>
#include <set>
#include <sys/socket.h>
#include <thread>
#include <unistd.h>
#include <utility>

namespace limber::app {
namespace {

constexpr const char* address = "127.0.0.1";

/// A browser opens up to six connections to a host, some of them in advance, which then wait here for their
/// request.
constexpr std::size_t thread_count = 16;

/// What the page may do: run what is inside of it and ask this server for models. Sent with every answer.
httplib::Headers safety_headers() {
  return {{"Content-Security-Policy",
           "default-src 'none'; script-src 'unsafe-inline' 'wasm-unsafe-eval' blob:; worker-src blob: data:; "
           "style-src 'unsafe-inline'; img-src data: blob:; connect-src 'self' data: blob:; base-uri 'none'; "
           "form-action 'none'; frame-ancestors 'none'"},
          {"X-Content-Type-Options", "nosniff"},
          {"Cross-Origin-Resource-Policy", "same-origin"},
          {"Referrer-Policy", "no-referrer"},
          {"Cache-Control", "no-store"}};
}

/// cpp-httplib's server with streams that keep to their limits, and connections that can be ended.
class HttpServer : public httplib::Server {
 public:
  /// Ends the connections there are and refuses new ones.
  void end_connections() {
    const std::lock_guard lock(mutex_);
    ending_ = true;
    for (const int socket : open_) ::shutdown(socket, SHUT_RDWR);
  }

 private:
  bool process_and_close_socket(socket_t socket) override {
    bool answered = false;
    if (begin(socket)) {
      BoundedStream stream(socket);
      bool closed = false;
      answered = process_request(stream, /*close_connection=*/true, closed, drop_extras);
      stream.finish();
    }
    end(socket);
    return answered;
  }

  /// Forgets what would make the answer another one: parts of it, compression (done anew for each request),
  /// an interim answer.
  static void drop_extras(httplib::Request& request) {
    request.ranges.clear();
    for (const char* name : {"Range", "Accept-Encoding", "Expect"}) request.headers.erase(name);
  }

  bool begin(int socket) {
    ::fcntl(socket, F_SETFD, FD_CLOEXEC);
    const std::lock_guard lock(mutex_);
    if (!ending_) open_.insert(socket);
    return !ending_;
  }

  void end(int socket) {
    const std::lock_guard lock(mutex_);  // else its number could be another one's when connections are ended
    open_.erase(socket);
    ::close(socket);
  }

  std::mutex mutex_;
  std::set<int> open_;
  bool ending_ = false;
};

std::string uri_encoded(std::string_view text) {
  constexpr std::string_view kept = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.!~*'()";
  std::string result;
  for (const char c : text) {
    result += kept.find(c) != std::string_view::npos
                  ? std::string(1, c)
                  : fmt::format("%{:02X}", static_cast<unsigned>(static_cast<unsigned char>(c)));
  }
  return result;
}

/// Answers with bytes that outlive the server, without a copy.
void set_content(httplib::Response& response, std::string_view content, const char* type) {
  static constexpr std::size_t piece = std::size_t{1} << 20;
  if (content.empty()) return response.set_content("", type);
  response.set_content_provider(content.size(), type,
                                [content](std::size_t offset, std::size_t length, httplib::DataSink& sink) {
                                  return sink.write(content.data() + offset, std::min(length, piece));
                                });
}

void refuse(httplib::Response& response, int status, std::string_view text) {
  response.status = status;
  response.set_content(fmt::format("{}\n", text), "text/plain; charset=utf-8");
}

}  // namespace

class PageServer::Impl {
 public:
  Impl(std::string_view page, PageModels models, int port) : page_(page), models_(std::move(models)) {
    require(port >= 0 && port <= 65535, "the port is {}, expected 1 to 65535, or 0 for a free one", port);
    server_.set_default_headers(safety_headers());
    server_.set_payload_max_length(0);
    server_.new_task_queue = [] { return new httplib::ThreadPool(thread_count); };  // the server deletes it
    // The library's own choice, SO_REUSEPORT, would let two servers share a port.
    server_.set_socket_options([](socket_t socket) {
      const int yes = 1;
      ::setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
      ::fcntl(socket, F_SETFD, FD_CLOEXEC);
    });
    server_.set_pre_routing_handler([this](const httplib::Request& request, httplib::Response& response) {
      answer(request, response);
      return httplib::Server::HandlerResponse::Handled;  // always: the library then reads no request body
    });
    bind(port);
    listen();
  }

  ~Impl() {
    server_.end_connections();
    server_.stop();
    thread_.join();
  }

  Impl(const Impl&) = delete;
  Impl& operator=(const Impl&) = delete;

  [[nodiscard]] int port() const { return port_; }

 private:
  void bind(int port) {
    port_ = port == 0 ? server_.bind_to_any_port(address) : server_.bind_to_port(address, port) ? port : -1;
    require(port_ > 0 || port != 0, "no port of {} is free", address);
    require(port_ > 0, "port {} of {} is taken or not allowed; choose another one or leave it to limber",
            port, address);
  }

  void listen() {
    thread_ = std::thread([this] {
      server_.listen_after_bind();
      ended_ = true;
    });
    // A server that does not run yet cannot be stopped.
    while (!server_.is_running() && !ended_) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }

  /// Whether the request names this server, so that no other site's name was made to point here.
  [[nodiscard]] bool names_this_server(const httplib::Request& request) const {
    if (request.get_header_value_count("Host") != 1) return false;
    const std::string host = request.get_header_value("Host");
    for (const std::string_view name : {address, "localhost"}) {
      if (host == fmt::format("{}:{}", name, port_) || (port_ == 80 && host == name)) return true;
    }
    return false;
  }

  [[nodiscard]] static bool comes_from_this_page(const httplib::Request& request) {
    const std::size_t origins = request.get_header_value_count("Origin");
    return origins == 0 || (origins == 1 && request.get_header_value("Origin") ==
                                                "http://" + request.get_header_value("Host"));
  }

  /// Browsers say on whose behalf they ask; programs say nothing.
  [[nodiscard]] static bool asked_by_another_site(const httplib::Request& request) {
    const auto [first, last] = request.headers.equal_range("Sec-Fetch-Site");
    return std::any_of(first, last, [](const auto& header) {
      return header.second != "same-origin" && header.second != "none";
    });
  }

  void answer(const httplib::Request& request, httplib::Response& response) const {
    if (!names_this_server(request) || !comes_from_this_page(request)) {
      return refuse(response, 403, "This server answers only its own page.");
    }
    if (request.method != "GET" && request.method != "HEAD") {
      response.set_header("Allow", "GET, HEAD");
      return refuse(response, 405, "Only GET and HEAD are answered.");
    }
    // The target as it was sent: no path is decoded, joined or looked up.
    if (request.target == "/") return set_content(response, page_, "text/html; charset=utf-8");
    const PageModel* model = find_model(request.target);
    if (model == nullptr) return refuse(response, 404, "There is nothing here.");
    if (asked_by_another_site(request)) return refuse(response, 403, "Only the page gets the model.");
    response.set_header("X-Limber-Name", uri_encoded(model->name));
    response.set_header("X-Limber-Bodies", body_list());
    if (models_.gravity) response.set_header("X-Limber-Gravity", gravity_text(*models_.gravity));
    set_content(response, model->content, "model/gltf-binary");
  }

  /// Null where there is none.
  [[nodiscard]] const PageModel* find_model(std::string_view target) const {
    for (std::size_t file = 0; file < models_.files.size(); ++file) {
      if (target == "/" + file_name(file)) return &models_.files[file];
    }
    return nullptr;
  }

  [[nodiscard]] static std::string file_name(std::size_t file) {
    return file == 0 ? "model.glb" : fmt::format("model-{}.glb", file + 1);
  }

  [[nodiscard]] std::string body_list() const {
    std::string list;
    for (const std::size_t file : models_.bodies) list += (list.empty() ? "" : ", ") + file_name(file);
    return list;
  }

  std::string_view page_;
  PageModels models_;
  int port_ = 0;
  std::atomic<bool> ended_ = false;
  HttpServer server_;
  std::thread thread_;
};

PageServer::PageServer(std::string_view page, PageModels models, int port)
    : impl_(std::make_unique<Impl>(page, std::move(models), port)) {}

PageServer::~PageServer() = default;

int PageServer::port() const { return impl_->port(); }

std::string PageServer::url() const { return fmt::format("http://{}:{}/", address, port()); }

}  // namespace limber::app
