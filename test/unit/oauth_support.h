#pragma once

#include <map>
#include <string>

#include <nlohmann/json.hpp>

#include "core/base/url.h"
#include "core/oauth/client.h"
#include "core/oauth/requests.h"
#include "core/oauth/token_answer.h"
#include "unit/request_support.h"

namespace pg_pull::test {

/// 2024-05-01T10:20:30Z; a generator that counts, so that results can be compared.
struct OAuthFixture {
    FrozenClock clock{"2024-05-01T10:20:30Z"};
    std::uint64_t counter = 0;

    /// `auth` over the five lines of a normal provider; null takes a line away.
    static nlohmann::json normal(nlohmann::json auth = nlohmann::json::object()) {
        nlohmann::json base = {{"type", "oauth2"},
                               {"authorize", "https://acme.example/authorize"},
                               {"token", "https://acme.example/token"},
                               {"client_id", "id1"},
                               {"credential_ref", "ACME"}};
        base.merge_patch(auth);
        return base;
    }

    oauth::Client client(const nlohmann::json& auth,
                         const nlohmann::json& config = {{"base_url", "https://api.acme.example/v1"}}) {
        oauth::Client made;
        made.connector = "acme";
        made.config = got(parse_rest_config(config));
        made.auth = got(parse_auth(auth));
        made.document = config;
        made.secret = Secret("s3cret");
        made.clock = &clock;
        made.random = [this] { return ++counter * 0x9E3779B97F4A7C15ULL; };
        return made;
    }
    oauth::Client oauth(const nlohmann::json& auth = nlohmann::json::object()) { return client(normal(auth)); }
};

inline oauth::Holder holder_of(const char* token = "at-1", const char* refresh_token = "rt-1") {
    oauth::Holder holder;
    holder.token = Secret(token);
    holder.refresh_token = Secret(refresh_token);
    return holder;
}

using Pairs = std::map<std::string, std::string>;

inline Pairs query_of(const std::string& url) {
    Pairs pairs;
    auto parsed = parse_url(url);
    if (parsed.ok())
        for (const auto& [key, value] : query_parameters(*parsed)) pairs[key] = value;
    return pairs;
}

inline Pairs form_of(const HttpRequest& request) {
    std::string body = request.body;
    for (char& c : body)
        if (c == '+') c = ' ';
    return query_of("https://x.example/?" + body);
}

inline std::string header_of(const HttpRequest& request, std::string_view name) {
    for (const auto* headers : {&request.headers, &request.credential_headers})
        for (const auto& [key, value] : *headers)
            if (key == name) return value;
    return "(none)";
}

inline HttpResponse answer(std::string body, int status = 200, const char* type = "application/json") {
    HttpResponse response;
    response.status = status;
    response.headers = {{"content-type", type}};
    response.body = std::move(body);
    return response;
}

}  // namespace pg_pull::test
