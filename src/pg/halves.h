#pragma once

#include <cstdint>
#include <exception>
#include <functional>
#include <optional>

#include "core/apply/statement.h"

namespace pg_pull::pg {

/// A set-based step over the staged records that must get along with single bad ones. It is run over all records at once; where
/// that fails because of a record, over halves, halves of halves …, so that one bad record among n costs about twice the
/// step and 2 * log2(n) short statements. What succeeded stays.
struct HalvedStep {
    /// Does the step for the sequence numbers of the range (all of them without one). Runs in a subtransaction.
    std::function<void(const std::optional<apply::Range>&)> body;
    /// The last body's effects stay: the place to add its counts up.
    std::function<void()> accepted = [] {};
    /// A record that fails alone. Returns false to stop: the step is then left unfinished.
    std::function<bool(std::int64_t, const std::exception_ptr&)> refused;
    /// All sequence numbers there are; called once, when the first attempt failed.
    std::function<apply::Range()> bounds;
    /// An error that may pass when the same is tried again.
    std::function<bool(const std::exception_ptr&)> passing = [](const std::exception_ptr&) { return false; };
};

/// False when `refused` stopped it. Raises what is no matter of a record: an error that the step also has without any record,
/// and classes of errors like cancel, resources, locks.
bool run_halved(const HalvedStep& step);

/// The error may be due to the record: the server raised it, and it is not of a class that a record cannot cause.
[[nodiscard]] bool is_row_error(const std::exception_ptr& error);
/// A cancel, a shutdown or the lack of a resource: nothing more should be started for this run.
[[nodiscard]] bool ends_the_run(const std::exception_ptr& error);

}  // namespace pg_pull::pg
