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

TEST(Sentences, AreOrderedAndSearched) {
  const TemporaryFolder folder;
  fs::create_directories(evaluations_folder(folder.path()));
  const auto line = [](const std::string& translation, int matches) {
    Json chrf = Json::array();
    for (int i = 0; i < 6; ++i) chrf.insert(chrf.end(), {10, 10, matches});
    return dump_json({{"translation", translation},
                      {"cross_entropy", 2.0},
                      {"tokens", 4},
                      {"bleu", {4, 4, 1, 1, 1, 1, 4, 3, 2, 1}},
                      {"chrf", chrf}}) +
           "\n";
  };
  std::ofstream(dev_file(folder.path())) << R"({"source":"Eins","reference":"one"})"
                                         << "\n"
                                         << R"({"source":"Zwei","reference":"two two"})"
                                         << "\n"
                                         << R"({"source":"Drei","reference":"three"})"
                                         << "\n";
  std::ofstream(evaluation_file(folder.path(), 100)) << line("x", 5) << line("y", 1) << line("z", 3);
  std::ofstream(evaluation_file(folder.path(), 200)) << line("one", 10) << line("y", 0) << line("zz", 4);
  SentenceTable table;
  table.refresh(folder.path());
  const auto order = [&](SentenceOrder by, const std::string& search = "") {
    SentenceRequest request;
    request.order = by;
    request.search = search;
    const Json list = table.list(request);
    std::vector<int> numbers;
    for (const Json& sentence : list["sentences"]) numbers.push_back(sentence["number"]);
    return numbers;
  };
  EXPECT_EQ(order(SentenceOrder::kFirst), (std::vector<int>{0, 1, 2}));
  EXPECT_EQ(order(SentenceOrder::kWorst), (std::vector<int>{1, 2, 0}));
  EXPECT_EQ(order(SentenceOrder::kImproved), (std::vector<int>{0, 2, 1}));
  EXPECT_EQ(order(SentenceOrder::kForgotten), (std::vector<int>{1, 2, 0}));
  EXPECT_EQ(order(SentenceOrder::kLongest), (std::vector<int>{1, 2, 0}));
  EXPECT_EQ(order(SentenceOrder::kFirst, "TWO"), std::vector<int>{1});
  EXPECT_EQ(table.history(0)["history"].size(), 2U);
  EXPECT_EQ(table.history(0)["history"][1]["chrf"], 100);
  EXPECT_TRUE(table.history(3).is_null());

  fs::remove_all(evaluations_folder(folder.path()));
  table.refresh(folder.path());
  EXPECT_EQ(table.list({})["found"], 0);
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
