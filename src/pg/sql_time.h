#pragma once

// Times between C++ and SQL, as microseconds since the Unix epoch: no text form, no setting has a say. No server header needed.

#include <optional>
#include <string>

#include "core/base/clock.h"
#include "pg/sql.h"

namespace pg_pull::pg {

/// SQL text of a bigint from a timestamptz column, to be read by time_of().
[[nodiscard]] std::string micros_of(const char* column);
/// SQL text of a bigint from an interval column, to be read by millis_of().
[[nodiscard]] std::string interval_millis(const char* column);
[[nodiscard]] std::optional<WallTime> time_of(const Rows::Value& micros);
[[nodiscard]] std::optional<Millis> millis_of(const Rows::Value& millis);

/// SQL text of a timestamptz (an interval) from parameter $number, which is made by time_param (millis_param).
[[nodiscard]] std::string time_parameter(int number);
[[nodiscard]] std::string interval_parameter(int number);
Param time_param(const std::optional<WallTime>& time);
Param millis_param(const std::optional<Millis>& millis);

}  // namespace pg_pull::pg
