// The library as the server loads it. Nothing is started here and no thread exists: this also runs in the postmaster when the
// library is preloaded.

extern "C" {
#include "postgres.h"

#include "fmgr.h"

PG_MODULE_MAGIC;

void _PG_init(void);
}

#include "pg/border.h"
#include "pg/settings.h"

void _PG_init(void) {
    pg_pull::pg::enter([] { pg_pull::pg::settings::define(); });
}
