#pragma once

// Arguments and results of the SQL functions as C++ values. Our functions are not STRICT: a NULL for a required argument is
// 22004 and names the argument, a NULL for an optional one is its default. No server header needed.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

struct FunctionCallInfoBaseData;

namespace pg_pull::pg {

/// Reads the arguments of one call by position; `name` is the argument's name for errors. Whether a position holds what is asked
/// for is not checked: it must be declared so in SQL.
class Arguments {
public:
    explicit Arguments(FunctionCallInfoBaseData* call) : call_(call) {}

    [[nodiscard]] bool is_null(int position) const;

    // required
    [[nodiscard]] std::string text(int position, const char* name) const;
    [[nodiscard]] std::string name(int position, const char* name) const;         ///< of SQL type name
    [[nodiscard]] nlohmann::json document(int position, const char* name) const;  ///< jsonb
    [[nodiscard]] std::int64_t int8(int position, const char* name) const;
    [[nodiscard]] std::string organization(int position, const char* name) const;  ///< '' is refused
    [[nodiscard]] std::string package(int position, const char* name) const;       ///< '' is refused

    // optional
    [[nodiscard]] std::optional<std::string> optional_text(int position) const;
    [[nodiscard]] std::optional<nlohmann::json> optional_document(int position, const char* name) const;
    [[nodiscard]] std::optional<std::vector<std::string>> optional_text_array(int position, const char* name) const;
    [[nodiscard]] std::optional<std::string> optional_organization(int position, const char* name) const;
    [[nodiscard]] std::optional<std::string> optional_package(int position, const char* name) const;
    [[nodiscard]] std::optional<std::string> optional_interval(int position) const;  ///< as interval text
    [[nodiscard]] bool flag(int position, bool fallback) const;
    [[nodiscard]] int int4(int position, int fallback) const;
    [[nodiscard]] double float8(int position, double fallback) const;

private:
    void require(int position, const char* name) const;
    FunctionCallInfoBaseData* call_;
};

/// The rows of a function that RETURNS TABLE, given as texts for the columns' input functions. Raises 0A000 where the caller
/// takes no set. Return no_value() from the function.
class TableResult {
public:
    explicit TableResult(FunctionCallInfoBaseData* call);
    void add(const std::vector<std::optional<std::string>>& values);

private:
    FunctionCallInfoBaseData* call_;
    void* input_;  ///< AttInMetadata
};

/// What a function without a value (void, or a filled TableResult) returns.
std::uintptr_t no_value();
std::uintptr_t int8_result(std::int64_t value);
std::uintptr_t boolean_result(bool value);

/// The literal of a text array.
std::string array_literal(const std::vector<std::string>& values);

/// The statement that calls us holds a secret: from here on neither the log (STATEMENT of an error) nor pg_stat_activity, which
/// keeps showing the last statement of an idle session, has it; `shown` stands there instead. What log_statement wrote was
/// written before.
void forget_statement(const char* shown);

/// Refuses (25006) in a read-only transaction and on a standby; `function` as "sync_secret_set()".
void refuse_read_only(const char* function);

/// Refuses (standby) what starts a worker; `function` as above.
void refuse_standby(const char* function);

/// NOTICE and WARNING to the client, with our own words only.
void notice(const std::string& message, const std::string& detail = {}, const std::string& hint = {});
void warning(const std::string& message, const std::string& detail = {}, const std::string& hint = {});

}  // namespace pg_pull::pg
