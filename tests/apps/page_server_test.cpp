#include "apps/limber/page_server.hpp"

#include "tests/apps/http_support.hpp"
#include "tests/support/files.hpp"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace limber::page_server_test {
namespace {

using app::PageServer;
using test::ask;
using test::Connection;
using test::contains;
using test::get;
using test::HttpAnswer;

constexpr std::string_view page = "<!doctype html><title>page</title>\n";

/// Every byte value is in it.
std::string model_bytes() {
  std::string bytes(5'000'000, '\0');
  for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<char>(i * i / 7);
  return bytes;
}

PageServer make_server() { return PageServer(page, {{{"a b\xC3\xA9.glb", model_bytes()}}, {0}}); }

TEST(PageServer, GivesThePage) {
  const PageServer server = make_server();
  const HttpAnswer answer = get(server.port(), "/");
  EXPECT_EQ(answer.status, 200);
  EXPECT_EQ(answer.body, page);
  EXPECT_TRUE(contains(answer.head, "Content-Type: text/html; charset=utf-8\r\n")) << answer.head;
  EXPECT_EQ(server.url(), fmt::format("http://127.0.0.1:{}/", server.port()));
}

TEST(PageServer, GivesTheModelWithItsName) {
  const PageServer server = make_server();
  const HttpAnswer answer = get(server.port(), "/model.glb");
  EXPECT_EQ(answer.status, 200);
  EXPECT_TRUE(answer.body == model_bytes());
  EXPECT_TRUE(contains(answer.head, "Content-Type: model/gltf-binary\r\n")) << answer.head;
  EXPECT_TRUE(contains(answer.head, "X-Limber-Name: a%20b%C3%A9.glb\r\n")) << answer.head;
}

TEST(PageServer, GivesTheModelsOfSeveralBodiesAndTheirList) {
  const PageServer server(page, {{{"a.glb", "first"}, {"b.glb", "second"}}, {0, 1, 0}});
  const HttpAnswer first = get(server.port(), "/model.glb"), second = get(server.port(), "/model-2.glb");
  EXPECT_EQ(first.body, "first");
  EXPECT_EQ(second.body, "second");
  EXPECT_TRUE(contains(second.head, "X-Limber-Name: b.glb\r\n")) << second.head;
  EXPECT_TRUE(contains(first.head, "X-Limber-Bodies: model.glb, model-2.glb, model.glb\r\n")) << first.head;
  for (const char* target : {"/model-1.glb", "/model-3.glb", "/model-02.glb"})
    EXPECT_EQ(get(server.port(), target).status, 404) << target;
  EXPECT_EQ(get(server.port(), "/model-2.glb", "Sec-Fetch-Site: cross-site\r\n").status, 403);
}

TEST(PageServer, HasNoModelUnlessItWasGivenOne) {
  const PageServer server(page, {});
  EXPECT_EQ(get(server.port(), "/").status, 200);
  EXPECT_EQ(get(server.port(), "/model.glb").status, 404);
}

TEST(PageServer, AnswersHeadWithoutABody) {
  const PageServer server = make_server();
  const HttpAnswer answer = get(server.port(), "/model.glb", "", "HEAD");
  EXPECT_EQ(answer.status, 200);
  EXPECT_EQ(answer.body, "");
  EXPECT_TRUE(contains(answer.head, "Content-Length: 5000000\r\n")) << answer.head;
}

TEST(PageServer, AnswersInFullWhateverIsNegotiated) {
  const PageServer server = make_server();
  const HttpAnswer answer = get(
      server.port(), "/", "Range: bytes=0-3,5-6\r\nAccept-Encoding: gzip, br\r\nExpect: 100-continue\r\n");
  EXPECT_EQ(answer.status, 200);
  EXPECT_EQ(answer.body, page);
}

TEST(PageServer, FindsNothingElse) {
  const PageServer server = make_server();
  for (const std::string target :
       {"/../etc/passwd", "/%2e%2e/etc/passwd", "//", "//model.glb", "/model.glb/x", "/model.glb/",
        "/model.glb?x=1", "/%6dodel.glb", "/model%2eglb", "/./model.glb", "/%2fmodel.glb", "/index.html",
        "/favicon.ico", "/?x", "*", "model.glb", "http://127.0.0.1/model.glb", "/model.glb%00"}) {
    const HttpAnswer answer = get(server.port(), target);
    EXPECT_EQ(answer.status, 404) << target;
    EXPECT_LT(answer.body.size(), 100u) << target;
  }
  const std::string absolute = fmt::format("http://127.0.0.1:{}/model.glb", server.port());
  EXPECT_EQ(get(server.port(), absolute).status, 404);
}

TEST(PageServer, RefusesOtherHostNames) {
  const PageServer server = make_server();
  const auto status = [&](const std::string& hosts) {
    return ask(server.port(), fmt::format("GET /model.glb HTTP/1.1\r\n{}\r\n", hosts)).status;
  };
  const int port = server.port();
  EXPECT_EQ(status(fmt::format("Host: localhost:{}\r\n", port)), 200);
  EXPECT_EQ(status(fmt::format("host: 127.0.0.1:{}\r\n", port)), 200);
  EXPECT_EQ(status(""), 403);
  EXPECT_EQ(status("Host: 127.0.0.1\r\n"), 403);
  EXPECT_EQ(status("Host: localhost\r\n"), 403);
  EXPECT_EQ(status(fmt::format("Host: localhost:{}\r\n", port + 1)), 403);
  EXPECT_EQ(status(fmt::format("Host: example.com:{}\r\n", port)), 403);
  EXPECT_EQ(status(fmt::format("Host: 127.0.0.1:{}.example.com\r\n", port)), 403);
  EXPECT_EQ(status(fmt::format("Host: 127.0.0.1:{0}\r\nHost: example.com:{0}\r\n", port)), 403);
}

TEST(PageServer, RefusesOtherOrigins) {
  const PageServer server = make_server();
  const auto status = [&](const std::string& origin) {
    return get(server.port(), "/model.glb", fmt::format("Origin: {}\r\n", origin)).status;
  };
  EXPECT_EQ(status(fmt::format("http://127.0.0.1:{}", server.port())), 200);
  EXPECT_EQ(status(fmt::format("http://localhost:{}", server.port())), 403);  // not the one that Host names
  EXPECT_EQ(status(fmt::format("https://127.0.0.1:{}", server.port())), 403);
  EXPECT_EQ(status("http://127.0.0.1"), 403);
  EXPECT_EQ(status("http://example.com"), 403);
  EXPECT_EQ(status("null"), 403);
}

TEST(PageServer, GivesTheModelToNoOtherSite) {
  const PageServer server = make_server();
  const auto status = [&](std::string_view target, std::string_view site) {
    return get(server.port(), target, fmt::format("Sec-Fetch-Site: {}\r\n", site)).status;
  };
  EXPECT_EQ(status("/model.glb", "same-origin"), 200);
  EXPECT_EQ(status("/model.glb", "none"), 200);
  EXPECT_EQ(status("/model.glb", "same-site"), 403);
  EXPECT_EQ(status("/model.glb", "cross-site"), 403);
  EXPECT_EQ(status("/", "cross-site"), 200);  // a link to the page shows nobody but the person what is in it
}

TEST(PageServer, TakesNoOtherMethods) {
  const PageServer server = make_server();
  for (const char* method : {"POST", "PUT", "DELETE", "OPTIONS", "PATCH", "TRACE", "CONNECT"}) {
    const HttpAnswer answer = get(server.port(), "/", "", method);
    EXPECT_EQ(answer.status, 405) << method;
    EXPECT_TRUE(contains(answer.head, "Allow: GET, HEAD\r\n")) << method;
  }
}

TEST(PageServer, ReadsNoRequestBodies) {
  const PageServer server = make_server();
  const std::string body(100'000, 'x');
  const HttpAnswer sent =
      get(server.port(), "/", fmt::format("Content-Length: {}\r\n\r\n{}", body.size(), body), "POST");
  EXPECT_EQ(sent.status, 405);
  // One that is promised and never sent is not waited for either.
  EXPECT_EQ(get(server.port(), "/", "Content-Length: 1000000000000\r\n", "POST").status, 405);
  EXPECT_EQ(get(server.port(), "/", "Transfer-Encoding: chunked\r\n", "POST").status, 405);
}

TEST(PageServer, RefusesWhatIsMalformedOrTooLong) {
  const PageServer server = make_server();
  const std::string host = fmt::format("Host: 127.0.0.1:{}\r\n", server.port());
  using namespace std::string_literals;
  EXPECT_EQ(ask(server.port(), "hello\r\n\r\n").status, 400);
  EXPECT_EQ(ask(server.port(), "GET /model.glb\r\n" + host + "\r\n").status, 400);
  EXPECT_EQ(ask(server.port(), "GET /model.glb HTTP/3.7\r\n" + host + "\r\n").status, 400);
  EXPECT_EQ(ask(server.port(), "GET /model.glb\0x HTTP/1.1\r\n"s + host + "\r\n").status, 400);
  EXPECT_EQ(get(server.port(), "/" + std::string(9'000, 'a')).status, 414);
  EXPECT_EQ(get(server.port(), "/", "X: " + std::string(9'000, 'a') + "\r\n").status, 400);
  EXPECT_EQ(get(server.port(), "/", "X: " + std::string(1'000'000, 'a') + "\r\n").status, 400);
  std::string many;
  for (int i = 0; i < 5'000; ++i) many += "X: 1\r\n";
  EXPECT_EQ(get(server.port(), "/", many).status, 400);
  EXPECT_EQ(get(server.port(), "/").status, 200);
}

TEST(PageServer, SendsItsSafetyHeadersWithEveryAnswer) {
  const PageServer server = make_server();
  for (const std::string target : {"/", "/model.glb", "/nothing"}) {
    const std::string head = get(server.port(), target).head;
    EXPECT_TRUE(contains(head, "Content-Security-Policy: default-src 'none'; script-src 'unsafe-inline'"))
        << head;
    EXPECT_TRUE(contains(head, "frame-ancestors 'none'")) << head;
    EXPECT_TRUE(contains(head, "X-Content-Type-Options: nosniff\r\n")) << head;
    EXPECT_TRUE(contains(head, "Cross-Origin-Resource-Policy: same-origin\r\n")) << head;
    EXPECT_TRUE(contains(head, "Referrer-Policy: no-referrer\r\n")) << head;
    EXPECT_TRUE(contains(head, "Cache-Control: no-store\r\n")) << head;
    EXPECT_FALSE(contains(head, "Access-Control-")) << head;
  }
}

TEST(PageServer, ListensOnOneAddressOnly) {
  const PageServer server = make_server();
  EXPECT_TRUE(Connection(server.port()).connected());
  EXPECT_FALSE(Connection(server.port(), "127.0.0.2").connected());
}

TEST(PageServer, IsNotHeldUpByStuckClients) {
  constexpr std::size_t size = 40'000'000;  // more than the sockets take in advance
  std::vector<std::unique_ptr<Connection>> stuck;
  {
    const PageServer server(page, {{{"m.glb", std::string(size, 'x')}}, {0}});
    for (const char* text : {"", "G", "GET /model.glb HTTP/1.1\r\nHost: "}) {
      stuck.push_back(std::make_unique<Connection>(server.port()));
      stuck.back()->send(text);
    }
    stuck.push_back(std::make_unique<Connection>(server.port()));  // asks, and does not read the answer
    stuck.back()->send(fmt::format("GET /model.glb HTTP/1.1\r\nHost: 127.0.0.1:{}\r\n\r\n", server.port()));
    EXPECT_EQ(get(server.port(), "/").status, 200);
  }
  // The server is gone although none of them has finished, and so are their connections.
  EXPECT_LT(stuck.back()->receive().size(), size);
  EXPECT_EQ(stuck.front()->receive(), "");
}

TEST(PageServer, SaysWhenAPortIsTaken) {
  const PageServer server = make_server();
  const std::string text = test::error_text([&] { PageServer(page, {}, server.port()); });
  EXPECT_TRUE(contains(text, fmt::format("port {} of 127.0.0.1 is taken", server.port()))) << text;
  EXPECT_TRUE(contains(test::error_text([] { PageServer(page, {}, 65536); }), "the port is 65536"));
}

TEST(PageServer, FreesItsPort) {
  int port = 0;
  {
    const PageServer first = make_server();
    port = first.port();
    EXPECT_EQ(get(port, "/").status, 200);
  }
  const PageServer second(page, {}, port);
  EXPECT_EQ(second.port(), port);
  EXPECT_EQ(get(port, "/").status, 200);
}

}  // namespace
}  // namespace limber::page_server_test
