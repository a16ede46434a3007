// What loops that keep time are made of: how much detail they take, and values handed to other threads.

#include "limber/base/detail_pace.hpp"
#include "limber/base/error.hpp"
#include "limber/base/triple_buffer.hpp"

#include <gtest/gtest.h>

#include <thread>
#include <vector>

namespace limber::pace_test {
namespace {

TEST(DetailPace, TakesAwayALevelAtEachOverrunAndNoMoreThanThereAre) {
  DetailPace pace({.budget = 1e-3, .levels = 3});
  EXPECT_FALSE(pace.add_step(0.9e-3));
  EXPECT_TRUE(pace.add_step(1.1e-3));
  EXPECT_EQ(pace.level(), 1);
  EXPECT_TRUE(pace.add_step(2e-3));
  EXPECT_FALSE(pace.add_step(2e-3));
  EXPECT_EQ(pace.level(), 2);
  EXPECT_EQ(pace.overruns(), 3);
  EXPECT_EQ(pace.lowered(), 2);
}

TEST(DetailPace, GivesLevelsBackAfterCalmStepsInARow) {
  DetailPace pace({.budget = 1.0, .levels = 3, .calm = 0.5, .patience = 10});
  pace.add_step(2.0);
  for (int i = 0; i < 9; ++i) EXPECT_FALSE(pace.add_step(0.1));
  EXPECT_FALSE(pace.add_step(0.8));  // within the budget, and not calm
  for (int i = 0; i < 9; ++i) EXPECT_FALSE(pace.add_step(0.1));
  EXPECT_TRUE(pace.add_step(0.1));
  EXPECT_EQ(pace.level(), 0);
  EXPECT_EQ(pace.raised(), 1);
}

TEST(DetailPace, DoesNotHuntBetweenTwoLevels) {
  // All detail is always too much.
  DetailPace pace({.budget = 1.0, .levels = 2, .patience = 10});
  for (int i = 0; i < 10000; ++i) pace.add_step(pace.level() == 0 ? 2.0 : 0.1);
  EXPECT_LE(pace.overruns(), 6 + 10000 / 320);
  // What has changed for good is found out.
  for (int i = 0; i < 2000; ++i) pace.add_step(0.1);
  EXPECT_EQ(pace.level(), 0);
}

TEST(DetailPace, RefusesWhatIsNoPace) {
  EXPECT_THROW(DetailPace({.budget = 0.0}), Error);
  EXPECT_THROW(DetailPace({.levels = 0}), Error);
  EXPECT_THROW(DetailPace({.calm = 2.0}), Error);
}

TEST(TripleBuffer, HandsOverTheNewestValueOnce) {
  TripleBuffer<int> buffer(7);
  EXPECT_EQ(buffer.reading(), 7);
  EXPECT_FALSE(buffer.refresh());
  for (const int value : {1, 2, 3}) {
    buffer.writing() = value;
    buffer.publish();
  }
  EXPECT_TRUE(buffer.refresh());
  EXPECT_EQ(buffer.reading(), 3);
  EXPECT_FALSE(buffer.refresh());
  EXPECT_EQ(buffer.reading(), 3);
}

TEST(TripleBuffer, NeverHandsOverHalfAValueNorAnOlderOne) {
  constexpr int count = 20000;
  TripleBuffer<std::vector<int>> buffer(std::vector<int>(64, 0));
  std::thread writer([&] {
    for (int i = 1; i <= count; ++i) {
      for (int& number : buffer.writing()) number = i;
      buffer.publish();
    }
  });
  int last = 0, wrong = 0;
  while (last < count) {
    if (!buffer.refresh()) continue;
    const std::vector<int>& value = buffer.reading();
    wrong += value.front() <= last ? 1 : 0;
    for (const int number : value) wrong += number == value.front() ? 0 : 1;
    last = value.front();
  }
  writer.join();
  EXPECT_EQ(wrong, 0);
}

}  // namespace
}  // namespace limber::pace_test
