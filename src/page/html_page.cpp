// SPDX-License-Identifier: Apache-2.0
#include "page/page.h"

#include <fmt/format.h>

#include <span>

#include "core/builtin_file.h"
#include "page/escape.h"
#include "page/number_format.h"
#include "page/svg_chart.h"

namespace verbund {

std::span<const BuiltinFile> builtin_styles();  // page.css, see cmake/builtin_files.cmake

namespace {

// Nothing may be loaded or run, whatever the page contains.
constexpr const char* kPolicy =
    "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'";

std::string finding_class(Grade finding) { return finding == Grade::kCannotTell ? "unknown" : grade_name(finding); }

// A tick, a dot, an exclamation mark, a question mark: distinct shapes.
std::string finding_mark(Grade finding) {
  static constexpr const char* kShapes[] = {
      "<path d=\"M5.5 10.5l3 3 6-7\"/>",
      "<path d=\"M10 10h.01\"/>",
      "<path d=\"M10 5v6M10 14.6h.01\"/>",
      "<path d=\"M7.6 7.6a2.4 2.4 0 1 1 3.4 2.2c-.7.4-1 .8-1 1.7M10 14.6h.01\"/>",
  };
  return fmt::format(
      "<svg class=\"finding {}\" viewBox=\"0 0 20 20\" role=\"img\" aria-label=\"{}\"><circle cx=\"10\" cy=\"10\" "
      "r=\"9\"/>{}</svg>",
      finding_class(finding), grade_name(finding), kShapes[static_cast<size_t>(finding)]);
}

std::string html_chart(const Chart& chart, const std::string& id) {
  return fmt::format("<figure id=\"{}\">\n<figcaption>{}</figcaption>\n{}{}{}</figure>\n", id, escape_html(chart.title),
                     chart_legend(chart), svg_chart(chart, id),
                     chart.hint.empty() ? "" : fmt::format("<p class=\"hint\">{}</p>\n", escape_html(chart.hint)));
}

std::string head_of(const Page& page) {
  std::string text =
      fmt::format("<header>\n<p class=\"kind\">{}</p>\n<h1>{}", escape_html(page.kind), escape_html(page.title));
  if (!page.state.empty()) {
    text += fmt::format(" <span class=\"state {}\">{}</span>", finding_class(page.condition), escape_html(page.state));
  }
  text += "</h1>\n";
  if (!page.summary.empty()) text += fmt::format("<p class=\"summary\">{}</p>\n", escape_html(page.summary));
  if (!page.facts.empty()) {
    text += "<dl class=\"facts\">\n";
    for (const Fact& fact : page.facts) {
      text += fmt::format("<div><dt>{}</dt><dd>{}</dd></div>\n", escape_html(fact.name), escape_html(fact.value));
    }
    text += "</dl>\n";
  }
  for (const std::string& note : page.notes) text += fmt::format("<p class=\"note\">{}</p>\n", escape_html(note));
  return text + "</header>\n";
}

std::string strip(const Page& page) {
  if (page.strip.empty()) return "";
  std::string text = "<div class=\"strip\">\n";
  for (const Chart& chart : page.strip) text += html_chart(chart, "strip-" + escape_html(chart.id));
  return text + "</div>\n";
}

std::string answers(const Page& page) {
  const std::vector<Verdict> verdicts = shown_verdicts(page);
  if (verdicts.empty()) return "";
  std::string text = "<nav aria-label=\"Answers\">\n<ol class=\"answers\">\n";
  for (const Verdict& verdict : verdicts) {
    text += fmt::format("<li>{}<a href=\"#{}\">{}</a><span>{}</span></li>\n", finding_mark(verdict.finding),
                        escape_html(verdict.id), escape_html(verdict.question), escape_html(verdict.sentence));
  }
  return text + "</ol>\n</nav>\n";
}

std::string contents(const Page& page) {
  if (page.sections.empty()) return "";
  std::string text = "<p class=\"contents\">Further down: ";
  for (const Section& section : page.sections) {
    text += fmt::format("<a href=\"#{}\">{}</a> ", escape_html(section.id), escape_html(section.title));
  }
  return text + "</p>\n";
}

std::string figures(const std::vector<Figure>& list) {
  if (list.empty()) return "";
  bool intervals = false;
  for (const Figure& each : list) intervals |= each.low.has_value() || !each.interval.empty();
  std::string text = "<div class=\"wide\"><table class=\"figures\">\n";
  for (const Figure& each : list) {
    text += fmt::format("<tr><th scope=\"row\">{}</th><td class=\"number\">{}</td>", escape_html(each.name),
                        escape_html(value_text(each)));
    if (intervals) {
      const std::string interval = interval_text(each);
      text += fmt::format("<td class=\"interval\">{}{}</td>", escape_html(interval),
                          each.interval.empty() ? ""
                                                : fmt::format("{}<small>{}</small>", interval.empty() ? "" : " ",
                                                              escape_html(each.interval)));
    }
    text += "</tr>\n";
  }
  return text + "</table></div>\n";
}

std::string html_samples(const std::vector<SampleSentence>& samples) {
  std::string text;
  for (const SampleSentence& sample : samples) {
    text += fmt::format("<dl class=\"sample\"><div><dt>{}</dt><dd>BLEU {}</dd></div>\n", escape_html(sample.name),
                        human_number(sample.bleu));
    for (const auto& [label, prose] : {std::pair("source", &sample.source), std::pair("reference", &sample.reference),
                                       std::pair("translation", &sample.translation)}) {
      text +=
          fmt::format("<div><dt>{}</dt><dd class=\"prose\" dir=\"auto\">{}</dd></div>\n", label, escape_html(*prose));
    }
    text += "</dl>\n";
  }
  return text;
}

// Text in which commands and keys stand between backticks.
std::string with_code(const std::string& prose) {
  std::string text;
  bool is_code = false;
  for (const char c : escape_html(prose)) {
    if (c == '`') {
      text += is_code ? "</code>" : "<code>";
      is_code = !is_code;
    } else {
      text += c;
    }
  }
  return is_code ? text + "</code>" : text;
}

std::string verdict_section(const Verdict& verdict) {
  const std::string id = escape_html(verdict.id);
  std::string text =
      fmt::format("<section id=\"{}\" class=\"verdict\">\n<h2>{}</h2>\n<p class=\"answer\">{}{}</p>\n", id,
                  escape_html(verdict.question), finding_mark(verdict.finding), escape_html(verdict.sentence));
  text += figures(verdict.figures) + html_samples(verdict.samples);
  for (size_t i = 0; i < verdict.charts.size(); ++i)
    text += html_chart(verdict.charts[i], fmt::format("{}-chart-{}", id, i + 1));
  text += "<dl class=\"why\">\n";
  for (const auto& [label, prose] :
       {std::pair(kHowDecided, verdict.rule), std::pair(kHowToChange, verdict.would_change)}) {
    if (!prose.empty()) text += fmt::format("<div><dt>{}</dt><dd>{}</dd></div>\n", label, with_code(prose));
  }
  return text + "</dl>\n</section>\n";
}

std::string column_class(const Column& column) {
  return column.number ? " class=\"number\"" : column.prose ? " class=\"prose\" dir=\"auto\"" : "";
}

std::string html_table(const Table& table) {
  std::string text = "<div class=\"wide\"><table>\n<thead><tr>";
  for (const Column& column : table.columns) {
    text +=
        fmt::format("<th scope=\"col\"{}>{}</th>", column.number ? " class=\"number\"" : "", escape_html(column.name));
  }
  text += "</tr></thead>\n<tbody>\n";
  const ShownRows shown = shown_rows(table);
  for (size_t r = 0; r < table.rows.size(); ++r) {
    if (shown.left_out > 0 && r == shown.first) {
      text += fmt::format("<tr><td colspan=\"{}\">{}</td></tr>\n", table.columns.size(), escape_html(shown.note));
      r += shown.left_out;
    }
    const std::vector<Cell>& row = table.rows[r];
    text += "<tr>";
    for (size_t i = 0; i < row.size() && i < table.columns.size(); ++i) {
      text += fmt::format("<td{}>{}</td>", column_class(table.columns[i]), escape_html(row[i].text));
    }
    text += "</tr>\n";
  }
  text += "</tbody></table></div>\n";
  if (table.folded.empty()) return text;
  return fmt::format("<details><summary>{}</summary>\n{}</details>\n", escape_html(table.folded), text);
}

struct HtmlBlockWriter {
  const std::string& id;
  size_t number;

  std::string operator()(const Paragraph& block) const { return fmt::format("<p>{}</p>\n", escape_html(block.text)); }
  std::string operator()(const Heading& block) const { return fmt::format("<h3>{}</h3>\n", escape_html(block.text)); }
  std::string operator()(const Code& block) const {
    return fmt::format("<pre><code>{}</code></pre>\n", escape_html(block.text));
  }
  std::string operator()(const Table& block) const { return html_table(block); }
  std::string operator()(const Chart& block) const { return html_chart(block, fmt::format("{}-chart-{}", id, number)); }
};

std::string html_section(const Section& section) {
  const std::string id = escape_html(section.id);
  std::string text = fmt::format("<section id=\"{}\">\n<h2>{}</h2>\n", id, escape_html(section.title));
  for (size_t i = 0; i < section.blocks.size(); ++i) text += std::visit(HtmlBlockWriter{id, i + 1}, section.blocks[i]);
  return text + "</section>\n";
}

}  // namespace

std::string html_page(const Page& page) {
  std::string text = fmt::format(
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta http-equiv=\"Content-Security-Policy\" content=\"{}\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
      "<meta name=\"color-scheme\" content=\"light dark\">\n<meta name=\"referrer\" content=\"no-referrer\">\n"
      "<title>{} - {}</title>\n<style>\n{}</style>\n</head>\n<body>\n<main>\n",
      kPolicy, escape_html(page.title), escape_html(page.kind), builtin_styles().front().text);
  text += head_of(page) + strip(page) + answers(page) + contents(page);
  for (const Verdict& verdict : shown_verdicts(page)) text += verdict_section(verdict);
  for (const Section& section : page.sections) text += html_section(section);
  return text + fmt::format("<footer>{}</footer>\n</main>\n</body>\n</html>\n", escape_html(page.made));
}

}  // namespace verbund
