#include "pg/halves.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "pg/border.h"
#include "pg/xact.h"

namespace pg_pull::pg {
namespace {

using apply::Range;

constexpr int kAttempts = 4;  // one, and three more for what may pass

/// True when the step got through; otherwise `failure` says why not.
bool attempt(const HalvedStep& step, const std::optional<Range>& range, std::exception_ptr* failure) {
    for (int i = 0; i < kAttempts; ++i) {
        if (in_subtransaction([&] { step.body(range); }, failure)) {
            step.accepted();
            return true;
        }
        if (!is_row_error(*failure)) std::rethrow_exception(*failure);
        if (!step.passing(*failure)) return false;
    }
    return false;
}

bool halve(const HalvedStep& step, const Range& range, const std::exception_ptr& failure) {
    if (range.first >= range.last) return step.refused(range.first, failure);
    const std::int64_t middle = range.first + (range.last - range.first) / 2;
    for (const Range half : {Range{range.first, middle}, Range{middle + 1, range.last}}) {
        std::exception_ptr cause;
        if (!attempt(step, half, &cause) && !halve(step, half, cause)) return false;
    }
    return true;
}

}  // namespace

bool is_row_error(const std::exception_ptr& error) {
    constexpr std::array<std::string_view, 9> kNever{"08", "25", "28", "40", "53", "55", "57", "58", "XX"};
    try {
        std::rethrow_exception(error);
    } catch (const PgError& e) {
        const std::string state = e.sqlstate();
        return std::find(kNever.begin(), kNever.end(), std::string_view(state).substr(0, 2)) == kNever.end();
    } catch (...) {
        return false;
    }
}

bool run_halved(const HalvedStep& step) {
    std::exception_ptr failure;
    if (attempt(step, std::nullopt, &failure)) return true;
    std::exception_ptr without_records;
    if (!in_subtransaction([&] { step.body(Range{0, -1}); }, &without_records)) std::rethrow_exception(failure);
    return halve(step, step.bounds(), failure);
}

}  // namespace pg_pull::pg
