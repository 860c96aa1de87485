// SPDX-License-Identifier: Apache-2.0
// RestartHosts with an agent that answers for hosts as files say.
#include "launch/restart_hosts.h"

#include <gmock/gmock.h>

#include "core/error.h"
#include "core/file.h"
#include "launch/mpirun_starter.h"
#include "support/expect_error.h"
#include "support/temporary_folder.h"

namespace verbund {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

class Agent : public MpirunStarter {
 public:
  explicit Agent(std::string script) : MpirunStarter({}), script_(std::move(script)) {}
  std::vector<std::string> on_host(const std::string& host) const override { return {"sh", script_, host}; }

 private:
  std::string script_;
};

// A host is down while FOLDER/HOST.down exists, and answers after a while while FOLDER/HOST.slow does.
constexpr const char* kAgent = R"(
folder=$(dirname "$0")
[ ! -e "$folder/$1.slow" ] || sleep 2
[ ! -e "$folder/$1.down" ]
)";

class RestartHostsTest : public ::testing::Test {
 protected:
  RestartHostsTest() {
    folder_.write("agent", kAgent);
    settings_.starter = std::make_shared<const Agent>((folder_ / "agent").string());
    settings_.fixed_workers = true;
    settings_.wait_for_hosts = std::chrono::seconds(0);
  }

  void set_hosts(const std::vector<Host>& hosts, int workers) {
    settings_.hosts = hosts;
    settings_.workers = settings_.min_workers = workers;
  }

  std::vector<Host> choose(const std::vector<Host>& before) {
    HostSupply supply(*settings_.starter, {}, "/");
    return RestartHosts(settings_, supply, signals_).choose(before);
  }

  TemporaryFolder folder_;
  const StopSignals signals_;
  LaunchSettings settings_;
};

const Host kA = {"host-a.invalid", 1}, kB = {"host-b.invalid", 1}, kC = {"host-c.invalid", 1};

TEST_F(RestartHostsTest, TheFirstThatAnswer) {
  set_hosts({kA, kB, kC}, 2);
  EXPECT_THAT(choose({kA, kB}), ElementsAre(kA, kB));
  folder_.write(kB.name + ".down", "");
  EXPECT_THAT(choose({kA, kB}), ElementsAre(kA, kC));
}

// It may be the only one with the run folder.
TEST_F(RestartHostsTest, Worker0StaysOnItsHost) {
  set_hosts({kA, kB, kC}, 2);
  EXPECT_THAT(choose({kB, kC}), ElementsAre(kB, kA));
  folder_.write(kB.name + ".down", "");
  EXPECT_THAT(choose({kB, kC}), ElementsAre(kA, kC));
}

TEST_F(RestartHostsTest, TheHostOfWorker0IsWaitedForThoughOthersAreEnough) {
  set_hosts({kA, kB, kC}, 2);
  settings_.wait_for_hosts = std::chrono::seconds(8);
  folder_.write(kA.name + ".slow", "");
  EXPECT_THAT(choose({kA, kB}), ElementsAre(kA, kB));
}

TEST_F(RestartHostsTest, HostsThatAnswerCountThoughTheyAreNotNeeded) {
  const Host a = {kA.name, 2}, b = {kB.name, 2};
  set_hosts({a, b}, 2);
  settings_.min_hosts = 2;
  EXPECT_THAT(choose({a}), ElementsAre(a));
  folder_.write(kB.name + ".down", "");
  EXPECT_ERROR(choose({a}), Error, HasSubstr(kB.name), HasSubstr("--min-hosts"));
}

}  // namespace
}  // namespace verbund
