#include "pg/token_holder.h"

#include "core/json/document.h"
#include "pg/border.h"
#include "pg/key_ring.h"
#include "pg/sealed_rows.h"
#include "pg/sql_time.h"

namespace pg_pull::pg {

oauth::Holder TokenRecord::holder() const {
    oauth::Holder holder;
    holder.fields = fields;
    holder.token = token;
    holder.refresh_token = refresh_token;
    holder.username = own.username;
    if (own.client_id) {
        holder.client_id = own.client_id;
        holder.client_secret = own.secret;
    } else if (own.username) {
        holder.password = own.secret;
    } else {
        holder.key = own.secret;
    }
    return holder;
}

namespace {

Param sealed_param(const KeyRing& ring, const SealedKind& kind, std::size_t field,
                   const std::vector<std::string>& identity, const Secret& value) {
    if (value.empty()) return bytea(std::optional<std::string>());
    return bytea(seal_field(ring, kind, field, identity, value));
}

/// RFC 6749 section 6: an answer without a refresh token leaves the old one in force.
const Secret& refresh_token_after(const TokenRecord& before, const oauth::TokenAnswer& answer) {
    return answer.refresh_token.empty() ? before.refresh_token : answer.refresh_token;
}

nlohmann::json fields_after(const TokenRecord& before, const oauth::TokenAnswer& answer) {
    nlohmann::json fields = before.fields;
    if (answer.keep.is_object()) fields.update(answer.keep);
    return fields;
}

constexpr const char* kStoreToken =
    " token_expires_at = %e, refresh_expires_at = coalesce(%r, t.refresh_expires_at), token_lifetime = "
    "coalesce(%l, t.token_lifetime), generation = t.generation + 1, "
    "refresh_started_at = NULL, last_refresh_at = pg_catalog.now(), last_error = NULL, retry_at = NULL, "
    "fields = $6::jsonb, key_id = $7, sealed_token = $8, sealed_refresh_token = $9";

std::string store_token_assignments() {
    std::string sql = kStoreToken;
    sql.replace(sql.find("%e"), 2, time_parameter(3));
    sql.replace(sql.find("%r"), 2, time_parameter(4));
    sql.replace(sql.find("%l"), 2, interval_parameter(5));
    return sql;
}

class ConnectionHolder final : public TokenHolder {
public:
    explicit ConnectionHolder(const ConnectionRow& row)
        : id_(row.id), organization_(row.organization), connector_(row.connector) {}

    [[nodiscard]] std::string lock_key() const override { return "connection " + id_; }
    [[nodiscard]] std::string what() const override {
        return "connection of organization " + in_quotes(organization_) + " to connector " + in_quotes(connector_);
    }

    std::optional<TokenRecord> read(const Extension& extension) override {
        const auto row = find_connection(extension, id_);
        if (!row) return std::nullopt;
        ConnectionSecrets secrets = open_connection(extension, *row);
        TokenRecord record;
        record.token = std::move(secrets.token);
        record.refresh_token = std::move(secrets.refresh_token);
        record.own = unpack_credential(secrets.credential);
        record.fields = row->fields;
        record.expires_at = row->token_expires_at;
        record.lifetime = row->token_lifetime;
        record.retry_at = row->retry_at;
        record.generation = row->generation;
        record.in_doubt = row->refresh_started_at.has_value();
        record.last_error = row->last_error;
        return record;
    }

    bool intend(const Extension& extension, std::int64_t generation) override {
        lock_connection(connector_, organization_);
        return update(extension, "refresh_started_at = pg_catalog.now(), updated_at = pg_catalog.now()",
                      {text(id_), int8(generation)});
    }

    bool store(const Extension& extension, const TokenRecord& before, const oauth::TokenAnswer& answer) override {
        lock_connection(connector_, organization_);
        const auto row = find_connection(extension, id_);
        if (!row || row->generation != before.generation) return false;
        const KeyRing ring = require_key_ring();
        const std::vector<std::string> identity{row->id, row->organization, row->package.value_or(""), row->connector};
        std::vector<Param> parameters{
            text(id_),
            int8(before.generation),
            time_param(answer.expires_at),
            time_param(answer.refresh_expires_at),
            millis_param(answer.lifetime),
            text(fields_after(before, answer).dump()),
            text(ring.current().id),
            sealed_param(ring, sealed_kinds::connection(), 0, identity, answer.token),
            sealed_param(ring, sealed_kinds::connection(), 1, identity, refresh_token_after(before, answer)),
            sealed_credential(extension, ring, *row, identity)};
        std::string assignments = store_token_assignments() +
                                  ", sealed_credential = $10, status = 'connected', status_reason = NULL, "
                                  "updated_at = pg_catalog.now()";
        if (answer.scopes) {
            parameters.push_back(text_array(*answer.scopes));
            assignments += ", scopes_granted = $11";
        }
        return update(extension, assignments, parameters);
    }

    bool fail(const Extension& extension, std::int64_t generation, RefreshFailure failure, const std::string& reason,
              const std::string& error, std::optional<WallTime> retry_at) override {
        lock_connection(connector_, organization_);
        std::string assignments = "last_error = $3, updated_at = pg_catalog.now(), retry_at = " + time_parameter(4);
        if (failure != RefreshFailure::unknown_outcome) assignments += ", refresh_started_at = NULL";
        std::vector<Param> parameters{text(id_), int8(generation), text(error), time_param(retry_at)};
        if (failure == RefreshFailure::reconnect_required) {
            parameters.push_back(text(reason));
            assignments += ", status = 'reconnect_required', status_reason = $5";
        }
        return update(extension, assignments, parameters);
    }

private:
    bool update(const Extension& extension, const std::string& assignments, const std::vector<Param>& parameters) {
        return catalog_execute(extension,
                               "UPDATE " + extension.relation("sync_connection_store") + " AS t SET " + assignments +
                                   " WHERE t.connection_id = $1::uuid AND t.generation = $2",
                               parameters) > 0;
    }

    /// The key may have changed since: what shares the row's key id is sealed with the same key.
    static Param sealed_credential(const Extension& extension, const KeyRing& ring, const ConnectionRow& row,
                                   const std::vector<std::string>& identity) {
        return sealed_param(ring, sealed_kinds::connection(), 2, identity, open_connection(extension, row).credential);
    }

    std::string id_;
    std::string organization_;
    std::string connector_;
};

/// What a connector got with its own credential can always be got again: nothing is ever in doubt, nobody has to reconnect.
class ConnectorHolder final : public TokenHolder {
public:
    explicit ConnectorHolder(const ConnectorRow& connector)
        : id_(connector.id), name_(connector.name), identity_{std::to_string(connector.id)} {}

    [[nodiscard]] std::string lock_key() const override { return "connector " + identity_.front(); }
    [[nodiscard]] std::string what() const override { return "token of connector " + in_quotes(name_); }

    std::optional<TokenRecord> read(const Extension& extension) override {
        TokenRecord record;
        const Rows rows = catalog_query_latest(extension,
                                               "SELECT t.generation, " + micros_of("t.token_expires_at") + ", " +
                                                   interval_millis("t.token_lifetime") + ", " +
                                                   micros_of("t.retry_at") + ", t.fields, t.last_error FROM " +
                                                   table(extension) + " t WHERE t.connector_id = $1",
                                               {int8(id_)});
        if (rows.empty()) {
            // a row to write the intent into, and to compare generations with
            const auto made = catalog_execute(
                extension,
                "INSERT INTO " + table(extension) + " (connector_id, generation) SELECT c.connector_id, 0 FROM " +
                    extension.relation("sys_sync_connector") + " c WHERE c.connector_id = $1 ON CONFLICT DO NOTHING",
                {int8(id_)});
            if (made == 0) return std::nullopt;
            return record;
        }
        record.generation = to_int(rows[0][0]);
        record.expires_at = time_of(rows[0][1]);
        record.lifetime = millis_of(rows[0][2]);
        record.retry_at = time_of(rows[0][3]);
        record.fields = unwrap(parse_document(rows[0][4].value()));
        record.last_error = rows[0][5];
        const auto sealed = sealed_rows(extension, sealed_kinds::connector_token(), "s.connector_id = $1", {int8(id_)});
        if (sealed.empty()) return record;
        Opened opened = open(require_key_ring(), sealed.front());
        if (opened[0]) record.token = std::move(*opened[0]);
        if (opened[1]) record.refresh_token = std::move(*opened[1]);
        return record;
    }

    bool intend(const Extension& extension, std::int64_t generation) override {
        return update(extension, "refresh_started_at = pg_catalog.now()", {int8(id_), int8(generation)});
    }

    bool store(const Extension& extension, const TokenRecord& before, const oauth::TokenAnswer& answer) override {
        const KeyRing ring = obtain_key_ring(extension, holds_sealed_values(extension));
        return update(
            extension, store_token_assignments(),
            {int8(id_), int8(before.generation), time_param(answer.expires_at), time_param(answer.refresh_expires_at),
             millis_param(answer.lifetime), text(fields_after(before, answer).dump()), text(ring.current().id),
             sealed_param(ring, sealed_kinds::connector_token(), 0, identity_, answer.token),
             sealed_param(ring, sealed_kinds::connector_token(), 1, identity_, refresh_token_after(before, answer))});
    }

    bool fail(const Extension& extension, std::int64_t generation, RefreshFailure failure, const std::string&,
              const std::string& error, std::optional<WallTime> retry_at) override {
        std::string assignments = "refresh_started_at = NULL, last_error = $3, retry_at = " + time_parameter(4);
        // a refresh token that is refused is forgotten: the next token is asked for with the credential itself
        if (failure == RefreshFailure::reconnect_required) assignments += ", sealed_refresh_token = NULL";
        return update(extension, assignments, {int8(id_), int8(generation), text(error), time_param(retry_at)});
    }

private:
    static std::string table(const Extension& extension) { return extension.relation("sync_connector_token_store"); }
    bool update(const Extension& extension, const std::string& assignments, const std::vector<Param>& parameters) {
        return catalog_execute(extension,
                               "UPDATE " + table(extension) + " AS t SET " + assignments +
                                   " WHERE t.connector_id = $1 AND t.generation = $2",
                               parameters) > 0;
    }

    std::int64_t id_;
    std::string name_;
    std::vector<std::string> identity_;
};

}  // namespace

std::unique_ptr<TokenHolder> connection_holder(const ConnectionRow& row) {
    return std::make_unique<ConnectionHolder>(row);
}

std::unique_ptr<TokenHolder> connector_holder(const ConnectorRow& connector) {
    return std::make_unique<ConnectorHolder>(connector);
}

}  // namespace pg_pull::pg
