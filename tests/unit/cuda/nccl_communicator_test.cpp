// SPDX-License-Identifier: Apache-2.0
// NcclCommunicator on the emulated NCCL: a failure of any rank is an error on the others, never a wrong sum.
#include "cuda/nccl_communicator.h"

#include <gmock/gmock.h>

#include <atomic>
#include <functional>
#include <thread>

#include "support/emulated_gpu.h"
#include "support/expect_error.h"

namespace verbund::cuda {
namespace {

using ::testing::Each;
using ::testing::HasSubstr;

// One worker: a GPU and its place among the others.
struct Worker {
  Worker(const Nccl& nccl, const std::string& id, int its_rank, int ranks)
      : rank(its_rank),
        gpu(its_rank),
        communicator(std::make_shared<Context>(emulated_libraries(), its_rank), nccl, id, its_rank, ranks) {}

  float* put(const std::vector<float>& values) {
    float* memory = gpu.put(values);
    EmulatedGpu::check(gpu.synchronize());
    return memory;
  }

  int rank;
  EmulatedGpu gpu;
  NcclCommunicator communicator;
};

void run_workers(int ranks, const std::function<void(Worker&)>& work, const Nccl& nccl = *emulated_libraries().nccl) {
  const std::string id = new_nccl_id(nccl);
  std::vector<std::thread> threads;
  for (int rank = 0; rank < ranks; ++rank) {
    threads.emplace_back([&, rank] {
      Worker worker(nccl, id, rank, ranks);
      work(worker);
    });
  }
  for (std::thread& thread : threads) thread.join();
}

TEST(NcclCommunicator, SumsAndWaits) {
  run_workers(2, [](Worker& worker) {
    float* values = worker.put(std::vector<float>(1000, static_cast<float>(worker.rank + 1)));
    worker.communicator.all_reduce(values, 1000);
    worker.communicator.wait();
    EXPECT_THAT(worker.gpu.get(values, 1000), Each(3));
  });
}

TEST(NcclCommunicator, GathersInPlaceWithBroadcastsInOneGroup) {
  run_workers(2, [](Worker& worker) {
    std::vector<float> own(25, -1.0f);
    for (size_t i = 0; i < 10; ++i) own[static_cast<size_t>(worker.rank) * 10 + i] = static_cast<float>(worker.rank);
    for (size_t i = 20; i < 25; ++i) own[i] = static_cast<float>(worker.rank);
    float* values = worker.put(own);
    worker.communicator.group([&] {
      worker.communicator.all_gather(values, 10);
      worker.communicator.broadcast(values + 20, 5, 1);
    });
    worker.communicator.wait();
    const std::vector<float> got = worker.gpu.get(values, 25);
    for (size_t i = 0; i < 25; ++i) ASSERT_EQ(got[i], i < 10 ? 0 : 1) << i;
  });
}

TEST(NcclCommunicator, AnErrorThatNcclFindsLaterEndsTheWait) {
  Nccl nccl = *emulated_libraries().nccl;
  nccl.ncclCommGetAsyncError = [](ncclComm_t, ncclResult_t* error) {
    *error = ncclRemoteError;
    return ncclSuccess;
  };
  std::atomic<bool> other_may_go = false;
  run_workers(
      2,
      [&](Worker& worker) {
        while (worker.rank == 1 && !other_may_go) std::this_thread::yield();
        if (worker.rank == 1) return;
        worker.communicator.all_reduce(worker.put({1, 2, 3}), 3);
        EXPECT_ERROR(worker.communicator.wait(), Error, HasSubstr("remote process exited"));
        other_may_go = true;
      },
      nccl);
}

TEST(NcclCommunicator, WorkersThatDisagreeAreToldByNcclsWords) {
  run_workers(2, [](Worker& worker) {
    worker.communicator.all_reduce(worker.put({1, 2, 3}), worker.rank == 0 ? 3 : 2);
    EXPECT_ERROR(worker.communicator.wait(), Error, HasSubstr("ranks disagree"));
  });
}

TEST(NcclCommunicator, AnAbortIsAnErrorForWhoeverWaitsAndForLaterCalls) {
  std::atomic<bool> other_may_go = false;
  run_workers(2, [&](Worker& worker) {
    while (worker.rank == 1 && !other_may_go) std::this_thread::yield();
    if (worker.rank == 1) return;
    float* values = worker.put({1, 2, 3});
    worker.communicator.all_reduce(values, 3);
    std::thread killer([&] {
      std::this_thread::sleep_for(std::chrono::milliseconds(50));
      worker.communicator.abort();
    });
    EXPECT_ERROR(worker.communicator.wait(), Error, HasSubstr("aborted"));
    killer.join();
    EXPECT_ERROR(worker.communicator.all_reduce(values, 3), Error, HasSubstr("aborted"));
    other_may_go = true;
  });
}

TEST(NcclCommunicator, AnAbortWaitsForACallThatIsUnderWay) {
  std::atomic<bool> aborting = false;
  run_workers(2, [&](Worker& worker) {
    float* values = worker.put({1, 2, 3});
    if (worker.rank == 1) return;
    std::thread killer;
    worker.communicator.group([&] {
      worker.communicator.broadcast(values, 3, 0);
      killer = std::thread([&] {
        aborting = true;
        worker.communicator.abort();
      });
      while (!aborting) std::this_thread::yield();
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
    });  // the communicator is still there: nothing was refused
    killer.join();
    EXPECT_ERROR(worker.communicator.wait(), Error, HasSubstr("aborted"));
  });
}

TEST(NcclCommunicator, AGroupThatFailsIsClosed) {
  run_workers(1, [](Worker& worker) {
    float* values = worker.put({1, 2, 3});
    EXPECT_ERROR(worker.communicator.group([&] { worker.communicator.broadcast(values, 1000, 0); }), Error,
                 HasSubstr("ncclBroadcast"));
    worker.communicator.all_reduce(values, 3);  // at once, not at the end of a group
    worker.communicator.wait();
    EXPECT_EQ(emulated_libraries().nccl->ncclGroupEnd(), ncclInvalidUsage) << "there is none";
  });
}

}  // namespace
}  // namespace verbund::cuda
