// sync_connection_callback in its worker.
//
//   [state known, not used, not expired; requester] ─▶ used, verifier erased                            commit
//       ├─ error of the provider, wrong iss, instance gone, conflict: outcome stored, nothing is sent   (same commit)
//       ▼
//   code exchanged ─▶ after_connect, verify ─▶ locks, judged again, stored with the outcome             commit
//
// From the first commit on a cancel does not stop the worker. A second call waits for the first, and reports its outcome.

extern "C" {
#include "postgres.h"

#include "utils/acl.h"

#include "pg/compat.h"
}

#include "core/oauth/discovery.h"
#include "core/oauth/fields.h"
#include "core/oauth/pkce.h"
#include "core/oauth/requests.h"
#include "core/oauth/token_answer.h"
#include "pg/border.h"
#include "pg/call_arguments.h"
#include "pg/connections.h"
#include "pg/dormant.h"
#include "pg/locks.h"
#include "pg/oauth_client.h"
#include "pg/package_store.h"
#include "pg/pending.h"
#include "pg/request.h"
#include "pg/shield.h"
#include "pg/source_session.h"
#include "pg/token_refresh.h"
#include "pg/xact.h"

namespace pg_pull::pg {
namespace {

using nlohmann::json;

/// '' where it was not given.
std::string text_in(const json& arguments, const char* key) { return optional_text(arguments, key).value_or(""); }

json packed_error(const Error& error) {
    return {{"error",
             {{"reason", std::string(info(error.reason).name)},
              {"sqlstate", error.code()},
              {"message", error.message},
              {"detail", error.detail},
              {"hint", error.hint}}}};
}

Error unpacked_error(const json& packed) {
    Error error;
    const std::string name = packed.at("reason");
    for (std::size_t i = 0; i < all_reasons().size(); ++i)
        if (all_reasons()[i].name == name) error.reason = static_cast<Reason>(i + 1);
    error.sqlstate = packed.at("sqlstate");
    error.message = packed.at("message");
    error.detail = packed.at("detail");
    error.hint = packed.at("hint");
    return error;
}

json packed_connection(const ConnectionRow& row) {
    return {{"connection_id", row.id},
            {"organization_id", row.organization},
            {"package_id", nullable(row.package)},
            {"connector", row.connector},
            {"status", row.status},
            {"account", row.account.is_null() ? json(nullptr) : json(row.account.dump())}};
}

/// Only who began, or a role that has his privileges, may complete: whoever was sent a stranger's link may not.
void check_completer(const Pending& pending, unsigned requester) {
    const char* name = pending.requester.c_str();
    const bool allowed = call([name, requester] {
        const Oid role = get_role_oid(name, true);
        return OidIsValid(role) ? pg_pull_has_privs_of_role(requester, role) : superuser_arg(requester);
    });
    if (!allowed)
        raise(Error{Reason::none, "42501", "permission denied to complete the authorization",
                    "It was begun by another role.", "Complete it as the role that began it, or begin anew."});
}

class Completion {
public:
    Completion(WorkerContext& context, const json& arguments, unsigned requester)
        : context_(context),
          arguments_(arguments),
          requester_(requester),
          hash_(oauth::hash_state(text_in(arguments, "state"))) {}

    json run();

private:
    json first_outcome(const Pending& pending) const;
    std::optional<Error> refusal(const Extension& extension, const Pending& pending, std::optional<Instance>* instance);
    json exchange(const Pending& pending, const ConnectorRow& connector);
    Result<json> obtain(SourceContext& source, const Pending& pending, const ConnectorRow& connector);
    Result<json> store(const Pending& pending, const ConnectionValues& values, const ConnectionSecrets& secrets);
    Result<oauth::Kept> ask(SourceContext& source, const RequestTemplate& request,
                            std::optional<HttpRequest> made) const;
    Error answer_error(const SourceContext& source, const oauth::TokenAnswer& answer, const ConnectorRow& connector);
    void settle(const json& outcome);
    [[nodiscard]] std::string code_of(const AuthConfig& auth) const;

    WorkerContext& context_;
    const json& arguments_;
    unsigned requester_;
    std::string hash_;
};

json Completion::first_outcome(const Pending& pending) const {
    if (pending.outcome.is_null())
        raise(fail(Reason::state_expired, "the authorization was interrupted while its code was exchanged")
                  .with_hint("Begin the connection again."));
    if (pending.outcome.contains("error")) raise(unpacked_error(pending.outcome.at("error")));
    return pending.outcome.at("connection");
}

std::string Completion::code_of(const AuthConfig& auth) const {
    const std::string code = text_in(arguments_, "code");
    if (!code.empty() || !arguments_.at("params").is_object()) return code;
    return text_in(arguments_.at("params"), auth.oauth2->callback.code.c_str());
}

/// What ends the authorization before anything is sent.
std::optional<Error> Completion::refusal(const Extension& extension, const Pending& pending,
                                         std::optional<Instance>* instance) {
    *instance = instance_of(extension, pending.connector, pending.package);
    const std::string name = in_quotes(pending.connector);
    if (!*instance)
        return fail(Reason::instance_gone, "connector " + name + ", which was being connected, is no longer declared" +
                                               (pending.package ? " by package " + in_quotes(*pending.package) : ""));
    const AuthConfig auth = (*instance)->auth();
    if (!auth.oauth2 || auth.oauth2->grant != OAuth2Config::Grant::authorization_code)
        return fail(Reason::instance_gone, "connector " + name + " is no longer connected by a consent page");
    if (const std::string error = text_in(arguments_, "error"); !error.empty()) {
        const Redactor redactor;
        return fail(Reason::authorization_refused, "the provider did not authorize the connection to connector " + name)
            .with_detail("It answered: " + excerpt(error, redactor) + ". " +
                         excerpt(text_in(arguments_, "error_description"), redactor));
    }
    if (code_of(auth).empty())
        return fail(Reason::authorization_refused, "the callback brought no authorization code for connector " + name);
    const auto rows = connections_of(extension, pending.connector, pending.organization);
    const ConnectStep step = connect_step((*instance)->facts, (*instance)->package, packages_of(rows));
    if (step.kind == ConnectStep::Kind::refuse)
        return conflict_error((*instance)->facts, step.conflict, packages_of(rows), pending.organization, false);
    return std::nullopt;
}

Error Completion::answer_error(const SourceContext& source, const oauth::TokenAnswer& answer,
                               const ConnectorRow& connector) {
    const std::string told = source.redactor.redact(oauth::told(answer));
    const std::string name = in_quotes(connector.name);
    if (answer.kind == oauth::TokenAnswer::Kind::misconfigured)
        return fail(Reason::connector_misconfigured, "the provider refuses the client of connector " + name)
            .with_detail(told);
    return fail(Reason::upstream_not_ok, "the authorization code for connector " + name + " could not be exchanged")
        .with_detail(told)
        .with_hint("Begin the connection again.");
}

Result<oauth::Kept> Completion::ask(SourceContext& source, const RequestTemplate& request,
                                    std::optional<HttpRequest> made) const {
    if (!made) return oauth::Kept{};
    ++source.counters.requests;
    HttpOutcome outcome = source.http.send(*std::move(made));
    if (auto* failure = std::get_if<HttpFailure>(&outcome)) {
        failure->error.message = source.redactor.redact(failure->error.message);
        return std::move(failure->error);
    }
    return oauth::read_kept(request, std::get<HttpResponse>(outcome));
}

Result<json> Completion::store(const Pending& pending, const ConnectionValues& values,
                               const ConnectionSecrets& secrets) {
    try {
        Transaction transaction;
        const Extension extension = context_.checked_extension();
        commit_durably();
        lock_connection(pending.connector, pending.organization);
        const auto instance = instance_of(extension, pending.connector, pending.package);
        if (!instance)
            return fail(Reason::instance_gone, "connector " + in_quotes(pending.connector) +
                                                   ", which was being connected, is no longer declared");
        const std::string id = connect(extension, *instance, pending.organization, values, secrets);
        const json connection = packed_connection(find_connection(extension, id).value());
        settle_pending(extension, pending.state_hash, {{"connection", connection}});
        transaction.commit();
        return connection;
    } catch (const RaisedError& error) {
        return error.error();
    }
}

Result<json> Completion::obtain(SourceContext& source, const Pending& pending, const ConnectorRow& connector) {
    const oauth::Client client = make_oauth_client(context_, source, connector);
    PG_PULL_CHECK(oauth::check_issuer(client.auth, client.discovery, optional_text(arguments_, "iss")));
    oauth::Holder holder;
    holder.fields = pending.fields;
    PG_PULL_ASSIGN(const json kept_of_callback, oauth::keep_of_callback(client.auth, arguments_.at("params")));
    holder.fields.update(kept_of_callback);
    PG_PULL_ASSIGN(HttpRequest request, oauth::exchange_request(client, holder, code_of(client.auth), pending.verifier,
                                                                pending.redirect_uri, arguments_.at("params")));
    ++source.counters.requests;
    HttpOutcome outcome = source.http.send(std::move(request));
    if (auto* failure = std::get_if<HttpFailure>(&outcome)) {
        failure->error.message = source.redactor.redact(failure->error.message);
        return std::move(failure->error);
    }
    const oauth::TokenAnswer answer = oauth::read_token_answer(
        client, oauth::TokenCall::exchange, std::get<HttpResponse>(outcome), source.clock.now(), std::nullopt, holder);
    if (answer.kind != oauth::TokenAnswer::Kind::granted) return answer_error(source, answer, connector);
    source.redactor.add(answer.token);
    source.redactor.add(answer.refresh_token);

    ConnectionValues values;
    values.account = answer.account;
    if (answer.keep.is_object()) holder.fields.update(answer.keep);
    holder.token = answer.token;
    holder.refresh_token = answer.refresh_token;
    const OAuth2Config& config = *client.auth.oauth2;
    for (const bool after : {true, false}) {
        const auto& request_template = after ? config.after_connect : config.verify;
        if (!request_template) continue;
        PG_PULL_ASSIGN(auto made,
                       after ? oauth::after_connect_request(client, holder) : oauth::verify_request(client, holder));
        PG_PULL_ASSIGN(const oauth::Kept kept, ask(source, *request_template, std::move(made)));
        holder.fields.update(kept.fields);
        if (!kept.account.is_null()) values.account = kept.account;
    }
    values.fields = holder.fields;
    values.scopes_asked = pending.scopes;
    values.scopes_granted = answer.scopes ? answer.scopes : std::optional(pending.scopes);
    values.token_expires_at = answer.expires_at;
    values.refresh_expires_at = answer.refresh_expires_at;
    values.token_lifetime = answer.lifetime;
    values.connected_by = pending.requester;
    return store(pending, values, {answer.token, answer.refresh_token, Secret()});
}

void Completion::settle(const json& outcome) {
    Transaction transaction;
    const Extension extension = context_.checked_extension();
    commit_durably();
    settle_pending(extension, hash_, outcome);
    transaction.commit();
}

json Completion::exchange(const Pending& pending, const ConnectorRow& connector) {
    std::optional<Error> error;
    try {
        RunCounters counters;
        SourceSession session(context_, connector, requester_, counters, pending.organization, "");
        session.context().redactor.add(pending.verifier);
        session.context().redactor.add(Secret(text_in(arguments_, "code")));
        auto connection = obtain(session.context(), pending, connector);
        if (connection.ok()) return std::move(connection).value();
        error = std::move(connection).error();
    } catch (const RaisedError& raised) {
        error = raised.error();
    }
    settle(packed_error(*error));
    raise(*std::move(error));
}

json Completion::run() {
    while (true) {
        const locks::Held lock(locks::Kind::state, hash_);
        if (!lock) {
            context_.waiter().sleep(SystemClock(), Millis(50));
            continue;
        }
        Pending pending;
        std::optional<Instance> instance;
        std::optional<Error> refused;
        // before the first commit: a cancel must not come between the used state and the exchange
        const Shield shield(context_.shared());
        {
            Transaction transaction;
            const Extension extension = context_.checked_extension();
            commit_durably();
            auto found = find_pending(extension, hash_);
            if (!found) raise(fail(Reason::state_unknown, "the authorization state is not known here"));
            pending = *std::move(found);
            check_completer(pending, requester_);
            if (pending.expired)
                raise(fail(Reason::state_expired, "the authorization was begun more than ten minutes ago"));
            if (pending.used) return first_outcome(pending);
            refuse_dormant(extension);
            if (pending.package) require_enabled(extension, pending.package);
            refused = refusal(extension, pending, &instance);
            use_pending(extension, hash_);
            if (refused) settle_pending(extension, hash_, packed_error(*refused));
            transaction.commit();
        }
        if (refused) raise(*std::move(refused));
        return exchange(pending, instance->entry);
    }
}

}  // namespace

json execute_callback(WorkerContext& context, const json& arguments, unsigned requester) {
    return Completion(context, arguments, requester).run();
}

json execute_discover(WorkerContext& context, const json& arguments, unsigned requester) {
    ConnectorRow connector;
    {
        Transaction transaction;
        const Extension extension = context.checked_extension();
        refuse_dormant_server();
        connector = load_connector(extension, arguments.at("connector_id").get<std::int64_t>());
        transaction.commit();
    }
    RunCounters counters;
    SourceSession session(context, connector, requester, counters, std::nullopt, "");
    (void)make_oauth_client(context, session.context(), connector);
    return json::object();
}

}  // namespace pg_pull::pg
