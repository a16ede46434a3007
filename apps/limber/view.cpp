#include "apps/limber/browser.hpp"
#include "apps/limber/command.hpp"
#include "apps/limber/console.hpp"
#include "apps/limber/page_server.hpp"
#include "apps/limber/shown_bodies.hpp"
#include "apps/limber/viewer_page.hpp"
#include "limber/io/model_file.hpp"

#include <nlohmann/json.hpp>

#include <array>
#include <cerrno>
#include <csignal>
#include <fcntl.h>
#include <memory>
#include <string>
#include <unistd.h>
#include <vector>

namespace limber::app {
namespace {

struct ViewCommand {
  ShowCommand show{.command = "view"};
  int port = 0;
  bool no_open = false;
  bool json = false;
};

/// Takes the signals that end the program while it lives, for someone to wait for. By handlers, not by a
/// mask: threads that libraries started before us do not have our mask, and a signal would end the program
/// there.
class EndSignals {
 public:
  EndSignals() {
    if (::pipe2(ends_.data(), O_CLOEXEC) != 0) throw Failure("no pipe can be opened");
    write_end_ = ends_[1];
    struct sigaction tell {};
    tell.sa_handler = [](int) { static_cast<void>(!::write(write_end_, "", 1)); };
    tell.sa_flags = SA_RESTART;
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      sigaction(numbers[i], nullptr, &before_[i]);
      if (before_[i].sa_handler != SIG_IGN) sigaction(numbers[i], &tell, nullptr);  // nohup and the like
    }
  }
  ~EndSignals() {
    for (std::size_t i = 0; i < numbers.size(); ++i) sigaction(numbers[i], &before_[i], nullptr);
    for (const int end : ends_) ::close(end);
  }
  EndSignals(const EndSignals&) = delete;
  EndSignals& operator=(const EndSignals&) = delete;

  /// Returns once one has come.
  void wait() const {
    char byte = 0;
    while (::read(ends_[0], &byte, 1) < 0 && errno == EINTR) {
    }
  }

 private:
  static constexpr std::array numbers{SIGINT, SIGHUP, SIGTERM};
  inline static int write_end_ = -1;
  std::array<int, 2> ends_{};
  std::array<struct sigaction, numbers.size()> before_{};
};

/// Throws for anything but a good one.
std::string good_model(const std::string& path, std::string content) {
  static_cast<void>(parse_model(content, path));
  return content;
}

void run_view(const ViewCommand& options) {
  FileList inputs;
  PageModels models = read_shown_bodies(options.show, good_model, inputs);
  const EndSignals end_signals;
  const PageServer server(viewer_page(), std::move(models), options.port);
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
  CLI::App* parser = program.add_subcommand(
      "view",
      "Show bodies in the browser and pull at them: models, surfaces, meshes, scenes; or play a clip");
  const auto options = std::make_shared<ViewCommand>();
  CLI::Option* bodies = add_show_options(*parser, options->show);
  bodies->description(bodies->get_description() + ". Without any the page waits for a file dropped onto it");
  parser->add_option("--port", options->port, "Port on 127.0.0.1; 0 takes a free one [0]")
      ->check(CLI::Range(0, 65535).description(""))
      ->type_name("N");
  parser->add_flag("--no-open", options->no_open, "Print the address only, do not open a browser");
  parser->add_flag("--json", options->json, "Print the address as JSON, in one line");
  parser->footer(
      "Serves the page on 127.0.0.1, to this machine alone, until Ctrl-C. Nothing comes from a network. A "
      "clip, a .glb with an animation, of limber simulate or of other programs, is played in a loop.\n\n"
      "Example:\n  limber view bunny.obj\n  limber view spoon.glb\n  limber view spoon.glb oak.glb "
      "spoon.glb\n"
      "  limber view spoon.glb --port 8000 --no-open\n"
      "  limber simulate spoon.glb -o motion.glb && limber view motion.glb");
  return {parser, [parser, options] {
            options->show.reduce.stated = stated_options(*parser);
            run_view(*options);
          }};
}

}  // namespace limber::app
