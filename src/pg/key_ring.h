#pragma once

// The key ring of this server (DESIGN.md 6.3): the file pg_pull.key_file, or what pg_pull.key_command prints, which wins. It is no
// part of any database, is shared by all databases of the server, and is read anew at each use.

#include <optional>
#include <string>

#include "core/seal/key_ring.h"
#include "pg/schema.h"

namespace pg_pull::pg {

/// Where the ring comes from, for people: `file "…"` or `command of pg_pull.key_command`.
std::string key_source();

/// nullopt where the file does not exist. Raises key_unavailable, naming the file, where it is there and cannot be used, and
/// where the command fails. Nothing of what was read is in the error.
std::optional<KeyRing> read_key_ring();

/// The ring that values exist for: a missing file is key_unavailable, too.
KeyRing require_key_ring();

/// The ring to seal with. Makes one where there is none, which is refused (key_unavailable) as long as this database holds sealed
/// values: a new key would only hide that theirs is lost. Needs a transaction that may write, and an Spi scope.
KeyRing obtain_key_ring(const Extension& extension, bool holds_sealed_values);

/// Adds a key to the ring, durably, and returns the ring. With a command there is nothing to add to: whoever keeps the ring adds the
/// key, and this returns what the command prints now. Needs what obtain_key_ring needs; that must have been called before.
KeyRing add_key(const Extension& extension);

}  // namespace pg_pull::pg
