#pragma once

// The sealed rows of sync_secret_store. All functions need a transaction and an Spi scope, and run with the rights of the
// extension's owner.

#include <optional>
#include <string>
#include <vector>

#include "core/base/secret.h"
#include "core/seal/key_ring.h"
#include "pg/schema.h"

namespace pg_pull::pg {

struct SealedSecret {
    std::string owner;
    std::string name;
    std::string key_id;
    std::string sealed;
};

bool holds_sealed_values(const Extension& extension);
std::vector<SealedSecret> sealed_secrets(const Extension& extension);
std::optional<SealedSecret> find_sealed_secret(const Extension& extension, const std::string& owner,
                                               const std::string& name);

/// key_mismatch, naming the secret, where it does not open.
Result<Secret> try_open_secret(const KeyRing& ring, const SealedSecret& secret);
Secret open_secret(const KeyRing& ring, const SealedSecret& secret);

void store_secret(const Extension& extension, const KeyRing& ring, const std::string& owner, const std::string& name,
                  const Secret& value);
/// Under the ring's current key; the secret does not count as set anew.
void seal_again(const Extension& extension, const KeyRing& ring, const SealedSecret& secret, const Secret& value);

}  // namespace pg_pull::pg
