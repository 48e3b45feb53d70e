// sync_connection_revoke in its worker, and the sending of what is queued.

#include "core/request/stored_request.h"
#include "pg/border.h"
#include "pg/call_arguments.h"
#include "pg/connections.h"
#include "pg/dormant.h"
#include "pg/key_ring.h"
#include "pg/oauth_client.h"
#include "pg/request.h"
#include "pg/revocation.h"
#include "pg/sealed_rows.h"
#include "pg/settings.h"
#include "pg/source_session.h"
#include "pg/token_refresh.h"
#include "pg/xact.h"
#include "source/http/curl_client.h"
#include "source/http/egress.h"

namespace pg_pull::pg {
namespace {

using nlohmann::json;

struct QueuedRequests {
    std::int64_t id = 0;
    std::vector<HttpRequest> requests;
};

/// Takes the revocation for five minutes, so that nobody else sends it meanwhile; nothing where somebody has, or it is done.
std::optional<QueuedRequests> claim(WorkerContext& context, std::optional<std::int64_t> id) {
    Transaction transaction;
    const Extension extension = context.checked_extension();
    const std::string store = extension.relation("sync_revocation_store");
    const Rows taken = catalog_query(
        extension,
        "UPDATE " + store +
            " SET attempts = attempts + 1, try_after = pg_catalog.clock_timestamp() + interval '5 minutes' "
            "WHERE revocation_id = (SELECT r.revocation_id FROM " +
            store +
            " r WHERE ($1::bigint IS NULL OR r.revocation_id = $1) AND r.try_after <= pg_catalog.clock_timestamp() "
            "ORDER BY r.try_after LIMIT 1 FOR UPDATE SKIP LOCKED) RETURNING revocation_id",
        {int8(id)});
    if (taken.empty()) return std::nullopt;
    QueuedRequests queued;
    queued.id = to_int(taken.one());
    const auto rows = sealed_rows(extension, sealed_kinds::revocation(), "s.revocation_id = $1", {int8(queued.id)});
    if (!rows.empty()) {
        const Opened opened = open(require_key_ring(), rows.front());
        queued.requests = unwrap(unpack_requests(opened.front().value()));
    }
    transaction.commit();
    return queued;
}

/// Gone once it is done, refused, or a day old.
void settle(WorkerContext& context, std::int64_t id, bool again, const std::string& error) {
    Transaction transaction;
    const Extension extension = context.checked_extension();
    const std::string store = extension.relation("sync_revocation_store");
    if (again)
        catalog_execute(extension,
                        "UPDATE " + store +
                            " SET last_error = $2, try_after = pg_catalog.clock_timestamp() + interval '1 minute' * "
                            "least(60, pg_catalog.power(2, attempts)) WHERE revocation_id = $1",
                        {int8(id), text(error)});
    catalog_execute(extension,
                    "DELETE FROM " + store +
                        " WHERE revocation_id = $1 AND ($2 OR created_at < pg_catalog.now() - interval '1 day')",
                    {int8(id), boolean(!again)});
    transaction.commit();
}

/// revoked | queued | failed. An access token may be of a kind that the server does not revoke (RFC 7009 section 2.2.1).
std::string send_requests(HttpClient& http, std::vector<HttpRequest> requests, std::string* error) {
    std::string outcome = "revoked";
    bool first = true;
    for (auto& request : requests) {
        HttpOutcome answer = http.send(std::move(request));
        if (const auto* failure = std::get_if<HttpFailure>(&answer)) {
            *error = failure->error.message;
            return failure->may_retry ? "queued" : "failed";
        }
        const int status = std::get<HttpResponse>(answer).status;
        *error = "the provider answered with status " + std::to_string(status);
        if (status == 429 || status >= 500) return "queued";
        if (status >= 400 && first) outcome = "failed";
        first = false;
    }
    return outcome;
}

std::string send_one(WorkerContext& context, HttpClient& http, QueuedRequests queued) {
    std::string error;
    const std::string outcome =
        queued.requests.empty() ? "failed" : send_requests(http, std::move(queued.requests), &error);
    settle(context, queued.id, outcome == "queued", error);
    return outcome;
}

struct Deleted {
    std::vector<RevokedRow> rows;
    bool declared = false;
};

Deleted delete_rows(WorkerContext& context, const json& arguments, unsigned requester, const ConnectorRow& connector,
                    const oauth::Client& client) {
    const std::string name = arguments.at("connector");
    const std::string organization = arguments.at("organization");
    Transaction transaction;
    const Extension extension = context.checked_extension();
    commit_durably();
    lock_connection(name, organization);
    const Instance instance = address_instance(extension, name, optional_text(arguments, "package"));
    if (instance.entry.id != connector.id)
        raise(
            Error{Reason::none, "40001", "connector " + in_quotes(name) + " was replaced meanwhile", {}, "Try again."});
    require_door(extension, instance, organization, requester);
    Deleted deleted;
    deleted.rows = revoke_rows(extension, &client, rows_to_revoke(extension, instance, organization));
    transaction.commit();
    return deleted;
}

ConnectorRow addressed(WorkerContext& context, const json& arguments) {
    Transaction transaction;
    const Extension extension = context.checked_extension();
    refuse_dormant(extension);
    const Instance instance =
        address_instance(extension, arguments.at("connector").get<std::string>(), optional_text(arguments, "package"));
    transaction.commit();
    return instance.entry;
}

std::string remote_outcome(WorkerContext& context, HttpClient& http, const RevokedRow& row) {
    if (row.failed) return "failed";
    if (!row.queued) return "not_declared";
    auto queued = claim(context, row.queued);
    return queued ? send_one(context, http, *std::move(queued)) : "queued";
}

}  // namespace

json execute_revoke(WorkerContext& context, const json& arguments, unsigned requester) {
    const ConnectorRow connector = addressed(context, arguments);
    RunCounters counters;
    SourceSession session(context, connector, requester, counters, std::nullopt, "");
    const oauth::Client client = make_oauth_client(context, session.context(), connector);
    const Deleted deleted = delete_rows(context, arguments, requester, connector, client);
    json rows = json::array();
    for (const auto& row : deleted.rows)
        rows.push_back({{"connection_id", row.connection_id},
                        {"package_id", nullable(row.package)},
                        {"remote", remote_outcome(context, session.context().http, row)}});
    return {{"rows", rows}};
}

void execute_send_queued(WorkerContext& context) {
    if (settings::dormant) return;
    const SystemClock clock;
    http::CurlClient client(context.waiter(), clock, unwrap(http::AllowedHosts::parse(settings::allowed_hosts)));
    while (auto queued = claim(context, std::nullopt)) (void)send_one(context, client, *std::move(queued));
}

}  // namespace pg_pull::pg
