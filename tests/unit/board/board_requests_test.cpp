// SPDX-License-Identifier: Apache-2.0
// Board bears any request: paths, queries, names of runs, numbers and bodies.
#include <gtest/gtest.h>

#include <thread>

#include "board/board.h"
#include "core/random.h"
#include "record/evaluation_file.h"
#include "report/comparison.h"
#include "report/run_page.h"
#include "support/http_client.h"
#include "unit/board/made_folder.h"

namespace verbund {
namespace {

class RunningBoard {
 public:
  explicit RunningBoard(const fs::path& runs)
      : board_(runs, make_page, [] { return static_cast<double>(std::time(nullptr)); }), server_({}) {
    board_.serve(server_);
    port_ = server_.bind();
    thread_ = std::thread([this] { server_.run(); });
  }
  ~RunningBoard() {
    server_.stop();
    thread_.join();
  }

  int port() const { return port_; }
  ClientReply get(const std::string& target) const { return HttpClient(port_).ask("GET", target); }

 private:
  static Page make_page(const std::vector<fs::path>& folders) {
    std::vector<RunData> runs;
    for (const fs::path& folder : folders) runs.push_back(read_run(folder));
    return runs.size() == 1 ? run_page(runs.front(), "test") : comparison_page(runs, "test");
  }

  Board board_;
  HttpServer server_;
  int port_ = 0;
  std::thread thread_;
};

// Two runs with metrics, steps, evaluations, and a checkpoint that is none.
void make_runs(const fs::path& folder) {
  for (const char* name : {"a", "b c/d"}) {
    const MadeFolder made(folder / name, 2);
    for (int64_t step = 10; step <= 400; step += 10) made.train(step, 8.0 / static_cast<double>(step));
    made.evaluate(100, 7);
    made.evaluate(200, 9);
    for (int rank = 0; rank < 2; ++rank) made.steps(rank, 1, 400, 0.5f);
    made.append("history.jsonl", {{"event", "resume"}, {"step", 150}, {"at", 2.0}, {"from_step", 150}});
    fs::create_directories(evaluations_folder(made.path()));
    std::ofstream(dev_file(made.path())) << R"({"source":"Eins","reference":"one"})"
                                         << "\n";
    std::ofstream(evaluation_file(made.path(), 200)) << R"({"translation":"one","cross_entropy":2.0,"tokens":4})"
                                                     << "\n";
    fs::create_directories(made.path() / "checkpoints" / "step-00000100");
    std::ofstream(made.path() / "checkpoints" / "step-00000100" / "manifest.json") << "{}";
  }
}

// What cannot stand in a request line is escaped, so that it reaches the board; everything else stays as it is.
std::string as_target(const std::string& text) {
  std::string target = "/";
  for (const char c : text.substr(text.starts_with('/') ? 1 : 0)) {
    const auto byte = static_cast<unsigned char>(c);
    target += byte <= ' ' || byte >= 0x7f ? fmt::format("%{:02x}", byte) : std::string(1, c);
  }
  return target;
}

std::string mutated(const std::string& whole, Random& random) {
  std::string text = whole;
  for (uint64_t changes = 1 + random.below(4); changes > 0; --changes) {
    const size_t at = random.below(text.size());
    const uint64_t kind = random.below(4);
    if (kind == 0) {
      text.erase(at, random.below(8));
    } else if (kind == 1) {
      text.insert(at, whole.substr(random.below(whole.size()), random.below(30)));
    } else if (kind == 2) {
      static constexpr const char* kNasty[] = {"../",    "%2e%2e%2f",
                                               "-1",     "1e308",
                                               "nan",    "99999999999999999999",
                                               "%00",    "&run=a",
                                               "inf",    "-9223372036854775808",
                                               "%ff%fe", "0x10"};
      text.insert(at, kNasty[random.below(std::size(kNasty))]);
    } else {
      text[at] = static_cast<char>(random.below(256));
    }
    if (text.empty()) text = "?";
  }
  return text;
}

TEST(Board, BearsAnyRequest) {
  const TemporaryFolder folder;
  make_runs(folder.path());
  const RunningBoard board(folder.path());
  const std::vector<std::string> targets = {
      "/",
      "/metrics",
      "/web/app.js",
      "/api/runs",
      "/api/run?run=a",
      "/api/page?run=b%20c/d",
      "/api/hosts?run=a",
      "/api/checkpoints?run=a",
      "/api/comparison?run=a&run=b%20c%2fd",
      "/api/phases?run=a&from=10&to=300&buckets=20",
      "/api/curves?run=a&key=train_cross_entropy&key=dev_bleu&by=time&from=100&to=1e9&buckets=50",
      "/api/curves?run=a&key=train_cross_entropy&by=tokens&from=1000&to=90000",
      "/api/sentences?run=a&step=200&against=100&order=worst&search=one&offset=0&count=20",
      "/api/sentences?run=a&number=0"};
  for (const std::string& target : targets) EXPECT_EQ(board.get(target).status, 200) << target;

  const std::string body = R"({"run": "a", "checkpoint": "step-00000100", "text": "one \u00e4", "nbest": 4})";
  for (uint64_t i = 0; i < 10'000; ++i) {
    Random random(11, i);
    HttpClient client(board.port());
    if (random.below(4) == 0) {
      const std::string sent = mutated(body, random);
      const int status = client.ask("POST", "/api/translate", sent).status;
      // The checkpoint of this run cannot be loaded: 500.
      ASSERT_TRUE(status == 400 || status == 404 || status == 500) << status << " " << sent;
    } else {
      const std::string target = as_target(mutated(targets[random.below(targets.size())], random));
      const int status = client.ask(random.below(8) == 0 ? "POST" : "GET", target).status;
      ASSERT_TRUE(status == 200 || status == 400 || status == 404 || status == 405) << status << " " << target;
    }
  }
  for (const std::string& target : targets) EXPECT_EQ(board.get(target).status, 200) << target;
}

}  // namespace
}  // namespace verbund
