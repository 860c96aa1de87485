// SPDX-License-Identifier: Apache-2.0
#include "train/best_tracker.h"
#include "core/json.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/error.h"

namespace verbund {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::UnorderedElementsAre;

EvaluateConfig config_of(const std::string& best, const std::string& stop_on = "", int64_t patience = 2) {
  EvaluateConfig config;
  config.best = best;
  config.stop_on = stop_on;
  config.patience = patience;
  return config;
}

TEST(BestTracker, NamesTheBestOfEachMetric) {
  BestTracker tracker(config_of("bleu loss"));
  EXPECT_THAT(tracker.record(10, {{"bleu", 20}, {"loss", 3}}), UnorderedElementsAre("best", "best-bleu", "best-loss"));
  EXPECT_THAT(tracker.record(20, {{"bleu", 19}, {"loss", 2}}), ElementsAre("best-loss"));
  EXPECT_THAT(tracker.record(30, {{"bleu", 20}, {"loss", 2}}), IsEmpty()) << "the same is not better";
  EXPECT_EQ(tracker.links(), (std::map<std::string, int64_t>{{"best", 10}, {"best-bleu", 10}, {"best-loss", 20}}));
}

TEST(BestTracker, ASmallChangeIsNone) {
  EvaluateConfig config = config_of("bleu");
  config.min_change = 0.5;
  BestTracker tracker(config);
  tracker.record(10, {{"bleu", 20}});
  EXPECT_THAT(tracker.record(20, {{"bleu", 20.4}}), IsEmpty());
  EXPECT_THAT(tracker.record(30, {{"bleu", 20.6}}), ElementsAre("best-bleu", "best"));
}

TEST(BestTracker, NotANumberIsNeverBest) {
  BestTracker tracker(config_of("loss"));
  tracker.record(10, {{"loss", 3}});
  EXPECT_THAT(tracker.record(20, {{"loss", std::nan("")}}), IsEmpty());
}

TEST(BestTracker, StopsWhenAllOrAnyAreStale) {
  for (const StopWhen when : {StopWhen::kAll, StopWhen::kAny}) {
    EvaluateConfig config = config_of("bleu", "bleu loss");
    config.stop_when = when;
    BestTracker tracker(config);
    tracker.record(1, {{"bleu", 20}, {"loss", 3}});
    tracker.record(2, {{"bleu", 19}, {"loss", 2}});
    EXPECT_EQ(tracker.stop_reason(), "");
    tracker.record(3, {{"bleu", 18}, {"loss", 1}});
    EXPECT_EQ(tracker.stop_reason().empty(), when == StopWhen::kAll);
    if (when == StopWhen::kAny) {
      EXPECT_THAT(tracker.stop_reason(), testing::AllOf(HasSubstr("bleu"), HasSubstr("step 1")));
    }
    tracker.record(4, {{"bleu", 18}, {"loss", 1}});
    tracker.record(5, {{"bleu", 18}, {"loss", 1}});
    EXPECT_NE(tracker.stop_reason(), "");
  }
}

TEST(BestTracker, GoesOnWhereItWas) {
  BestTracker one(config_of("bleu", "loss", 3));
  one.record(1, {{"bleu", 20}, {"loss", 3}});
  one.record(2, {{"bleu", 21}, {"loss", 4}});
  BestTracker other(config_of("bleu", "loss", 3));
  other.restore(parse_json(one.state().dump()));
  EXPECT_EQ(other.state(), one.state());
  for (int64_t step = 3; step < 5; ++step) {
    EXPECT_EQ(one.stop_reason(), other.stop_reason());
    EXPECT_EQ(one.record(step, {{"bleu", 20.5}, {"loss", 3.5}}), other.record(step, {{"bleu", 20.5}, {"loss", 3.5}}));
  }
  EXPECT_NE(other.stop_reason(), "");
  EXPECT_EQ(one.links(), other.links());
}

// What an older version saved as "loss" was label-smoothed, and lower than any cross-entropy of that model.
TEST(BestTracker, TheSmoothedLossOfAnOlderCheckpointIsForgotten) {
  BestTracker tracker(config_of("bleu loss"));
  tracker.restore({{"bleu", {{"value", 20}, {"step", 10}, {"without_change", 0}}},
                   {"loss", {{"value", 0.59}, {"step", 10}, {"without_change", 0}}}});
  EXPECT_THAT(tracker.record(20, {{"bleu", 19}, {"loss", 0.63}}), ElementsAre("best-loss"));
  EXPECT_EQ(tracker.state().at("cross_entropy").at("value"), 0.63);
}

TEST(BestTracker, RefusesWhatIsNoMetric) { EXPECT_THROW(BestTracker(config_of("rouge")), UsageError); }

}  // namespace
}  // namespace verbund
