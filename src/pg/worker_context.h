#pragma once

// The worker's side of one call: what execute_* functions get, and how it reaches shared memory and the run row.
// No server header is needed.

#include <exception>
#include <optional>
#include <string>

#include "pg/request.h"
#include "pg/run_row.h"
#include "pg/shared.h"
#include "pg/wait.h"

namespace pg_pull::pg {

class CallContext final : public WorkerContext {
public:
    explicit CallContext(SharedCall& shared) : shared_(shared), waiter_(shared.progress) {}

    [[nodiscard]] Waiter& waiter() override { return waiter_; }
    void progress(RunPhase phase, const RunCounters& counters) override;
    void notice(const std::string& message, const std::string& hint) override;
    Extension checked_extension() override;
    [[nodiscard]] SharedCall& shared() override { return shared_; }
    void end_run(const RunHandle& run, const RunColumns& columns) override;
    void amend_run(const RunHandle& run, const RunColumns& columns) override;
    void failed_counters(const RunColumns& columns) override { failed_ = columns; }

    /// The row as the run's last transaction wrote it; nothing before.
    [[nodiscard]] const std::optional<RunRow>& ended() const noexcept { return ended_; }
    /// T!: ends the row as failed or cancelled, in a transaction of its own. False where the run had succeeded before.
    /// Raises where that cannot be written.
    bool fail_run(const RunHandle& run, const Error& error);

private:
    [[nodiscard]] RunColumns failure_columns(const Error& error) const;

    SharedCall& shared_;
    ServerWaiter waiter_;
    RunCounters counters_;
    RunColumns failed_;
    std::optional<RunRow> ended_;
};

/// What went wrong, in the words for run row, log and caller: a cancel is told by who asked for it.
Error explain(const std::exception_ptr& exception, const SharedCall& shared);

}  // namespace pg_pull::pg
