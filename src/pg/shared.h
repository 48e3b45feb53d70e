#pragma once

// One call of a worker in dynamic shared memory: what the caller asks, how far the worker is, and what came out.
//
//   requested ──worker: run row committed──▶ running ──▶ done (outcome says how)
//       └──────────── also straight, for what has no run ─────▲
//
// The caller makes the segment and writes the request before the worker exists; from then on each field has one writer, and
// `state` and `outcome` are stored last. The segment lives as long as one of the two is attached. While attempts are made anew
// (no slot, running pull) the segment stays and is rearmed. Plain atomics: they are lock-free, hence good between processes.
// No server header is needed.

#include <atomic>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/base/error.h"
#include "core/base/waiter.h"
#include "core/run/source.h"
#include "pg/request.h"

struct dsm_segment;

namespace pg_pull::pg {

enum class CallState : std::uint32_t { requested, running, done };
enum class Outcome : std::uint32_t {
    none,
    result,   ///< the result text
    error,    ///< the error texts
    busy,     ///< another run holds the slice: run_id and slice_id name it
    no_slot,  ///< pg_pull.max_workers runs are under way
    died,     ///< the process ended without a word
};
/// Why the worker is told to stop; the first to say so wins.
enum class CancelReason : std::uint32_t { none, request, caller_cancelled, caller_gone, caller_holds_lock, run_time };

inline constexpr std::size_t kNameLimit = 256;          ///< bytes; longer names are cut, in sync_progress only
inline constexpr std::size_t kNoticeLimit = 16 * 1024;  ///< bytes of all notices of a call; later ones are dropped
inline constexpr std::size_t kInlineResult = 16 * 1024;

/// What sync_progress shows. Written by whoever has the call in hand: the caller until the worker runs, then the worker.
struct SharedProgress {
    std::atomic<std::uint32_t> phase;
    std::atomic<std::uint32_t> wait_reason;
    std::atomic<std::int64_t> waiting_until;  ///< microseconds since the Unix epoch; 0: unknown
    std::atomic<std::int64_t> started_at;     ///< likewise
    std::atomic<std::int64_t> pages, records_read, rows_rejected, bytes_read, requests, retries, throttled_ms;
    char mapping[kNameLimit];
    char package[kNameLimit];             ///< empty: none
    char organization[kNameLimit];        ///< empty: none
    char found_organization[kNameLimit];  ///< the worker's, where the caller named none
    std::atomic<bool> organization_found;
};

struct SharedError {
    char sqlstate[6];
    Reason reason;
    char message[2048];
    char detail[8192];
    char hint[2048];
    char context[4096];
};

struct SharedCall {
    std::uint32_t magic;  ///< kMagic, stored last by the caller
    std::uint32_t size;   ///< of this struct: a library of another build does not touch it
    unsigned database, requester, extension;
    char extension_version[32];
    RequestKind kind;
    unsigned mapping_owner;       ///< role; for who may see the progress
    std::atomic<int> caller_pid;  ///< 0: nobody waits (any more)
    std::atomic<int> worker_pid;
    std::atomic<CallState> state;
    std::atomic<Outcome> outcome;
    std::atomic<CancelReason> cancel;
    std::atomic<std::int64_t> run_id;
    std::atomic<int> slice_id;
    std::atomic<bool> shielded;  ///< the worker does not stop now (shield.h): nobody waits for that
    SharedProgress progress;
    SharedError error;
    std::atomic<std::uint32_t> notices_used;
    char notices[kNoticeLimit];  ///< pairs of NUL-ended texts: message, hint
    std::uint32_t result_size;
    unsigned result_segment;  ///< DSM handle where the result does not fit; the worker waits until it is taken
    std::atomic<bool> result_taken;
    std::uint32_t arguments_size;
    char tail[];  ///< kInlineResult bytes of result, then the arguments
};
static_assert(std::atomic<std::int64_t>::is_always_lock_free && std::atomic<CallState>::is_always_lock_free);

/// What the caller writes into a new segment.
struct CallRequest {
    unsigned database = 0, requester = 0, extension = 0;
    std::string extension_version;
    RequestKind kind = RequestKind::pull;
    unsigned mapping_owner = 0;
    std::string mapping, package, organization;  ///< for sync_progress
    std::string arguments;                       ///< JSON
};

/// A mapping of a call's segment, kept for the session until destroyed. Functions raise PgError where they meet the server.
class CallSegment {
public:
    static CallSegment create(const CallRequest& request, int caller_pid);
    /// Nothing where the segment is gone, or was made by another build of the library.
    static std::optional<CallSegment> attach(unsigned handle);

    CallSegment(CallSegment&& other) noexcept
        : segment_(std::exchange(other.segment_, nullptr)), owned_(other.owned_) {}
    CallSegment& operator=(CallSegment&&) = delete;
    ~CallSegment();
    /// Leaves the mapping to the end of the process: for whoever looks at it in an exit callback.
    void keep() noexcept { owned_ = false; }

    [[nodiscard]] SharedCall& operator*() const;
    [[nodiscard]] SharedCall* operator->() const { return &**this; }
    [[nodiscard]] unsigned handle() const;
    [[nodiscard]] std::string arguments() const;

private:
    CallSegment(dsm_segment* segment, bool owned) : segment_(segment), owned_(owned) {}
    dsm_segment* segment_;
    bool owned_;  ///< false: this process had it mapped before, and somebody else will unmap it
};

// for the caller
void rearm(SharedCall& call);  ///< before another attempt; the worker of the last one has said its last word
[[nodiscard]] Error read_error(const SharedCall& call);
[[nodiscard]] std::string read_result(SharedCall& call);  ///< worker_died where it went with its worker
/// The notices after `offset`, which moves on.
[[nodiscard]] std::vector<std::pair<std::string, std::string>> read_notices(const SharedCall& call,
                                                                            std::uint32_t* offset);

// for the worker
void write_error(SharedCall& call, const Error& error);
void write_inline_result(SharedCall& call, std::string_view text);  ///< at most kInlineResult bytes
void write_notice(SharedCall& call, std::string_view message, std::string_view hint);
void write_progress(SharedProgress& progress, RunPhase phase, const RunCounters& counters);
void write_organization(SharedProgress& progress, std::string_view organization);

/// False where another reason was there before.
bool ask_to_stop(SharedCall& call, CancelReason reason);

/// Wakes a process of this server that waits on its latch; nothing where it is gone.
void wake(int pid);

}  // namespace pg_pull::pg
