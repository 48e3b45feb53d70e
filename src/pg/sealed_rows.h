#pragma once

// Every table with sealed columns, in one list: what rotates keys or checks the ring meets all of them, and a value opens only in
// the row and column that it was sealed for. All functions need a transaction and an Spi scope, and run with the rights of the
// extension's owner.

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/base/secret.h"
#include "core/seal/key_ring.h"
#include "pg/schema.h"
#include "pg/sql.h"

namespace pg_pull::pg {

struct SealedField {
    const char* column;
    const char* name;  ///< the last part of the associated data
};

struct SealedKind {
    const char* relation;
    const char* what;                     ///< SQL text over `s` that names the row in messages
    std::vector<const char*> associated;  ///< SQL texts over `s`: identity of the row; no package reads ''
    std::vector<SealedField> fields;
};

namespace sealed_kinds {
[[nodiscard]] const SealedKind& secret();  ///< {owner, name}: value
[[nodiscard]] const SealedKind&
connection();  ///< {id, organization, package, connector}: token, refresh token, credential
[[nodiscard]] const SealedKind& connector_token();  ///< {connector's id}: token, refresh token
[[nodiscard]] const SealedKind& pending();  ///< {hash of the state in hex, organization, package, connector}: verifier
[[nodiscard]] const SealedKind& revocation();  ///< {id of the connection, connector}: request
}  // namespace sealed_kinds

/// One row with what is sealed in it, in the order of the kind's fields.
struct SealedRow {
    const SealedKind* kind = nullptr;
    std::string ctid;
    std::string what;
    std::vector<std::string> associated;
    std::string key_id;
    std::vector<std::optional<std::string>> sealed;
};
using Opened = std::vector<std::optional<Secret>>;  ///< in the same order; nothing where the column is null

[[nodiscard]] bool holds_sealed_values(const Extension& extension);
/// All rows of this database that hold a sealed value.
[[nodiscard]] std::vector<SealedRow> all_sealed_rows(const Extension& extension);
/// `condition` is SQL over `s`, with parameters from $1.

[[nodiscard]] std::vector<SealedRow> sealed_rows(const Extension& extension, const SealedKind& kind,
                                                 const std::string& condition, const std::vector<Param>& parameters);

/// key_mismatch, naming the row, where a value does not open.
Result<Opened> try_open(const KeyRing& ring, const SealedRow& row);
[[nodiscard]] Opened open(const KeyRing& ring, const SealedRow& row);
/// The values of one field for a row of that identity, under the ring's current key.
[[nodiscard]] std::string seal_field(const KeyRing& ring, const SealedKind& kind, std::size_t field,
                                     const std::vector<std::string>& associated, const Secret& value);
/// Under the ring's current key, in place.
void seal_again(const Extension& extension, const KeyRing& ring, const SealedRow& row, const Opened& values);
/// Keeps everybody from writing sealed values until this transaction ends.
void lock_sealed_tables(const Extension& extension);

}  // namespace pg_pull::pg
