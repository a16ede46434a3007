#include "apps/limber/command.hpp"
#include "limber/base/error.hpp"
#ifdef LIMBER_HAS_BENCH
#include "bench/bench.hpp"
#endif

#include <memory>
#include <string>

namespace limber::app {
namespace {

struct BenchCommand {
  std::string filter;
  bool json = false;
  int threads = 0;
  double min_seconds = 0.5;
};

void run_bench(const BenchCommand& options) {
#ifdef LIMBER_HAS_BENCH
  bench::run({options.filter, options.json, options.threads, options.min_seconds});
#else
  static_cast<void>(options);
  throw Error("this limber was built without benchmarks; configure it with -DLIMBER_BUILD_BENCH=ON");
#endif
}

}  // namespace

Command add_bench(CLI::App& program) {
  CLI::App* parser =
      program.add_subcommand("bench", "Run the benchmarks, compared with what this machine can do");
  const auto options = std::make_shared<BenchCommand>();
  parser
      ->add_option("--filter", options->filter,
                   "Run only benchmarks whose name matches this regular expression")
      ->type_name("REGEX");
  parser->add_flag("--json", options->json, "Print [{\"name\", \"seconds\", \"ratio\", \"ratio_to\"}, ...]");
  add_threads(*parser, options->threads);
  parser->add_option("--min-seconds", options->min_seconds, "Time spent on each benchmark, at least")
      ->check(number_range(0.0, 3600.0))
      ->type_name("S")
      ->capture_default_str();
  parser->footer("Example:\n  limber bench --filter fem/ --json");
  return {parser, [options] { run_bench(*options); }};
}

}  // namespace limber::app
