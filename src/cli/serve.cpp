// SPDX-License-Identifier: Apache-2.0
// The command `verbund serve` answers requests for translations over HTTP, until it is asked to stop.
#include <algorithm>
#include <chrono>
#include <csignal>
#include <memory>
#include <thread>

#include "cli/command.h"
#include "cli/model_flags.h"
#include "cli/options.h"
#include "core/error.h"
#include "core/interrupt.h"
#include "core/ip_address.h"
#include "core/log.h"
#include "core/process.h"
#include "serve/served_model.h"
#include "serve/service.h"

namespace verbund {
namespace {

constexpr auto kLookForModels = std::chrono::seconds(1);
constexpr auto kLookForSignals = std::chrono::milliseconds(50);

volatile std::sig_atomic_t asked_to_reload = 0;

struct ServeCommand {
  std::vector<std::string> models, tags, overrides;
  ModelPlace place;
  HttpServerConfig http = {.port = 5000, .max_connections = 1024, .threads = 64};
  ServiceConfig service;
  int64_t max_waiting = static_cast<int64_t>(QueueConfig().max_waiting);
  int64_t max_together = static_cast<int64_t>(QueueConfig().max_together);
  int64_t max_body = 1 << 20;
  bool is_open = false;
};

void declare_serve_flags(Options& options, ServeCommand& command) {
  options.add_list("-m,--model", command.models,
                   "A run or checkpoint folder (repeatable). NAME= before it gives it a name; a name like en-de gives "
                   "its languages, too",
                   "[NAME=]FOLDER");
  options.add_list("--tag", command.tags,
                   "Symbol to put before every sentence for the model NAME, so that one run serves several languages: "
                   "-m en-de=RUN -m en-fr=RUN --tag \"en-de=<2de>\" --tag \"en-fr=<2fr>\" (repeatable)",
                   "NAME=TAG");
  add_checkpoint_flags(options, command.place);
  add_device_flags(options, command.place);
  options.add_list("--set", command.overrides, "Override a value of the configuration: decode.beam=5 (repeatable)",
                   "KEY=VALUE");
  options.add_option("--port", command.http.port, "Port to listen on; 0: any free one")
      ->type_name("N")
      ->check(between(0, 65535))
      ->capture_default_str();
  options
      .add_option("--host", command.http.host, "Address to listen on; 0.0.0.0 or :: for all addresses of this machine")
      ->type_name("ADDRESS")
      ->capture_default_str();
  options
      .add_option("--api-key", command.service.api_key,
                  "Secret that requests must have; VERBUND_API_KEY in the environment hides it from other users")
      ->type_name("KEY")
      ->environment("VERBUND_API_KEY");
  options.add_flag("--open", command.is_open, "Listen for other machines without a key");
  options.add_list("--name", command.http.names, "A name under which clients reach this server (repeatable); *: any",
                   "HOST");
  options.add_list("--allow-origin", command.http.origins,
                   "Allow requests from web pages of this origin (repeatable): https://example.org; *: any", "ORIGIN");
  options
      .add_option("--queue", command.max_waiting,
                  "Maximum number of queued sentences; further requests are answered with 429")
      ->type_name("N")
      ->check(at_least(1))
      ->capture_default_str();
  options.add_option("--batch", command.max_together, "Maximum number of sentences translated together")
      ->type_name("N")
      ->check(at_least(1))
      ->capture_default_str();
  options
      .add_option("--deadline", command.service.deadline_seconds,
                  "Maximum time for an answer, in seconds; after that, the answer is 503")
      ->type_name("SECONDS")
      ->check(number_between(0.001, 86400))
      ->capture_default_str();
  options.add_option("--max-body", command.max_body, "Maximum size of a request, in bytes")
      ->type_name("BYTES")
      ->check(between(1000, 1 << 30))
      ->capture_default_str();
}

// "en-de=runs/a"; a folder may have = in its name.
ModelSource model_source(const ServeCommand& command, const std::string& text) {
  ModelSource source = {.place = command.place};
  const size_t equals = text.find('=');
  const bool has_name = equals != std::string::npos && !fs::exists(text);
  source.place.folder = has_name ? text.substr(equals + 1) : text;
  if (has_name) source.name = text.substr(0, equals);
  if (has_name && source.name.empty()) fail_usage("--model {}: the name before = is empty", text);
  const size_t dash = source.name.find('-');
  if (dash != std::string::npos && dash > 0 && dash + 1 < source.name.size()) {
    source.source_language = source.name.substr(0, dash);
    source.target_language = source.name.substr(dash + 1);
  }
  for (const std::string& tag : command.tags) {
    if (has_name && tag.starts_with(source.name + "=")) source.tag = tag.substr(source.name.size() + 1);
  }
  source.configure = [overrides = command.overrides](Config& config) { override_use(config, overrides); };
  return source;
}

void check_tags(const ServeCommand& command, const std::vector<ModelSource>& sources) {
  for (const std::string& tag : command.tags) {
    const std::string name = tag.substr(0, tag.find('='));
    const auto is_it = [&](const ModelSource& source) { return source.name == name && !source.tag.empty(); };
    if (std::any_of(sources.begin(), sources.end(), is_it)) continue;
    fail_usage("--tag {}: name the model and its tag, as in  -m en-de=RUN --tag \"en-de=<2de>\"", tag);
  }
}

void check_host(const ServeCommand& command) {
  const auto address = IpAddress::parse(command.http.host);
  const bool is_local = command.http.host == "localhost" || (address && address->is_loopback());
  if (is_local || command.is_open || !command.service.api_key.empty()) return;
  fail_usage(
      "--host {} lets other machines ask: give a key that they must know, --api-key KEY, or --open if anybody may",
      command.http.host);
}

void serve_until_stopped(HttpServer& server, ServedModels& models, TranslationService& service) {
  std::jthread answering([&] { server.run(); });
  const std::shared_ptr<void> stop(nullptr, [&](void*) { server.stop(); });  // whatever happens
  auto looked = std::chrono::steady_clock::now();
  while (!is_asked_to_stop()) {
    std::this_thread::sleep_for(kLookForSignals);
    const bool all = asked_to_reload != 0;
    const auto now = std::chrono::steady_clock::now();
    if (!all && now - looked < kLookForModels) continue;
    asked_to_reload = 0;
    looked = now;
    service.count_new_models(models.refresh(all));
  }
  log("{}: answering the requests that have come", signal_name(pending_interrupt()));
}

}  // namespace

void run_serve(const Arguments& arguments) {
  ServeCommand command;
  Options options("serve",
                  "Translates for clients over HTTP, compatible with LibreTranslate: POST /translate, GET /languages, "
                  "/health, /metrics. SIGHUP reloads the models, and a new best checkpoint is used as soon as it "
                  "exists. On SIGTERM, pending requests are answered, then the server exits.",
                  "  verbund serve -m runs/demo\n"
                  "  verbund serve -m en-de=runs/a -m de-en=runs/b --port 5000\n"
                  "  VERBUND_API_KEY=secret verbund serve -m runs/demo --host 0.0.0.0 --name translate.example.org\n"
                  "  curl -d q='A cat sleeps.' -d source=en -d target=de localhost:5000/translate\n");
  declare_serve_flags(options, command);
  if (!options.read(arguments)) return;
  if (command.models.empty()) fail_usage("name a model: --model RUN");
  check_host(command);
  command.http.max_body = static_cast<size_t>(command.max_body);
  HttpServer server(command.http);
  server.bind();  // before models are loaded, which takes longer

  std::signal(SIGHUP, [](int) { asked_to_reload = 1; });
  keep_freed_memory();
  std::vector<ModelSource> sources;
  for (const std::string& model : command.models) sources.push_back(model_source(command, model));
  check_tags(command, sources);
  TranslationQueue queue({.max_waiting = static_cast<size_t>(command.max_waiting),
                          .max_together = static_cast<size_t>(command.max_together)});
  ServedModels models(std::move(sources), queue);
  TranslationService service([&] { return models.list(); }, queue, command.service);
  service.add_routes(server);
  for (const ServiceModel& model : models.list()) {
    log("model {}: {} to {}, step {}", model.name, model.source_language, model.target_language, model.step);
  }
  log("listening at {}", server.url());
  serve_until_stopped(server, models, service);
  log("answered {} requests", service.requests());
}

}  // namespace verbund
