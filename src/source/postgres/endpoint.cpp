#include "source/postgres/endpoint.h"

#include <algorithm>

#include "source/http/egress.h"
#include "source/postgres/name_lookup.h"

namespace pg_pull::postgres {
namespace {

std::vector<std::string> split_list(const std::string& list) {
    std::vector<std::string> parts;
    std::size_t begin = 0;
    while (true) {
        const auto comma = list.find(',', begin);
        parts.push_back(list.substr(begin, comma == std::string::npos ? comma : comma - begin));
        if (comma == std::string::npos) return parts;
        begin = comma + 1;
    }
}

std::string lower(std::string text) {
    std::transform(text.begin(), text.end(), text.begin(),
                   [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
    return text;
}

bool is_socket_folder(const std::string& host) { return host.empty() || host.front() == '/' || host.front() == '@'; }

/// What the options name, addresses not yet resolved. libpq's rules: lists run in parallel, one port serves all.
Result<std::vector<Endpoint>> named_endpoints(const Options& options) {
    const auto hosts = split_list(option(options, "host"));
    const auto addresses = split_list(option(options, "hostaddr"));
    const auto ports = split_list(option(options, "port"));
    const bool has_hosts = !option(options, "host").empty();
    const bool has_addresses = !option(options, "hostaddr").empty();
    const std::size_t count = has_addresses ? addresses.size() : hosts.size();
    if ((has_hosts && has_addresses && hosts.size() != addresses.size()) ||
        (ports.size() != 1 && ports.size() != count))
        return fail(Reason::invalid_configuration,
                    "config \"conninfo\" has lists of different length in host, hostaddr and port");
    std::vector<Endpoint> endpoints(count);
    for (std::size_t i = 0; i < count; ++i) {
        if (has_hosts) endpoints[i].host = hosts[i];
        if (has_addresses) endpoints[i].address = addresses[i];
        endpoints[i].port = ports.size() == 1 ? ports.front() : ports[i];
    }
    return endpoints;
}

/// Resolves and judges; collects what may be connected to, and the last refusal.
class Finder {
public:
    Finder(SourceContext& context, Millis timeout) : context_(context), timeout_(timeout) {}

    Result<void> add(const Endpoint& named) {
        if (named.address.empty() && is_socket_folder(named.host)) {
            found.push_back(named);
            return {};
        }
        // an address that stands beside a name was chosen by the owner: the name's entry in the allowed hosts is not for it
        const std::string& asked = named.address.empty() ? named.host : named.address;
        PG_PULL_ASSIGN(const auto addresses, look_up(asked, context_.waiter, context_.clock, timeout_));
        for (const std::string& address : addresses)
            judge({named.host.empty() ? address : named.host, address, named.port}, asked);
        return {};
    }

    std::vector<Endpoint> found;
    std::optional<Error> refused;

private:
    void judge(Endpoint endpoint, const std::string& asked) {
        const auto address = http::Address::parse(endpoint.address.substr(0, endpoint.address.find('%')));
        if (!address) return;
        const http::AllowedHosts public_only;
        const auto& allowed = context_.allowed_hosts != nullptr ? *context_.allowed_hosts : public_only;
        const auto why = http::deny_reason(allowed, lower(asked), *address, context_.private_addresses_allowed);
        if (why)
            refused = http::egress_error(asked, *address, *why);
        else
            found.push_back(std::move(endpoint));
    }

    SourceContext& context_;
    Millis timeout_;
};

}  // namespace

Result<std::vector<Endpoint>> find_endpoints(SourceContext& context, const std::string& connector,
                                             const Options& options, Millis timeout) {
    PG_PULL_ASSIGN(const auto named, named_endpoints(options));
    Finder finder(context, timeout);
    std::optional<Error> unresolved;
    for (const Endpoint& endpoint : named) {
        auto added = finder.add(endpoint);
        if (!added.ok()) unresolved = std::move(added).error();
    }
    if (!finder.found.empty()) return std::move(finder.found);
    if (finder.refused) return std::move(*finder.refused);
    if (unresolved) {
        unresolved->message = "could not connect to connector \"" + connector + "\": " + unresolved->message;
        return std::move(*unresolved);
    }
    return fail(Reason::network, "could not connect to connector \"" + connector + "\": its host has no address");
}

void apply_endpoints(const std::vector<Endpoint>& endpoints, Options& options) {
    std::string hosts;
    std::string addresses;
    std::string ports;
    for (const Endpoint& endpoint : endpoints) {
        const char* comma = &endpoint == &endpoints.front() ? "" : ",";
        hosts.append(comma).append(endpoint.host);
        addresses.append(comma).append(endpoint.address);
        ports.append(comma).append(endpoint.port);
    }
    set_option(options, "host", std::move(hosts));
    // a list of nothing but commas is none to libpq, and its entries must be numeric
    if (addresses.find_first_not_of(',') == std::string::npos) addresses.clear();
    set_option(options, "hostaddr", std::move(addresses));
    set_option(options, "port", std::move(ports));
}

bool drop_address(Options& options, const std::string& address) {
    auto named = named_endpoints(options);
    if (!named.ok() || address.empty()) return false;
    std::erase_if(*named, [&](const Endpoint& endpoint) { return endpoint.address == address; });
    if (named->empty()) return false;
    apply_endpoints(*named, options);
    return true;
}

}  // namespace pg_pull::postgres
