#include "pg/mapping_rules.h"

#include <algorithm>
#include <initializer_list>
#include <set>

#include "core/json/keys.h"
#include "core/mapping/predicate.h"

namespace pg_pull::pg {
namespace {

Error invalid(std::string message) { return fail(Reason::invalid_configuration, std::move(message)); }

Result<void> check_word(const char* argument, const std::string& value, std::initializer_list<std::string_view> known) {
    if (std::find(known.begin(), known.end(), value) != known.end()) return {};
    std::string list;
    for (const auto word : known) list.append(list.empty() ? "" : ", ").append(in_quotes(word));
    Error error =
        invalid(std::string(argument) + " cannot be " + in_quotes(value)).with_detail("Known values are " + list + ".");
    const std::string near = nearest_key(value, known);
    error.hint = near.empty() ? "Choose one of them." : "Did you mean " + in_quotes(near) + "?";
    return error;
}

Result<void> check_words(const MappingRow& m) {
    PG_PULL_CHECK(check_word("mode", m.mode, {"insert", "update", "upsert", "replace", "history"}));
    PG_PULL_CHECK(check_word("delete_mode", m.delete_mode, {"ignore", "soft", "hard"}));
    PG_PULL_CHECK(check_word("commit", m.commit, {"run", "page"}));
    PG_PULL_CHECK(check_word("missing", m.missing, {"null", "keep"}));
    PG_PULL_CHECK(check_word("on_error", m.on_error, {"reject", "fail"}));
    // written so that NaN is refused, too
    if (!(m.max_delete_fraction >= 0 && m.max_delete_fraction <= 1))
        return invalid("max_delete_fraction must be between 0 and 1");
    if (m.max_rejects < 0) return invalid("max_rejects must not be negative");
    if (m.deleted_at.empty()) return invalid("deleted_at must not be an empty string");
    return {};
}

Result<void> check_names(const char* argument, const std::vector<std::string>& columns) {
    std::set<std::string> seen;
    for (const auto& column : columns) {
        if (column.empty()) return invalid(std::string(argument) + " must not contain an empty string");
        if (!seen.insert(column).second)
            return invalid(std::string(argument) + " names column " + in_quotes(column) + " twice");
    }
    return {};
}

Result<void> check_key(const MappingRow& m) {
    PG_PULL_CHECK(check_names("key", m.key));
    PG_PULL_CHECK(check_names("scope", m.scope));
    if (m.mode == "insert" && !m.key.empty() && m.delete_mode == "ignore")
        return invalid("mode \"insert\" takes no key")
            .with_hint("Choose mode \"upsert\" if rows with the same key are to be changed, or leave the key out.");
    return {};
}

const Field* field_of(const std::vector<Field>& fields, const std::string& column) {
    for (const auto& field : fields)
        if (std::find(field.targets.begin(), field.targets.end(), column) != field.targets.end()) return &field;
    return nullptr;
}

Result<std::optional<WatermarkConfig>> check_watermark(const MappingRow& m) {
    if (!m.watermark) return std::optional<WatermarkConfig>();
    PG_PULL_ASSIGN(WatermarkConfig watermark, parse_watermark(*m.watermark));
    if (m.mode == "replace")
        return invalid("mode \"replace\" takes no watermark")
            .with_detail("A pull from a watermark on brings only what changed, and a replace would delete all else.")
            .with_hint("Choose mode \"upsert\", or leave the watermark out.");
    return std::optional(std::move(watermark));
}

}  // namespace

std::vector<std::string> default_scope(const std::vector<Field>& fields) {
    std::vector<std::string> scope;
    for (const auto& field : fields)
        if (field.transform == Transform::none && field.sources.size() == 1 &&
            field.sources[0].pseudo == Pseudo::organization)
            scope.insert(scope.end(), field.targets.begin(), field.targets.end());
    return scope;
}

Result<MappingParts> check_mapping_rules(const MappingRow& mapping) {
    MappingParts parts;
    PG_PULL_CHECK(check_words(mapping));
    PG_PULL_ASSIGN(parts.fields, parse_fields(mapping.fields));
    PG_PULL_CHECK(check_key(mapping));
    if (mapping.deleted_when) PG_PULL_CHECK(parse_predicates(*mapping.deleted_when, "deleted_when"));
    PG_PULL_ASSIGN(parts.watermark, check_watermark(mapping));
    return parts;
}

Result<void> check_commit(const MappingRow& m, const std::optional<WatermarkConfig>& watermark,
                          const PaginationConfig& pagination) {
    if (m.commit != "page") return {};
    const std::string message = "commit \"page\" is not sound for this mapping";
    if (m.mode == "replace" || m.mode == "history" || m.delete_mode != "ignore")
        return invalid(message)
            .with_detail("What is absent from a pull is known only when all pages were read.")
            .with_hint("Choose commit \"run\".");
    const bool ordered = watermark && watermark->order == WatermarkConfig::Order::asc;
    const bool resumable = pagination.type == PaginationType::cursor || pagination.type == PaginationType::odata ||
                           pagination.type == PaginationType::relay;
    if (!ordered && !resumable)
        return invalid(message)
            .with_detail("After an interruption the next pull would begin behind records that were never read.")
            .with_hint("Declare the watermark's order as \"asc\" if the source sorts by it, or choose commit \"run\".");
    return invalid("commit \"page\" is not supported yet").with_code("0A000").with_hint("Choose commit \"run\".");
}

bool may_miss_moving_records(const MappingRow& m, const std::optional<WatermarkConfig>& watermark,
                             const PaginationConfig& pagination) {
    if (!watermark || watermark->lookback_given || m.full_every) return false;
    return pagination.type == PaginationType::page || pagination.type == PaginationType::offset;
}

bool is_sliced(const MappingRow& m) {
    return m.watermark || m.mode == "replace" || m.mode == "history" || m.delete_mode != "ignore";
}

bool have_separate_slices(const MappingRow& a, const std::vector<Field>& fields_of_a, const MappingRow& b,
                          const std::vector<Field>& fields_of_b) {
    for (const auto& column : a.scope) {
        if (std::find(b.scope.begin(), b.scope.end(), column) == b.scope.end()) continue;
        const Field* one = field_of(fields_of_a, column);
        const Field* other = field_of(fields_of_b, column);
        if (one == nullptr || other == nullptr) continue;
        if (one->transform == Transform::constant && other->transform == Transform::constant && one->constant &&
            other->constant && *one->constant != *other->constant)
            return true;
    }
    return false;
}

}  // namespace pg_pull::pg
