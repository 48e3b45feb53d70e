#include "core/json/document.h"

#include <charconv>
#include <cmath>
#include <cstdint>
#include <string>

#include "core/json/scan.h"
#include "core/json/text.h"

namespace pg_pull {
namespace {

using nlohmann::json;

json number(std::string_view token) {
    const char* const begin = token.data();
    const char* const end = begin + token.size();
    if (token.find_first_of(".eE") == std::string_view::npos) {
        std::int64_t number = 0;
        if (std::from_chars(begin, end, number).ec == std::errc()) return number;
        std::uint64_t large = 0;
        if (std::from_chars(begin, end, large).ec == std::errc()) return large;
        return std::string(token);
    }
    double value = 0;
    if (std::from_chars(begin, end, value).ec == std::errc() && std::isfinite(value)) return value;
    return std::string(token);
}

/// Builds below a text that a Scanner has already found valid and flat enough, so nothing here can fail.
class Builder {
public:
    explicit Builder(std::string_view text) noexcept : scanner_(text) {}

    json value() {
        scanner_.skip_space();
        const char* const begin = scanner_.at;
        const char first = scanner_.peek();
        if (first == '{') return object();
        if (first == '[') return array();
        scanner_.skip_value(0);
        const std::string_view token(begin, static_cast<std::size_t>(scanner_.at - begin));
        if (first == '"') {
            std::string content;
            append_decoded_leniently(token.substr(1, token.size() - 2), content);
            return content;
        }
        if (first == 'n') return nullptr;
        if (first == 't' || first == 'f') return first == 't';
        return number(token);
    }

private:
    json object() {
        json result = json::object();
        while (next('}')) {
            json key = value();
            scanner_.skip_space();
            ++scanner_.at;  // the colon
            result[key.get_ref<const std::string&>()] = value();
        }
        return result;
    }
    json array() {
        json result = json::array();
        while (next(']')) result.push_back(value());
        return result;
    }
    /// Steps over the opening bracket or a comma; at `close` steps over that and ends.
    bool next(char close) {
        scanner_.skip_space();
        if (scanner_.peek() == close) return ++scanner_.at, false;
        ++scanner_.at;
        scanner_.skip_space();
        if (scanner_.peek() == close) return ++scanner_.at, false;
        return true;
    }

    Scanner scanner_;
};

}  // namespace

Error not_json(std::string_view what, std::size_t offset) {
    return fail(Reason::upstream_not_ok, "the answer is not valid JSON")
        .with_detail("At byte " + std::to_string(offset) + " " + std::string(what) + ".");
}

Result<nlohmann::json> parse_document(std::string_view text) {
    Scanner scanner(text);
    if (!scanner.skip_document()) {
        if (scanner.problem() == Scanner::Problem::too_deep)
            return not_json("objects and arrays are nested more than " + std::to_string(kMaxNesting) + " levels deep",
                            scanner.offset());
        return not_json(scanner.finished() ? "the text ends too early" : "the text is no JSON", scanner.offset());
    }
    return Builder(text).value();
}

}  // namespace pg_pull
