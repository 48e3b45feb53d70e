extern "C" {
#include "postgres.h"

#include "common/hashfn.h"
#include "miscadmin.h"
#include "storage/lock.h"

#include "pg/compat.h"
}

#include <algorithm>

#include "pg/border.h"
#include "pg/locks.h"

namespace pg_pull::pg::locks {
namespace {

constexpr uint16 kRun = 0x5050;
constexpr uint16 kAnnounce = 0x5051;
constexpr uint16 kSlot = 0x5052;
constexpr uint16 kTarget = 0x5053;
constexpr uint16 kRing = 0x5054;
constexpr uint16 kName = 0x5055;
constexpr uint16 kAccount = 0x5056;
constexpr uint16 kRefresh = 0x5057;
constexpr uint16 kState = 0x5058;

LOCKTAG tag_of(uint16 lock_class, uint32 field1, uint32 field2, uint32 field3) {
    LOCKTAG tag;
    SET_LOCKTAG_ADVISORY(tag, field1, field2, field3, lock_class);
    return tag;
}

std::uint64_t hash_of(std::string_view text, std::uint64_t seed = 0) {
    return hash_bytes_extended(reinterpret_cast<const unsigned char*>(text.data()), static_cast<int>(text.size()),
                               seed);
}

LOCKTAG hash_tag(uint16 lock_class, std::uint64_t hash) {
    return tag_of(lock_class, MyDatabaseId, static_cast<uint32>(hash >> 32U), static_cast<uint32>(hash));
}

LOCKTAG run_tag(int slice_id) { return tag_of(kRun, MyDatabaseId, 0, static_cast<uint32>(slice_id)); }
LOCKTAG slot_tag(int slot) { return tag_of(kSlot, 0, 0, static_cast<uint32>(slot)); }
LOCKTAG announce_tag(unsigned handle) {
    return tag_of(kAnnounce, MyDatabaseId, handle, static_cast<uint32>(MyProcPid));
}

/// Keeps to plain server calls: for use within call().
bool held(const LOCKTAG& tag, LOCKMODE mode) { return pg_pull_lock_held_by_me(&tag, mode); }

bool try_lock(LOCKTAG tag, LOCKMODE mode, bool session) {
    return call([&tag, mode, session] {
        return held(tag, mode) || LockAcquire(&tag, mode, session, true) != LOCKACQUIRE_NOT_AVAIL;
    });
}

/// Asks first: releasing what user code has dropped already would raise a WARNING.
void release(LOCKTAG tag, LOCKMODE mode, bool session) {
    call([&tag, mode, session] {
        if (held(tag, mode)) LockRelease(&tag, mode, session);
    });
}

bool same(const LOCKTAG& a, const LOCKTAG& b) { return memcmp(&a, &b, sizeof(LOCKTAG)) == 0; }

}  // namespace

bool try_run(int slice_id) { return try_lock(run_tag(slice_id), ExclusiveLock, true); }

void release_run(int slice_id) { release(run_tag(slice_id), ExclusiveLock, true); }

bool holds_run(int slice_id) {
    const LOCKTAG tag = run_tag(slice_id);
    return call([&tag] { return held(tag, ExclusiveLock); });
}

int run_holder(int slice_id) {
    const LOCKTAG tag = run_tag(slice_id);
    return call([&tag] {
        const LockData* data = GetLockStatusData();
        for (int i = 0; i < data->nelements; ++i) {
            const LockInstanceData& lock = data->locks[i];
            if (same(lock.locktag, tag) && (lock.holdMask & LOCKBIT_ON(ExclusiveLock)) != 0) return lock.pid;
        }
        return 0;
    });
}

bool run_over(int slice_id) {
    const LOCKTAG tag = run_tag(slice_id);
    return call([&tag] {
        if (LockAcquire(&tag, ShareLock, false, true) == LOCKACQUIRE_NOT_AVAIL) return false;
        LockRelease(&tag, ShareLock, false);
        return true;
    });
}

bool bar_runs(int slice_id) { return try_lock(run_tag(slice_id), ShareLock, false); }

namespace {

void lock_until_commit(LOCKTAG tag, LOCKMODE mode = ExclusiveLock) {
    call([&tag, mode] { LockAcquire(&tag, mode, false, false); });
}

}  // namespace

void lock_target(unsigned relation) { lock_until_commit(tag_of(kTarget, MyDatabaseId, 0, relation)); }

void lock_key_ring() { lock_until_commit(tag_of(kRing, 0, 0, 0)); }

void lock_connector_name(std::string_view name, Mode mode) {
    lock_until_commit(hash_tag(kName, hash_of(name)), mode == Mode::shared ? ShareLock : ExclusiveLock);
}

std::vector<std::string> sorted_for_locking(std::vector<std::string> names) {
    std::sort(names.begin(), names.end(), [](const std::string& a, const std::string& b) {
        return std::pair(hash_of(a), a) < std::pair(hash_of(b), b);
    });
    names.erase(std::unique(names.begin(), names.end()), names.end());
    return names;
}

void lock_account(std::string_view name, std::string_view organization) {
    lock_until_commit(hash_tag(kAccount, hash_of(organization, hash_of(name))));
}

namespace {

LOCKTAG held_tag(Kind kind, std::uint64_t hash) { return hash_tag(kind == Kind::refresh ? kRefresh : kState, hash); }

}  // namespace

Held::Held(Kind kind, std::string_view what)
    : kind_(kind), hash_(hash_of(what)), held_(try_lock(held_tag(kind_, hash_), ExclusiveLock, true)) {}

Held::~Held() {
    if (held_) release(held_tag(kind_, hash_), ExclusiveLock, true);
}

bool try_slot(int max) {
    for (int slot = 1; slot <= max; ++slot)
        if (try_lock(slot_tag(slot), ExclusiveLock, true)) return true;
    return false;
}

void release_slots(int max) {
    for (int slot = 1; slot <= max; ++slot) release(slot_tag(slot), ExclusiveLock, true);
}

bool slot_free(int max) {
    for (int slot = 1; slot <= max; ++slot) {
        // shared, so that callers who look at the same time do not see each other
        if (!try_lock(slot_tag(slot), ShareLock, false)) continue;
        release(slot_tag(slot), ShareLock, false);
        return true;
    }
    return false;
}

void announce(unsigned handle, Duration duration) {
    (void)try_lock(announce_tag(handle), ShareLock, duration == Duration::session);
}

void withdraw(unsigned handle, Duration duration) {
    release(announce_tag(handle), ShareLock, duration == Duration::session);
}

std::vector<Announcement> announcements() {
    const LockData* data = call([] { return const_cast<const LockData*>(GetLockStatusData()); });
    std::vector<Announcement> found;
    for (int i = 0; i < data->nelements; ++i) {
        const LOCKTAG& tag = data->locks[i].locktag;
        if (tag.locktag_type == LOCKTAG_ADVISORY && tag.locktag_field4 == kAnnounce &&
            tag.locktag_field1 == MyDatabaseId)
            found.push_back({tag.locktag_field2, data->locks[i].pid});
    }
    return found;
}

}  // namespace pg_pull::pg::locks
