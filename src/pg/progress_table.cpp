// The foreign table behind the view sync_progress. A view runs the functions in it with the rights of whoever reads it, but
// reads its tables with the rights of its owner: so everybody can look, and no function is executable by PUBLIC
// (docs/decisions/0010-progress-is-a-foreign-table.md).

extern "C" {
#include "postgres.h"

#include "executor/executor.h"
#include "fmgr.h"
#include "foreign/fdwapi.h"
#include "funcapi.h"
#include "optimizer/pathnode.h"
#include "optimizer/planmain.h"
#include "optimizer/restrictinfo.h"
#include "utils/rel.h"

#include "pg/compat.h"
}

#include "pg/border.h"
#include "pg/progress.h"

namespace pg_pull::pg {
namespace {

constexpr double kExpectedRows = 10;

/// In the memory of the query: the server ends it without telling us.
struct ProgressScan {
    HeapTuple* tuples;
    std::size_t count;
    std::size_t next;
};

/// Plain server calls: for use within call().
HeapTuple to_tuple(AttInMetadata* input, char** values) { return BuildTupleFromCStrings(input, values); }

/// All rows of this moment, so that one scan shows one state.
ProgressScan* read_rows(TupleDesc columns) {
    const std::vector<ProgressRow> rows = progress_rows();
    const std::size_t count = rows.size();
    ProgressScan* scan = call([count] {
        auto* made = static_cast<ProgressScan*>(palloc0(sizeof(ProgressScan)));
        made->tuples = static_cast<HeapTuple*>(palloc0(sizeof(HeapTuple) * (count + 1)));
        return made;
    });
    AttInMetadata* input = call([columns] { return TupleDescGetAttInMetadata(columns); });
    for (const ProgressRow& row : rows) {
        if (static_cast<int>(row.size()) != columns->natts)
            raise(Error{Reason::none, "XX000", "internal error: sync_progress has other columns", {}, {}});
        std::vector<char*> values;
        for (const auto& value : row) values.push_back(value ? const_cast<char*>(value->c_str()) : nullptr);
        char** data = values.data();
        scan->tuples[scan->count++] = call([input, data] { return to_tuple(input, data); });
    }
    return scan;
}

ProgressScan* scan_of(ForeignScanState* node) {
    if (node->fdw_state == nullptr) {
        EState* state = node->ss.ps.state;
        MemoryContext before = MemoryContextSwitchTo(state->es_query_cxt);
        node->fdw_state = read_rows(RelationGetDescr(node->ss.ss_currentRelation));
        MemoryContextSwitchTo(before);
    }
    return static_cast<ProgressScan*>(node->fdw_state);
}

extern "C" {

void progress_rel_size(PlannerInfo*, RelOptInfo* relation, Oid) { relation->rows = kExpectedRows; }

void progress_paths(PlannerInfo* root, RelOptInfo* relation, Oid) {
    add_path(relation, reinterpret_cast<::Path*>(pg_pull_foreignscan_path(root, relation, kExpectedRows)));
}

ForeignScan* progress_plan(PlannerInfo*, RelOptInfo* relation, Oid, ForeignPath*, List* targets, List* clauses,
                           Plan* outer) {
    return make_foreignscan(targets, extract_actual_clauses(clauses, false), relation->relid, NIL, NIL, NIL, NIL,
                            outer);
}

void progress_begin(ForeignScanState* node, int) { node->fdw_state = nullptr; }

TupleTableSlot* progress_next(ForeignScanState* node) {
    auto* scan =
        reinterpret_cast<ProgressScan*>(enter([node] { return reinterpret_cast<std::uintptr_t>(scan_of(node)); }));
    TupleTableSlot* slot = node->ss.ss_ScanTupleSlot;
    ExecClearTuple(slot);
    if (scan->next < scan->count) ExecStoreHeapTuple(scan->tuples[scan->next++], slot, false);
    return slot;
}

void progress_again(ForeignScanState* node) {
    if (node->fdw_state != nullptr) static_cast<ProgressScan*>(node->fdw_state)->next = 0;
}

void progress_end(ForeignScanState*) {}

}  // extern "C"

Datum progress_handler(FunctionCallInfo) {
    FdwRoutine* routine = call([] { return makeNode(FdwRoutine); });
    routine->GetForeignRelSize = progress_rel_size;
    routine->GetForeignPaths = progress_paths;
    routine->GetForeignPlan = progress_plan;
    routine->BeginForeignScan = progress_begin;
    routine->IterateForeignScan = progress_next;
    routine->ReScanForeignScan = progress_again;
    routine->EndForeignScan = progress_end;
    return PointerGetDatum(routine);
}

}  // namespace
}  // namespace pg_pull::pg

PG_PULL_FUNCTION(progress_handler, pg_pull::pg::progress_handler)
