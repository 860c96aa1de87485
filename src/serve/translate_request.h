// SPDX-License-Identifier: Apache-2.0
// TranslateRequest is what a client of LibreTranslate's interface asks for, as JSON or as a form.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "http/server.h"

namespace verbund {

struct TranslateRequest {
  std::vector<std::string> texts;
  bool is_list = false;  // the answer is one, too
  std::string source, target, model;
  bool is_html = false;
  int64_t alternatives = 0;
  bool streams = false;
};

// BadRequest is answered with status 400.
class BadRequest : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// RequestFields are the named values of a request: those of a JSON object, or of a form and the query.
class RequestFields {
 public:
  // Fails with BadRequest.
  explicit RequestFields(const HttpRequest& request);

  bool has(const std::string& name) const { return values_.contains(name); }
  // One text. Fails if there is a list.
  std::string text(const std::string& name, const std::string& otherwise = "") const;
  const std::vector<std::string>& list(const std::string& name) const { return values_.at(name).texts; }
  bool is_list(const std::string& name) const { return values_.at(name).is_list; }

 private:
  struct Field {
    std::vector<std::string> texts;
    bool is_list = false;
  };
  std::map<std::string, Field> values_;
};

// Fails with BadRequest if something is missing or wrong.
TranslateRequest translate_request(const RequestFields& fields, const HttpRequest& request);

// "a=b+c&d=%41" -> a: "b c", d: "A"
std::multimap<std::string, std::string> parse_form(std::string_view text);

}  // namespace verbund
