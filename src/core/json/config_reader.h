#pragma once

#include <cstdint>
#include <functional>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "core/base/clock.h"
#include "core/base/duration.h"
#include "core/base/error.h"
#include "core/json/path.h"

namespace pg_pull {

/// Reads the members of one object of configuration into plain variables. A member that is absent or null leaves its variable
/// alone. The first error sticks, later reads do nothing, and finish() gives it: so that a parser is a list of its keys.
/// Every error names the place and the key. The object must outlive the reader.
class ConfigReader {
public:
    /// Refuses keys that are not `known`, and what is no object.
    ConfigReader(const nlohmann::json& object, std::string where, std::initializer_list<std::string_view> known);

    /// There, and not null.
    [[nodiscard]] bool has(std::string_view key) const;
    [[nodiscard]] const nlohmann::json& at(std::string_view key) const;  ///< for what has() only
    /// There, and null: where that says something else than leaving the key out.
    [[nodiscard]] bool is_null(std::string_view key) const;
    /// `config "retry.max"`: the place of a key for messages.
    [[nodiscard]] std::string place(std::string_view key) const;

    void require(std::string_view key);
    /// Not both, and with `one_needed` not neither.
    void exclusive(std::initializer_list<std::string_view> keys, bool one_needed);

    void text(std::string_view key, std::string& out, bool may_be_empty = false);
    void text(std::string_view key, std::optional<std::string>& out);
    void texts(std::string_view key, std::vector<std::string>& out);
    void flag(std::string_view key, bool& out);
    void integer(std::string_view key, std::int64_t& out, std::int64_t least, std::int64_t most);
    void integer(std::string_view key, int& out, int least, int most);
    void number(std::string_view key, double& out, double least, double most);
    /// An ISO 8601 duration of fixed length, between `least` and `most`.
    void duration(std::string_view key, Millis& out, Millis least, Millis most);
    void duration(std::string_view key, std::optional<Millis>& out, Millis least, Millis most);
    void path(std::string_view key, std::optional<Path>& out);

    template <class E>
    void choice(std::string_view key, E& out, std::initializer_list<std::pair<std::string_view, E>> known) {
        std::string name;
        text(key, name);
        if (name.empty() || failed()) return;
        std::string list;
        for (const auto& [word, value] : known) {
            if (word == name) return static_cast<void>(out = value);
            list.append(list.empty() ? "\"" : ", \"").append(word).append("\"");
        }
        refuse(key, "cannot be \"" + name + "\"", "It is one of " + list + ".");
    }
    /// Anything else: `parse(value, place)` gives a Result, whose value goes to `out`.
    template <class T, class Parse>
    void value(std::string_view key, T& out, Parse parse) {
        if (failed() || !has(key)) return;
        auto result = parse(at(key), place(key));
        if (result.ok())
            out = std::move(result).value();
        else
            refuse(std::move(result).error());
    }

    /// `config "max_concurrency" must be …`; `problem` begins with the verb.
    void refuse(std::string_view key, std::string_view problem, std::string hint = {});
    void refuse(Error error);
    [[nodiscard]] bool failed() const noexcept { return error_.has_value(); }
    Result<void> finish();

private:
    const nlohmann::json* object_;
    std::string where_;
    std::optional<Error> error_;
};

}  // namespace pg_pull
