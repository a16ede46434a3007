#include "limber/base/executor.hpp"

#include "tests/support/files.hpp"

#include <algorithm>
#include <atomic>
#include <mutex>
#include <stdexcept>
#include <thread>
#include <utility>
#include <vector>

namespace limber::executor_test {
namespace {

using Ranges = std::vector<std::pair<std::ptrdiff_t, std::ptrdiff_t>>;

Ranges ranges_of(const Executor& executor, std::ptrdiff_t count, std::ptrdiff_t grain) {
  Ranges ranges;
  std::mutex mutex;
  executor.parallel_ranges(count, grain, [&](std::ptrdiff_t begin, std::ptrdiff_t end) {
    const std::lock_guard lock(mutex);
    ranges.emplace_back(begin, end);
  });
  std::sort(ranges.begin(), ranges.end());
  return ranges;
}

class ExecutorThreads : public testing::TestWithParam<int> {};

TEST_P(ExecutorThreads, RunsEveryIndexOnce) {
  const Executor executor(GetParam());
  EXPECT_EQ(executor.threads(), GetParam());
  for (const std::ptrdiff_t count : {0, 1, 2, 7, 1000}) {
    std::vector<std::atomic<int>> calls(static_cast<std::size_t>(count));
    executor.parallel_for(count, [&](std::ptrdiff_t i) { ++calls[static_cast<std::size_t>(i)]; });
    for (std::size_t i = 0; i < calls.size(); ++i) ASSERT_EQ(calls[i], 1) << "index " << i << " of " << count;
  }
}

TEST_P(ExecutorThreads, RethrowsAnExceptionAndStaysUsable) {
  const Executor executor(GetParam());
  const auto fail_at_70 = [](std::ptrdiff_t i) {
    if (i == 70) throw Error("index {} failed", i);
  };
  for (int round = 0; round < 3; ++round) {
    EXPECT_EQ(test::error_text([&] { executor.parallel_for(100, fail_at_70); }), "index 70 failed");
  }
  std::atomic<int> calls = 0;
  executor.parallel_for(100, [&](std::ptrdiff_t) { ++calls; });
  EXPECT_EQ(calls, 100);
}

TEST_P(ExecutorThreads, RethrowsOneOfManyExceptions) {
  const Executor executor(GetParam());
  EXPECT_THROW(executor.parallel_for(64, [](std::ptrdiff_t) { throw std::domain_error("all fail"); }),
               std::domain_error);
}

TEST_P(ExecutorThreads, SkipsTheRestAfterAnException) {
  const Executor executor(GetParam());
  std::atomic<int> calls = 0;
  EXPECT_THROW(executor.parallel_for(100000,
                                     [&](std::ptrdiff_t) {
                                       ++calls;
                                       throw std::runtime_error("first");
                                     }),
               std::runtime_error);
  EXPECT_LE(calls, executor.threads());
}

TEST_P(ExecutorThreads, RunsALoopInsideABody) {
  const Executor executor(GetParam());
  std::vector<std::atomic<int>> calls(20 * 30);
  executor.parallel_for(20, [&](std::ptrdiff_t i) {
    executor.parallel_for(30, [&](std::ptrdiff_t j) { ++calls[static_cast<std::size_t>(30 * i + j)]; });
  });
  for (const auto& count : calls) ASSERT_EQ(count, 1);
}

TEST_P(ExecutorThreads, RunsALoopInsideABodySerially) {
  const Executor executor(GetParam());
  std::atomic<int> strangers = 0;
  executor.parallel_for(8, [&](std::ptrdiff_t) {
    const auto owner = std::this_thread::get_id();
    executor.parallel_for(8, [&](std::ptrdiff_t) { strangers += std::this_thread::get_id() != owner; });
  });
  EXPECT_EQ(strangers, 0);
}

TEST_P(ExecutorThreads, RethrowsAnExceptionOfAnInnerLoop) {
  const Executor executor(GetParam());
  const auto nested = [&] {
    executor.parallel_for(4, [&](std::ptrdiff_t i) {
      executor.parallel_for(4, [&](std::ptrdiff_t j) { require(i * j != 9, "inner loop failed"); });
    });
  };
  EXPECT_EQ(test::error_text(nested), "inner loop failed");
}

TEST_P(ExecutorThreads, ServesConcurrentCallers) {
  const Executor executor(GetParam());
  constexpr int callers = 4;
  constexpr int rounds = 50;
  std::vector<std::ptrdiff_t> sums(callers, 0);
  std::vector<std::thread> threads;
  for (int caller = 0; caller < callers; ++caller) {
    threads.emplace_back([&, copy = executor, caller] {
      for (int round = 0; round < rounds; ++round) {
        std::atomic<std::ptrdiff_t> sum = 0;
        copy.parallel_for(100, [&](std::ptrdiff_t i) { sum += i; });
        sums[static_cast<std::size_t>(caller)] += sum;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (const std::ptrdiff_t sum : sums) EXPECT_EQ(sum, rounds * 4950);
}

TEST_P(ExecutorThreads, SplitsIntoTheSameRangesAsOneThread) {
  const Executor executor(GetParam());
  for (const auto& [count, grain] : Ranges{{0, 4}, {1, 4}, {4, 4}, {10, 4}, {1000, 7}, {5, 0}, {5, -3}}) {
    EXPECT_EQ(ranges_of(executor, count, grain), ranges_of(Executor(1), count, grain))
        << "count " << count << ", grain " << grain;
  }
}

INSTANTIATE_TEST_SUITE_P(OneToEight, ExecutorThreads, testing::Range(1, 9),
                         testing::PrintToStringParamName());

TEST(Executor, TakesOneThreadPerCoreByDefault) {
  EXPECT_EQ(Executor().threads(), static_cast<int>(std::max(1u, std::thread::hardware_concurrency())));
  EXPECT_EQ(Executor(-3).threads(), Executor().threads());
}

TEST(Executor, CopiesShareTheTeam) {
  Executor copy(1);
  {
    const Executor original(3);
    copy = original;
  }
  EXPECT_EQ(copy.threads(), 3);
  std::atomic<int> calls = 0;
  copy.parallel_for(10, [&](std::ptrdiff_t) { ++calls; });
  EXPECT_EQ(calls, 10);
}

TEST(Executor, NegativeCountsRunNothing) {
  Executor(2).parallel_for(-5, [](std::ptrdiff_t) { FAIL(); });
  Executor(2).parallel_ranges(-5, 2, [](std::ptrdiff_t, std::ptrdiff_t) { FAIL(); });
}

TEST(Executor, RangesAreContiguousAndOfTheGrainExceptTheLast) {
  EXPECT_EQ(ranges_of(Executor(3), 10, 4), (Ranges{{0, 4}, {4, 8}, {8, 10}}));
  EXPECT_EQ(ranges_of(Executor(3), 8, 4), (Ranges{{0, 4}, {4, 8}}));
  EXPECT_EQ(ranges_of(Executor(3), 3, 100), (Ranges{{0, 3}}));
}

}  // namespace
}  // namespace limber::executor_test
