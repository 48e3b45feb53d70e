#include "pg/halves.h"

#include <algorithm>
#include <initializer_list>
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

bool of_server(const std::exception_ptr& error) {
    try {
        std::rethrow_exception(error);
    } catch (const PgError&) {
        return true;
    } catch (...) {
        return false;
    }
}

bool is_of_class(const std::exception_ptr& error, std::initializer_list<std::string_view> classes) {
    const std::string state = describe(error).code();
    return std::find(classes.begin(), classes.end(), std::string_view(state).substr(0, 2)) != classes.end();
}

/// Large ranges are cut into many pieces: where one record of a million is bad, all but one of them get through at once, and
/// little is done twice. Small ones are halved, which takes the fewest statements to a single record.
std::int64_t piece_of(const Range& range) {
    constexpr std::int64_t kLarge = 4096;
    constexpr std::int64_t kPieces = 16;
    const std::int64_t size = range.last - range.first + 1;
    const std::int64_t pieces = size > kLarge ? kPieces : 2;
    return (size + pieces - 1) / pieces;
}

bool divide(const HalvedStep& step, const Range& range, const std::exception_ptr& failure) {
    if (range.first >= range.last) return step.refused(range.first, failure);
    const std::int64_t size = piece_of(range);
    for (std::int64_t first = range.first; first <= range.last; first += size) {
        const Range piece{first, std::min(first + size - 1, range.last)};
        std::exception_ptr cause;
        if (!attempt(step, piece, &cause) && !divide(step, piece, cause)) return false;
    }
    return true;
}

}  // namespace

bool is_row_error(const std::exception_ptr& error) {
    return of_server(error) && !is_of_class(error, {"08", "25", "28", "40", "53", "55", "57", "58", "XX"});
}

bool ends_the_run(const std::exception_ptr& error) { return is_of_class(error, {"53", "57", "58", "XX"}); }

bool run_halved(const HalvedStep& step) {
    std::exception_ptr failure;
    if (attempt(step, std::nullopt, &failure)) return true;
    std::exception_ptr without_records;
    if (!in_subtransaction([&] { step.body(Range{0, -1}); }, &without_records)) std::rethrow_exception(failure);
    return divide(step, step.bounds(), failure);
}

}  // namespace pg_pull::pg
