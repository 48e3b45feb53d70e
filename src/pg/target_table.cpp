extern "C" {
#include "postgres.h"

#include "access/nbtree.h"
#include "access/relation.h"
#include "catalog/catalog.h"
#include "catalog/dependency.h"
#include "catalog/namespace.h"
#include "catalog/pg_class.h"
#include "catalog/pg_collation.h"
#include "catalog/pg_operator.h"
#include "catalog/pg_type.h"
#include "nodes/makefuncs.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/pg_locale.h"
#include "utils/regproc.h"
#include "utils/rel.h"
#include "utils/rls.h"
#include "utils/syscache.h"
#include "utils/typcache.h"

#include "pg/compat.h"
}

#include <algorithm>

#include "core/apply/statement.h"
#include "pg/as_owner.h"
#include "pg/border.h"
#include "pg/column_types.h"
#include "pg/target_table.h"

namespace pg_pull::pg {
namespace {

using apply::quote_name;

/// What pg_class says, in plain values; texts are palloc'ed.
struct RelationFacts {
    Oid oid;
    char kind;
    char persistence;
    bool system;
    bool of_extension;
    bool row_security;
    double tuples;
    const char* name;
    const char* schema;
};

Oid find_relation(const std::string& name, unsigned owner) {
    const AsOwner as(owner);
    const char* text = name.c_str();
    return call([text] {
        RangeVar* range = makeRangeVarFromNameList(pg_pull_qualified_name_list(text));
        return RangeVarGetRelid(range, NoLock, true);
    });
}

RelationFacts relation_facts(Oid oid, unsigned owner) {
    return call([oid, owner] {
        RelationFacts facts{};
        Relation relation = relation_open(oid, AccessShareLock);
        facts.oid = oid;
        facts.kind = relation->rd_rel->relkind;
        facts.persistence = relation->rd_rel->relpersistence;
        facts.system = IsCatalogRelation(relation) || IsToastRelation(relation) ||
                       strcmp(get_namespace_name(RelationGetNamespace(relation)), "information_schema") == 0;
        facts.of_extension = OidIsValid(getExtensionOfObject(RelationRelationId, oid));
        facts.row_security = check_enable_rls(oid, owner, true) == RLS_ENABLED;
        facts.tuples = relation->rd_rel->reltuples;
        facts.name = pstrdup(RelationGetRelationName(relation));
        facts.schema = get_namespace_name(RelationGetNamespace(relation));
        relation_close(relation, AccessShareLock);
        return facts;
    });
}

Error missing_table(const std::string& name, const std::string& what) {
    return Error{Reason::none, "42P01", "relation " + name + " does not exist", "It is " + what + ".",
                 "Create the table, or correct its name; write the schema before it."};
}

const char* refusal(const RelationFacts& facts) {
    if (facts.system) return "It is a system table.";
    if (facts.persistence == RELPERSISTENCE_TEMP) return "It is a temporary table, which a worker cannot see.";
    if (facts.of_extension) return "It belongs to an extension.";
    switch (facts.kind) {
        case RELKIND_RELATION:
        case RELKIND_PARTITIONED_TABLE:
        case RELKIND_FOREIGN_TABLE:
            return nullptr;
        case RELKIND_VIEW:
            return "It is a view.";
        case RELKIND_MATVIEW:
            return "It is a materialized view.";
        case RELKIND_SEQUENCE:
            return "It is a sequence.";
        case RELKIND_INDEX:
        case RELKIND_PARTITIONED_INDEX:
            return "It is an index.";
        default:
            return "It is no table.";
    }
}

bool is_true(const Rows::Value& value) { return to_bool(value); }

/// `pg_dist_partition` exists only where Citus is installed.
bool is_distributed(unsigned oid) {
    if (!is_true(query("SELECT pg_catalog.to_regclass('pg_catalog.pg_dist_partition') IS NOT NULL").one()))
        return false;
    return is_true(
        query("SELECT EXISTS (SELECT FROM pg_catalog.pg_dist_partition WHERE logicalrelid = $1::pg_catalog.regclass)",
              {pg::oid(oid)})
            .one());
}

TargetKind kind_of(const RelationFacts& facts) {
    if (facts.kind == RELKIND_FOREIGN_TABLE) return TargetKind::foreign;
    if (is_distributed(facts.oid)) return TargetKind::distributed;
    if (facts.kind == RELKIND_PARTITIONED_TABLE &&
        is_true(query("SELECT EXISTS (SELECT FROM pg_catalog.pg_partition_tree($1::pg_catalog.regclass) p "
                      "JOIN pg_catalog.pg_class c ON c.oid = p.relid WHERE c.relkind = 'f')",
                      {pg::oid(facts.oid)})
                    .one()))
        return TargetKind::foreign;
    return TargetKind::ordinary;
}

std::vector<TargetIndex> unique_indexes(unsigned oid) {
    const Rows rows = query(
        "SELECT c.relname, i.indisexclusion, i.indpred IS NULL AND i.indexprs IS NULL, "
        "       (SELECT pg_catalog.json_agg(a.attname ORDER BY k.n) "
        "          FROM pg_catalog.generate_series(0, i.indnkeyatts - 1) AS k(n) "
        "          JOIN pg_catalog.pg_attribute a ON a.attrelid = i.indrelid AND a.attnum = i.indkey[k.n]) "
        "  FROM pg_catalog.pg_index i JOIN pg_catalog.pg_class c ON c.oid = i.indexrelid "
        " WHERE i.indrelid = $1 AND (i.indisunique OR i.indisexclusion) AND i.indisvalid ORDER BY c.relname",
        {pg::oid(oid)});
    std::vector<TargetIndex> indexes;
    for (const auto& row : rows) {
        TargetIndex index{row[0].value_or(""), {}, is_true(row[2]), is_true(row[1])};
        if (row[3]) index.columns = nlohmann::json::parse(*row[3]).get<std::vector<std::string>>();
        indexes.push_back(std::move(index));
    }
    return indexes;
}

/// Constraints and triggers of the table and, since a row may go to any of them, of its partitions, however deep; and whether the
/// table has rules that rewrite what is written to it.
void read_rules(TargetTable& target) {
    const Rows rows = query(
        "WITH RECURSIVE t AS (SELECT $1 AS oid UNION "
        "                     SELECT i.inhrelid FROM pg_catalog.pg_inherits i JOIN t ON i.inhparent = t.oid) "
        "SELECT EXISTS (SELECT FROM pg_catalog.pg_constraint c JOIN t ON c.conrelid = t.oid WHERE c.contype = 'c'), "
        "       EXISTS (SELECT FROM pg_catalog.pg_constraint c JOIN t ON c.conrelid = t.oid WHERE c.contype = 'f'), "
        "       EXISTS (SELECT FROM pg_catalog.pg_trigger g JOIN t ON g.tgrelid = t.oid "
        "                WHERE NOT g.tgisinternal AND g.tgenabled <> 'D'), "
        "       EXISTS (SELECT FROM pg_catalog.pg_trigger g JOIN t ON g.tgrelid = t.oid "
        "                WHERE NOT g.tgisinternal AND g.tgenabled <> 'D' AND g.tgtype & 3 = 3), "
        "       EXISTS (SELECT FROM pg_catalog.pg_rewrite r "
        "                WHERE r.ev_class = $1 AND r.ev_type <> '1' AND r.ev_enabled <> 'D')",
        {pg::oid(target.oid)});
    target.has_checks = is_true(rows[0][0]);
    target.has_foreign_keys = is_true(rows[0][1]);
    target.has_row_triggers = is_true(rows[0][2]);
    target.has_before_triggers = is_true(rows[0][3]);
    target.has_rules = is_true(rows[0][4]);
}

/// Rows stay hidden unless, for reading and each way of writing, a permissive policy lets every row pass and no restrictive
/// one narrows that.
bool hides_rows(unsigned oid, unsigned owner) {
    const Rows rows = query(
        "SELECT pg_catalog.bool_and(coalesce(p.open, false) AND NOT coalesce(p.narrowed, false)) "
        "  FROM (VALUES ('r'), ('w'), ('d')) AS c(cmd) LEFT JOIN LATERAL ("
        "       SELECT pg_catalog.bool_or(l.polpermissive AND l.qual = 'true') AS open, "
        "              pg_catalog.bool_or(NOT l.polpermissive AND l.qual <> 'true') AS narrowed "
        "         FROM (SELECT polpermissive, coalesce(pg_catalog.pg_get_expr(polqual, polrelid), 'true') AS qual "
        "                 FROM pg_catalog.pg_policy p WHERE p.polrelid = $1 AND p.polcmd IN ('*', c.cmd::\"char\") "
        "                  AND (0 = ANY (p.polroles) OR EXISTS (SELECT FROM pg_catalog.unnest(p.polroles) AS r(oid) "
        "                        WHERE pg_catalog.pg_has_role($2, r.oid, 'USAGE')))) AS l) AS p ON true",
        {pg::oid(oid), pg::oid(owner)});
    return !is_true(rows.one());
}

}  // namespace

const TargetColumn* TargetTable::find(const std::string& column) const {
    const auto it = std::find_if(columns.begin(), columns.end(), [&](const auto& c) { return c.name == column; });
    return it == columns.end() ? nullptr : &*it;
}

const TargetIndex* TargetTable::unique_within(const std::vector<std::string>& key) const {
    const auto inside = [&](const TargetIndex& index) {
        return index.whole && !index.exclusion && !index.columns.empty() &&
               std::all_of(index.columns.begin(), index.columns.end(),
                           [&](const auto& column) { return std::find(key.begin(), key.end(), column) != key.end(); });
    };
    const auto it = std::find_if(unique_indexes.begin(), unique_indexes.end(), inside);
    return it == unique_indexes.end() ? nullptr : &*it;
}

bool TargetTable::has_exact_unique_index(const std::vector<std::string>& key) const {
    return std::any_of(unique_indexes.begin(), unique_indexes.end(), [&](const TargetIndex& index) {
        return index.whole && !index.exclusion &&
               std::is_permutation(index.columns.begin(), index.columns.end(), key.begin(), key.end());
    });
}

TargetTable describe_target(const MappingRow& mapping, unsigned owner) {
    const Oid oid = find_relation(mapping.target, owner);
    if (oid == InvalidOid) raise(missing_table(mapping.target, "the target of mapping \"" + mapping.name + "\""));
    const RelationFacts facts = relation_facts(oid, owner);
    TargetTable target;
    target.oid = oid;
    target.owner = owner;
    target.name = facts.name;
    target.label = std::string(facts.schema) + "." + facts.name;
    target.sql = quote_name(facts.schema) + "." + quote_name(facts.name);
    if (const char* reason = refusal(facts); reason != nullptr)
        raise(fail(Reason::mapping_target_refused,
                   "mapping \"" + mapping.name + "\" cannot write to \"" + target.label + "\"")
                  .with_detail(reason));
    target.kind = kind_of(facts);
    target.partitioned = facts.kind == RELKIND_PARTITIONED_TABLE;
    target.columns = columns_of(oid);
    target.unique_indexes = unique_indexes(oid);
    target.row_security = facts.row_security;
    target.hides_rows = facts.row_security && hides_rows(oid, owner);
    target.estimated_rows = facts.tuples;
    read_rules(target);
    return target;
}

LookupTable describe_lookup(const Field& field, unsigned owner) {
    const std::string what = "the table of a lookup for column \"" + field.targets.front() + "\"";
    const Oid oid = find_relation(field.lookup_table, owner);
    if (oid == InvalidOid) raise(missing_table(field.lookup_table, what));
    const RelationFacts facts = relation_facts(oid, owner);
    const std::vector<TargetColumn> columns = columns_of(oid);
    const auto find = [&](const std::string& name) {
        const auto it = std::find_if(columns.begin(), columns.end(), [&](const auto& c) { return c.name == name; });
        if (it == columns.end())
            raise(Error{Reason::none, "42703",
                        "column \"" + name + "\" of relation \"" + facts.name + "\" does not exist",
                        "The relation is " + what + ".", "Correct params.match and params.return."});
        return *it;
    };
    LookupTable lookup{quote_name(facts.schema) + "." + quote_name(facts.name), find(field.lookup_match),
                       find(field.lookup_return)};
    if (lookup.match.equals.empty())
        raise(fail(Reason::invalid_configuration,
                   "column \"" + lookup.match.name + "\" cannot be matched: its type has no equality and order")
                  .with_detail("The column is in " + what + "."));
    return lookup;
}

}  // namespace pg_pull::pg
