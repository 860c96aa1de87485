// SPDX-License-Identifier: Apache-2.0
#include "core/json.h"
#include "page/page.h"

#include <cmath>

namespace verbund {
namespace {

Json number(double value) { return std::isfinite(value) ? Json(value) : Json(nullptr); }

Json numbers(const std::vector<double>& values) {
  Json list = Json::array();
  for (const double value : values) list.push_back(number(value));
  return list;
}

Json json_of(const Series& series) {
  Json json = {{"name", series.name}, {"x", numbers(series.x)}, {"y", numbers(series.y)}};
  if (!series.low.empty()) json["low"] = numbers(series.low);
  if (!series.high.empty()) json["high"] = numbers(series.high);
  return json;
}

Json json_of(const Chart& chart) {
  Json json = {
      {"id", chart.id}, {"title", chart.title}, {"x", chart.x_label}, {"y", chart.y_label}, {"hint", chart.hint}};
  if (!chart.bars.empty()) {
    json["parts"] = chart.part_names;
    for (const Bar& bar : chart.bars) json["bars"].push_back({{"name", bar.name}, {"values", numbers(bar.parts)}});
    return json;
  }
  json["series"] = Json::array();
  for (const Series& series : chart.series) json["series"].push_back(json_of(series));
  json["marks"] = Json::array();
  for (const Mark& mark : chart.marks) json["marks"].push_back({{"x", number(mark.x)}, {"text", mark.text}});
  return json;
}

Json json_of(const Figure& figure) {
  Json json = {{"name", figure.name}, {"value", number(figure.value)}, {"unit", figure.unit}};
  if (figure.low) json["low"] = number(*figure.low);
  if (figure.high) json["high"] = number(*figure.high);
  if (!figure.interval.empty()) json["interval"] = figure.interval;
  return json;
}

Json json_of(const Verdict& verdict) {
  Json json = {{"id", verdict.id},
               {"question", verdict.question},
               {"finding", grade_name(verdict.finding)},
               {"sentence", verdict.sentence},
               {"figures", Json::array()},
               {"charts", Json::array()},
               {"samples", Json::array()},
               {"rule", verdict.rule},
               {"would_change", verdict.would_change}};
  for (const Figure& figure : verdict.figures) json["figures"].push_back(json_of(figure));
  for (const Chart& chart : verdict.charts) json["charts"].push_back(json_of(chart));
  for (const SampleSentence& sample : verdict.samples) {
    json["samples"].push_back({{"name", sample.name},
                               {"source", sample.source},
                               {"reference", sample.reference},
                               {"translation", sample.translation},
                               {"bleu", number(sample.bleu)}});
  }
  return json;
}

Json json_of(const Table& table) {
  Json json = {{"id", table.id}, {"rows", Json::array()}};
  for (const auto& row : table.rows) {
    Json object = Json::object();
    for (size_t i = 0; i < row.size() && i < table.columns.size(); ++i) {
      const Cell& cell = row[i];
      object[table.columns[i].name] = cell.value ? number(*cell.value) : Json(cell.text);
    }
    json["rows"].push_back(object);
  }
  return json;
}

Json json_of(const Section& section) {
  Json json = {{"id", section.id},
               {"title", section.title},
               {"text", Json::array()},
               {"tables", Json::array()},
               {"charts", Json::array()}};
  for (const Block& block : section.blocks) {
    if (const auto* text = std::get_if<Paragraph>(&block)) json["text"].push_back(text->text);
    if (const auto* text = std::get_if<Heading>(&block)) json["text"].push_back(text->text);
    if (const auto* code = std::get_if<Code>(&block)) json["text"].push_back(code->text);
    if (const auto* table = std::get_if<Table>(&block)) json["tables"].push_back(json_of(*table));
    if (const auto* chart = std::get_if<Chart>(&block)) json["charts"].push_back(json_of(*chart));
  }
  return json;
}

}  // namespace

Json json_page(const Page& page) {
  Json json = {{"format", "verbund-report"}, {"version", 1}, {"kind", page.kind}, {"title", page.title}};
  json["summary"] = page.summary;
  json["strip"] = Json::array();
  for (const Chart& chart : page.strip) json["strip"].push_back(json_of(chart));
  if (!page.state.empty()) json["facts"]["state"] = page.state;
  for (const Fact& fact : page.facts) json["facts"][fact.name] = fact.value;
  json["notes"] = page.notes;
  json["verdicts"] = Json::array();
  for (const Verdict& verdict : page.verdicts) json["verdicts"].push_back(json_of(verdict));
  json["sections"] = Json::array();
  for (const Section& section : page.sections) json["sections"].push_back(json_of(section));
  json["made"] = page.made;
  return json;
}

}  // namespace verbund
