#include "train/run_folder.h"

#include <gmock/gmock.h>

#include "support/expect_error.h"
#include "support/temporary_folder.h"

namespace verbund {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

TEST(RunFolder, NoticesThatItWasMoved) {
  TemporaryFolder folder;
  const fs::path run = folder / "run", moved = folder / "moved";
  const RunFolder here(run, false);
  here.check_in_place();
  fs::rename(run, moved);
  const auto names_both = AllOf(HasSubstr("moved"), HasSubstr(run.string()), HasSubstr("--run " + moved.string()));
  EXPECT_ERROR(here.check_in_place(), Error, names_both);
  fs::create_directory(run);  // another one in its place
  EXPECT_ERROR(here.check_in_place(), Error, names_both);
  fs::remove(run);
  fs::rename(moved, run);
  here.check_in_place();
}

TEST(RunFolder, NoticesThatItWasRemoved) {
  TemporaryFolder folder;
  const fs::path run = folder / "run";
  const RunFolder here(run, false);
  fs::remove(run);
  EXPECT_ERROR(here.check_in_place(), Error, AllOf(HasSubstr("removed"), HasSubstr(run.string())));
}

TEST(RunFolder, MayBeReachedThroughALink) {
  TemporaryFolder folder;
  fs::create_directory(folder / "real");
  fs::create_directory_symlink(folder / "real", folder / "link");
  RunFolder(folder / "link", false).check_in_place();
}

}  // namespace
}  // namespace verbund
