#pragma once

#include <span>
#include <string_view>

namespace pg_pull {

/// The machine reasons of every refusal: one list, from which the reference page is generated. A reason never changes its
/// name or its SQLSTATE once released; clients match on both.
#define PG_PULL_REASONS(X)                                                                                             \
    /* door and dispatch */                                                                                            \
    X(connector_not_registered, "PT404", "no such connector is declared", "create the connector or install a package") \
    X(instance_gone, "PT404", "the package no longer declares the connector that was being connected",                 \
      "install the package again and begin anew")                                                                      \
    X(state_unknown, "PT404", "the authorization state is not known here", "begin the connection again")               \
    X(state_expired, "PT404", "the authorization was begun more than ten minutes ago", "begin the connection again")   \
    X(authorization_refused, "PT403", "the provider did not authorize the connection", "begin the connection again")   \
    X(issuer_mismatch, "PT400", "the callback came from another issuer than the connector names",                      \
      "begin the connection again")                                                                                    \
    X(name_ambiguous, "PT409", "two or more packages declare the connector", "name the package")                       \
    X(connection_conflict, "PT409", "no single stored connection answers for this organization",                       \
      "see sync_connection_audit()")                                                                                   \
    X(already_bound, "PT409", "the connection already names a package", "revoke it and connect again")                 \
    X(own_row_exists, "PT409", "the package already has a connection of its own", "revoke one of the two")             \
    X(not_connected, "PT401", "the organization is not connected", "connect it with sync_connection_begin or _set")    \
    X(reconnect_required, "PT401", "the provider no longer accepts the stored grant", "connect again")                 \
    X(organization_ambiguous, "PT422", "more than one organization is connected", "name the organization")             \
    X(connector_degraded, "PT503", "the connector's document or server could not be reached", "try again later")       \
    X(connector_misconfigured, "PT503", "the provider refuses the connector's own client", "correct the connector")    \
    X(refresh_in_doubt, "PT503", "a token refresh was interrupted and its outcome is unknown", "connect again")        \
    /* configuration */                                                                                                \
    X(mapping_not_found, "42704", "no such mapping", "see the table sync_mapping")                                     \
    X(connector_action_unknown, "42704", "the connector has no such action", "see sync_connector_actions()")           \
    X(owner_missing, "42704", "the owner of the mapping or connector no longer exists",                                \
      "create the role again, or the mapping anew under another role")                                                 \
    X(unknown_key, "22023", "a configuration key is not known", "correct the key")                                     \
    X(invalid_configuration, "22023", "a configuration value cannot be used", "correct the value")                     \
    X(upsert_key_empty, "22023", "the mode needs a key", "name the key columns")                                       \
    X(watermark_field_unmapped, "22023", "the watermark's field is not copied unchanged to a column",                  \
      "map the field to a column without a transform")                                                                 \
    X(watermark_unsound, "22023", "the watermark's column cannot carry a watermark",                                   \
      "use a timestamp, date, integer or unconstrained numeric column, or text with collation \"C\"")                  \
    X(scope_required, "22023", "two slices of one target could not be told apart",                                     \
      "fill a column from $organization or from a constant and name it in scope")                                      \
    X(credential_literal, "22023", "the configuration holds a credential itself",                                      \
      "store it with sync_secret_set and name it")                                                                     \
    X(unsupported_transform, "0A000", "the transform is not supported", "use sql")                                     \
    X(mapping_target_refused, "42809", "the target cannot be written by this mapping", "choose another target")        \
    X(namespace_taken, "42710", "another package owns the namespace", "change the namespace")                          \
    X(version_conflict, "42710", "this version is installed with other content", "raise the version")                  \
    X(duplicate_name, "42710", "the name is taken", "choose another name or pass or_replace")                          \
    X(dependent_objects, "2BP01", "other objects need it", "drop them first or pass cascade")                          \
    X(package_disabled, "55000", "the package is disabled", "enable it with sync_package_enable")                      \
    X(mapping_disabled, "55000", "the mapping is disabled", "enable it with sync_mapping_alter")                       \
    /* run */                                                                                                          \
    X(already_running, "55006", "a run of this mapping is under way", "wait for it, or pass if_running")               \
    X(caller_holds_lock, "55P03", "the pull waits for a lock that its own caller holds", "commit first")               \
    X(not_visible_yet, "55000", "the object was made or changed in this open transaction", "commit first")             \
    X(worker_unavailable, "53400", "no background worker slot became free", "raise max_worker_processes")              \
    X(worker_died, "57P01", "the pull worker ended before it finished", "see the server log, then pull again")         \
    X(standby, "25006", "nothing can be pulled on a standby", "pull on the primary")                                   \
    X(upstream_not_ok, "08006", "the remote system answered with an error", "see the detail")                          \
    X(network, "08006", "the remote system could not be reached", "check the address and the network")                 \
    X(records_not_array, "22000", "the answer holds no list of records", "correct source.records_path")                \
    X(record_not_object, "22000", "a record is not a JSON object", "correct source.records_path")                      \
    X(pagination_loop, "22000", "a page or cursor came twice", "correct the pagination")                               \
    X(too_many_pages, "22000", "the pull reached max_pages", "raise pagination.max_pages")                             \
    X(too_many_rejects, "22000", "more records were refused than max_rejects allows", "see sys_sync_reject")           \
    X(all_calls_ignored, "22000", "every call of the run was ignored by an error rule", "see the connector's errors")  \
    X(delete_guard, "55000", "the pull would delete more rows than max_delete_fraction allows",                        \
      "check the source, then pull once with allow_mass_delete => true")                                               \
    X(key_null, "23505", "a key column of a record is null", "choose another key")                                     \
    X(key_duplicate, "23505", "two rows of the target have the same key", "add a unique index over the key")           \
    X(cancelled, "57014", "the run was cancelled", "pull again")                                                       \
    X(extension_changed, "55000", "the extension was dropped or updated during the run", "reconnect and pull again")   \
    /* security */                                                                                                     \
    X(egress_denied, "42501", "the address is not allowed", "see pg_pull.allowed_hosts")                               \
    X(credential_unresolved, "28000", "a credential reference resolves to nothing", "set it with sync_secret_set")     \
    X(key_unavailable, "58P01", "the key ring cannot be read", "restore the key file")                                 \
    X(key_mismatch, "58P01", "the key ring does not open what the database holds", "restore the right key file")       \
    X(dormant, "55000", "this is a copy of a database, which must not use the original's tokens",                      \
      "run sync_connection_claim() if the copy is to take over")

enum class Reason : unsigned char {
    none,
#define PG_PULL_REASON_NAME(name, sqlstate, meaning, remedy) name,
    PG_PULL_REASONS(PG_PULL_REASON_NAME)
#undef PG_PULL_REASON_NAME
};

struct ReasonInfo {
    std::string_view name;
    std::string_view sqlstate;  ///< the default; a site may choose another where API.sql says so
    std::string_view meaning;
    std::string_view remedy;  ///< the hint, unless the site knows a better one
};

[[nodiscard]] const ReasonInfo& info(Reason reason) noexcept;
[[nodiscard]] std::span<const ReasonInfo> all_reasons() noexcept;  ///< without `none`

}  // namespace pg_pull
