#include "limber/online/online_settings.hpp"

#include <gtest/gtest.h>

namespace limber::online_report_test {
namespace {

TimelineStep step(StepKind kind, Index rank, BasisChange change = BasisChange::none) {
  return {kind, change, rank, 0.0, 0.0};
}

TEST(OnlineReport, ComparesWithFullStepsAloneByTheirMeanTime) {
  OnlineReport report;
  report.full_steps = 10;
  report.reduced_steps = 90;
  report.full_seconds = 20.0;  // 2 s each: 200 s for all
  report.reduced_seconds = 2.0;
  report.learning_seconds = 3.0;
  EXPECT_DOUBLE_EQ(report.speedup(), 8.0);
}

TEST(OnlineReport, CountsLearningThatDidNotPayAsSlower) {
  OnlineReport report;
  report.full_steps = 10;
  report.full_seconds = 8.0;
  report.learning_seconds = 2.0;
  EXPECT_DOUBLE_EQ(report.speedup(), 0.8);
}

TEST(OnlineReport, HasASpeedupOfOneWhereThereIsNothingToCompareWith) {
  EXPECT_EQ(OnlineReport{}.speedup(), 1.0);
  OnlineReport resumed;  // reduced steps alone
  resumed.reduced_steps = 5;
  resumed.reduced_seconds = 0.1;
  EXPECT_EQ(resumed.speedup(), 1.0);
  OnlineReport untimed;
  untimed.full_steps = untimed.reduced_steps = 5;
  EXPECT_EQ(untimed.speedup(), 1.0);
}

TEST(OnlineReport, SkipsNothingWithoutSteps) {
  EXPECT_EQ(OnlineReport{}.skipped_share(), 0.0);
  OnlineReport report;
  report.full_steps = 1;
  report.reduced_steps = 3;
  EXPECT_EQ(report.skipped_share(), 0.75);
}

TEST(Timeline, IsToldByRunsThatEndWhereAnythingChanges) {
  const Timeline timeline{step(StepKind::full, 1, BasisChange::grown),
                          step(StepKind::full, 1),
                          step(StepKind::reduced, 1),
                          step(StepKind::reduced, 1),
                          step(StepKind::full, 1),
                          step(StepKind::full, 2, BasisChange::grown),
                          step(StepKind::full, 2, BasisChange::shrunk),
                          step(StepKind::reduced, 2)};
  Timeline told;
  std::vector<Index> lengths;
  for (const TimelineRun& run : runs_of(timeline)) {
    lengths.push_back(run.steps);
    for (Index i = 0; i < run.steps; ++i) {
      told.push_back(step(run.kind, run.rank, i == 0 ? run.change : BasisChange::none));
    }
  }
  EXPECT_EQ(lengths, (std::vector<Index>{2, 2, 1, 1, 1, 1}));
  ASSERT_EQ(told.size(), timeline.size());
  for (std::size_t i = 0; i < told.size(); ++i) {
    EXPECT_EQ(told[i].kind, timeline[i].kind) << i;
    EXPECT_EQ(told[i].rank, timeline[i].rank) << i;
    EXPECT_EQ(told[i].change, timeline[i].change) << i;
  }
  EXPECT_TRUE(runs_of({}).empty());
}

}  // namespace
}  // namespace limber::online_report_test
