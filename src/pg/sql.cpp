extern "C" {
#include "postgres.h"

#include "catalog/pg_type.h"
#include "executor/spi.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/snapmgr.h"
}

#include "pg/border.h"
#include "pg/sql.h"

namespace pg_pull::pg {
namespace {

Param varlena(unsigned type, std::string_view value) {
    const char* data = value.data();
    const auto size = static_cast<int>(value.size());
    const Datum datum = call([data, size] { return PointerGetDatum(cstring_to_text_with_len(data, size)); });
    return Param{type, datum, false};
}

}  // namespace

Param text(std::string_view value) { return varlena(TEXTOID, value); }
Param text(const std::string& value) { return varlena(TEXTOID, value); }
Param text(const char* value) { return varlena(TEXTOID, value); }
Param text(const std::optional<std::string>& value) { return value ? text(*value) : Param{TEXTOID, 0, true}; }
Param int8(std::int64_t value) { return Param{INT8OID, Int64GetDatum(value), false}; }
Param int8(std::optional<std::int64_t> value) { return value ? int8(*value) : Param{INT8OID, 0, true}; }
Param boolean(bool value) { return Param{BOOLOID, BoolGetDatum(value), false}; }
Param float8(double value) { return Param{FLOAT8OID, Float8GetDatum(value), false}; }
Param bytea(std::string_view value) { return varlena(BYTEAOID, value); }
Param bytea(const std::string& value) { return varlena(BYTEAOID, value); }
Param bytea(const std::optional<std::string>& value) { return value ? bytea(*value) : Param{BYTEAOID, 0, true}; }
Param oid(unsigned value) { return Param{OIDOID, ObjectIdGetDatum(value), false}; }

Param text_array(const std::vector<std::string>& values) {
    std::vector<Datum> datums;
    datums.reserve(values.size());
    for (const auto& value : values) datums.push_back(text(value).value);
    Datum* data = datums.data();
    const int count = static_cast<int>(datums.size());
    const Datum array =
        call([data, count] { return PointerGetDatum(construct_array(data, count, TEXTOID, -1, false, TYPALIGN_INT)); });
    return Param{TEXTARRAYOID, array, false};
}

Spi::Spi() : exceptions_(std::uncaught_exceptions()) {
    call([] {
        if (SPI_connect() != SPI_OK_CONNECT) elog(ERROR, "could not connect to SPI");
    });
}

Spi::~Spi() {
    if (std::uncaught_exceptions() == exceptions_) SPI_finish();
}

namespace {

const char* value_of(HeapTuple tuple, TupleDesc shape, int column) {
    return call([=] { return const_cast<const char*>(SPI_getvalue(tuple, shape, column)); });
}

std::vector<Rows::Value> row_of(HeapTuple tuple, TupleDesc shape) {
    std::vector<Rows::Value> row(static_cast<std::size_t>(shape->natts));
    for (int i = 0; i < shape->natts; ++i) {
        const char* value = value_of(tuple, shape, i + 1);
        if (value == nullptr) continue;
        row[static_cast<std::size_t>(i)] = value;
        pfree(const_cast<char*>(value));
    }
    return row;
}

}  // namespace

Rows query(const std::string& statement, const std::vector<Param>& parameters, bool read_only) {
    std::vector<Oid> types;
    std::vector<Datum> values;
    std::string nulls;
    for (const auto& parameter : parameters) {
        types.push_back(parameter.type);
        values.push_back(parameter.value);
        nulls.push_back(parameter.null ? 'n' : ' ');
    }
    const char* sql = statement.c_str();
    Oid* type_data = types.data();
    Datum* value_data = values.data();
    const char* null_data = nulls.c_str();
    const int count = static_cast<int>(parameters.size());
    const int code =
        call([=] { return SPI_execute_with_args(sql, count, type_data, value_data, null_data, read_only, 0); });
    if (code < 0)
        raise(Error{
            Reason::none, "XX000", std::string("could not run a statement: ") + SPI_result_code_string(code), {}, {}});
    Rows rows;
    rows.processed = SPI_processed;
    if (SPI_tuptable == nullptr) return rows;
    SPITupleTable* table = SPI_tuptable;
    rows.rows_.reserve(table->numvals);
    for (std::uint64_t i = 0; i < table->numvals; ++i) rows.rows_.push_back(row_of(table->vals[i], table->tupdesc));
    SPI_freetuptable(table);
    return rows;
}

Rows query_latest(const std::string& statement, const std::vector<Param>& parameters) {
    call([] { PushActiveSnapshot(GetLatestSnapshot()); });
    Rows rows = query(statement, parameters, true);  // read only: on the snapshot that is active
    call([] { PopActiveSnapshot(); });
    return rows;
}

std::uint64_t execute(const std::string& statement, const std::vector<Param>& parameters) {
    return query(statement, parameters).processed;
}

std::string quote_identifier(const std::string& name) {
    const char* data = name.c_str();
    return call([data] { return ::quote_identifier(data); });
}

std::string quote_literal(const std::string& value) {
    const char* data = value.c_str();
    return call([data] { return const_cast<const char*>(quote_literal_cstr(data)); });
}

}  // namespace pg_pull::pg
