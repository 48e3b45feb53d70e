#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "core/base/error.h"
#include "core/base/http.h"

namespace pg_pull::http {

/// Is this an answer that sends the client elsewhere (RFC 9110 section 15.4, with a Location)?
[[nodiscard]] bool is_redirect(int status, const Headers& headers) noexcept;

/// Turns `request` into the one that the redirect asks for:
/// - 303 makes it a GET (HEAD stays), 301 and 302 do so for POST only, 307 and 308 repeat it; a GET that was made loses the
///   body and the headers that describe it;
/// - a credential header stays in the request, to be sent only where its origins say so (see credentials_go_to);
/// - refused (egress_denied): from https to http, and another origin while the credential stands in URL or body;
/// - refused (upstream_not_ok): a Location that is no http(s) URL.
/// Counting hops is the caller's business.
Result<HttpRequest> follow(HttpRequest request, int status, std::string_view location);

/// May the request's credentials be sent to the origin of its URL?
[[nodiscard]] bool credentials_go_to(const HttpRequest& request, std::string_view origin) noexcept;

/// Refuses a request that would take credentials to an origin they are not meant for (egress_denied): for its first URL, where
/// leaving them out in silence would only bring a puzzling 401.
Result<void> check_first_origin(const HttpRequest& request, std::string_view origin);

/// `scheme://host:port/path`: what may be shown of a URL. Its query may hold secrets.
[[nodiscard]] std::string shown_url(std::string_view url);

}  // namespace pg_pull::http
