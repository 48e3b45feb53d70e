#include "core/package/stack.h"

#include <algorithm>
#include <limits>
#include <set>

#include "core/base/encoding.h"
#include "core/json/config_reader.h"
#include "core/package/stack_keys.h"

namespace pg_pull {
namespace {

using nlohmann::json;

constexpr std::size_t kLongestId = 200;
constexpr std::size_t kLongestNamespace = 63;
constexpr std::size_t kLongestVersion = 100;

bool is_lower_letter(char c) { return c >= 'a' && c <= 'z'; }
bool is_digit_char(char c) { return c >= '0' && c <= '9'; }

bool is_namespace(std::string_view text) {
    return !text.empty() && text.size() <= kLongestNamespace && is_lower_letter(text.front()) &&
           std::all_of(text.begin(), text.end(),
                       [](char c) { return is_lower_letter(c) || is_digit_char(c) || c == '_'; });
}

bool is_version(std::string_view text) {
    return !text.empty() && text.size() <= kLongestVersion &&
           std::all_of(text.begin(), text.end(), [](char c) { return c > ' ' && c < '\x7f'; });
}

/// Gives what stands under `old` the name `key`.
Result<void> rename_key(json& object, const char* old, const char* key, const std::string& place) {
    const auto at = object.find(old);
    if (at == object.end()) return {};
    if (object.contains(key))
        return fail(Reason::invalid_configuration,
                    place + " can have only one of \"" + old + "\", \"" + std::string(key) + "\"");
    json value = std::move(*at);
    object.erase(old);
    object[key] = std::move(value);
    return {};
}

void drop_nulls(json& object) {
    for (auto at = object.begin(); at != object.end();) at = at->is_null() ? object.erase(at) : std::next(at);
}

Result<json> read_manifest(const json& stack, Stack& out) {
    PG_PULL_ASSIGN(json manifest, with_snake_keys(stack.at("manifest"), "manifest",
                                                  {"id", "namespace", "version", "name", "description", "type"}));
    ConfigReader reader(manifest, "manifest", {"id", "namespace", "version", "name", "description", "type"});
    for (const char* key : {"id", "namespace", "version"}) reader.require(key);
    reader.text("id", out.id);
    reader.text("namespace", out.name_space);
    reader.text("version", out.version);
    std::optional<std::string> label;
    for (const char* key : {"name", "description", "type"}) reader.text(key, label);
    if (!is_package_id(out.id))
        reader.refuse("id", "is no reverse domain name", "Write it in lower case, such as \"com.acme.crm\".");
    if (!is_namespace(out.name_space))
        reader.refuse("namespace", "is no namespace",
                      "Begin with a lower case letter; lower case letters, digits and \"_\" may follow, 63 in all.");
    if (!is_version(out.version))
        reader.refuse("version", "must be 1 to 100 ASCII characters without spaces, such as \"1.0.0\"");
    PG_PULL_CHECK(reader.finish());
    drop_nulls(manifest);
    return manifest;
}

// ---------------------------------------------------------------------------------------------------------- connectors

/// ObjectStack writes the types of auth with a hyphen.
void normalize_auth_type(json& auth) {
    const auto type = auth.find("type");
    if (type != auth.end() && *type == "api-key") *type = "api_key";
}

Result<json> normalized_connector(const json& entry, const std::string& place) {
    PG_PULL_ASSIGN(json object,
                   with_snake_keys(entry, place,
                                   {"name", "provider", "config", "provider_config", "auth", "description", "label"}));
    PG_PULL_CHECK(rename_key(object, "provider_config", "config", place));
    if (!object.contains("description") && object.contains("label"))
        PG_PULL_CHECK(rename_key(object, "label", "description", place));
    object.erase("label");
    drop_nulls(object);
    if (!object.contains("config")) object["config"] = json::object();
    if (!object.contains("auth")) object["auth"] = json{{"type", "none"}};
    for (const char* key : {"config", "auth"}) {
        const std::string where = place + "." + key;
        if (!object[key].is_object()) return fail(Reason::invalid_configuration, where + " must be a JSON object");
        PG_PULL_ASSIGN(auto converted, with_snake_keys_deep(object[key], where));
        object[key] = std::move(converted);
    }
    normalize_auth_type(object["auth"]);
    return object;
}

Result<StackConnector> read_connector(const json& object, const std::string& place) {
    StackConnector connector;
    ConfigReader reader(object, place, {"name", "provider", "config", "auth", "description"});
    reader.require("name");
    reader.require("provider");
    reader.text("name", connector.name);
    reader.text("provider", connector.provider);
    reader.text("description", connector.description);
    PG_PULL_CHECK(reader.finish());
    connector.config = object.at("config");
    connector.auth = object.at("auth");
    return connector;
}

// ------------------------------------------------------------------------------------------------------------ mappings

/// The source of an action: the one action of a REST connector, `request`, is its input; others are named.
json source_of_action(json& from) {
    json source = json::object();
    const auto input = from.find("input");
    const bool has_input = input != from.end() && input->is_object();
    const auto action = from.find("action");
    if (action == from.end() || *action == "request") {
        if (has_input) source = *input;
    } else {
        source["action"] = *action;
        if (has_input) source["input"] = *input;
    }
    if (from.contains("records_path")) source["records_path"] = from["records_path"];
    return source;
}

/// `connectorSource` says in one object what we call connector, source and watermark.
Result<void> take_connector_source(json& object, const std::string& place) {
    const auto at = object.find("connector_source");
    if (at == object.end()) return {};
    const std::string where = place + ".connectorSource";
    PG_PULL_ASSIGN(json from,
                   with_snake_keys(*at, where, {"connector", "action", "input", "records_path", "watermark"}));
    object.erase("connector_source");
    ConfigReader reader(from, where, {"connector", "action", "input", "records_path", "watermark"});
    std::string action;
    reader.require("connector");
    reader.text("action", action);
    if (reader.has("input") && !from["input"].is_object()) reader.refuse("input", "must be a JSON object");
    PG_PULL_CHECK(reader.finish());
    drop_nulls(from);
    for (const char* key : {"connector", "source"})
        if (object.contains(key))
            return fail(Reason::invalid_configuration,
                        place + " can have only one of \"connectorSource\", \"" + std::string(key) + "\"");
    object["connector"] = from["connector"];
    object["source"] = source_of_action(from);
    if (!from.contains("watermark")) return {};
    if (object.contains("watermark"))
        return fail(Reason::invalid_configuration, where + ".watermark is given beside " + place + ".watermark");
    object["watermark"] = from["watermark"];
    return {};
}

/// The one param of a field whose name has two words.
void convert_value_maps(json& object) {
    const auto fields = object.find("fields");
    if (fields == object.end() || !fields->is_array()) return;
    for (json& field : *fields) {
        if (!field.is_object()) continue;
        const auto params = field.find("params");
        if (params == field.end() || !params->is_object() || params->contains("value_map")) continue;
        const auto map = params->find("valueMap");
        if (map == params->end()) continue;
        json value = std::move(*map);
        params->erase(map);
        (*params)["value_map"] = std::move(value);
    }
}

const std::initializer_list<std::string_view> kMappingKeys{
    "name",       "connector",           "source",      "target",  "fields",      "mode",
    "key",        "watermark",           "pagination",  "scope",   "delete_mode", "deleted_when",
    "deleted_at", "max_delete_fraction", "commit",      "missing", "on_error",    "max_rejects",
    "full_every", "connector_package",   "description", "enabled"};

Result<json> with_long_names(const json& entry, const std::string& place) {
    return with_snake_keys(
        entry, place, {"name",       "connector",           "source",      "target",  "fields",        "mode",
                       "key",        "watermark",           "pagination",  "scope",   "delete_mode",   "deleted_when",
                       "deleted_at", "max_delete_fraction", "commit",      "missing", "on_error",      "max_rejects",
                       "full_every", "connector_package",   "description", "enabled", "target_object", "field_mapping",
                       "upsert_key", "connector_source",    "label"});
}

Result<json> normalized_mapping(const json& entry, const std::string& place) {
    PG_PULL_ASSIGN(json object, with_long_names(entry, place));
    drop_nulls(object);
    PG_PULL_CHECK(rename_key(object, "target_object", "target", place));
    PG_PULL_CHECK(rename_key(object, "field_mapping", "fields", place));
    PG_PULL_CHECK(rename_key(object, "upsert_key", "key", place));
    PG_PULL_CHECK(take_connector_source(object, place));
    if (!object.contains("description") && object.contains("label"))
        PG_PULL_CHECK(rename_key(object, "label", "description", place));
    object.erase("label");
    if (object.contains("key") && object["key"].is_string()) object["key"] = json::array({object["key"]});
    convert_value_maps(object);
    // else fields and deleted_when speak of columns and of the remote's keys: nothing in them is ours to rename
    for (const char* key : {"source", "watermark", "pagination"}) {
        if (!object.contains(key)) continue;
        PG_PULL_ASSIGN(auto converted, with_snake_keys_deep(object[key], place + "." + key));
        object[key] = std::move(converted);
    }
    return object;
}

template <class Optional>
void take(const json& object, const char* key, Optional& out) {
    if (const auto at = object.find(key); at != object.end()) out = *at;
}

Result<StackMapping> read_mapping(const json& object, const std::string& place) {
    StackMapping m;
    ConfigReader reader(object, place, kMappingKeys);
    for (const char* key : {"name", "connector", "source", "target", "fields"}) reader.require(key);
    reader.text("name", m.name);
    reader.text("connector", m.connector);
    reader.text("target", m.target);
    reader.text("mode", m.mode);
    reader.texts("key", m.key);
    if (reader.has("scope")) reader.texts("scope", m.scope.emplace());
    reader.text("delete_mode", m.delete_mode);
    reader.text("deleted_at", m.deleted_at);
    reader.number("max_delete_fraction", m.max_delete_fraction, 0, 1);
    reader.text("commit", m.commit);
    reader.text("missing", m.missing);
    reader.text("on_error", m.on_error);
    reader.integer("max_rejects", m.max_rejects, 0, std::numeric_limits<int>::max());
    reader.text("full_every", m.full_every);
    reader.text("connector_package", m.connector_package);
    if (m.connector_package && m.connector_package->empty()) reader.refuse("connector_package", "is empty");
    reader.text("description", m.description);
    reader.flag("enabled", m.enabled);
    PG_PULL_CHECK(reader.finish());
    m.source = object.at("source");
    m.fields = object.at("fields");
    m.pagination = json{{"type", "none"}};
    take(object, "pagination", m.pagination);
    take(object, "watermark", m.watermark);
    take(object, "deleted_when", m.deleted_when);
    return m;
}

// ----------------------------------------------------------------------------------------------------------- the whole

/// Reads a list of entries; each is normalized first, which is what is stored, and then read.
template <class Entry, class Normalize, class Read>
Result<json> read_entries(const json& stack, const std::string& key, Normalize normalize, Read read,
                          std::vector<Entry>& out) {
    json list = json::array();
    const auto at = stack.find(key);
    if (at == stack.end() || at->is_null()) return list;
    if (!at->is_array()) return fail(Reason::invalid_configuration, key + " must be a list");
    std::set<std::string> seen;
    for (std::size_t i = 0; i < at->size(); ++i) {
        const std::string place = key + "[" + std::to_string(i) + "]";
        PG_PULL_ASSIGN(json normalized, normalize((*at)[i], place));
        PG_PULL_ASSIGN(Entry entry, read(normalized, place));
        if (!seen.insert(entry.name).second)
            return fail(Reason::duplicate_name, place + ".name \"" + entry.name + "\" is taken by an entry before it")
                .with_hint("Give each entry of a stack a name of its own.");
        out.push_back(std::move(entry));
        list.push_back(std::move(normalized));
    }
    return list;
}

}  // namespace

bool is_package_id(std::string_view id) noexcept {
    if (id.size() > kLongestId) return false;
    std::size_t labels = 0;
    while (true) {
        const std::size_t dot = id.find('.');
        const std::string_view label = id.substr(0, dot);
        ++labels;
        if (label.empty() || label.front() == '-' || label.back() == '-') return false;
        if (labels == 1 && !is_lower_letter(label.front())) return false;
        for (const char c : label)
            if (!is_lower_letter(c) && !is_digit_char(c) && c != '-' && c != '_') return false;
        if (dot == std::string_view::npos) return labels >= 2;
        id.remove_prefix(dot + 1);
    }
}

Result<Stack> parse_stack(const json& document) {
    ConfigReader reader(document, "stack", {"manifest", "connectors", "mappings"});
    reader.require("manifest");
    PG_PULL_CHECK(reader.finish());
    Stack stack;
    PG_PULL_ASSIGN(stack.normalized["manifest"], read_manifest(document, stack));
    PG_PULL_ASSIGN(stack.normalized["connectors"],
                   read_entries(document, "connectors", normalized_connector, read_connector, stack.connectors));
    PG_PULL_ASSIGN(stack.normalized["mappings"],
                   read_entries(document, "mappings", normalized_mapping, read_mapping, stack.mappings));
    stack.hash = hex_encode(sha256(stack.normalized.dump(-1, ' ', false, json::error_handler_t::replace)));
    return stack;
}

}  // namespace pg_pull
