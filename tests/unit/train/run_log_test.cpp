#include "train/run_log.h"

#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "core/file.h"
#include "support/temporary_folder.h"

namespace verbund {
namespace {

using ::testing::HasSubstr;
using ::testing::MatchesRegex;
using ::testing::Not;

constexpr const char* kTime = "[0-9-]{10}T[0-9:]{8}Z";

TEST(RunLog, SaysWhen) {
  TemporaryFolder folder;
  {
    RunLog log(folder.path());
    log.note("one\n  two");
    log.metrics({{"step", 1}});
  }
  EXPECT_THAT(read_file(folder / "log.txt"), MatchesRegex(fmt::format("{0}  one\n{0}    two\n", kTime)));
  const auto line = nlohmann::json::parse(read_file(folder / "metrics.jsonl"));
  EXPECT_EQ(line.at("step"), 1);
  EXPECT_THAT(line.at("time").get<std::string>(), MatchesRegex(kTime));
}

TEST(RunLog, ForgetsWhatARunWillMakeAgain) {
  TemporaryFolder folder;
  const fs::path path = folder / "metrics.jsonl";
  RunLog::drop_after(folder.path(), 5);                      // there is nothing yet
  write_file(path, "{\"step\": 5}\n{\"step\": 6}\n{\"ste");  // the last one was cut
  testing::internal::CaptureStderr();
  RunLog::drop_after(folder.path(), 5);
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
  EXPECT_EQ(read_file(path), "{\"step\": 5}\n");
  RunLog::drop_after(folder.path(), -1);
  EXPECT_EQ(read_file(path), "");
}

TEST(RunLog, DamagedLinesAreNamedAndKeptAside) {
  TemporaryFolder folder;
  const fs::path path = folder / "metrics.jsonl";
  const std::string damaged = "{\"step\": 1}\n{\"step\": \"two\"}\nthree\n{\"step\": 4}\n";
  write_file(path, damaged);
  testing::internal::CaptureStderr();
  RunLog::drop_after(folder.path(), 5);
  EXPECT_THAT(testing::internal::GetCapturedStderr(),
              AllOf(HasSubstr(path.string()), HasSubstr("2 lines"), HasSubstr("line 2"), HasSubstr(".damaged")));
  EXPECT_EQ(read_file(path), "{\"step\": 1}\n{\"step\": 4}\n");
  EXPECT_EQ(read_file(folder / "metrics.jsonl.damaged"), damaged);
}

}  // namespace
}  // namespace verbund
