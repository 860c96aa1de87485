// SPDX-License-Identifier: Apache-2.0
// Verdicts that need no statistics: time, learning rate, training set, checkpoint; and all verdicts together.
#include "core/json.h"
#include "optim/schedule.h"
#include "report/judge.h"
#include "report/run_page.h"
#include "unit/report/made_run.h"

namespace verbund {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

TEST(HowLong, TellsWhatTheTimeWentTo) {
  MadeRun made;
  made.start(10);
  made.steps(1, 100, {0.1, 0.8, 0, 0.1});
  made.evaluate(100, 40);
  made.end("finished at step 100");
  const RunData run = made.take();
  const Verdict verdict = how_long(run, make_ledger(run));
  EXPECT_THAT(verdict.sentence, HasSubstr("2 min 30 s for 100 steps"));
  EXPECT_THAT(verdict.sentence, HasSubstr("53 % computing, 27 % evaluating, 6.7 % waiting for data"));
  EXPECT_NEAR(find_figure(verdict, "wall time").value, 150, 1e-3);
  EXPECT_EQ(verdict.charts.front().bars.size(), 1U);
  EXPECT_EQ(verdict.charts.front().part_names.size(), verdict.charts.front().bars[0].parts.size());
}

TEST(HowLong, ARunThatDiedSaysWhatThatCost) {
  MadeRun made;
  made.start(0);
  made.steps(1, 100, {0, 1, 0, 0});
  made.end("killed", true);
  made.pass(30);
  made.start(0, 50);
  made.steps(51, 100, {0, 1, 0, 0});
  made.end("");
  const RunData run = made.take();
  const Verdict verdict = how_long(run, make_ledger(run));
  EXPECT_THAT(verdict.sentence, HasSubstr("3 min 00 s for 100 steps"));
  EXPECT_EQ(find_figure(verdict, "steps computed again").value, 50);
  EXPECT_THAT(verdict.sentence, HasSubstr("50.0 s"));
  EXPECT_THAT(verdict.sentence, HasSubstr("30.0 s"));
  EXPECT_EQ(verdict.finding, Grade::kBad);
  EXPECT_EQ(how_long(RunData(), make_ledger(RunData())).finding, Grade::kCannotTell);
}

// The settings of transformer-base: 2.0, 8000, 512.
RunData run_of_base() {
  RunData run;
  run.config.emplace();
  const Schedule schedule(run.config->schedule, run.config->model.d_model);
  for (int64_t step = 100; step <= 50000; step += 100) {
    MadeRun::row(run.training, step, {{"learning_rate", schedule.rate(step - 1)}});
  }
  return run;
}

TEST(LearningRate, FollowsThePolicy) {
  const Verdict verdict = learning_rate(run_of_base());
  EXPECT_EQ(verdict.finding, Grade::kGood);
  EXPECT_NEAR(find_figure(verdict, "peak").value, 9.88e-4, 1e-6);
  EXPECT_EQ(find_figure(verdict, "step of the peak").value, 8000);
  EXPECT_NEAR(find_figure(verdict, "step after which it is half the peak").value, 32000, 10);
  EXPECT_LT(find_figure(verdict, "largest difference to the policy").value, 1e-6);
  EXPECT_THAT(verdict.sentence, HasSubstr("0.000988"));
  EXPECT_THAT(verdict.sentence, HasSubstr("step 50,000 it is 0.000395, 40 %"));
}

TEST(LearningRate, AJumpIsNamed) {
  RunData run = run_of_base();
  for (size_t i = 300; i < run.training.rows(); ++i) run.training.columns["learning_rate"][i] /= 2;
  EXPECT_THAT(learning_rate(run).sentence, HasSubstr("step 30,100"));
  run.starts = {{0, 0, 0, 0, "", false, {}}, {1, 0, 0, 30000, "", false, {}}};
  EXPECT_THAT(learning_rate(run).sentence, HasSubstr("not on record")) << "nothing was changed";
  run.starts[1].differences = {"schedule.learning_rate was 2, is now 1"};
  EXPECT_THAT(learning_rate(run).sentence, AllOf(HasSubstr("step 30,100"), HasSubstr("resumed")));
  HistoryEvent event;
  event.event = "roll_back";
  event.line = {{"to_step", 30000}};
  run.history.push_back(event);
  EXPECT_THAT(learning_rate(run).sentence, AllOf(HasSubstr("0.500 times"), HasSubstr("rolled back to step 30000")));
  event.event = "resume";
  event.line = {{"from_step", 30000}};
  run.history.push_back(event);
  EXPECT_THAT(learning_rate(run).sentence, Not(HasSubstr("rolled back"))) << "it was undone";
}

// The configuration of the run is that of its last start.
TEST(LearningRate, BeforeAResumeWithOtherSettingsItFollowsTheFormerOnes) {
  RunData run = run_of_base();
  for (size_t i = 0; i < 300; ++i) run.training.columns["learning_rate"][i] *= 2;
  run.starts = {{0, 0, 0, 0, "", false, {}}, {1, 0, 0, 30000, "", false, {}}};
  run.starts[1].differences = {"schedule.learning_rate was 4, is now 2"};
  EXPECT_THAT(learning_rate(run).sentence, AllOf(HasSubstr("Up to step 30,000"), Not(HasSubstr("not on record"))));
  run.starts[1].differences = {"dataset was another one"};
  EXPECT_THAT(learning_rate(run).sentence, Not(HasSubstr("Up to step 30,000")));
}

TEST(LearningRate, WithoutAConfigurationTheCurveAlone) {
  RunData run = run_of_base();
  run.config.reset();
  EXPECT_THAT(learning_rate(run).sentence, AllOf(HasSubstr("0.000988"), HasSubstr("step 8,000")));
  EXPECT_EQ(learning_rate(RunData()).finding, Grade::kCannotTell);
}

TEST(TrainingSet, InBothKindsOfMegabytes) {
  RunData run;
  run.record = parse_json(
      R"({"dataset":{"statistics":{"clean":{"pairs_before":4562102,"source_bytes_after":600000000,
    "target_bytes_after":700000000},"splits":{"train":{"pairs":4524868,"source":{"tokens":130000000},"target":{"tokens":140000000}}}}}})");
  MadeRun::row(run.training, 1, {{"epoch", 7.25}});
  for (const char* part :
       {"4.525\u00a0million", "1,300 MB (1,240 MiB)", "600 MB", "700 MB", "140\u00a0million", "7.25"}) {
    EXPECT_THAT(training_set(run).sentence, HasSubstr(part));
  }
  RunData imported;
  imported.imported = true;
  EXPECT_EQ(training_set(imported).finding, Grade::kCannotTell);
}

// Of two folders, one of which has long pairs: both count, and each corpus has epochs of its own.
TEST(TrainingSet, OfSeveralFolders) {
  RunData run;
  run.record = parse_json(R"({"dataset": {
    "statistics": {"clean": {"pairs_before": 8000, "source_bytes_after": 480000, "target_bytes_after": 520000},
                   "splits": {"train": {"pairs": 8000, "source": {"tokens": 10}, "target": {"tokens": 11}}}},
    "further": [{"path": "/law", "statistics": {
                   "clean": {"pairs_before": 12000, "source_bytes_after": 1000000, "target_bytes_after": 1000000},
                   "splits": {"train": {"pairs": 6000, "source": {"tokens": 20}, "target": {"tokens": 22}}}}}],
    "corpora": [{"name": "gen", "pairs": 8000, "usable_pairs": 7998},
                {"name": "law", "pairs": 6000, "usable_pairs": 2983}]}})");
  run.config.emplace();
  run.config->batch.max_length = 60;
  MadeRun::row(run.training, 50, {{"epoch", 0.153}, {"pairs_seen.gen", 363}, {"pairs_seen.law", 1327}});
  const Verdict verdict = training_set(run);
  EXPECT_EQ(find_figure(verdict, "pairs").value, 14000);
  EXPECT_EQ(find_figure(verdict, "source text").value, 1480000);
  EXPECT_EQ(find_figure(verdict, "target tokens").value, 33);
  EXPECT_EQ(find_figure(verdict, "pairs before cleaning").value, 20000);
  EXPECT_EQ(find_figure(verdict, "pairs left out as too long").value, 3019);
  EXPECT_NEAR(find_figure(verdict, "epochs of gen").value, 363.0 / 7998, 1e-9);
  EXPECT_NEAR(find_figure(verdict, "epochs of law").value, 1327.0 / 2983, 1e-9);
  for (const char* part : {"14,000", "3,019", "60 tokens", "gen 0.045 ", "law 0.445"}) {
    EXPECT_THAT(verdict.sentence, HasSubstr(part));
  }
  EXPECT_THAT(verdict.sentence, Not(HasSubstr("0.153")));
  run.record["dataset"].erase("further");  // as an older version recorded it
  run.record["dataset"]["folders"] = {"/gen", "/law"};
  EXPECT_EQ(find_figure(training_set(run), "pairs").value, 14000);
  EXPECT_FALSE(is_known(find_figure(training_set(run), "source text").value));
}

TEST(TrainingSet, OfOneFolderWithSeveralSources) {
  RunData run;
  run.record = parse_json(R"({"dataset": {"statistics": {"splits": {
    "train-euro": {"pairs": 4435, "target": {"tokens": 5}},
    "train-multi": {"pairs": 8000, "target": {"tokens": 6}}}}}})");
  EXPECT_EQ(find_figure(training_set(run), "pairs").value, 12435);
  EXPECT_EQ(find_figure(training_set(run), "target tokens").value, 11);
}

TEST(Checkpoint, FilesAndSizeWithWhatIsExpected) {
  RunData run;
  CheckpointContents contents;
  contents.folder = "checkpoints/step-00001000";
  contents.files = {{"optimizer.safetensors", "the optimiser's moments", 8000100, "", ""},
                    {"weights.safetensors", "the model", 4000100, "", ""}};
  contents.file_bytes = 12000200;
  contents.parameters = 1000000;
  contents.moments = {{"adam.m", 1000000, 4000000}, {"adam.v", 1000000, 4000000}};
  contents.expected_bytes = 12000000;
  contents.remainder = {{"headers", 200}};
  run.newest_checkpoint = contents;
  run.checkpoints = {{"step-00001000", 1000, {"last"}, 12000200}};
  for (const char* part : {"2 files in step-00001000", "optimizer.safetensors (the optimiser's moments)",
                           "weights.safetensors (the model)"}) {
    EXPECT_THAT(checkpoint_files(run).sentence, HasSubstr(part));
  }
  for (const char* part :
       {"12 MB (11.4 MiB)", "1\u00a0million parameters of 4 bytes, 3 times", "2 moments", "200 bytes"}) {
    EXPECT_THAT(checkpoint_size(run).sentence, HasSubstr(part));
  }
  double sum = 0;
  for (const Figure& figure : checkpoint_files(run).figures) sum += figure.unit == "bytes" ? figure.value : 0;
  EXPECT_EQ(sum, 12000200);
  EXPECT_EQ(checkpoint_size(RunData()).finding, Grade::kCannotTell);
}

TEST(Judge, AsksTwelveQuestionsOfAnyRun) {
  for (const RunData& run : {RunData(), run_of_base()}) {
    const std::vector<Verdict> verdicts = judge(run);
    ASSERT_EQ(verdicts.size(), 12U);
    for (const Verdict& verdict : verdicts) {
      EXPECT_FALSE(verdict.sentence.empty()) << verdict.id;
      EXPECT_FALSE(verdict.rule.empty()) << verdict.id;
      EXPECT_FALSE(verdict.would_change.empty()) << verdict.id;
      EXPECT_EQ(verdict.finding == Grade::kCannotTell, verdict.sentence.starts_with("Cannot tell, because "))
          << verdict.id;
    }
  }
}

// One loss is for people: the cross-entropy. The other is called what it is.
TEST(Judge, TheLossIsTheCrossEntropy) {
  RunData run;
  MadeRun::row(run.evaluations, 10,
               {{"dev_cross_entropy", 0.6332}, {"dev_loss", 0.5954}, {"dev_teacher_forced_piece_bleu", 40}});
  std::map<std::string, std::string> head;
  for (const Fact& fact : run_page(run, "verbund").facts) head[fact.name] = fact.value;
  EXPECT_THAT(head["best loss"], HasSubstr("0.6332"));
  EXPECT_EQ(head.count("best teacher-forced BLEU of pieces"), 1U);
  EXPECT_EQ(find_figure(fully_trained(run, make_ledger(run)), "lowest dev loss").value, 0.6332);
  const auto columns = [](const RunData& of) {
    const Table table = std::get<Table>(evaluations_section(of).blocks.back());
    std::map<std::string, double> values;
    for (size_t i = 0; i < table.columns.size(); ++i)
      values[table.columns[i].name] = table.rows[0][i].value.value_or(0);
    return values;
  };
  EXPECT_EQ(columns(run)["loss"], 0.6332);
  EXPECT_EQ(columns(run)["label-smoothed loss"], 0.5954);
  run.evaluations.columns.erase("dev_cross_entropy");  // an imported run has one loss, whatever it is
  EXPECT_EQ(columns(run)["loss"], 0.5954);
  EXPECT_EQ(columns(run).count("label-smoothed loss"), 0U);
}

TEST(Judge, FactsOfTheHead) {
  MadeRun made(4, 2);
  made.start(1);
  made.steps(1, 10);
  made.end("finished at step 10");
  MadeRun::row(made.data().evaluations, 5, {{"dev_bleu", 12}, {"dev_loss", 3}});
  MadeRun::row(made.data().evaluations, 10, {{"dev_bleu", 11}, {"dev_loss", 2}});
  MadeRun::row(made.data().training, 10, {{"target_tokens", 40000}});
  const RunData run = made.take();
  const BasicFacts facts = basic_facts(run, make_ledger(run));
  EXPECT_EQ(facts.state, "finished");
  EXPECT_EQ(facts.steps, 10);
  EXPECT_EQ(facts.workers, 4);
  EXPECT_EQ(facts.hosts, (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(facts.tokens, 40000);
  ASSERT_EQ(facts.best.size(), 2U);
  EXPECT_EQ(facts.best[0].step, 5);
  EXPECT_EQ(facts.best[1].step, 10);
}

}  // namespace
}  // namespace verbund
