extern "C" {
#include "postgres.h"

#include "access/xact.h"
#include "miscadmin.h"
#include "postmaster/bgworker.h"
}

#include "pg/revocation.h"

#include "core/oauth/requests.h"
#include "core/request/stored_request.h"
#include "pg/border.h"
#include "pg/credentials.h"
#include "pg/dormant.h"
#include "pg/function_arguments.h"
#include "pg/key_ring.h"
#include "pg/oauth_client.h"
#include "pg/sealed_rows.h"
#include "pg/token_holder.h"
#include "pg/worker_description.h"

namespace pg_pull::pg {
namespace {

std::int64_t queue(const Extension& extension, const ConnectionRow& row, const std::vector<HttpRequest>& requests) {
    const KeyRing ring = require_key_ring();
    const Secret packed = pack_requests(requests);
    const Rows made =
        catalog_query(extension,
                      "INSERT INTO " + extension.relation("sync_revocation_store") +
                          " (connector, connection_id, key_id, sealed_request, try_after, created_at) VALUES ($1, "
                          "$2::uuid, $3, $4, pg_catalog.now(), pg_catalog.now()) RETURNING revocation_id",
                      {text(row.connector), text(row.id), text(ring.current().id),
                       bytea(seal_field(ring, sealed_kinds::revocation(), 0, {row.id, row.connector}, packed))});
    return to_int(made.one());
}

/// What is told; nothing where the connector declares no revocation.
std::vector<HttpRequest> requests_for(const Extension& extension, const oauth::Client& client,
                                      const ConnectionRow& row) {
    const auto holder = connection_holder(row);
    const auto record = holder->read(extension);
    if (!record || (record->token.empty() && record->refresh_token.empty())) return {};
    return unwrap(oauth::revoke_requests(client, record->holder()));
}

RevokedRow revoke_row(const Extension& extension, const oauth::Client* client, const ConnectionRow& row) {
    RevokedRow revoked{row.id, row.package, std::nullopt, false};
    if (client != nullptr) {
        try {
            const auto requests = requests_for(extension, *client, row);
            if (!requests.empty()) revoked.queued = queue(extension, row, requests);
        } catch (const RaisedError&) {  // ours alone: a lost key keeps nobody from revoking here
            revoked.failed = true;
        }
    }
    delete_connection(extension, row.id);
    return revoked;
}

bool sends_after_commit = false;

/// Plain server calls that raise nothing. Registering fails where no process is free: the next revocation sends.
void at_end_of_transaction(XactEvent event, void*) {
    if (event != XACT_EVENT_COMMIT && event != XACT_EVENT_ABORT) return;
    const bool send = sends_after_commit && event == XACT_EVENT_COMMIT;
    sends_after_commit = false;
    if (!send) return;
    BackgroundWorker worker;
    describe_worker(&worker, "pg_pull_queue_main", "pg_pull worker: revocations");
    worker.bgw_main_arg = ObjectIdGetDatum(MyDatabaseId);
    (void)RegisterDynamicBackgroundWorker(&worker, nullptr);
}

}  // namespace

bool declares_revocation(const AuthConfig& auth) {
    return auth.oauth2 && (auth.oauth2->revoke || !auth.oauth2->discovery.empty() || !auth.oauth2->issuer.empty());
}

std::vector<RevokedRow> revoke_rows(const Extension& extension, const oauth::Client* client,
                                    const std::vector<ConnectionRow>& rows) {
    std::vector<RevokedRow> revoked;
    for (const auto& row : rows) revoked.push_back(revoke_row(extension, client, row));
    return revoked;
}

void send_queue_after_commit() {
    static bool registered = false;
    if (!registered) call([] { RegisterXactCallback(at_end_of_transaction, nullptr); });
    registered = true;
    sends_after_commit = true;
}

void revoke_rows(const Extension& extension, const ConnectorRow& entry, const std::vector<ConnectionRow>& rows) {
    if (rows.empty()) return;
    const SystemClock clock;
    std::optional<oauth::Client> client;
    if (declares_revocation(unwrap(parse_auth(entry.auth)))) {
        refuse_dormant(extension);
        client = local_oauth_client(extension, clock, entry);
    }
    if (client) {
        client->secret = client->auth.credential_ref.empty()
                             ? Secret()
                             : resolve_credential(extension, entry.owner, client->auth.credential_ref);
        client->private_addresses_allowed = is_superuser(owner_oid(entry.owner, "connector " + in_quotes(entry.name)));
    }
    bool queued = false;
    for (const auto& row : revoke_rows(extension, client ? &*client : nullptr, rows)) queued |= row.queued.has_value();
    if (queued) send_queue_after_commit();
}

}  // namespace pg_pull::pg
