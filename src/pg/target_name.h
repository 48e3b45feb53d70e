#pragma once

#include <string>

namespace pg_pull::pg {

/// The target of a mapping as found by its name now.
struct TargetName {
    unsigned relation = 0;
    std::string qualified;  ///< schema and name, each quoted where needed: this is what is stored
};

/// Looks a table up as SQL would, an unqualified name by the caller's search_path, and keeps it from being dropped or altered
/// until the transaction ends. Raises the server's own errors. Whether a pull may write it is not judged.
TargetName resolve_target(const std::string& name);

/// Pins search_path to what the functions of the extension run with, for a scope. For the functions that must see the
/// caller's path first; all others have a SET clause. An exception restores the path, too.
class PinnedSearchPath {
public:
    PinnedSearchPath();
    ~PinnedSearchPath();
    PinnedSearchPath(const PinnedSearchPath&) = delete;
    PinnedSearchPath& operator=(const PinnedSearchPath&) = delete;

private:
    int guc_level_;
};

}  // namespace pg_pull::pg
