extern "C" {
#include "postgres.h"

#include "catalog/pg_type.h"
#include "commands/trigger.h"
#include "executor/spi.h"
#include "miscadmin.h"
#include "utils/guc.h"
}

#include "pg/as_owner.h"
#include "pg/border.h"

namespace pg_pull::pg {
namespace {

std::vector<Param> parameters_of(const apply::Statement& statement) {
    std::vector<Param> parameters;
    parameters.reserve(statement.parameters.size());
    for (const auto& value : statement.parameters) parameters.push_back(text(value));
    return parameters;
}

}  // namespace

AsOwner::AsOwner(unsigned owner) : role_(owner) {
    set_for_scope("search_path", "pg_catalog, pg_temp");
    set_for_scope("row_security", "on");
}

void set_for_scope(const char* name, const char* value) {
    call([name, value] {
        (void)set_config_option(name, value, PGC_USERSET, PGC_S_SESSION, GUC_ACTION_SAVE, true, 0, false);
    });
}

void raise_work_mem() {
    constexpr int kEnough = 64 * 1024;
    if (work_mem < kEnough) set_for_scope("work_mem", "64MB");
}

void fire_deferred_triggers(unsigned owner) {
    const AsOwner as(owner);
    call([] { AfterTriggerFireDeferred(); });
}

Rows query(const apply::Statement& statement) { return query(statement.text, parameters_of(statement)); }

std::uint64_t execute(const apply::Statement& statement) {
    std::vector<Oid> types(statement.parameters.size(), TEXTOID);
    std::vector<Datum> values;
    std::string nulls;
    for (const auto& parameter : parameters_of(statement)) {
        values.push_back(parameter.value);
        nulls.push_back(parameter.null ? 'n' : ' ');
    }
    const char* sql = statement.text.c_str();
    const int count = static_cast<int>(types.size());
    Oid* type_data = types.data();
    Datum* value_data = values.data();
    const char* null_data = nulls.c_str();
    return call([=]() -> std::uint64_t {
        const int code = SPI_execute_with_args(sql, count, type_data, value_data, null_data, false, 0);
        if (code < 0) elog(ERROR, "could not run a statement: %s", SPI_result_code_string(code));
        if (SPI_tuptable == nullptr) return SPI_processed;
        // a RETURNING clause: the tag may lie (distributed tables), the rows do not
        const std::uint64_t rows = SPI_tuptable->numvals;
        SPI_freetuptable(SPI_tuptable);
        return rows;
    });
}

std::vector<std::int64_t> query_counts(const apply::Statement& statement) {
    const Rows rows = query(statement);
    std::vector<std::int64_t> counts;
    if (rows.empty()) return counts;
    for (const auto& value : rows[0]) counts.push_back(to_int(value));
    return counts;
}

}  // namespace pg_pull::pg
