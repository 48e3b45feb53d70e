extern "C" {
#include "postgres.h"

#include "access/xact.h"
#include "executor/spi.h"
#include "miscadmin.h"
#include "utils/guc.h"
#include "utils/memutils.h"
#include "utils/resowner.h"
#include "utils/snapmgr.h"
}

#include "pg/border.h"
#include "pg/xact.h"

namespace pg_pull::pg {

Transaction::Transaction() {
    call([] {
        SetCurrentStatementStartTimestamp();
        StartTransactionCommand();
        BeginTransactionBlock();
        CommitTransactionCommand();
        StartTransactionCommand();
        PushActiveSnapshot(GetTransactionSnapshot());
        if (SPI_connect() != SPI_OK_CONNECT) elog(ERROR, "could not connect to SPI");
    });
}

void Transaction::commit() {
    call([] {
        SPI_finish();
        PopActiveSnapshot();
        EndTransactionBlock(false);
        CommitTransactionCommand();
    });
    open_ = false;
}

Transaction::~Transaction() {
    // an abort does not raise for anything that we could answer; if it does, the process is beyond help and FATAL ends it
    if (open_) AbortOutOfAnyTransaction();
}

namespace {

bool must_pass(const std::string& sqlstate) {
    const std::string_view state = std::string_view(sqlstate).substr(0, 2);
    return state == "53" || state == "57" || state == "58" || state == "XX" || state == "25" || state == "40";
}

}  // namespace

bool in_subtransaction(const std::function<void()>& body, std::exception_ptr* failure) {
    MemoryContext context = CurrentMemoryContext;
    ResourceOwner owner = CurrentResourceOwner;
    call([context] {
        BeginInternalSubTransaction(nullptr);
        MemoryContextSwitchTo(context);
    });
    const auto roll_back = [context, owner] {
        RollbackAndReleaseCurrentSubTransaction();
        MemoryContextSwitchTo(context);
        CurrentResourceOwner = owner;
    };
    try {
        body();
        call([context, owner] {
            ReleaseCurrentSubTransaction();
            MemoryContextSwitchTo(context);
            CurrentResourceOwner = owner;
        });
        return true;
    } catch (const PgError& error) {
        call(roll_back);
        if (must_pass(error.sqlstate())) throw;
        *failure = std::current_exception();
    } catch (...) {
        call(roll_back);
        *failure = std::current_exception();
    }
    return false;
}

ActAs::ActAs(unsigned role) : guc_level_(0) {
    GetUserIdAndSecContext(&saved_role_, &saved_context_);
    guc_level_ = call([] { return NewGUCNestLevel(); });
    SetUserIdAndSecContext(role, saved_context_ | SECURITY_LOCAL_USERID_CHANGE);
}

ActAs::~ActAs() {
    // false: everything set meanwhile, by SET as well as by SET LOCAL, is taken back
    AtEOXact_GUC(false, guc_level_);
    SetUserIdAndSecContext(saved_role_, saved_context_);
}

}  // namespace pg_pull::pg
