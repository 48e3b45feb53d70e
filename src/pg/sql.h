#pragma once

// SPI for C++: statements with parameters, rows as texts. No server header needed.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace pg_pull::pg {

/// A parameter of a statement. Lives until the statement has run (memory of the current context).
struct Param {
    unsigned type = 0;  ///< Oid
    std::uintptr_t value = 0;
    bool null = true;
};

Param text(std::string_view value);
Param text(const std::optional<std::string>& value);
Param text(const std::string& value);
Param text(const char* value);
Param int8(std::int64_t value);
Param int8(std::optional<std::int64_t> value);
Param boolean(bool value);
Param float8(double value);
Param bytea(std::string_view value);
Param bytea(const std::string& value);
Param bytea(const std::optional<std::string>& value);
Param text_array(const std::vector<std::string>& values);
Param oid(unsigned value);

/// SPI for the time of a scope. Needs a transaction; a snapshot is pushed by SPI itself for what needs one.
/// Not ended when an exception passes: the transaction's abort does that.
class Spi {
public:
    Spi();
    ~Spi();
    Spi(const Spi&) = delete;
    Spi& operator=(const Spi&) = delete;

private:
    int exceptions_;
};

/// The result of a statement, all values as texts of their output functions.
class Rows {
public:
    using Value = std::optional<std::string>;
    [[nodiscard]] std::size_t size() const noexcept { return rows_.size(); }
    [[nodiscard]] bool empty() const noexcept { return rows_.empty(); }
    [[nodiscard]] const std::vector<Value>& operator[](std::size_t row) const { return rows_[row]; }
    [[nodiscard]] auto begin() const noexcept { return rows_.begin(); }
    [[nodiscard]] auto end() const noexcept { return rows_.end(); }
    /// The single value of the first row.
    [[nodiscard]] const Value& one() const { return rows_.at(0).at(0); }
    std::uint64_t processed = 0;  ///< rows returned or changed

private:
    friend Rows query(const std::string&, const std::vector<Param>&, bool);
    std::vector<std::vector<Value>> rows_;
};

/// Runs one statement within an Spi scope. Throws PgError. Every name in `statement` is qualified by its schema, operators on
/// types other than built-in ones too; values go in as parameters only.
Rows query(const std::string& statement, const std::vector<Param>& parameters = {}, bool read_only = false);
/// A SELECT that sees what is committed now and this transaction's own changes, whatever the isolation level: for judgements that
/// are made under a lock.
Rows query_latest(const std::string& statement, const std::vector<Param>& parameters = {});
std::uint64_t execute(const std::string& statement, const std::vector<Param>& parameters = {});

/// quote_ident and quote_literal of the server.
std::string quote_identifier(const std::string& name);
std::string quote_literal(const std::string& value);

[[nodiscard]] inline std::int64_t to_int(const Rows::Value& value) { return value ? std::stoll(*value) : 0; }
[[nodiscard]] inline bool to_bool(const Rows::Value& value) { return value && *value == "t"; }

}  // namespace pg_pull::pg
