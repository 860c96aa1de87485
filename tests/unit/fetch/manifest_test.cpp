// SPDX-License-Identifier: Apache-2.0
#include "fetch/manifest.h"

#include <gtest/gtest.h>

#include "core/error.h"
#include "support/expect_error.h"
#include "support/temporary_folder.h"

namespace verbund {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;

constexpr const char* kSmall = R"(
name: small
source_language: en
target_language: de
archives:
  - {name: a.tgz, url: "http://localhost/a.tgz", size: 12}
train:
  - source: {archive: a.tgz, member: t.en}
    target: {archive: a.tgz, member: t.de}
)";

TEST(Manifest, BuiltInOnesAreWhole) {
  for (const char* name : {"wmt16-en-de", "multi30k-en-de"}) {
    EXPECT_THAT(manifest_names(), Contains(name));
    const CorpusManifest manifest = load_manifest(name);
    EXPECT_EQ(manifest.name, name);
    EXPECT_EQ(manifest.source_language, "en");
    EXPECT_FALSE(manifest.train.empty());
    EXPECT_FALSE(manifest.dev.empty());
    EXPECT_FALSE(manifest.test.empty());
  }
}

TEST(Manifest, FromAFile) {
  TemporaryFolder folder;
  const CorpusManifest manifest = load_manifest(folder.write("small.yaml", kSmall).string());
  EXPECT_EQ(manifest.archives[0].size, 12u);
  EXPECT_EQ(manifest.train[0].target.member, "t.de");
}

TEST(Manifest, MistakesAreNamed) {
  TemporaryFolder folder;
  const auto load_with = [&](const std::string& from, const std::string& to) {
    std::string text = kSmall;
    text.replace(text.find(from), from.size(), to);
    load_manifest(folder.write("m.yaml", text).string());
  };
  EXPECT_ERROR(load_with("archive: a.tgz, member: t.de", "archive: b.tgz"), UsageError, HasSubstr("\"b.tgz\""),
               HasSubstr("a.tgz"));
  EXPECT_ERROR(load_with("url:", "urk:"), UsageError, HasSubstr("m.yaml:6"), HasSubstr("url?"));
  EXPECT_ERROR(load_with("size: 12", "size: big"), UsageError, HasSubstr("\"big\""));
  EXPECT_ERROR(load_with("name: a.tgz", "name: ../a.tgz"), UsageError, HasSubstr("../a.tgz"));
  EXPECT_ERROR(load_manifest("wmt16-de-en"), UsageError, HasSubstr("wmt16-en-de?"));
}

}  // namespace
}  // namespace verbund
