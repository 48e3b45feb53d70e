#include "pg/oauth_client.h"

#include <random>

#include "core/json/document.h"
#include "core/oauth/discovery.h"
#include "core/oauth/requests.h"
#include "pg/border.h"
#include "pg/credentials.h"
#include "pg/xact.h"

namespace pg_pull::pg {
namespace {

using nlohmann::json;

oauth::Client plain_client(const Clock& clock, const ConnectorRow& connector) {
    oauth::Client client;
    client.connector = connector.name;
    client.config = unwrap(parse_rest_config(connector.config));
    client.auth = unwrap(parse_auth(connector.auth));
    client.document = connector.config;
    client.document["name"] = connector.name;
    client.clock = &clock;
    client.random = random_bits;
    client.tls.ca = client.config.tls_ca;
    return client;
}

Secret secret_of(const Extension& extension, const ConnectorRow& connector, const std::string& reference) {
    return reference.empty() ? Secret() : resolve_credential(extension, connector.owner, reference);
}

void resolve_secrets(const Extension& extension, const ConnectorRow& connector, oauth::Client& client) {
    client.secret = secret_of(extension, connector, client.auth.credential_ref);
    client.tls.client_cert = secret_of(extension, connector, client.config.tls_client_cert_ref);
    client.tls.client_key = secret_of(extension, connector, client.config.tls_client_key_ref);
    client.private_addresses_allowed =
        is_superuser(owner_oid(connector.owner, "connector " + in_quotes(connector.name)));
}

std::optional<oauth::Discovery> fetched_before(const Extension& extension, const ConnectorRow& connector,
                                               const oauth::Client& client) {
    const Rows rows = catalog_query_latest(
        extension,
        "SELECT d.document FROM " + extension.relation("sync_discovery_store") +
            " d WHERE d.connector_id = $1 AND d.fetched_at > pg_catalog.clock_timestamp() - interval '1 day'",
        {int8(connector.id)});
    if (rows.empty()) return std::nullopt;
    auto parsed = oauth::parse_discovery(unwrap(parse_document(rows.one().value())), oauth::issuer_asked(client.auth));
    if (!parsed.ok()) return std::nullopt;  // the issuer was changed since
    return std::move(parsed).value();
}

/// The document of the authorization server, stored for others.
void discover(WorkerContext& context, SourceContext& source, const ConnectorRow& connector, oauth::Client& client,
              HttpRequest request) {
    const std::string name = "authorization server of connector " + in_quotes(connector.name);
    ++source.counters.requests;
    HttpOutcome outcome = source.http.send(std::move(request));
    if (const auto* failure = std::get_if<HttpFailure>(&outcome)) {
        Error error = failure->error;
        error.message = source.redactor.redact("the document of the " + name + " could not be read: " + error.message);
        raise(std::move(error));
    }
    const auto& response = std::get<HttpResponse>(outcome);
    const json document = json::parse(response.body, nullptr, false);
    if (response.status != 200 || !document.is_object())
        raise(fail(Reason::upstream_not_ok, "the document of the " + name + " could not be read")
                  .with_detail("It answered with status " + std::to_string(response.status) + ".")
                  .with_hint("Check auth \"discovery\" or \"issuer\" of the connector."));
    client.discovery = unwrap(oauth::parse_discovery(document, oauth::issuer_asked(client.auth)));
    Transaction transaction;
    const Extension extension = context.checked_extension();
    catalog_execute(extension,
                    "INSERT INTO " + extension.relation("sync_discovery_store") +
                        " (connector_id, document, fetched_at) SELECT c.connector_id, $2::jsonb, "
                        "pg_catalog.clock_timestamp() FROM " +
                        extension.relation("sys_sync_connector") +
                        " c WHERE c.connector_id = $1 ON CONFLICT (connector_id) DO UPDATE SET document = "
                        "EXCLUDED.document, fetched_at = EXCLUDED.fetched_at",
                    {int8(connector.id), text(document.dump())});
    transaction.commit();
}

}  // namespace

std::uint64_t random_bits() {
    std::random_device device;
    return (static_cast<std::uint64_t>(device()) << 32U) | device();
}

oauth::Client make_oauth_client(WorkerContext& context, SourceContext& source, const ConnectorRow& connector) {
    oauth::Client client = plain_client(source.clock, connector);
    {
        Transaction transaction;
        const Extension extension = context.checked_extension();
        resolve_secrets(extension, connector, client);
        client.discovery = fetched_before(extension, connector, client);
        transaction.commit();
    }
    source.redactor.add(client.secret);
    if (!client.discovery)
        if (auto request = oauth::discovery_request(client))
            discover(context, source, connector, client, *std::move(request));
    return client;
}

std::optional<oauth::Client> local_oauth_client(const Extension& extension, const Clock& clock,
                                                const ConnectorRow& connector) {
    oauth::Client client = plain_client(clock, connector);
    client.discovery = fetched_before(extension, connector, client);
    if (!client.discovery && oauth::discovery_request(client)) return std::nullopt;
    return client;
}

}  // namespace pg_pull::pg
