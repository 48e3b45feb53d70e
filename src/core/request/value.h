#pragma once

#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

namespace pg_pull {

/// A value on its way into a request. Numbers are text, so that they keep their digits.
struct TemplateValue {
    enum class Kind : unsigned char {
        text,
        number,   ///< a JSON number
        boolean,  ///< `true` or `false`
        json,     ///< an object or array, as JSON text
        bytes,    ///< result of a hash: hexadecimal wherever it becomes text, raw under base64
        time,     ///< microseconds since the epoch, in decimal; ISO 8601 wherever it becomes text
    };
    Kind kind = Kind::text;
    std::string text;
    bool secret = false;  ///< holds a credential, or was made from one

    bool operator==(const TemplateValue&) const = default;

    /// A number that is no number becomes text.
    static TemplateValue number(std::string digits);
    /// Not for null.
    static TemplateValue of(const nlohmann::json& value);
    static TemplateValue of_text(std::string text, bool secret = false) {
        return {Kind::text, std::move(text), secret};
    }

    /// How it reads in a URL, header or text.
    [[nodiscard]] std::string to_text() const;
    /// As a node of a JSON body: numbers as raw_json().
    [[nodiscard]] nlohmann::json to_json() const;
};

/// A node that dump_body() writes as exactly this JSON text. (Kept as a binary value, which JSON text cannot contain.)
[[nodiscard]] nlohmann::json raw_json(std::string_view json_text);
/// JSON text of a body that may hold raw_json() nodes. Bytes that are not UTF-8 become U+FFFD.
[[nodiscard]] std::string dump_body(const nlohmann::json& body);

/// Is it a number by the grammar of JSON (RFC 8259 section 6)?
[[nodiscard]] bool is_json_number(std::string_view text) noexcept;

}  // namespace pg_pull
