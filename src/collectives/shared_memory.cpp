#include "collectives/shared_memory.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

#include "core/error.h"

namespace verbund {
namespace {

class Descriptor {
 public:
  explicit Descriptor(int number) : number_(number) {}
  ~Descriptor() {
    if (number_ >= 0) ::close(number_);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  int number() const { return number_; }

 private:
  int number_;
};

std::shared_ptr<std::byte> map(const Descriptor& file, size_t bytes) {
  void* memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file.number(), 0);
  if (memory == MAP_FAILED) return nullptr;
  return {static_cast<std::byte*>(memory), [bytes](std::byte* begin) { munmap(begin, bytes); }};
}

}  // namespace

std::shared_ptr<std::byte> make_shared_memory(const std::string& name, size_t bytes) {
  const Descriptor file(shm_open(name.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
  if (file.number() < 0) fail_errno("cannot make shared memory");
  // Now, not by a bus error when it is written.
  if (const int error = posix_fallocate(file.number(), 0, static_cast<off_t>(bytes)); error != 0) {
    unname_shared_memory(name);
    errno = error;
    fail_errno("cannot make shared memory of {} bytes", bytes);
  }
  std::shared_ptr<std::byte> memory = map(file, bytes);
  if (memory == nullptr) {
    unname_shared_memory(name);
    fail_errno("cannot map shared memory");
  }
  return memory;
}

std::shared_ptr<std::byte> find_shared_memory(const std::string& name, size_t bytes) {
  const Descriptor file(shm_open(name.c_str(), O_RDWR | O_CLOEXEC, 0600));
  struct stat status = {};
  if (file.number() < 0 || fstat(file.number(), &status) != 0 || static_cast<size_t>(status.st_size) != bytes) {
    return nullptr;
  }
  return map(file, bytes);
}

void unname_shared_memory(const std::string& name) { shm_unlink(name.c_str()); }

}  // namespace verbund
