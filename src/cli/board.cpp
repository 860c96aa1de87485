// SPDX-License-Identifier: Apache-2.0
// verbund board: a live page over all runs below a folder.
#include <poll.h>

#include <chrono>
#include <random>
#include <thread>

#include "board/board.h"
#include "cli/command.h"
#include "cli/options.h"
#include "core/error.h"
#include "core/file.h"
#include "core/interrupt.h"
#include "core/ip_address.h"
#include "core/log.h"
#include "core/machine.h"
#include "core/output.h"
#include "core/wall_clock.h"
#include "http/access.h"
#include "http/server.h"
#include "report/comparison.h"
#include "report/run_reader.h"

namespace verbund {
namespace {

constexpr int kBoardPort = 8750;

Page page_of(RunReaders& readers, const std::vector<fs::path>& folders) {
  std::vector<RunData> runs;
  for (const fs::path& folder : folders) runs.push_back(readers.read(folder));
  return runs.size() == 1 ? make_run_report(runs.front()) : comparison_page(runs, program_version());
}

bool is_loopback(const std::string& host) { return host == "localhost" || host == "::1" || host.starts_with("127."); }

std::string made_token() {
  std::random_device random;  // the system's generator
  std::string token;
  for (int i = 0; i < 8; ++i) token += fmt::format("{:08x}", random());
  return token;
}

std::string start_text(const Board& board, const HttpServerConfig& config, const std::string& url, int port) {
  const size_t count = board.index().runs().size();
  std::string text =
      fmt::format("board        {}{}\n", url, config.token.empty() ? "" : "/?token=" + encoded(config.token));
  text += fmt::format("runs         {} below {}{}\n", count, board.index().root().string(),
                      count == 0 ? ": none yet; the page shows them as they come" : "");
  if (is_loopback(config.host)) {
    text += fmt::format("remotely     ssh -N -L {0}:127.0.0.1:{0} {1}, then open http://127.0.0.1:{0} there\n", port,
                        host_name());
  }
  return text + "Ctrl-C ends it.\n";
}

}  // namespace

void run_board(const Arguments& arguments) {
  Options options(
      "board",
      "Shows all runs below a folder as a live page in the browser: their states and curves, the answers of "
      "the report, translations, hosts, and a box to try a model. Figures for Prometheus are at /metrics. "
      "It reads only below that folder and writes nothing. It listens on this machine alone unless --host "
      "is given; requests then need a token.",
      "  verbund board\n"
      "  verbund board --runs /data/runs --port 9000\n"
      "  VERBUND_BOARD_TOKEN=\"$(cat token.txt)\" verbund board --host 0.0.0.0\n");
  std::string folder = "runs";
  HttpServerConfig config;
  config.port = kBoardPort;
  options.add_option("--runs", folder, "The folder with the runs, or with folders of runs")
      ->type_name("DIR")
      ->capture_default_str();
  options.add_option("--port", config.port, "The port to listen on; 0: any free one")
      ->check(between(0, 65535))
      ->capture_default_str();
  options.add_option("--host", config.host, "The address to listen on; 0.0.0.0: all addresses of this machine")
      ->type_name("ADDRESS")
      ->capture_default_str();
  options
      .add_option("--token", config.token,
                  "A secret that requests must have; generated and printed if --host is not this machine alone")
      ->environment("VERBUND_BOARD_TOKEN")
      ->type_name("TOKEN");
  options.add_list("--name", config.names,
                   "Another name of this server, as browsers ask for it: of a proxy, for example", "NAME");
  if (!options.read(arguments)) return;

  std::error_code error;
  if (!fs::is_directory(folder, error)) {
    fail("there is no folder {}: give the one with the runs, --runs DIR", folder);
  }
  if (config.token.empty() && !is_loopback(config.host)) config.token = made_token();
  RunReaders readers;
  Board board(
      folder, [&](const std::vector<fs::path>& folders) { return page_of(readers, folders); }, wall_seconds);
  HttpServer server(config);
  board.serve(server);
  const int port = server.bind();
  board.refresh();
  print_rows(start_text(board, config, server.url(), port));
  flush_output();

  std::thread serving([&] { server.run(); });
  while (pending_interrupt() == 0) ::poll(nullptr, 0, 100);  // a signal ends the wait
  server.stop();
  serving.join();
}

}  // namespace verbund
