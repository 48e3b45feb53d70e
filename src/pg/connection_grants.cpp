#include "pg/connection_grants.h"

#include "pg/border.h"
#include "pg/connections.h"
#include "pg/credentials.h"
#include "pg/dormant.h"
#include "pg/oauth_client.h"
#include "pg/package_store.h"
#include "pg/token_refresh.h"
#include "pg/xact.h"

namespace pg_pull::pg {

namespace {

void refuse_unusable(const ConnectionRow& row) {
    if (row.status != "reconnect_required") return;
    const bool in_doubt = row.status_reason == "refresh_in_doubt";
    raise(fail(in_doubt ? Reason::refresh_in_doubt : Reason::reconnect_required,
               "connection of organization " + in_quotes(row.organization) + " to connector " +
                   in_quotes(row.connector) + " must be connected again")
              .with_detail("Reason: " + row.status_reason.value_or("unknown") +
                           (row.last_error ? ". " + *row.last_error : std::string()))
              .with_hint("Connect again with sync_connection_begin() or sync_connection_set()."));
}

ConnectionRow answering_row_for_dispatch(const Extension& extension, const Instance& instance,
                                         const std::string& organization) {
    auto row = answering_connection(extension, instance, organization, At::dispatch);
    if (!row)
        raise(fail(Reason::not_connected, "organization " + in_quotes(organization) +
                                              " is not connected to connector " + in_quotes(instance.facts.name))
                  .with_hint("Connect it with sync_connection_begin() or sync_connection_set()."));
    refuse_unusable(*row);
    return *std::move(row);
}

}  // namespace

ConnectionGrants::ConnectionGrants(WorkerContext& context, SourceContext& source, const ConnectorRow& connector,
                                   std::optional<std::string> organization, unsigned role)
    : context_(context),
      source_(source),
      connector_(connector),
      auth_(unwrap(parse_auth(connector.auth))),
      organization_(std::move(organization)),
      role_(role) {}

ConnectionGrants::~ConnectionGrants() = default;

oauth::Client& ConnectionGrants::client() {
    if (!client_) client_ = std::make_unique<oauth::Client>(make_oauth_client(context_, source_, connector_));
    return *client_;
}

/// Judges anew: entry, holders, rows, rights.
std::unique_ptr<TokenHolder> ConnectionGrants::find_holder(const Extension& extension) {
    refuse_dormant_server();
    const Instance instance = instance_of_entry(extension, load_connector(extension, connector_.id));
    require_enabled(extension, instance.package);
    require_use(extension, instance.entry, role_);
    if (!auth_.per_connection) return connector_holder(connector_);
    if (!organization_) organization_ = only_organization(extension, instance, role_);
    require_organization(extension, *organization_, role_);
    const ConnectionRow row = answering_row_for_dispatch(extension, instance, *organization_);
    connection_id_ = row.id;
    return connection_holder(row);
}

Grant ConnectionGrants::fixed(const OwnCredential& own, TokenRecord record) {
    Grant grant;
    grant.credential = own.secret;
    grant.username = own.username;
    grant.fields = std::move(record.fields);
    grant.generation = record.generation;
    return grant;
}

Grant ConnectionGrants::token(TokenHolder& holder, TokenRecord record, std::optional<std::int64_t> refused) {
    const bool refused_this = refused && record.generation <= *refused;
    if (refused_this || !is_fresh(client(), record, source_.clock.now()))
        record = refresh_token(context_, source_, client(), connector_, holder, refused_this ? refused : std::nullopt);
    Grant grant;
    grant.credential = std::move(record.token);
    grant.fields = std::move(record.fields);
    grant.generation = record.generation;
    return grant;
}

Grant ConnectionGrants::grant(std::optional<std::int64_t> refused) {
    std::unique_ptr<TokenHolder> holder;
    std::optional<TokenRecord> record;
    OwnCredential own;
    {
        Transaction transaction;
        const Extension extension = context_.checked_extension();
        holder = find_holder(extension);
        record = holder->read(extension);
        if (!record) raise(fail(Reason::not_connected, holder->what() + " was removed meanwhile"));
        own = record->own;
        if (own.reference) own.secret = resolve_credential(extension, connector_.owner, *own.reference);
        record->own.secret = own.secret;
        transaction.commit();
    }
    source_.redactor.add(record->token);
    source_.redactor.add(own.secret);
    if (!auth_.can_refresh()) return fixed(own, *std::move(record));
    return token(*holder, *std::move(record), refused);
}

Grant ConnectionGrants::current() { return grant(std::nullopt); }
Grant ConnectionGrants::renewed(std::int64_t generation) { return grant(generation); }

}  // namespace pg_pull::pg
