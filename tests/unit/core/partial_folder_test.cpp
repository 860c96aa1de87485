#include "core/partial_folder.h"

#include <gtest/gtest.h>

#include "core/error.h"
#include "core/float_buffer.h"
#include "support/expect_error.h"
#include "support/temporary_folder.h"

namespace verbund {
namespace {

using ::testing::HasSubstr;

TEST(PartialFolder, IsThereAsAWholeOrNotAtAll) {
  const TemporaryFolder folder;
  {
    const PartialFolder partial(folder / "a");
    write_file(partial.path() / "file", "text");
    EXPECT_FALSE(fs::exists(folder / "a"));
  }
  EXPECT_TRUE(fs::is_empty(folder / ""));
  {
    const PartialFolder partial(folder / "a");
    EXPECT_TRUE(fs::is_empty(partial.path()));
    write_file(partial.path() / "file", "text");
    partial.publish();
  }
  EXPECT_EQ(read_file(folder / "a/file"), "text");
  EXPECT_FALSE(fs::exists(folder / "a.partial"));
}

TEST(PartialFolder, LeavesWhatItDidNotMake) {
  const TemporaryFolder folder;
  make_folder(folder / "a.partial");
  write_file(folder / "a.partial/mine", "text");
  EXPECT_ERROR(PartialFolder(folder / "a"), Error, HasSubstr("a.partial is in the way"), HasSubstr("Remove"));
  EXPECT_EQ(read_file(folder / "a.partial/mine"), "text");
  folder.write("b.partial", "a file");
  EXPECT_ERROR(PartialFolder(folder / "b"), Error, HasSubstr("b.partial is in the way"));
  EXPECT_EQ(read_file(folder / "b.partial"), "a file");
}

TEST(PartialFolder, ATakenNameIsAnError) {
  const TemporaryFolder folder;
  make_folder(folder / "a");
  write_file(folder / "a/mine", "text");
  EXPECT_ERROR(PartialFolder(folder / "a").publish(), Error, HasSubstr("cannot rename"));
  EXPECT_EQ(read_file(folder / "a/mine"), "text");
  EXPECT_FALSE(fs::exists(folder / "a.partial"));
}

TEST(FloatBuffer, IsZeroAlignedAndMayBeEmpty) {
  FloatBuffer buffer(5000);
  EXPECT_EQ(reinterpret_cast<uintptr_t>(buffer.data()) % 64, 0u);
  EXPECT_THAT(buffer.values(), ::testing::Each(0.0f));
  buffer.data()[4999] = 1;
  const FloatBuffer moved = std::move(buffer);
  EXPECT_EQ(moved.values().back(), 1.0f);
  EXPECT_TRUE(FloatBuffer(0).values().empty());
}

TEST(FloatBuffer, TooMuchIsAnErrorWithItsSize) {
  EXPECT_ERROR(FloatBuffer(size_t{1} << 58), Error, HasSubstr("no memory for"), HasSubstr("smaller model"));
}

}  // namespace
}  // namespace verbund
