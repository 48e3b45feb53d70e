#pragma once

// The door's judgements on stored rows: which instance a name means, which row answers for an organization, and the writes that
// follow. The rules are in core/connection; here is what they need: facts, rows and locks.
//
//   who                                   connector name   (name, organization)
//   install, uninstall                    exclusive        -
//   connect, revoke, bind, backfill,      shared           exclusive
//   the write after a refresh
//
// Locks are taken before the facts are read, always the name first, and last until the transaction ends; so no answer is judged on
// one set of holders and written under another. All functions need a transaction and an Spi scope, and raise.

#include <optional>
#include <string>
#include <vector>

#include "core/connection/answer.h"
#include "core/request/auth_config.h"
#include "pg/catalog.h"
#include "pg/connection_store.h"

namespace pg_pull::pg {

/// A declared instance as a request of this moment meets it.
struct Instance {
    ConnectorRow entry;
    RowPackage package;  ///< of the instance: what the rules judge by
    NameFacts facts;
    [[nodiscard]] AuthConfig auth() const;
};

/// The instance that the door addresses. Raises connector_not_registered, name_ambiguous.
[[nodiscard]] Instance address_instance(const Extension& extension, const std::string& name,
                                        const std::optional<std::string>& package,
                                        Visible visible = Visible::own_changes);
/// The instance whose package was judged before (a callback, a refresh); nothing where it is no longer declared.
[[nodiscard]] std::optional<Instance> instance_of(const Extension& extension, const std::string& name,
                                                  const RowPackage& package);
/// Of an entry that was found otherwise (a mapping's).
[[nodiscard]] Instance instance_of_entry(const Extension& extension, ConnectorRow entry);

/// The row that answers, or nothing where the organization is not connected. Raises connection_conflict: PT409, at dispatch PT503.
enum class At : unsigned char { door, dispatch };
[[nodiscard]] std::optional<ConnectionRow> answering_connection(const Extension& extension, const Instance& instance,
                                                                const std::string& organization, At at);

/// Takes the locks under which a connection of (name, organization) may be written.
void lock_connection(const std::string& name, const std::string& organization);

/// Writes what a connect brought, under those locks: adopts the one row that answers, or inserts one. Judges anew. Returns the id.
std::string connect(const Extension& extension, const Instance& instance, const std::string& organization,
                    const ConnectionValues& values, const ConnectionSecrets& secrets);

/// Every row that answers: what a revoke deletes. Raises connection_conflict, and not_connected (PT404) where none does.
[[nodiscard]] std::vector<ConnectionRow> rows_to_revoke(const Extension& extension, const Instance& instance,
                                                        const std::string& organization);

/// May the role see and act for the organization: superuser, or it has the extension's owner or a role it was granted to.
[[nodiscard]] bool may_see_organization(const Extension& extension, const std::string& organization, unsigned role);
/// 42501 where it may not.
void require_organization(const Extension& extension, const std::string& organization, unsigned role);
/// Both: use of the connector, and the organization.
void require_door(const Extension& extension, const Instance& instance, const std::string& organization, unsigned role);
/// Raises where the connector takes no connections: its credential is its own.
void require_per_connection(const Instance& instance);

/// The organization that a dispatch uses where it names none. Counts all rows, whoever asks. Raises not_connected (PT401),
/// organization_ambiguous (PT422), connection_conflict (PT503), and 42501 where the only one is not the role's.
[[nodiscard]] std::string only_organization(const Extension& extension, const Instance& instance, unsigned role);

}  // namespace pg_pull::pg
