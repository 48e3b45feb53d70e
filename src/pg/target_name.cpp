extern "C" {
#include "postgres.h"

#include "catalog/namespace.h"
#include "nodes/makefuncs.h"
#include "utils/builtins.h"
#include "utils/guc.h"
#include "utils/lsyscache.h"
#include "utils/regproc.h"
#include "utils/varlena.h"

#include "pg/compat.h"
}

#include "pg/border.h"
#include "pg/target_name.h"

namespace pg_pull::pg {
namespace {

struct Found {
    Oid relation;
    const char* qualified;
};

Found find_relation(const char* name) {
    RangeVar* range = makeRangeVarFromNameList(pg_pull_qualified_name_list(name));
    Found found{};
    found.relation = RangeVarGetRelid(range, AccessShareLock, false);
    found.qualified =
        quote_qualified_identifier(get_namespace_name(get_rel_namespace(found.relation)), get_rel_name(found.relation));
    return found;
}

}  // namespace

TargetName resolve_target(const std::string& name) {
    const char* text = name.c_str();
    const Found found = call([text] { return find_relation(text); });
    return TargetName{found.relation, found.qualified};
}

PinnedSearchPath::PinnedSearchPath()
    : guc_level_(call([] {
          const int level = NewGUCNestLevel();
          (void)set_config_option("search_path", "pg_catalog, pg_temp", PGC_USERSET, PGC_S_SESSION, GUC_ACTION_SAVE,
                                  true, 0, false);
          return level;
      })) {}

PinnedSearchPath::~PinnedSearchPath() { AtEOXact_GUC(true, guc_level_); }

}  // namespace pg_pull::pg
