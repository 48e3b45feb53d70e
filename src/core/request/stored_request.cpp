#include "core/request/stored_request.h"

#include <nlohmann/json.hpp>

namespace pg_pull {
namespace {

using nlohmann::json;

json packed_request(const HttpRequest& request) {
    return {{"method", request.method},
            {"url", request.url},
            {"headers", request.headers},
            {"credential_headers", request.credential_headers},
            {"credential_in_url_or_body", request.credential_in_url_or_body},
            {"credential_origins", request.credential_origins},
            {"body", request.body},
            {"ca", request.tls.ca},
            {"client_cert", std::string(request.tls.client_cert.reveal())},
            {"client_key", std::string(request.tls.client_key.reveal())},
            {"max_redirects", request.max_redirects},
            {"private_addresses_allowed", request.private_addresses_allowed}};
}

HttpRequest unpacked_request(const json& packed) {
    HttpRequest request;
    packed.at("method").get_to(request.method);
    packed.at("url").get_to(request.url);
    packed.at("headers").get_to(request.headers);
    packed.at("credential_headers").get_to(request.credential_headers);
    packed.at("credential_in_url_or_body").get_to(request.credential_in_url_or_body);
    packed.at("credential_origins").get_to(request.credential_origins);
    packed.at("body").get_to(request.body);
    packed.at("ca").get_to(request.tls.ca);
    request.tls.client_cert = Secret(packed.at("client_cert").get<std::string>());
    request.tls.client_key = Secret(packed.at("client_key").get<std::string>());
    packed.at("max_redirects").get_to(request.max_redirects);
    packed.at("private_addresses_allowed").get_to(request.private_addresses_allowed);
    return request;
}

}  // namespace

Secret pack_requests(const std::vector<HttpRequest>& requests) {
    json list = json::array();
    for (const auto& request : requests) list.push_back(packed_request(request));
    return Secret(list.dump(-1, ' ', false, json::error_handler_t::replace));
}

Result<std::vector<HttpRequest>> unpack_requests(const Secret& packed) {
    std::vector<HttpRequest> requests;
    try {
        for (const auto& request : json::parse(packed.reveal())) requests.push_back(unpacked_request(request));
    } catch (const json::exception&) {
        return fail(Reason::invalid_configuration, "a stored request cannot be read");
    }
    return requests;
}

}  // namespace pg_pull
