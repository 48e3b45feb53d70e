#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/base/error.h"
#include "core/base/secret.h"
#include "core/seal/seal.h"

namespace pg_pull {

/// The keys of a server, oldest first. The last one seals; the others stay, since values sealed with them may be anywhere: in
/// other databases, on standbys, in backups. Keys are added and never removed.
///
/// As a text, one key a line: its id, a space, the key in base64. Empty lines and those that begin with `#` mean nothing.
class KeyRing {
public:
    /// key_unavailable where the text is no ring: a broken line, an id that does not fit its key, no key at all. No text of a
    /// line is in the error, but its number is.
    static Result<KeyRing> parse(const Secret& text);
    [[nodiscard]] Secret to_text() const;

    void add(SealKey key) { keys_.push_back(std::move(key)); }
    [[nodiscard]] bool empty() const noexcept { return keys_.empty(); }
    [[nodiscard]] const SealKey& current() const { return keys_.back(); }  ///< not of an empty ring
    [[nodiscard]] const SealKey* find(std::string_view id) const noexcept;

private:
    std::vector<SealKey> keys_;
};

/// Opens with the ring's key of that id; key_mismatch where it has none.
Result<Secret> open_sealed(const KeyRing& ring, const std::string& key_id, std::string_view sealed,
                           const Associated& associated);

}  // namespace pg_pull
