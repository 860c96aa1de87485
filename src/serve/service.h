// SPDX-License-Identifier: Apache-2.0
// TranslationService answers the requests of LibreTranslate's clients: /translate, /detect, /languages, /health, and
// /metrics for Prometheus.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "core/json.h"
#include "http/server.h"
#include "serve/text_document.h"
#include "serve/translate_request.h"
#include "serve/translation_queue.h"

namespace verbund {

// A model that requests can choose.
struct ServiceModel {
  std::string name, source_language, target_language;
  int64_t step = 0;
  int64_t beam = 1;  // one more than the alternatives it can give
  SentenceRules rules;
  std::shared_ptr<const SentenceTranslator> translator;
};

struct ServiceConfig {
  std::string api_key;           // "": none is needed
  double deadline_seconds = 60;  // for the answer to a request
};

class TranslationService {
 public:
  // `models` is asked for each request.
  TranslationService(std::function<std::vector<ServiceModel>()> models, TranslationQueue& queue, ServiceConfig config)
      : models_(std::move(models)), queue_(queue), config_(std::move(config)) {}

  void add_routes(HttpServer& server);
  void count_new_models(size_t count);  // loaded since the start

  uint64_t requests() const;  // so far

 private:
  using Handler = HttpResponse (TranslationService::*)(const HttpRequest&);

  HttpResponse counted(const char* path, Handler handler, const HttpRequest& request);
  HttpResponse translate(const HttpRequest& request);
  HttpResponse detect(const HttpRequest& request);
  HttpResponse languages(const HttpRequest& request);
  HttpResponse health(const HttpRequest& request);
  HttpResponse metrics(const HttpRequest& request);

  ServiceModel choose(const TranslateRequest& requested, Json& detected) const;
  HttpResponse streamed(std::shared_ptr<struct Translating> work) const;
  void check_key(const std::string& given) const;

  const std::function<std::vector<ServiceModel>()> models_;
  TranslationQueue& queue_;
  const ServiceConfig config_;

  mutable std::mutex mutex_;
  std::map<std::pair<std::string, int>, uint64_t> answered_;  // path, status
  std::vector<uint64_t> durations_;                           // of /translate, by bucket
  double seconds_ = 0;                                        // of all of them
  size_t new_models_ = 0;
};

}  // namespace verbund
