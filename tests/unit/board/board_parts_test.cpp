// SPDX-License-Identifier: Apache-2.0
// Parts of the board's answers: hosts, sentences, figures for Prometheus, files of the page.
#include <gtest/gtest.h>

#include "board/host_use.h"
#include "board/open_metrics.h"
#include "board/run_summary.h"
#include "board/sentences.h"
#include "board/web_files.h"
#include "unit/board/made_folder.h"

namespace verbund {
namespace {

TEST(HostUse, TheLastRowsAreReadWithoutTheOthers) {
  const TemporaryFolder folder;
  fs::create_directories(folder / "resources");
  const fs::path path = resources_path(folder.path(), 0, 0);
  {
    ResourceWriter writer(path, {0, "alpha", 0, {{"process.cpu_user", "cores", ""}, {"process.memory_bytes", "", ""}}});
    for (int i = 0; i < 1000; ++i) {
      ASSERT_TRUE(writer.add({1000.0 + i, {static_cast<float>(i), 5e8f}}));
    }
  }
  std::ofstream(path, std::ios::app) << "half";
  const auto last = read_last_resources(path, 10);
  ASSERT_TRUE(last);
  EXPECT_EQ(last->header.host, "alpha");
  ASSERT_EQ(last->times.size(), 10U);
  EXPECT_EQ(last->times.back(), 1999);
  EXPECT_EQ(last->values[0].front(), 990.0f);
  EXPECT_EQ(read_last_resources(path, 5000)->times.size(), 1000U);
  EXPECT_FALSE(read_last_resources(folder / "none", 10));
  EXPECT_FALSE(read_last_resources(folder.write("damaged", "VBresrc\n\1\0\0\0\xff\xff\xff\xff"), 10));
}

// A line of an evaluation: a translation whose chrF is 10 times `matches`.
std::string evaluated_line(const std::string& translation, int matches) {
  Json chrf = Json::array();
  for (int i = 0; i < 6; ++i) chrf.insert(chrf.end(), {10, 10, matches});
  return dump_json({{"translation", translation},
                    {"cross_entropy", 2.0},
                    {"tokens", 4},
                    {"bleu", {4, 4, 1, 1, 1, 1, 4, 3, 2, 1}},
                    {"chrf", chrf}}) +
         "\n";
}

// The folder of a run with these dev sentences.
fs::path with_dev_set(const fs::path& run, const std::vector<KeptPair>& pairs) {
  fs::create_directories(evaluations_folder(run));
  std::ofstream file(dev_file(run));
  for (const KeptPair& pair : pairs) {
    file << dump_json({{"source", pair.source}, {"reference", pair.reference}}) << "\n";
  }
  return run;
}

std::vector<int> numbers_of(const Json& list) {
  std::vector<int> numbers;
  for (const Json& sentence : list["sentences"]) numbers.push_back(sentence["number"]);
  return numbers;
}

TEST(Sentences, AreOrderedAndSearched) {
  const TemporaryFolder folder;
  const fs::path run = with_dev_set(folder.path(), {{"Eins", "one"}, {"Zwei", "two two"}, {"Drei", "three"}});
  std::ofstream(evaluation_file(run, 100))
      << evaluated_line("x", 5) << evaluated_line("y", 1) << evaluated_line("z", 3);
  std::ofstream(evaluation_file(run, 200))
      << evaluated_line("one", 10) << evaluated_line("y", 0) << evaluated_line("zz", 4);
  SentenceTable table;
  table.refresh(run);
  const auto order = [&](SentenceOrder by, const std::string& search = "") {
    SentenceRequest request;
    request.order = by;
    request.search = search;
    return numbers_of(table.list(request));
  };
  EXPECT_EQ(order(SentenceOrder::kFirst), (std::vector<int>{0, 1, 2}));
  EXPECT_EQ(order(SentenceOrder::kWorst), (std::vector<int>{1, 2, 0}));
  EXPECT_EQ(order(SentenceOrder::kChanged), (std::vector<int>{0, 1, 2}));
  EXPECT_EQ(order(SentenceOrder::kImproved), (std::vector<int>{0, 2, 1}));
  EXPECT_EQ(order(SentenceOrder::kForgotten), (std::vector<int>{1, 2, 0}));
  EXPECT_EQ(order(SentenceOrder::kLongest), (std::vector<int>{1, 2, 0}));
  EXPECT_EQ(order(SentenceOrder::kFirst, "TWO"), std::vector<int>{1});
  EXPECT_EQ(order(SentenceOrder::kFirst, "X"), std::vector<int>{0});  // in the other translation
  EXPECT_EQ(table.list({})["better"], 2);
  EXPECT_EQ(table.list({})["worse"], 1);
  EXPECT_EQ(table.history(0)["history"].size(), 2U);
  EXPECT_EQ(table.history(0)["history"][1]["chrf"], 100);
  EXPECT_TRUE(table.history(3).is_null());

  fs::remove_all(evaluations_folder(run));
  table.refresh(run);
  EXPECT_EQ(table.list({})["found"], 0);
}

TEST(Sentences, OfTwoRunsBelongTogetherIfSourceAndReferenceAreTheSame) {
  const TemporaryFolder folder;
  // Another order, a pair that occurs twice, another reference, and pairs that only one of them has.
  const fs::path run =
      with_dev_set(folder / "a", {{"Eins", "one"}, {"Ja", "yes"}, {"Zwei", "two"}, {"Ja", "yes"}, {"Drei", "three"}});
  const fs::path other =
      with_dev_set(folder / "b", {{"Zwei", "two"}, {"Ja", "yes"}, {"Eins", "a one"}, {"Ja", "yes"}, {"Vier", "four"}});
  std::ofstream(evaluation_file(run, 100))
      << evaluated_line("one", 9) << evaluated_line("no", 1) << evaluated_line("too", 8) << evaluated_line("yes", 10)
      << evaluated_line("three", 10);
  std::ofstream(evaluation_file(other, 50)) << evaluated_line("x", 0) << evaluated_line("x", 0);
  std::ofstream(evaluation_file(other, 70)) << evaluated_line("two two", 5) << evaluated_line("yes yes", 6)
                                            << evaluated_line("one", 10) << evaluated_line("ja", 3);
  SentenceTable table, others;
  table.refresh(run);
  others.refresh(other);
  SentenceRequest request;
  request.order = SentenceOrder::kChanged;
  Json list = table.list(request, &others);
  EXPECT_EQ(list["steps"], Json({100}));
  EXPECT_EQ(list["against_steps"], Json({50, 70}));
  EXPECT_EQ(list["against"], 70);  // the last of the other
  EXPECT_EQ(list["here"], 5);
  EXPECT_EQ(list["there"], 4);
  EXPECT_EQ(list["shared"], 3);
  EXPECT_EQ(list["better"], 2);
  EXPECT_EQ(list["worse"], 1);
  EXPECT_EQ(numbers_of(list), (std::vector<int>{3, 1, 2}));  // by 70, -50 and 30
  EXPECT_EQ(list["sentences"][0]["other"], "ja");
  EXPECT_EQ(list["sentences"][1]["other"], "yes yes");
  EXPECT_EQ(list["sentences"][2]["other"], "two two");
  EXPECT_EQ(list["sentences"][2]["chrf_other"], 50);
  request.search = "TWO TWO";
  EXPECT_EQ(numbers_of(table.list(request, &others)), std::vector<int>{2});
  request.search = "";
  request.against = 50;
  list = table.list(request, &others);
  EXPECT_EQ(list["against"], 50);
  EXPECT_EQ(list["shared"], 2);

  SentenceTable strange;
  strange.refresh(with_dev_set(folder / "c", {{"Fünf", "five"}}));
  EXPECT_EQ(table.list({}, &strange)["against_steps"].size(), 0U);
  std::ofstream(evaluation_file(folder / "c", 10)) << evaluated_line("five", 10);
  strange.refresh(folder / "c");
  EXPECT_EQ(table.list({}, &strange)["shared"], 0);
  EXPECT_EQ(table.list({}, &strange)["found"], 0);
}

TEST(OpenMetrics, NamesAreEscapedAndUnknownValuesLeftOut) {
  EXPECT_EQ(metrics_label("a\"b\\c\nd"), "a\\\"b\\\\c\\nd");
  const TemporaryFolder folder;
  const MadeFolder made(folder / "a");
  made.train(10, 5.5);
  made.end("finished at step 10");
  WatchedRun run(made.path(), "a");
  run.refresh(2e9);
  OpenMetrics metrics;
  metrics.add(run, {{"disk", "x"}});
  const std::string text = metrics.text();
  EXPECT_NE(text.find("verbund_train_loss{run=\"a\"} 5.5\n"), std::string::npos) << text;
  EXPECT_NE(text.find("verbund_run_state{run=\"a\",state=\"finished\"} 1\n"), std::string::npos);
  EXPECT_NE(text.find("verbund_alert{run=\"a\",kind=\"disk\"} 1\n"), std::string::npos);
  EXPECT_EQ(text.find("verbund_dev_bleu{"), std::string::npos);
  EXPECT_TRUE(text.ends_with("# EOF\n"));
}

TEST(RunSummary, SettingsDifferIfNotAllRunsHaveTheSame) {
  const Json a = {{"seed", 1}, {"x", "y"}}, b = {{"seed", 2}, {"x", "y"}}, none = Json::object();
  EXPECT_EQ(differing_settings({&a, &b, &none}), std::set<std::string>{"seed"});
  EXPECT_TRUE(differing_settings({&a, &a}).empty());
  EXPECT_TRUE(differing_settings({}).empty());
}

TEST(WebFiles, OnlyThoseThatAreCompiledInAreFound) {
  EXPECT_EQ(find_web_file("/")->type, "text/html; charset=utf-8");
  EXPECT_EQ(find_web_file("/web/page.css")->type, "text/css; charset=utf-8");
  EXPECT_EQ(find_web_file("/web/dygraph.min.js")->type, "text/javascript; charset=utf-8");
  for (const char* path :
       {"", "/web/", "/web/index.html", "/web/../web/app.js", "/app.js", "/web/app", "//", "/etc/passwd"}) {
    EXPECT_FALSE(find_web_file(path)) << path;
  }
}

}  // namespace
}  // namespace verbund
