extern "C" {
#include "postgres.h"

#include "access/table.h"
#include "commands/copy.h"
#include "commands/copyfrom_internal.h"
#include "nodes/makefuncs.h"
#include "parser/parse_node.h"
#include "parser/parse_relation.h"
#include "utils/memutils.h"
#include "utils/rel.h"
}

#include <algorithm>

#include "pg/border.h"
#include "pg/copy_into.h"
#include "pg/xact.h"

namespace pg_pull::pg {
namespace {

/// What COPY reads from; its callback has no argument of ours, hence `current`.
struct Feed {
    const char* data;
    std::size_t size;
    const std::function<void()>* pump;
};

Feed* current = nullptr;

class CurrentFeed {
public:
    explicit CurrentFeed(Feed* feed) : outer_(current) { current = feed; }
    ~CurrentFeed() { current = outer_; }
    CurrentFeed(const CurrentFeed&) = delete;
    CurrentFeed& operator=(const CurrentFeed&) = delete;

private:
    Feed* outer_;
};

int feed_copy(void* buffer, int minimum, int maximum) {
    (void)minimum;
    const auto count = std::min(current->size, static_cast<std::size_t>(maximum));
    memcpy(buffer, current->data, count);
    current->data += count;
    current->size -= count;
    if (*current->pump) (*current->pump)();
    return static_cast<int>(count);
}

class ScratchContext {
public:
    ScratchContext()
        : context_(call(
              [] { return AllocSetContextCreate(CurrentMemoryContext, "pg_pull copy", ALLOCSET_DEFAULT_SIZES); })) {}
    ~ScratchContext() { MemoryContextDelete(context_); }
    ScratchContext(const ScratchContext&) = delete;
    ScratchContext& operator=(const ScratchContext&) = delete;
    [[nodiscard]] MemoryContext get() const noexcept { return context_; }

private:
    MemoryContext context_;
};

/// Plain calls to the server only. `state` is set as soon as it exists, so that an error can be asked for its line.
void copy(Oid oid, const char* const* columns, std::size_t count, CopyFromState* state) {
    Relation relation = table_open(oid, RowExclusiveLock);
    ParseState* parse = make_parsestate(nullptr);
    (void)addRangeTableEntryForRelation(parse, relation, RowExclusiveLock, nullptr, false, false);
    List* names = NIL;
    for (std::size_t i = 0; i < count; ++i) names = lappend(names, makeString(pstrdup(columns[i])));
    // the client's encoding would be the default
    List* options =
        list_make1(makeDefElem(pstrdup("encoding"), reinterpret_cast<Node*>(makeString(pstrdup("UTF8"))), -1));
    *state = BeginCopyFrom(parse, relation, nullptr, nullptr, false, feed_copy, names, options);
    (void)CopyFrom(*state);
    EndCopyFrom(*state);
    free_parsestate(parse);
    table_close(relation, NoLock);
}

}  // namespace

std::optional<CopyFailure> copy_into(const CopyTarget& target, std::string_view lines,
                                     const std::function<void()>& pump) {
    Feed feed{lines.data(), lines.size(), &pump};
    const CurrentFeed scope(&feed);
    const ScratchContext scratch;
    std::vector<const char*> columns;
    for (const auto& column : target.columns) columns.push_back(column.c_str());

    CopyFromState state = nullptr;
    CopyFailure failure;
    const auto load = [&] {
        MemoryContext context = scratch.get();
        const char* const* names = columns.data();
        const std::size_t count = columns.size();
        const Oid oid = target.relation;
        CopyFromState* place = &state;
        try {
            call([=] {
                MemoryContext before = MemoryContextSwitchTo(context);
                copy(oid, names, count, place);
                MemoryContextSwitchTo(before);
            });
        } catch (const PgError& error) {
            // read now: the rollback takes the state away
            if (state == nullptr || state->cur_lineno == 0) throw;
            failure.line = static_cast<std::size_t>(state->cur_lineno - 1);
            failure.column = state->cur_attname != nullptr ? std::string(state->cur_attname) : error.column();
            throw;
        }
    };
    if (in_subtransaction(load, &failure.error)) return std::nullopt;
    if (state == nullptr || state->cur_lineno == 0) std::rethrow_exception(failure.error);
    return failure;
}

}  // namespace pg_pull::pg
