extern "C" {
#include "postgres.h"

#include "access/xlog.h"
#include "catalog/pg_type.h"
#include "fmgr.h"
#include "funcapi.h"
#include "pgstat.h"
#include "tcop/tcopprot.h"
#include "tcop/utility.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/jsonb.h"
#include "utils/timestamp.h"

#include "pg/compat.h"
}

#include "core/base/error_text.h"
#include "core/json/document.h"
#include "pg/border.h"
#include "pg/function_arguments.h"

namespace pg_pull::pg {
namespace {

Datum value_at(FunctionCallInfoBaseData* fcinfo, int position) { return PG_GETARG_DATUM(position); }

std::string text_of(Datum datum) {
    const text* value = call([datum] { return static_cast<const text*>(DatumGetTextPP(datum)); });
    return std::string(VARDATA_ANY(value), VARSIZE_ANY_EXHDR(value));
}

nlohmann::json document_of(Datum datum, const char* name) {
    const char* printed = call([datum] {
        Jsonb* value = DatumGetJsonbP(datum);
        return const_cast<const char*>(JsonbToCString(nullptr, &value->root, VARSIZE(value)));
    });
    auto parsed = parse_document(printed);
    // jsonb is always valid JSON: all that can be wrong with it is its depth
    if (!parsed.ok())
        raise(fail(Reason::invalid_configuration, std::string("argument \"") + name + "\" is nested too deeply"));
    return std::move(parsed).value();
}

[[noreturn]] void raise_null(const char* name) {
    raise(Error{Reason::none, "22004", std::string("argument \"") + name + "\" must not be null", {}, {}});
}

std::string not_empty(std::string value, const char* name, const char* hint) {
    if (value.empty())
        raise(Error{
            Reason::none, "22023", std::string("argument \"") + name + "\" must not be an empty string", {}, hint});
    return value;
}

constexpr const char* kPackageHint = "Leave the package out, or pass NULL, where none is meant.";
constexpr const char* kOrganizationHint = "Leave the organization out, or pass NULL, where none is meant.";

}  // namespace

bool Arguments::is_null(int position) const { return call_->args[position].isnull; }

void Arguments::require(int position, const char* name) const {
    if (is_null(position)) raise_null(name);
}

std::string Arguments::text(int position, const char* name) const {
    require(position, name);
    return text_of(value_at(call_, position));
}

std::string Arguments::name(int position, const char* name) const {
    require(position, name);
    return NameStr(*DatumGetName(value_at(call_, position)));
}

nlohmann::json Arguments::document(int position, const char* name) const {
    require(position, name);
    return document_of(value_at(call_, position), name);
}

std::int64_t Arguments::int8(int position, const char* name) const {
    require(position, name);
    return DatumGetInt64(value_at(call_, position));
}

std::string Arguments::organization(int position, const char* name) const {
    return not_empty(text(position, name), name, "");
}

std::string Arguments::package(int position, const char* name) const {
    return not_empty(text(position, name), name, "");
}

std::optional<std::string> Arguments::optional_text(int position) const {
    if (is_null(position)) return std::nullopt;
    return text_of(value_at(call_, position));
}

std::optional<nlohmann::json> Arguments::optional_document(int position, const char* name) const {
    if (is_null(position)) return std::nullopt;
    return document_of(value_at(call_, position), name);
}

std::optional<std::vector<std::string>> Arguments::optional_text_array(int position, const char* name) const {
    if (is_null(position)) return std::nullopt;
    struct Elements {
        Datum* values;
        bool* nulls;
        int count;
    };
    const Datum datum = value_at(call_, position);
    const Elements elements = call([datum] {
        Elements result{nullptr, nullptr, 0};
        deconstruct_array(DatumGetArrayTypeP(datum), TEXTOID, -1, false, TYPALIGN_INT, &result.values, &result.nulls,
                          &result.count);
        return result;
    });
    std::vector<std::string> texts;
    for (int i = 0; i < elements.count; ++i) {
        if (elements.nulls[i])
            raise(
                Error{Reason::none, "22004", std::string("argument \"") + name + "\" must not contain nulls", {}, {}});
        texts.push_back(text_of(elements.values[i]));
    }
    return texts;
}

std::optional<std::string> Arguments::optional_organization(int position, const char* name) const {
    auto value = optional_text(position);
    if (value) return not_empty(*std::move(value), name, kOrganizationHint);
    return value;
}

std::optional<std::string> Arguments::optional_package(int position, const char* name) const {
    auto value = optional_text(position);
    if (value) return not_empty(*std::move(value), name, kPackageHint);
    return value;
}

std::optional<std::string> Arguments::optional_interval(int position) const {
    if (is_null(position)) return std::nullopt;
    const Datum datum = value_at(call_, position);
    return call([datum] { return const_cast<const char*>(DatumGetCString(DirectFunctionCall1(interval_out, datum))); });
}

bool Arguments::flag(int position, bool fallback) const {
    return is_null(position) ? fallback : DatumGetBool(value_at(call_, position));
}

int Arguments::int4(int position, int fallback) const {
    return is_null(position) ? fallback : DatumGetInt32(value_at(call_, position));
}

double Arguments::float8(int position, double fallback) const {
    return is_null(position) ? fallback : DatumGetFloat8(value_at(call_, position));
}

TableResult::TableResult(FunctionCallInfoBaseData* fcinfo) : call_(fcinfo) {
    input_ = call([fcinfo] {
        pg_pull_init_materialized_srf(fcinfo);
        auto* info = reinterpret_cast<ReturnSetInfo*>(fcinfo->resultinfo);
        return static_cast<void*>(TupleDescGetAttInMetadata(info->setDesc));
    });
}

void TableResult::add(const std::vector<std::optional<std::string>>& values) {
    std::vector<char*> texts;
    for (const auto& value : values) texts.push_back(value ? const_cast<char*>(value->c_str()) : nullptr);
    auto* info = reinterpret_cast<ReturnSetInfo*>(call_->resultinfo);
    auto* input = static_cast<AttInMetadata*>(input_);
    if (static_cast<int>(texts.size()) != info->setDesc->natts)
        raise(Error{Reason::none, "XX000", "internal error: a result row has the wrong number of columns", {}, {}});
    char** data = texts.data();
    call([info, input, data] { tuplestore_puttuple(info->setResult, BuildTupleFromCStrings(input, data)); });
}

std::uintptr_t no_value() { return 0; }
std::uintptr_t int8_result(std::int64_t value) { return Int64GetDatum(value); }
std::uintptr_t boolean_result(bool value) { return BoolGetDatum(value); }

std::string array_literal(const std::vector<std::string>& values) {
    std::string literal = "{";
    for (const auto& value : values) {
        literal += literal.size() > 1 ? ",\"" : "\"";
        for (const char c : value) {
            if (c == '"' || c == '\\') literal += '\\';
            literal += c;
        }
        literal += '"';
    }
    return literal + '}';
}

void refuse_read_only(const char* function) {
    call([function] { PreventCommandIfReadOnly(function); });
}

void forget_statement(const char* shown) {
    call([shown] {
        debug_query_string = nullptr;
        pgstat_report_activity(STATE_RUNNING, shown);
    });
}

void refuse_standby(const char* function) {
    if (call([] { return RecoveryInProgress(); }))
        raise(fail(Reason::standby, std::string("cannot execute ") + function + " while the server is in recovery"));
}

namespace {

void report(int level, const std::string& message, const std::string& detail, const std::string& hint) {
    const Error shown = presentable(Error{Reason::none, {}, message, detail, hint});
    const char* m = shown.message.c_str();
    const char* d = shown.detail.empty() ? nullptr : shown.detail.c_str();
    const char* h = shown.hint.empty() ? nullptr : shown.hint.c_str();
    call([=] {
        ereport(level, (errmsg_internal("%s", m), d != nullptr ? errdetail_internal("%s", d) : 0,
                        h != nullptr ? errhint("%s", h) : 0));
    });
}

}  // namespace

void notice(const std::string& message, const std::string& detail, const std::string& hint) {
    report(NOTICE, message, detail, hint);
}

void warning(const std::string& message, const std::string& detail, const std::string& hint) {
    report(WARNING, message, detail, hint);
}

}  // namespace pg_pull::pg
