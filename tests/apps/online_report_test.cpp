#include "apps/limber/online_report.hpp"

#include "tests/support/files.hpp"

#include <nlohmann/json.hpp>

namespace limber::online_report_test {
namespace {

using app::online_json;
using app::online_text;
using app::TextSet;
using app::timeline_text;
using test::contains;
using test::error_text;

/// 'F' full, 'r' reduced, 'G' full and grown, 'S' full and down-dated.
Timeline timeline_of(std::string_view letters) {
  Timeline timeline;
  Index rank = 0;
  for (const char letter : letters) {
    const BasisChange change = letter == 'G'   ? BasisChange::grown
                               : letter == 'S' ? BasisChange::shrunk
                                               : BasisChange::none;
    rank = letter == 'G' ? rank + 1 : letter == 'S' ? rank / 2 : rank;
    timeline.push_back({letter == 'r' ? StepKind::reduced : StepKind::full, change, rank, 0.0, 0.0});
  }
  return timeline;
}

OnlineReport small_report() {
  OnlineReport report;
  report.timeline = timeline_of("GGFrrrrr");
  report.rank = 2;
  report.key_elements = 17;
  report.basis_grown = 2;
  report.full_steps = 3;
  report.reduced_steps = 5;
  report.error = 0.012;
  report.full_seconds = 30.0;
  report.reduced_seconds = 1.0;
  report.learning_seconds = 1.0;
  return report;
}

TEST(TimelineText, HasOneCharacterPerStepOfAShortRun) {
  EXPECT_EQ(timeline_text(timeline_of("GFrrSr"), 76, TextSet::ascii), "##..#.\n|   v\n");
  EXPECT_EQ(timeline_text(timeline_of("GFrrSr"), 76), "██░░█░\n╵   ▼\n");
}

TEST(TimelineText, ShadesTheStepsThatShareACharacter) {
  EXPECT_EQ(timeline_text(timeline_of("FFFFFFFrFrrrrrrr"), 4, TextSet::ascii), "#+:.\n");
}

TEST(TimelineText, IsAsWideAsAskedForWhateverTheNumberOfSteps) {
  for (const std::size_t count : {76, 77, 100, 1500}) {
    const std::string text = timeline_text(timeline_of(std::string(count, 'r')), 76, TextSet::ascii);
    EXPECT_EQ(text, fmt::format("{:.<76}\n", "")) << count;
  }
}

TEST(TimelineText, IsEmptyWithoutSteps) { EXPECT_EQ(timeline_text({}, 76), ""); }

TEST(TimelineText, RefusesNoColumns) {
  EXPECT_TRUE(contains(error_text([] { timeline_text({}, 0); }), "0 columns, expected at least 1"));
}

TEST(OnlineText, SaysWhatWasSkippedWhatItCostAndHowExactItIs) {
  EXPECT_EQ(online_text("beam", small_report(), 0.02, TextSet::ascii),
            "beam: 5 of 8 steps reduced (62.5 %), about 2.5 times as fast as full steps alone\n"
            "  rank 2, 17 key elements; 2 vectors added to the basis\n"
            "  error about 1.2 % of the largest displacement (2 % accepted)\n"
            "  full steps 30.0 s, reduced steps 1.00 s, learning 1.00 s\n"
            "  ###.....\n"
            "  ||\n"
            "  # full  . reduced  | basis grown\n");
}

TEST(OnlineText, SaysWhereTheErrorIsMoreThanAccepted) {
  EXPECT_TRUE(contains(online_text("beam", small_report(), 0.01),
                       "1.2 % of the largest displacement, more than the 1 % accepted"));
}

TEST(OnlineText, SpeaksOfNoErrorWhereEveryStepWasFull) {
  OnlineReport report;
  report.timeline = timeline_of("FF");
  report.full_steps = 2;
  const std::string text = online_text("beam", report, 0.02);
  EXPECT_TRUE(contains(text, "no error: every step was full")) << text;
  EXPECT_TRUE(contains(text, "no basis was learned")) << text;
  EXPECT_FALSE(contains(text, "times as fast")) << text;
}

TEST(OnlineText, NeverRoundsToAllSteps) {
  OnlineReport report = small_report();
  report.reduced_steps = 99999;
  report.full_steps = 1;
  EXPECT_TRUE(contains(online_text("beam", report, 0.02), "99999 of 100000 steps reduced (over 99.9 %)"));
}

TEST(OnlineText, IsOneLineWithoutSteps) { EXPECT_EQ(online_text("beam", {}, 0.02), "beam: no steps\n"); }

TEST(OnlineJson, HoldsTheFiguresAndTheTimelineInRuns) {
  const nlohmann::ordered_json json = online_json(small_report());
  EXPECT_EQ(json["rank"], 2);
  EXPECT_EQ(json["key_elements"], 17);
  EXPECT_EQ(json["skipped_share"], 0.625);
  EXPECT_EQ(json["full_steps"], 3);
  EXPECT_EQ(json["reduced_steps"], 5);
  EXPECT_EQ(json["basis_grown"], 2);
  EXPECT_EQ(json["basis_shrunk"], 0);
  EXPECT_EQ(json["error_estimate"], 0.012);
  EXPECT_EQ(json["speedup_estimate"], 2.5);
  EXPECT_EQ(json["seconds"]["learning"], 1.0);
  EXPECT_EQ(
      json["timeline"].dump(),
      R"([{"kind":"full","steps":1,"rank":1,"basis":"grown"},{"kind":"full","steps":2,"rank":2,"basis":"grown"},)"
      R"({"kind":"reduced","steps":5,"rank":2}])");
}

}  // namespace
}  // namespace limber::online_report_test
