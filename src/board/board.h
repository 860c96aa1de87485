// SPDX-License-Identifier: Apache-2.0
// Board answers the requests of the live page: its files, the runs as JSON, and figures for Prometheus. It only reads,
// and only below the folder of its index.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "board/report_pages.h"
#include "board/run_index.h"
#include "board/sentences.h"
#include "board/try_model.h"
#include "http/server.h"

namespace verbund {

class Board {
 public:
  // `now`: seconds since 1970.
  Board(const fs::path& runs, ReportPages::Make make_page, std::function<double()> now);

  // Names the paths that it answers.
  void serve(HttpServer& server);
  // Any thread may call it.
  HttpResponse answer(const HttpRequest& request);

  const RunIndex& index() const { return index_; }
  void refresh() { index_.refresh(now_()); }

 private:
  Json answer_api(const HttpRequest& request);
  Json list_runs();
  Json show_run(SharedRun& run);
  Json show_curves(SharedRun& run, const HttpRequest& request);
  Json show_phases(SharedRun& run, const HttpRequest& request);
  Json show_page(SharedRun& run);
  Json show_comparison(const HttpRequest& request);
  Json show_sentences(SharedRun& run, const HttpRequest& request);
  // The run's sentences that are in memory, as new as its files. The caller holds sentences_mutex_.
  std::shared_ptr<SentenceTable> sentences_of(const SharedRun& run);
  Json show_hosts(SharedRun& run);
  Json try_sentence(const HttpRequest& request);
  std::string metrics_text();

  RunIndex index_;
  ReportPages pages_;
  TryModel try_model_;
  std::function<double()> now_;
  std::mutex sentences_mutex_;
  std::map<std::string, std::shared_ptr<SentenceTable>> sentences_;  // of the runs that were asked for last
};

}  // namespace verbund
