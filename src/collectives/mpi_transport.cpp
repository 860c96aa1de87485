// SPDX-License-Identifier: Apache-2.0
#include "collectives/mpi_transport.h"

#define OMPI_SKIP_MPICXX 1
#include <fcntl.h>
#include <mpi.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <sstream>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "collectives/segment_folder.h"
#include "core/error.h"
#include "core/log.h"
#include "core/machine.h"

namespace verbund {
namespace {

void check(int code, const char* call) {
  if (code == MPI_SUCCESS) return;
  char text[MPI_MAX_ERROR_STRING] = "";
  int length = 0;
  MPI_Error_string(code, text, &length);
  fail("{} failed: {}", call, text);
}

// A file descriptor of shared memory, with an owner.
class Descriptor {
 public:
  explicit Descriptor(int number = -1) : number_(number) {}
  ~Descriptor() { close(); }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  int number() const { return number_; }
  void take(int number) {
    close();
    number_ = number;
  }
  void close() {
    if (number_ >= 0) ::close(std::exchange(number_, -1));
  }

 private:
  int number_;
};

std::shared_ptr<std::byte> map_memory(const Descriptor& file, size_t bytes) {
  void* memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file.number(), 0);
  if (memory == MAP_FAILED) return nullptr;
  return {static_cast<std::byte*>(memory), [bytes](std::byte* begin) { munmap(begin, bytes); }};
}

// It has no name in any file system, so nothing stays of it when the workers die. Others find it among the open files
// of its maker; the inode tells that it is the one, should containers have several processes of one number.
std::string name_of(const Descriptor& file) {
  struct stat status = {};
  if (fstat(file.number(), &status) != 0) fail_errno("cannot inspect shared memory");
  return fmt::format("{} {} {}", getpid(), file.number(), status.st_ino);
}

// Fails if there is no room for it.
std::shared_ptr<std::byte> make_memory(Descriptor& file, size_t bytes) {
  file.take(memfd_create("verbund", MFD_CLOEXEC));
  if (file.number() < 0) fail_errno("cannot make shared memory");
  // Fails now, instead of by a bus error when it is written.
  if (const int error = posix_fallocate(file.number(), 0, static_cast<off_t>(bytes)); error != 0) {
    errno = error;
    fail_errno("cannot make shared memory of {} bytes", bytes);
  }
  std::shared_ptr<std::byte> memory = map_memory(file, bytes);
  if (memory == nullptr) fail_errno("cannot map shared memory");
  return memory;
}

// Null if it cannot be opened.
std::shared_ptr<std::byte> find_memory(const std::string& name, size_t bytes) {
  std::istringstream words(name);
  int process = 0, descriptor = 0;
  ino_t inode = 0;
  if (!(words >> process >> descriptor >> inode)) return nullptr;
  const Descriptor file(::open(fmt::format("/proc/{}/fd/{}", process, descriptor).c_str(), O_RDWR | O_CLOEXEC));
  struct stat status = {};
  if (file.number() < 0 || fstat(file.number(), &status) != 0 || status.st_ino != inode ||
      static_cast<size_t>(status.st_size) != bytes) {
    return nullptr;
  }
  return map_memory(file, bytes);
}

class MpiTransport final : public Transport {
 public:
  MpiTransport() {
    prctl(PR_SET_TIMERSLACK, 1000UL);  // of this thread, in nanoseconds: keeps short sleeps short
    // Chunks are sent over TCP without a handshake, which keeps the network busy. The user's own setting wins.
    setenv("OMPI_MCA_btl_tcp_eager_limit", "262144", 0);
    remove_dead_segment_folders();
    if (!segments_.path().empty()) setenv("OMPI_MCA_btl_vader_backing_directory", segments_.path().c_str(), 0);
    int provided = 0;
    tell_launch({WorkerEvent::kConnecting, launched_rank()});
    check(MPI_Init_thread(nullptr, nullptr, MPI_THREAD_FUNNELED, &provided), "MPI_Init_thread");
    tell_launch({WorkerEvent::kConnected, launched_rank()});
    if (provided < MPI_THREAD_FUNNELED) fail("this MPI was built without threads; Verbund needs MPI_THREAD_FUNNELED");
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    check(MPI_Comm_rank(MPI_COMM_WORLD, &rank_), "MPI_Comm_rank");
    check(MPI_Comm_size(MPI_COMM_WORLD, &size_), "MPI_Comm_size");
  }

  int rank() const override { return rank_; }
  int size() const override { return size_; }

  void send(int to, int tag, std::span<const std::byte> data, int& under_way) override {
    MPI_Request request;
    check(MPI_Isend(data.data(), count(data.size()), MPI_BYTE, to, tag, MPI_COMM_WORLD, &request), "MPI_Isend");
    add(request, under_way);
  }

  void receive(int from, int tag, std::span<std::byte> data, int& under_way) override {
    MPI_Request request;
    check(MPI_Irecv(data.data(), count(data.size()), MPI_BYTE, from, tag, MPI_COMM_WORLD, &request), "MPI_Irecv");
    add(request, under_way);
  }

  // All at once: each call makes MPI look at every connection.
  bool progress() override {
    if (requests_.empty()) return false;
    int done = 0;
    done_.resize(requests_.size());
    check(MPI_Testsome(count(requests_.size()), requests_.data(), &done, done_.data(), MPI_STATUSES_IGNORE),
          "MPI_Testsome");
    for (int i = 0; i < done; ++i) --*under_way_[static_cast<size_t>(done_[static_cast<size_t>(i)])];
    if (done > 0) forget_done();
    return done > 0;
  }

  void pause(std::chrono::nanoseconds longest) override {
    longest.count() == 0 ? std::this_thread::yield() : std::this_thread::sleep_for(longest);
  }

  std::string host() const override { return boot_id() + " " + host_name(); }
  NamedMemory make_shared_memory(size_t bytes) override {
    std::shared_ptr<std::byte> memory = make_memory(made_, bytes);
    return {name_of(made_), std::move(memory)};
  }
  std::shared_ptr<std::byte> find_shared_memory(const std::string& name, size_t bytes) override {
    return find_memory(name, bytes);
  }
  void unname_shared_memory() override {
    made_.close();
    segments_.unname();
  }

  void close() override {
    segments_.restore_names();
    check(MPI_Finalize(), "MPI_Finalize");
  }

 private:
  static int count(size_t size) {
    if (size > INT32_MAX) fail("a message of {} bytes is too large for MPI", size);
    return static_cast<int>(size);
  }

  void add(MPI_Request request, int& under_way) {
    ++under_way;
    requests_.push_back(request);
    under_way_.push_back(&under_way);
  }

  void forget_done() {
    size_t kept = 0;
    for (size_t i = 0; i < requests_.size(); ++i) {
      if (requests_[i] == MPI_REQUEST_NULL) continue;
      requests_[kept] = requests_[i];
      under_way_[kept++] = under_way_[i];
    }
    requests_.resize(kept);
    under_way_.resize(kept);
  }

  SegmentFolder segments_;
  Descriptor made_;  // shared memory, open as long as others look for it
  int rank_ = 0, size_ = 1;
  std::vector<MPI_Request> requests_;
  std::vector<int*> under_way_;  // of each request
  std::vector<int> done_;
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
