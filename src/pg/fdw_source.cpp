extern "C" {
#include "postgres.h"

#include "executor/spi.h"
#include "utils/lsyscache.h"
#include "utils/plancache.h"
}

#include <algorithm>

#include "pg/as_owner.h"
#include "pg/border.h"
#include "pg/fdw_source.h"
#include "pg/spool.h"
#include "pg/xact.h"
#include "source/postgres/read_statement.h"
#include "source/postgres/row_pages.h"

namespace pg_pull::pg {
namespace {

SPIPlanPtr prepare(const std::string& statement) {
    const char* sql = statement.c_str();
    return call([sql] {
        SPIPlanPtr plan = SPI_prepare(sql, 0, nullptr);
        if (plan == nullptr) elog(ERROR, "could not prepare a statement: %s", SPI_result_code_string(SPI_result));
        return plan;
    });
}

/// The columns that the source has, without running it.
std::vector<postgres::RemoteColumn> describe(const postgres::DatabaseSource& source) {
    SPIPlanPtr plan = prepare(postgres::describe_statement(source));
    TupleDesc shape = call([plan] {
        auto* plan_source = static_cast<CachedPlanSource*>(linitial(SPI_plan_get_plan_sources(plan)));
        return plan_source->resultDesc;
    });
    std::vector<postgres::RemoteColumn> columns;
    for (int i = 0; i < shape->natts; ++i) {
        const Oid type = TupleDescAttr(shape, i)->atttypid;
        postgres::RemoteColumn column;
        column.name = NameStr(TupleDescAttr(shape, i)->attname);
        column.type = call([type] { return getBaseType(type); });
        column.category = call([base = column.type] {
            char category = 'U';
            bool preferred = false;
            get_type_category_preferred(base, &category, &preferred);
            return category;
        });
        columns.push_back(std::move(column));
    }
    call([plan] { SPI_freeplan(plan); });
    return columns;
}

/// The text of a row's only column, valid until the rows are freed.
std::string_view json_of(HeapTuple row, TupleDesc shape) {
    struct Text {
        const char* data;
        std::size_t size;
    };
    const Text text = call([row, shape] {
        bool null = false;
        struct varlena* value = PG_DETOAST_DATUM_PACKED(SPI_getbinval(row, shape, 1, &null));
        return Text{VARDATA_ANY(value), VARSIZE_ANY_EXHDR(value)};
    });
    return {text.data, text.size};
}

/// Names are looked up in pg_catalog only; the server's error does not say so.
[[noreturn]] void raise_with_hint(const PgError& error) {
    if (error.sqlstate() != "42P01" || !error.hint().empty()) throw error;
    Error described = error.to_error();
    raise(
        std::move(described).with_hint("Qualify names by their schema: the search_path is pg_catalog, pg_temp here."));
}

class FdwSource final : public Source {
public:
    FdwSource(WorkerContext& context, unsigned owner, SourceRequest request, postgres::DatabaseSource source,
              RunCounters& counters)
        : context_(context),
          owner_(owner),
          request_(std::move(request)),
          source_(std::move(source)),
          counters_(counters) {}

    Result<std::optional<SourcePage>> next() override {
        context_.waiter().check();
        if (!was_read_) {
            read_all();
            was_read_ = true;
            if (auto page = unread_columns()) return page;
        }
        auto body = spool_.next();
        if (!body) {
            complete_ = true;
            return std::optional<SourcePage>();
        }
        PG_PULL_ASSIGN(auto page, RecordPage::open(*std::move(body), RecordFormat::json, std::nullopt, false));
        return std::optional(SourcePage{++counters_.pages, std::move(page)});
    }

    [[nodiscard]] bool complete() const override { return complete_; }

private:
    void read_all() {
        Transaction transaction;
        (void)context_.checked_extension();
        {
            const AsOwner as(owner_);
            // functions of the owner's run here: a source is read, as at a remote server
            set_for_scope("transaction_read_only", "on");
            const postgres::ReadStatement statement = make_statement();
            unread_ = statement.unread;
            read_rows(statement.select);
            spool_.rewind();
        }
        fire_deferred_triggers(owner_);
        transaction.commit();
    }

    postgres::ReadStatement make_statement() {
        try {
            constexpr bool lines_allowed = false;
            return unwrap(postgres::read_statement(request_, source_, describe(source_), lines_allowed));
        } catch (const PgError& error) {
            raise_with_hint(error);
        }
    }

    void read_rows(const std::string& select) {
        SPIPlanPtr plan = prepare(select);
        Portal portal = call([plan] { return SPI_cursor_open(nullptr, plan, nullptr, nullptr, false); });
        postgres::RecordPages pages;
        long wanted = first_fetch;
        while (wanted > 0) wanted = fetch(portal, wanted, pages);
        if (!pages.empty()) spool_.append(pages.take());
        call([portal] { SPI_cursor_close(portal); });
    }

    /// Returns how many rows the next fetch should take: about a page's worth; 0 at the end.
    long fetch(Portal portal, long wanted, postgres::RecordPages& pages) {
        call([portal, wanted] { SPI_cursor_fetch(portal, true, wanted); });
        const std::uint64_t rows = SPI_processed;
        SPITupleTable* table = SPI_tuptable;
        std::size_t bytes = 0;
        for (std::uint64_t i = 0; i < rows; ++i) {
            const std::string_view record = json_of(table->vals[i], table->tupdesc);
            bytes += record.size();
            pages.add(record);
            if (pages.full()) spool_.append(pages.take());
        }
        call([table] { SPI_freetuptable(table); });
        counters_.bytes_read += static_cast<std::int64_t>(bytes);
        context_.progress(RunPhase::fetching, counters_);
        context_.waiter().check();
        if (rows == 0) return 0;
        return std::clamp(static_cast<long>(postgres::page_bytes / (bytes / rows + 1)), 1L, most_fetched);
    }

    /// What no field stores, told once: a page without lines. Not where the caller only looks.
    std::optional<SourcePage> unread_columns() {
        if (unread_.empty() || request_.plan == nullptr || request_.max_records > 0) return std::nullopt;
        StagedPage page;
        page.unmapped_keys = std::move(unread_);
        return SourcePage{0, std::move(page)};
    }

    static constexpr long first_fetch = 50;
    static constexpr long most_fetched = 1000;

    WorkerContext& context_;
    unsigned owner_;
    SourceRequest request_;
    postgres::DatabaseSource source_;
    RunCounters& counters_;
    Spool spool_;
    std::vector<std::string> unread_;
    bool was_read_ = false;
    bool complete_ = false;
};

}  // namespace

std::unique_ptr<Source> open_fdw_source(WorkerContext& context, unsigned owner, const SourceRequest& request,
                                        RunCounters& counters) {
    auto source = unwrap(postgres::parse_database_source(request.source));
    return std::make_unique<FdwSource>(context, owner, request, std::move(source), counters);
}

}  // namespace pg_pull::pg
