extern "C" {
#include "postgres.h"

#include "miscadmin.h"
#include "utils/acl.h"
#include "utils/builtins.h"
#include "utils/varlena.h"
}

#include <cstdlib>

#include "core/connection/variable_names.h"
#include "pg/border.h"
#include "pg/catalog.h"
#include "pg/credentials.h"
#include "pg/key_ring.h"
#include "pg/sealed_secrets.h"
#include "pg/settings.h"

namespace pg_pull::pg {
namespace {

bool in_role_list(const char* setting, const char* role) {
    List* names = NIL;
    ListCell* cell = nullptr;
    if (!SplitIdentifierString(pstrdup(setting), ',', &names)) return false;
    foreach (cell, names)
        if (strcmp(static_cast<const char*>(lfirst(cell)), role) == 0) return true;
    return false;
}

/// Variables belong to the server's administrator: they serve superusers' connectors, and those of the roles that he names.
bool may_use_variables(const std::string& owner) {
    const char* role = owner.c_str();
    const char* setting = settings::credential_env_roles != nullptr ? settings::credential_env_roles : "";
    return call([role, setting] {
        const Oid oid = get_role_oid(role, true);
        return OidIsValid(oid) && (superuser_arg(oid) || in_role_list(setting, role));
    });
}

/// Why the environment does not answer; nothing is told about variables that the owner may not use.
std::string look_into_environment(const std::string& owner, const std::string& reference, Secret* found) {
    const char* patterns = settings::credential_env != nullptr ? settings::credential_env : "";
    if (!may_use_variables(owner)) return "Environment variables do not serve connectors of this role.";
    if (!variable_allowed(patterns, reference))
        return "An environment variable of this name is not allowed by pg_pull.credential_env.";
    const char* value = std::getenv(reference.c_str());
    if (value == nullptr) return "The server has no environment variable of this name.";
    if (value[0] == '\0') return "The server's environment variable of this name is empty.";
    *found = Secret(value);
    return {};
}

}  // namespace

Secret resolve_credential(const Extension& extension, const std::string& owner, const std::string& reference) {
    if (const auto sealed = find_sealed_secret(extension, owner, reference))
        return open(require_key_ring(), *sealed).front().value();
    Secret found;
    const std::string why_not = look_into_environment(owner, reference, &found);
    if (!found.empty()) return found;
    raise(fail(Reason::credential_unresolved, "credential " + in_quotes(reference) + " could not be resolved")
              .with_detail("Role " + in_quotes(owner) + " has no secret of this name. " + why_not)
              .with_hint("Set it as role " + in_quotes(owner) + " with sync_secret_set()."));
}

}  // namespace pg_pull::pg
