#include "apps/limber/progress_bar.hpp"

#include "tests/support/files.hpp"

#include <vector>

namespace limber::progress_bar_test {
namespace {

using app::duration_text;
using app::ProgressBar;
using app::ProgressOutput;
using app::RemainingTime;
using test::contains;

/// A clock that is set by hand, and what was written.
struct Desk {
  double now = 0.0;
  std::vector<std::string> written;

  ProgressOutput output(bool terminal) {
    return {terminal, [this] { return now; }, [this](std::string_view text) { written.emplace_back(text); }};
  }
};

TEST(RemainingTime, IsExactForSteadyWork) {
  RemainingTime remaining;
  for (int i = 0; i <= 300; ++i) remaining.update(2.0 * i, i / 1000.0);
  ASSERT_TRUE(remaining.seconds());
  EXPECT_NEAR(*remaining.seconds(), 1400.0, 1e-6);
}

TEST(RemainingTime, KnowsNothingBeforeThereIsSomethingToGoBy) {
  RemainingTime remaining;
  EXPECT_FALSE(remaining.seconds());
  remaining.update(0.0, 0.0);
  EXPECT_FALSE(remaining.seconds());
  remaining.update(1.0, 0.001);
  EXPECT_FALSE(remaining.seconds()) << "a thousandth in a second says little";
  remaining.update(6.0, 0.006);
  EXPECT_TRUE(remaining.seconds());
}

TEST(RemainingTime, FollowsWorkThatBecomesMuchFaster) {
  RemainingTime remaining;  // 40 full steps of 20 s, then reduced ones of 0.05 s, of 1500
  double now = 0.0;
  for (int i = 0; i <= 40; ++i) remaining.update(now = 20.0 * i, i / 1500.0);
  EXPECT_NEAR(*remaining.seconds(), 29200.0, 1.0);
  for (int i = 41; i <= 840; ++i) remaining.update(now += 0.05, i / 1500.0);
  const double truth = 660 * 0.05, naive = now * 660.0 / 840.0;
  EXPECT_LT(*remaining.seconds(), 1.5 * truth) << "all of it so far would say " << naive;
  EXPECT_GE(*remaining.seconds(), truth);
}

TEST(RemainingTime, IsNeverLongerThanTheWholeOfTheWorkSuggests) {
  RemainingTime remaining;
  for (int i = 0; i <= 500; ++i) remaining.update(0.1 * i, i / 1000.0);
  remaining.update(50.0 + 60.0, 0.501);  // one slow step
  EXPECT_NEAR(*remaining.seconds(), 110.0 * 0.499 / 0.501, 1e-9);
}

TEST(RemainingTime, DoesNotDependOnHowOftenSteadyWorkReports) {
  RemainingTime often, seldom;
  for (int i = 0; i <= 4000; ++i) often.update(0.01 * i, i / 10000.0);
  for (int i = 0; i <= 4; ++i) seldom.update(10.0 * i, i / 10.0);
  EXPECT_NEAR(*often.seconds(), 60.0, 1e-6);
  EXPECT_NEAR(*seldom.seconds(), 60.0, 1e-6);
}

TEST(RemainingTime, CountsOnlyWhatThisRunDid) {
  RemainingTime remaining;  // resumed at 60 %
  for (int i = 0; i <= 100; ++i) remaining.update(1.0 * i, 0.6 + i / 1000.0);
  EXPECT_NEAR(*remaining.seconds(), 300.0, 1e-6);
}

TEST(RemainingTime, StartsAgainWithANewStage) {
  RemainingTime remaining;
  for (int i = 0; i <= 10; ++i) remaining.update(1.0 * i, i / 10.0);
  remaining.update(10.0, 0.0);
  EXPECT_FALSE(remaining.seconds());
  for (int i = 1; i <= 5; ++i) remaining.update(10.0 + 100.0 * i, i / 10.0);
  EXPECT_NEAR(*remaining.seconds(), 500.0, 1e-6);
}

TEST(DurationText, IsRoundedUpToWhatAnEstimateCanSay) {
  EXPECT_EQ(duration_text(0.0), "1 s");
  EXPECT_EQ(duration_text(7.2), "8 s");
  EXPECT_EQ(duration_text(41.0), "45 s");
  EXPECT_EQ(duration_text(91.0), "2 min");
  EXPECT_EQ(duration_text(120.0), "2 min");
  EXPECT_EQ(duration_text(99 * 60.0), "99 min");
  EXPECT_EQ(duration_text(2 * 3600.0), "2 h");
  EXPECT_EQ(duration_text(2 * 3600.0 + 300.0), "2 h 10 min");
  EXPECT_EQ(duration_text(30.5 * 3600.0), "31 h");
  EXPECT_EQ(duration_text(100 * 3600.0), "5 days");
}

TEST(ProgressBar, ShowsStepShareAndTimeLeftOnATerminal) {
  Desk desk;
  {
    ProgressBar bar(desk.output(true));
    for (int i = 0; i <= 412; ++i) {
      desk.now = 0.1 * i;
      bar.show(fmt::format("step {} of 1500", i), i / 1500.0);
    }
    EXPECT_EQ(desk.written.back(),
              "\r[########                      ] step 412 of 1500  27 %  2 min left\033[K");
  }
  EXPECT_EQ(desk.written.back(), "\r\033[K") << "the bar goes";
}

TEST(ProgressBar, RedrawsNoMoreThanTenTimesASecond) {
  Desk desk;
  ProgressBar bar(desk.output(true));
  for (int i = 0; i <= 1000; ++i) {
    desk.now = 0.001 * i;
    bar.show("step", i / 2000.0);
  }
  EXPECT_LE(desk.written.size(), 10U);
  EXPECT_GE(desk.written.size(), 9U);
}

TEST(ProgressBar, WritesAPlainLinePerTenthElsewhere) {
  Desk desk;
  {
    ProgressBar bar(desk.output(false));
    for (int i = 0; i <= 100; ++i) {
      desk.now = 1.0 * i;
      bar.show(fmt::format("step {} of 100", i), i / 100.0);
    }
  }
  ASSERT_EQ(desk.written.size(), 9U);
  EXPECT_EQ(desk.written[0], "step 10 of 100  10 %  90 s left\n");
  EXPECT_EQ(desk.written[8], "step 90 of 100  90 %  10 s left\n");
}

TEST(ProgressBar, WritesAPlainLineEveryFiveMinutesOfSlowWork) {
  Desk desk;
  ProgressBar bar(desk.output(false));
  for (int i = 0; i <= 60; ++i) {
    desk.now = 20.0 * i;
    bar.show(fmt::format("step {} of 1500", i), i / 1500.0);
  }
  ASSERT_EQ(desk.written.size(), 4U);
  EXPECT_EQ(desk.written[0], "step 15 of 1500  1 %  8 h 20 min left\n");
}

TEST(ProgressBar, SaysNothingOfShortWorkElsewhere) {
  Desk desk;
  ProgressBar bar(desk.output(false));
  for (int i = 0; i <= 100; ++i) {
    desk.now = 0.01 * i;
    bar.show("step", i / 100.0);
  }
  EXPECT_TRUE(desk.written.empty());
}

TEST(ProgressBar, SpeaksOfNoTimeLeftAtTheEnd) {
  Desk desk;
  ProgressBar bar(desk.output(true));
  bar.show("step", 0.0);
  desk.now = 10.0;
  bar.show("step", 0.999);
  EXPECT_TRUE(contains(desk.written.back(), " 99 %  1 s left")) << desk.written.back();
  desk.now = 11.0;
  bar.show("step", 1.0);
  EXPECT_TRUE(contains(desk.written.back(), "step  100 %\033[K")) << desk.written.back();
}

}  // namespace
}  // namespace limber::progress_bar_test
