extern "C" {
#include "postgres.h"

#include "miscadmin.h"
}

#include "pg/border.h"
#include "pg/connection_grants.h"
#include "pg/credentials.h"
#include "pg/dormant.h"
#include "pg/fdw_source.h"
#include "pg/oauth_client.h"
#include "pg/settings.h"
#include "pg/source_session.h"
#include "pg/xact.h"
#include "source/http/curl_client.h"
#include "source/http/egress.h"

namespace pg_pull::pg {
namespace {

/// A reference is resolved when the source asks for it, in a short transaction of its own.
Secret credential(WorkerContext& context, const std::string& owner, const std::string& reference) {
    Transaction transaction;
    const Extension extension = context.checked_extension();
    Secret secret = resolve_credential(extension, owner, reference);
    transaction.commit();
    return secret;
}

struct OwnerTraits {
    bool superuser = false;
};

OwnerTraits traits_of(WorkerContext& context, const ConnectorRow& connector) {
    Transaction transaction;
    context.checked_extension();
    const Oid owner = owner_oid(connector.owner, "connector \"" + connector.name + "\"");
    OwnerTraits traits;
    traits.superuser = call([owner] { return superuser_arg(owner); });
    transaction.commit();
    return traits;
}

}  // namespace

struct SourceSession::Impl {
    Impl(WorkerContext& worker, ConnectorRow row, unsigned reading_owner, RunCounters& counters,
         const std::optional<std::string>& organization, const std::string& run_id)
        : worker_context(worker),
          connector(std::move(row)),
          owner(reading_owner),
          allowed_hosts(unwrap(http::AllowedHosts::parse(settings::allowed_hosts))),
          http(worker.waiter(), clock, allowed_hosts),
          rate(worker, clock, connector.id, ""),
          source_context{clock, worker.waiter(), http,         rate,    redactor, counters, random_bits,
                         {},    run_id,          organization, nullptr, false} {
        source_context.private_addresses_allowed = traits_of(worker, connector).superuser;
        source_context.allowed_hosts = &allowed_hosts;
        source_context.credential = [this](const std::string& reference) {
            return credential(worker_context, connector.owner, reference);
        };
        if (!unwrap(parse_auth(connector.auth)).needs_grant()) return;
        grants = std::make_unique<ConnectionGrants>(worker_context, source_context, connector, organization, owner);
        source_context.grants = grants.get();
    }

    WorkerContext& worker_context;
    ConnectorRow connector;
    unsigned owner;
    SystemClock clock;
    http::AllowedHosts allowed_hosts;
    http::CurlClient http;
    TableRateLimiter rate;
    Redactor redactor;
    SourceContext source_context;
    std::unique_ptr<ConnectionGrants> grants;
};

SourceSession::SourceSession(WorkerContext& context, ConnectorRow connector, unsigned owner, RunCounters& counters,
                             const std::optional<std::string>& organization, const std::string& run_id) {
    refuse_dormant_server();
    impl_ = std::make_unique<Impl>(context, std::move(connector), owner, counters, organization, run_id);
}

SourceSession::~SourceSession() = default;

std::unique_ptr<Source> SourceSession::open(SourceRequest request) {
    const ConnectorRow& connector = impl_->connector;
    request.connector = connector.name;
    request.provider = connector.provider;
    request.config = connector.config;
    request.auth = connector.auth;
    if (connector.provider == "fdw")
        return open_fdw_source(impl_->worker_context, impl_->owner, request, impl_->source_context.counters);
    const Provider* provider = find_provider(connector.provider);
    if (provider == nullptr || provider->open == nullptr)
        raise(Error{Reason::none,
                    "0A000",
                    "provider \"" + connector.provider + "\" of connector \"" + connector.name +
                        "\" is not supported by this version",
                    {},
                    {}});
    return unwrap(provider->open(impl_->source_context, request));
}

ConnectionGrants* SourceSession::grants() { return impl_->grants.get(); }
SourceContext& SourceSession::context() { return impl_->source_context; }
const ConnectorRow& SourceSession::connector() const { return impl_->connector; }

}  // namespace pg_pull::pg
