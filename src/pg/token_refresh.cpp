extern "C" {
#include "postgres.h"

#include "access/xact.h"
#include "utils/guc.h"
}

#include "pg/token_refresh.h"

#include "core/oauth/requests.h"
#include "pg/border.h"
#include "pg/credentials.h"
#include "pg/dormant.h"
#include "pg/locks.h"
#include "pg/shield.h"
#include "pg/sql_time.h"
#include "pg/xact.h"

namespace pg_pull::pg {
namespace {

constexpr Millis kLookAgain{25};
constexpr Millis kCoolDown{30'000};
constexpr Millis kMisconfiguredPause{300'000};

/// One refresh with the lock held.
class Refresh {
public:
    Refresh(WorkerContext& context, SourceContext& source, const oauth::Client& client, const ConnectorRow& connector,
            TokenHolder& holder)
        : context_(context), source_(source), client_(client), connector_(connector), holder_(holder) {}

    TokenRecord run(std::optional<std::int64_t> refused);
    TokenRecord read();

private:
    template <class Body>
    auto in_transaction(Body body) {
        Transaction transaction;
        const Extension extension = context_.checked_extension();
        commit_durably();
        auto result = body(extension);
        transaction.commit();
        return result;
    }
    [[nodiscard]] bool will_do(const TokenRecord& record, std::optional<std::int64_t> refused) const;
    void check_allowed(const TokenRecord& record);
    void intend(const TokenRecord& record);
    TokenRecord send(const TokenRecord& before);
    TokenRecord granted(const TokenRecord& before, const oauth::TokenAnswer& answer);
    TokenRecord no_word(const TokenRecord& before, const HttpFailure& failure);
    TokenRecord passing(const TokenRecord& before, const Error& error, std::optional<Millis> retry_after);
    TokenRecord refused(const TokenRecord& before, const oauth::TokenAnswer& answer);
    [[noreturn]] void misconfigured(const TokenRecord& before, const oauth::TokenAnswer& answer);
    bool fail(const TokenRecord& before, RefreshFailure failure, const std::string& reason, const std::string& error,
              std::optional<WallTime> retry_at);
    void mark_connector(const char* state, const std::optional<std::string>& reason, std::optional<WallTime> retry_at);
    [[nodiscard]] Error lost(const TokenRecord& before, const std::string& detail) const;
    [[nodiscard]] std::string told(const oauth::TokenAnswer& answer) const;
    /// Whether the request can be sent twice without harm: no rotating token goes with it.
    [[nodiscard]] bool repeatable(const TokenRecord& record) const { return record.refresh_token.empty(); }

    WorkerContext& context_;
    SourceContext& source_;
    const oauth::Client& client_;
    const ConnectorRow& connector_;
    TokenHolder& holder_;
};

TokenRecord Refresh::read() {
    auto record = in_transaction([&](const Extension& extension) {
        auto found = holder_.read(extension);
        if (found && found->own.reference)
            found->own.secret = resolve_credential(extension, connector_.owner, *found->own.reference);
        return found;
    });
    if (!record)
        raise(pg_pull::fail(Reason::not_connected, holder_.what() + " was removed meanwhile")
                  .with_hint("Connect again."));
    source_.redactor.add(record->token);
    source_.redactor.add(record->refresh_token);
    source_.redactor.add(record->own.secret);
    return *std::move(record);
}

bool Refresh::will_do(const TokenRecord& record, std::optional<std::int64_t> refused) const {
    if (refused && record.generation <= *refused) return false;
    return is_fresh(client_, record, source_.clock.now());
}

/// Has an answer to give without asking the provider, or may ask.
void Refresh::check_allowed(const TokenRecord& record) {
    const WallTime now = source_.clock.now();
    in_transaction([&](const Extension& extension) {
        refuse_dormant(extension);
        const Rows rows = catalog_query_latest(
            extension,
            "SELECT c.state = 'misconfigured' AND c.retry_at > pg_catalog.clock_timestamp(), c.state_reason FROM " +
                extension.relation("sys_sync_connector") + " c WHERE c.connector_id = $1",
            {int8(connector_.id)});
        if (!rows.empty() && to_bool(rows[0][0]))
            raise(pg_pull::fail(Reason::connector_misconfigured,
                                "the provider refuses the client of connector " + in_quotes(connector_.name))
                      .with_detail(rows[0][1].value_or(""))
                      .with_hint("Correct the connector's client id, secret or authentication."));
        return 0;
    });
    if (record.retry_at && *record.retry_at > now)
        raise(pg_pull::fail(Reason::upstream_not_ok, "no new token for the " + holder_.what() + " yet")
                  .with_detail("The provider was out of order: " + record.last_error.value_or("unknown"))
                  .with_hint("It is asked again in a moment; try again later."));
}

void Refresh::intend(const TokenRecord& record) {
    const bool written =
        in_transaction([&](const Extension& extension) { return holder_.intend(extension, record.generation); });
    if (!written)
        raise(pg_pull::fail(Reason::not_connected, holder_.what() + " was replaced or removed meanwhile")
                  .with_hint("Try again."));
}

std::string Refresh::told(const oauth::TokenAnswer& answer) const {
    return source_.redactor.redact(oauth::told(answer));
}

bool Refresh::fail(const TokenRecord& before, RefreshFailure failure, const std::string& reason,
                   const std::string& error, std::optional<WallTime> retry_at) {
    return in_transaction([&](const Extension& extension) {
        return holder_.fail(extension, before.generation, failure, reason, error, retry_at);
    });
}

void Refresh::mark_connector(const char* state, const std::optional<std::string>& reason,
                             std::optional<WallTime> retry_at) {
    in_transaction([&](const Extension& extension) {
        return catalog_execute(
            extension,
            "UPDATE " + extension.relation("sys_sync_connector") +
                " SET state = $2, state_reason = $3, retry_at = " + time_parameter(4) +
                ", updated_at = pg_catalog.now() WHERE connector_id = $1 AND (state <> $2 OR $2 <> 'ready')",
            {int8(connector_.id), text(state), text(reason), time_param(retry_at)});
    });
}

TokenRecord Refresh::granted(const TokenRecord& before, const oauth::TokenAnswer& answer) {
    // not written where a new connect or a revoke came first: that one wins, and this token is nobody's
    in_transaction([&](const Extension& extension) { return holder_.store(extension, before, answer); });
    if (connector_.state != "ready") mark_connector("ready", std::nullopt, std::nullopt);
    return read();
}

TokenRecord Refresh::passing(const TokenRecord& before, const Error& error, std::optional<Millis> retry_after) {
    const WallTime now = source_.clock.now();
    const std::string message = source_.redactor.redact(error.message);
    fail(before, RefreshFailure::passing, "", message, now + std::max(kCoolDown, retry_after.value_or(Millis(0))));
    // due, but not expired: good for this once
    if (!before.token.empty() && before.expires_at && *before.expires_at > now) return before;
    raise(pg_pull::fail(error.reason, "no new token for the " + holder_.what())
              .with_detail(message)
              .with_hint("The provider is out of order; the connection is kept. Try again later."));
}

TokenRecord Refresh::no_word(const TokenRecord& before, const HttpFailure& failure) {
    const std::string message = source_.redactor.redact(failure.error.message);
    if (before.in_doubt) {
        fail(before, RefreshFailure::reconnect_required, "refresh_in_doubt", message, std::nullopt);
        raise(lost(before, message));
    }
    fail(before, RefreshFailure::unknown_outcome, "", message, source_.clock.now() + kCoolDown);
    raise(pg_pull::fail(Reason::refresh_in_doubt, "the refresh of the " + holder_.what() + " was not answered")
              .with_detail(message)
              .with_hint("It is tried once more; if that fails too, connect again."));
}

Error Refresh::lost(const TokenRecord& before, const std::string& detail) const {
    if (before.in_doubt)
        return pg_pull::fail(Reason::refresh_in_doubt, "the " + holder_.what() + " was lost in an interrupted refresh")
            .with_detail(detail)
            .with_hint("Connect again.");
    return pg_pull::fail(Reason::reconnect_required, "the provider no longer accepts the " + holder_.what())
        .with_detail(detail)
        .with_hint("Connect again with sync_connection_begin() or sync_connection_set().");
}

TokenRecord Refresh::refused(const TokenRecord& before, const oauth::TokenAnswer& answer) {
    // a second look: whoever connected anew meanwhile has a good grant
    TokenRecord record = read();
    if (record.generation > before.generation) return record;
    const std::string reason = before.in_doubt ? "refresh_in_doubt" : answer.error.empty() ? "refused" : answer.error;
    fail(before, RefreshFailure::reconnect_required, reason, told(answer), std::nullopt);
    raise(lost(before, told(answer)));
}

void Refresh::misconfigured(const TokenRecord& before, const oauth::TokenAnswer& answer) {
    fail(before, RefreshFailure::passing, "", told(answer), std::nullopt);
    mark_connector("misconfigured", told(answer), source_.clock.now() + kMisconfiguredPause);
    raise(pg_pull::fail(Reason::connector_misconfigured,
                        "the provider refuses the client of connector " + in_quotes(connector_.name))
              .with_detail(told(answer))
              .with_hint("Correct the connector's client id, secret or authentication; its connections are kept."));
}

TokenRecord Refresh::send(const TokenRecord& before) {
    const oauth::Holder holder = before.holder();
    const bool first = before.refresh_token.empty();
    HttpRequest request =
        unwrap(first ? oauth::first_token_request(client_, holder) : oauth::refresh_request(client_, holder));
    const bool once = !repeatable(before);
    ++source_.counters.requests;
    HttpOutcome outcome = source_.http.send(std::move(request));
    if (auto* failure = std::get_if<HttpFailure>(&outcome)) {
        if (!once || failure->surely_unsent || failure->error.reason == Reason::egress_denied)
            return passing(before, failure->error, std::nullopt);
        return no_word(before, *failure);
    }
    const auto& response = std::get<HttpResponse>(outcome);
    const oauth::TokenAnswer answer =
        oauth::read_token_answer(client_, first ? oauth::TokenCall::first : oauth::TokenCall::refresh, response,
                                 source_.clock.now(), before.lifetime, holder);
    source_.redactor.add(answer.token);
    source_.redactor.add(answer.refresh_token);
    switch (answer.kind) {
        case oauth::TokenAnswer::Kind::granted:
            return granted(before, answer);
        case oauth::TokenAnswer::Kind::misconfigured:
            misconfigured(before, answer);
        case oauth::TokenAnswer::Kind::transient:
            return passing(before, pg_pull::fail(Reason::upstream_not_ok, told(answer)), answer.retry_after);
        case oauth::TokenAnswer::Kind::refused:
            // nothing is known of the grant, unless this was the one try of a refresh in doubt
            if (!before.in_doubt)
                return passing(before, pg_pull::fail(Reason::upstream_not_ok, told(answer)), answer.retry_after);
            break;
        case oauth::TokenAnswer::Kind::invalid_grant:
            break;
    }
    return refused(before, answer);
}

TokenRecord Refresh::run(std::optional<std::int64_t> refused_generation) {
    const TokenRecord before = read();
    if (will_do(before, refused_generation)) return before;
    check_allowed(before);
    const bool code_grant =
        client_.auth.type == AuthType::oauth2 && client_.auth.oauth2->grant == OAuth2Config::Grant::authorization_code;
    if (code_grant && before.refresh_token.empty()) {
        const bool expired = !before.expires_at || *before.expires_at <= source_.clock.now();
        if (!refused_generation && !expired) return before;  // due, and nothing to refresh it with
        const std::string why = "The access token has expired or was refused, and there is no refresh token.";
        if (expired && before.expires_at)
            fail(before, RefreshFailure::reconnect_required, "token_expired", why, std::nullopt);
        raise(pg_pull::fail(Reason::reconnect_required, "the provider no longer accepts the " + holder_.what())
                  .with_detail(why)
                  .with_hint("Connect again; ask for a scope that brings a refresh token, such as offline_access."));
    }
    const Shield shield(context_.shared());
    intend(before);
    return send(before);
}

}  // namespace

bool is_fresh(const oauth::Client& client, const TokenRecord& record, WallTime now) {
    if (record.token.empty()) return false;
    std::optional<Millis> margin;
    if (client.auth.oauth2) margin = client.auth.oauth2->margin;
    return !oauth::needs_refresh(now, record.expires_at, record.lifetime, margin);
}

void commit_durably() {
    call([] {
        if (synchronous_commit < SYNCHRONOUS_COMMIT_REMOTE_FLUSH)
            (void)set_config_option("synchronous_commit", "on", PGC_USERSET, PGC_S_SESSION, GUC_ACTION_LOCAL, true, 0,
                                    false);
    });
}

TokenRecord refresh_token(WorkerContext& context, SourceContext& source, oauth::Client& client,
                          const ConnectorRow& connector, TokenHolder& holder, std::optional<std::int64_t> refused) {
    Refresh refresh(context, source, client, connector, holder);
    while (true) {
        {
            const locks::Held lock(locks::Kind::refresh, holder.lock_key());
            if (lock) return refresh.run(refused);
        }
        source.waiter.waiting(WaitReason::refresh, WallTime{});
        source.waiter.sleep(source.clock, kLookAgain);
        source.waiter.waiting(WaitReason::none, WallTime{});
        const TokenRecord record = refresh.read();
        if (!record.in_doubt && record.generation > refused.value_or(-1) &&
            is_fresh(client, record, source.clock.now()))
            return record;
    }
}

}  // namespace pg_pull::pg
