// SPDX-License-Identifier: Apache-2.0
#include "launch/host_list.h"

#include <gtest/gtest.h>

#include "core/error.h"
#include "launch/mpirun_starter.h"
#include "launch/reachable_hosts.h"
#include "support/expect_error.h"

namespace verbund {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(HostList, ReadsHostsWithTheirSlots) {
  EXPECT_THAT(parse_host_list("a:2,host-b.example:16,10.0.0.3"),
              ElementsAre(Host{"a", 2}, Host{"host-b.example", 16}, Host{"10.0.0.3", 1}));
}

TEST(HostList, AddsTheSlotsOfAHostThatIsNamedTwice) {
  EXPECT_THAT(parse_host_list("a:2,b,a:3"), ElementsAre(Host{"a", 5}, Host{"b", 1}));
}

TEST(HostList, ShowsWhatIsWrongAndTheRightForm) {
  for (const char* wrong : {"", "a:", "a:0", "a:-1", "a:x", "a:2x", "a:2:3", ":2", "-a:2", "a b", "a:99999999999"}) {
    EXPECT_ERROR(parse_host_list(wrong), UsageError, HasSubstr(fmt::format("\"{}\"", wrong)), HasSubstr("-H a:2,b:2"));
  }
  EXPECT_ERROR(parse_host_list("a:2,,b:2"), UsageError, HasSubstr("-H a:2,,b:2"), HasSubstr("\"\""));
  EXPECT_ERROR(parse_host_list("a:2,"), UsageError, HasSubstr("-H a:2,"), HasSubstr("\"\""));
  EXPECT_ERROR(parse_host_list("a:2;b:2"), UsageError, HasSubstr("\"a:2;b:2\""));
}

TEST(HostFile, ReadsWhatOpenMpiReads) {
  EXPECT_THAT(parse_host_file("# ours\na slots=2\n\n  b\t slots=3 # fast\nc\n", "hosts"),
              ElementsAre(Host{"a", 2}, Host{"b", 3}, Host{"c", 1}));
}

TEST(HostFile, ReadsWhatEditorsOnWindowsWrite) {
  EXPECT_THAT(parse_host_file("\xEF\xBB\xBF# ours\r\na slots=2\r\nb\r\n", "hosts"),
              ElementsAre(Host{"a", 2}, Host{"b", 1}));
}

TEST(HostFile, ReadsTheNotationOfTheCommandLine) {
  EXPECT_THAT(parse_host_file("a:2\nb:3,c # both\na:1\n", "hosts"),
              ElementsAre(Host{"a", 3}, Host{"b", 3}, Host{"c", 1}));
}

TEST(HostFile, NamesTheLineThatIsWrong) {
  EXPECT_ERROR(parse_host_file("a slots=2\nb slot=2\n", "hosts"), UsageError, HasSubstr("hosts, line 2"),
               HasSubstr("\"b slot=2\""), HasSubstr("HOST slots=WORKERS"));
  EXPECT_ERROR(parse_host_file("b slots=0\n", "hosts"), UsageError, HasSubstr("line 1"));
  EXPECT_ERROR(parse_host_file("a:2 slots=2\n", "hosts"), UsageError, HasSubstr("line 1"));
  EXPECT_ERROR(parse_host_file("a:x\n", "hosts"), UsageError, HasSubstr("line 1"));
  EXPECT_ERROR(parse_host_file("a slots=1 max_slots=4\n", "hosts"), UsageError, HasSubstr("\"max_slots=4\""));
  EXPECT_ERROR(parse_host_file("a slots=1 slots=2\n", "hosts"), UsageError, HasSubstr("\"slots=2\""));
  EXPECT_ERROR(parse_host_file(std::string("a:1\0b\n", 6), "hosts"), UsageError, HasSubstr("a:1\\x00b"));
  EXPECT_ERROR(parse_host_file("# nothing\n", "hosts"), UsageError, HasSubstr("hosts"),
               HasSubstr("HOST slots=WORKERS"));
}

TEST(HostList, WorkersFillHostsInOrder) {
  const std::vector<Host> hosts = {{"a", 2}, {"b", 2}, {"c", 1}};
  EXPECT_EQ(total_slots(hosts), 5);
  EXPECT_THAT(used_hosts(hosts, 3), ElementsAre(Host{"a", 2}, Host{"b", 1}));
  EXPECT_THAT(used_hosts(hosts, 5), ElementsAre(Host{"a", 2}, Host{"b", 2}, Host{"c", 1}));
  EXPECT_EQ(host_of_worker(hosts, 0), "a");
  EXPECT_EQ(host_of_worker(hosts, 1), "a");
  EXPECT_EQ(host_of_worker(hosts, 2), "b");
  EXPECT_EQ(host_of_worker(hosts, 4), "c");
  EXPECT_EQ(host_of_worker(hosts, 5), "");
  EXPECT_EQ(describe_workers(1), "1 worker");
  EXPECT_EQ(describe_workers(5), "5 workers");
  EXPECT_EQ(describe_hosts(hosts), "a (2), b (2), c (1)");
  std::vector<Host> many(40, {"h", 8});
  const std::string text = describe_hosts(many);
  EXPECT_EQ(std::count(text.begin(), text.end(), '('), 16);
  EXPECT_NE(text.find("24 other hosts"), std::string::npos);
}

TEST(RshCommand, WordsOfTheAgent) {
  EXPECT_THAT(MpirunStarter({}).on_host("b"),
              ElementsAre("ssh", "-x", "-o", "BatchMode=yes", "-o", "ServerAliveInterval=10", "b"));
  EXPECT_THAT(MpirunStarter({.rsh_agent = " kubectl  exec "}).on_host("b"), ElementsAre("kubectl", "exec", "b"));
}

TEST(RshCommand, ABlankOneIsRefused) {
  EXPECT_ERROR(MpirunStarter({.rsh_agent = "   "}), UsageError, HasSubstr("--rsh \"   \""));
  EXPECT_ERROR(MpirunStarter({.rsh_agent = "\t"}), UsageError, HasSubstr("--rsh \"\t\""));
}

}  // namespace
}  // namespace verbund
