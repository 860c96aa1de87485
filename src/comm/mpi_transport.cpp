#include "comm/mpi_transport.h"

#define OMPI_SKIP_MPICXX 1
#include <mpi.h>
#include <sys/prctl.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <string>
#include <thread>
#include <vector>

#include "core/error.h"

namespace verbund {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::microseconds;
using std::chrono::nanoseconds;

constexpr int kTag = 1;

void check(int code, const char* call) {
  if (code == MPI_SUCCESS) return;
  char text[MPI_MAX_ERROR_STRING] = "";
  int length = 0;
  MPI_Error_string(code, text, &length);
  fail("{} failed: {}", call, text);
}

// MPI's own waiting burns a core, which would be taken from the computation that goes on
// meanwhile. So this looks again and again, ever less often the longer it takes.
class Patience {
 public:
  void wait() const {
    const nanoseconds waited = Clock::now() - start_;
    if (waited < microseconds(30)) return std::this_thread::yield();
    std::this_thread::sleep_for(std::min<nanoseconds>(waited / 8, microseconds(200)));
  }

 private:
  Clock::time_point start_ = Clock::now();
};

class MpiTransport final : public Transport {
 public:
  MpiTransport() {
    prctl(PR_SET_TIMERSLACK, 1000UL);  // of this thread, in nanoseconds: short sleeps are to be short
    // Chunks travel over TCP without asking first, which keeps the line busy. The user's word goes before ours.
    setenv("OMPI_MCA_btl_tcp_eager_limit", "262144", 0);
    int provided = 0;
    check(MPI_Init_thread(nullptr, nullptr, MPI_THREAD_FUNNELED, &provided), "MPI_Init_thread");
    if (provided < MPI_THREAD_FUNNELED) fail("this MPI was built without threads; Verbund needs MPI_THREAD_FUNNELED");
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    check(MPI_Comm_rank(MPI_COMM_WORLD, &rank_), "MPI_Comm_rank");
    check(MPI_Comm_size(MPI_COMM_WORLD, &size_), "MPI_Comm_size");
  }

  int rank() const override { return rank_; }
  int size() const override { return size_; }

  void exchange(std::span<const Outgoing> sends, std::span<const Incoming> receives) override {
    requests_.resize(sends.size() + receives.size());
    MPI_Request* request = requests_.data();
    for (const Incoming& message : receives) {
      check(MPI_Irecv(message.data.data(), count(message.data.size()), MPI_BYTE, message.from, kTag, MPI_COMM_WORLD,
                      request++),
            "MPI_Irecv");
    }
    for (const Outgoing& message : sends) {
      check(MPI_Isend(message.data.data(), count(message.data.size()), MPI_BYTE, message.to, kTag, MPI_COMM_WORLD,
                      request++),
            "MPI_Isend");
    }
    const Patience patience;
    for (int done = 0;;) {
      check(MPI_Testall(count(requests_.size()), requests_.data(), &done, MPI_STATUSES_IGNORE), "MPI_Testall");
      if (done != 0) return;
      patience.wait();
    }
  }

  void close() override { check(MPI_Finalize(), "MPI_Finalize"); }

 private:
  static int count(size_t size) {
    if (size > INT32_MAX) fail("a message of {} bytes is too large for MPI", size);
    return static_cast<int>(size);
  }

  int rank_ = 0, size_ = 1;
  std::vector<MPI_Request> requests_;
};

}  // namespace

bool started_by_mpi() {
  // Open MPI's mpirun sets both; Slurm (srun --mpi=pmix) and other PMIx launchers the second.
  return std::getenv("OMPI_COMM_WORLD_SIZE") != nullptr || std::getenv("PMIX_RANK") != nullptr;
}

int launched_rank() {
  for (const char* name : {"OMPI_COMM_WORLD_RANK", "PMIX_RANK"}) {
    if (const char* rank = std::getenv(name)) return std::atoi(rank);
  }
  return 0;
}

std::string mpi_library() {
  char text[MPI_MAX_LIBRARY_VERSION_STRING] = "";
  int length = 0;
  MPI_Get_library_version(text, &length);  // may be asked before MPI_Init
  const std::string whole(text, length);
  return whole.substr(0, whole.find(','));
}

std::unique_ptr<Transport> make_mpi_transport() { return std::make_unique<MpiTransport>(); }

}  // namespace verbund
