// SPDX-License-Identifier: Apache-2.0
#include "core/json.h"

#include <sstream>

#include "doctor/judge.h"
#include "unit/doctor/made_facts.h"

namespace verbund {
namespace {

using ::testing::AllOf;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::StartsWith;

const Findings kFindings = {{Health::kOk, "program", "verbund 1.0", ""},
                            {Health::kProblem, "dataset", "worker 2 on b: there is none", "copy it"},
                            {Health::kWarning, "clock", "b is late", "set it"}};

TEST(Report, VerdictFirstAndAdviceBelow) {
  EXPECT_EQ(findings_table(kFindings),
            "verdict  check       finding\n"
            "ok       program     verbund 1.0\n"
            "problem  dataset     worker 2 on b: there is none\n"
            "                     -> copy it\n"
            "warning  clock       b is late\n"
            "                     -> set it\n");
}

TEST(Report, OnlyTheVerdictsAreColoured) {
  EXPECT_EQ(findings_table(kFindings, true),
            "verdict  check       finding\n"
            "\033[32mok       \033[0mprogram     verbund 1.0\n"
            "\033[31mproblem  \033[0mdataset     worker 2 on b: there is none\n"
            "                     -> copy it\n"
            "\033[33mwarning  \033[0mclock       b is late\n"
            "                     -> set it\n");
}

TEST(Report, LongTextsAreWrapped) {
  std::string words;
  for (int i = 0; i < 60; ++i) words += "word" + std::to_string(i) + " ";
  std::istringstream table(findings_table({{Health::kProblem, "dataset", words, words}}));
  std::string line, seen;
  for (int number = 0; std::getline(table, line); ++number) {
    EXPECT_LE(line.size(), 100U);
    EXPECT_GT(line.size(), 20U);
    if (number > 1) {
      EXPECT_EQ(line.substr(0, 21), std::string(21, ' '));
    }
    seen += line + " ";
  }
  for (int i = 0; i < 60; ++i) EXPECT_THAT(seen, HasSubstr("word" + std::to_string(i) + " "));
}

TEST(Report, Conclusion) {
  EXPECT_THAT(conclusion(kFindings), StartsWith("1 problem, 1 warning:"));
  EXPECT_THAT(conclusion({kFindings[2], kFindings[2]}), StartsWith("2 warnings:"));
  EXPECT_THAT(conclusion({kFindings[0]}), StartsWith("no problem:"));
  const Finding skipped = {Health::kSkipped, "dataset", "not checked", ""};
  EXPECT_THAT(conclusion({kFindings[0], skipped}), AllOf(StartsWith("no problem;"), EndsWith(": dataset")));
}

TEST(Report, JsonHasFindingsAndFacts) {
  const Facts facts = made_facts();
  const auto json = parse_json(findings_json(kFindings, facts));
  EXPECT_EQ(json.at("verdict"), "problem");
  ASSERT_EQ(json.at("findings").size(), 3U);
  EXPECT_EQ(json["findings"][1]["verdict"], "problem");
  EXPECT_EQ(json["findings"][1]["advice"], "copy it");
  EXPECT_EQ(json["facts"]["workers"].size(), 4U);
  EXPECT_EQ(json["facts"]["links"][0]["bytes_per_second"], 117e6);
  EXPECT_EQ(json["facts"]["start"], "together");
}

TEST(Report, FactsSurviveTheirWayAsJson) {
  Facts facts = made_facts();
  facts.start = StartResult::kBlocked;
  facts.asked[1] = {"b", 2, false, "no"};
  facts.workers[1].gpus = {"Tesla"};
  facts.workers[1].gpu.requested = "cuda";
  facts.workers[1].gpu.libraries = {{"libcuda.so.1", "/lib/libcuda.so.1", "12.4", ""}};
  facts.workers[1].gpu.number = 1;
  facts.workers[1].gpu.trouble = "no room";
  facts.transport = "nccl";
  facts.gpu_sum = {2, "", 1000, 0.5, 1e-7};
  facts.workers[1].config_error = "unknown";
  facts.workers[1].dataset_error = "none";
  const Json json = facts;
  EXPECT_EQ(Json(json.get<Facts>()), json);
  EXPECT_EQ(findings_table(judge_facts(json.get<Facts>())), findings_table(judge_facts(facts)));
}

TEST(Report, WhatIsNotUtf8DoesNotEndIt) {
  EXPECT_THAT(findings_json({{Health::kOk, "x", "caf\xe9", ""}}, Facts()), StartsWith("{"));
}

}  // namespace
}  // namespace verbund
