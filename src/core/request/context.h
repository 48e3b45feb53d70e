#pragma once

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>

#include <nlohmann/json.hpp>

#include "core/base/clock.h"
#include "core/base/secret.h"
#include "core/request/template.h"

namespace pg_pull {

/// A context made of JSON values under their first names. Lives as long as the clock given to it.
class JsonContext final : public TemplateContext {
public:
    using UuidSource = std::function<std::string()>;
    JsonContext(const Clock& clock, UuidSource uuid) : clock_(&clock), uuid_(std::move(uuid)) {}

    /// `connection`, `parent`, `callback` …: an object, or a scalar for names without steps (`watermark`). Null removes.
    void set(std::string root, nlohmann::json value);
    /// Replaces one member of a root's object: set("page", "cursor", …).
    void set(std::string root, std::string member, TemplateValue value);
    /// The value of a root itself (`credential`), or of one of its members (`token`, `access_token`); nothing below them. Goes
    /// before what set() says, and taints whatever it is put into. An empty secret counts as absent.
    void set_secret(std::string root, Secret value);
    void set_secret(std::string root, std::string member, Secret value);

    [[nodiscard]] std::optional<TemplateValue> lookup(std::span<const std::string> path) const override;
    [[nodiscard]] WallTime now() const override { return clock_->now(); }
    [[nodiscard]] std::string uuid() const override { return uuid_(); }

private:
    const Clock* clock_;
    UuidSource uuid_;
    std::map<std::string, nlohmann::json, std::less<>> values_;
    std::map<std::string, TemplateValue, std::less<>> members_;  ///< by "root.member"
    std::map<std::string, Secret, std::less<>> secrets_;         ///< by "root" or "root.member"
};

}  // namespace pg_pull
