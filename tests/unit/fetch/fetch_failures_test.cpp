// SPDX-License-Identifier: Apache-2.0
// Downloads and fetches, through every failure of the file system.
#include <gtest/gtest.h>

#include <cstdlib>

#include "core/file.h"
#include "fetch/fetch.h"
#include "fetch/transfer.h"
#include "support/failure_walk.h"

namespace verbund {
namespace {

// Half a download is resumed, and is never taken for the whole file.
TEST(FetchFailures, Download) {
  const std::string content(10000, 'x');
  const auto take = [&](const fs::path& folder, size_t most) {
    PartialFile partial(folder / "file", "url");
    if (!partial.can_resume()) partial.restart("version 1", content.size());
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
TEST(FetchFailures, Fetch) {
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
