extern "C" {
#include "postgres.h"

#include "miscadmin.h"
#include "storage/proc.h"
#include "storage/procarray.h"
#include "utils/array.h"
#include "utils/fmgrprotos.h"
#include "utils/wait_event.h"
}

#include <algorithm>
#include <vector>

#include "pg/blocking.h"
#include "pg/border.h"
#include "pg/locks.h"
#include "pg/shared.h"

namespace pg_pull::pg {
namespace {

struct Edge {
    int from = 0;
    int to = 0;
};

/// Whom the callers of this database wait for, each on its latch.
std::vector<Edge> waiting_callers() {
    std::vector<Edge> edges;
    for (const auto& announcement : locks::announcements()) {
        const auto segment = CallSegment::attach(announcement.handle);
        if (!segment) continue;
        const SharedCall& shared = **segment;
        const int caller = shared.caller_pid;
        // caller and worker announce the same call
        if (caller == 0 || caller != announcement.pid || shared.state == CallState::done) continue;
        const bool behind_a_run = shared.progress.wait_reason == static_cast<std::uint32_t>(WaitReason::running_pull);
        const int awaited = behind_a_run ? locks::run_holder(shared.slice_id) : shared.worker_pid.load();
        if (awaited != 0) edges.push_back({caller, awaited});
    }
    return edges;
}

std::vector<int> blockers_of(int pid) {
    struct Pids {
        const int* data;
        int count;
    };
    const Pids pids = call([pid] {
        ArrayType* array = DatumGetArrayTypeP(DirectFunctionCall1(pg_blocking_pids, Int32GetDatum(pid)));
        return Pids{reinterpret_cast<const int*>(ARR_DATA_PTR(array)),
                    ArrayGetNItems(ARR_NDIM(array), ARR_DIMS(array))};
    });
    return std::vector<int>(pids.data, pids.data + pids.count);
}

void add(std::vector<int>& queue, int pid) {
    if (std::find(queue.begin(), queue.end(), pid) == queue.end()) queue.push_back(pid);
}

}  // namespace

bool waits_for_lock(int pid) {
    return call([pid] {
        PGPROC* process = pid != 0 ? BackendPidGetProc(pid) : nullptr;
        return process != nullptr &&
               (*static_cast<volatile uint32*>(&process->wait_event_info) & 0xFF000000U) == PG_WAIT_LOCK;
    });
}

bool blocked_by_me(int pid) {
    const std::vector<Edge> callers = waiting_callers();
    std::vector<int> queue = {pid};
    for (std::size_t i = 0; i < queue.size(); ++i) {
        if (queue[i] == MyProcPid) return true;
        for (const int blocker : blockers_of(queue[i])) add(queue, blocker);
        for (const Edge& edge : callers)
            if (edge.from == queue[i]) add(queue, edge.to);
    }
    return false;
}

}  // namespace pg_pull::pg
