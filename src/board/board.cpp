// SPDX-License-Identifier: Apache-2.0
#include "board/board.h"

#include <charconv>
#include <cmath>

#include "board/host_use.h"
#include "board/numbers.h"
#include "board/open_metrics.h"
#include "board/run_curves.h"
#include "board/run_summary.h"
#include "board/web_files.h"
#include "core/error.h"

namespace verbund {
namespace {

constexpr size_t kMaxCompared = 12;
constexpr size_t kMaxTables = 8;  // of sentences

// A request that cannot be answered, with its status.
struct Refused {
  int status;
  std::string message;
};

template <typename Number>
Number number_in(const HttpRequest& request, const std::string& key, Number otherwise) {
  const std::string text = request.query_value(key);
  if (text.empty()) return otherwise;
  Number value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || std::isnan(static_cast<double>(value))) {
    throw Refused{400, fmt::format("{} is not a number", key)};
  }
  return value;
}

CurveAxis axis_in(const HttpRequest& request) {
  const std::string name = request.query_value("by");
  if (name.empty() || name == "step") return CurveAxis::kStep;
  if (name == "time") return CurveAxis::kTime;
  if (name == "tokens") return CurveAxis::kTokens;
  throw Refused{400, "by is step, time or tokens"};
}

SentenceOrder order_in(const HttpRequest& request) {
  const std::string name = request.query_value("order");
  if (name == "worst") return SentenceOrder::kWorst;
  if (name == "changed") return SentenceOrder::kChanged;
  if (name == "improved") return SentenceOrder::kImproved;
  if (name == "forgotten") return SentenceOrder::kForgotten;
  if (name == "longest") return SentenceOrder::kLongest;
  return SentenceOrder::kFirst;
}

std::vector<std::string> values_in(const HttpRequest& request, const std::string& key) {
  std::vector<std::string> values;
  const auto [begin, end] = request.query.equal_range(key);
  for (auto found = begin; found != end; ++found) values.push_back(found->second);
  return values;
}

std::shared_ptr<SharedRun> expect_known_run(const RunIndex& index, const std::string& name) {
  auto run = index.find(name);
  if (!run) throw Refused{404, "there is no such run"};
  return run;
}

HttpResponse json_response(const Json& json) {
  HttpResponse response;
  response.body = dump_json(json);
  response.headers["Cache-Control"] = "no-store";
  return response;
}

}  // namespace

Board::Board(const fs::path& runs, ReportPages::Make make_page, std::function<double()> now)
    : index_(runs), pages_(std::move(make_page)), now_(std::move(now)) {}

void Board::serve(HttpServer& server) {
  const auto handle = [this](const HttpRequest& request) { return answer(request); };
  server.on("GET", "/*", handle);
  server.on("POST", "/api/translate", handle);
}

HttpResponse Board::answer(const HttpRequest& request) {
  try {
    if (request.path == "/metrics") {
      HttpResponse response;
      response.type = kOpenMetricsType;
      response.body = metrics_text();
      return response;
    }
    if (request.path.starts_with("/api/")) return json_response(answer_api(request));
    if (const auto file = find_web_file(request.path)) {
      HttpResponse response;
      response.type = file->type;
      response.body = file->text;
      response.headers["Cache-Control"] = "no-cache";
      return response;
    }
    return http_error(404, "there is no such page");
  } catch (const Refused& refused) {
    return http_error(refused.status, refused.message);
  } catch (const Error& error) {
    return http_error(500, error.what());
  } catch (const fs::filesystem_error& error) {
    return http_error(500, error.code().message());
  }
}

Json Board::answer_api(const HttpRequest& request) {
  index_.refresh(now_());
  const std::string what = request.path.substr(std::string_view("/api/").size());
  if (what == "runs") return list_runs();
  if (what == "comparison") return show_comparison(request);
  if (what == "translate") return try_sentence(request);
  const bool is_answered = what == "run" || what == "curves" || what == "phases" || what == "page" ||
                           what == "sentences" || what == "hosts" || what == "checkpoints";
  if (!is_answered) throw Refused{404, "there is no such page"};
  const auto run = expect_known_run(index_, request.query_value("run"));
  if (what == "run") return show_run(*run);
  if (what == "curves") return show_curves(*run, request);
  if (what == "phases") return show_phases(*run, request);
  if (what == "page") return show_page(*run);
  if (what == "sentences") return show_sentences(*run, request);
  if (what == "checkpoints") return {{"checkpoints", checkpoint_names(run->run.folder())}};
  return show_hosts(*run);
}

Json Board::list_runs() {
  const auto runs = index_.runs();
  Json json = {{"folder", index_.root().string()}, {"now", json_time(now_())}, {"refused", index_.refused()}};
  std::vector<Json> settings;
  for (const auto& run : runs) {
    const std::lock_guard lock(run->mutex);
    settings.push_back(run->run.settings());
  }
  std::vector<const Json*> all;
  for (const Json& one : settings) all.push_back(&one);
  const std::set<std::string> differing = differing_settings(all);
  json["settings"] = differing;
  json["runs"] = Json::array();
  for (const auto& run : runs) {
    const std::lock_guard lock(run->mutex);
    Json row = run_row(run->run, differing);
    row["alerts"] = Json::array();
    for (const Alert& alert : find_alerts(run->run)) row["alerts"].push_back(alert.text);
    json["runs"].push_back(std::move(row));
  }
  return json;
}

Json Board::show_run(SharedRun& run) {
  const std::lock_guard lock(run.mutex);
  run.run.refresh_steps();
  Json json = run_head(run.run, find_alerts(run.run));
  json["now"] = json_time(now_());
  return json;
}

Json Board::show_curves(SharedRun& run, const HttpRequest& request) {
  CurveRequest curve;
  curve.axis = axis_in(request);
  curve.from = number_in(request, "from", curve.from);
  curve.to = number_in(request, "to", curve.to);
  curve.buckets = number_in<size_t>(request, "buckets", kMaxBuckets);
  const std::vector<std::string> keys = values_in(request, "key");
  if (keys.empty() || keys.size() > kMaxCompared) throw Refused{400, "give from 1 to 12 keys"};
  Json json = {{"curves", Json::array()}};
  const std::lock_guard lock(run.mutex);
  json["version"] = run.run.version();
  for (const std::string& key : keys) {
    curve.key = key;
    json["curves"].push_back(curve_json(run.run, curve));
  }
  return json;
}

Json Board::show_phases(SharedRun& run, const HttpRequest& request) {
  const double from = number_in(request, "from", 0.0), to = number_in(request, "to", 1e15);
  const auto buckets = number_in<size_t>(request, "buckets", 500);
  const std::lock_guard lock(run.mutex);
  run.run.refresh_steps();
  return {{"workers", phases_json(run.run, from, to, buckets)}};
}

Json Board::show_page(SharedRun& run) {
  std::string name;
  fs::path folder;
  uint64_t version = 0;
  {
    const std::lock_guard lock(run.mutex);
    name = run.run.name();
    folder = run.run.folder();
    version = run.run.version();
  }
  return pages_.get("run " + name, {folder}, version, now_());
}

Json Board::show_comparison(const HttpRequest& request) {
  const std::vector<std::string> names = values_in(request, "run");
  const std::set<std::string> different(names.begin(), names.end());
  if (different.size() != names.size() || names.size() < 2 || names.size() > kMaxCompared) {
    throw Refused{400, fmt::format("give from 2 to {} different runs", kMaxCompared)};
  }
  std::vector<fs::path> folders;
  std::string key = "comparison";
  uint64_t version = 0;
  for (const std::string& name : names) {
    const auto run = expect_known_run(index_, name);
    const std::lock_guard lock(run->mutex);
    folders.push_back(run->run.folder());
    version += run->run.version();
    key += "\n" + name;
  }
  return pages_.get(key, folders, version, now_());
}

Json Board::show_sentences(SharedRun& run, const HttpRequest& request) {
  SentenceRequest sentences;
  sentences.step = number_in<int64_t>(request, "step", -1);
  sentences.against = number_in<int64_t>(request, "against", -1);
  sentences.order = order_in(request);
  sentences.search = request.query_value("search");
  sentences.offset = number_in<size_t>(request, "offset", 0);
  sentences.count = number_in<size_t>(request, "count", 50);
  const std::string other = request.query_value("with");
  const auto other_run = other.empty() || other == run.run.name() ? nullptr : expect_known_run(index_, other);
  const std::lock_guard lock(sentences_mutex_);
  const auto table = sentences_of(run);
  const std::string number = request.query_value("number");
  if (number.empty()) return table->list(sentences, other_run ? sentences_of(*other_run).get() : nullptr);
  Json history = table->history(number_in<size_t>(request, "number", 0));
  if (history.is_null()) throw Refused{404, "there is no such sentence"};
  return history;
}

std::shared_ptr<SentenceTable> Board::sentences_of(const SharedRun& run) {
  const std::string& name = run.run.name();
  if (sentences_.size() >= kMaxTables && !sentences_.contains(name)) sentences_.erase(sentences_.begin());
  auto& table = sentences_[name];
  if (!table) table = std::make_shared<SentenceTable>();
  table->refresh(run.run.folder());
  return table;
}

Json Board::show_hosts(SharedRun& run) {
  const std::lock_guard lock(run.mutex);
  run.run.refresh_steps();
  return {{"workers", hosts_json(run.run)}, {"running", is_running(run.run.state())}};
}

Json Board::try_sentence(const HttpRequest& request) {
  if (request.method != "POST") throw Refused{405, "use POST"};
  constexpr size_t kMaxKeys = 100;
  const Json body = try_parse_json(request.body, kMaxKeys);
  const auto text = [&](const char* key) -> std::string {
    const auto found = body.is_object() ? body.find(key) : body.end();
    if (!body.is_object() || found == body.end() || !found->is_string()) {
      throw Refused{400, fmt::format("the body is an object with run, checkpoint and text; {} is missing", key)};
    }
    return found->get<std::string>();
  };
  const std::string checkpoint = text("checkpoint"), sentence = text("text");
  const auto run = expect_known_run(index_, text("run"));
  const fs::path folder = run->run.folder();
  const std::vector<std::string> names = checkpoint_names(folder);
  if (std::find(names.begin(), names.end(), checkpoint) == names.end())
    throw Refused{404, "there is no such checkpoint"};
  if (sentence.size() > TryModel::kMaxBytes) throw Refused{413, "the text is too long"};
  const auto count = body.find("nbest");
  const int64_t nbest = count != body.end() && count->is_number_integer() ? count->get<int64_t>() : 1;
  return try_model_.translate(folder, checkpoint, sentence, nbest);
}

std::string Board::metrics_text() {
  index_.refresh(now_());
  OpenMetrics metrics;
  for (const auto& run : index_.runs()) {
    const std::lock_guard lock(run->mutex);
    if (is_running(run->run.state())) run->run.refresh_steps();
    metrics.add(run->run, find_alerts(run->run));
  }
  return metrics.text();
}

}  // namespace verbund
