// SPDX-License-Identifier: Apache-2.0
// Cleaning, shuffling and learning of subwords, through every failure of the file system.
#include <gtest/gtest.h>

#include "core/file.h"
#include "support/failure_walk.h"
#include "text/clean.h"
#include "text/shuffle.h"
#include "text/subword_trainer.h"

namespace verbund {
namespace {

std::string made_lines() {
  std::string lines;
  for (int i = 0; i < 200; ++i) lines += fmt::format("the number {} is here\tdie Zahl {} ist hier\n", i, i);
  return lines;
}

void prepare_lines(const fs::path& folder) {
  write_file(folder / "lines.tsv", made_lines());
  write_file(folder / "out", "what was there before\n");
}

TEST(TextFailures, Shuffle) {
  walk_failures({.prepare = prepare_lines,
                 .work =
                     [](const fs::path& folder) {
                       remove_partial_files(folder);
                       shuffle_lines(folder / "lines.tsv", folder / "out", 1, 3000);
                     }},
                90);
}

TEST(TextFailures, Clean) {
  walk_failures({.prepare = prepare_lines,
                 .work =
                     [](const fs::path& folder) {
                       const std::vector<ParallelFiles> corpora = {{"", "", (folder / "lines.tsv").string()}};
                       clean_corpora(corpora, CleanConfig(), 1, folder / "out");
                     }},
                30);
}

// Its model is written by a process of its own.
TEST(TextFailures, Subwords) {
  walk_failures({.prepare = prepare_lines,
                 .work =
                     [](const fs::path& folder) {
                       SubwordConfig config;
                       config.vocabulary = 60;
                       learn_subwords(folder / "lines.tsv", Sides::kBoth, config, folder / "out");
                     }},
                30);
}

}  // namespace
}  // namespace verbund
