// SPDX-License-Identifier: Apache-2.0
#include "launch/host_source.h"

#include <gtest/gtest.h>

#include "core/error.h"
#include "core/file.h"
#include "launch/restart_hosts.h"
#include "support/expect_error.h"
#include "support/temporary_folder.h"

namespace verbund {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

std::vector<Host> hosts_from(const std::string& text) {
  return HostSource(text).read([] {});
}

TEST(HostSource, ReadsAFileAgain) {
  TemporaryFolder folder;
  const HostSource source(folder.write("hosts", "a slots=2\nb:3\n"));
  EXPECT_THAT(source.read([] {}), ElementsAre(Host{"a", 2}, Host{"b", 3}));
  folder.write("hosts", "c\n");
  EXPECT_THAT(source.read([] {}), ElementsAre(Host{"c", 1}));
  fs::remove(folder / "hosts");
  EXPECT_ERROR(source.read([] {}), Error, HasSubstr("hosts"));
}

TEST(HostSource, RunsACommand) {
  EXPECT_THAT(hosts_from("echo a:2; echo 'noise' >&2; echo b slots=1"), ElementsAre(Host{"a", 2}, Host{"b", 1}));
  EXPECT_THAT(hosts_from("printf a:2,b:2"), ElementsAre(Host{"a", 2}, Host{"b", 2}));
}

TEST(HostSource, RunsAFileThatCanBeExecuted) {
  TemporaryFolder folder;
  const fs::path script = folder.write("discover_hosts.sh", "#!/bin/sh\necho worker-0.job:1\necho worker-1.job:1\n");
  fs::permissions(script, fs::perms::owner_all);
  EXPECT_THAT(hosts_from(script), ElementsAre(Host{"worker-0.job", 1}, Host{"worker-1.job", 1}));
}

TEST(HostSource, TellsWhatIsWrong) {
  EXPECT_ERROR(hosts_from("echo a:1; exit 7"), Error, HasSubstr("exit 7"), HasSubstr("code 7"));
  EXPECT_ERROR(hosts_from("/no/such/thing 2> /dev/null"), Error, HasSubstr("/no/such/thing"), HasSubstr("127"),
               HasSubstr("no file"));
  EXPECT_ERROR(hosts_from("echo a:1 | no-such-command 2> /dev/null"), Error, HasSubstr("127"));
  EXPECT_ERROR(hosts_from("true"), UsageError, HasSubstr("true"));
  EXPECT_ERROR(hosts_from("echo 'no hosts today'"), UsageError, HasSubstr("no hosts today"));
}

TEST(HostSource, AScriptThatExistsIsNotCalledMissing) {
  TemporaryFolder folder;
  const fs::path script = folder.write("np.sh", "no-such-tool --list 2> /dev/null\n");
  fs::permissions(script, fs::perms::owner_all);
  EXPECT_ERROR(hosts_from(script), Error, HasSubstr("127"), Not(HasSubstr("no file")));
}

TEST(HostSource, EndlessOutputIsEnded) {
  const auto began = std::chrono::steady_clock::now();
  EXPECT_ERROR(hosts_from("yes a:1"), Error, HasSubstr("yes a:1"), HasSubstr("MB"));
  EXPECT_ERROR(hosts_from("cat /dev/zero"), Error, HasSubstr("MB"));
  EXPECT_LT(std::chrono::steady_clock::now() - began, std::chrono::seconds(15));
}

TEST(HostSource, CanBeInterrupted) {
  EXPECT_THROW(HostSource("sleep 60").read([] { throw Interrupted(SIGTERM); }), Interrupted);
}

TEST(RestartHosts, WantAsManyWorkersAsTheListHasSlots) {
  LaunchSettings settings;
  settings.workers = 4;
  const std::vector<Host> before = {{"a", 2}, {"b", 2}};
  EXPECT_EQ(wanted_workers(settings, {{"a", 2}, {"b", 2}, {"c", 2}}, before), 6) << "a new host";
  EXPECT_EQ(wanted_workers(settings, {{"a", 2}}, before), 4) << "a lost one, whose replacement is awaited";
  EXPECT_EQ(wanted_workers(settings, {{"a", 2}}, {{"a", 2}}), 2) << "after going on with fewer";
  settings.fixed_workers = true;
  EXPECT_EQ(wanted_workers(settings, {{"a", 2}, {"b", 2}, {"c", 2}}, before), 4) << "c is spare";
  EXPECT_EQ(wanted_workers(settings, {{"a", 2}}, {{"a", 2}}), 4);
}

}  // namespace
}  // namespace verbund
