// SPDX-License-Identifier: Apache-2.0
#include "core/json.h"
#include "report/run_page.h"

#include <gmock/gmock.h>

#include "core/file.h"
#include "page/page.h"
#include "support/temporary_folder.h"

namespace verbund {
namespace {

using testing::AllOf;
using testing::ContainsRegex;
using testing::HasSubstr;
using testing::Not;

std::string text_of(const Section& section) {
  Page page;
  page.sections = {section};
  return markdown_page(page);
}

TEST(LedgerSection, HasATableThatAddsUp) {
  Ledger ledger;
  ledger.wall = 100;
  ledger.parts[static_cast<size_t>(TimeUse::kCompute)] = 80;
  ledger.parts[static_cast<size_t>(TimeUse::kDown)] = 20;
  const Section section = ledger_section(ledger);
  const auto& table = std::get<Table>(section.blocks.at(1));
  ASSERT_EQ(table.rows.size(), 3u);
  EXPECT_EQ(table.rows[0][2].text, "80.0 %");
  EXPECT_EQ(table.rows[2][1].value, 100);
}

TEST(FaultsSection, SaysThatThereWasNoneOnlyIfThatIsOnRecord) {
  RunData run;
  EXPECT_TRUE(faults_section(run).blocks.empty()) << "no history";
  run.history.emplace_back().event = "start";
  run.starts = {{0, 0, 10, 0, "finished at step 5", false, {}}};
  EXPECT_EQ(faults_section(run).blocks.size(), 1u);
  run.starts[0].killed = true;
  EXPECT_TRUE(faults_section(run).blocks.empty()) << "a kill leaves no event";
  run.starts.push_back({1, 10, 20, 0, "finished at step 5", false, {}});
  EXPECT_TRUE(faults_section(run).blocks.empty()) << "nor does one before the first checkpoint";
}

TEST(FaultsSection, TellsWhatHappenedAndLeavesOutWhatIsUsual) {
  RunData run;
  const auto add = [&](const char* event, Json line) {
    HistoryEvent happened;
    happened.event = event;
    happened.at = 1.7e9;
    happened.host = "a";
    happened.line = std::move(line);
    run.history.push_back(happened);
  };
  add("save", {{"seconds", 1}});
  EXPECT_THAT(text_of(faults_section(run)), Not(HasSubstr("|")));
  add("resume", {{"from_step", 400}, {"lost_steps", 50}});
  add("roll_back", {{"from_step", 90}, {"to_step", 80}, {"rate_factor", 0.5}, {"reason", "the loss is nan"}});
  add("lost_worker", {{"message", 7}});  // of another kind than expected
  const std::string text = text_of(faults_section(run));
  EXPECT_THAT(text, HasSubstr("from step 400"));
  EXPECT_THAT(text, AllOf(HasSubstr("from step 90 to 80"), HasSubstr("0.5: the loss is nan")));
  EXPECT_THAT(text, Not(HasSubstr("save")));
}

TEST(MixtureSection, SaysWhatWasSeenOfEachCorpusInAllAndByStage) {
  RunData run;
  run.record["dataset"] = {{"corpora", {{{"name", "a"}, {"usable_pairs", 100}}, {{"name", "b"}, {"usable_pairs", 50}}}},
                           {"mixture", "as described"}};
  run.training.step = {10};
  run.training.columns = {{"pairs_seen.a", {150}}, {"pairs_seen.b", {50}}};
  const auto rows_of = [&] { return std::get<Table>(mixture_section(run).blocks.at(1)).rows; };
  ASSERT_EQ(rows_of().size(), 2u);
  EXPECT_EQ(rows_of()[0][4].text, "1.50");
  EXPECT_EQ(rows_of()[0][5].text, "75.0 %");
  HistoryEvent stage;
  stage.event = "stage";
  for (const int seen : {1, 50}) {  // the first was undone
    stage.line = {
        {"stage", 2}, {"name", "second"}, {"before", {{"name", "first"}, {"seen", {{"a", 100}, {"b", seen}}}}}};
    run.history.push_back(stage);
  }
  const auto rows = rows_of();
  ASSERT_EQ(rows.size(), 6u);
  EXPECT_EQ(rows[3][0].text, "first");
  EXPECT_EQ(rows[3][3].value, 50);
  EXPECT_EQ(rows[4][0].text, "second");
  EXPECT_EQ(rows[4][3].value, 50);
  EXPECT_EQ(rows[5][3].value, 0);
  HistoryEvent roll_back;
  roll_back.event = "roll_back";
  roll_back.line = {{"from_step", 9}, {"to_step", 0}};
  run.history.push_back(roll_back);
  EXPECT_EQ(rows_of().size(), 2u) << "the stage was undone";
  run.record["dataset"]["corpora"].erase(1);
  run.history.clear();
  EXPECT_TRUE(mixture_section(run).blocks.empty());
}

TEST(EvaluationsSection, MarksTheBestOfEachColumn) {
  RunData run;
  run.evaluations.step = {100, 200, 300};
  run.evaluations.time = {0, 1, 2};
  run.evaluations.columns["dev_bleu"] = {10, 30, 20};
  run.evaluations.columns["dev_loss"] = {3, kNotKnown, 1};
  const std::string text = text_of(evaluations_section(run));
  EXPECT_THAT(text, HasSubstr("30.00 \\*"));
  EXPECT_THAT(text, HasSubstr("1.000 \\*"));
  EXPECT_THAT(text, Not(HasSubstr("20.00 \\*")));
  EXPECT_THAT(text, HasSubstr("| \\- |"));
}

// Evaluations of three sentences.
RunData run_with_samples(const fs::path& folder) {
  RunData run;
  run.folder = folder;
  make_folder(folder / "evaluations");
  write_file(folder / "evaluations" / "dev.jsonl",
             "{\"source\":\"s0\",\"reference\":\"r0\"}\n{\"source\":\"s1\",\"reference\":\"r1\"}\n{\"source\":\"s2\","
             "\"reference\":\"r2\"}\n");
  const std::string statistics =
      ",\"tokens\":1,\"bleu\":[1,1,1,0,0,0,1,0,0,0],\"chrf\":[1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1]}\n";
  for (const int step : {0, 100, 200}) {
    const fs::path file = folder / "evaluations" / fmt::format("step-{:08}.jsonl", step);
    std::string text;
    for (int i = 0; i < 3; ++i)
      text += fmt::format("{{\"translation\":\"t{}-{}\",\"cross_entropy\":1{}", i, step, statistics);
    write_file(file, text);
    run.evaluation_files.emplace_back(step, file);
  }
  run.sentence_losses = {{100, {9, 1, 2}, {1, 1, 1}}, {200, {1, 3, 2}, {1, 1, 1}}};
  return run;
}

// A fine-tuned run is translated before its first step as well.
TEST(SamplesSection, ShowsTheStateBeforeFineTuning) {
  const TemporaryFolder folder;
  const RunData run = run_with_samples(folder.path());
  EXPECT_THAT(text_of(samples_section(run)), HasSubstr("t1-0"));
  write_file(run.evaluation_files[0].second, "{\"cross_entropy\":1,\"tokens\":1}\n");  // random weights: only the loss
  const std::string text = text_of(samples_section(run));
  EXPECT_THAT(text, Not(HasSubstr("t1-0")));
  EXPECT_THAT(text, HasSubstr("t1-100"));
}

TEST(SamplesSection, FindsTheImprovedAndTheForgotten) {
  const TemporaryFolder folder;
  const std::string text = text_of(samples_section(run_with_samples(folder.path())));
  EXPECT_THAT(text, ContainsRegex("8\\.00 nats per token .*sentence 1"));
  EXPECT_THAT(text, ContainsRegex("2\\.00 nats per token .*sentence 2"));
  EXPECT_THAT(text, HasSubstr("t1-200"));
  EXPECT_THAT(text, HasSubstr("r0"));
}

TEST(Sections, OfARunOfWhichNothingIsKnownAreEmpty) {
  const RunData run;
  for (const Section& section :
       {ledger_section(Ledger()), curves_section(run), evaluations_section(run), samples_section(run),
        configuration_section(run), environment_section(run), commands_section(run)}) {
    EXPECT_TRUE(section.blocks.empty()) << section.id;
  }
}

TEST(CommandsSection, QuotesForTheShell) {
  RunData run;
  StartFacts start;
  start.command = {"verbund", "train", "--run", "it's a run", "--set", "a=1"};
  run.starts = {start};
  EXPECT_THAT(text_of(commands_section(run)), HasSubstr("verbund train --run 'it'\\''s a run' --set a=1"));
}

StartFacts start_of(int number, int64_t step, const std::string& config, const std::string& reason) {
  StartFacts start;
  start.number = number;
  start.step = step;
  start.command = {"verbund", "train", "--config", config};
  start.reason = reason;
  return start;
}

size_t count_of(const std::string& text, const std::string& part) {
  size_t count = 0;
  for (size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++count;
  return count;
}

TEST(CommandsSection, HasEveryCommandAndEveryFolder) {
  RunData run;
  run.record["dataset"] = parse_json(R"({"path": "/gen", "provenance": {"command": ["verbund", "prepare", "gen"]},
    "further": [{"path": "/law", "provenance": {"command": ["verbund", "prepare", "law"]}}, {"path": "/lost"}]})");
  run.starts = {start_of(0, 0, "a.yaml", "finished at step 60"), start_of(1, 60, "a.yaml", "finished at step 60"),
                start_of(2, 60, "b.yaml", "finished at step 80")};
  const std::string once = std::get<Paragraph>(commands_section(run).blocks.front()).text;
  const std::string text = std::get<Code>(commands_section(run).blocks.back()).text;
  EXPECT_THAT(text, AllOf(HasSubstr("prepare gen\n"), HasSubstr("prepare law\n"), HasSubstr("# /lost")));
  EXPECT_EQ(count_of(text, "a.yaml"), 1U) << "the second start only resumes";
  EXPECT_EQ(count_of(text, "b.yaml"), 1U);
  EXPECT_EQ(count_of(text, "# from step 61 on"), 1U);
  run.starts[2].differences = {"the mixture was a, is now b"};
  EXPECT_NE(std::get<Paragraph>(commands_section(run).blocks.front()).text, once) << "no promise after a forced resume";
}

TEST(MixtureSection, HasTheMixtureOfEachPart) {
  RunData run;
  run.record["dataset"] =
      parse_json(R"({"corpora": [{"name": "a", "usable_pairs": 9}, {"name": "b", "usable_pairs": 9}],
    "mixture": "now"})");
  run.training.step = {345};
  run.training.columns = {{"pairs_seen.a", {5}}, {"pairs_seen.b", {5}}};
  const auto text = [&] { return std::get<Paragraph>(mixture_section(run).blocks.at(0)).text; };
  run.starts = {start_of(0, 0, "a", ""), start_of(1, 50, "a", ""), start_of(2, 200, "b", "")};
  EXPECT_THAT(text(), HasSubstr("last start: now"));  // as an older version recorded it
  run.starts[0].mixture = run.starts[1].mixture = "before";
  run.starts[2].mixture = "now";
  EXPECT_THAT(text(), AllOf(HasSubstr("step 1 on: before"), HasSubstr("step 201 on: now")));
  run.starts[2].step = 0;  // it went back to the beginning
  EXPECT_THAT(text(), Not(HasSubstr("before")));
}

TEST(FaultsSection, AForcedResumeSaysWhatDiffered) {
  RunData run;
  run.starts = {start_of(0, 0, "a", "stopped"), start_of(1, 200, "b", "")};
  run.starts[1].differences = {"the mixture was a, is now b"};
  EXPECT_THAT(text_of(faults_section(run)), HasSubstr("is now b"));
  HistoryEvent resume;
  resume.event = "resume";
  resume.start = 1;
  resume.line = {{"from_step", 200}};
  run.history = {resume};
  EXPECT_THAT(text_of(faults_section(run)), HasSubstr("is now b"));
}

TEST(RunPage, TheEpochsAreThoseOfEachCorpus) {
  RunData run;
  run.record["dataset"] =
      parse_json(R"({"corpora": [{"name": "a", "usable_pairs": 10}, {"name": "b", "usable_pairs": 20}]})");
  run.training.step = {5};
  run.training.columns = {{"epoch", {0.6}}, {"pairs_seen.a", {25}}, {"pairs_seen.b", {10}}};
  const auto facts = run_page(run, "verbund").facts;
  const auto epochs = std::ranges::find(facts, "epochs", &Fact::name);
  ASSERT_NE(epochs, facts.end());
  EXPECT_EQ(epochs->value, "a 2.5, b 0.5");
}

TEST(RunPage, PlacesOtherSectionsAfterItsOwnAndOmitsEmptyOnes) {
  RunData run;
  run.history.emplace_back().event = "start";
  run.evaluations.step = {100};
  run.evaluations.time = {0};
  run.evaluations.columns["dev_bleu"] = {10};
  const auto made = [](const RunData&) { return Section{"made", "Made", {Paragraph{"x"}}}; };
  const auto empty = [](const RunData&) { return Section{"empty", "Empty", {}}; };
  std::vector<std::string> ids;
  for (const Section& section : run_page(run, "verbund", {{"ledger", made}, {"faults", empty}}).sections) {
    ids.push_back(section.id);
  }
  EXPECT_THAT(ids, testing::ElementsAre("made", "evaluations", "faults"));
}

}  // namespace
}  // namespace verbund
