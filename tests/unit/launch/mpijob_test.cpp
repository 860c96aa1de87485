// SPDX-License-Identifier: Apache-2.0
#include "launch/mpijob.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/error.h"

namespace verbund {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

MpiJob job() {
  MpiJob job;
  job.name = "demo";
  job.workers = 4;
  job.slots = 2;
  job.arguments = {"train", "--run", "runs/my run"};
  return job;
}

TEST(MpiJob, RefusesWhatYamlCannotHold) {
  MpiJob one = job();
  one.arguments = {"train", "\xff"};
  EXPECT_THROW(mpijob_yaml(one), UsageError);
}

TEST(MpiJob, HasPodsOfSlots) {
  const std::string text = mpijob_yaml(job());
  EXPECT_THAT(text, HasSubstr("slotsPerWorker: 2\n"));
  EXPECT_THAT(text, HasSubstr("      replicas: 2\n"));
  EXPECT_THAT(text, Not(HasSubstr("nvidia")));
}

TEST(MpiJob, SharesTheCoresOfAPod) {
  const auto threads = [](const std::string& cpu, const std::vector<std::string>& arguments) {
    MpiJob one = job();
    one.cpu = cpu;
    one.arguments = arguments;
    const std::string text = mpijob_yaml(one);
    const size_t at = text.find("threads=");
    return at == std::string::npos ? 0 : std::stoi(text.substr(at + 8));
  };
  EXPECT_EQ(threads("8", {"train"}), 4);
  EXPECT_EQ(threads("5000m", {"train"}), 2);
  EXPECT_EQ(threads("500m", {"train"}), 1);
  EXPECT_EQ(threads("8", {"train", "--set", "threads=3"}), 3);
  EXPECT_EQ(threads("8", {"doctor"}), 0);
}

TEST(MpiJob, WithGpusTrainsOnThem) {
  const auto with = [](int gpus, const std::vector<std::string>& arguments) {
    MpiJob one = job();
    one.gpus = gpus;
    one.arguments = arguments;
    return mpijob_yaml(one);
  };
  EXPECT_THAT(with(2, {"train"}), HasSubstr("\"device=cuda\""));
  EXPECT_THAT(with(2, {"train"}), HasSubstr("nvidia.com/gpu: 2\n"));
  EXPECT_THAT(with(2, {"train", "--set=device=auto"}), Not(HasSubstr("device=cuda")));
  EXPECT_THAT(with(0, {"train"}), Not(HasSubstr("device=")));
}

TEST(MpiJob, RefusesWhatKubernetesWouldRefuse) {
  const auto refused = [](auto change) {
    MpiJob one = job();
    change(one);
    try {
      check_mpijob(one);
    } catch (const UsageError&) {
      return true;
    }
    return false;
  };
  EXPECT_FALSE(refused([](MpiJob&) {}));
  for (const std::string& name : {std::string("Demo"), std::string("a.b"), std::string("-a"), std::string("a-"),
                                  std::string("a_b"), std::string("7"), std::string("a b"), std::string(64, 'a')}) {
    EXPECT_TRUE(refused([&](MpiJob& one) { one.name = name; })) << name;
  }
  EXPECT_FALSE(refused([](MpiJob& one) { one.name = std::string(54, 'a'); }));  // with -worker-1: 63
  EXPECT_TRUE(refused([](MpiJob& one) { one.name = std::string(55, 'a'); }));
  EXPECT_TRUE(refused([](MpiJob& one) { one.workers = 3; }));
  EXPECT_TRUE(refused([](MpiJob& one) { one.gpus = 1; })) << "for two workers";
  EXPECT_FALSE(refused([](MpiJob& one) { one.gpus = 2; }));
  EXPECT_TRUE(refused([](MpiJob& one) { one.space = "My_Space"; }));
  EXPECT_FALSE(refused([](MpiJob& one) { one.claim = "nfs.data-1"; }));
  EXPECT_TRUE(refused([](MpiJob& one) { one.claim = "nfs..data"; }));
  EXPECT_TRUE(refused([](MpiJob& one) { one.image = "a b"; }));
  for (const char* cpu : {"", "0", "-1", "1.", ".5", "1.5.2", "two", "4Gi", "1 "}) {
    EXPECT_TRUE(refused([&](MpiJob& one) { one.cpu = cpu; })) << cpu;
  }
  for (const char* memory : {"4GB", "4gi", "", "Gi"}) {
    EXPECT_TRUE(refused([&](MpiJob& one) { one.memory = memory; })) << memory;
  }
  for (const char* memory : {"4Gi", "4000000000", "0.5Gi", "512M"}) {
    EXPECT_FALSE(refused([&](MpiJob& one) { one.memory = memory; })) << memory;
  }
}

}  // namespace
}  // namespace verbund
