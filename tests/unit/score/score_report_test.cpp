// SPDX-License-Identifier: Apache-2.0
#include "score/score_report.h"
#include "core/json.h"

#include <gtest/gtest.h>

namespace verbund {
namespace {

BleuScore bleu() { return corpus_bleu({"a b c d"}, {{"a b c d e"}}); }
ChrfScore chrf() { return corpus_chrf({"abc"}, {{"abd"}}, {.char_order = 2}); }

TEST(ScoreLine, OfBleu) {
  EXPECT_EQ(score_line(report(bleu()), 1),
            "BLEU|nrefs:1|case:mixed|eff:no|tok:13a|smooth:exp|version:2.5.1 = 77.9 100.0/100.0/100.0/100.0 "
            "(BP = 0.779 ratio = 0.800 hyp_len = 4 ref_len = 5)");
}

TEST(ScoreLine, OfChrf) {
  EXPECT_EQ(score_line(report(chrf()), 1), "chrF2|nrefs:1|case:mixed|eff:yes|nc:2|nw:0|space:no|version:2.5.1 = 58.3");
}

TEST(ScoreLine, HasAsManyDecimalsAsAsked) {
  EXPECT_TRUE(score_line(report(chrf()), 0).ends_with(" = 58"));
  EXPECT_TRUE(score_line(report(chrf()), 4).ends_with(" = 58.3333"));
}

TEST(ScoreLine, OfAnEmptyReferenceHasNoRatio) {
  EXPECT_TRUE(score_line(report(corpus_bleu({"a"}, {{""}})), 1)
                  .ends_with(" = 0.0 0.0/0.0/0.0/0.0 (BP = 1.000 ratio = 0.000 hyp_len = 1 ref_len = 0)"));
}

TEST(ScoreJson, OfBleu) {
  const Json expected = {
      {"name", "BLEU"},
      {"score", bleu().score},
      {"signature", "nrefs:1|case:mixed|eff:no|tok:13a|smooth:exp|version:2.5.1"},
      {"verbose_score", "100.0/100.0/100.0/100.0 (BP = 0.779 ratio = 0.800 hyp_len = 4 ref_len = 5)"},
      {"nrefs", "1"},
      {"case", "mixed"},
      {"eff", "no"},
      {"tok", "13a"},
      {"smooth", "exp"},
      {"version", "2.5.1"},
      {"counts", {4, 3, 2, 1}},
      {"totals", {4, 3, 2, 1}},
      {"precisions", {100.0, 100.0, 100.0, 100.0}},
      {"bp", bleu().brevity_penalty},
      {"sys_len", 4},
      {"ref_len", 5}};
  EXPECT_EQ(Json(score_json(report(bleu()))), expected);
}

TEST(ScoreJson, OfChrf) {
  const Json expected = {{"name", "chrF2"},
                         {"score", chrf().score},
                         {"signature", "nrefs:1|case:mixed|eff:yes|nc:2|nw:0|space:no|version:2.5.1"},
                         {"nrefs", "1"},
                         {"case", "mixed"},
                         {"eff", "yes"},
                         {"nc", "2"},
                         {"nw", "0"},
                         {"space", "no"},
                         {"version", "2.5.1"},
                         {"sys_ngrams", {3, 2}},
                         {"ref_ngrams", {3, 2}},
                         {"matches", {2, 1}}};
  EXPECT_EQ(Json(score_json(report(chrf()))), expected);
}

}  // namespace
}  // namespace verbund
