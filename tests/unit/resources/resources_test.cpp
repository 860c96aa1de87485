// SPDX-License-Identifier: Apache-2.0
#include "resources/resources.h"

#include <gmock/gmock.h>

#include <cmath>

#include "core/file.h"
#include "support/expect_error.h"
#include "support/temporary_folder.h"

namespace verbund {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

const ResourceHeader kHeader = {
    3, "host \"b\"\n", 1, {{"process.cpu_user", "cores", "of this worker"}, {"host.load1", "", "load"}}};

TEST(Resources, AreReadAsTheyWereWritten) {
  const TemporaryFolder folder;
  const fs::path path = folder / "a.bin";
  {
    ResourceWriter writer(path, kHeader);
    writer.add({1.5, {0.25F, NAN}});
    writer.add({2.5, {0.5F, 3}});
  }
  const Resources read = read_resources(path);
  EXPECT_EQ(read.header, kHeader);
  EXPECT_THAT(read.times, ElementsAre(1.5, 2.5));
  EXPECT_THAT(read.column("process.cpu_user"), ElementsAre(0.25F, 0.5F));
  EXPECT_THAT(read.column("host.load1"), ElementsAre(::testing::IsNan(), 3));
  EXPECT_TRUE(read.column("gpu.0.use").empty());
}

TEST(Resources, AHalfRowIsIgnoredAndCutOff) {
  const TemporaryFolder folder;
  const fs::path path = folder / "a.bin";
  {
    ResourceWriter writer(path, kHeader);
    writer.add({1.5, {1, 2}});
    writer.add({2.5, {3, 4}});
  }
  fs::resize_file(path, fs::file_size(path) - 1);
  EXPECT_THAT(read_resources(path).times, ElementsAre(1.5));
  ResourceWriter(path, kHeader).add({3.5, {5, 6}});
  EXPECT_THAT(read_resources(path).times, ElementsAre(1.5, 3.5));
}

TEST(Resources, AFileCutAnywhereInItsHeaderIsEmpty) {
  const TemporaryFolder folder;
  const fs::path path = folder / "a.bin";
  ResourceWriter(path, kHeader).add({1.5, {1, 2}});
  const std::string bytes = slurp(path);
  for (size_t size = 0; size + 16 < bytes.size(); size += 5) {
    const Resources read = read_resources(folder.write("b", bytes.substr(0, size)));
    EXPECT_TRUE(read.times.empty()) << size;
  }
}

TEST(Resources, ADamagedHeaderIsRefused) {
  const TemporaryFolder folder;
  const fs::path path = folder / "a.bin";
  ResourceWriter(path, kHeader).add({1.5, {1, 2}});
  const std::string bytes = slurp(path);
  const auto with = [&](size_t at, const std::string& other) {
    std::string changed = bytes;
    return folder.write("b", changed.replace(at, other.size(), other));
  };
  EXPECT_ERROR(read_resources(with(0, "X")), Error, HasSubstr("VBresrc"));
  EXPECT_ERROR(read_resources(with(8, "\2")), Error, HasSubstr("version 2"));
  EXPECT_ERROR(read_resources(with(16, "[")), Error, HasSubstr((folder / "b").string()));
  EXPECT_ERROR(read_resources(with(18, "Rank")), Error, HasSubstr("rank"));
}

TEST(Resources, ARowOfAnotherLengthIsRefused) {
  const TemporaryFolder folder;
  ResourceWriter writer(folder / "a.bin", kHeader);
  EXPECT_ERROR(writer.add({1, {1}}), Error, HasSubstr("1"), HasSubstr("2"));
}

}  // namespace
}  // namespace verbund
