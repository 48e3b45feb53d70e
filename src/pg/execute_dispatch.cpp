// sync_connector_call and sync_connector_test in their worker.

#include "core/oauth/requests.h"
#include "pg/border.h"
#include "pg/call_arguments.h"
#include "pg/connection_grants.h"
#include "pg/connections.h"
#include "pg/oauth_client.h"
#include "pg/package_store.h"
#include "pg/request.h"
#include "pg/source_session.h"
#include "pg/xact.h"
#include "source/registry.h"

namespace pg_pull::pg {
namespace {

using nlohmann::json;

ConnectorRow find_entry_for(WorkerContext& context, const json& arguments, unsigned requester) {
    Transaction transaction;
    const Extension extension = context.checked_extension();
    const Instance instance =
        address_instance(extension, arguments.at("connector").get<std::string>(), optional_text(arguments, "package"));
    require_use(extension, instance.entry, requester);
    require_enabled(extension, instance.package);
    transaction.commit();
    return instance.entry;
}

/// Nothing where the connector is only read.
std::optional<ActionAnswer> send(SourceSession& session, const json& input) {
    const ConnectorRow& connector = session.connector();
    const Provider* provider = find_provider(connector.provider);
    if (provider == nullptr || provider->send == nullptr) return std::nullopt;
    return unwrap(provider->send(session.context(), connector.name, connector.config, connector.auth, input));
}

struct TestAnswer {
    bool ok = false;
    std::optional<int> status;
    std::string reason;
    std::string message;
};

TestAnswer judge_status(int status) {
    if (status < 400) return {true, status, "", ""};
    return {false, status, "upstream_not_ok", "the remote system answered with status " + std::to_string(status)};
}

/// auth.verify, sent with the grant; nothing where there is none.
std::optional<TestAnswer> send_verify(WorkerContext& context, SourceSession& session) {
    SourceContext& source = session.context();
    if (source.grants == nullptr) return std::nullopt;
    const oauth::Client client = make_oauth_client(context, source, session.connector());
    if (!client.auth.oauth2 || !client.auth.oauth2->verify) return std::nullopt;
    Grant grant = source.grants->current();
    oauth::Holder holder;
    holder.fields = grant.fields;
    holder.token = grant.credential;
    auto request = unwrap(oauth::verify_request(client, holder));
    if (!request) return std::nullopt;
    HttpOutcome outcome = source.http.send(*std::move(request));
    if (auto* failure = std::get_if<HttpFailure>(&outcome)) {
        failure->error.message = source.redactor.redact(failure->error.message);
        raise(std::move(failure->error));
    }
    return judge_status(std::get<HttpResponse>(outcome).status);
}

TestAnswer test_database(SourceSession& session) {
    SourceRequest request;
    request.source = json{{"query", "SELECT 1 AS one"}};
    request.full = true;
    request.max_records = 1;
    const auto source = session.open(std::move(request));
    (void)unwrap(source->next());
    return {true, std::nullopt, "", ""};
}

TestAnswer test_session(WorkerContext& context, SourceSession& session) {
    if (const auto verified = send_verify(context, session)) return *verified;
    if (const auto answer = send(session, json())) return judge_status(answer->status);
    return test_database(session);
}

/// What the door refuses is raised; everything else is the answer of a test.
bool is_refusal_of_the_door(const Error& error) {
    const std::string code = error.code();
    return code.rfind("PT", 0) == 0 && error.reason != Reason::reconnect_required &&
           error.reason != Reason::refresh_in_doubt && error.reason != Reason::connector_misconfigured;
}

}  // namespace

json execute_dispatch(WorkerContext& context, const json& arguments, unsigned requester) {
    const ConnectorRow connector = find_entry_for(context, arguments, requester);
    RunCounters counters;
    SourceSession session(context, connector, requester, counters, optional_text(arguments, "organization"), "");
    const auto answer = send(session, arguments.at("input"));
    if (!answer)
        raise(fail(Reason::connector_action_unknown, "connector " + in_quotes(connector.name) + " is only read"));
    return {{"answer", answer->text}};
}

json execute_test(WorkerContext& context, const json& arguments, unsigned requester) {
    const ConnectorRow connector = find_entry_for(context, arguments, requester);
    RunCounters counters;
    const SystemClock clock;
    const auto started = clock.steady();
    TestAnswer answer;
    try {
        SourceSession session(context, connector, requester, counters, optional_text(arguments, "organization"), "");
        answer = test_session(context, session);
    } catch (const RaisedError& error) {
        if (is_refusal_of_the_door(error.error())) throw;
        answer = {false, std::nullopt, std::string(info(error.error().reason).name), error.error().message};
        if (!error.error().detail.empty()) answer.message += ": " + error.error().detail;
    }
    const auto took = std::chrono::duration_cast<Millis>(clock.steady() - started);
    return {{"ok", answer.ok},
            {"status", answer.status ? json(*answer.status) : json(nullptr)},
            {"reason", answer.reason.empty() ? json(nullptr) : json(answer.reason)},
            {"message", answer.message.empty() ? json(nullptr) : json(answer.message)},
            {"duration_ms", took.count()}};
}

}  // namespace pg_pull::pg
