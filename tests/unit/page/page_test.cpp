// SPDX-License-Identifier: Apache-2.0
// A page as HTML, Markdown and JSON.
#include "page/page.h"
#include "core/json.h"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <cmath>

namespace verbund {
namespace {

using testing::HasSubstr;
using testing::Not;

constexpr const char* kHostile = "</td></table><script>alert(1)</script>|\n# x <img src=http://a/b onerror=c>\"'";

Page made_page() {
  Verdict verdict;
  verdict.id = "step_time";
  verdict.question = "How long is a step?";
  verdict.finding = Grade::kBad;
  verdict.sentence = "A step takes 0.5 s.";
  verdict.figures = {{"median", 0.5, "s", 0.4, 0.6, "80 % interval"}, {"rate", NAN, "MB/s"}};
  verdict.rule = "The median.";
  verdict.would_change = "A faster host.";
  Chart chart;
  chart.id = "steps";
  chart.title = "Step time";
  chart.x_label = "step";
  chart.y_label = "s";
  chart.series.push_back({"a", {1, 2}, {0.5, NAN}});
  verdict.charts = {chart};
  Page page;
  page.kind = "Training run";
  page.title = "demo";
  page.state = "finished";
  page.summary = "All went well.";
  chart.id = "loss";
  page.strip = {chart};
  verdict.samples = {{"sentence 7", "a house", "ein Haus", "ein Maus", 12.3456}};
  page.facts = {{"steps", "100"}};
  page.notes = {"still running"};
  page.verdicts = {verdict};
  Table table;
  table.id = "evaluations";
  table.columns = {{"step", true}, {"translation", false, true}};
  table.rows = {{{"1,000", 1000.0}, "Hallo"}};
  page.sections = {{"evaluations", "Evaluations", {Paragraph{"All of them."}, table, Code{"verbund report x"}}}};
  page.made = "Made by verbund";
  return page;
}

Page hostile_page() {
  Page page = made_page();
  const std::string text = kHostile;
  Verdict& verdict = page.verdicts[0];
  page.title = page.made = page.facts[0].value = page.notes[0] = verdict.sentence = verdict.rule = text;
  page.state = page.summary = verdict.samples[0].name = verdict.samples[0].translation = text;
  verdict.figures[0].name = verdict.figures[0].unit = verdict.charts[0].title = text;
  auto& blocks = page.sections[0].blocks;
  std::get<Table>(blocks[1]).rows[0][1].text = text;
  std::get<Code>(blocks[2]).text = text;
  blocks.push_back(Heading{text});
  return page;
}

TEST(HtmlPage, AnswersFirstThenTheEvidence) {
  const std::string html = html_page(made_page());
  const size_t list = html.find("class=\"answers\""), evidence = html.find("<section id=\"step_time\"");
  ASSERT_NE(list, std::string::npos);
  EXPECT_LT(list, evidence);
  EXPECT_LT(evidence, html.find("<section id=\"evaluations\""));
  for (const char* part : {"aria-label=\"bad\"", "0.5\u00a0s", "0.4 to 0.6", "80 % interval", "The median.",
                           "A faster host.", "still running", "<td class=\"number\">1,000</td>", "unknown"}) {
    EXPECT_THAT(html, HasSubstr(part));
  }
}

// The first screen: name, state, summary, charts, answers.
TEST(HtmlPage, BeginsWithTheSummaryAndTheStrip) {
  const std::string html = html_page(made_page());
  size_t before = 0;
  for (const char* part : {"<h1>demo", "finished</span>", "All went well.", "<figure id=\"strip-loss\">",
                           "class=\"answers\"", "<dl class=\"sample\">", "ein Maus"}) {
    const size_t place = html.find(part);
    ASSERT_NE(place, std::string::npos) << part;
    EXPECT_GT(place, before) << part;
    before = place;
  }
  EXPECT_THAT(html, HasSubstr("BLEU 12.35"));
  const auto json = json_page(made_page());
  EXPECT_EQ(json.at("summary"), "All went well.");
  EXPECT_EQ(json.at("facts").at("state"), "finished");
  EXPECT_EQ(json.at("strip").at(0).at("id"), "loss");
  EXPECT_EQ(json.at("verdicts").at(0).at("samples").at(0).at("bleu"), 12.3456);
  EXPECT_THAT(markdown_page(made_page()), testing::AllOf(HasSubstr("**All went well.**"), HasSubstr("ein Maus")));
}

TEST(HtmlPage, LoadsAndRunsNothing) {
  const std::string html = html_page(made_page());
  EXPECT_THAT(html, HasSubstr("default-src 'none'"));
  for (const char* part : {"<script", "<link", "@import", "url(http", "src=", " style=", "onload"}) {
    EXPECT_THAT(html, Not(HasSubstr(part)));
  }
}

TEST(HtmlPage, HostileTextIsText) {
  const std::string html = html_page(hostile_page());
  EXPECT_THAT(html, Not(HasSubstr("<script")));
  EXPECT_THAT(html, Not(HasSubstr("<img")));
  EXPECT_THAT(html, HasSubstr("&lt;script&gt;alert(1)&lt;/script&gt;"));
}

TEST(HtmlPage, CommandsBetweenBackticksAreCode) {
  Page page = made_page();
  page.verdicts.at(0).would_change = "Use `train <x>`, or `y";
  EXPECT_THAT(html_page(page), HasSubstr("<dd>Use <code>train &lt;x&gt;</code>, or <code>y</code></dd>"));
}

TEST(MarkdownPage, HasTheSame) {
  const std::string text = markdown_page(made_page());
  for (const char* part :
       {"# demo", "| How long is a step? | bad | A step takes 0.5 s. |", "The median.", "A faster host.",
        "| 1,000 | Hallo |", "```\nverbund report x\n```", "0.4 to 0.6; 80 % interval"}) {
    EXPECT_THAT(text, HasSubstr(part));
  }
}

TEST(MarkdownPage, HostileTextStaysInItsLine) {
  const std::string text = markdown_page(hostile_page());
  const size_t code = text.find("```");  // in a block of code it stays as it is
  EXPECT_THAT(text.substr(0, code), Not(HasSubstr("\n# x")));
  EXPECT_THAT(text.substr(0, code), Not(HasSubstr("<script")));
}

// Of 300,000 rows people see the first and the last, and how many there are; JSON has all.
TEST(HtmlPage, ALongTableIsCut) {
  Page page = made_page();
  Table& table = std::get<Table>(page.sections[0].blocks[1]);
  const std::vector<Cell> row = table.rows[0];
  for (int i = 0; i < 300000; ++i) table.rows.push_back({{fmt::format("row-{}-", i), double(i)}, "text"});
  const auto count = [](const std::string& text, const std::string& part) {
    size_t found = 0;
    for (size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++found;
    return found;
  };
  for (const std::string& text : {html_page(page), markdown_page(page)}) {
    EXPECT_EQ(count(text, "row-"), 999U) << "and the first of all";
    EXPECT_EQ(count(text, "row-498-"), 1U);
    EXPECT_EQ(count(text, "row-499-"), 0U);
    EXPECT_EQ(count(text, "row-299500-"), 1U);
    EXPECT_THAT(text, HasSubstr("299,001"));
    EXPECT_LT(text.size(), 200000U);
  }
  EXPECT_EQ(json_page(page)["sections"][0]["tables"][0]["rows"].size(), 300001U);
}

// Answers that cannot be told share one line if the page says so.
TEST(Page, UnknownAnswersAreFolded) {
  Page page = made_page();
  for (const auto& [id, reason] : {std::pair{"network", kNotImported},
                                   {"fully_trained", "there are only 2 evaluations."},
                                   {"training_set", kNotImported}}) {
    Verdict verdict = ask(id, "?");
    verdict.add("figure of " + std::string(id), 1, "");
    page.verdicts.push_back(cannot_tell(verdict, reason));
  }
  EXPECT_EQ(shown_verdicts(page).size(), 4U);
  page.folds_unknown = true;
  Page one = page;
  one.verdicts.resize(2);
  std::swap(one.verdicts[0], one.verdicts[1]);
  EXPECT_EQ(shown_verdicts(one)[1].id, "network") << "a single one comes last, as it is";
  const std::vector<Verdict> shown = shown_verdicts(page);
  ASSERT_EQ(shown.size(), 2U);
  EXPECT_EQ(shown[0].id, "step_time");
  EXPECT_EQ(shown[1].finding, Grade::kCannotTell);
  EXPECT_EQ(shown[1].figures.size(), 3U);
  for (const char* part : {"3 of 4", "Network and training set: an imported", "Fully trained: there are only 2"}) {
    EXPECT_THAT(shown[1].sentence, HasSubstr(part));
  }
  EXPECT_EQ(json_page(page).at("verdicts").size(), 4U);
  EXPECT_THAT(html_page(page), Not(HasSubstr("<section id=\"network\"")));
}

TEST(JsonPage, HasEveryFigureAndSeries) {
  const auto json = json_page(made_page());
  const auto& verdict = json.at("verdicts").at(0);
  EXPECT_EQ(verdict.at("finding"), "bad");
  EXPECT_EQ(verdict.at("figures").at(0).at("value"), 0.5);
  EXPECT_EQ(verdict.at("figures").at(0).at("high"), 0.6);
  EXPECT_TRUE(verdict.at("figures").at(1).at("value").is_null());
  EXPECT_EQ(verdict.at("charts").at(0).at("series").at(0).at("y").dump(), "[0.5,null]");
  EXPECT_EQ(json.at("sections").at(0).at("tables").at(0).at("rows").at(0).dump(),
            R"({"step":1000.0,"translation":"Hallo"})");
}

}  // namespace
}  // namespace verbund
