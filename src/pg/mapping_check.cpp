#include "pg/mapping_check.h"

#include "pg/border.h"
#include "pg/connector_check.h"
#include "pg/expression_check.h"
#include "pg/function_arguments.h"
#include "pg/locks.h"
#include "pg/mapping_rules.h"
#include "pg/target_rules.h"

namespace pg_pull::pg {
namespace {

using nlohmann::json;

std::string label(const MappingRow& mapping) { return "mapping " + in_quotes(mapping.name); }

/// The connector stays until this transaction ends.
ConnectorRow hold_connector(const Extension& extension, const MappingRow& mapping, unsigned owner) {
    ConnectorRow connector = connector_of(extension, mapping, Visible::own_changes);
    require_use(extension, connector, owner);
    catalog_query(extension,
                  "SELECT FROM " + extension.relation("sys_sync_connector") + " WHERE connector_id = $1 FOR KEY SHARE",
                  {int8(connector.id)});
    return connector;
}

/// The mapping's own pagination, or the connector's where it declares none.
PaginationConfig check_source(const MappingRow& mapping, const ConnectorRow& connector) {
    const json said = declared_pagination(mapping);
    unwrap(provider_named(connector.provider).check_source(connector.config, mapping.source, said));
    if (!said.is_null()) return unwrap(parse_pagination(said));
    const auto fallback = connector.config.find("pagination");
    return unwrap(parse_pagination(fallback == connector.config.end() ? json() : *fallback));
}

/// A value to start from that is none of the column's type would fail the first pull.
void check_initial(const MappingRow& mapping, const MappingParts& parts, const TargetTable& target) {
    if (!parts.watermark || !parts.watermark->initial) return;
    const WatermarkType type = watermark_type(mapping, parts.fields, target);
    auto value = parse_watermark_value(*parts.watermark->initial, type, parts.watermark->format);
    if (!value.ok())
        raise(fail(Reason::invalid_configuration, "watermark \"initial\": " + value.error().message)
                  .with_hint(value.error().hint));
    // and how it would be sent
    if (const auto sent = format_border(*value, *parts.watermark, *parts.watermark->initial); !sent.ok())
        raise(fail(Reason::invalid_configuration, "watermark \"initial\": " + sent.error().message)
                  .with_hint(sent.error().hint));
}

/// Somebody who has just made a mapping of the same name is no neighbour: the insert will find out.
void check_neighbours(const Extension& extension, const MappingRow& mapping, const std::vector<Field>& fields) {
    const auto others_there =
        mappings_where(extension, "m.target = $1 AND NOT (m.name = $2 AND m.package_id IS NOT DISTINCT FROM $3)",
                       {text(mapping.target), text(mapping.name), text(mapping.package)});
    for (const auto& other : others_there) {
        if (!is_sliced(mapping) && !is_sliced(other)) continue;
        const auto others = parse_fields(other.fields);
        if (others.ok() && have_separate_slices(mapping, fields, other, *others)) continue;
        raise(fail(Reason::scope_required, label(mapping) + " cannot share its target with " + label(other))
                  .with_detail("Both write to " + mapping.target +
                               ", and one of them looks at rows that the other brought.")
                  .with_hint("Fill a column by the transform \"constant\" with another value in each of them, and name "
                             "it in scope."));
    }
}

}  // namespace

void check_mapping(const Extension& extension, MappingRow& mapping, bool scope_said) {
    if (!scope_said) mapping.scope = default_scope(unwrap(parse_fields(mapping.fields)));
    const MappingParts parts = unwrap(check_mapping_rules(mapping));
    const unsigned owner = owner_oid(mapping.owner, label(mapping));
    const ConnectorRow connector = hold_connector(extension, mapping, owner);
    const PaginationConfig pagination = check_source(mapping, connector);
    unwrap(check_commit(mapping, parts.watermark, pagination));

    const TargetTable target = describe_target(mapping, owner);
    const std::vector<std::string> warnings = check_mapping_against_target(mapping, parts.fields, target);
    check_expressions(mapping, parts.fields, target, connector.provider);
    check_initial(mapping, parts, target);
    locks::lock_target(target.oid);
    check_neighbours(extension, mapping, parts.fields);
    for (const auto& text : warnings) notice(text);
    if (may_miss_moving_records(mapping, parts.watermark, pagination))
        notice(label(mapping) + " can miss a record that moves between pages while they are read",
               "It reads what changed by numbered pages.", "Set lookback in the watermark, or full_every.");
}

}  // namespace pg_pull::pg
