// sync_connection_begin, _callback, _revoke: the door's functions that lead to a provider.

extern "C" {
#include "postgres.h"

#include "fmgr.h"
}

#include "core/oauth/fields.h"
#include "core/oauth/pkce.h"
#include "core/oauth/requests.h"
#include "pg/border.h"
#include "pg/call_arguments.h"
#include "pg/connections.h"
#include "pg/dormant.h"
#include "pg/function_arguments.h"
#include "pg/oauth_client.h"
#include "pg/package_store.h"
#include "pg/pending.h"
#include "pg/request.h"
#include "pg/revocation.h"
#include "pg/settings.h"

namespace pg_pull::pg {
namespace {

using nlohmann::json;

struct Begin {
    std::string name;
    std::string organization;
    std::optional<std::string> redirect_uri;
    std::optional<std::string> package;
    std::optional<std::vector<std::string>> scopes;
    json fields;
};

/// Judged here already, so that nobody is sent to a consent page in vain; the callback judges again.
Instance instance_to_begin(const Extension& extension, const Begin& begin) {
    Instance instance = address_instance(extension, begin.name, begin.package);
    require_door(extension, instance, begin.organization, current_role());
    require_enabled(extension, instance.package);
    require_per_connection(instance);
    const AuthConfig auth = instance.auth();
    if (!auth.oauth2 || auth.oauth2->grant != OAuth2Config::Grant::authorization_code)
        raise(fail(Reason::invalid_configuration, "connector " + in_quotes(begin.name) + " has no consent page")
                  .with_hint("Connect the organization with sync_connection_set()."));
    refuse_dormant(extension);
    (void)answering_connection(extension, instance, begin.organization, At::door);
    return instance;
}

std::string redirect_of(const Begin& begin, const AuthConfig& auth) {
    std::string uri = begin.redirect_uri.value_or(auth.oauth2->redirect_uri);
    if (uri.empty() && settings::redirect_uri != nullptr) uri = settings::redirect_uri;
    if (uri.empty())
        raise(fail(Reason::invalid_configuration, "no redirect_uri is known for connector " + in_quotes(begin.name))
                  .with_hint("Pass redirect_uri, or set auth \"redirect_uri\" or pg_pull.redirect_uri."));
    // RFC 6749 section 3.1.2: absolute, without a fragment
    const bool absolute = uri.find(':') != std::string::npos && uri.find(':') > 0;
    bool clean = absolute && uri.find('#') == std::string::npos;
    for (const char c : uri) clean = clean && static_cast<unsigned char>(c) > 0x20 && c != 0x7F;
    if (!clean)
        raise(fail(Reason::invalid_configuration, "the redirect_uri is not an absolute URI without a fragment"));
    return uri;
}

struct Prepared {
    std::int64_t connector_id = 0;
    std::optional<oauth::Client> client;
    Instance instance;
};

Prepared prepare_begin(const Begin& begin, const Clock& clock) {
    const Spi spi;
    const Extension extension = Extension::current();
    Prepared prepared;
    prepared.instance = instance_to_begin(extension, begin);
    prepared.connector_id = prepared.instance.entry.id;
    prepared.client = local_oauth_client(extension, clock, prepared.instance.entry);
    return prepared;
}

Datum connection_begin(FunctionCallInfo fcinfo) {
    const Arguments arguments(fcinfo);
    Begin begin;
    begin.name = arguments.text(0, "connector");
    begin.organization = arguments.organization(1, "organization");
    begin.redirect_uri = arguments.optional_text(2);
    begin.package = arguments.optional_package(3, "package");
    begin.scopes = arguments.optional_text_array(4, "scopes");
    begin.fields = arguments.optional_document(5, "fields").value_or(json::object());
    refuse_standby("sync_connection_begin()");
    refuse_read_only("sync_connection_begin()");
    TableResult result(fcinfo);
    const SystemClock clock;
    Prepared prepared = prepare_begin(begin, clock);
    if (!prepared.client) {
        (void)call_worker(RequestKind::discover, {{"connector_id", prepared.connector_id}}, begin.name);
        prepared = prepare_begin(begin, clock);
        if (!prepared.client)
            raise(fail(Reason::connector_degraded, "the authorization server of connector " + in_quotes(begin.name) +
                                                       " does not name its endpoints"));
    }
    const oauth::Client& client = *prepared.client;

    Pending pending;
    pending.organization = begin.organization;
    pending.package = prepared.instance.package;
    pending.connector = begin.name;
    pending.redirect_uri = redirect_of(begin, client.auth);
    pending.fields = unwrap(oauth::check_fields(client.auth, begin.fields));
    pending.scopes = begin.scopes.value_or(client.auth.oauth2->scopes);
    pending.verifier = Secret(oauth::make_verifier(random_bits));
    const std::string state = oauth::make_state(random_bits);
    pending.state_hash = oauth::hash_state(state);
    oauth::Holder holder;
    holder.fields = pending.fields;
    const std::string url = unwrap(oauth::authorization_url(client, holder, state, pending.verifier.reveal(),
                                                            pending.redirect_uri, pending.scopes));
    const Spi spi;
    const Extension extension = Extension::current();
    pending.requester = role_name(current_role());
    const std::string expires = store_pending(extension, pending);
    result.add({url, state, expires});
    return no_value();
}

/// An OAuth redirect is a GET, which PostgREST runs read-only: the worker writes.
Datum connection_callback(FunctionCallInfo fcinfo) {
    const Arguments arguments(fcinfo);
    json request{{"state", arguments.text(0, "state")},
                 {"code", nullable(arguments.optional_text(1))},
                 {"iss", nullable(arguments.optional_text(2))},
                 {"error", nullable(arguments.optional_text(3))},
                 {"error_description", nullable(arguments.optional_text(4))},
                 {"params", arguments.optional_document(5, "params").value_or(json::object())}};
    refuse_standby("sync_connection_callback()");
    TableResult result(fcinfo);
    const json row = call_worker(RequestKind::callback, request, "callback");
    result.add({optional_text(row.at("connection_id")), optional_text(row.at("organization_id")),
                optional_text(row.at("package_id")), optional_text(row.at("connector")),
                optional_text(row.at("status")), optional_text(row.at("account"))});
    return no_value();
}

/// Within the caller's transaction, where no provider is to be told.
bool revoke_here(TableResult& result, const std::string& name, const std::string& organization,
                 const std::optional<std::string>& package) {
    const Spi spi;
    const Extension extension = Extension::current();
    const Instance before = address_instance(extension, name, package);
    require_door(extension, before, organization, current_role());
    require_per_connection(before);
    if (declares_revocation(before.auth())) {
        (void)rows_to_revoke(extension, before, organization);  // refused here already, before a worker is started
        return false;
    }
    lock_connection(name, organization);
    const Instance instance = address_instance(extension, name, package);
    require_door(extension, instance, organization, current_role());
    for (const auto& row : revoke_rows(extension, nullptr, rows_to_revoke(extension, instance, organization)))
        result.add({row.connection_id, row.package, "not_declared"});
    return true;
}

Datum connection_revoke(FunctionCallInfo fcinfo) {
    const Arguments arguments(fcinfo);
    const std::string name = arguments.text(0, "connector");
    const std::string organization = arguments.organization(1, "organization");
    const auto package = arguments.optional_package(2, "package");
    refuse_standby("sync_connection_revoke()");
    refuse_read_only("sync_connection_revoke()");
    TableResult result(fcinfo);
    if (revoke_here(result, name, organization, package)) return no_value();
    const json answer =
        call_worker(RequestKind::revoke,
                    {{"connector", name}, {"organization", organization}, {"package", nullable(package)}}, name);
    for (const json& row : answer.at("rows"))
        result.add({optional_text(row.at("connection_id")), optional_text(row.at("package_id")),
                    optional_text(row.at("remote"))});
    return no_value();
}

}  // namespace
}  // namespace pg_pull::pg

PG_PULL_FUNCTION(sync_connection_begin, pg_pull::pg::connection_begin)
PG_PULL_FUNCTION(sync_connection_callback, pg_pull::pg::connection_callback)
PG_PULL_FUNCTION(sync_connection_revoke, pg_pull::pg::connection_revoke)
