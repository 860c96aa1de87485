// SPDX-License-Identifier: Apache-2.0
#include "import/tensorboard_scalars.h"

#include <gtest/gtest.h>

#include "import/scalar_tags.h"
#include "unit/import/shown_points.h"

namespace verbund {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::string csv(const std::string& rows) { return std::string(kScalarCsvHeader) + "\n" + rows; }

TEST(ScalarCsv, TagsBecomeOurKeys) {
  const ImportedRun run = read_scalar_csv({{"Eval_BLEU_Score.csv", csv("100.5,0,0.5\n")},
                                           {"eval_loss.csv", csv("101.5,0,nan\r\n")},
                                           {"global_step_sec.csv", csv("102,100,0.5\n103,200,0\n")},
                                           {"run-.-tag-Loss_Optimization_global_gradient_norm.csv", csv("104,1,3\n")},
                                           {"their_own.csv", csv("105,1,-inf\n")}});
  EXPECT_THAT(
      shown_with_time(run.points),
      ::testing::UnorderedElementsAre("dev_teacher_forced_piece_bleu 0 50 100.5", "dev_loss 0 nan 101.5",
                                      "seconds_per_step 100 2 102", "gradient_norm 1 3 104", "their_own 1 -inf 105"));
  EXPECT_THAT(run.notes, ElementsAre(HasSubstr("global_step_sec.csv: 1 lines")));
}

TEST(ScalarCsv, DamagedRowsAreLeftOutAndCounted) {
  const ImportedRun run =
      read_scalar_csv({{"train_loss.csv", csv("100,1,2\nx,2,2\n101,2\n102,-3,2\n1e300,4,2\n103,5,2.5\n104,6,2.")}});
  EXPECT_THAT(shown_with_time(run.points),
              ElementsAre("train_loss 1 2 100", "train_loss 4 2 nan", "train_loss 5 2.5 103"));
  EXPECT_THAT(run.notes, ElementsAre(AllOf(HasSubstr("train_loss.csv: 4 lines"), HasSubstr("line 3")),
                                     HasSubstr("train_loss.csv: 1 lines")));
}

TEST(ScalarCsv, OfSeveralRunsTheLongestCounts) {
  const ImportedRun run = read_scalar_csv({{"run-a-tag-train_loss.csv", csv("100,1,2\n")},
                                           {"run-b-tag-train_loss.csv", csv("100,1,3\n101,2,3\n")},
                                           {"run-eval-tag-eval_loss.csv", csv("100,1,4\n")}});
  EXPECT_THAT(shown_with_time(run.points), ElementsAre("train_loss 1 3 100", "train_loss 2 3 101", "dev_loss 1 4 100"));
  EXPECT_THAT(run.notes, ElementsAre(HasSubstr("train_loss of the run a")));
}

TEST(ScalarTags, NamesOfOursAreNotTakenByOthers) {
  EXPECT_EQ(translate_scalar("step", 1)->key, "tag/step");
  EXPECT_EQ(translate_scalar("time", 1)->key, "tag/time");
  EXPECT_EQ(translate_scalar("Loss_Optimization/loss_scale", 1)->key, "loss_scale");
  EXPECT_TRUE(is_of_evaluation("Eval_accuracy"));
  EXPECT_FALSE(is_of_evaluation("train_accuracy"));
}

}  // namespace
}  // namespace verbund
