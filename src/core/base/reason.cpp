#include "core/base/reason.h"

#include <array>

namespace pg_pull {
namespace {

constexpr std::array kReasons = {ReasonInfo{"", "XX000", "", ""},
#define PG_PULL_REASON_ROW(name, sqlstate, meaning, remedy) ReasonInfo{#name, sqlstate, meaning, remedy},
                                 PG_PULL_REASONS(PG_PULL_REASON_ROW)
#undef PG_PULL_REASON_ROW
};

}  // namespace

const ReasonInfo& info(Reason reason) noexcept { return kReasons[static_cast<std::size_t>(reason)]; }

std::span<const ReasonInfo> all_reasons() noexcept { return std::span(kReasons).subspan(1); }

}  // namespace pg_pull
