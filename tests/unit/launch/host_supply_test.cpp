// SPDX-License-Identifier: Apache-2.0
// HostSupply with an agent that runs its scripts here and counts them.
#include "launch/host_supply.h"

#include <gtest/gtest.h>

#include "core/file.h"
#include "fetch/archive.h"
#include "launch/mpirun_starter.h"
#include "support/temporary_folder.h"

namespace verbund {
namespace {

class Counter : public MpirunStarter {
 public:
  explicit Counter(std::string file) : MpirunStarter({}), file_(std::move(file)) {}
  std::vector<std::string> shell_on_host(const std::string&, const std::string& script) const override {
    return {"sh", "-c", "echo >> " + file_ + "\n" + script};
  }

 private:
  std::string file_;
};

TEST(HostSupply, AsksAHostAgainThatHasNotAnsweredMeanwhile) {
  TemporaryFolder folder;
  folder.write("program", "x");
  folder.write("asked", "");
  const fs::path program = folder / "program";
  const Counter starter((folder / "asked").string());
  const StopSignals signals;
  HostSupply supply(starter, {{program, 1, file_digest(program, Digest::kSha256)}}, program.parent_path());
  const auto asked_after = [&](bool answers) {
    std::vector<HostAnswer> hosts = {{{"host-b.invalid", 1}, answers, ""}};
    EXPECT_EQ(supply.supply(hosts, signals), 0);
    return fs::file_size(folder / "asked");
  };
  EXPECT_EQ(asked_after(true), 1u);
  EXPECT_EQ(asked_after(true), 1u) << "it has the files";
  EXPECT_EQ(asked_after(false), 1u);
  EXPECT_EQ(asked_after(true), 2u);
}

}  // namespace
}  // namespace verbund
