#include "apps/limber/browser.hpp"
#include "apps/limber/command.hpp"
#include "apps/limber/console.hpp"
#include "apps/limber/page_server.hpp"
#include "apps/limber/viewer_page.hpp"
#include "limber/base/file.hpp"
#include "limber/io/model_file.hpp"

#include <nlohmann/json.hpp>

#include <csignal>
#include <memory>
#include <optional>
#include <string>
#include <sys/wait.h>

namespace limber::app {
namespace {

struct Options {
  std::string model;
  int port = 0;
  bool no_open = false;
  bool json = false;
};

/// The signals that end the program, held back until someone waits for them. Made before any thread, so that all threads
/// hold them back too.
class EndSignals {
 public:
  EndSignals() {
    sigemptyset(&signals_);
    for (const int signal : {SIGINT, SIGHUP}) {
      struct sigaction action {};
      sigaction(signal, nullptr, &action);
      if (action.sa_handler != SIG_IGN) sigaddset(&signals_, signal);  // nohup and the like
    }
    for (const int signal : {SIGTERM, SIGCHLD}) sigaddset(&signals_, signal);
    pthread_sigmask(SIG_BLOCK, &signals_, &before_);
  }
  ~EndSignals() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  EndSignals(const EndSignals&) = delete;
  EndSignals& operator=(const EndSignals&) = delete;

  /// Returns once one has come. A browser that ends meanwhile is taken note of.
  void wait() const {
    int signal = 0;
    while (sigwait(&signals_, &signal) != 0 || signal == SIGCHLD) {
      while (::waitpid(-1, nullptr, WNOHANG) > 0) {
      }
    }
  }

 private:
  sigset_t signals_{}, before_{};
};

std::optional<ServedModel> read_served_model(const std::string& path) {
  if (path.empty()) return std::nullopt;
  ServedModel model{display_name(path), read_file(path)};
  static_cast<void>(parse_model(model.content, path));  // throws for anything but a good model
  return model;
}

void run(const Options& options) {
  std::optional<ServedModel> model = read_served_model(options.model);
  const EndSignals end_signals;
  const PageServer server(viewer_page(), std::move(model), options.port);
  if (options.json) {
    print(nlohmann::ordered_json{{"url", server.url()}}.dump() + "\n");
  } else {
    print(fmt::format("viewer at {} until Ctrl-C\n", server.url()));
  }
  if (!options.no_open) open_in_browser(server.url());
  end_signals.wait();
}

}  // namespace

Command add_view(CLI::App& program) {
  CLI::App* parser = program.add_subcommand("view", "Show a reduced model in the browser and pull at it");
  const auto options = std::make_shared<Options>();
  parser
      ->add_option("MODEL", options->model,
                   "Reduced model (.glb); without one the page waits for a file dropped onto it")
      ->type_name("");
  parser->add_option("--port", options->port, "Port on 127.0.0.1; 0 takes a free one [0]")
      ->check(CLI::Range(0, 65535).description(""))
      ->type_name("N");
  parser->add_flag("--no-open", options->no_open, "Print the address only, do not open a browser");
  parser->add_flag("--json", options->json, "Print the address as JSON, in one line");
  parser->footer(
      "Serves the page on 127.0.0.1, to this machine alone, until Ctrl-C. Nothing comes from a network.\n\n"
      "Example:\n  limber view spoon.glb\n  limber view spoon.glb --port 8000 --no-open");
  return {parser, [options] { run(*options); }};
}

}  // namespace limber::app
