#include "core/mapping/suggest.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdint>
#include <cstdio>
#include <set>

#include "core/base/timestamp.h"

namespace pg_pull {
namespace {

using Json = nlohmann::ordered_json;

enum class Kind : unsigned char { unknown, boolean, bigint, numeric, uuid, date, timestamptz, text, jsonb };

constexpr std::array<const char*, 9> kTypeNames = {"text", "boolean",     "bigint", "numeric", "uuid",
                                                   "date", "timestamptz", "text",   "jsonb"};

bool is_uuid(std::string_view text) {
    if (text.size() != 36) return false;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const bool dash = i == 8 || i == 13 || i == 18 || i == 23;
        if (dash ? text[i] != '-' : std::isxdigit(static_cast<unsigned char>(text[i])) == 0) return false;
    }
    return true;
}

Kind kind_of_text(const std::string& text) {
    if (is_uuid(text)) return Kind::uuid;
    const auto time = parse_timestamp(text);
    if (!time) return Kind::text;
    return time->style.date_only ? Kind::date : Kind::timestamptz;
}

Kind kind_of(const Json& value) {
    if (value.is_boolean()) return Kind::boolean;
    // a whole number beyond 64 bits is read as a double: numeric holds it
    if (value.is_number_unsigned())
        return value.get<std::uint64_t>() <= static_cast<std::uint64_t>(INT64_MAX) ? Kind::bigint : Kind::numeric;
    if (value.is_number_integer()) return Kind::bigint;
    if (value.is_number()) return Kind::numeric;
    if (value.is_string()) return kind_of_text(value.get_ref<const std::string&>());
    if (value.is_structured()) return Kind::jsonb;
    return Kind::unknown;  // null
}

/// The narrowest kind that holds both.
Kind join(Kind a, Kind b) {
    if (a == b || b == Kind::unknown) return a;
    if (a == Kind::unknown) return b;
    const auto both = [&](Kind x, Kind y) { return (a == x && b == y) || (a == y && b == x); };
    if (both(Kind::bigint, Kind::numeric)) return Kind::numeric;
    if (both(Kind::date, Kind::timestamptz)) return Kind::timestamptz;
    if (a == Kind::jsonb || b == Kind::jsonb) return Kind::jsonb;
    return Kind::text;
}

struct ColumnGuess {
    std::string key;
    std::string name;
    Kind kind = Kind::unknown;
    std::size_t present = 0;  ///< records with a value that is not null
    std::set<std::string> values;
};

/// A path that means the key itself, also where the key has dots or looks like something else.
std::string path_of(const std::string& key) {
    const bool plain =
        !key.empty() && key.find('.') == std::string::npos && key[0] != '/' && key[0] != '$' && key != "*";
    if (plain) return key;
    std::string pointer = "/";
    for (const char c : key) {
        if (c == '~')
            pointer += "~0";
        else if (c == '/')
            pointer += "~1";
        else
            pointer += c;
    }
    return pointer;
}

std::string unique_name(const std::string& key, const std::vector<ColumnGuess>& others) {
    const std::string base = column_name(key);
    std::string name = base;
    const auto taken = [&] {
        return std::any_of(others.begin(), others.end(), [&](const ColumnGuess& other) { return other.name == name; });
    };
    for (int n = 2; taken(); ++n) {
        const std::string suffix = "_" + std::to_string(n);
        name = base.substr(0, 63 - suffix.size()) + suffix;
    }
    return name;
}

void note(std::vector<ColumnGuess>& guesses, const std::string& key, const Json& value) {
    auto at = std::find_if(guesses.begin(), guesses.end(), [&](const ColumnGuess& guess) { return guess.key == key; });
    if (at == guesses.end()) {
        guesses.push_back({key, unique_name(key, guesses), Kind::unknown, 0, {}});
        at = guesses.end() - 1;
    }
    if (value.is_null()) return;
    at->kind = join(at->kind, kind_of(value));
    ++at->present;
    at->values.insert(value.dump(-1, ' ', false, Json::error_handler_t::replace));
}

std::string quoted(const std::string& name) {
    std::string text = "\"";
    for (const char c : name) text += c == '"' ? std::string("\"\"") : std::string(1, c);
    return text + '"';
}

const ColumnGuess* find_key(const std::vector<ColumnGuess>& guesses, std::size_t records) {
    for (const std::string_view name : {"id", "_id", "uuid", "key", "guid"})
        for (const auto& guess : guesses)
            if (guess.key == name && guess.kind != Kind::jsonb && guess.present == records &&
                guess.values.size() == records)
                return &guess;
    return nullptr;
}

const ColumnGuess* find_watermark(const std::vector<ColumnGuess>& guesses) {
    constexpr std::array<std::string_view, 8> names = {"updated_at",   "modified_at",       "last_modified",
                                                       "last_updated", "changed_at",        "updated",
                                                       "modified",     "last_modified_date"};
    for (const std::string_view name : names)
        for (const auto& guess : guesses)
            if (guess.name == name && (guess.kind == Kind::timestamptz || guess.kind == Kind::bigint)) return &guess;
    return nullptr;
}

std::string table_text(const std::vector<ColumnGuess>& guesses, const ColumnGuess* key, const std::string& table) {
    std::string text = "CREATE TABLE " + table + " (\n";
    for (const auto& guess : guesses) {
        text += "    " + quoted(guess.name) + ' ' + kTypeNames[static_cast<std::size_t>(guess.kind)];
        if (&guess == key) text += " PRIMARY KEY";
        text += &guess == &guesses.back() ? "\n" : ",\n";
    }
    return text + ");";
}

}  // namespace

std::string column_name(std::string_view key) {
    std::string name;
    for (std::size_t i = 0; i < key.size(); ++i) {
        const auto c = static_cast<unsigned char>(key[i]);
        const bool upper = std::isupper(c) != 0;
        const bool starts_word = upper && i > 0 && std::islower(static_cast<unsigned char>(key[i - 1])) != 0;
        if (starts_word) name += '_';
        if (c >= 0x80 || std::isalnum(c) != 0 || c == '_')
            name += static_cast<char>(upper ? std::tolower(c) : c);
        else if (!name.empty() && name.back() != '_')
            name += '_';
    }
    while (!name.empty() && name.back() == '_' && key.back() != '_') name.pop_back();
    if (name.empty()) name = "column";
    if (name.size() <= 63) return name;
    std::uint32_t hash = 2166136261U;  // FNV-1a over the whole key: long names that begin alike stay apart
    for (const char c : key) hash = (hash ^ static_cast<unsigned char>(c)) * 16777619U;
    std::array<char, 10> suffix{};
    std::snprintf(suffix.data(), suffix.size(), "_%08x", hash);
    std::size_t cut = 63 - 9;
    while (cut > 0 && (static_cast<unsigned char>(name[cut]) & 0xC0U) == 0x80U) --cut;
    return name.substr(0, cut) + suffix.data();
}

Result<Suggestion> suggest(const std::vector<std::string_view>& records, const std::string& table) {
    if (records.empty())
        return fail(Reason::records_not_array, "the source returned no records to learn from")
            .with_hint("Name a source that has records, or create the table yourself.");
    std::vector<ColumnGuess> guesses;
    for (const auto record : records) {
        const Json document = Json::parse(record, nullptr, false);
        if (!document.is_object())
            return fail(Reason::record_not_object, "a record of the source is not a JSON object");
        for (const auto& [key, value] : document.items()) note(guesses, key, value);
    }
    if (guesses.empty()) return fail(Reason::record_not_object, "the records of the source have no keys");
    const ColumnGuess* key = find_key(guesses, records.size());
    const ColumnGuess* watermark = find_watermark(guesses);
    Suggestion suggestion;
    suggestion.create_table = table_text(guesses, key, table);
    suggestion.fields = Json::object();
    for (const auto& guess : guesses) suggestion.fields[guess.name] = path_of(guess.key);
    if (key != nullptr) suggestion.key.push_back(key->name);
    if (watermark != nullptr) suggestion.watermark = {{"field", path_of(watermark->key)}, {"param", nullptr}};
    return suggestion;
}

}  // namespace pg_pull
