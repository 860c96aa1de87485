// SPDX-License-Identifier: Apache-2.0
#include "page/svg_chart.h"

#include <gmock/gmock.h>

#include <cmath>

#include "page/plot_area.h"

namespace verbund {
namespace {

using testing::HasSubstr;
using testing::Not;

Chart chart_of(std::vector<double> y) {
  Chart chart;
  chart.title = "Loss";
  chart.x_label = "step";
  chart.y_label = "nats";
  Series series;
  series.name = "train";
  for (size_t i = 0; i < y.size(); ++i) series.x.push_back(static_cast<double>(i));
  series.y = std::move(y);
  chart.series.push_back(series);
  return chart;
}

size_t count(const std::string& text, const std::string& part) {
  size_t found = 0;
  for (size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++found;
  return found;
}

TEST(SvgChart, HasADescriptionForScreenReaders) {
  Chart chart = chart_of({3, 1, 2});
  chart.hint = "It should fall.";
  const std::string svg = svg_chart(chart, "loss");
  EXPECT_THAT(svg, HasSubstr("role=\"img\" aria-labelledby=\"loss-t loss-d\""));
  EXPECT_THAT(svg, HasSubstr("<title id=\"loss-t\">Loss</title>"));
  EXPECT_THAT(svg, HasSubstr("It should fall. train: from 1 to 3, last 2."));
}

TEST(SvgChart, HasAGapWhereThereIsNoNumber) {
  const std::string svg = svg_chart(chart_of({1, 2, NAN, 3, 4}), "c");
  const size_t curve = svg.find("class=\"curve c1\"");
  ASSERT_NE(curve, std::string::npos);
  EXPECT_EQ(count(svg.substr(curve, svg.find("/>", curve) - curve), "M"), 2u);
}

TEST(SvgChart, HasNoNumberThatIsNone) {
  for (const std::vector<double>& y :
       {std::vector<double>{}, {NAN, NAN}, {INFINITY}, {5}, {5, 5, 5}, {-1e300, 1e300}, {0, 0}}) {
    for (const bool log : {false, true}) {
      Chart chart = chart_of(y);
      chart.log_x = chart.log_y = log;
      chart.marks = {{NAN, "never"}, {0, "zero"}};
      const std::string svg = svg_chart(chart, "c");
      EXPECT_THAT(svg, Not(HasSubstr("nan"))) << y.size();
      EXPECT_THAT(svg, Not(HasSubstr("inf"))) << y.size();
    }
  }
}

TEST(SvgChart, ANoisyCurveIsFaintBehindItsMean) {
  std::vector<double> noisy;
  for (int i = 0; i < 200; ++i) noisy.push_back(i % 2);
  const std::string svg = svg_chart(chart_of(noisy), "c");
  EXPECT_THAT(svg, HasSubstr("class=\"raw c1\""));
  EXPECT_THAT(svg, HasSubstr("class=\"curve c1\""));
  EXPECT_THAT(svg_chart(chart_of({1, 2, 3}), "c"), Not(HasSubstr("class=\"raw")));
}

TEST(SvgChart, ALongSeriesStaysSmallAndKeepsItsSpikes) {
  std::vector<double> y(300000, 1.0);
  for (size_t i = 0; i < y.size(); i += 2) y[i] = 1.1;
  y[150000] = 1.4;
  const std::string svg = svg_chart(chart_of(y), "c");
  EXPECT_LT(svg.size(), 60000u);
  EXPECT_THAT(svg, HasSubstr("class=\"spread c1\""));
  EXPECT_THAT(svg, HasSubstr("to 1.4,"));
}

TEST(SvgChart, ARareSpikeDoesNotFlattenTheRest) {
  std::vector<double> y(1000, 1.0);
  for (size_t i = 0; i < y.size(); ++i) y[i] += 0.1 * static_cast<double>(i % 7);
  y[500] = 100;
  EXPECT_LT(plot_area(chart_of(y)).y.high, 3);
  EXPECT_THAT(svg_chart(chart_of(y), "c"), HasSubstr("spikes up to 100"));
}

TEST(SvgChart, SeriesDifferByMoreThanColour) {
  Chart chart = chart_of({1, 2, 3});
  chart.series.push_back(chart.series[0]);
  const std::string svg = svg_chart(chart, "c");
  EXPECT_THAT(svg, HasSubstr("class=\"curve c2\" stroke-dasharray=\"7 4\""));
  EXPECT_THAT(chart_legend(chart), HasSubstr("stroke-dasharray=\"7 4\""));
}

TEST(SvgChart, BarsAddUpAndAreNumbered) {
  Chart chart;
  chart.title = "Time";
  chart.x_label = "s";
  chart.part_names = {"compute", "nothing", "data"};
  chart.bars = {{"all", {30, 0, 10}}};
  const std::string svg = svg_chart(chart, "b");
  EXPECT_EQ(count(svg, "<rect"), 2u);
  EXPECT_THAT(svg, HasSubstr("<title>compute: 30 s</title>"));
  EXPECT_THAT(svg, HasSubstr(">3</text>"));
  EXPECT_THAT(chart_legend(chart), HasSubstr("data"));
  EXPECT_THAT(chart_legend(chart), Not(HasSubstr("nothing")));
}

// Values appear under the pointer without a script: a zone for each point, with what is there.
TEST(SvgChart, EveryPointHasATitle) {
  Chart chart = chart_of({3, 1, 2});
  chart.series.push_back({"dev", {2}, {2.5}});
  chart.marks = {{1, "resumed"}};
  const std::string svg = svg_chart(chart, "c");
  EXPECT_EQ(count(svg, "class=\"hover\""), 3u);
  EXPECT_THAT(svg, HasSubstr("<title>step 0\ntrain 3</title>"));
  EXPECT_THAT(svg, HasSubstr("<title>step 1\ntrain 1\nresumed</title>"));
  EXPECT_THAT(svg, HasSubstr("<title>step 2\ntrain 2\ndev 2.5</title>"));
}

TEST(SvgChart, ALongSeriesHasFewZonesAndTheyTellItsSpikes) {
  std::vector<double> y(10000, 1.0);
  y[5000] = 1.4;
  const std::string svg = svg_chart(chart_of(y), "c");
  EXPECT_LE(count(svg, "class=\"hover\""), 48u);
  EXPECT_THAT(svg, HasSubstr("train 1 to 1.4, last 1</title>"));
}

TEST(SvgChart, ALineWithItsPoints) {
  Chart chart = chart_of({1, 2, 3});
  chart.series[0].drawn = Drawn::kMarked;
  const std::string svg = svg_chart(chart, "c");
  EXPECT_THAT(svg, HasSubstr("class=\"curve c1\""));
  EXPECT_THAT(svg, HasSubstr("class=\"points c1\""));
}

TEST(SvgChart, TextIsEscaped) {
  Chart chart = chart_of({1, 2});
  chart.title = chart.x_label = chart.y_label = chart.hint = chart.series[0].name = "</svg><script>";
  chart.marks = {{1, "</svg><script>"}};
  EXPECT_THAT(svg_chart(chart, "c") + chart_legend(chart), Not(HasSubstr("<script")));
}

}  // namespace
}  // namespace verbund
