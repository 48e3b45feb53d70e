#include "pg/mapping_document.h"

#include <cmath>
#include <limits>

#include "core/json/keys.h"
#include "pg/border.h"

namespace pg_pull::pg {
namespace {

using nlohmann::json;

json or_null(const std::optional<std::string>& value) { return value ? json(*value) : json(nullptr); }
json or_null(const std::optional<json>& value) { return value ? *value : json(nullptr); }

[[noreturn]] void refuse(const char* key, const char* expected) {
    raise(fail(Reason::invalid_configuration, std::string("changes \"") + key + "\" must be " + expected));
}

/// Reads members; whatever is absent or null has its default.
class Reader {
public:
    explicit Reader(const json& document) : document_(document) {}

    [[nodiscard]] const json* find(const char* key) const {
        const auto at = document_.find(key);
        return at == document_.end() || at->is_null() ? nullptr : &*at;
    }
    [[nodiscard]] std::optional<std::string> optional_text(const char* key) const {
        const json* value = find(key);
        if (value == nullptr) return std::nullopt;
        if (!value->is_string()) refuse(key, "a string");
        return value->get<std::string>();
    }
    [[nodiscard]] std::string text(const char* key, const char* fallback) const {
        return optional_text(key).value_or(fallback);
    }
    [[nodiscard]] std::string required_text(const char* key) const {
        auto value = optional_text(key);
        if (!value) refuse(key, "a string: it has no default");
        return *std::move(value);
    }
    [[nodiscard]] json required(const char* key) const {
        const json* value = find(key);
        if (value == nullptr) refuse(key, "given: it has no default");
        return *value;
    }
    [[nodiscard]] std::optional<json> optional(const char* key) const {
        const json* value = find(key);
        return value == nullptr ? std::nullopt : std::optional<json>(*value);
    }
    [[nodiscard]] std::vector<std::string> texts(const char* key) const {
        std::vector<std::string> texts;
        const json* value = find(key);
        if (value == nullptr) return texts;
        if (!value->is_array()) refuse(key, "an array of strings");
        for (const auto& element : *value) {
            if (!element.is_string()) refuse(key, "an array of strings");
            texts.push_back(element.get<std::string>());
        }
        return texts;
    }
    [[nodiscard]] bool flag(const char* key, bool fallback) const {
        const json* value = find(key);
        if (value == nullptr) return fallback;
        if (!value->is_boolean()) refuse(key, "true or false");
        return value->get<bool>();
    }
    [[nodiscard]] double number(const char* key, double fallback) const {
        const json* value = find(key);
        if (value == nullptr) return fallback;
        if (!value->is_number()) refuse(key, "a number");
        return value->get<double>();
    }
    [[nodiscard]] int integer(const char* key, int fallback) const {
        const double value = number(key, fallback);
        if (std::trunc(value) != value || std::abs(value) > std::numeric_limits<int>::max()) refuse(key, "an integer");
        return static_cast<int>(value);
    }

private:
    const json& document_;
};

}  // namespace

json mapping_document(const MappingRow& m) {
    return json{{"connector", m.connector},
                {"connector_package", or_null(m.connector_package)},
                {"source", m.source},
                {"pagination", m.pagination},
                {"target", m.target},
                {"fields", m.fields},
                {"mode", m.mode},
                {"key", m.key},
                {"watermark", or_null(m.watermark)},
                {"scope", m.scope},
                {"delete_mode", m.delete_mode},
                {"deleted_when", or_null(m.deleted_when)},
                {"deleted_at", m.deleted_at},
                {"max_delete_fraction", m.max_delete_fraction},
                {"commit", m.commit},
                {"missing", m.missing},
                {"on_error", m.on_error},
                {"max_rejects", m.max_rejects},
                {"full_every", or_null(m.full_every)},
                {"enabled", m.enabled},
                {"description", or_null(m.description)}};
}

MappingRow patched_mapping(const MappingRow& mapping, const json& changes) {
    unwrap(check_keys(changes, "changes", {"connector",   "connector_package",
                                           "source",      "pagination",
                                           "target",      "fields",
                                           "mode",        "key",
                                           "watermark",   "scope",
                                           "delete_mode", "deleted_when",
                                           "deleted_at",  "max_delete_fraction",
                                           "commit",      "missing",
                                           "on_error",    "max_rejects",
                                           "full_every",  "enabled",
                                           "description"}));
    json document = mapping_document(mapping);
    document.merge_patch(changes);
    const Reader read(document);
    MappingRow m = mapping;
    m.connector = read.required_text("connector");
    m.connector_package = read.optional_text("connector_package");
    m.source = read.required("source");
    m.pagination = read.optional("pagination").value_or(json{{"type", "none"}});
    m.target = read.required_text("target");
    m.fields = read.required("fields");
    m.mode = read.text("mode", "insert");
    m.key = read.texts("key");
    m.watermark = read.optional("watermark");
    m.scope = read.texts("scope");
    m.delete_mode = read.text("delete_mode", "ignore");
    m.deleted_when = read.optional("deleted_when");
    m.deleted_at = read.text("deleted_at", "deleted_at");
    m.max_delete_fraction = read.number("max_delete_fraction", 0.5);
    m.commit = read.text("commit", "run");
    m.missing = read.text("missing", "null");
    m.on_error = read.text("on_error", "reject");
    m.max_rejects = read.integer("max_rejects", 100);
    m.full_every = read.optional_text("full_every");
    m.enabled = read.flag("enabled", true);
    m.description = read.optional_text("description");
    return m;
}

}  // namespace pg_pull::pg
