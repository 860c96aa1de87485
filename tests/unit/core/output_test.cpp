// SPDX-License-Identifier: Apache-2.0
#include "core/output.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <csignal>
#include <thread>

#include "core/interrupt.h"

namespace verbund {
namespace {

struct FullPipe {
  int reader = -1, writer = -1;
  size_t filled = 0;

  FullPipe() {
    int ends[2];
    EXPECT_EQ(::pipe(ends), 0);
    reader = ends[0];
    writer = ends[1];
    ::fcntl(writer, F_SETFL, O_NONBLOCK);
    while (::write(writer, "x", 1) == 1) ++filled;
    ::fcntl(writer, F_SETFL, 0);
  }
  ~FullPipe() {
    ::close(reader);
    ::close(writer);
  }
};

TEST(WriteOrDrop, WaitsForAReader) {
  const FullPipe pipe;
  const std::string text = std::string(10'000, 'y') + "\n";
  std::thread writer([&] { write_or_drop(pipe.writer, text); });
  std::this_thread::sleep_for(std::chrono::milliseconds(250));  // it waits
  std::string read(pipe.filled + text.size(), ' ');
  for (size_t done = 0; done < read.size();) {
    const ssize_t count = ::read(pipe.reader, read.data() + done, read.size() - done);
    ASSERT_GT(count, 0);
    done += static_cast<size_t>(count);
  }
  writer.join();
  EXPECT_EQ(read.substr(pipe.filled), text);
}

TEST(WriteOrDrop, DropsWhatNobodyReadsOnceItIsAskedToStop) {
  const auto with = [](bool blocked) {
    install_signal_handlers();
    sigset_t signals;
    sigemptyset(&signals);
    sigaddset(&signals, SIGTERM);
    if (blocked) ::sigprocmask(SIG_BLOCK, &signals, nullptr);  // as in launch, which takes it when it has time to
    const FullPipe pipe;
    std::thread([id = ::getpid()] {
      std::this_thread::sleep_for(std::chrono::milliseconds(200));
      ::kill(id, SIGTERM);
    }).detach();
    ::alarm(20);
    for (int line = 0; line < 100; ++line) write_or_drop(pipe.writer, "a line\n");
    _exit(is_asked_to_stop() ? 0 : 1);
  };
  EXPECT_EXIT(with(false), ::testing::ExitedWithCode(0), "");
  EXPECT_EXIT(with(true), ::testing::ExitedWithCode(0), "");
}

TEST(WriteOrDrop, AReaderThatHasLeftIsNoError) {
  EXPECT_EXIT(
      {
        install_signal_handlers();
        int ends[2];
        if (::pipe(ends) != 0) _exit(1);
        ::close(ends[0]);
        write_or_drop(ends[1], "a line\n");
        write_or_drop(-1, "a line\n");
        _exit(0);
      },
      ::testing::ExitedWithCode(0), "");
}

}  // namespace
}  // namespace verbund
