#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>

#include "core/json/path.h"
#include "core/json/scan.h"
#include "core/json/text.h"

namespace pg_pull {

/// Values as the exact texts that a source sent, without space around them. Nothing here copies; views point into the text.
enum class RawType : unsigned char { null, boolean, number, string, object, array };

[[nodiscard]] RawType raw_type(std::string_view raw) noexcept;
/// "a string", "an object", "null" …
[[nodiscard]] std::string_view raw_type_name(std::string_view raw) noexcept;
/// A string token without its quotes.
[[nodiscard]] inline std::string_view inside_quotes(std::string_view raw) noexcept {
    return raw.substr(1, raw.size() - 2);
}

/// Whether a key token (without quotes) names `name`, escapes understood.
[[nodiscard]] bool raw_key_is(std::string_view inside, std::string_view name);

/// Calls visit(key without quotes, value) for each member, repeated keys included. False: the text is no valid object, and
/// what was visited until then stands.
template <class Visit>
bool for_each_member(std::string_view object, Visit&& visit) {
    Scanner scanner(object);
    if (!scanner.expect('{')) return false;
    scanner.skip_space();
    if (scanner.peek() == '}') return true;
    while (true) {
        bool has_escapes = false;
        const char* const key = scanner.at;
        if (!scanner.read_string(has_escapes)) return false;
        const std::string_view name(key + 1, static_cast<std::size_t>(scanner.at - key) - 2);
        scanner.skip_space();
        if (!scanner.expect(':')) return false;
        scanner.skip_space();
        const char* const value = scanner.at;
        if (!scanner.skip_value(1)) return false;
        visit(name, std::string_view(value, static_cast<std::size_t>(scanner.at - value)));
        scanner.skip_space();
        if (scanner.peek() == '}') return true;
        if (!scanner.expect(',')) return false;
        scanner.skip_space();
    }
}

/// Calls visit(value) for each element. False: the text is no valid array.
template <class Visit>
bool for_each_element(std::string_view array, Visit&& visit) {
    Scanner scanner(array);
    if (!scanner.expect('[')) return false;
    scanner.skip_space();
    if (scanner.peek() == ']') return true;
    while (true) {
        const char* const value = scanner.at;
        if (!scanner.skip_value(1)) return false;
        visit(std::string_view(value, static_cast<std::size_t>(scanner.at - value)));
        scanner.skip_space();
        if (scanner.peek() == ']') return true;
        if (!scanner.expect(',')) return false;
        scanner.skip_space();
    }
}

/// One step down by name or index, no wildcard; empty where it is absent. A repeated key: the last wins.
[[nodiscard]] std::string_view raw_child(std::string_view raw, std::string_view step);

/// Calls visit for every value at the steps of `path` from `first_step` on, below `raw`.
void visit_raw(std::string_view raw, const Path& path, std::size_t first_step,
               const std::function<void(std::string_view)>& visit);

}  // namespace pg_pull
