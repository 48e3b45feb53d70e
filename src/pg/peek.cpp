extern "C" {
#include "postgres.h"

#include "access/xact.h"
#include "utils/memutils.h"
#include "utils/resowner.h"
}

#include "pg/border.h"
#include "pg/peek.h"

namespace pg_pull::pg {

void peek(const std::function<void()>& body) {
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
    } catch (...) {
        call(roll_back);
        throw;
    }
    call(roll_back);
}

}  // namespace pg_pull::pg
