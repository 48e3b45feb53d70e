// sync_secret_set, sync_secret_drop, sync_key_rotate, sync_key_check.

extern "C" {
#include "postgres.h"

#include "fmgr.h"
}

#include "pg/border.h"
#include "pg/catalog.h"
#include "pg/function_arguments.h"
#include "pg/key_ring.h"
#include "pg/sealed_rows.h"
#include "pg/sealed_secrets.h"

namespace pg_pull::pg {
namespace {

Datum secret_set(FunctionCallInfo fcinfo) {
    forget_statement("SELECT sync_secret_set(...)");
    const Arguments arguments(fcinfo);
    const std::string name = arguments.text(0, "name");
    const Secret value(arguments.text(1, "value"));
    if (name.empty()) raise(fail(Reason::invalid_configuration, "a secret's name must not be an empty string"));
    if (value.empty())
        raise(fail(Reason::invalid_configuration, "a secret must not be an empty string")
                  .with_hint("Forget it with sync_secret_drop()."));
    refuse_read_only("sync_secret_set()");

    const Spi spi;
    const Extension extension = Extension::current();
    const std::string owner = role_name(current_role());
    const KeyRing ring = obtain_key_ring(extension, holds_sealed_values(extension));
    store_secret(extension, ring, owner, name, value);
    return no_value();
}

Datum secret_drop(FunctionCallInfo fcinfo) {
    const Arguments arguments(fcinfo);
    const std::string name = arguments.text(0, "name");
    refuse_read_only("sync_secret_drop()");
    const Spi spi;
    const Extension extension = Extension::current();
    const auto dropped = catalog_execute(
        extension, "DELETE FROM " + extension.relation("sync_secret_store") + " WHERE owner = $1::name AND name = $2",
        {text(role_name(current_role())), text(name)});
    return boolean_result(dropped > 0);
}

/// Can be interrupted at any point and repeated: the key is durable before anything is sealed with it, the values change in one
/// transaction, and keys stay in the ring.
Datum key_rotate(FunctionCallInfo) {
    if (!is_superuser(current_role()))
        raise(Error{
            Reason::none, "42501", "permission denied to rotate the key", "Only superusers may rotate the key.", {}});
    refuse_read_only("sync_key_rotate()");
    const Spi spi;
    const Extension extension = Extension::current();
    lock_sealed_tables(extension);
    const std::vector<SealedRow> sealed = all_sealed_rows(extension);
    if (sealed.empty() && !read_key_ring()) {
        obtain_key_ring(extension, false);  // the first key is new enough
        return int8_result(0);
    }
    const KeyRing old_ring = require_key_ring();
    std::vector<Opened> values;
    for (const auto& row : sealed) values.push_back(open(old_ring, row));

    const KeyRing ring = add_key(extension);
    std::int64_t count = 0;
    for (std::size_t i = 0; i < sealed.size(); ++i) {
        seal_again(extension, ring, sealed[i], values[i]);
        for (const auto& value : values[i]) count += value ? 1 : 0;
    }
    return int8_result(count);
}

struct Check {
    bool ok = false;
    std::optional<std::string> key_id;
    std::string message;
};

/// Raises what is wrong with the ring.
Check check_ring(const Extension& extension) {
    const std::vector<SealedRow> sealed = all_sealed_rows(extension);
    const auto ring = sealed.empty() ? read_key_ring() : std::optional(require_key_ring());
    Check check;
    if (!ring) {
        check.ok = true;
        check.message = "there is no key yet, and nothing is sealed; the first secret makes one";
        return check;
    }
    check.key_id = ring->current().id;
    std::size_t broken = 0;
    std::string first;
    std::size_t count_of_values = 0;
    for (const auto& row : sealed) {
        for (const auto& value : row.sealed) count_of_values += value ? 1 : 0;
        const auto opened = try_open(*ring, row);
        if (opened.ok()) continue;
        if (++broken == 1) first = opened.error().message;
    }
    check.ok = broken == 0;
    const std::string count = std::to_string(count_of_values);
    if (sealed.empty())
        check.message = "there is a key, and nothing is sealed";
    else if (check.ok)
        check.message = "the key ring opens all sealed values (" + count + ")";
    else
        check.message = std::to_string(broken) + " of " + count + " sealed values do not open; the first: " + first;
    return check;
}

Datum key_check(FunctionCallInfo fcinfo) {
    TableResult result(fcinfo);
    const Spi spi;
    const Extension extension = Extension::current();
    Check check;
    try {
        check = check_ring(extension);
    } catch (const RaisedError& error) {  // ours alone: nothing of the server was interrupted
        check.message = error.error().message;
        if (!error.error().detail.empty()) check.message += ": " + error.error().detail;
    }
    result.add({check.ok ? "t" : "f", check.key_id, key_source(), check.message});
    return no_value();
}

}  // namespace
}  // namespace pg_pull::pg

PG_PULL_FUNCTION(sync_secret_set, pg_pull::pg::secret_set)
PG_PULL_FUNCTION(sync_secret_drop, pg_pull::pg::secret_drop)
PG_PULL_FUNCTION(sync_key_rotate, pg_pull::pg::key_rotate)
PG_PULL_FUNCTION(sync_key_check, pg_pull::pg::key_check)
