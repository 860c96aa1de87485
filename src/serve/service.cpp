// SPDX-License-Identifier: Apache-2.0
#include "serve/service.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <set>

#include "core/json.h"
#include "core/log.h"
#include "http/access.h"
#include "http/metrics_text.h"
#include "text/language.h"

namespace verbund {
namespace {

const std::vector<double> kSecondBounds = {0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30};

class WrongKey : public std::runtime_error {
 public:
  WrongKey() : std::runtime_error("Invalid API key") {}
};

HttpResponse try_later(int status, const std::string& message, double seconds) {
  HttpResponse response = http_error(status, message);
  response.headers["Retry-After"] = fmt::format("{:.0f}", std::clamp(std::ceil(seconds), 1.0, 60.0));
  return response;
}

// Which of the languages a text seems to be in.
Json detect_language(const std::string& text, const std::vector<std::string>& languages) {
  LanguageGuess guess;
  guess.add(text);
  std::string best = languages.front();
  double best_share = 0, all = 0;
  for (const std::string& language : languages) {
    const double share = guess.share(language);
    all += share;
    if (share <= best_share) continue;
    best = language;
    best_share = share;
  }
  return {{"confidence", all > 0 ? std::round(100 * best_share / all) : 0}, {"language", best}};
}

std::string event(const char* name, const Json& data) {
  return fmt::format("{}data: {}\n\n", *name == '\0' ? "" : fmt::format("event: {}\n", name), dump_json(data));
}

}  // namespace

// A request's texts on their way through the queue.
struct Translating {
  TranslateRequest requested;
  Json detected;
  std::vector<std::unique_ptr<Document>> documents;
  std::vector<std::pair<size_t, size_t>> places;  // of each sentence: its text, and which of it
  std::shared_ptr<TranslationQueue::Ticket> ticket;

  // The answer in LibreTranslate's form.
  Json answer(TranslationQueue::Results results) const {
    Json texts = Json::array(), alternatives = Json::array(), detections = Json::array();
    auto begin = std::make_move_iterator(results.begin());
    for (const auto& document : documents) {
      const auto end = begin + static_cast<std::ptrdiff_t>(document->sentences().size());
      const TranslationQueue::Results own(begin, end);
      begin = end;
      texts.push_back(document->translated(own, 0));
      size_t ranks = 1;
      for (const auto& translations : own) ranks = std::max(ranks, translations.size());
      Json others = Json::array();
      for (size_t rank = 1; rank < ranks; ++rank) others.push_back(document->translated(own, rank));
      alternatives.push_back(others);
      detections.push_back(detected);
    }
    const auto shown = [&](const Json& list) { return requested.is_list ? list : list.at(0); };
    Json json = {{"translatedText", shown(texts)}};
    if (requested.alternatives > 0) json["alternatives"] = shown(alternatives);
    if (!detected.is_null()) json["detectedLanguage"] = shown(detections);
    return json;
  }
};

void TranslationService::add_routes(HttpServer& server) {
  const auto add = [&](const char* method, const char* path, Handler handler) {
    server.on(method, path,
              [this, path, handler](const HttpRequest& request) { return counted(path, handler, request); });
  };
  add("POST", "/translate", &TranslationService::translate);
  add("POST", "/detect", &TranslationService::detect);
  add("GET", "/languages", &TranslationService::languages);
  add("POST", "/languages", &TranslationService::languages);  // as some clients ask
  add("GET", "/health", &TranslationService::health);
  add("GET", "/metrics", &TranslationService::metrics);
}

HttpResponse TranslationService::counted(const char* path, Handler handler, const HttpRequest& request) {
  const auto begin = std::chrono::steady_clock::now();
  HttpResponse response;
  try {
    response = (this->*handler)(request);
  } catch (const BadRequest& error) {
    response = http_error(400, error.what());
  } catch (const WrongKey& error) {
    response = http_error(403, error.what());
  } catch (const QueueFull& error) {
    response = try_later(429, error.what(), error.seconds());
  } catch (const NotInTime& error) {
    response = try_later(503, error.what(), 1);
  } catch (const std::exception& error) {
    warn("{} {} failed: {}", request.method, path, error.what());
    response = http_error(500, error.what());
  }
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  const std::lock_guard lock(mutex_);
  ++answered_[{path, response.status}];
  if (path != std::string_view("/translate")) return response;
  durations_.resize(kSecondBounds.size() + 1);
  ++durations_[static_cast<size_t>(std::lower_bound(kSecondBounds.begin(), kSecondBounds.end(), seconds) -
                                   kSecondBounds.begin())];
  seconds_ += seconds;
  return response;
}

void TranslationService::check_key(const std::string& given) const {
  if (!config_.api_key.empty() && !same_secret(given, config_.api_key)) throw WrongKey();
}

ServiceModel TranslationService::choose(const TranslateRequest& requested, Json& detected) const {
  const std::vector<ServiceModel> models = models_();
  std::string source = requested.source;
  if (requested.model.empty() && source == "auto") {
    std::vector<std::string> sources;
    for (const ServiceModel& model : models) {
      if (model.target_language == requested.target) sources.push_back(model.source_language);
    }
    if (sources.empty()) throw BadRequest(fmt::format("{} is not supported", requested.target));
    std::string text;
    for (const std::string& each : requested.texts) text += each + "\n";
    detected = detect_language(text, sources);
    source = detected.at("language").get<std::string>();
  }
  for (const ServiceModel& model : models) {
    if (!requested.model.empty() ? model.name == requested.model
                                 : model.source_language == source && model.target_language == requested.target) {
      return model;
    }
  }
  if (!requested.model.empty()) throw BadRequest(fmt::format("there is no model {}", requested.model));
  throw BadRequest(fmt::format("{} to {} is not supported", source, requested.target));
}

HttpResponse TranslationService::translate(const HttpRequest& request) {
  const RequestFields fields(request);
  check_key(fields.has("api_key") ? fields.text("api_key") : bearer_secret(request));
  const auto work = std::make_shared<Translating>();
  work->requested = translate_request(fields, request);
  const ServiceModel model = choose(work->requested, work->detected);
  TranslationJob job = {.translator = model.translator,
                        .needs = {std::min(work->requested.alternatives + 1, model.beam), work->requested.is_html}};
  for (const std::string& text : work->requested.texts) {
    work->documents.push_back(work->requested.is_html ? html_document(text, model.rules)
                                                      : plain_document(text, model.rules));
    size_t sentence = 0;
    for (const std::string& each : work->documents.back()->sentences()) {
      job.sentences.push_back(each);
      work->places.emplace_back(work->documents.size() - 1, sentence++);
    }
  }
  job.deadline = std::chrono::steady_clock::now() + std::chrono::duration_cast<std::chrono::steady_clock::duration>(
                                                        std::chrono::duration<double>(config_.deadline_seconds));
  work->ticket = queue_.submit(std::move(job));
  if (work->requested.streams) return streamed(work);
  return {.body = dump_json(work->answer(queue_.await(*work->ticket))) + "\n"};
}

// Each sentence as soon as it and those before it are translated; then the answer as a whole.
HttpResponse TranslationService::streamed(std::shared_ptr<Translating> work) const {
  return {.type = "text/event-stream", .stream = [this, work](const SendChunk& send) {
            bool is_there = true;
            try {
              const auto tell = [&](size_t i, const std::vector<Translation>& translations) {
                const auto [text, sentence] = work->places[i];
                return is_there = send(event("", {{"text", text},
                                                  {"sentence", sentence},
                                                  {"source", work->documents[text]->sentences()[sentence]},
                                                  {"translatedText", translations.at(0).text}}));
              };
              TranslationQueue::Results results = queue_.await(*work->ticket, tell);
              if (is_there) send(event("done", work->answer(std::move(results))));
            } catch (const std::exception& error) {
              send(event("error", {{"error", error.what()}}));
            }
          }};
}

HttpResponse TranslationService::detect(const HttpRequest& request) {
  const RequestFields fields(request);
  check_key(fields.has("api_key") ? fields.text("api_key") : bearer_secret(request));
  if (!fields.has("q")) throw BadRequest("Invalid request: missing q parameter");
  std::set<std::string> languages;
  for (const ServiceModel& model : models_()) languages.insert({model.source_language, model.target_language});
  const Json found = detect_language(fields.text("q"), {languages.begin(), languages.end()});
  return {.body = dump_json(Json::array({found})) + "\n"};
}

HttpResponse TranslationService::languages(const HttpRequest&) {
  std::map<std::string, std::set<std::string>> targets;  // by source language
  for (const ServiceModel& model : models_()) {
    targets[model.source_language].insert(model.target_language);
    targets[model.target_language];
  }
  Json list = Json::array();
  for (const auto& [code, into] : targets) {
    list.push_back({{"code", code}, {"name", language_name(code)}, {"targets", into}});
  }
  return {.body = dump_json(list) + "\n"};
}

HttpResponse TranslationService::health(const HttpRequest&) {
  Json models = Json::array();
  for (const ServiceModel& model : models_()) models.push_back({{"name", model.name}, {"step", model.step}});
  return {.body = dump_json({{"status", "ok"}, {"models", models}, {"waiting", queue_.counts().waiting}}) + "\n"};
}

HttpResponse TranslationService::metrics(const HttpRequest& request) {
  check_key(bearer_secret(request));
  const QueueCounts counts = queue_.counts();
  MetricsText text(request);
  text.gauge("verbund_serve_waiting_sentences", "Sentences that have not begun.");
  text.sample(static_cast<double>(counts.waiting));
  text.counter("verbund_serve_sentences", "Sentences that were translated.");
  text.sample(static_cast<double>(counts.sentences));
  text.counter("verbund_serve_tokens", "Target tokens of their translations.");
  text.sample(static_cast<double>(counts.tokens));
  text.counter("verbund_serve_steps", "Steps of one token for all sentences under way with a model.");
  text.sample(static_cast<double>(counts.steps));
  text.counter("verbund_serve_sentence_steps", "Sum of the sentences under way in each step.");
  text.sample(static_cast<double>(counts.sentence_steps));
  text.counter("verbund_serve_busy_seconds", "Time of the steps.");
  text.sample(counts.busy_seconds);
  text.counter("verbund_serve_refused_requests", "Requests refused because the queue was full.");
  text.sample(static_cast<double>(counts.refused));
  text.counter("verbund_serve_late_requests", "Requests that timed out.");
  text.sample(static_cast<double>(counts.late));
  text.gauge("verbund_serve_model_step", "Training step of each model's checkpoint.");
  for (const ServiceModel& model : models_()) {
    text.sample(static_cast<double>(model.step),
                {{"model", model.name}, {"source", model.source_language}, {"target", model.target_language}});
  }
  const std::lock_guard lock(mutex_);
  text.counter("verbund_serve_new_models", "Models that were replaced by another checkpoint.");
  text.sample(static_cast<double>(new_models_));
  text.counter("verbund_serve_requests", "Answered requests by path and status.");
  for (const auto& [key, count] : answered_) {
    text.sample(static_cast<double>(count), {{"path", key.first}, {"status", std::to_string(key.second)}});
  }
  text.histogram("verbund_serve_translate_seconds",
                 "Time from a request to its answer, or to the start of its stream.");
  text.buckets(kSecondBounds, durations_.empty() ? std::vector<uint64_t>(kSecondBounds.size() + 1) : durations_,
               seconds_);
  return text.response();
}

void TranslationService::count_new_models(size_t count) {
  const std::lock_guard lock(mutex_);
  new_models_ += count;
}

uint64_t TranslationService::requests() const {
  const std::lock_guard lock(mutex_);
  uint64_t all = 0;
  for (const auto& [key, count] : answered_) all += count;
  return all;
}

}  // namespace verbund
