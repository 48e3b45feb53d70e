#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "core/base/error.h"
#include "core/base/secret.h"
#include "source/postgres/conninfo.h"
#include "source/source_context.h"

struct pg_conn;
struct pg_result;

namespace pg_pull::postgres {

struct ClearResult {
    void operator()(pg_result* result) const noexcept;
};
using ResultSet = std::unique_ptr<pg_result, ClearResult>;

/// A connection of libpq that never blocks: every wait goes through the Waiter, and its exceptions pass. Errors of the remote
/// server carry its SQLSTATE, message, detail, hint and context, redacted (reason upstream_not_ok); trouble of the connection
/// itself has reason network. After an error only destruction makes sense.
class Connection {
public:
    /// Connects to the first endpoint of `options` that takes us, each within connect_timeout. `password` may be empty.
    /// An owner who is no superuser (context.private_addresses_allowed) needs a password that the server asks for: otherwise
    /// the remote would let him in for what the account of this server is (SQLSTATE 2F003).
    static Result<std::unique_ptr<Connection>> open(SourceContext& context, const std::string& connector,
                                                    Options options, const Secret& password);
    /// Not connected yet: for open().
    Connection(SourceContext& context, std::string connector) : context_(context), connector_(std::move(connector)) {}
    /// Ends the connection at once. A statement that still runs there is cancelled by a helper thread, which is waited for 120 ms
    /// at most: the remote would notice the lost connection only when it next sends something.
    ~Connection();
    Connection(const Connection&) = delete;
    Connection& operator=(const Connection&) = delete;

    /// Several statements, our own, whose results do not matter.
    Result<void> run(const std::string& statements);
    /// One statement, by the protocol that takes no second one: text of the user's stands in it.
    Result<ResultSet> query(const std::string& statement);
    /// The columns that a statement would give; it is not run.
    Result<ResultSet> describe(const std::string& statement);
    /// COPY (…) TO STDOUT; then next_row() until it gives nothing.
    Result<void> start_copy(const std::string& select);
    /// One line with its '\n', valid until the next call. Nothing: the remote said that all was sent.
    Result<std::optional<std::string_view>> next_row();

private:
    struct FreeRow {
        void operator()(char* row) const noexcept;
    };

    Result<void> start(const Options& options, const Secret& password);
    Result<bool> connect_before(std::chrono::steady_clock::time_point deadline);
    Result<void> check_password_used() const;
    void close() noexcept;
    void wait_for(bool read, bool write);
    Result<ResultSet> next_result();
    Result<ResultSet> only_result(int sent);
    Result<void> check(const ResultSet& result);
    Result<void> end_copy();
    [[nodiscard]] Error connect_error() const;
    [[nodiscard]] Error remote_error(const pg_result* result) const;
    [[nodiscard]] Error lost_error() const;

    SourceContext& context_;
    std::string connector_;
    pg_conn* conn_ = nullptr;
    bool holds_fd_ = false;
    bool runs_statement_ = false;  ///< the remote has not said yet that it is through
    std::unique_ptr<char, FreeRow> row_;
};

}  // namespace pg_pull::postgres
