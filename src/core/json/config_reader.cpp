#include "core/json/config_reader.h"

#include <cmath>

#include "core/json/keys.h"

namespace pg_pull {

using nlohmann::json;

ConfigReader::ConfigReader(const json& object, std::string where, std::initializer_list<std::string_view> known)
    : object_(&object), where_(std::move(where)) {
    if (auto checked = check_keys(object, where_, known); !checked.ok()) error_ = std::move(checked).error();
}

bool ConfigReader::has(std::string_view key) const {
    if (!object_->is_object()) return false;
    const auto found = object_->find(std::string(key));
    return found != object_->end() && !found->is_null();
}

bool ConfigReader::is_null(std::string_view key) const {
    if (!object_->is_object()) return false;
    const auto found = object_->find(std::string(key));
    return found != object_->end() && found->is_null();
}

const json& ConfigReader::at(std::string_view key) const { return (*object_)[std::string(key)]; }

std::string ConfigReader::place(std::string_view key) const {
    // `source "query"` + `since` = `source "query.since"`
    if (where_.ends_with('"')) return where_.substr(0, where_.size() - 1) + "." + std::string(key) + "\"";
    return where_ + " \"" + std::string(key) + "\"";
}

void ConfigReader::refuse(Error error) {
    if (!error_) error_ = std::move(error);
}

void ConfigReader::refuse(std::string_view key, std::string_view problem, std::string hint) {
    refuse(fail(Reason::invalid_configuration, place(key) + " " + std::string(problem)).with_hint(std::move(hint)));
}

void ConfigReader::require(std::string_view key) {
    if (!failed() && !has(key)) refuse(key, "is missing");
}

void ConfigReader::exclusive(std::initializer_list<std::string_view> keys, bool one_needed) {
    if (failed()) return;
    std::string list;
    int present = 0;
    for (const auto key : keys) {
        list.append(list.empty() ? "\"" : ", \"").append(key).append("\"");
        present += has(key) ? 1 : 0;
    }
    if (present > 1) refuse(fail(Reason::invalid_configuration, where_ + " can have only one of " + list));
    if (present == 0 && one_needed) refuse(fail(Reason::invalid_configuration, where_ + " needs one of " + list));
}

void ConfigReader::text(std::string_view key, std::string& out, bool may_be_empty) {
    if (failed() || !has(key)) return;
    const json& value = at(key);
    if (!value.is_string()) return refuse(key, "must be a string");
    if (value.get_ref<const std::string&>().empty() && !may_be_empty) return refuse(key, "is empty");
    if (value.get_ref<const std::string&>().find('\0') != std::string::npos)
        return refuse(key, "holds a NUL character");
    out = value.get<std::string>();
}

void ConfigReader::text(std::string_view key, std::optional<std::string>& out) {
    if (failed() || !has(key)) return;
    std::string read;
    text(key, read, true);
    if (!failed()) out = std::move(read);
}

void ConfigReader::texts(std::string_view key, std::vector<std::string>& out) {
    if (failed() || !has(key)) return;
    const json& value = at(key);
    if (!value.is_array()) return refuse(key, "must be a list of strings");
    std::vector<std::string> read;
    for (const json& element : value) {
        if (!element.is_string() || element.get_ref<const std::string&>().empty())
            return refuse(key, "must be a list of strings that are not empty");
        read.push_back(element.get<std::string>());
    }
    out = std::move(read);
}

void ConfigReader::flag(std::string_view key, bool& out) {
    if (failed() || !has(key)) return;
    if (!at(key).is_boolean()) return refuse(key, "must be true or false");
    out = at(key).get<bool>();
}

void ConfigReader::integer(std::string_view key, std::int64_t& out, std::int64_t least, std::int64_t most) {
    if (failed() || !has(key)) return;
    const json& value = at(key);
    const bool fits =
        value.is_number_integer() &&
        !(value.is_number_unsigned() && value.get<std::uint64_t>() > static_cast<std::uint64_t>(INT64_MAX));
    if (!fits || value.get<std::int64_t>() < least || value.get<std::int64_t>() > most)
        return refuse(key, "must be an integer from " + std::to_string(least) + " to " + std::to_string(most));
    out = value.get<std::int64_t>();
}

void ConfigReader::integer(std::string_view key, int& out, int least, int most) {
    std::int64_t wide = out;
    integer(key, wide, std::int64_t{least}, std::int64_t{most});
    out = static_cast<int>(wide);
}

void ConfigReader::number(std::string_view key, double& out, double least, double most) {
    if (failed() || !has(key)) return;
    const json& value = at(key);
    if (!value.is_number() || !(value.get<double>() >= least && value.get<double>() <= most))
        return refuse(key, "must be a number from " + json(least).dump() + " to " + json(most).dump());
    out = value.get<double>();
}

void ConfigReader::duration(std::string_view key, Millis& out, Millis least, Millis most) {
    std::string word;
    text(key, word);
    if (failed() || word.empty()) return;
    auto parsed = parse_millis(word);
    if (!parsed.ok())
        return refuse(fail(Reason::invalid_configuration, place(key) + ": " + parsed.error().message)
                          .with_hint(parsed.error().hint));
    if (*parsed < least || *parsed > most)
        return refuse(key, "must be from " + to_text(Duration{0, 0, least.count() * 1000}) + " to " +
                               to_text(Duration{0, 0, most.count() * 1000}));
    out = *parsed;
}

void ConfigReader::duration(std::string_view key, std::optional<Millis>& out, Millis least, Millis most) {
    if (failed() || !has(key)) return;
    Millis read{0};
    duration(key, read, least, most);
    if (!failed()) out = read;
}

void ConfigReader::path(std::string_view key, std::optional<Path>& out) {
    std::string word;
    text(key, word);
    if (failed() || word.empty()) return;
    auto parsed = parse_path(word);
    if (!parsed.ok()) return refuse(fail(Reason::invalid_configuration, place(key) + ": " + parsed.error().message));
    out = std::move(parsed).value();
}

Result<void> ConfigReader::finish() {
    if (error_) return std::move(*error_);
    return {};
}

}  // namespace pg_pull
