extern "C" {
#include "postgres.h"

#include "miscadmin.h"
}

#include "pg/shield.h"

namespace pg_pull::pg {

Shield::Shield(SharedCall& shared) : shared_(shared) {
    shared_.shielded = true;
    HOLD_CANCEL_INTERRUPTS();
}

Shield::~Shield() {
    // an ERROR meanwhile has set the count to zero
    if (QueryCancelHoldoffCount > 0) RESUME_CANCEL_INTERRUPTS();
    shared_.shielded = false;
}

}  // namespace pg_pull::pg
