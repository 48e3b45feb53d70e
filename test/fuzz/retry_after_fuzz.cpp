#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "core/paging/retry.h"

// Any pair of Retry-After and Date, split at the first NUL: a wait is never negative, and never longer than retry.max.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace pg_pull;
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    const std::string_view value = text.substr(0, text.find('\0'));
    const std::string_view date = value.size() < size ? text.substr(value.size() + 1) : std::string_view();
    const WallTime now{std::chrono::seconds(1'714'521'600)};
    const RetryConfig retry;
    const auto check = [&retry](std::optional<Millis> wait) {
        if (wait && wait->count() < 0) std::abort();
        const Millis taken = retry_wait(retry, 3, wait, 0.5);
        if (taken.count() < 0 || taken > retry.max) std::abort();
    };
    check(parse_retry_after(value, date, now));
    check(parse_retry_after(value, std::nullopt, now));
    for (const auto unit : {ResetHeader::Unit::seconds, ResetHeader::Unit::epoch, ResetHeader::Unit::epoch_ms})
        check(parse_reset({"x", unit}, value, now));
    return 0;
}
