#pragma once

#include <string>
#include <string_view>

namespace pg_pull {

/// Why a JSON string cannot become a text of the server.
enum class TextFault : unsigned char {
    none,
    nul,        ///< \u0000, which PostgreSQL's text cannot hold
    surrogate,  ///< half of a surrogate pair, which is no character
};

/// Appends the content of a string token, given without its quotes and already checked by a Scanner. After a fault `out`
/// holds the part before it.
TextFault append_decoded(std::string_view inside, std::string& out);

/// The same, escaped for COPY's text format on the way.
TextFault append_decoded_for_copy(std::string_view inside, std::string& out);

/// The same for what goes to no column: U+0000 stays, half of a surrogate pair becomes U+FFFD.
void append_decoded_leniently(std::string_view inside, std::string& out);

/// Appends `text` as COPY's text format wants it: backslash, newline, carriage return and tab escaped.
void append_for_copy(std::string_view text, std::string& out);

/// Takes append_for_copy back.
std::string from_copy(std::string_view text);

/// Appends `text` (UTF-8) as a JSON string with its quotes.
void append_json_string(std::string_view text, std::string& out);

}  // namespace pg_pull
