// SPDX-License-Identifier: Apache-2.0
#include "text/line_reader.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <lzma.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fstream>
#include <thread>
#include <vector>

#include "core/error.h"
#include "support/expect_error.h"
#include "support/gzipped.h"
#include "support/temporary_folder.h"

namespace verbund {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::string xz_compressed(const std::string& text) {
  std::string result(lzma_stream_buffer_bound(text.size()), '\0');
  size_t size = 0;
  EXPECT_EQ(lzma_easy_buffer_encode(6, LZMA_CHECK_CRC64, nullptr, reinterpret_cast<const uint8_t*>(text.data()),
                                    text.size(), reinterpret_cast<uint8_t*>(result.data()), &size, result.size()),
            LZMA_OK);
  result.resize(size);
  return result;
}

std::vector<std::string> lines_of(const std::filesystem::path& path) {
  LineReader reader(path);
  std::vector<std::string> lines;
  for (std::string line; reader.next_line(line);) lines.push_back(line);
  return lines;
}

std::string many_lines() {
  std::string text;
  for (int i = 0; i < 100000; ++i) text += "line number " + std::to_string(i * 7919) + "\n";
  return text;
}

TEST(LineReader, PlainGzipAndXzAreToldByContent) {
  TemporaryFolder folder;
  const std::string text = "one\ntwo\n\nfour";
  for (const std::string& content : {text, gzipped(text), xz_compressed(text)}) {
    EXPECT_THAT(lines_of(folder.write("any-name", content)), ElementsAre("one", "two", "", "four"));
  }
}

TEST(LineReader, ConcatenatedPartsAreOneFile) {
  TemporaryFolder folder;
  EXPECT_THAT(lines_of(folder.write("a", gzipped("a\n") + gzipped("b\n"))), ElementsAre("a", "b"));
  EXPECT_THAT(lines_of(folder.write("b", xz_compressed("a\n") + xz_compressed("b\n"))), ElementsAre("a", "b"));
}

TEST(LineReader, LineEnds) {
  TemporaryFolder folder;
  EXPECT_THAT(lines_of(folder.write("a", "dos\r\nunix\n")), ElementsAre("dos", "unix"));
  EXPECT_THAT(lines_of(folder.write("a", "\n")), ElementsAre(""));
  EXPECT_THAT(lines_of(folder.write("a", "")), ElementsAre());
  const std::string longer(1 << 20, 'x');  // than the buffer
  EXPECT_THAT(lines_of(folder.write("a", longer + "\ny")), ElementsAre(longer, "y"));
}

TEST(LineReader, TruncatedFilesAreErrors) {
  TemporaryFolder folder;
  const std::string text = many_lines();
  const std::string gz = gzipped(text), xz = xz_compressed(text);
  for (const size_t cut : {size_t{1}, size_t{7}, gz.size() / 2}) {
    const auto path = folder.write("t.gz", gz.substr(0, gz.size() - cut));
    EXPECT_ERROR(lines_of(path), Error, HasSubstr("t.gz"));
  }
  for (const size_t cut : {size_t{1}, size_t{13}, xz.size() / 2}) {
    const auto path = folder.write("t.xz", xz.substr(0, xz.size() - cut));
    EXPECT_ERROR(lines_of(path), Error, HasSubstr("t.xz"));
  }
}

TEST(LineReader, DamagedFilesAreErrors) {
  TemporaryFolder folder;
  std::string gz = gzipped(many_lines()), xz = xz_compressed(many_lines());
  gz[gz.size() / 2] = static_cast<char>(gz[gz.size() / 2] ^ 0x55);
  xz[xz.size() / 2] = static_cast<char>(xz[xz.size() / 2] ^ 0x55);
  EXPECT_ERROR(lines_of(folder.write("d.gz", gz)), Error, HasSubstr("d.gz"));
  EXPECT_ERROR(lines_of(folder.write("d.xz", xz)), Error, HasSubstr("d.xz"));
}

TEST(LineReader, MissingFileAndFolder) {
  TemporaryFolder folder;
  EXPECT_ERROR(LineReader(folder / "none"), Error, HasSubstr("none"), HasSubstr("No such file"));
  EXPECT_ERROR(LineReader(folder.path()), Error, HasSubstr(folder.path().string()));
}

// A pipe cannot be read twice, and gives what it has in pieces of any size.
TEST(LineReader, ReadsFromPipes) {
  const TemporaryFolder folder;
  for (const std::string& content : {many_lines(), std::string("short\n"), std::string("\x1f\n"), std::string(),
                                     gzipped(many_lines()), xz_compressed(many_lines())}) {
    const fs::path plain = folder.write("plain", content), pipe = folder / "pipe";
    ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
    std::thread writer([&] {
      std::ofstream out(pipe, std::ios::binary);
      for (size_t i = 0; i < content.size(); i += 1000) out << content.substr(i, 1000) << std::flush;
    });
    EXPECT_EQ(lines_of(pipe), lines_of(plain));
    writer.join();
    fs::remove(pipe);
  }
}

TEST(LineReader, SaysWhetherALineIsThere) {
  const TemporaryFolder folder;
  const fs::path pipe = folder / "pipe";
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  const int keep_open = ::open(pipe.c_str(), O_RDWR);
  LineReader reader(pipe);
  EXPECT_FALSE(reader.ready(std::chrono::milliseconds(1)));
  ASSERT_EQ(::write(keep_open, "a\nb\n", 4), 4);
  std::string line;
  EXPECT_TRUE(reader.ready(std::chrono::milliseconds(1000)));
  EXPECT_TRUE(reader.next_line(line));
  EXPECT_TRUE(reader.ready(std::chrono::milliseconds(0)));
  EXPECT_TRUE(reader.next_line(line));
  EXPECT_EQ(line, "b");
  EXPECT_FALSE(reader.ready(std::chrono::milliseconds(1)));
  ::close(keep_open);
}

}  // namespace
}  // namespace verbund
