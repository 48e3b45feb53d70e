#include "pg/sql_time.h"

namespace pg_pull::pg {

std::string micros_of(const char* column) {
    return std::string("(pg_catalog.date_part('epoch', ") + column + ") * 1000000)::bigint";
}

std::string interval_millis(const char* column) {
    return std::string("(pg_catalog.date_part('epoch', ") + column + ") * 1000)::bigint";
}

std::optional<WallTime> time_of(const Rows::Value& micros) {
    if (!micros) return std::nullopt;
    return WallTime(std::chrono::microseconds(to_int(micros)));
}

std::optional<Millis> millis_of(const Rows::Value& millis) {
    if (!millis) return std::nullopt;
    return Millis(to_int(millis));
}

std::string time_parameter(int number) {
    return "(timestamptz '1970-01-01 00:00:00+00' + $" + std::to_string(number) +
           "::bigint * interval '1 microsecond')";
}

std::string interval_parameter(int number) {
    return "($" + std::to_string(number) + "::bigint * interval '1 millisecond')";
}

Param time_param(const std::optional<WallTime>& time) {
    return int8(time ? std::optional<std::int64_t>(time->time_since_epoch().count()) : std::nullopt);
}

Param millis_param(const std::optional<Millis>& millis) {
    return int8(millis ? std::optional<std::int64_t>(millis->count()) : std::nullopt);
}

}  // namespace pg_pull::pg
