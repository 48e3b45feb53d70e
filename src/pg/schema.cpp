extern "C" {
#include "postgres.h"

#include "access/genam.h"
#include "access/htup_details.h"
#include "access/table.h"
#include "catalog/indexing.h"
#include "catalog/pg_extension.h"
#include "commands/extension.h"
#include "fmgr.h"
#include "utils/builtins.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"
}

#include "pg/border.h"
#include "pg/schema.h"
#include "pg/sql.h"

namespace pg_pull::pg {
namespace {

/// Plain values of the pg_extension row; palloc'ed texts.
struct ExtensionRow {
    Oid oid;
    Oid owner;
    Oid schema;
    char* version;
    char* schema_name;
};

ExtensionRow read_row() {
    ExtensionRow row{InvalidOid, InvalidOid, InvalidOid, nullptr, nullptr};
    Relation relation = table_open(ExtensionRelationId, AccessShareLock);
    ScanKeyData key;
    ScanKeyInit(&key, Anum_pg_extension_extname, BTEqualStrategyNumber, F_NAMEEQ, CStringGetDatum("pg_pull"));
    SysScanDesc scan = systable_beginscan(relation, ExtensionNameIndexId, true, nullptr, 1, &key);
    HeapTuple tuple = systable_getnext(scan);
    if (HeapTupleIsValid(tuple)) {
        auto* form = reinterpret_cast<Form_pg_extension>(GETSTRUCT(tuple));
        row.oid = form->oid;
        row.owner = form->extowner;
        row.schema = form->extnamespace;
        bool null = false;
        Datum version = heap_getattr(tuple, Anum_pg_extension_extversion, RelationGetDescr(relation), &null);
        row.version = null ? pstrdup("") : text_to_cstring(PG_DETOAST_DATUM_PACKED(version));
        row.schema_name = get_namespace_name(row.schema);
    }
    systable_endscan(scan);
    table_close(relation, AccessShareLock);
    return row;
}

}  // namespace

Extension Extension::current() {
    const ExtensionRow row = call([] { return read_row(); });
    if (row.oid == InvalidOid || row.schema_name == nullptr)
        raise(fail(Reason::extension_changed, "extension \"pg_pull\" is not installed in this database")
                  .with_hint("Run CREATE EXTENSION pg_pull."));
    Extension extension;
    extension.oid = row.oid;
    extension.owner = row.owner;
    extension.schema_oid = row.schema;
    extension.version = row.version;
    extension.schema = quote_identifier(row.schema_name);
    if (extension.version != PG_PULL_VERSION)
        raise(fail(Reason::extension_changed, "extension \"pg_pull\" has version " + extension.version +
                                                  ", but the loaded library has version " PG_PULL_VERSION)
                  .with_hint("Reconnect; if that does not help, run ALTER EXTENSION pg_pull UPDATE, or install the "
                             "library anew."));
    return extension;
}

}  // namespace pg_pull::pg
