// SPDX-License-Identifier: Apache-2.0
// GPUs that are fine, missing, too few, wrong, full or mixed with CPUs: each gives the right verdict and advice.
#include <cmath>

#include "doctor/judge.h"
#include "unit/doctor/made_facts.h"

namespace verbund {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

MATCHER_P3(Says, check, health, text, "") {
  *result_listener << arg.check << ", " << name_of(arg.health) << ": " << arg.text << " -> " << arg.advice;
  return arg.check == check && arg.health == health && arg.text.find(text) != std::string::npos &&
         arg.advice.empty() == (health == Health::kOk);
}

// What is not well.
Findings complaints(const Facts& facts) {
  Findings some;
  for (const Finding& finding : judge_gpus(facts)) {
    if (finding.health != Health::kOk) some.push_back(finding);
  }
  return some;
}

TEST(JudgeGpus, WithoutAnyTheCoresCompute) {
  Facts facts = made_facts();
  for (WorkerFacts& worker : facts.workers) worker.gpu.missing = "device cuda: libcuda.so.1 is not on this machine.";
  EXPECT_THAT(judge_gpus(facts), ElementsAre(Says("GPUs", Health::kOk, "none")));
}

TEST(JudgeGpus, ThoseThatAreWell) {
  EXPECT_THAT(judge_gpus(made_gpu_facts()),
              ElementsAre(Says("GPUs", Health::kOk, "a: 2 GPUs: 0 Tesla V100 (sm_70, 16 GB), 1 Tesla V100"),
                          Says("GPUs", Health::kOk, "libcuda.so.1 12.4 (/lib/libcuda.so.1), libnccl.so.2 2.21.5"),
                          Says("GPU step", Health::kOk, "4 GPUs"), Says("GPU memory", Health::kOk, "15 GB free"),
                          Says("NCCL", Health::kOk, "16 MB in 2.0 ms, 8.0 GB/s")));
}

TEST(JudgeGpus, WhoInsistsIsToldWhatIsMissing) {
  Facts facts = made_facts();
  for (WorkerFacts& worker : facts.workers) {
    worker.gpu.requested = "cuda";
    worker.gpu.missing = "device cuda: libcuda.so.1 is not on this machine.";
  }
  EXPECT_THAT(judge_gpus(facts), ElementsAre(Says("GPUs", Health::kProblem, "a: device cuda: libcuda.so.1"),
                                             Says("GPUs", Health::kProblem, "b: device cuda: libcuda.so.1")));
}

TEST(JudgeGpus, ThoseThatCannotBeUsedAreAWarningUnlessTheCpuIsRequested) {
  Facts facts;
  facts.workers = {made_worker(0, "a")};
  WorkerFacts& worker = facts.workers[0];
  worker.gpus = {"Tesla V100"};
  worker.gpu.driver = true;
  worker.gpu.missing = "device cuda: libnvrtc is not on this machine.";
  EXPECT_THAT(judge_gpus(facts), ElementsAre(Says("GPUs", Health::kWarning, "Tesla V100")));
  EXPECT_THAT(judge_gpus(facts)[0].text, HasSubstr("libnvrtc"));
  worker.gpu.requested = "cpu";
  EXPECT_THAT(judge_gpus(facts), ElementsAre(Says("GPUs", Health::kOk, "Tesla V100")));
}

TEST(JudgeGpus, OneForEachWorker) {
  Facts facts = made_gpu_facts();
  for (const size_t rank : {2, 3}) facts.workers[rank].gpu.count = 1;
  facts.workers[3].gpu.number = -1;
  facts.gpu_sum = {};
  const Findings some = complaints(facts);
  EXPECT_THAT(some, ElementsAre(Says("GPUs", Health::kProblem, "b: 1 GPU, but 2 workers")));
  EXPECT_THAT(some[0].advice, HasSubstr("-H b:1"));
}

TEST(JudgeGpus, SomeOnGpusAndSomeOnCoresIsRefused) {
  Facts facts = made_gpu_facts();
  for (const size_t rank : {2, 3}) {
    facts.workers[rank].gpu = {};
    facts.workers[rank].gpus = {};
  }
  facts.gpu_sum = {};
  EXPECT_THAT(complaints(facts), ElementsAre(Says("GPUs", Health::kProblem, "workers 0, 1 on a")));
}

TEST(JudgeGpus, APrecisionThatTheCoresDoNotHave) {
  Facts facts = made_facts();
  for (WorkerFacts& worker : facts.workers) worker.gpu.cpu_trouble = "fp16 needs a GPU";
  EXPECT_THAT(complaints(facts),
              ElementsAre(Says("precision", Health::kProblem, "workers 0, 1 on a and 2, 3 on b: fp16 needs a GPU")));
}

TEST(JudgeGpus, AStepThatIsNotTheCpus) {
  for (const StepFacts& wrong : {StepFacts{5.001, 0.5}, StepFacts{5, 0.501}, StepFacts{NAN, 0.5}}) {
    Facts facts = made_gpu_facts();
    facts.workers[1].gpu.step = wrong;
    EXPECT_THAT(complaints(facts), ElementsAre(Says("GPU step", Health::kProblem, "worker 1 on a: in fp32")));
    for (WorkerFacts& worker : facts.workers) worker.gpu.precision = "bf16";  // which rounds more
    EXPECT_EQ(complaints(facts).empty(), std::isfinite(wrong.loss));
  }
  Facts facts = made_gpu_facts();
  facts.workers[2].gpu.trouble = "cuInit says no";
  facts.gpu_sum = {};
  EXPECT_THAT(complaints(facts), ElementsAre(Says("GPU step", Health::kProblem, "worker 2 on b: cuInit says no")));
}

TEST(JudgeGpus, MemoryForTheModel) {
  Facts facts = made_gpu_facts();
  facts.workers[1].gpu.free_memory = kGigabyte - 1;
  facts.workers[3].gpu.free_memory = 14 * kGigabyte / 10;
  EXPECT_THAT(complaints(facts), ElementsAre(Says("GPU memory", Health::kProblem, "worker 1 on a: "),
                                             Says("GPU memory", Health::kWarning, "worker 3 on b: 1.4 GB of 16 GB")));
}

TEST(JudgeGpus, TheHostsMemoryIsForCheckpointsAlone) {
  Facts facts = made_gpu_facts();
  for (WorkerFacts& worker : facts.workers) worker.free_memory = kGigabyte;
  EXPECT_THAT(about("memory", judge_resources(facts)),
              ElementsAre(Says("memory", Health::kOk, "a: 1.0 GB free; 500 MB"),
                          Says("memory", Health::kOk, "b: 1.0 GB free")));
}

TEST(JudgeGpus, SumsOfNccl) {
  Facts facts = made_gpu_facts();
  facts.gpu_sum.difference = 0.01;
  EXPECT_THAT(complaints(facts), ElementsAre(Says("NCCL", Health::kProblem, "1.0e-02")));
  facts.gpu_sum = {4, "NCCL: ncclCommInitRank failed", 0, 0, 0};
  EXPECT_THAT(complaints(facts), ElementsAre(Says("NCCL", Health::kProblem, "ncclCommInitRank failed")));
}

TEST(JudgeGpus, WithoutNcclGradientsGoThroughTheHosts) {
  Facts facts = made_gpu_facts();
  facts.gpu_sum = {};
  facts.workers[2].gpu.nccl_missing = "libnccl.so.2 is not on this machine.";
  EXPECT_THAT(complaints(facts), ElementsAre(Says("NCCL", Health::kWarning, "worker 2 on b: libnccl.so.2")));
  facts.transport = "nccl";
  EXPECT_THAT(complaints(facts), ElementsAre(Says("NCCL", Health::kProblem, "worker 2 on b: libnccl.so.2")));
  facts.transport = "mpi";
  EXPECT_THAT(complaints(facts), IsEmpty());
  facts = made_facts();
  facts.transport = "nccl";
  EXPECT_THAT(complaints(facts), ElementsAre(Says("NCCL", Health::kProblem, "workers.transport")));
}

}  // namespace
}  // namespace verbund
