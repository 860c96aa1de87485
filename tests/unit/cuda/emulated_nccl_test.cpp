// SPDX-License-Identifier: Apache-2.0
// The emulated NCCL: ranks as threads with a GPU each, and as processes.
#include <gmock/gmock.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cmath>
#include <functional>
#include <thread>

#include "emulated/numbers.h"
#include "support/emulated_gpu.h"

extern char** environ;

namespace verbund::cuda {
namespace {

using ::testing::Each;
using ::testing::IsNan;

const Nccl& nccl() { return *emulated_libraries().nccl; }

ncclUniqueId new_id() {
  ncclUniqueId id = {};
  EXPECT_EQ(nccl().ncclGetUniqueId(&id), ncclSuccess);
  return id;
}

// One rank: a GPU and a communicator.
struct Rank {
  Rank(int ranks, int its_rank, const ncclUniqueId& id) : rank(its_rank), gpu(its_rank) {
    EXPECT_EQ(nccl().ncclCommInitRank(&comm, ranks, id, rank), ncclSuccess) << nccl().ncclGetLastError(nullptr);
  }
  ~Rank() { EXPECT_EQ(nccl().ncclCommDestroy(comm), ncclSuccess); }

  ncclResult_t sum(const float* send, float* receive, size_t count) {
    return nccl().ncclAllReduce(send, receive, count, ncclFloat32, ncclSum, comm, gpu.stream);
  }
  // Numbers that tell rank and place, and are summed exactly.
  std::vector<float> numbers(size_t count) const {
    std::vector<float> values(count);
    for (size_t i = 0; i < count; ++i) values[i] = static_cast<float>((rank + 1) * 1000 + i % 1000);
    return values;
  }

  int rank;
  EmulatedGpu gpu;
  ncclComm_t comm = nullptr;
};

void run_ranks(int ranks, const std::function<void(Rank&)>& work) {
  const ncclUniqueId id = new_id();
  std::vector<std::thread> threads;
  for (int rank = 0; rank < ranks; ++rank) {
    threads.emplace_back([&, rank] {
      Rank one(ranks, rank, id);
      if (one.comm != nullptr) work(one);
    });
  }
  for (std::thread& thread : threads) thread.join();
}

TEST(EmulatedNccl, SumsOverRanks) {
  run_ranks(2, [](Rank& rank) {
    for (const size_t count : {size_t{1}, size_t{1000}, size_t{200'001}}) {
      const float* send = rank.gpu.put(rank.numbers(count));
      auto* receive = rank.gpu.allocate<float>(count);
      ASSERT_EQ(rank.sum(send, receive, count), ncclSuccess);
      const std::vector<float> got = rank.gpu.get(receive, count);
      for (size_t i = 0; i < count; ++i) ASSERT_EQ(got[i], 3000 + 2.0f * static_cast<float>(i % 1000)) << i;
    }
    float* in_place = rank.gpu.put(rank.numbers(10));
    ASSERT_EQ(rank.sum(in_place, in_place, 10), ncclSuccess);
    EXPECT_EQ(rank.gpu.get(in_place, 10)[9], 3018);
  });
}

TEST(EmulatedNccl, SumsNumbersOf16Bits) {
  run_ranks(2, [](Rank& rank) {
    // 256 + 1 is 256 in bfloat16 and 257 in half.
    const float own = rank.rank == 0 ? 256.0f : 1.0f;
    uint16_t* half = rank.gpu.put(std::vector<uint16_t>(5, emulated::float_to_half(own)));
    uint16_t* bfloat = rank.gpu.put(std::vector<uint16_t>(5, emulated::float_to_bfloat16(own)));
    const auto sum = [&](uint16_t* data, ncclDataType_t type) {
      return nccl().ncclAllReduce(data, data, 5, type, ncclSum, rank.comm, rank.gpu.stream);
    };
    ASSERT_EQ(sum(half, ncclFloat16), ncclSuccess);
    ASSERT_EQ(sum(bfloat, ncclBfloat16), ncclSuccess);
    EXPECT_EQ(emulated::half_to_float(rank.gpu.get(half, 5)[4]), 257);
    EXPECT_EQ(emulated::bfloat16_to_float(rank.gpu.get(bfloat, 5)[4]), 256);
  });
}

TEST(EmulatedNccl, ScattersGathersAndBroadcasts) {
  run_ranks(2, [](Rank& rank) {
    const size_t count = 100'003;  // of each rank's part: several blocks
    float* data = rank.gpu.put(rank.numbers(2 * count));
    float* part = data + static_cast<size_t>(rank.rank) * count;
    ASSERT_EQ(nccl().ncclReduceScatter(data, part, count, ncclFloat32, ncclSum, rank.comm, rank.gpu.stream),
              ncclSuccess);
    ASSERT_EQ(nccl().ncclAllGather(part, data, count, ncclFloat32, rank.comm, rank.gpu.stream), ncclSuccess);
    const std::vector<float> got = rank.gpu.get(data, 2 * count);
    for (size_t i = 0; i < got.size(); ++i) ASSERT_EQ(got[i], 3000 + 2.0f * static_cast<float>(i % 1000)) << i;

    float* sent = rank.gpu.put(rank.numbers(7));
    auto* received = rank.gpu.allocate<float>(7);
    ASSERT_EQ(
        nccl().ncclBroadcast(rank.rank == 1 ? sent : nullptr, received, 7, ncclFloat32, 1, rank.comm, rank.gpu.stream),
        ncclSuccess);
    EXPECT_EQ(rank.gpu.get(received, 7)[6], 2006);
  });
}

TEST(EmulatedNccl, AGroupIsQueuedAtItsEnd) {
  run_ranks(2, [](Rank& rank) {
    float* a = rank.gpu.put(rank.numbers(3));
    float* b = rank.gpu.put(rank.numbers(4));
    ASSERT_EQ(nccl().ncclGroupStart(), ncclSuccess);
    ASSERT_EQ(rank.sum(a, a, 3), ncclSuccess);
    ASSERT_EQ(rank.sum(b, b, 4), ncclSuccess);
    EXPECT_EQ(rank.gpu.get(a, 3)[0], (rank.rank + 1) * 1000) << "not yet";
    ASSERT_EQ(nccl().ncclGroupEnd(), ncclSuccess);
    EXPECT_EQ(rank.gpu.get(b, 4)[3], 3006);
    EXPECT_EQ(rank.gpu.get(a, 3)[0], 3000);
    EXPECT_EQ(nccl().ncclGroupEnd(), ncclInvalidUsage);
  });
}

TEST(EmulatedNccl, RefusesWrongArguments) {
  run_ranks(2, [](Rank& rank) {
    float* data = rank.gpu.put(rank.numbers(100));
    std::vector<float> host(100);
    const auto sum = [&](const void* send, void* receive, size_t count, int type = ncclFloat32,
                         int operation = ncclSum) {
      return nccl().ncclAllReduce(send, receive, count, static_cast<ncclDataType_t>(type),
                                  static_cast<ncclRedOp_t>(operation), rank.comm, rank.gpu.stream);
    };
    EXPECT_EQ(sum(host.data(), data, 100), ncclInvalidArgument) << "host memory";
    EXPECT_EQ(sum(data, data, 101), ncclInvalidArgument) << "more than there is";
    EXPECT_EQ(sum(data, nullptr, 100), ncclInvalidArgument);
    EXPECT_EQ(sum(data, data + 1, 50), ncclInvalidArgument) << "an overlap";
    EXPECT_EQ(sum(data, data, 10, 77), ncclInvalidArgument);
    EXPECT_EQ(sum(data, data, 10, ncclFloat32, 77), ncclInvalidArgument);
    EXPECT_EQ(nccl().ncclAllReduce(data, data, 10, ncclFloat32, ncclSum, nullptr, rank.gpu.stream),
              ncclInvalidArgument);
    EXPECT_EQ(nccl().ncclBroadcast(data, data, 10, ncclFloat32, 2, rank.comm, rank.gpu.stream), ncclInvalidArgument);
    EXPECT_EQ(sum(data, data, 100), ncclSuccess) << "nothing of this has done any harm";
    EXPECT_EQ(rank.gpu.get(data, 100)[0], 3000);
  });
}

TEST(EmulatedNccl, TellsItsLastError) {
  EXPECT_EQ(nccl().ncclBroadcast(nullptr, nullptr, 1, ncclFloat32, 0, nullptr, nullptr), ncclInvalidArgument);
  EXPECT_STREQ(nccl().ncclGetLastError(nullptr), "ncclBroadcast: this is not a communicator");
}

TEST(EmulatedNccl, RanksThatDisagreeFailAndDoNotHang) {
  run_ranks(2, [](Rank& rank) {
    float* data = rank.gpu.put(rank.numbers(100));
    ASSERT_EQ(rank.sum(data, data, rank.rank == 0 ? 100 : 99), ncclSuccess);
    EXPECT_EQ(rank.gpu.synchronize(), CUDA_ERROR_LAUNCH_FAILED);
    ncclResult_t error = ncclSuccess;
    EXPECT_EQ(nccl().ncclCommGetAsyncError(rank.comm, &error), ncclSuccess);
    EXPECT_EQ(error, ncclInvalidUsage);
    EXPECT_EQ(rank.sum(data, data, 100), ncclInvalidUsage);
  });
  run_ranks(2, [](Rank& rank) {
    float* data = rank.gpu.put(rank.numbers(100));
    if (rank.rank == 0) {
      ASSERT_EQ(rank.sum(data, data, 10), ncclSuccess);
    } else {
      ASSERT_EQ(nccl().ncclBroadcast(data, data, 10, ncclFloat32, 0, rank.comm, rank.gpu.stream), ncclSuccess);
    }
    EXPECT_EQ(rank.gpu.synchronize(), CUDA_ERROR_LAUNCH_FAILED);
  });
}

TEST(EmulatedNccl, TwoRanksOnOneGpuAreRefused) {
  const ncclUniqueId id = new_id();
  std::vector<std::thread> threads;
  for (int rank = 0; rank < 2; ++rank) {
    threads.emplace_back([&, rank] {
      EmulatedGpu gpu(0);
      ncclComm_t comm = nullptr;
      EXPECT_EQ(nccl().ncclCommInitRank(&comm, 2, id, rank), ncclInvalidUsage);
    });
  }
  for (std::thread& thread : threads) thread.join();
}

TEST(EmulatedNccl, OtherStreamsOfTheDeviceDoNotWait) {
  std::atomic<bool> first_has_its_numbers = false;
  run_ranks(2, [&](Rank& rank) {
    float* summed = rank.gpu.put(rank.numbers(100));
    const float* other = rank.gpu.put(rank.numbers(10));
    EmulatedGpu::check(rank.gpu.synchronize());
    CUstream copies = nullptr;
    EmulatedGpu::check(rank.gpu.driver.cuStreamCreate(&copies, CU_STREAM_NON_BLOCKING));
    // The second rank comes only when the first one has numbers from another stream than that of the sum.
    while (rank.rank == 1 && !first_has_its_numbers) std::this_thread::yield();
    ASSERT_EQ(rank.sum(summed, summed, 100), ncclSuccess);
    std::vector<float> copy(10);
    EmulatedGpu::check(rank.gpu.driver.cuMemcpyDtoHAsync_v2(copy.data(), EmulatedGpu::address(other), 40, copies));
    EmulatedGpu::check(rank.gpu.driver.cuStreamSynchronize(copies));
    EXPECT_EQ(copy, rank.numbers(10));
    if (rank.rank == 0) first_has_its_numbers = true;
    EXPECT_EQ(rank.gpu.get(summed, 100)[0], 3000);
  });
}

TEST(EmulatedNccl, WhoAsksForAnEventDoesNotWait) {
  std::atomic<bool> first_has_asked = false;
  run_ranks(2, [&](Rank& rank) {
    float* data = rank.gpu.put(rank.numbers(100));
    while (rank.rank == 1 && !first_has_asked) std::this_thread::yield();
    ASSERT_EQ(rank.sum(data, data, 100), ncclSuccess);
    CUevent summed = nullptr;
    EmulatedGpu::check(rank.gpu.driver.cuEventCreate(&summed, CU_EVENT_DISABLE_TIMING));
    EmulatedGpu::check(rank.gpu.driver.cuEventRecord(summed, rank.gpu.stream));
    CUresult result = CUDA_ERROR_NOT_READY;
    for (int times = 0; (result = rank.gpu.driver.cuEventQuery(summed)) == CUDA_ERROR_NOT_READY; ++times) {
      if (times == 10) first_has_asked = true;
      std::this_thread::yield();
    }
    EXPECT_EQ(result, CUDA_SUCCESS);
    EXPECT_EQ(rank.gpu.get(data, 100)[0], 3000);
  });
}

TEST(EmulatedNccl, AWaitEndsWithAnAbort) {
  std::atomic<bool> other_may_go = false;
  const auto begin = std::chrono::steady_clock::now();
  run_ranks(2, [&](Rank& rank) {
    if (rank.rank == 1) {  // never comes
      while (!other_may_go) std::this_thread::yield();
      return;
    }
    float* data = rank.gpu.put(rank.numbers(100));
    ASSERT_EQ(rank.sum(data, data, 100), ncclSuccess);
    std::thread killer([comm = rank.comm] {
      std::this_thread::sleep_for(std::chrono::milliseconds(50));
      EXPECT_EQ(nccl().ncclCommAbort(comm), ncclSuccess);
    });
    EXPECT_EQ(rank.gpu.synchronize(), CUDA_SUCCESS) << "as with NCCL, the stream knows nothing of it";
    killer.join();
    EXPECT_THAT(rank.gpu.get(data, 100), Each(IsNan()));
    EXPECT_EQ(rank.sum(data, data, 100), ncclInvalidArgument) << "the communicator is gone";
    rank.comm = nullptr;
    other_may_go = true;
  });
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(5));
}

// A process of its own runs this.
TEST(EmulatedNcclProcess, DISABLED_Rank) {
  const char* id_text = std::getenv("VERBUND_TEST_ID");
  ASSERT_NE(id_text, nullptr);
  ncclUniqueId id = {};
  std::string(id_text).copy(id.internal, sizeof(id.internal) - 1);
  Rank rank(2, std::atoi(std::getenv("VERBUND_TEST_RANK")), id);
  for (int i = 0; i < 20; ++i) {
    float* data = rank.gpu.put(rank.numbers(100'000));
    ASSERT_EQ(rank.sum(data, data, 100'000), ncclSuccess);
    ASSERT_EQ(rank.gpu.get(data, 100'000)[99'999], 3000 + 2 * 999);
  }
  if (std::getenv("VERBUND_TEST_DEATH") == nullptr) return;
  if (rank.rank == 1) ::_exit(9);  // while the other waits
  float* data = rank.gpu.put(rank.numbers(10));
  ASSERT_EQ(rank.sum(data, data, 10), ncclSuccess);
  std::thread killer([comm = rank.comm] {
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    EXPECT_EQ(nccl().ncclCommAbort(comm), ncclSuccess);
  });
  EXPECT_EQ(rank.gpu.synchronize(), CUDA_SUCCESS);
  killer.join();
  rank.comm = nullptr;
}

// Exit codes of two ranks.
std::vector<int> run_processes(bool death) {
  const ncclUniqueId id = new_id();
  std::vector<pid_t> children;
  for (int rank = 0; rank < 2; ++rank) {
    const std::string rank_variable = "VERBUND_TEST_RANK=" + std::to_string(rank);
    const std::string id_variable = std::string("VERBUND_TEST_ID=") + id.internal;
    std::vector<char*> variables;
    for (char** variable = environ; *variable != nullptr; ++variable) {
      // In a shard of its own, the child would have nothing to run.
      if (!std::string_view(*variable).starts_with("GTEST_")) variables.push_back(*variable);
    }
    variables.push_back(const_cast<char*>(rank_variable.c_str()));
    variables.push_back(const_cast<char*>(id_variable.c_str()));
    if (death) variables.push_back(const_cast<char*>("VERBUND_TEST_DEATH=1"));
    variables.push_back(nullptr);
    const char* arguments[] = {"cuda_test", "--gtest_also_run_disabled_tests", "--gtest_brief=1",
                               "--gtest_filter=EmulatedNcclProcess.DISABLED_Rank", nullptr};
    pid_t child = 0;
    EXPECT_EQ(
        ::posix_spawn(&child, "/proc/self/exe", nullptr, nullptr, const_cast<char**>(arguments), variables.data()), 0);
    children.push_back(child);
  }
  std::vector<int> codes;
  for (const pid_t child : children) {
    int status = 0;
    ::waitpid(child, &status, 0);
    codes.push_back(WIFEXITED(status) ? WEXITSTATUS(status) : -1);
  }
  return codes;
}

TEST(EmulatedNccl, RanksMayBeProcesses) { EXPECT_THAT(run_processes(false), ::testing::ElementsAre(0, 0)); }

TEST(EmulatedNccl, ADeadProcessLeavesNobodyStuck) { EXPECT_THAT(run_processes(true), ::testing::ElementsAre(0, 9)); }

}  // namespace
}  // namespace verbund::cuda
