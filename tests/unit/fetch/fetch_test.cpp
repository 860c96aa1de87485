// SPDX-License-Identifier: Apache-2.0
// A corpus with the layout of the real ones: training text in two archives, test sets as
// .sgm, and files that are the text themselves.
#include "fetch/fetch.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/file.h>
#include <unistd.h>

#include <fcntl.h>
#include <atomic>
#include <cstdlib>
#include <thread>

#include "core/error.h"
#include "core/file.h"
#include "fetch/archive.h"
#include "support/http_server.h"
#include "support/temporary_folder.h"

namespace verbund {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::ThrowsMessage;

constexpr DownloadOptions kTwoAttempts = {
    .attempts = 2, .first_delay = 0.01, .longest_delay = 0.02, .connect_timeout = 2, .stall_timeout = 1};

class Fetch : public ::testing::Test {
 protected:
  void SetUp() override {
    make_folder(site_ / "test-full");
    write_file(site_ / "europarl-v7.de-en.en", "Resumption\nof the session\n");
    write_file(site_ / "europarl-v7.de-en.de", "Wiederaufnahme\nder Sitzung\n");
    write_file(site_ / "test-full/src.en.sgm", "<srcset><seg id=\"1\"> Yes &amp; no </seg></srcset>\n");
    write_file(site_ / "test-full/ref.de.sgm", "<refset><seg id=\"1\">Ja &amp; nein</seg></refset>\n");
    write_file(site_ / "val.en", "A dog.\n");
    write_file(site_ / "val.de", "Ein Hund.\n");
    const std::string command = "cd " + site_.path().string() +
                                " && tar czf ep.tgz europarl-v7.de-en.en europarl-v7.de-en.de && tar cJf test.tar.xz "
                                "test-full && gzip -k val.en val.de";
    ASSERT_EQ(std::system(command.c_str()), 0);

    manifest_.name = "small";
    for (const std::string name : {"ep.tgz", "test.tar.xz", "val.en.gz", "val.de.gz"}) {
      manifest_.archives.push_back({.name = name, .url = server_.url("/" + name), .size = fs::file_size(site_ / name)});
    }
    manifest_.archives[0].sha256 = file_digest(site_ / "ep.tgz", Digest::kSha256);
    manifest_.archives[1].md5 = file_digest(site_ / "test.tar.xz", Digest::kMd5);
    manifest_.train = {{{"ep.tgz", "europarl-v7.de-en.en"}, {"ep.tgz", "europarl-v7.de-en.de"}}};
    manifest_.dev = {{{"val.en.gz", ""}, {"val.de.gz", ""}}};
    manifest_.test = {{{"test.tar.xz", "test-full/src.en.sgm"}, {"test.tar.xz", "test-full/ref.de.sgm"}}};
  }

  FetchedCorpus get() { return fetch(manifest_, cache_.path(), kTwoAttempts); }

  void expect_whole(const FetchedCorpus& corpus) {
    ASSERT_EQ(corpus.train.size(), 1);
    EXPECT_EQ(read_file(corpus.train[0].source), "Resumption\nof the session\n");
    EXPECT_EQ(read_file(corpus.train[0].target), "Wiederaufnahme\nder Sitzung\n");
    ASSERT_EQ(corpus.test.size(), 1);
    EXPECT_EQ(read_file(corpus.test[0].source), "Yes & no\n");
    EXPECT_EQ(read_file(corpus.test[0].target), "Ja & nein\n");
    ASSERT_EQ(corpus.dev.size(), 1);
    EXPECT_EQ(read_file(corpus.dev[0].source), read_file(site_ / "val.en.gz"));
    EXPECT_EQ(read_file(corpus.dev[0].target), read_file(site_ / "val.de.gz"));
  }

  std::vector<std::string> requested() const {
    std::vector<std::string> paths;
    for (const HttpRequest& request : server_.requests()) paths.push_back(request.path);
    return paths;
  }

  HttpReply answer(const HttpRequest& request) {
    const fs::path file = site_ / request.path.substr(1);
    if (request.path == broken_ || !fs::exists(file)) return {.status = 404};
    return serve_file(request, read_file(file));
  }

  TemporaryFolder site_, cache_;
  std::string broken_;  // a path that the server does not have
  CorpusManifest manifest_;
  HttpServer server_{[this](const HttpRequest& request, int) { return answer(request); }};
  const fs::path folder_ = cache_ / "small";
};

TEST_F(Fetch, BringsTrainDevAndTest) {
  expect_whole(get());
  EXPECT_THAT(requested(), ElementsAre("/ep.tgz", "/test.tar.xz", "/val.en.gz", "/val.de.gz"));
}

TEST_F(Fetch, AsksForNothingTwice) {
  get();
  const auto before = fs::last_write_time(get().train[0].source);
  const FetchedCorpus corpus = get();
  expect_whole(corpus);
  EXPECT_EQ(requested().size(), 4);
  EXPECT_EQ(fs::last_write_time(corpus.train[0].source), before);
}

// The stamp saves the hashing: a file with another time is verified again.
TEST_F(Fetch, TrustsAStampAndNothingElse) {
  const FetchedCorpus corpus = get();
  std::string text = read_file(corpus.dev[0].source);
  const auto time = fs::last_write_time(corpus.dev[0].source);
  text[12] ^= 1;
  manifest_.archives[2].sha256 = file_digest(site_ / "val.en.gz", Digest::kSha256);
  get();  // a new description: verified and stamped again
  write_file(folder_ / "val.en.gz", text);
  fs::last_write_time(folder_ / "val.en.gz", time);
  get();  // same size, same time
  fs::last_write_time(folder_ / "val.en.gz", time + std::chrono::seconds(1));
  EXPECT_THAT([&] { get(); }, ThrowsMessage<Error>(AllOf(HasSubstr("sha256"), HasSubstr("val.en.gz.bad"))));
  expect_whole(get());
}

TEST_F(Fetch, DoesNotNeedAnArchiveWhoseTextsAreThere) {
  get();
  fs::remove(folder_ / "ep.tgz");
  expect_whole(get());
  EXPECT_EQ(requested().size(), 4);
}

TEST_F(Fetch, ExtractsAgainWhatIsMissingOrAltered) {
  const FetchedCorpus corpus = get();
  fs::remove(corpus.train[0].source);
  write_file(corpus.test[0].target, "altered\n");
  expect_whole(get());
  EXPECT_EQ(requested().size(), 4);
}

TEST_F(Fetch, ResumesWhereItFailed) {
  broken_ = "/test.tar.xz";
  EXPECT_THAT([&] { get(); }, ThrowsMessage<Error>(AllOf(HasSubstr("404"), HasSubstr("small"))));
  broken_.clear();
  expect_whole(get());
  EXPECT_THAT(requested(), ElementsAre("/ep.tgz", "/test.tar.xz", "/test.tar.xz", "/val.en.gz", "/val.de.gz"));
}

TEST_F(Fetch, UsesFilesThatAreThereAlready) {
  make_folder(folder_);
  for (const ManifestArchive& archive : manifest_.archives) fs::copy_file(site_ / archive.name, folder_ / archive.name);
  expect_whole(get());
  EXPECT_THAT(requested(), IsEmpty());
}

TEST_F(Fetch, SetsAsideAFileWithAWrongChecksum) {
  for (ManifestArchive* archive : {&manifest_.archives[0], &manifest_.archives[1]}) {
    std::string& expected = archive->sha256.empty() ? archive->md5 : archive->sha256;
    const std::string found = expected;
    expected.back() = expected.back() == '0' ? '1' : '0';
    EXPECT_THAT([&] { get(); },
                ThrowsMessage<Error>(AllOf(HasSubstr(found), HasSubstr(expected), HasSubstr(archive->url),
                                           HasSubstr(archive->name + ".bad"), HasSubstr("small"))));
    EXPECT_FALSE(fs::exists(folder_ / archive->name));
    EXPECT_TRUE(fs::exists(folder_ / (archive->name + ".bad")));
    expected = found;
  }
  expect_whole(get());
}

TEST_F(Fetch, TakesChecksumsInEitherCase) {
  for (char& c : manifest_.archives[0].sha256) c = static_cast<char>(std::toupper(c));
  expect_whole(get());
}

TEST_F(Fetch, SetsAsideAnOwnFileThatIsCutShort) {
  make_folder(folder_);
  write_file(folder_ / "ep.tgz", read_file(site_ / "ep.tgz").substr(0, 100));
  EXPECT_THAT([&] { get(); }, ThrowsMessage<Error>(AllOf(HasSubstr("100 bytes"), HasSubstr("ep.tgz.bad"))));
  expect_whole(get());
}

// No checksum and no size tell the damage: extracting does.
TEST_F(Fetch, SetsAsideADamagedArchive) {
  manifest_.archives[0].sha256.clear();
  manifest_.archives[0].size = 0;
  const std::string whole = read_file(site_ / "ep.tgz");
  write_file(site_ / "ep.tgz", whole.substr(0, whole.size() - 5));
  EXPECT_THAT([&] { get(); }, ThrowsMessage<Error>(HasSubstr("ep.tgz.bad")));
  write_file(site_ / "ep.tgz", whole);
  expect_whole(get());
}

TEST_F(Fetch, DownloadsAgainWhereTheUrlHasChangedAndNothingElseTells) {
  get();
  write_file(site_ / "val2.de.gz", read_file(site_ / "val.en.gz"));
  manifest_.archives[3].url = server_.url("/val2.de.gz");
  manifest_.archives[3].size = 0;
  EXPECT_EQ(read_file(get().dev[0].target), read_file(site_ / "val2.de.gz"));
  // With a checksum it is known that another mirror has the same file.
  manifest_.archives[0].url = server_.url("/mirror/ep.tgz");
  get();
  EXPECT_EQ(requested().size(), 5);
}

TEST_F(Fetch, SaysWhatIsWrongWithAManifestBeforeItDownloads) {
  const CorpusManifest good = manifest_;
  manifest_.test[0].source.archive = "test.tar.gz";
  EXPECT_THAT([&] { get(); }, ThrowsMessage<Error>(AllOf(HasSubstr("test.tar.gz"), HasSubstr("test.tar.xz?"))));
  manifest_ = good;
  manifest_.train[0].target = manifest_.train[0].source;
  EXPECT_THAT([&] { get(); }, ThrowsMessage<Error>(HasSubstr("europarl-v7.de-en.en")));
  manifest_ = good;
  manifest_.archives[0].name = manifest_.train[0].source.archive = manifest_.train[0].target.archive = "../ep.tgz";
  EXPECT_THAT([&] { get(); }, ThrowsMessage<Error>(HasSubstr("../ep.tgz")));
  manifest_ = good;
  manifest_.train[0].source.member = "a/../../../x";
  EXPECT_THAT([&] { get(); }, ThrowsMessage<Error>(HasSubstr("a/../../../x")));
  EXPECT_THAT(requested(), IsEmpty());
}

TEST_F(Fetch, WaitsForAnotherProcessInTheSameFolder) {
  make_folder(folder_);
  const int other = ::open(folder_.c_str(), O_RDONLY);
  ASSERT_EQ(::flock(other, LOCK_EX), 0);
  std::atomic<bool> done = false;
  std::thread fetching([&] {
    get();
    done = true;
  });
  std::this_thread::sleep_for(std::chrono::milliseconds(300));
  EXPECT_FALSE(done);
  EXPECT_THAT(requested(), IsEmpty());
  ::close(other);
  fetching.join();
  expect_whole(get());
}

}  // namespace
}  // namespace verbund
