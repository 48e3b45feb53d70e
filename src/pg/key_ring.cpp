extern "C" {
#include "postgres.h"

#include "miscadmin.h"
#include "storage/fd.h"
}

#include "pg/border.h"
#include "pg/catalog.h"
#include "pg/function_arguments.h"
#include "pg/key_file.h"
#include "pg/key_ring.h"
#include "pg/locks.h"
#include "pg/settings.h"

namespace pg_pull::pg {
namespace {

constexpr const char* kDefaultFile = "pg_pull.key";
constexpr std::size_t kMaxOutput = 1 << 20;

bool has_command() { return settings::key_command != nullptr && settings::key_command[0] != '\0'; }

std::string key_path() {
    const std::string said =
        settings::key_file != nullptr && settings::key_file[0] != '\0' ? settings::key_file : kDefaultFile;
    return said[0] == '/' ? said : std::string(DataDir) + "/" + said;
}

Error command_failed(const std::string& why) {
    return fail(Reason::key_unavailable, "the command of pg_pull.key_command " + why)
        .with_hint("See the server log for what the command reported.");
}

/// What the command prints goes into a Secret and nowhere else; the command's own text may hold a password and is not shown either.
Secret run_command() {
    const char* command = settings::key_command;
    FILE* pipe = call([command] { return OpenPipeStream(command, "r"); });
    if (pipe == nullptr) raise(command_failed("could not be started"));
    std::string output;
    output.reserve(4096);
    char buffer[4096];
    std::size_t got = 0;
    while (output.size() <= kMaxOutput && (got = fread(buffer, 1, sizeof buffer, pipe)) > 0) output.append(buffer, got);
    explicit_bzero(buffer, sizeof buffer);
    Secret printed(std::move(output));
    const int status = call([pipe] { return ClosePipeStream(pipe); });
    if (printed.reveal().size() > kMaxOutput) raise(command_failed("printed too much for a key ring"));
    if (status != 0) raise(command_failed("failed"));
    return printed;
}

KeyRing parse(const Secret& text) {
    auto ring = KeyRing::parse(text);
    if (!ring.ok())
        raise(std::move(ring).error().with_detail("It comes from the " + key_source() + ". " + ring.error().detail));
    return std::move(ring).value();
}

Error file_missing() {
    return fail(Reason::key_unavailable, "key file \"" + key_path() + "\" does not exist")
        .with_detail("This database holds values that are sealed with a key of it.")
        .with_hint("Restore the key file from a copy. It is no part of a dump and is not replicated to standbys.");
}

/// The file is not replicated: standbys could not open what is sealed from now on.
void warn_of_standbys(const Extension& extension, const char* what) {
    const Rows standbys = catalog_query(extension,
                                        "SELECT pg_catalog.count(*) FROM pg_catalog.pg_stat_replication r JOIN "
                                        "pg_catalog.pg_stat_activity a ON a.pid = r.pid WHERE a.datid IS NULL");
    if (to_int(standbys.one()) == 0) return;
    warning(std::string("the key ring was ") + what + " while standbys are connected",
            "File \"" + key_path() + "\" is not replicated.",
            "Copy it to every standby, then run sync_key_check() there.");
}

}  // namespace

std::string key_source() {
    return has_command() ? std::string("command of pg_pull.key_command") : "file \"" + key_path() + "\"";
}

std::optional<KeyRing> read_key_ring() {
    if (has_command()) return parse(run_command());
    const auto text = unwrap(read_key_file(key_path()));
    if (!text) return std::nullopt;
    return parse(*text);
}

KeyRing require_key_ring() {
    auto ring = read_key_ring();
    if (!ring) raise(file_missing());
    return *std::move(ring);
}

KeyRing obtain_key_ring(const Extension& extension, bool holds_sealed_values) {
    if (auto ring = read_key_ring()) return *std::move(ring);
    if (holds_sealed_values) raise(file_missing());
    locks::lock_key_ring();
    if (auto ring = read_key_ring()) return *std::move(ring);  // made meanwhile from another database
    KeyRing ring;
    ring.add(make_key());
    if (!unwrap(write_key_file(key_path(), ring.to_text(), false))) return require_key_ring();
    warn_of_standbys(extension, "made");
    return ring;
}

KeyRing add_key(const Extension& extension) {
    if (has_command()) return require_key_ring();
    locks::lock_key_ring();
    KeyRing ring = require_key_ring();
    ring.add(make_key());
    (void)unwrap(write_key_file(key_path(), ring.to_text(), true));
    warn_of_standbys(extension, "extended");
    return ring;
}

}  // namespace pg_pull::pg
