#include "source/postgres/conninfo.h"

#include <libpq-fe.h>
#include <strings.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <memory>

namespace pg_pull::postgres {
namespace {

struct FreeOptions {
    void operator()(PQconninfoOption* options) const noexcept { PQconninfoFree(options); }
};
using OptionList = std::unique_ptr<PQconninfoOption, FreeOptions>;

/// What an owner who is no superuser may say. Not among them: whatever names a file, a library or an identity of the server's
/// account (passfile, service, sslkey, sslcert, sslcrl, krbsrvname, gsslib …), and `options`, which sets any setting.
constexpr std::array<std::string_view, 23> harmless = {"host",
                                                       "hostaddr",
                                                       "port",
                                                       "dbname",
                                                       "user",
                                                       "sslmode",
                                                       "sslsni",
                                                       "sslcompression",
                                                       "sslnegotiation",
                                                       "ssl_min_protocol_version",
                                                       "ssl_max_protocol_version",
                                                       "channel_binding",
                                                       "require_auth",
                                                       "connect_timeout",
                                                       "keepalives",
                                                       "keepalives_idle",
                                                       "keepalives_interval",
                                                       "keepalives_count",
                                                       "tcp_user_timeout",
                                                       "application_name",
                                                       "fallback_application_name",
                                                       "target_session_attrs",
                                                       "load_balance_hosts"};

/// Below a file that is no folder: cannot be made to exist, and libpq says nothing about it.
constexpr std::string_view nowhere = "/dev/null/none";

bool has_word(const std::string& text, const char* word) {
    for (const char* at = text.c_str(); *at != '\0'; ++at)
        if (strncasecmp(at, word, std::char_traits<char>::length(word)) == 0) return true;
    return false;
}

Error refuse(std::string_view name, std::string why, std::string hint) {
    return fail(Reason::invalid_configuration,
                "config \"conninfo\" cannot have the option \"" + std::string(name) + "\"" + std::move(why))
        .with_hint(std::move(hint));
}

Result<void> check_option(const std::string& name, const std::string& value, bool owner_is_superuser) {
    if (name == "password" || name == "sslpassword")
        return fail(Reason::credential_literal, "config \"conninfo\" holds a password")
            .with_hint(
                "Store it with sync_secret_set, and name it in auth: {\"type\": \"basic\", \"credential_ref\": "
                "\"…\"}.");
    if (name == "replication") return refuse(name, "", "Remove it.");
    if (name == "client_encoding" && strcasecmp(value.c_str(), "utf8") != 0 && strcasecmp(value.c_str(), "utf-8") != 0)
        return refuse(name, ": records are always read in UTF8", "Remove it.");
    if (owner_is_superuser || name == "client_encoding") return {};
    if (name == "gssencmode" && value == "disable") return {};
    if (name == "sslrootcert" && value == "system") return {};
    if (std::find(harmless.begin(), harmless.end(), name) != harmless.end()) return {};
    return refuse(name, " unless the connector's owner is a superuser",
                  "Remove it, or let a superuser own the connector.")
        .with_code("42501");
}

}  // namespace

std::string option(const Options& options, std::string_view name) {
    for (const auto& [key, value] : options)
        if (key == name) return value;
    return {};
}

void set_option(Options& options, std::string_view name, std::string value) {
    for (auto& [key, old] : options) {
        if (key != name) continue;
        old = std::move(value);
        return;
    }
    options.emplace_back(name, std::move(value));
}

void default_option(Options& options, std::string_view name, std::string_view value) {
    if (option(options, name).empty()) set_option(options, name, std::string(value));
}

Result<Options> parse_conninfo(const std::string& conninfo) {
    char* message = nullptr;
    const OptionList list(PQconninfoParse(conninfo.c_str(), &message));
    std::string detail;
    if (message != nullptr) {
        // libpq quotes what it does not understand, which may be half of a password
        if (!has_word(conninfo, "pass") && conninfo.find('@') == std::string::npos) detail = message;
        PQfreemem(message);
        while (!detail.empty() && detail.back() == '\n') detail.pop_back();
        if (!detail.empty()) detail = "libpq: " + detail + ".";
    }
    if (list == nullptr)
        return fail(Reason::invalid_configuration, "config \"conninfo\" is not a connection string of libpq")
            .with_detail(detail)
            .with_hint(
                "Write host=… port=… dbname=… user=…, with quotes around values that hold space, or a postgresql:// "
                "URI.");
    Options options;
    for (const PQconninfoOption* entry = list.get(); entry->keyword != nullptr; ++entry)
        if (entry->val != nullptr && *entry->val != '\0') options.emplace_back(entry->keyword, entry->val);
    return options;
}

Result<void> check_options(const Options& options, bool owner_is_superuser) {
    for (const auto& [name, value] : options) PG_PULL_CHECK(check_option(name, value, owner_is_superuser));
    if (option(options, "user").empty() && option(options, "service").empty())
        return fail(Reason::invalid_configuration, "config \"conninfo\" names no user")
            .with_hint("Add user=…: the role of the remote server to connect as.");
    return {};
}

Result<void> check_conninfo(const std::string& conninfo, bool owner_is_superuser) {
    PG_PULL_ASSIGN(const Options options, parse_conninfo(conninfo));
    return check_options(options, owner_is_superuser);
}

void complete_options(Options& options) {
    set_option(options, "client_encoding", "UTF8");
    default_option(options, "fallback_application_name", "pg_pull");
    default_option(options, "gssencmode", "disable");
    default_option(options, "connect_timeout", "10");
    // a remote that vanished while a long query ran is noticed after two minutes
    default_option(options, "keepalives_idle", "60");
    default_option(options, "keepalives_interval", "10");
    default_option(options, "keepalives_count", "6");
    default_option(options, "passfile", nowhere);
    if (option(options, "sslcert").empty()) {
        set_option(options, "sslcert", std::string(nowhere));
        default_option(options, "sslkey", nowhere);
    }
}

void forget_environment() {
    // those without an option of their own
    for (const char* name :
         {"PGSERVICE", "PGSERVICEFILE", "PGSYSCONFDIR", "PGREQUIRESSL", "PGTZ", "PGDATESTYLE", "PGGEQO"})
        unsetenv(name);
    const OptionList defaults(PQconndefaults());
    for (const PQconninfoOption* entry = defaults.get(); entry != nullptr && entry->keyword != nullptr; ++entry)
        if (entry->envvar != nullptr) unsetenv(entry->envvar);
}

}  // namespace pg_pull::postgres
