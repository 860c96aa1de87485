#include "fetch/digest.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/error.h"
#include "core/file.h"
#include "support/temporary_folder.h"

namespace verbund {
namespace {

// The answers of sha256sum and md5sum.
TEST(Digest, KnowsPublishedValues) {
  const TemporaryFolder folder;
  write_file(folder / "abc", "abc");
  EXPECT_EQ(file_digest(folder / "abc", Digest::kSha256),
            "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(file_digest(folder / "abc", Digest::kMd5), "900150983cd24fb0d6963f7d28e17f72");
  write_file(folder / "empty", "");
  EXPECT_EQ(file_digest(folder / "empty", Digest::kMd5), "d41d8cd98f00b204e9800998ecf8427e");
}

TEST(Digest, CoversAFileOfSeveralBlocks) {
  const TemporaryFolder folder;
  write_file(folder / "a", std::string(10'000'000, 'a'));
  EXPECT_EQ(file_digest(folder / "a", Digest::kSha256),
            "01f4a87c04b40af59aadc0e812293509709c9a8763a60b7f9e19303322f8b03c");
}

TEST(Digest, NamesAMissingFile) {
  EXPECT_THAT([] { file_digest("/nowhere/x.tgz", Digest::kMd5); },
              ::testing::ThrowsMessage<Error>(::testing::HasSubstr("/nowhere/x.tgz")));
}

}  // namespace
}  // namespace verbund
