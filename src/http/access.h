// SPDX-License-Identifier: Apache-2.0
// Access rules refuse requests that other web pages make a browser send (DNS rebinding, cross-site requests), and those
// without the token.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "http/server.h"

namespace verbund {

// Compares in a time that does not depend on where they differ.
bool same_secret(std::string_view given, std::string_view secret);

// Percent-encoded, for a URL or a cookie.
std::string encoded(const std::string& text);

// The secret of "Authorization: Bearer SECRET"; "" if there is none.
std::string bearer_secret(const HttpRequest& request);

// The answer that refuses the request, or that turns ?token= into a cookie; nothing: a handler may answer it. `port` is
// the one the server listens at.
std::optional<HttpResponse> refuse_access(const HttpRequest& request, const HttpServerConfig& config, int port);

// The origin of the request, if it is a foreign one that may read the answer; "" otherwise.
std::string allowed_foreign_origin(const HttpRequest& request, const HttpServerConfig& config);

}  // namespace verbund
