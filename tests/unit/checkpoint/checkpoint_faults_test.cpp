// SPDX-License-Identifier: Apache-2.0
// What a disk, a system or an operator can do to a program that is saving.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stddef.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <random>
#include <thread>

#include "checkpoint/checkpoint_store.h"
#include "core/error.h"
#include "core/human.h"
#include "support/expect_error.h"
#include "support/temporary_folder.h"
#include "unit/checkpoint/made_snapshot.h"

namespace verbund {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

// A save fails, tells how much space it needs, and leaves everything as it was.
template <typename Matcher>
void expect_harmless_failure(CheckpointStore& store, const CheckpointSnapshot& snapshot, Matcher reason) {
  const std::vector<std::string> before = names_in(store.folder());
  const std::string newest = store.list().empty() ? "" : step_folder_name(store.list().back().step);
  EXPECT_ERROR(store.save(snapshot), Error, HasSubstr(fmt::format("step {}:", snapshot.step)), reason,
               HasSubstr(human_bytes(snapshot.tensor_bytes())), HasSubstr(store.folder().string()), HasSubstr(newest));
  EXPECT_EQ(names_in(store.folder()), before);
  for (const CheckpointEntry& entry : store.list()) EXPECT_NO_THROW(Checkpoint{entry.folder});
}

// Runs in a child process; its exit code tells how it went.
template <typename Body>
int in_child(Body body) {
  const pid_t child = ::fork();
  if (child == 0) {
    int code = 99;
    try {
      code = body();
    } catch (const std::exception& error) {
      std::fprintf(stderr, "child: %s\n", error.what());
    }
    ::_exit(code);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

[[noreturn]] void save_forever(const fs::path& folder, int progress) {
  CheckpointStore store(folder, keep(2));
  const NewestCheckpoint newest = store.newest_whole();
  for (int64_t step = newest.checkpoint ? newest.checkpoint->step() + 1 : 1;; ++step) {
    store.save(MadeSnapshot(step, 20000).view());
    if (::write(progress, &step, sizeof(step)) != sizeof(step)) ::_exit(1);
  }
}

TEST(CheckpointFaults, KilledAtAnyMoment) {
  TemporaryFolder folder;
  std::mt19937 random(7);
  int64_t finished = 0;
  int interrupted = 0;
  for (int round = 0; round < 30; ++round) {
    int pipe[2];
    ASSERT_EQ(::pipe2(pipe, O_CLOEXEC), 0);
    const pid_t child = ::fork();
    if (child == 0) save_forever(folder.path(), pipe[1]);
    ::close(pipe[1]);
    // The first save is waited for, so that every round gets ahead.
    int64_t step = 0;
    ASSERT_EQ(::read(pipe[0], &step, sizeof(step)), static_cast<ssize_t>(sizeof(step)));
    EXPECT_GT(step, finished);
    std::this_thread::sleep_for(std::chrono::microseconds(random() % 150000));
    ::kill(child, SIGKILL);
    ::waitpid(child, nullptr, 0);
    do finished = step;
    while (::read(pipe[0], &step, sizeof(step)) == sizeof(step));
    ::close(pipe[0]);

    const NewestCheckpoint newest = newest_whole_checkpoint(folder.path());
    ASSERT_TRUE(newest.checkpoint);
    EXPECT_TRUE(newest.damaged.empty());
    EXPECT_GE(newest.checkpoint->step(), finished);
    for (const CheckpointEntry& entry : list_checkpoints(folder.path())) {
      const MadeSnapshot made(entry.step, 20000);
      expect_same(Checkpoint(entry.folder), made.view());
    }
    for (const std::string& name : names_in(folder.path())) {
      interrupted += name.ends_with(kPartialEnding) || name.ends_with(kDeletingEnding);
    }
  }
  EXPECT_GT(interrupted, 0);  // else no kill came in the middle of a save
  RecordProperty("interrupted", interrupted);
  CheckpointStore store(folder.path(), keep(2));
  for (const std::string& name : names_in(folder.path())) {
    EXPECT_TRUE(name == "last" || step_of_folder_name(name)) << name;
  }
}

// Every write beyond a number of bytes fails, as it does on a full disk; needs no rights.
class FileSizeLimit {
 public:
  explicit FileSizeLimit(rlim_t bytes) {
    ::signal(SIGXFSZ, SIG_IGN);
    ::getrlimit(RLIMIT_FSIZE, &before_);
    const rlimit limit = {bytes, before_.rlim_max};
    ::setrlimit(RLIMIT_FSIZE, &limit);
  }
  ~FileSizeLimit() { ::setrlimit(RLIMIT_FSIZE, &before_); }

 private:
  rlimit before_ = {};
};

TEST(CheckpointFaults, AWriteFailsAnywhere) {
  TemporaryFolder folder;
  CheckpointStore store(folder.path(), keep(5));
  store.save(MadeSnapshot(10).view());
  store.save(MadeSnapshot(20).view());
  for (const rlim_t bytes : {0, 1, 8, 100, 4095, 4096, 8000}) {
    const FileSizeLimit limit(bytes);
    expect_harmless_failure(store, MadeSnapshot(30).view(), HasSubstr("File too large"));
    expect_harmless_failure(store, MadeSnapshot(20).view(), HasSubstr("File too large"));  // would replace
  }
  store.save(MadeSnapshot(30).view());
  EXPECT_EQ(store.newest_whole().checkpoint->step(), 30);
}

TEST(CheckpointFaults, OnlyACheckpointThatIsThereIsNamed) {
  TemporaryFolder folder;
  CheckpointStore store(folder.path(), keep(5));
  {
    const FileSizeLimit limit(100);
    EXPECT_ERROR(store.save(MadeSnapshot(10).view()), Error, Not(HasSubstr("is step-")), Not(HasSubstr("unchanged")));
  }
  store.save(MadeSnapshot(10).view());
  const FileSizeLimit limit(100);
  EXPECT_ERROR(store.save(MadeSnapshot(20).view()), Error, HasSubstr("is step-00000010"));
}

class SmallDisk {
 public:
  explicit SmallDisk(fs::path folder) : folder_(std::move(folder)) {
    fs::create_directories(folder_);
    mounted_ = ::mount("tmpfs", folder_.c_str(), "tmpfs", 0, "size=1m") == 0;
  }
  ~SmallDisk() {
    if (mounted_) ::umount2(folder_.c_str(), MNT_DETACH);
  }
  SmallDisk(const SmallDisk&) = delete;
  SmallDisk& operator=(const SmallDisk&) = delete;

  bool mounted() const { return mounted_; }

 private:
  fs::path folder_;
  bool mounted_ = false;
};

TEST(CheckpointFaults, AFullDisk) {
  TemporaryFolder folder;
  const SmallDisk disk(folder / "disk");
  if (!disk.mounted()) GTEST_SKIP() << "mounting a small disk needs root";
  CheckpointStore store(folder / "disk/checkpoints", keep(100));
  const int64_t size = 4000;  // 64 kB a checkpoint
  store.save(MadeSnapshot(10, size).view());
  store.save(MadeSnapshot(20, size).view());
  // With so many kilobytes left the disk is full at one file or another.
  int failures = 0;
  for (int left = 0; left < 100; left += 4) {
    const auto space = fs::space(folder / "disk").available;
    folder.write("disk/filler", std::string(space - static_cast<size_t>(left) * 1024, 'x'));
    if (left < 64) {
      expect_harmless_failure(store, MadeSnapshot(30, size).view(), HasSubstr("No space left on device"));
      ++failures;
    } else {
      try {
        store.save(MadeSnapshot(30, size).view());
      } catch (const Error&) {
        ++failures;
      }
    }
    fs::remove(folder / "disk/filler");
  }
  EXPECT_LT(failures, 25);
  EXPECT_EQ(store.newest_whole().checkpoint->step(), 30);
  const MadeSnapshot first(10, size);
  expect_same(Checkpoint(store.folder() / "step-00000010"), first.view());
}

TEST(CheckpointFaults, AReadOnlyDisk) {
  TemporaryFolder folder;
  const SmallDisk disk(folder / "disk");
  if (!disk.mounted()) GTEST_SKIP() << "mounting a small disk needs root";
  CheckpointStore store(folder / "disk/checkpoints", keep(5));
  store.save(MadeSnapshot(10).view());
  ASSERT_EQ(::mount("tmpfs", (folder / "disk").c_str(), "tmpfs", MS_REMOUNT | MS_RDONLY, "size=1m"), 0);
  expect_harmless_failure(store, MadeSnapshot(20).view(), HasSubstr("Read-only file system"));
  expect_harmless_failure(store, MadeSnapshot(10).view(), HasSubstr("Read-only file system"));
  EXPECT_EQ(CheckpointStore(folder / "disk/checkpoints", keep(5)).newest_whole().checkpoint->step(), 10);
}

// As someone whose rights count: root may write everywhere.
class Unprivileged {
 public:
  Unprivileged() {
    if (root_ && ::seteuid(65534) != 0) ADD_FAILURE() << "cannot give up the rights of root";
  }
  ~Unprivileged() {
    if (root_ && ::seteuid(0) != 0) std::abort();
  }

 private:
  bool root_ = ::geteuid() == 0;
};

TEST(CheckpointFaults, AFolderWithoutTheRightToWrite) {
  TemporaryFolder folder;
  ::chmod(folder.path().c_str(), 0755);
  const fs::path checkpoints = folder / "checkpoints";
  CheckpointStore store(checkpoints, keep(5));
  store.save(MadeSnapshot(10).view());
  ::chmod(checkpoints.c_str(), 0555);
  {
    const Unprivileged nobody;
    expect_harmless_failure(store, MadeSnapshot(20).view(), HasSubstr("Permission denied"));
    EXPECT_EQ(newest_whole_checkpoint(checkpoints).checkpoint->step(), 10);
  }
  ::chmod(checkpoints.c_str(), 0755);
  store.save(MadeSnapshot(20).view());
  EXPECT_EQ(store.newest_whole().checkpoint->step(), 20);
}

TEST(CheckpointFaults, OneThatMayNotBeReadIsNotDamaged) {
  TemporaryFolder folder;
  ::chmod(folder.path().c_str(), 0755);
  CheckpointStore store(folder / "checkpoints", keep(5));
  store.save(MadeSnapshot(10).view());
  store.save(MadeSnapshot(20).view());
  const fs::path newest = folder / "checkpoints/step-00000020";
  for (const fs::path& closed : {newest / "weights.safetensors", newest / "manifest.json", newest}) {
    ::chmod(closed.c_str(), 0);
    {
      const Unprivileged nobody;
      EXPECT_ERROR(store.newest_whole(), Error, HasSubstr(newest.string()), HasSubstr("Permission denied"),
                   HasSubstr(closed.string()), HasSubstr("mode 0;"), HasSubstr("step 20"));
    }
    ::chmod(closed.c_str(), 0755);
  }
  EXPECT_EQ(store.newest_whole().checkpoint->step(), 20);
  EXPECT_EQ(store.newest_whole(20).checkpoint->step(), 10);
}

// From now on this process's renameat2 fails with `error`, as on file systems that lack it.
bool forbid_renameat2(int error) {
  sock_filter code[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_renameat2, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | static_cast<unsigned>(error)),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  const sock_fprog program = {std::size(code), code};
  return ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 && ::prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

TEST(CheckpointFaults, AFileSystemOnWhichFoldersCannotChangePlaces) {
  constexpr int kNoSeccomp = 77;
  TemporaryFolder folder;
  CheckpointStore store(folder.path(), keep(5));
  store.save(MadeSnapshot(10).view());
  const auto replace = [&](int error) {
    return in_child([&] {
      if (!forbid_renameat2(error)) return kNoSeccomp;
      const MadeSnapshot made(10);
      CheckpointSnapshot snapshot = made.view();
      snapshot.state_json = "{}";
      store.save(snapshot);
      return 0;
    });
  };
  const int code = replace(EINVAL);
  if (code == kNoSeccomp) GTEST_SKIP() << "no system call filters here";
  EXPECT_EQ(code, 0);
  EXPECT_EQ(Checkpoint(folder / "step-00000010").state_json(), "{}");
  EXPECT_THAT(names_in(folder.path()), ElementsAre("last", "step-00000010"));

  store.save(MadeSnapshot(10).view());
  EXPECT_EQ(replace(EIO), 99);  // a true failure: what was there stays
  expect_same(Checkpoint(folder / "step-00000010"), MadeSnapshot(10).view());
  EXPECT_THAT(names_in(folder.path()), ElementsAre("last", "step-00000010"));
}

}  // namespace
}  // namespace verbund
