#pragma once

#include <chrono>

namespace pg_pull {

using Millis = std::chrono::milliseconds;
/// Microseconds since the Unix epoch, UTC.
using WallTime = std::chrono::sys_time<std::chrono::microseconds>;

/// The only source of time in core and sources, so that tests can hold it still.
class Clock {
public:
    virtual ~Clock() = default;
    [[nodiscard]] virtual WallTime now() const = 0;
    /// Never jumps; for deadlines and durations only.
    [[nodiscard]] virtual std::chrono::steady_clock::time_point steady() const = 0;
};

class SystemClock final : public Clock {
public:
    [[nodiscard]] WallTime now() const override {
        return std::chrono::time_point_cast<std::chrono::microseconds>(std::chrono::system_clock::now());
    }
    [[nodiscard]] std::chrono::steady_clock::time_point steady() const override {
        return std::chrono::steady_clock::now();
    }
};

}  // namespace pg_pull
