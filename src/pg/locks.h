#pragma once

// Locks of our own classes. They are advisory locks (the user lock method) with a class number that SQL's advisory lock
// functions cannot produce, so no application meets them by chance, and they vanish with the process that holds them: nothing is
// left behind by a crash. Session locks of the default lock method would not do: an aborted transaction drops them.
//
//   class            field1    field2       field3        held by
//   run      0x5050  database  0            slice_id      the worker of a run (exclusive), over all its transactions
//   announce 0x5051  database  DSM handle   process id    caller and worker of a call (shared): what sync_progress enumerates
//   slot     0x5052  0         0            1…            the worker of a run (exclusive): pg_pull.max_workers of the server
//   target   0x5053  database  0            relation oid  whoever declares a mapping on it (exclusive), until his commit
//   ring     0x5054  0         0            0             whoever adds a key to the server's key ring (exclusive), until commit
//   name     0x5055  database  hash of the connector's name   who changes its holders (exclusive), who judges by them (shared)
//   account  0x5056  database  hash of name, organization     who writes a connection of it (exclusive), until commit
//   refresh  0x5057  database  hash of the token's holder     the process that asks the provider for a new token (exclusive)
//   state    0x5058  database  hash of an authorization state the process that exchanges its code (exclusive)
//
// A name is always locked before (name, organization). Two names with one hash (64 bits) share a lock, which only makes them wait.
//
// sync_status reads the class numbers of runs in pg_locks (sql/50_views.sql).
// All functions may raise PgError. No server header is needed.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace pg_pull::pg::locks {

/// The run lock of a slice, for this session. False: somebody else has it, or just asks (see run_over).
bool try_run(int slice_id);
void release_run(int slice_id);
/// User code that runs in the worker can drop it by pg_advisory_unlock_all(): asked before a run commits.
bool holds_run(int slice_id);
/// The process whose run holds the slice; 0: none does.
int run_holder(int slice_id);
/// Whether no run holds the slice. Needs a transaction. Whoever waits for a run asks again and again: in the lock's queue he would
/// be part of a deadlock that the server may end by failing the run.
bool run_over(int slice_id);
/// Keeps runs of the slice from starting until this transaction ends; false: one is under way.
bool bar_runs(int slice_id);

/// Takes one of the slots 1…max for this session; false when all are taken.
bool try_slot(int max);
void release_slots(int max);
/// Whether try_slot would find one now. Needs a transaction.
bool slot_free(int max);

/// Until the transaction ends: two mappings on one target are judged one after the other.
void lock_target(unsigned relation);
/// Until the transaction ends, over all databases of the server.
void lock_key_ring();

enum class Mode : unsigned char { shared, exclusive };
/// Until the transaction ends. Whoever takes several sorts them with sorted_for_locking() first, so that no two wait for each other.
void lock_connector_name(std::string_view name, Mode mode);
std::vector<std::string> sorted_for_locking(std::vector<std::string> names);
/// Until the transaction ends, exclusive; the name must have been locked before.
void lock_account(std::string_view name, std::string_view organization);

enum class Kind : unsigned char {
    refresh,  ///< by what is refreshed
    state,    ///< by the hash of an authorization's state
};
/// A lock of this session while it lives, over transactions. False where another process has it: nobody is waited for.
class Held {
public:
    Held(Kind kind, std::string_view what);
    ~Held();
    Held(const Held&) = delete;
    Held& operator=(const Held&) = delete;
    explicit operator bool() const noexcept { return held_; }

private:
    Kind kind_;
    std::uint64_t hash_;
    bool held_;
};

enum class Duration : unsigned char { transaction, session };

void announce(unsigned handle, Duration duration);
void withdraw(unsigned handle, Duration duration);

struct Announcement {
    unsigned handle = 0;
    int pid = 0;
};
/// Those of the current database.
std::vector<Announcement> announcements();

}  // namespace pg_pull::pg::locks
