#pragma once

// What a change of a connector name's holders means for the connections that are stored (DESIGN.md section 6.1, "Stale stamps").
// Every function needs the exclusive lock of the names, which lock_holders() takes, a transaction and an Spi scope; they raise.

#include <string>
#include <vector>

#include "pg/schema.h"

namespace pg_pull::pg {

/// Until the transaction ends nobody judges by the holders of these names.
void lock_holders(std::vector<std::string> names);

/// Before the name gains a holder: where it has exactly one so far, each organization's one row is stamped with that. Where two
/// rows answered nothing is guessed, and a WARNING names them. Returns the number of rows that were stamped.
int stamp_before_second_holder(const Extension& extension, const std::string& name);

/// After a package has lost the name: a NOTICE for each row that answers somebody else from now on, or that no longer answers alone.
void tell_what_changed_hands(const Extension& extension, const std::string& name, const std::string& package);

/// Before the package loses the name: revokes the rows that answer its instance.
void revoke_rows_of(const Extension& extension, const std::string& name, const std::string& package);

}  // namespace pg_pull::pg
