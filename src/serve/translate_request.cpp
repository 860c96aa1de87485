// SPDX-License-Identifier: Apache-2.0
#include "serve/translate_request.h"

#include <fmt/format.h>

#include <charconv>

#include "core/json.h"
#include "core/utf8.h"

namespace verbund {
namespace {

constexpr int64_t kMaxAlternatives = 100;

std::string form_text(std::string_view text) {
  std::string result;
  for (size_t i = 0; i < text.size(); ++i) {
    uint8_t byte = 0;
    if (text[i] == '%' && i + 2 < text.size() &&
        std::from_chars(text.data() + i + 1, text.data() + i + 3, byte, 16).ptr == text.data() + i + 3) {
      result += static_cast<char>(byte);
      i += 2;
    } else {
      result += text[i] == '+' ? ' ' : text[i];
    }
  }
  return result;
}

std::string field_text(const std::string& name, const Json& value) {
  if (value.is_string()) return value.get<std::string>();
  if (value.is_number() || value.is_boolean()) return dump_json(value);
  throw BadRequest(fmt::format("Invalid request: {} is neither a text nor a list of texts", name));
}

bool is_true(const std::string& text) { return text == "true" || text == "1" || text == "True"; }

}  // namespace

std::multimap<std::string, std::string> parse_form(std::string_view text) {
  std::multimap<std::string, std::string> values;
  while (!text.empty()) {
    const std::string_view pair = text.substr(0, text.find('&'));
    text.remove_prefix(std::min(pair.size() + 1, text.size()));
    const size_t equals = pair.find('=');
    if (pair.empty()) continue;
    values.emplace(form_text(pair.substr(0, equals)),
                   equals == std::string_view::npos ? "" : form_text(pair.substr(equals + 1)));
  }
  return values;
}

RequestFields::RequestFields(const HttpRequest& request) {
  const auto add_form = [&](const std::multimap<std::string, std::string>& values) {
    for (const auto& [name, value] : values) {
      Field& field = values_[name];
      field.is_list = !field.texts.empty();
      field.texts.push_back(value);
    }
  };
  const std::string type = request.header("content-type");
  if (type.find("multipart/") != std::string::npos) {
    throw BadRequest("Invalid request: send JSON (Content-Type: application/json) or a form that is URL-encoded");
  }
  if (type.find("json") != std::string::npos) {
    constexpr size_t kMaxKeys = 100;
    const Json json = try_parse_json(request.body, kMaxKeys);
    if (!json.is_object()) throw BadRequest("Invalid JSON format: an object is expected");
    for (const auto& [name, value] : json.items()) {
      if (value.is_null()) continue;
      Field& field = values_[name];
      field.is_list = value.is_array();
      if (!field.is_list) {
        field.texts = {field_text(name, value)};
        continue;
      }
      for (const Json& each : value) field.texts.push_back(field_text(name, each));
    }
  } else {
    add_form(parse_form(request.body));
    add_form(request.query);
  }
  for (const auto& [name, field] : values_) {
    for (const std::string& text : field.texts) {
      if (!is_utf8(text)) throw BadRequest("Invalid request: a value is not valid UTF-8");
    }
  }
}

std::string RequestFields::text(const std::string& name, const std::string& otherwise) const {
  const auto found = values_.find(name);
  if (found == values_.end()) return otherwise;
  if (found->second.is_list) throw BadRequest(fmt::format("Invalid request: {} is a list", name));
  return found->second.texts.front();
}

TranslateRequest translate_request(const RequestFields& fields, const HttpRequest& request) {
  TranslateRequest result;
  for (const char* const name : {"q", "source", "target"}) {
    if (!fields.has(name) && !(fields.has("model") && *name != 'q')) {
      throw BadRequest(fmt::format("Invalid request: missing {} parameter", name));
    }
  }
  result.texts = fields.list("q");
  result.is_list = fields.is_list("q");
  result.source = fields.text("source", "auto");
  result.target = fields.text("target");
  result.model = fields.text("model");
  const std::string format = fields.text("format", "text");
  if (format != "text" && format != "html") {
    throw BadRequest(fmt::format("Invalid request: format {} is neither text nor html", format));
  }
  result.is_html = format == "html";
  const std::string alternatives = fields.text("alternatives", "0");
  const auto [end, error] =
      std::from_chars(alternatives.data(), alternatives.data() + alternatives.size(), result.alternatives);
  if (error != std::errc() || *end != '\0' || result.alternatives < 0 || result.alternatives > kMaxAlternatives) {
    throw BadRequest(fmt::format("Invalid request: alternatives must be a number from 0 to {}", kMaxAlternatives));
  }
  result.streams =
      is_true(fields.text("stream")) || request.header("accept").find("text/event-stream") != std::string::npos;
  return result;
}

}  // namespace verbund
