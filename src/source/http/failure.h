#pragma once

#include <curl/curl.h>

#include <string>

#include "core/base/http.h"
#include "source/http/socket_gate.h"

namespace pg_pull::http {

/// What is known of an exchange that libcurl gave up.
struct Broken {
    CURLcode code = CURLE_OK;
    long os_error = 0;
    std::string curl_text;  ///< libcurl's own words, may be empty
    std::string peer;       ///< host:port
    bool request_left = false;
    Millis connect_timeout{0};
    const Passage* passage = nullptr;
};

/// In our words. Which of them may pass by waiting: all of the line, none of the configuration (certificates, addresses).
/// Throws bad_alloc where libcurl ran out of memory.
[[nodiscard]] HttpFailure failure_of(const Broken& broken);

/// No complete answer within the request's timeout, or no byte for the stall timeout.
[[nodiscard]] HttpFailure timeout_failure(const std::string& peer, Millis limit, bool stalled, bool request_left);

/// "30 s", "1.5 s", "250 ms".
[[nodiscard]] std::string shown_duration(Millis duration);

}  // namespace pg_pull::http
