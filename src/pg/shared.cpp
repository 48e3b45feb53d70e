extern "C" {
#include "postgres.h"

#include "mb/pg_wchar.h"
#include "storage/dsm.h"
#include "storage/latch.h"
#include "storage/proc.h"
#include "storage/procarray.h"
}

#include <algorithm>
#include <cstring>
#include <new>

#include "pg/border.h"
#include "pg/shared.h"

namespace pg_pull::pg {
namespace {

constexpr std::uint32_t kMagic = 0x70756C6C;

/// Cuts at a character border (UTF-8, or the single byte of other encodings).
template <std::size_t N>
void put(char (&target)[N], std::string_view text) {
    std::size_t length = std::min(text.size(), N - 1);
    if (length < text.size())
        while (length > 0 && (static_cast<unsigned char>(text[length]) & 0xC0) == 0x80) --length;
    std::memcpy(target, text.data(), length);
    target[length] = '\0';
}

SharedCall* address_of(dsm_segment* segment) { return static_cast<SharedCall*>(dsm_segment_address(segment)); }

void fill(SharedCall& shared, const CallRequest& request, int caller_pid) {
    new (&shared) SharedCall();
    shared.size = sizeof(SharedCall);
    shared.database = request.database;
    shared.requester = request.requester;
    shared.extension = request.extension;
    put(shared.extension_version, request.extension_version);
    shared.kind = request.kind;
    shared.mapping_owner = request.mapping_owner;
    shared.caller_pid = caller_pid;
    shared.worker_pid = 0;
    put(shared.progress.mapping, request.mapping);
    put(shared.progress.package, request.package);
    put(shared.progress.organization, request.organization);
    shared.progress.organization_found = false;
    shared.notices_used = 0;
    shared.arguments_size = static_cast<std::uint32_t>(request.arguments.size());
    std::memcpy(shared.tail + kInlineResult, request.arguments.data(), request.arguments.size());
    rearm(shared);
    std::atomic_thread_fence(std::memory_order_release);
    shared.magic = kMagic;
}

}  // namespace

CallSegment CallSegment::create(const CallRequest& request, int caller_pid) {
    const Size size = sizeof(SharedCall) + kInlineResult + request.arguments.size();
    dsm_segment* segment = call([size] {
        dsm_segment* made = dsm_create(size, 0);
        dsm_pin_mapping(made);  // survives the commit of CALL sync_run()
        return made;
    });
    fill(*address_of(segment), request, caller_pid);
    return CallSegment(segment, true);
}

std::optional<CallSegment> CallSegment::attach(unsigned handle) {
    dsm_segment* known = dsm_find_mapping(handle);
    if (known != nullptr) return CallSegment(known, false);
    dsm_segment* segment = call([handle] {
        dsm_segment* mapped = dsm_attach(handle);
        if (mapped != nullptr) dsm_pin_mapping(mapped);
        return mapped;
    });
    if (segment == nullptr) return std::nullopt;
    CallSegment result(segment, true);
    const bool ours = dsm_segment_map_length(segment) >= sizeof(SharedCall) && result->magic == kMagic &&
                      result->size == sizeof(SharedCall);
    if (!ours) return std::nullopt;
    std::atomic_thread_fence(std::memory_order_acquire);
    return result;
}

CallSegment::~CallSegment() {
    // raises nothing but a WARNING
    if (segment_ != nullptr && owned_) dsm_detach(segment_);
}

SharedCall& CallSegment::operator*() const { return *address_of(segment_); }
unsigned CallSegment::handle() const { return dsm_segment_handle(segment_); }

std::string CallSegment::arguments() const {
    const SharedCall& shared = **this;
    return std::string(shared.tail + kInlineResult, shared.arguments_size);
}

void rearm(SharedCall& shared) {
    shared.worker_pid = 0;
    shared.outcome = Outcome::none;
    shared.cancel = CancelReason::none;
    shared.run_id = 0;
    shared.slice_id = 0;
    shared.progress.phase = static_cast<std::uint32_t>(RunPhase::starting);
    shared.progress.wait_reason = static_cast<std::uint32_t>(WaitReason::none);
    shared.progress.waiting_until = 0;
    shared.progress.started_at = 0;
    write_progress(shared.progress, RunPhase::starting, RunCounters{});
    shared.result_size = 0;
    shared.result_segment = DSM_HANDLE_INVALID;
    shared.result_taken = false;
    shared.state = CallState::requested;
}

Error read_error(const SharedCall& shared) {
    Error error;
    error.sqlstate = shared.error.sqlstate;
    error.reason = shared.error.reason;
    error.message = shared.error.message;
    error.detail = shared.error.detail;
    error.hint = shared.error.hint;
    error.context = shared.error.context;
    return error;
}

std::string read_result(SharedCall& shared) {
    if (shared.result_segment == DSM_HANDLE_INVALID) return std::string(shared.tail, shared.result_size);
    const unsigned handle = shared.result_segment;
    dsm_segment* segment = call([handle] { return dsm_attach(handle); });
    if (segment == nullptr) raise(fail(Reason::worker_died, "the pull worker ended before its result was read"));
    std::string text;
    text.assign(static_cast<const char*>(dsm_segment_address(segment)), shared.result_size);
    dsm_detach(segment);
    shared.result_taken = true;
    wake(shared.worker_pid);
    return text;
}

std::vector<std::pair<std::string, std::string>> read_notices(const SharedCall& shared, std::uint32_t* offset) {
    std::vector<std::pair<std::string, std::string>> found;
    const std::uint32_t used = shared.notices_used.load(std::memory_order_acquire);
    while (*offset < used) {
        std::string message = shared.notices + *offset;
        *offset += static_cast<std::uint32_t>(message.size()) + 1;
        std::string hint = shared.notices + *offset;
        *offset += static_cast<std::uint32_t>(hint.size()) + 1;
        found.emplace_back(std::move(message), std::move(hint));
    }
    return found;
}

void write_error(SharedCall& shared, const Error& error) {
    put(shared.error.sqlstate, error.code());
    shared.error.reason = error.reason;
    put(shared.error.message, error.message);
    put(shared.error.detail, error.detail);
    put(shared.error.hint, error.hint);
    put(shared.error.context, error.context);
}

void write_inline_result(SharedCall& shared, std::string_view text) {
    shared.result_size = static_cast<std::uint32_t>(std::min(text.size(), kInlineResult));
    std::memcpy(shared.tail, text.data(), shared.result_size);
}

void write_notice(SharedCall& shared, std::string_view message, std::string_view hint) {
    std::uint32_t used = shared.notices_used.load(std::memory_order_relaxed);
    if (used + message.size() + hint.size() + 2 > kNoticeLimit) return;
    for (const std::string_view text : {message, hint}) {
        std::memcpy(shared.notices + used, text.data(), text.size());
        used += static_cast<std::uint32_t>(text.size());
        shared.notices[used++] = '\0';
    }
    shared.notices_used.store(used, std::memory_order_release);
}

void write_progress(SharedProgress& progress, RunPhase phase, const RunCounters& counters) {
    progress.phase = static_cast<std::uint32_t>(phase);
    progress.pages = counters.pages;
    progress.records_read = counters.records_read;
    progress.rows_rejected = counters.rows_rejected;
    progress.bytes_read = counters.bytes_read;
    progress.requests = counters.requests;
    progress.retries = counters.retries;
    progress.throttled_ms = counters.throttled_ms;
}

void write_organization(SharedProgress& progress, std::string_view organization) {
    // written once: readers may be looking
    if (progress.organization_found) return;
    put(progress.found_organization, organization);
    progress.organization_found = true;
}

bool ask_to_stop(SharedCall& shared, CancelReason reason) {
    CancelReason none = CancelReason::none;
    return shared.cancel.compare_exchange_strong(none, reason);
}

void wake(int pid) {
    if (pid == 0) return;
    PGPROC* process = BackendPidGetProc(pid);
    if (process != nullptr) SetLatch(&process->procLatch);
}

}  // namespace pg_pull::pg
