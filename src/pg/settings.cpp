extern "C" {
#include "postgres.h"

#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/guc.h"
#include "utils/varlena.h"

#include "pg/compat.h"
}

#include <climits>

#include "pg/border.h"
#include "pg/settings.h"

namespace pg_pull::pg::settings {

namespace {
constexpr int kDay = 24 * 3600;
}  // namespace

int max_workers = 4;
int start_timeout_ms = 60 * 1000;
int max_run_time_ms = 0;
char* key_file = nullptr;
char* key_command = nullptr;
char* credential_env = nullptr;
char* credential_env_roles = nullptr;
char* allowed_hosts = nullptr;
char* databases = nullptr;
char* listen = nullptr;
char* redirect_uri = nullptr;
int run_retention_s = 90 * kDay;
int reject_retention_s = 90 * kDay;
bool dormant = false;

namespace {

// The check hooks run in frames of the server: plain C, nothing with a destructor.

constexpr const char* kLetters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
constexpr const char* kDigits = "0123456789";

/// Each element of a comma list, blanks around it trimmed, goes to `good`; an empty list is fine, an empty element is not.
bool check_list(const char* list, bool (*good)(const char* element, size_t length), const char* what) {
    if (strspn(list, " ") == strlen(list)) return true;
    for (const char* start = list;; ++start) {
        start += strspn(start, " ");
        const char* end = start + strcspn(start, ",");
        size_t length = static_cast<size_t>(end - start);
        while (length > 0 && start[length - 1] == ' ') --length;
        if (length == 0 || !good(start, length)) {
            GUC_check_errdetail("\"%.*s\" is not %s.", static_cast<int>(length), start, what);
            return false;
        }
        if (*end == '\0') return true;
        start = end;
    }
}

/// Whether all of the first `length` characters are in one of the two sets or in `more`.
bool made_of(const char* text, size_t length, const char* more) {
    for (size_t i = 0; i < length; ++i)
        if (strchr(kLetters, text[i]) == nullptr && strchr(kDigits, text[i]) == nullptr &&
            strchr(more, text[i]) == nullptr)
            return false;
    return true;
}

bool is_variable_pattern(const char* text, size_t length) { return made_of(text, length, "_*"); }

/// A host, *.host, address or address/bits; what it matches is judged at connect time.
bool is_host(const char* text, size_t length) {
    if (length > 2 && text[0] == '*' && text[1] == '.') return made_of(text + 2, length - 2, "-._");
    return made_of(text, length, "-._:/[]%");
}

bool check_credential_env(char** value, void**, GucSource) {
    return check_list(*value, is_variable_pattern, "a variable name or a pattern with \"*\"");
}

bool check_allowed_hosts(char** value, void**, GucSource) {
    return check_list(*value, is_host, "a host, \"*.host\" or an address range");
}

bool check_names(char** value, void**, GucSource) {
    char* copy = pstrdup(*value);
    List* names = NIL;
    const bool good = SplitIdentifierString(copy, ',', &names);
    if (!good) GUC_check_errdetail("List syntax is invalid.");
    list_free(names);
    pfree(copy);
    return good;
}

bool check_listen(char** value, void**, GucSource) {
    const char* text = *value;
    if (*text == '\0') return true;
    const char* colon = strrchr(text, ':');
    const char* port = colon != nullptr ? colon + 1 : "";
    const size_t digits = strspn(port, kDigits);
    const bool bare_ipv6 = colon != nullptr && *text != '[' && strchr(text, ':') != colon;
    if (colon != nullptr && colon != text && !bare_ipv6 && digits > 0 && digits <= 5 && port[digits] == '\0' &&
        atoi(port) >= 1 && atoi(port) <= 65535)
        return true;
    GUC_check_errdetail("It must be \"address:port\" or \"[address]:port\".");
    return false;
}

bool check_redirect_uri(char** value, void**, GucSource) {
    const char* text = *value;
    if (*text == '\0' || strncmp(text, "https://", 8) == 0 || strncmp(text, "http://", 7) == 0) return true;
    GUC_check_errdetail("It must begin with \"https://\" or \"http://\".");
    return false;
}

bool check_key_file(char** value, void**, GucSource) {
    if (**value != '\0') return true;
    GUC_check_errdetail("It must not be empty.");
    return false;
}

/// Such settings cannot be made after the server's start; a session that loads the library later shows what the configuration
/// file says, which is what the supervisor was started with unless the file changed since.
GucContext at_start() { return process_shared_preload_libraries_in_progress ? PGC_POSTMASTER : PGC_SIGHUP; }

void define_integer(const char* name, const char* text, int* value, int low, int high, GucContext context, int flags) {
    DefineCustomIntVariable(name, text, nullptr, value, *value, low, high, context, flags, nullptr, nullptr, nullptr);
}

void define_text(const char* name, const char* text, char** value, const char* fallback, GucContext context, int flags,
                 GucStringCheckHook check) {
    DefineCustomStringVariable(name, text, nullptr, value, fallback, context, flags, check, nullptr, nullptr);
}

void define_limits() {
    define_integer("pg_pull.max_workers", "Pulls of this server at once.", &max_workers, 1, 1024, PGC_SIGHUP, 0);
    define_integer("pg_pull.start_timeout", "How long a call waits for a worker slot.", &start_timeout_ms, 0, INT_MAX,
                   PGC_USERSET, GUC_UNIT_MS);
    define_integer("pg_pull.max_run_time", "A run is cancelled after this time; 0: never.", &max_run_time_ms, 0,
                   INT_MAX, PGC_SUSET, GUC_UNIT_MS);
    define_integer("pg_pull.run_retention", "How long finished runs are kept; -1: for ever.", &run_retention_s, -1,
                   INT_MAX, PGC_SIGHUP, GUC_UNIT_S);
    define_integer("pg_pull.reject_retention", "How long open rejects are kept; -1: for ever.", &reject_retention_s, -1,
                   INT_MAX, PGC_SIGHUP, GUC_UNIT_S);
}

void define_security() {
    define_text("pg_pull.key_file", "File of the key ring, relative to the data directory.", &key_file, "pg_pull.key",
                PGC_SIGHUP, GUC_SUPERUSER_ONLY, check_key_file);
    define_text("pg_pull.key_command", "Shell command that prints the key ring; wins over key_file.", &key_command, "",
                PGC_SIGHUP, GUC_SUPERUSER_ONLY, nullptr);
    define_text("pg_pull.credential_env", "Environment variables of the server that a credential_ref may name.",
                &credential_env, "PG_PULL_*", PGC_SUSET, GUC_LIST_INPUT, check_credential_env);
    define_text("pg_pull.credential_env_roles", "Owners, besides superusers, whose connectors may use those variables.",
                &credential_env_roles, "", PGC_SUSET, GUC_LIST_INPUT, check_names);
    define_text("pg_pull.allowed_hosts", "Hosts and address ranges that may be asked; empty: any public address.",
                &allowed_hosts, "", PGC_SUSET, GUC_LIST_INPUT, check_allowed_hosts);
    DefineCustomBoolVariable("pg_pull.dormant", "No request leaves this server (for physical clones).", nullptr,
                             &dormant, false, PGC_SIGHUP, 0, nullptr, nullptr, nullptr);
}

void define_supervisor() {
    define_text("pg_pull.databases", "Databases that the supervisor serves.", &databases, "", at_start(),
                GUC_LIST_INPUT, check_names);
    define_text("pg_pull.listen", "Address and port of the OAuth callback listener; empty: none.", &listen, "",
                at_start(), 0, check_listen);
    define_text("pg_pull.redirect_uri", "Redirect URI of connections whose connector names none.", &redirect_uri, "",
                PGC_SIGHUP, 0, check_redirect_uri);
}

}  // namespace

void define() {
    call([] {
        define_limits();
        define_security();
        define_supervisor();
        pg_pull_reserve_settings("pg_pull");
    });
}

}  // namespace pg_pull::pg::settings
