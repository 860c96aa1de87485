// What is fetched, cleaned, shuffled and learned, through every failure of the file system.
#include <gtest/gtest.h>

#include <cstdlib>

#include "core/file.h"
#include "fetch/fetch.h"
#include "fetch/partial_file.h"
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

// A download of which half is there goes on with the rest, and never passes for whole.
TEST(TextFailures, Download) {
  const std::string content(10000, 'x');
  const auto take = [&](const fs::path& folder, size_t most) {
    PartialFile partial(folder / "file", "url");
    if (!partial.can_go_on()) partial.restart("version 1", content.size());
    while (partial.size() < most) partial.append(std::string_view(content).substr(partial.size(), 2500));
    if (partial.complete()) partial.finish(folder / "file");
  };
  walk_failures({.prepare = [&](const fs::path& folder) { take(folder, 5000); },
                 .work =
                     [&](const fs::path& folder) {
                       if (!fs::exists(folder / "file") || fs::exists(folder / "file.download")) {
                         take(folder, content.size());
                       }
                       remove_download_note(folder / "file");
                     },
                 .check =
                     [&](const fs::path& folder, Failure) {
                       EXPECT_TRUE(!fs::exists(folder / "file") || slurp(folder / "file") == content);
                       if (fs::exists(folder / "file.download")) {
                         EXPECT_TRUE(content.starts_with(slurp(folder / "file.download")));
                       }
                     }},
                30);
}

// Downloaded, verified, extracted, converted.
TEST(TextFailures, Fetch) {
  set_log_level(LogLevel::kWarning);
  const TemporaryFolder site;
  site.write("a.en", "Resumption\n");
  site.write("a.de.sgm", "<refset><seg id=\"1\">Wiederaufnahme</seg></refset>\n");
  const std::string pack = fmt::format("cd {} && tar czf a.tgz a.en a.de.sgm", site.path().string());
  ASSERT_EQ(std::system(pack.c_str()), 0);
  CorpusManifest manifest;
  manifest.name = "small";
  manifest.archives.push_back(
      {.name = "a.tgz", .url = "file://" + (site / "a.tgz").string(), .size = fs::file_size(site / "a.tgz")});
  manifest.train = {{{"a.tgz", "a.en"}, {"a.tgz", "a.de.sgm"}}};
  walk_failures({.work = [&](const fs::path& folder) { fetch(manifest, folder, {.attempts = 1}); },
                 .check =
                     [&](const fs::path& folder, Failure) {
                       const std::map<std::string, std::string> whole = {
                           {"a.tgz", slurp(site / "a.tgz")},
                           {"extracted/a.tgz/a.en", "Resumption\n"},
                           {"extracted/a.tgz/a.de.sgm", slurp(site / "a.de.sgm")},
                           {"extracted/a.tgz/a.de.sgm.txt", "Wiederaufnahme\n"}};
                       for (const auto& [name, content] : whole) {
                         const fs::path file = folder / "small" / name;
                         EXPECT_TRUE(!fs::exists(file) || slurp(file) == content) << name;
                       }
                       EXPECT_FALSE(fs::exists(folder / "small/a.tgz.bad"));  // nothing was wrong with it
                     },
                 .unread = {"small/a.tgz.stamp.json"}},
                150);
}

}  // namespace
}  // namespace verbund
