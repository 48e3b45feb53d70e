#pragma once

#include <cstdio>
#include <string>

#include "core/base/clock.h"

namespace pg_pull::pg {

/// ISO 8601 in UTC with microseconds, as the server reads it: 2025-01-31T10:00:00.000000+00
inline std::string iso_utc(WallTime time) {
    const auto day = std::chrono::floor<std::chrono::days>(time);
    const std::chrono::year_month_day date(day);
    const std::chrono::hh_mm_ss<std::chrono::microseconds> clock(time - day);
    char text[64];
    snprintf(text, sizeof(text), "%04d-%02u-%02uT%02d:%02d:%02d.%06d+00", static_cast<int>(date.year()),
             static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()),
             static_cast<int>(clock.hours().count()), static_cast<int>(clock.minutes().count()),
             static_cast<int>(clock.seconds().count()), static_cast<int>(clock.subseconds().count()));
    return text;
}

}  // namespace pg_pull::pg
