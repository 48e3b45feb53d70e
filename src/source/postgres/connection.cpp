#include "source/postgres/connection.h"

#include <libpq-fe.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <future>
#include <new>
#include <thread>

#include "source/http/signal_block.h"
#include "source/postgres/connection_error.h"
#include "source/postgres/endpoint.h"

namespace pg_pull::postgres {
namespace {

/// How long one wait lasts at most; interrupts end it earlier.
constexpr Millis wait_slice{10'000};

/// An interrupt is answered within 200 ms, this included.
constexpr Millis cancel_moment{120};

void ignore_notice(void*, const PGresult*) {}

/// Asks the remote to stop a statement, from a copy of the connection's address: connecting to it blocks, so it happens in a
/// thread, which is given a moment, since the process may end next. It does not matter whether it succeeds.
void cancel_aside(PGconn* conn) noexcept {
    PGcancel* cancel = PQgetCancel(conn);
    if (cancel == nullptr) return;
    const http::SignalBlock block;
    try {
        std::packaged_task<void()> ask([cancel] {
            std::array<char, 256> message{};
            PQcancel(cancel, message.data(), static_cast<int>(message.size()));
            PQfreeCancel(cancel);
        });
        const std::future<void> asked = ask.get_future();
        std::thread(std::move(ask)).detach();
        asked.wait_for(cancel_moment);
    } catch (...) {
        PQfreeCancel(cancel);
    }
}

Millis connect_timeout(const Options& options) {
    constexpr int least = 1;
    constexpr int most = 3600;
    const int seconds = std::atoi(option(options, "connect_timeout").c_str());
    return std::chrono::seconds(seconds <= 0 ? most : std::clamp(seconds, least, most));
}

std::string field(const PGresult* result, int code) {
    const char* text = PQresultErrorField(result, code);
    return text == nullptr ? std::string() : std::string(text);
}

Error password_required(std::string message, std::string detail) {
    return fail(Reason::invalid_configuration, std::move(message))
        .with_code("2F003")
        .with_detail(std::move(detail))
        .with_hint(
            "Set auth to {\"type\": \"basic\", \"credential_ref\": …}, and have the remote server ask this user for a "
            "password.");
}

}  // namespace

void ClearResult::operator()(pg_result* result) const noexcept { PQclear(result); }
void Connection::FreeRow::operator()(char* row) const noexcept { PQfreemem(row); }

Result<std::unique_ptr<Connection>> Connection::open(SourceContext& context, const std::string& connector,
                                                     Options options, const Secret& password) {
    PG_PULL_CHECK(check_options(options, context.private_addresses_allowed));
    if (!context.private_addresses_allowed && password.empty())
        return password_required("connector \"" + connector + "\" needs a password",
                                 "Its owner is not a superuser, and auth names no password.");
    forget_environment();
    complete_options(options);
    const Millis timeout = connect_timeout(options);
    if (option(options, "service").empty()) {
        PG_PULL_ASSIGN(auto endpoints, find_endpoints(context, connector, options, timeout));
        apply_endpoints(endpoints, options);
    }
    auto connection = std::make_unique<Connection>(context, connector);
    // libpq goes on to the next address by itself where one refuses, but a silent one would hold it for ever
    while (true) {
        PG_PULL_CHECK(connection->start(options, password));
        PG_PULL_ASSIGN(const bool connected, connection->connect_before(context.clock.steady() + timeout));
        if (connected) break;
        const std::string silent = PQhostaddr(connection->conn_) != nullptr ? PQhostaddr(connection->conn_) : "";
        if (!drop_address(options, silent))
            return fail(Reason::network, "could not connect to connector \"" + connector + "\"")
                .with_detail("Host \"" + option(options, "host") + "\" did not answer within " +
                             std::to_string(timeout.count() / 1000) + " s.");
        connection->close();
    }
    PG_PULL_CHECK(connection->check_password_used());
    return connection;
}

Connection::~Connection() { close(); }

void Connection::close() noexcept {
    row_.reset();
    if (conn_ != nullptr && runs_statement_ && PQstatus(conn_) == CONNECTION_OK) cancel_aside(conn_);
    runs_statement_ = false;
    PQfinish(conn_);
    conn_ = nullptr;
    if (holds_fd_) context_.waiter.release_fd();
    holds_fd_ = false;
}

Result<void> Connection::start(const Options& options, const Secret& password) {
    const std::string secret(password.reveal());
    std::vector<const char*> names;
    std::vector<const char*> values;
    for (const auto& [name, value] : options) {
        names.push_back(name.c_str());
        values.push_back(value.c_str());
    }
    if (!secret.empty()) {
        names.push_back("password");
        values.push_back(secret.c_str());
    }
    names.push_back(nullptr);
    values.push_back(nullptr);
    if (!context_.waiter.acquire_fd())
        return fail(Reason::network, "could not connect to connector \"" + connector_ + "\"")
            .with_detail("The process has no file descriptor left.");
    holds_fd_ = true;
    constexpr int no_conninfo_in_dbname = 0;
    conn_ = PQconnectStartParams(names.data(), values.data(), no_conninfo_in_dbname);
    if (conn_ == nullptr) throw std::bad_alloc();
    PQsetErrorVerbosity(conn_, PQERRORS_VERBOSE);
    PQsetNoticeReceiver(conn_, ignore_notice, nullptr);
    if (PQstatus(conn_) == CONNECTION_BAD) return connect_error();
    return {};
}

/// False: the time is over.
Result<bool> Connection::connect_before(std::chrono::steady_clock::time_point deadline) {
    PostgresPollingStatusType state = PGRES_POLLING_WRITING;
    while (state != PGRES_POLLING_OK) {
        if (state == PGRES_POLLING_FAILED) return connect_error();
        const auto left = std::chrono::duration_cast<Millis>(deadline - context_.clock.steady());
        if (left <= Millis(0)) return false;
        std::array<FdInterest, 1> fds = {
            FdInterest{PQsocket(conn_), state == PGRES_POLLING_READING, state == PGRES_POLLING_WRITING}};
        context_.waiter.wait(fds, std::min(left + Millis(1), wait_slice));
        if (fds[0].readable || fds[0].writable) state = PQconnectPoll(conn_);
    }
    if (PQsetnonblocking(conn_, 1) != 0) return lost_error();
    return true;
}

Result<void> Connection::check_password_used() const {
    if (context_.private_addresses_allowed || PQconnectionUsedPassword(conn_) != 0) return {};
    return password_required("the remote server of connector \"" + connector_ + "\" did not ask for a password",
                             "An owner who is not a superuser cannot use a server that lets this one in without.");
}

void Connection::wait_for(bool read, bool write) {
    std::array<FdInterest, 1> fds = {FdInterest{PQsocket(conn_), read, write}};
    context_.waiter.wait(fds, wait_slice);
}

Result<ResultSet> Connection::next_result() {
    for (int unsent = PQflush(conn_); unsent != 0; unsent = PQflush(conn_)) {
        if (unsent < 0) return lost_error();
        wait_for(true, true);
        if (PQconsumeInput(conn_) == 0) return lost_error();
    }
    while (PQisBusy(conn_) != 0) {
        wait_for(true, false);
        if (PQconsumeInput(conn_) == 0) return lost_error();
    }
    ResultSet result(PQgetResult(conn_));
    if (result == nullptr) runs_statement_ = false;
    return result;
}

Result<void> Connection::check(const ResultSet& result) {
    switch (PQresultStatus(result.get())) {
        case PGRES_COMMAND_OK:
        case PGRES_TUPLES_OK:
        case PGRES_EMPTY_QUERY:
        case PGRES_COPY_OUT:
            return {};
        default:
            runs_statement_ = false;
            return remote_error(result.get());
    }
}

/// The result of a statement that has one. `sent`: what the function of libpq that sent it returned.
Result<ResultSet> Connection::only_result(int sent) {
    if (sent == 0) return lost_error();
    runs_statement_ = true;
    PG_PULL_ASSIGN(ResultSet first, next_result());
    PG_PULL_CHECK(check(first));
    if (PQresultStatus(first.get()) == PGRES_COPY_OUT) return first;
    while (true) {
        PG_PULL_ASSIGN(const ResultSet more, next_result());
        if (more == nullptr) return first;
        PG_PULL_CHECK(check(more));
    }
}

Result<void> Connection::run(const std::string& statements) {
    if (PQsendQuery(conn_, statements.c_str()) == 0) return lost_error();
    runs_statement_ = true;
    while (true) {
        PG_PULL_ASSIGN(const ResultSet result, next_result());
        if (result == nullptr) return {};
        PG_PULL_CHECK(check(result));
    }
}

Result<ResultSet> Connection::query(const std::string& statement) {
    return only_result(PQsendQueryParams(conn_, statement.c_str(), 0, nullptr, nullptr, nullptr, nullptr, 0));
}

Result<ResultSet> Connection::describe(const std::string& statement) {
    PG_PULL_CHECK(only_result(PQsendPrepare(conn_, "", statement.c_str(), 0, nullptr)));
    return only_result(PQsendDescribePrepared(conn_, ""));
}

Result<void> Connection::start_copy(const std::string& select) {
    PG_PULL_ASSIGN(const ResultSet result, query("COPY (" + select + ") TO STDOUT"));
    if (PQresultStatus(result.get()) == PGRES_COPY_OUT) return {};
    return fail(Reason::upstream_not_ok, "could not read from connector \"" + connector_ + "\"")
        .with_detail("The remote server did not begin to send rows.");
}

Result<std::optional<std::string_view>> Connection::next_row() {
    row_.reset();
    while (true) {
        char* data = nullptr;
        const int size = PQgetCopyData(conn_, &data, 1);
        row_.reset(data);
        if (size > 0) return std::optional(std::string_view(data, static_cast<std::size_t>(size)));
        if (size == -2) return lost_error();
        if (size == -1) {
            PG_PULL_CHECK(end_copy());
            return std::optional<std::string_view>();
        }
        wait_for(true, false);
        if (PQconsumeInput(conn_) == 0) return lost_error();
    }
}

/// The end of the rows is only an end when the command says so: an error in mid-stream ends them, too.
Result<void> Connection::end_copy() {
    bool completed = false;
    while (true) {
        PG_PULL_ASSIGN(const ResultSet result, next_result());
        if (result == nullptr) break;
        PG_PULL_CHECK(check(result));
        completed = completed || PQresultStatus(result.get()) == PGRES_COMMAND_OK;
    }
    return completed ? Result<void>() : Result<void>(lost_error());
}

Error Connection::connect_error() const {
    Error error =
        connect_failure("connect to connector \"" + connector_ + "\"", PQerrorMessage(conn_), context_.redactor);
    // libpq names the address only
    const std::string host = PQhost(conn_) != nullptr ? PQhost(conn_) : "";
    if (error.detail.find('"' + host + '"') == std::string::npos)
        error.detail = "Host \"" + host + "\": " + error.detail;
    return error;
}

Error Connection::remote_error(const pg_result* result) const {
    RemoteError remote{field(result, PG_DIAG_SQLSTATE), field(result, PG_DIAG_MESSAGE_PRIMARY),
                       field(result, PG_DIAG_MESSAGE_DETAIL), field(result, PG_DIAG_MESSAGE_HINT),
                       field(result, PG_DIAG_CONTEXT)};
    if (remote.sqlstate.empty()) return lost_error();
    return remote_failure("read from connector \"" + connector_ + "\"", remote, context_.redactor);
}

Error Connection::lost_error() const {
    std::string where = PQhost(conn_) != nullptr ? PQhost(conn_) : "";
    Error error =
        connect_failure("read from connector \"" + connector_ + "\"", PQerrorMessage(conn_), context_.redactor);
    error.detail = "Connection to host \"" + where + "\" was lost. " + error.detail;
    return error;
}

}  // namespace pg_pull::postgres
