#include "source/postgres/postgres_source.h"

#include <libpq-fe.h>

#include <cstdlib>
#include <map>

#include "core/json/config_reader.h"
#include "source/postgres/connection.h"
#include "source/postgres/conninfo.h"
#include "source/postgres/database_source.h"
#include "source/postgres/read_statement.h"
#include "source/postgres/row_pages.h"

namespace pg_pull::postgres {
namespace {

/// Texts come out the same whatever the remote's settings are. LOCAL: a pooler may give the session to somebody else next.
constexpr const char* begin_statements =
    "BEGIN TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY;"
    "SET LOCAL DateStyle = 'ISO, YMD';"
    "SET LOCAL IntervalStyle = 'postgres';"
    "SET LOCAL TimeZone = 'UTC';"
    "SET LOCAL extra_float_digits = 3;"
    "SET LOCAL bytea_output = 'hex';"
    "SET LOCAL idle_in_transaction_session_timeout = 0";

struct PostgresConfig {
    std::string conninfo;
    std::string credential_ref;  ///< empty: no password
};

Result<std::string> parse_password_ref(const nlohmann::json& auth) {
    std::string type = "none";
    std::string per = "connector";
    std::string reference;
    const nlohmann::json nothing = nlohmann::json::object();
    ConfigReader reader(auth.is_null() ? nothing : auth, "auth", {"type", "per", "credential_ref"});
    reader.text("type", type);
    reader.text("per", per);
    reader.text("credential_ref", reference);
    if (type != "none" && type != "basic")
        reader.refuse("type", "cannot be \"" + type + "\" for the provider postgres",
                      "It is \"none\", or \"basic\" with the credential_ref of the password.");
    if (per != "connector") reader.refuse("per", "must be \"connector\" for the provider postgres");
    if (type == "basic") reader.require("credential_ref");
    if (type == "none" && !reference.empty()) reader.refuse("credential_ref", "needs \"type\": \"basic\"");
    PG_PULL_CHECK(reader.finish());
    return reference;
}

Result<PostgresConfig> parse_config(const nlohmann::json& config, const nlohmann::json& auth) {
    PostgresConfig parsed;
    ConfigReader reader(config, "config", {"conninfo"});
    reader.require("conninfo");
    reader.text("conninfo", parsed.conninfo);
    PG_PULL_CHECK(reader.finish());
    PG_PULL_ASSIGN(parsed.credential_ref, parse_password_ref(auth));
    return parsed;
}

RemoteColumn column_of(const ResultSet& result, int index) {
    return RemoteColumn{PQfname(result.get(), index), PQftype(result.get(), index), 'U'};
}

std::string oid_list(const std::vector<RemoteColumn>& columns) {
    std::string list;
    for (const auto& column : columns) list.append(list.empty() ? "" : ",").append(std::to_string(column.type));
    return list;
}

class PostgresSource final : public Source {
public:
    PostgresSource(SourceContext& context, SourceRequest request, PostgresConfig config, DatabaseSource source)
        : context_(context), request_(std::move(request)), config_(std::move(config)), source_(std::move(source)) {}

    Result<std::optional<SourcePage>> next() override {
        context_.waiter.check();
        if (complete_) return std::optional<SourcePage>();
        if (connection_ == nullptr) {
            PG_PULL_CHECK(begin());
            if (auto page = unread_columns()) return page;
        }
        return lines_ ? next_lines() : next_records();
    }

    [[nodiscard]] bool complete() const override { return complete_; }

private:
    Result<void> begin() {
        PG_PULL_ASSIGN(Options options, parse_conninfo(config_.conninfo));
        Secret password;
        if (!config_.credential_ref.empty()) {
            password = context_.credential(config_.credential_ref);
            context_.redactor.add(password);
        }
        PG_PULL_ASSIGN(connection_, Connection::open(context_, request_.connector, std::move(options), password));
        PG_PULL_CHECK(connection_->run(begin_statements));
        PG_PULL_ASSIGN(const auto columns, describe());
        PG_PULL_ASSIGN(statement_, read_statement(request_, source_, columns, true));
        if (statement_.lines) lines_.emplace(*request_.plan);
        ++context_.counters.requests;
        return connection_->start_copy(statement_.select);
    }

    Result<std::vector<RemoteColumn>> describe() {
        PG_PULL_ASSIGN(const ResultSet shape, connection_->describe(describe_statement(source_)));
        std::vector<RemoteColumn> columns;
        for (int i = 0; i < PQnfields(shape.get()); ++i) columns.push_back(column_of(shape, i));
        if (columns.empty()) return columns;
        PG_PULL_ASSIGN(const ResultSet types,
                       connection_->query("SELECT oid, typcategory FROM pg_catalog.pg_type WHERE oid IN (" +
                                          oid_list(columns) + ")"));
        std::map<unsigned, char> categories;
        for (int i = 0; i < PQntuples(types.get()); ++i)
            categories[static_cast<unsigned>(std::strtoul(PQgetvalue(types.get(), i, 0), nullptr, 10))] =
                PQgetvalue(types.get(), i, 1)[0];
        for (auto& column : columns)
            if (const auto found = categories.find(column.type); found != categories.end())
                column.category = found->second;
        return columns;
    }

    /// What no field stores, told once: a page without lines. Not where the caller only looks.
    std::optional<SourcePage> unread_columns() {
        if (statement_.unread.empty() || request_.plan == nullptr || request_.max_records > 0) return std::nullopt;
        StagedPage page;
        page.unmapped_keys = std::move(statement_.unread);
        return SourcePage{0, std::move(page)};
    }

    /// Fills `pages` until it has a page or the rows have ended.
    template <class Pages, class Add>
    Result<void> fill(const Pages& pages, Add add) {
        while (!pages.full()) {
            PG_PULL_ASSIGN(const auto row, connection_->next_row());
            if (!row) return finish();
            context_.counters.bytes_read += static_cast<std::int64_t>(row->size());
            add(*row);
        }
        return {};
    }

    Result<std::optional<SourcePage>> next_lines() {
        PG_PULL_CHECK(fill(*lines_, [this](std::string_view row) { lines_->add(row); }));
        if (lines_->empty()) return std::optional<SourcePage>();
        const std::int64_t number = ++context_.counters.pages;
        return std::optional(SourcePage{number, lines_->take(number)});
    }

    Result<std::optional<SourcePage>> next_records() {
        PG_PULL_CHECK(fill(records_, [this](std::string_view row) { records_.add_copied(row); }));
        if (records_.empty()) return std::optional<SourcePage>();
        PG_PULL_ASSIGN(auto page, RecordPage::open(records_.take(), RecordFormat::json, std::nullopt, false));
        return std::optional(SourcePage{++context_.counters.pages, std::move(page)});
    }

    Result<void> finish() {
        PG_PULL_CHECK(connection_->run("COMMIT"));
        complete_ = true;
        connection_.reset();
        return {};
    }

    SourceContext& context_;
    SourceRequest request_;
    PostgresConfig config_;
    DatabaseSource source_;
    std::unique_ptr<Connection> connection_;
    ReadStatement statement_;
    std::optional<LinePages> lines_;
    RecordPages records_;
    bool complete_ = false;
};

}  // namespace

Result<void> check_connector(const nlohmann::json& config, const nlohmann::json& auth) {
    PG_PULL_ASSIGN(const auto parsed, parse_config(config, auth));
    return check_conninfo(parsed.conninfo, true);
}

Result<void> check_source(const nlohmann::json&, const nlohmann::json& source, const nlohmann::json& pagination) {
    return check_database_source(source, pagination);
}

Result<std::unique_ptr<Source>> open_source(SourceContext& context, const SourceRequest& request) {
    PG_PULL_ASSIGN(auto config, parse_config(request.config, request.auth));
    PG_PULL_ASSIGN(auto source, parse_database_source(request.source));
    return std::unique_ptr<Source>(
        std::make_unique<PostgresSource>(context, request, std::move(config), std::move(source)));
}

}  // namespace pg_pull::postgres
