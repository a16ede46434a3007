#include "tests/apps/support.hpp"

#include <nlohmann/json.hpp>

namespace limber::bench_test {
namespace {

using test::run_limber;
using test::ScratchFolder;

TEST(BenchCommand, MatchesItsFilterWithWholeNames) {
  const ScratchFolder folder;
  const auto result =
      run_limber(folder.path(), "bench --json --min-seconds 0 --filter '^linalg/memory_read/128_MiB$'");
  ASSERT_EQ(result.status, 0) << result.err;
  const auto found = nlohmann::json::parse(result.out);
  ASSERT_EQ(found.size(), 1u) << result.out;
  EXPECT_EQ(found[0]["name"], "linalg/memory_read/128_MiB");
  EXPECT_GT(found[0]["seconds"].get<double>(), 0.0);
}

TEST(BenchCommand, RefusesFiltersThatMatchNothingOrAreNone) {
  const ScratchFolder folder;
  const auto nothing = run_limber(folder.path(), "bench --filter '^memory_read$'");
  EXPECT_EQ(nothing.status, 2);
  EXPECT_EQ(nothing.err,
            "limber: error: no benchmark matches '^memory_read$'; names read module/what/size\n");
  const auto broken = run_limber(folder.path(), "bench --filter 'fem/('");
  EXPECT_EQ(broken.status, 2);
  EXPECT_EQ(broken.err, "limber: error: --filter: 'fem/(' is not a regular expression\n");
}

}  // namespace
}  // namespace limber::bench_test
