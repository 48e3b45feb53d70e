#pragma once

// Records that could not be stored: how many a run has, and how they get into sync_reject_store.

#include <cstdint>
#include <exception>
#include <optional>
#include <string>
#include <vector>

#include "core/run/page.h"
#include "pg/catalog.h"
#include "pg/request.h"

namespace pg_pull::pg {

/// A record that cannot land, as an Error of the run: mapping, page, record and column are in the detail.
Error as_run_error(const MappingRow& mapping, const Reject& reject);

/// Code and message of a refusal for a reject; of a constraint's refusal the detail too, since it names the values.
void describe_refusal(const std::exception_ptr& refusal, Reject& reject);

/// The rejects of one run. At most one more than max_rejects are kept.
class RejectStore {
public:
    RejectStore(const RunHandle& run, const MappingRow& mapping) : run_(run), mapping_(mapping) {}

    /// Takes a reject to be written; false when the run's limit is passed by it (on_error fail: by any).
    bool add(Reject reject);
    [[nodiscard]] bool passed_limit() const noexcept { return total_ > limit(); }
    /// How many more are needed to pass the limit: no statement needs to look for more.
    [[nodiscard]] std::int64_t room() const noexcept { return limit() + 1 - total_; }
    [[nodiscard]] std::int64_t total() const noexcept { return total_; }

    /// Writes those added since the last call; the same record again is the same row. Needs a transaction and an Spi scope,
    /// outside of AsOwner. They count as kept once the transaction has committed: see committed().
    void write(const Extension& extension);
    void committed() noexcept { pending_.clear(); }
    [[nodiscard]] bool has_pending() const noexcept { return !pending_.empty(); }
    [[nodiscard]] const std::vector<Reject>& pending() const noexcept { return pending_; }

    /// The error that a passed limit ends the run with.
    [[nodiscard]] Error limit_error() const;

private:
    /// A replace without key cannot leave a record out: the rows of the others would take the place of its row.
    [[nodiscard]] bool strict() const noexcept {
        return mapping_.on_error == "fail" || (mapping_.mode == "replace" && mapping_.key.empty());
    }
    [[nodiscard]] std::int64_t limit() const noexcept { return strict() ? 0 : mapping_.max_rejects; }
    void write_one(const Extension& extension, const Reject& reject) const;

    const RunHandle& run_;
    const MappingRow& mapping_;
    std::int64_t total_ = 0;
    std::vector<Reject> pending_;
    std::optional<Reject> last_;
};

/// Keys of the open rejects of earlier runs of this mapping and organization.
std::vector<std::string> open_reject_keys(const Extension& extension, const MappingRow& mapping, const RunHandle& run);
/// Marks those with one of `keys` as superseded: a later version of the record is stored.
void supersede_rejects(const Extension& extension, const MappingRow& mapping, const RunHandle& run,
                       const std::vector<std::string>& keys);

}  // namespace pg_pull::pg
