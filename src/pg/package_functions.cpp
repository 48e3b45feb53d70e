// sync_package_install, _uninstall, _enable, _disable.

extern "C" {
#include "postgres.h"

#include "fmgr.h"
}

#include <algorithm>

#include "pg/border.h"
#include "pg/catalog.h"
#include "pg/function_arguments.h"
#include "pg/package_holders.h"
#include "pg/package_install.h"
#include "pg/package_store.h"
#include "pg/target_name.h"

namespace pg_pull::pg {
namespace {

using nlohmann::json;

std::vector<std::string> connector_names(const json& stack) {
    std::vector<std::string> names;
    for (const auto& connector : stack.at("connectors")) names.push_back(connector.at("name").get<std::string>());
    return names;
}

std::vector<std::string> mapping_names(const Stack& stack) {
    std::vector<std::string> names;
    for (const auto& mapping : stack.mappings) names.push_back(mapping.name);
    return names;
}

/// Those of `names` that are not `others`.
std::vector<std::string> names_without(const std::vector<std::string>& names, const std::vector<std::string>& others) {
    std::vector<std::string> left;
    for (const auto& name : names)
        if (std::find(others.begin(), others.end(), name) == others.end()) left.push_back(name);
    return left;
}

/// The same version is the same content, else it is no version.
bool is_installed(const std::optional<PackageRow>& before, const Stack& stack) {
    if (!before || before->version != stack.version) return false;
    if (before->hash == stack.hash) return true;
    raise(fail(Reason::version_conflict, "version " + in_quotes(stack.version) + " of package " + in_quotes(stack.id) +
                                             " is installed with other content"));
}

std::optional<PackageRow> package_before(const Extension& extension, const Stack& stack) {
    auto before = find_package(extension, stack.id);
    if (before) require_owner(before->owner, "package " + in_quotes(stack.id));
    return before;
}

/// Changes the holders; returns how many connections were stamped before.
int write_holders(const Extension& extension, const Stack& stack, const std::optional<PackageRow>& before,
                  const std::string& owner) {
    const std::vector<std::string> names = connector_names(stack.normalized);
    const std::vector<std::string> names_before = before ? connector_names(before->stack) : std::vector<std::string>();
    const std::vector<std::string> gained = names_without(names, names_before);
    std::vector<std::string> concerned = names_without(names_before, names);
    concerned.insert(concerned.end(), gained.begin(), gained.end());
    lock_holders(concerned);
    int stamped = 0;
    for (const auto& name : gained) stamped += stamp_before_second_holder(extension, name);
    write_package(extension, stack, owner);
    return stamped;
}

/// Names as the caller's search_path finds them: read before it is pinned.
std::vector<std::string> qualified_targets(const Stack& stack) {
    std::vector<std::string> targets;
    for (const auto& mapping : stack.mappings) targets.push_back(resolve_target(mapping.target).qualified);
    return targets;
}

void add_result(FunctionCallInfo fcinfo, const Stack& stack, int restamped, bool changed) {
    TableResult result(fcinfo);
    result.add({stack.id, stack.version, std::to_string(stack.connectors.size()), std::to_string(stack.mappings.size()),
                std::to_string(restamped), changed ? "t" : "f"});
}

/// Everything after this waits for the end of the transaction of whoever else changes packages.
bool nothing_to_do(const Stack& stack) {
    const PinnedSearchPath pinned;
    const Spi spi;
    const Extension extension = Extension::current();
    lock_packages(extension);
    return is_installed(package_before(extension, stack), stack);
}

int install(const Stack& stack, std::vector<std::string> targets) {
    const PinnedSearchPath pinned;
    const Spi spi;
    const Extension extension = Extension::current();
    const auto before = package_before(extension, stack);
    const std::string owner = before ? before->owner : role_name(current_role());
    const std::vector<std::string> names = connector_names(stack.normalized);
    tell_other_users(extension, stack.id, names);
    const int stamped = write_holders(extension, stack, before, owner);
    const InstallOrder order{stack, owner, std::move(targets)};
    drop_mappings_but(extension, stack.id, mapping_names(stack));
    drop_connectors_but(extension, stack.id, names);
    write_connectors(extension, order);
    write_mappings(extension, order);
    if (!before) return stamped;
    for (const auto& name : names_without(connector_names(before->stack), names))
        tell_what_changed_hands(extension, name, stack.id);
    return stamped;
}

Datum package_install(FunctionCallInfo fcinfo) {
    const Arguments arguments(fcinfo);
    const Stack stack = unwrap(parse_stack(arguments.document(0, "stack")));
    refuse_read_only("sync_package_install()");
    if (nothing_to_do(stack)) {
        add_result(fcinfo, stack, 0, false);
        return no_value();
    }
    const int stamped = install(stack, qualified_targets(stack));
    add_result(fcinfo, stack, stamped, true);
    return no_value();
}

/// What becomes of the connections: true to revoke them.
bool parse_connections(const std::string& word) {
    if (word == "keep") return false;
    if (word == "revoke") return true;
    raise(Error{Reason::none,
                "22023",
                "invalid value for argument \"connections\": " + in_quotes(word),
                {},
                "Valid values are \"keep\" and \"revoke\"."});
}

Datum package_uninstall(FunctionCallInfo fcinfo) {
    const Arguments arguments(fcinfo);
    const std::string id = arguments.package(0, "package");
    const bool revoke = parse_connections(arguments.optional_text(1).value_or("keep"));
    refuse_read_only("sync_package_uninstall()");

    const Spi spi;
    const Extension extension = Extension::current();
    lock_packages(extension);
    const PackageRow package = package_to_change(extension, id);
    const std::vector<std::string> names = connector_names(package.stack);
    lock_holders(names);
    if (revoke)
        for (const auto& name : names) revoke_rows_of(extension, name, id);
    tell_other_users(extension, id, {});
    drop_mappings_but(extension, id, {});
    drop_connectors_but(extension, id, {});
    delete_package(extension, id);
    for (const auto& name : names) tell_what_changed_hands(extension, name, id);
    return no_value();
}

Datum switch_package(FunctionCallInfo fcinfo, const char* function, bool enabled) {
    const Arguments arguments(fcinfo);
    const std::string id = arguments.package(0, "package");
    refuse_read_only(function);

    const Spi spi;
    const Extension extension = Extension::current();
    lock_packages(extension);
    const PackageRow package = package_to_change(extension, id);
    if (package.enabled != enabled) set_enabled(extension, id, enabled);
    return no_value();
}

Datum package_enable(FunctionCallInfo fcinfo) { return switch_package(fcinfo, "sync_package_enable()", true); }
Datum package_disable(FunctionCallInfo fcinfo) { return switch_package(fcinfo, "sync_package_disable()", false); }

}  // namespace
}  // namespace pg_pull::pg

PG_PULL_FUNCTION(sync_package_install, pg_pull::pg::package_install)
PG_PULL_FUNCTION(sync_package_uninstall, pg_pull::pg::package_uninstall)
PG_PULL_FUNCTION(sync_package_enable, pg_pull::pg::package_enable)
PG_PULL_FUNCTION(sync_package_disable, pg_pull::pg::package_disable)
