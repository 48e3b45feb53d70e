#include "pg/package_store.h"

#include "core/json/document.h"
#include "pg/border.h"
#include "pg/catalog.h"

namespace pg_pull::pg {
namespace {

std::string packages_of_extension(const Extension& extension) { return extension.relation("sys_sync_package"); }

void refuse_taken_namespace(const Extension& extension, const Stack& stack) {
    const Rows taken = catalog_query_latest(extension,
                                            "SELECT p.package_id FROM " + packages_of_extension(extension) +
                                                " p WHERE p.namespace = $1 AND p.package_id <> $2",
                                            {text(stack.name_space), text(stack.id)});
    if (taken.empty()) return;
    raise(fail(Reason::namespace_taken, "namespace " + in_quotes(stack.name_space) + " of package " +
                                            in_quotes(stack.id) + " belongs to another package")
              .with_detail("Package " + in_quotes(*taken.one()) + " is installed with it."));
}

}  // namespace

void lock_packages(const Extension& extension) {
    catalog_execute(extension, "LOCK TABLE " + packages_of_extension(extension) + " IN SHARE ROW EXCLUSIVE MODE");
}

std::optional<PackageRow> find_package(const Extension& extension, const std::string& id) {
    const Rows rows = catalog_query_latest(
        extension,
        "SELECT p.package_id, p.namespace, p.version, p.enabled, p.stack, p.stack_hash, p.owner FROM " +
            packages_of_extension(extension) + " p WHERE p.package_id = $1",
        {text(id)});
    if (rows.empty()) return std::nullopt;
    const auto& row = rows[0];
    return PackageRow{
        row[0].value(), row[1].value(), row[2].value(), to_bool(row[3]), unwrap(parse_document(row[4].value())),
        row[5].value(), row[6].value()};
}

PackageRow package_to_change(const Extension& extension, const std::string& id) {
    auto package = find_package(extension, id);
    if (!package) raise(Error{Reason::none, "42704", "package " + in_quotes(id) + " is not installed", {}, {}});
    require_owner(package->owner, "package " + in_quotes(id));
    return *std::move(package);
}

void write_package(const Extension& extension, const Stack& stack, const std::string& owner) {
    refuse_taken_namespace(extension, stack);
    catalog_execute(extension,
                    "INSERT INTO " + packages_of_extension(extension) +
                        " (package_id, namespace, version, stack, stack_hash, owner, installed_at) "
                        "VALUES ($1, $2, $3, $4::jsonb, $5, $6, pg_catalog.now()) "
                        "ON CONFLICT (package_id) DO UPDATE SET namespace = excluded.namespace, "
                        "version = excluded.version, stack = excluded.stack, stack_hash = excluded.stack_hash, "
                        "installed_at = excluded.installed_at",
                    {text(stack.id), text(stack.name_space), text(stack.version), text(stack.normalized.dump()),
                     text(stack.hash), text(owner)});
}

void set_enabled(const Extension& extension, const std::string& id, bool enabled) {
    catalog_execute(extension, "UPDATE " + packages_of_extension(extension) + " SET enabled = $2 WHERE package_id = $1",
                    {text(id), boolean(enabled)});
}

void delete_package(const Extension& extension, const std::string& id) {
    catalog_execute(extension, "DELETE FROM " + packages_of_extension(extension) + " WHERE package_id = $1",
                    {text(id)});
}

void require_enabled(const Extension& extension, const std::optional<std::string>& package) {
    if (!package) return;
    const Rows disabled = catalog_query_latest(
        extension, "SELECT FROM " + packages_of_extension(extension) + " p WHERE p.package_id = $1 AND NOT p.enabled",
        {text(*package)});
    if (!disabled.empty()) raise(fail(Reason::package_disabled, "package " + in_quotes(*package) + " is disabled"));
}

}  // namespace pg_pull::pg
