#include "source/http/redirect.h"

#include <algorithm>

#include "core/base/encoding.h"
#include "core/base/url.h"

namespace pg_pull::http {
namespace {

bool becomes_get(int status, std::string_view method) {
    if (method == "GET" || method == "HEAD") return false;
    return status == 303 || ((status == 301 || status == 302) && method == "POST");
}

void drop_body(HttpRequest& request) {
    request.method = "GET";
    request.body.clear();
    const auto describes_body = [](const auto& header) { return ascii_lower(header.first).starts_with("content-"); };
    std::erase_if(request.headers, describes_body);
    std::erase_if(request.credential_headers, describes_body);
}

Error refused(const std::string& why, const Url& from, const Url& to) {
    return fail(Reason::egress_denied, "redirect from " + from.origin() + " to " + to.origin() + " is refused")
        .with_detail(why)
        .with_hint("Give the connector the address at which the redirects end.");
}

}  // namespace

bool is_redirect(int status, const Headers& headers) noexcept {
    if (status != 301 && status != 302 && status != 303 && status != 307 && status != 308) return false;
    return std::any_of(headers.begin(), headers.end(), [](const auto& header) { return header.first == "location"; });
}

Result<HttpRequest> follow(HttpRequest request, int status, std::string_view location) {
    PG_PULL_ASSIGN(const Url from, parse_url(request.url));
    auto target = resolve(from, location);
    if (!target.ok())
        return fail(Reason::upstream_not_ok,
                    "redirect of " + from.origin() + " does not lead to an http or https address")
            .with_detail("Status " + std::to_string(status) + ", requested " + shown_url(request.url) + ".");
    const Url& to = target.value();
    if (from.scheme == "https" && to.scheme == "http") return refused("It leads from https to http.", from, to);
    if (request.credential_in_url_or_body && to.origin() != from.origin())
        return refused("The request holds a credential in its URL or body.", from, to);
    if (becomes_get(status, request.method)) drop_body(request);
    request.url = to.to_string();
    return request;
}

bool credentials_go_to(const HttpRequest& request, std::string_view origin) noexcept {
    return std::find(request.credential_origins.begin(), request.credential_origins.end(), origin) !=
           request.credential_origins.end();
}

Result<void> check_first_origin(const HttpRequest& request, std::string_view origin) {
    if (request.credential_headers.empty() && !request.credential_in_url_or_body) return {};
    if (credentials_go_to(request, origin)) return {};
    return fail(Reason::egress_denied, "credential may not be sent to " + std::string(origin))
        .with_hint("Add the origin to the connector's origins.");
}

std::string shown_url(std::string_view url) {
    const auto parsed = parse_url(url);
    return parsed.ok() ? parsed->origin() + parsed->path : std::string("an address that is no URL");
}

}  // namespace pg_pull::http
