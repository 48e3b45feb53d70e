extern "C" {
#include "postgres.h"

#include "access/htup_details.h"
#include "access/nbtree.h"
#include "access/relation.h"
#include "catalog/pg_attribute.h"
#include "catalog/pg_collation.h"
#include "catalog/pg_operator.h"
#include "catalog/pg_type.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/pg_locale.h"
#include "utils/rel.h"
#include "utils/syscache.h"
#include "utils/typcache.h"

#include "pg/compat.h"
}

#include "core/apply/statement.h"
#include "pg/border.h"
#include "pg/column_types.h"

namespace pg_pull::pg {
namespace {

using apply::quote_name;

/// An attribute in plain values; texts are palloc'ed.
struct Attribute {
    const char* name;
    Oid type;
    int32 typmod;
    Oid collation;
    bool not_null;
    bool has_default;
    char generated;
    char identity;
};

struct Attributes {
    Attribute* items;
    int count;
};

Attributes attributes_of(TupleDesc shape) {
    Attributes result{static_cast<Attribute*>(palloc(sizeof(Attribute) * static_cast<Size>(shape->natts + 1))), 0};
    for (int i = 0; i < shape->natts; ++i) {
        Form_pg_attribute form = TupleDescAttr(shape, i);
        if (form->attisdropped) continue;
        result.items[result.count++] = Attribute{pstrdup(NameStr(form->attname)),
                                                 form->atttypid,
                                                 form->atttypmod,
                                                 form->attcollation,
                                                 form->attnotnull,
                                                 form->atthasdef,
                                                 form->attgenerated,
                                                 form->attidentity};
    }
    return result;
}

struct TypeFacts {
    Oid base;
    int32 base_typmod;
    Oid element;
    Oid collation;
    char category;
    char type;
    char delimiter;
    bool domain_not_null;
};

/// Whether any domain on the way to the base type refuses NULL.
bool any_domain_not_null(Oid type) {
    while (get_typtype(type) == TYPTYPE_DOMAIN) {
        HeapTuple tuple = SearchSysCache1(TYPEOID, ObjectIdGetDatum(type));
        if (!HeapTupleIsValid(tuple)) elog(ERROR, "cache lookup failed for type %u", type);
        auto* form = reinterpret_cast<Form_pg_type>(GETSTRUCT(tuple));
        const bool not_null = form->typnotnull;
        const Oid base = form->typbasetype;
        ReleaseSysCache(tuple);
        if (not_null) return true;
        type = base;
    }
    return false;
}

TypeFacts type_facts(Oid type, int32 typmod) {
    return call([type, typmod] {
        TypeFacts facts{};
        facts.base_typmod = typmod;
        facts.base = getBaseTypeAndTypmod(type, &facts.base_typmod);
        facts.domain_not_null = any_domain_not_null(type);
        facts.element = get_element_type(facts.base);
        facts.collation = get_typcollation(type);
        facts.type = get_typtype(facts.base);
        bool preferred = false;
        get_type_category_preferred(facts.base, &facts.category, &preferred);
        if (OidIsValid(facts.element)) {
            int16 length = 0;
            bool by_value = false;
            char align = 0;
            Oid parameter = InvalidOid;
            Oid function = InvalidOid;
            get_type_io_data(facts.element, IOFunc_input, &length, &by_value, &align, &facts.delimiter, &parameter,
                             &function);
        }
        return facts;
    });
}

std::string type_name(Oid type, int32 typmod) {
    return call([type, typmod] {
        // "given" also where there is none: without it bpchar would be named "character", which is character(1)
        return const_cast<const char*>(
            format_type_extended(type, typmod, FORMAT_TYPE_FORCE_QUALIFY | FORMAT_TYPE_TYPEMOD_GIVEN));
    });
}

struct QualifiedName {
    const char* schema;
    const char* name;
};

std::string collate_clause(Oid collation) {
    const QualifiedName name = call([collation] {
        HeapTuple tuple = SearchSysCache1(COLLOID, ObjectIdGetDatum(collation));
        if (!HeapTupleIsValid(tuple)) elog(ERROR, "cache lookup failed for collation %u", collation);
        auto* form = reinterpret_cast<Form_pg_collation>(GETSTRUCT(tuple));
        QualifiedName result{get_namespace_name(form->collnamespace), pstrdup(NameStr(form->collname))};
        ReleaseSysCache(tuple);
        return result;
    });
    return " COLLATE " + quote_name(name.schema) + "." + quote_name(name.name);
}

/// The default equality operator, empty where the type has no default order (duplicates are found by sorting).
QualifiedName equality_of(Oid type) {
    return call([type] {
        TypeCacheEntry* entry = lookup_type_cache(type, TYPECACHE_EQ_OPR | TYPECACHE_LT_OPR);
        if (!OidIsValid(entry->eq_opr) || !OidIsValid(entry->lt_opr)) return QualifiedName{nullptr, nullptr};
        HeapTuple tuple = SearchSysCache1(OPEROID, ObjectIdGetDatum(entry->eq_opr));
        if (!HeapTupleIsValid(tuple)) elog(ERROR, "cache lookup failed for operator %u", entry->eq_opr);
        auto* form = reinterpret_cast<Form_pg_operator>(GETSTRUCT(tuple));
        QualifiedName name{get_namespace_name(form->oprnamespace), pstrdup(NameStr(form->oprname))};
        ReleaseSysCache(tuple);
        return name;
    });
}

/// The question that B-tree deduplication asks of an operator class: are equal values always identical?
bool equal_is_identical(Oid type, Oid collation) {
    return call([type, collation] {
        TypeCacheEntry* entry = lookup_type_cache(type, TYPECACHE_BTREE_OPFAMILY);
        if (!OidIsValid(entry->btree_opf)) return false;
        const Oid procedure =
            get_opfamily_proc(entry->btree_opf, entry->btree_opintype, entry->btree_opintype, BTEQUALIMAGE_PROC);
        if (!OidIsValid(procedure)) return false;
        return DatumGetBool(OidFunctionCall1Coll(procedure, collation, ObjectIdGetDatum(entry->btree_opintype)));
    });
}

TargetColumn column_of(const Attribute& attribute) {
    const TypeFacts facts = type_facts(attribute.type, attribute.typmod);
    TargetColumn column;
    column.name = attribute.name;
    column.type = column_type(attribute.type);
    column.type_oid = attribute.type;
    column.base_oid = facts.base;
    column.typmod = facts.base_typmod;
    column.type_sql = type_name(attribute.type, attribute.typmod);
    column.bare_type_sql = type_name(attribute.type, -1);
    column.base_type_sql = facts.base == attribute.type ? column.type_sql : type_name(facts.base, facts.base_typmod);
    if (attribute.collation != InvalidOid && attribute.collation != facts.collation)
        column.collate_sql = collate_clause(attribute.collation);
    column.not_null = attribute.not_null;
    column.domain_not_null = facts.domain_not_null;
    column.has_default = attribute.has_default || attribute.identity != '\0';
    column.generated = attribute.generated != '\0';
    column.identity_always = attribute.identity == ATTRIBUTE_IDENTITY_ALWAYS;
    if (attribute.collation != InvalidOid) {
        const Oid collation = attribute.collation;
        column.bytewise = call([collation]() -> bool { return pg_pull_collation_is_c(collation); });
    }
    if (const QualifiedName equals = equality_of(facts.base); equals.name != nullptr) {
        column.equals = "OPERATOR(" + quote_name(equals.schema) + "." + equals.name + ")";
        column.equal_is_identical = equal_is_identical(facts.base, attribute.collation);
    }
    return column;
}

bool is_json(Oid type) { return type == JSONOID || type == JSONBOID; }

ColumnType composite_type(Oid type) {
    const Attributes attributes = call([type] {
        TupleDesc shape = lookup_rowtype_tupdesc_copy(type, -1);
        return attributes_of(shape);
    });
    ColumnType result;
    result.kind = ValueKind::composite;
    for (int i = 0; i < attributes.count; ++i)
        result.attributes.emplace_back(attributes.items[i].name, column_type(attributes.items[i].type));
    return result;
}

}  // namespace

ColumnType column_type(unsigned type_oid) {
    const TypeFacts facts = type_facts(type_oid, -1);
    ColumnType result;
    if (is_json(facts.base)) {
        result.kind = ValueKind::json;
    } else if (OidIsValid(facts.element)) {
        result.kind = ValueKind::array;
        result.delimiter = facts.delimiter;
        result.element = std::make_shared<const ColumnType>(column_type(facts.element));
    } else if (facts.type == TYPTYPE_COMPOSITE) {
        result = composite_type(facts.base);
    } else if (facts.category == TYPCATEGORY_STRING) {
        result.kind = ValueKind::text;
    }
    return result;
}

std::vector<TargetColumn> columns_of(unsigned relation_oid) {
    const Attributes attributes = call([relation_oid] {
        Relation relation = relation_open(relation_oid, AccessShareLock);
        const Attributes result = attributes_of(RelationGetDescr(relation));
        relation_close(relation, AccessShareLock);
        return result;
    });
    std::vector<TargetColumn> columns;
    for (int i = 0; i < attributes.count; ++i) columns.push_back(column_of(attributes.items[i]));
    return columns;
}

}  // namespace pg_pull::pg
