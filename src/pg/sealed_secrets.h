#pragma once

// The sealed rows of sync_secret_store. All functions need a transaction and an Spi scope, and run with the rights of the
// extension's owner.

#include <optional>
#include <string>
#include <vector>

#include "core/base/secret.h"
#include "core/seal/key_ring.h"
#include "pg/schema.h"
#include "pg/sealed_rows.h"

namespace pg_pull::pg {

std::optional<SealedRow> find_sealed_secret(const Extension& extension, const std::string& owner,
                                            const std::string& name);

void store_secret(const Extension& extension, const KeyRing& ring, const std::string& owner, const std::string& name,
                  const Secret& value);

}  // namespace pg_pull::pg
