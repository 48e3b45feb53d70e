#pragma once

// Transactions, subtransactions and users as scopes. No server header needed.

#include <exception>
#include <functional>

namespace pg_pull::pg {

/// A transaction of a worker: a real transaction block (distributed tables lose atomicity without one), SPI connected, an active
/// snapshot pushed. Commit it, or it is rolled back when the scope ends.
class Transaction {
public:
    Transaction();
    ~Transaction();
    Transaction(const Transaction&) = delete;
    Transaction& operator=(const Transaction&) = delete;
    void commit();

private:
    bool open_ = true;
};

/// Runs `body` in a subtransaction. Returns true when it was released; false when it raised and was rolled back, with the error in
/// `failure` (a PgError or RaisedError). An error that must not be swallowed (cancel, termination, out of resources:
/// classes 53, 57, 58, XX) is thrown on after the rollback.
bool in_subtransaction(const std::function<void()>& body, std::exception_ptr* failure);

/// Acts as `role` for a scope, in a way that the code run meanwhile cannot leave (SECURITY_LOCAL_USERID_CHANGE). Settings that
/// such code changes are set back at the end: our own statements that follow run as a superuser and must not meet a changed
/// search_path. After an exception the transaction's abort restores the user.
class ActAs {
public:
    explicit ActAs(unsigned role);
    ~ActAs();
    ActAs(const ActAs&) = delete;
    ActAs& operator=(const ActAs&) = delete;

private:
    unsigned saved_role_;
    int saved_context_;
    int guc_level_;
};

}  // namespace pg_pull::pg
