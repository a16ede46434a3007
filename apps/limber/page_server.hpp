#pragma once

#include "apps/limber/viewer_page.hpp"

#include <memory>
#include <string>
#include <string_view>

namespace limber::app {

/// Serves the viewer's page, and models for it, to browsers on this machine, from construction to
/// destruction.
///
///   GET /             the page
///   GET /model.glb    the first model, with its name, URI-encoded, in the header X-Limber-Name, and in
///                     X-Limber-Bodies the list of the models of all bodies: model.glb, model-2.glb, model.glb;
///                     in X-Limber-Gravity, where there is some, gravity: 0,0,-9.81
///   GET /model-2.glb  the second, and so on; none of a file twice
///
/// HEAD works too; any other path is 404 and any other method 405. It listens on 127.0.0.1 alone. Web sites
/// that a browser has open beside the page can send requests there as well: what names another host (DNS
/// rebinding), comes from another origin or asks for a model on behalf of another site is refused (403).
/// Nothing is read from disk, and no request body is read. Each connection carries one request, has limited
/// time and size, and has a thread of a small pool to itself.
class PageServer {
 public:
  /// Listens when it returns. page: must outlive the server. port: 0 takes a free one. Throws Error where the
  /// port is taken or not allowed.
  PageServer(std::string_view page, PageModels models, int port = 0);
  /// Ends all connections, finished or not.
  ~PageServer();
  PageServer(const PageServer&) = delete;
  PageServer& operator=(const PageServer&) = delete;

  [[nodiscard]] int port() const;
  [[nodiscard]] std::string url() const;  ///< of the page

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace limber::app
