// SPDX-License-Identifier: Apache-2.0
// FailingFileSystem fails at one call, or stops there as if the machine had crashed.
#pragma once

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <map>
#include <mutex>
#include <new>

#include "core/file_system.h"

namespace verbund {

enum class Failure {
  kError,       // this call fails with EIO, those after it work
  kFull,        // from here on whatever takes space fails with ENOSPC; a write stores half of its bytes first
  kShortWrite,  // half of the bytes are written, which is not an error
  kKill,        // from here on nothing happens any more, the cleaning up of destructors included
  kPowerCut,    // the same, and bytes that were not synced are lost
};

inline constexpr Failure kFailures[] = {Failure::kError, Failure::kFull, Failure::kShortWrite, Failure::kKill,
                                        Failure::kPowerCut};

inline const char* name_of(Failure failure) {
  static constexpr const char* kNames[] = {"error", "full disk", "short write", "kill", "power cut"};
  return kNames[static_cast<size_t>(failure)];
}

// Thread-safe. Processes forked from this one count with it. Syncing only notes what would be safe.
class FailingFileSystem final : public FileSystem {
 public:
  FailingFileSystem() : FailingFileSystem(0, Failure::kError) {}              // only counts
  FailingFileSystem(int at, Failure failure) : at_(at), failure_(failure) {}  // `at`: 1 is the first call
  ~FailingFileSystem() override {
    for (const auto& [file, written] : written_) ::close(written.copy);
    for (const Written& written : closed_) ::close(written.copy);
    ::munmap(shared_, sizeof(Shared));
  }
  FailingFileSystem(const FailingFileSystem&) = delete;
  FailingFileSystem& operator=(const FailingFileSystem&) = delete;

  int calls() const { return shared_->calls; }
  bool struck_removal() const { return shared_->removal; }  // it was a removal that has failed
  bool struck() const { return shared_->struck; }           // the failure has happened

  // Whether this call, which was made, can fail in this way.
  bool applies(int call, Failure failure) const {
    const Call kind = call < kNoted ? shared_->kinds[call].load() : Call::kWrites;
    return failure == Failure::kShortWrite ? kind == Call::kWrites : failure != Failure::kFull || takes_space(kind);
  }

  // As NFS: two folders cannot change places.
  void set_exchanges(bool exchanges) { exchanges_ = exchanges; }

  int open(const Path& path, int flags) override {
    const bool writes = (flags & (O_WRONLY | O_RDWR)) != 0;
    if (!admit((flags & O_CREAT) != 0 ? Call::kTakesSpace : Call::kOther)) return -1;
    const int file = FileSystem::open(path, flags);
    if (writes && file >= 0) note_open(file);
    return file;
  }
  ssize_t read(int file, char* bytes, size_t size) override {
    return admit() ? FileSystem::read(file, bytes, size) : -1;
  }
  ssize_t pread(int file, char* bytes, size_t size, uint64_t offset) override {
    return admit() ? FileSystem::pread(file, bytes, size, offset) : -1;
  }
  ssize_t write(int file, std::string_view bytes) override {
    const std::string_view stored = admit_write(bytes);
    return stored.empty() ? -1 : FileSystem::write(file, stored);
  }
  ssize_t pwrite(int file, std::string_view bytes, uint64_t offset) override {
    const std::string_view stored = admit_write(bytes);
    return stored.empty() ? -1 : FileSystem::pwrite(file, stored, offset);
  }
  int ftruncate(int file, uint64_t size) override { return admit() ? FileSystem::ftruncate(file, size) : -1; }
  int fsync(int file) override { return admit() ? note_sync(file) : -1; }
  int close(int file) override {
    const bool admitted = admit();
    const int reason = errno;
    note_close(file);
    FileSystem::close(file);  // as the system does, error or not
    errno = reason;
    return admitted ? 0 : -1;
  }
  int rename(const Path& from, const Path& to) override { return admit() ? FileSystem::rename(from, to) : -1; }
  int exchange(const Path& one, const Path& other) override {
    if (!admit()) return -1;
    if (exchanges_) return FileSystem::exchange(one, other);
    errno = EINVAL;
    return -1;
  }
  int unlink(const Path& path) override { return admit(Call::kRemoves) ? FileSystem::unlink(path) : -1; }
  int rmdir(const Path& folder) override { return admit(Call::kRemoves) ? FileSystem::rmdir(folder) : -1; }
  int mkdir(const Path& folder) override { return admit(Call::kTakesSpace) ? FileSystem::mkdir(folder) : -1; }
  int symlink(const Path& target, const Path& link) override {
    return admit(Call::kTakesSpace) ? FileSystem::symlink(target, link) : -1;
  }
  int list(const Path& folder, std::vector<Path>& entries) override {
    return admit(Call::kRemoves) ? FileSystem::list(folder, entries) : -1;  // before a folder is removed
  }

 private:
  enum class Call : char { kOther, kTakesSpace, kWrites, kRemoves };
  static constexpr int kNoted = 4096;
  struct Shared {  // with forked processes
    std::atomic<int> calls = 0;
    std::atomic<bool> struck = false, removal = false;
    std::atomic<Call> kinds[kNoted] = {};
  };
  struct Written {
    int copy;         // of the descriptor, to cut the file by, whatever it is called by then
    uint64_t synced;  // so many bytes
  };

  static Shared* share() {
    void* memory = ::mmap(nullptr, sizeof(Shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    return new (memory) Shared();
  }

  static uint64_t size_of(int file) {
    struct stat status = {};
    return ::fstat(file, &status) == 0 ? static_cast<uint64_t>(status.st_size) : 0;
  }

  static bool takes_space(Call kind) { return kind == Call::kTakesSpace || kind == Call::kWrites; }

  // Counts the call. False: it fails, and errno says why.
  bool admit(Call kind = Call::kOther) {
    const int call = ++shared_->calls;
    if (call < kNoted) shared_->kinds[call] = kind;
    if (!strikes(call, kind)) return true;
    if (!shared_->struck.exchange(true) && failure_ == Failure::kPowerCut) lose_unsynced();
    if (kind == Call::kRemoves) shared_->removal = true;
    errno = failure_ == Failure::kFull ? ENOSPC : EIO;
    return false;
  }

  bool strikes(int call, Call kind) const {
    const bool here = call == at_, onwards = at_ > 0 && call >= at_;
    switch (failure_) {
      case Failure::kError:
        return here;
      case Failure::kShortWrite:
        return here && kind == Call::kWrites;
      case Failure::kFull:
        return onwards && takes_space(kind);
      default:
        return onwards;
    }
  }

  // What of the bytes is to be written; nothing: the call fails.
  std::string_view admit_write(std::string_view bytes) {
    const bool first = !shared_->struck;
    if (admit(Call::kWrites)) return bytes;
    const bool half = failure_ == Failure::kShortWrite || (failure_ == Failure::kFull && first);
    return bytes.substr(0, half ? (bytes.size() + 1) / 2 : 0);
  }

  void note_open(int file) {
    const std::lock_guard lock(mutex_);
    written_[file] = {::fcntl(file, F_DUPFD_CLOEXEC, 0), size_of(file)};
  }

  int note_sync(int file) {
    const std::lock_guard lock(mutex_);
    if (const auto found = written_.find(file); found != written_.end()) found->second.synced = size_of(file);
    return 0;
  }

  void note_close(int file) {
    const std::lock_guard lock(mutex_);
    const auto found = written_.find(file);
    if (found == written_.end()) return;
    closed_.push_back(found->second);
    written_.erase(found);
  }

  void lose_unsynced() {
    const std::lock_guard lock(mutex_);
    std::vector<Written> all = closed_;
    for (const auto& [file, written] : written_) all.push_back(written);
    for (const auto& [copy, synced] : all) {
      if (size_of(copy) > synced && ::ftruncate(copy, static_cast<off_t>(synced)) != 0) std::abort();
    }
  }

  const int at_;
  const Failure failure_;
  bool exchanges_ = true;
  Shared* shared_ = share();
  std::mutex mutex_;
  std::map<int, Written> written_;  // by descriptor
  std::vector<Written> closed_;
};

}  // namespace verbund
