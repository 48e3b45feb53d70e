#include "source/http/failure.h"

#include <cstring>
#include <new>
#include <utility>

namespace pg_pull::http {
namespace {

HttpFailure network(std::string message, bool may_retry, const Broken& broken) {
    Error error = fail(Reason::network, std::move(message));
    return {std::move(error), may_retry, !broken.request_left};
}

std::string cause(const Broken& broken) {
    if (broken.os_error != 0) return std::string(": ") + strerrordesc_np(static_cast<int>(broken.os_error));
    return {};
}

/// libcurl's text as a sentence of a detail.
std::string sentence(const std::string& text) {
    if (text.empty()) return {};
    return text.ends_with('.') ? text : text + '.';
}

HttpFailure not_connected(const Broken& broken) {
    const bool refused_by_us = broken.code == CURLE_ABORTED_BY_CALLBACK || !broken.passage->opened;
    if (broken.passage->denied && refused_by_us) return {*broken.passage->denied, false, true};
    return network("could not connect to " + broken.peer + cause(broken), true, broken);
}

HttpFailure broken_line(const Broken& broken) {
    HttpFailure failure = network("connection to " + broken.peer + " broke off" + cause(broken), true, broken);
    failure.error.detail = sentence(broken.curl_text);
    return failure;
}

HttpFailure not_secure(const Broken& broken, bool may_retry) {
    HttpFailure failure = network("could not open a secure connection to " + broken.peer, may_retry, broken);
    failure.error.detail = sentence(broken.curl_text);
    failure.error.hint = may_retry ? "" : "Check the certificates: the server's, and those in the connector's tls.";
    return failure;
}

HttpFailure not_http(const Broken& broken) {
    Error error = fail(Reason::upstream_not_ok, broken.peer + " did not answer in HTTP");
    error.detail = sentence(broken.curl_text);
    return {std::move(error), false, false};
}

HttpFailure anything_else(const Broken& broken) {
    HttpFailure failure = network("request to " + broken.peer + " failed", false, broken);
    failure.error.detail = sentence(broken.curl_text.empty() ? curl_easy_strerror(broken.code) : broken.curl_text);
    return failure;
}

}  // namespace

HttpFailure failure_of(const Broken& broken) {
    switch (broken.code) {
        case CURLE_OUT_OF_MEMORY:
            throw std::bad_alloc();
        case CURLE_COULDNT_RESOLVE_HOST:
            return network("could not resolve the name of " + broken.peer, true, broken);
        case CURLE_ABORTED_BY_CALLBACK:  // a kept connection to an address that this request may not reach
        case CURLE_COULDNT_CONNECT:
            return not_connected(broken);
        case CURLE_OPERATION_TIMEDOUT:  // only the connect timeout is libcurl's
            return network("could not connect to " + broken.peer + " within " + shown_duration(broken.connect_timeout),
                           true, broken);
        case CURLE_SSL_CONNECT_ERROR:
            return not_secure(broken, true);
        case CURLE_PEER_FAILED_VERIFICATION:
        case CURLE_SSL_CACERT_BADFILE:
        case CURLE_SSL_CERTPROBLEM:
        case CURLE_SSL_CIPHER:
        case CURLE_SSL_ISSUER_ERROR:
            return not_secure(broken, false);
        case CURLE_GOT_NOTHING:
            return network(broken.peer + " closed the connection without an answer", true, broken);
        case CURLE_PARTIAL_FILE: {
            HttpFailure failure = network("answer of " + broken.peer + " is cut short", true, broken);
            failure.error.detail = sentence(broken.curl_text);
            return failure;
        }
        case CURLE_SEND_ERROR:
        case CURLE_RECV_ERROR:
            return broken_line(broken);
        case CURLE_BAD_CONTENT_ENCODING:
            return network("answer of " + broken.peer + " could not be decompressed", true, broken);
        case CURLE_UNSUPPORTED_PROTOCOL:
        case CURLE_WEIRD_SERVER_REPLY:
            return not_http(broken);
        default:
            return anything_else(broken);
    }
}

HttpFailure timeout_failure(const std::string& peer, Millis limit, bool stalled, bool request_left) {
    const std::string what = stalled ? " sent nothing for " : " did not answer completely within ";
    return {fail(Reason::network, peer + what + shown_duration(limit)), true, !request_left};
}

std::string shown_duration(Millis duration) {
    const auto millis = duration.count();
    if (millis % 1000 == 0) return std::to_string(millis / 1000) + " s";
    if (millis < 1000) return std::to_string(millis) + " ms";
    std::string text = std::to_string(millis / 1000) + "." + std::to_string(1000 + millis % 1000).substr(1);
    text.erase(text.find_last_not_of('0') + 1);
    return text + " s";
}

}  // namespace pg_pull::http
