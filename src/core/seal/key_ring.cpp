#include "core/seal/key_ring.h"

#include <algorithm>

#include "core/base/encoding.h"

namespace pg_pull {
namespace {

constexpr std::string_view kHeader =
    "# The key ring of pg_pull: opens the secrets that the databases of this server hold.\n"
    "# Keep it secret, keep a copy of it apart from backups of the databases, and never remove a line.\n";

constexpr std::size_t kKeyBytes = 32;

Error broken(std::size_t line, std::string_view why) {
    return fail(Reason::key_unavailable, "the key ring cannot be read")
        .with_detail("Line " + std::to_string(line) + " " + std::string(why) + ".")
        .with_hint("Restore the key ring from a copy.");
}

bool is_space(char c) { return c == ' ' || c == '\t' || c == '\r'; }

std::string_view trim(std::string_view text) {
    while (!text.empty() && is_space(text.front())) text.remove_prefix(1);
    while (!text.empty() && is_space(text.back())) text.remove_suffix(1);
    return text;
}

Result<SealKey> parse_line(std::string_view line, std::size_t number) {
    const std::size_t space = line.find_first_of(" \t");
    if (space == std::string_view::npos) return broken(number, "is not a key id and a key");
    auto decoded = base64_decode(trim(line.substr(space)));
    Secret bytes(decoded ? *decoded : std::string());
    if (decoded) std::fill(decoded->begin(), decoded->end(), '\0');
    if (bytes.reveal().size() != kKeyBytes) return broken(number, "does not hold a key of 32 bytes in base64");
    SealKey key = key_of(std::move(bytes));
    if (key.id != line.substr(0, space)) return broken(number, "has an id that does not belong to its key");
    return key;
}

}  // namespace

Result<KeyRing> KeyRing::parse(const Secret& text) {
    KeyRing ring;
    std::string_view rest = text.reveal();
    for (std::size_t number = 1; !rest.empty(); ++number) {
        const std::size_t end = rest.find('\n');
        const std::string_view line = trim(rest.substr(0, end));
        rest.remove_prefix(end == std::string_view::npos ? rest.size() : end + 1);
        if (line.empty() || line.front() == '#') continue;
        PG_PULL_ASSIGN(SealKey key, parse_line(line, number));
        if (ring.find(key.id) == nullptr) ring.add(std::move(key));
    }
    if (ring.empty())
        return fail(Reason::key_unavailable, "the key ring holds no key")
            .with_hint("Restore the key ring from a copy.");
    return ring;
}

Secret KeyRing::to_text() const {
    std::string text(kHeader);
    for (const auto& key : keys_) text += key.id + ' ' + base64_encode(key.bytes.reveal()) + '\n';
    return Secret(std::move(text));
}

const SealKey* KeyRing::find(std::string_view id) const noexcept {
    for (const auto& key : keys_)
        if (key.id == id) return &key;
    return nullptr;
}

Result<Secret> open_sealed(const KeyRing& ring, const std::string& key_id, std::string_view sealed,
                           const Associated& associated) {
    const SealKey* key = ring.find(key_id);
    if (key == nullptr)
        return fail(Reason::key_mismatch, "the key ring has no key \"" + key_id + "\"")
            .with_detail("A value of this database is sealed with it.")
            .with_hint("Restore the key ring of the server that sealed it.");
    return open_sealed(*key, sealed, associated);
}

}  // namespace pg_pull
