// SPDX-License-Identifier: Apache-2.0
#include "page/page.h"

#include <fmt/format.h>

#include "page/curve.h"
#include "page/escape.h"
#include "page/number_format.h"

namespace verbund {
namespace {

std::string row_of(const std::vector<std::string>& cells) {
  std::string text = "|";
  for (const std::string& cell : cells) text += " " + cell + " |";
  return text + "\n";
}

std::string rule_of(const std::vector<Column>& columns) {
  std::string text = "|";
  for (const Column& column : columns) text += column.number ? "---:|" : "---|";
  return text + "\n";
}

std::string markdown_table(const std::vector<Column>& columns, const std::vector<std::vector<std::string>>& rows) {
  std::vector<std::string> names;
  for (const Column& column : columns) names.push_back(escape_markdown(column.name));
  std::string text = row_of(names) + rule_of(columns);
  for (const auto& row : rows) {
    std::vector<std::string> cells;
    for (size_t i = 0; i < columns.size(); ++i) cells.push_back(i < row.size() ? escape_markdown(row[i]) : "");
    text += row_of(cells);
  }
  return text + "\n";
}

std::string markdown_figures(const std::vector<Figure>& list) {
  if (list.empty()) return "";
  std::vector<std::vector<std::string>> rows;
  for (const Figure& each : list) {
    const std::string interval = interval_text(each);
    rows.push_back({each.name, value_text(each),
                    interval + (interval.empty() || each.interval.empty() ? "" : "; ") + each.interval});
  }
  return markdown_table({{"figure"}, {"value", true}, {"interval"}}, rows);
}

// A chart as a table of its series or bars.
std::string chart_as_table(const Chart& chart) {
  std::string text = fmt::format("*{}.* {}\n\n", escape_markdown(chart.title), escape_markdown(chart.hint));
  if (!chart.bars.empty()) {
    std::vector<Column> columns = {{chart.x_label}};
    for (const std::string& part : chart.part_names) columns.push_back({part, true});
    std::vector<std::vector<std::string>> rows;
    for (const Bar& bar : chart.bars) {
      std::vector<std::string> row = {bar.name};
      for (const double part : bar.parts) row.push_back(human_number(part));
      rows.push_back(row);
    }
    return text + markdown_table(columns, rows);
  }
  std::vector<std::vector<std::string>> rows;
  for (const Series& series : chart.series) {
    const std::optional<SeriesRange> range = range_of(series);
    if (!range) continue;
    rows.push_back({series.name.empty() ? chart.y_label : series.name, human_number(range->low),
                    human_number(range->high), human_number(range->last)});
  }
  if (rows.empty()) return text;
  return text +
         markdown_table({{chart.y_label + " by " + chart.x_label}, {"lowest", true}, {"highest", true}, {"last", true}},
                        rows);
}

std::string markdown_sample(const SampleSentence& sample) {
  const std::string head = fmt::format("{}, BLEU {}", sample.name, human_number(sample.bleu));
  return markdown_table(
      {{head}, {"text"}},
      {{"source", sample.source}, {"reference", sample.reference}, {"translation", sample.translation}});
}

struct MarkdownBlockWriter {
  std::string operator()(const Paragraph& block) const { return escape_markdown(block.text) + "\n\n"; }
  std::string operator()(const Heading& block) const { return "### " + escape_markdown(block.text) + "\n\n"; }
  std::string operator()(const Code& block) const { return markdown_code_block(block.text) + "\n"; }
  std::string operator()(const Chart& block) const { return chart_as_table(block); }
  std::string operator()(const Table& block) const {
    const ShownRows shown = shown_rows(block);
    std::vector<std::vector<std::string>> rows;
    for (size_t r = 0; r < block.rows.size(); ++r) {
      if (shown.left_out > 0 && r == shown.first) {
        rows.push_back({shown.note});
        r += shown.left_out;
      }
      rows.emplace_back();
      for (const Cell& cell : block.rows[r]) rows.back().push_back(cell.text);
    }
    return markdown_table(block.columns, rows);
  }
};

std::string verdict_text(const Verdict& verdict) {
  std::string text = fmt::format("## {}\n\n**{}** ({})\n\n", escape_markdown(verdict.question),
                                 escape_markdown(verdict.sentence), grade_name(verdict.finding));
  text += markdown_figures(verdict.figures);
  for (const SampleSentence& sample : verdict.samples) text += markdown_sample(sample);
  for (const Chart& chart : verdict.charts) text += chart_as_table(chart);
  if (!verdict.rule.empty()) text += fmt::format("{}: {}\n\n", kHowDecided, escape_markdown(verdict.rule));
  if (!verdict.would_change.empty()) {
    text += fmt::format("{}: {}\n\n", kHowToChange, escape_markdown(verdict.would_change));
  }
  return text;
}

}  // namespace

std::string markdown_page(const Page& page) {
  std::string text = fmt::format("# {}\n\n{}\n\n", escape_markdown(page.title),
                                 escape_markdown(page.kind + (page.state.empty() ? "" : ", " + page.state)));
  if (!page.summary.empty()) text += fmt::format("**{}**\n\n", escape_markdown(page.summary));
  for (const Fact& fact : page.facts)
    text += fmt::format("- {}: {}\n", escape_markdown(fact.name), escape_markdown(fact.value));
  if (!page.facts.empty()) text += "\n";
  for (const std::string& note : page.notes) text += fmt::format("> {}\n\n", escape_markdown(note));
  for (const Chart& chart : page.strip) text += chart_as_table(chart);
  const std::vector<Verdict> verdicts = shown_verdicts(page);
  if (!verdicts.empty()) {
    std::vector<std::vector<std::string>> rows;
    for (const Verdict& verdict : verdicts)
      rows.push_back({verdict.question, grade_name(verdict.finding), verdict.sentence});
    text += markdown_table({{"question"}, {"finding"}, {"answer"}}, rows);
  }
  for (const Verdict& verdict : verdicts) text += verdict_text(verdict);
  for (const Section& section : page.sections) {
    text += fmt::format("## {}\n\n", escape_markdown(section.title));
    for (const Block& block : section.blocks) text += std::visit(MarkdownBlockWriter{}, block);
  }
  return text + "---\n" + escape_markdown(page.made) + "\n";
}

}  // namespace verbund
