// SPDX-License-Identifier: Apache-2.0
#include "serve/service.h"

#include <gtest/gtest.h>

#include <future>
#include <thread>

#include "core/json.h"
#include "core/random.h"
#include "serve/word_alignment.h"
#include "support/http_client.h"
#include "support/made_translator.h"

namespace verbund {
namespace {

// A service with the made translator for en-de, en-fr and fr-en, behind a real server.
class RunningService {
 public:
  explicit RunningService(const ServiceConfig& config = {}, const QueueConfig& queue = {}, bool is_held = false)
      : translator(std::make_shared<MadeTranslator>(is_held)),
        queue_(queue),
        service_([this] { return models(); }, queue_, config),
        server_({.threads = 16}) {
    service_.add_routes(server_);
    port_ = server_.bind();
    thread_ = std::thread([this] { server_.run(); });
  }
  ~RunningService() {
    server_.stop();
    thread_.join();
  }

  ClientReply post(const std::string& path, const std::string& body, const std::string& headers = kJson) const {
    return HttpClient(port_).ask("POST", path, body, headers);
  }
  ClientReply get(const std::string& path, const std::string& headers = "Host: localhost\r\n") const {
    return HttpClient(port_).ask("GET", path, "", headers);
  }
  // The answer to a request of this JSON; the object of an error if it is one.
  Json translate(const Json& fields) const { return parse_json(post("/translate", dump_json(fields)).body); }
  int port() const { return port_; }

  static constexpr const char* kJson = "Host: localhost\r\nContent-Type: application/json\r\n";
  static constexpr const char* kForm = "Host: localhost\r\nContent-Type: application/x-www-form-urlencoded\r\n";

  const std::shared_ptr<MadeTranslator> translator;

 private:
  std::vector<ServiceModel> models() const {
    const SentenceRules rules = {[](const std::string& line) { return std::vector<std::string>{line}; },
                                 [](const std::string& sentence) { return words_of(sentence); }};
    std::vector<ServiceModel> list;
    for (const auto& [source, target] : {std::pair("en", "de"), {"en", "fr"}, {"fr", "en"}}) {
      list.push_back({.name = std::string(source) + "-" + target,
                      .source_language = source,
                      .target_language = target,
                      .step = 100,
                      .beam = 4,
                      .rules = rules,
                      .translator = translator});
    }
    return list;
  }

  TranslationQueue queue_;
  TranslationService service_;
  HttpServer server_;
  int port_ = 0;
  std::thread thread_;
};

const Json kAsked = {{"q", "hello"}, {"source", "en"}, {"target", "de"}};

Json with(const std::string& name, const Json& value) {
  Json fields = kAsked;
  fields[name] = value;
  return fields;
}

TEST(TranslationService, AnswersInTheShapeOfLibreTranslate) {
  const RunningService service;
  EXPECT_EQ(service.translate(kAsked), (Json{{"translatedText", "HELLO"}}));
  EXPECT_EQ(service.translate(with("q", Json::array({"a", "b\nc", ""}))),
            (Json{{"translatedText", Json::array({"A", "B\nC", ""})}}));
  EXPECT_EQ(service.translate(with("q", Json::array())), (Json{{"translatedText", Json::array()}}));
  EXPECT_EQ(service.translate(with("alternatives", 2)),
            (Json{{"translatedText", "HELLO"}, {"alternatives", {"HELLO!", "HELLO!!"}}}));
  EXPECT_EQ(service.translate(with("alternatives", 50))["alternatives"].size(), 3U) << "a beam of 4 has no more";
  const Json found =
      service.translate({{"q", "je suis dans la maison avec les amis"}, {"source", "auto"}, {"target", "en"}});
  EXPECT_EQ(found["detectedLanguage"]["language"], "fr");
  Json html = with("q", "<p>a <b>word</b></p>");
  html["format"] = "html";
  EXPECT_EQ(service.translate(html)["translatedText"], "<p>A <b>WORD</b></p>");
}

TEST(TranslationService, TakesForms) {
  const RunningService service;
  const ClientReply reply =
      service.post("/translate", "q=gr%C3%BCn+%26+blau%0Ax&source=en&target=de&alternatives=1", RunningService::kForm);
  EXPECT_EQ(parse_json(reply.body)["translatedText"], "GRüN & BLAU\nX");
  const Json several =
      parse_json(service.post("/translate", "q=a&q=b&source=en&target=de", RunningService::kForm).body);
  EXPECT_EQ(several["translatedText"], Json::array({"A", "B"}));
  EXPECT_EQ(
      parse_json(service.post("/translate?q=a&source=en&target=de", "", RunningService::kForm).body)["translatedText"],
      "A");
}

TEST(TranslationService, SaysWhatIsWrong) {
  const RunningService service;
  const auto status = [&](const Json& fields) {
    const ClientReply reply = service.post("/translate", dump_json(fields));
    EXPECT_TRUE(parse_json(reply.body).contains("error")) << reply.body;
    return reply.status;
  };
  for (const char* const name : {"q", "source", "target"}) {
    Json fields = kAsked;
    fields.erase(name);
    EXPECT_EQ(status(fields), 400) << name;
  }
  EXPECT_EQ(status(with("source", "xx")), 400);
  EXPECT_EQ(status(with("target", "xx")), 400);
  EXPECT_EQ(status(with("format", "pdf")), 400);
  EXPECT_EQ(status(with("alternatives", -1)), 400);
  EXPECT_EQ(status(with("alternatives", "many")), 400);
  EXPECT_EQ(status(with("alternatives", 1000)), 400);
  EXPECT_EQ(status(with("q", Json::object())), 400);
  EXPECT_EQ(status(with("q", Json::array({Json::array()}))), 400);
  EXPECT_EQ(status(with("source", Json::array({"en"}))), 400);
  EXPECT_EQ(status(with("model", "none")), 400);
  EXPECT_EQ(service.post("/translate", "{").status, 400);
  EXPECT_EQ(service.post("/translate", "[]").status, 400);
  EXPECT_EQ(service.post("/translate", "q=%ff&source=en&target=de", RunningService::kForm).status, 400);
  EXPECT_EQ(service.post("/translate", "x", "Host: localhost\r\nContent-Type: multipart/form-data\r\n").status, 400);
  EXPECT_EQ(status(with("q", "fail")), 500);
  EXPECT_EQ(service.translate(with("model", "en-fr"))["translatedText"], "HELLO");
}

TEST(TranslationService, WantsItsKey) {
  const RunningService service({.api_key = "abc"});
  EXPECT_EQ(service.post("/translate", dump_json(kAsked)).status, 403);
  EXPECT_EQ(service.post("/translate", dump_json(with("api_key", "abd"))).status, 403);
  EXPECT_EQ(service.post("/translate", dump_json(with("api_key", "abc"))).status, 200);
  const std::string bearer = std::string(RunningService::kJson) + "Authorization: Bearer abc\r\n";
  EXPECT_EQ(service.post("/translate", dump_json(kAsked), bearer).status, 200);
  EXPECT_EQ(service.get("/metrics").status, 403);
  EXPECT_EQ(service.get("/metrics", bearer).status, 200);
  EXPECT_EQ(service.get("/health").status, 200) << "for a load balancer";
}

TEST(TranslationService, RefusesWhatIsTooMuchOrTooLate) {
  RunningService service({.deadline_seconds = 2}, {.max_waiting = 2}, true);
  HttpClient first(service.port()), second(service.port());
  const auto request = [](const Json& asked) {
    const std::string body = dump_json(asked);
    return "POST /translate HTTP/1.1\r\n" + std::string(RunningService::kJson) +
           "Content-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body;
  };
  const std::string body = dump_json(kAsked);
  first.send(request(kAsked));
  service.translator->await_batch();
  second.send(request(with("q", Json::array({"a", "b"}))));
  while (parse_json(service.get("/health").body).at("waiting") != 2) std::this_thread::yield();
  ClientReply refused = service.post("/translate", body);
  EXPECT_EQ(refused.status, 429);
  EXPECT_GE(std::stoi(refused.headers["retry-after"]), 1);
  EXPECT_EQ(second.receive().status, 503);
  EXPECT_EQ(first.receive().status, 503);
  service.translator->release();
  EXPECT_EQ(service.post("/translate", body).status, 200);
}

TEST(TranslationService, StreamsSentencesAsTheyAreDone) {
  const RunningService service({}, {.max_together = 1});
  Json fields = with("q", "a\nb\nc");
  fields["stream"] = true;
  const ClientReply reply = service.post("/translate", dump_json(fields));
  EXPECT_EQ(reply.headers.at("content-type"), "text/event-stream");
  std::vector<std::string> events;
  for (size_t begin = 0, end = 0; (end = reply.body.find("\n\n", begin)) != std::string::npos; begin = end + 2) {
    events.push_back(reply.body.substr(begin, end - begin));
  }
  ASSERT_EQ(events.size(), 4U);
  EXPECT_EQ(parse_json(events[1].substr(6)),
            (Json{{"text", 0}, {"sentence", 1}, {"source", "b"}, {"translatedText", "B"}}));
  EXPECT_EQ(events[3], "event: done\ndata: {\"translatedText\":\"A\\nB\\nC\"}");
  // An error before the first sentence is an answer with its status.
  fields["target"] = "xx";
  EXPECT_EQ(service.post("/translate", dump_json(fields)).status, 400);
  const std::string accept = std::string(RunningService::kJson) + "Accept: text/event-stream\r\n";
  EXPECT_EQ(service.post("/translate", dump_json(with("q", "fail")), accept).body.substr(0, 12), "event: error");
}

TEST(TranslationService, TellsLanguagesHealthAndFigures) {
  const RunningService service;
  const Json languages = parse_json(service.get("/languages").body);
  ASSERT_EQ(languages.size(), 3U);
  EXPECT_EQ(languages[1], (Json{{"code", "en"}, {"name", "English"}, {"targets", {"de", "fr"}}}));
  EXPECT_EQ(languages[0]["targets"], Json::array());
  EXPECT_EQ(parse_json(service.post("/languages", "", RunningService::kForm).body), languages);
  EXPECT_EQ(parse_json(service.get("/health").body)["status"], "ok");
  const Json found = parse_json(service.post("/detect", "q=the+cat+is+in+the+house", RunningService::kForm).body);
  EXPECT_EQ(found[0]["language"], "en");

  service.translate(kAsked);
  const ClientReply classic = service.get("/metrics");
  EXPECT_EQ(classic.headers.at("content-type"), "text/plain; version=0.0.4; charset=utf-8");
  for (const char* const line :
       {"# TYPE verbund_serve_sentences_total counter", "verbund_serve_sentences_total 1",
        "verbund_serve_tokens_total 2", "verbund_serve_requests_total{path=\"/translate\",status=\"200\"} 1",
        "verbund_serve_translate_seconds_bucket{le=\"+Inf\"} 1", "verbund_serve_translate_seconds_count 1",
        "verbund_serve_model_step{model=\"en-de\",source=\"en\",target=\"de\"} 100"}) {
    EXPECT_NE(("\n" + classic.body).find(std::string("\n") + line + "\n"), std::string::npos) << line;
  }
  const ClientReply open = service.get("/metrics", "Host: localhost\r\nAccept: application/openmetrics-text\r\n");
  EXPECT_EQ(open.headers.at("content-type"), "application/openmetrics-text; version=1.0.0; charset=utf-8");
  EXPECT_NE(open.body.find("# TYPE verbund_serve_sentences counter\nverbund_serve_sentences_total 1\n"),
            std::string::npos);
  EXPECT_TRUE(open.body.ends_with("# EOF\n"));
}

TEST(TranslationService, BearsAnyRequest) {
  const RunningService service;
  const std::string json =
      R"({"q": ["<b>a</b> &amp; \u00e4", "b"], "source": "auto", "target": "de", "format": "html", "alternatives": 3})";
  const std::string form = "q=a%20b&q=%3Cb%3Ec&source=en&target=de&format=html&alternatives=2&stream=true&api_key=x";
  auto client = std::make_unique<HttpClient>(service.port());
  for (uint64_t i = 0; i < 10000; ++i) {
    Random random(10, i);
    const bool is_json = random.below(2) == 0;
    const std::string& whole = is_json ? json : form;
    std::string body = whole;
    for (uint64_t changes = 1 + random.below(4); changes > 0; --changes) {
      const size_t at = random.below(body.size());
      if (random.below(3) == 0) {
        body.erase(at, random.below(8));
      } else if (random.below(2) == 0) {
        body.insert(at, whole.substr(random.below(whole.size()), random.below(30)));
      } else {
        body[at] = static_cast<char>(random.below(256));
      }
      if (body.empty()) body = "{";
    }
    const ClientReply reply =
        client->ask("POST", "/translate", body, is_json ? RunningService::kJson : RunningService::kForm);
    ASSERT_TRUE(reply.status == 200 || reply.status == 400) << reply.status << " " << body;
  }
  EXPECT_EQ(service.translate(kAsked)["translatedText"], "HELLO");
}

}  // namespace
}  // namespace verbund
