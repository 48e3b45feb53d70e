#include "core/request/template_parser.h"

#include <algorithm>
#include <array>
#include <optional>

#include "core/base/duration.h"
#include "core/paging/watermark.h"

namespace pg_pull {
namespace {

using Kind = TemplateExpression::Kind;

constexpr std::size_t kDeepest = 32;  ///< calls within calls: bounds the stack

struct FunctionInfo {
    TemplateFunction function;
    std::size_t arguments;
};
/// In the order of kFunctionNames.
constexpr std::array<FunctionInfo, 13> kFunctions{{
    {TemplateFunction::base64, 1},
    {TemplateFunction::base64url, 1},
    {TemplateFunction::urlencode, 1},
    {TemplateFunction::json, 1},
    {TemplateFunction::lower, 1},
    {TemplateFunction::upper, 1},
    {TemplateFunction::date, 2},
    {TemplateFunction::epoch, 1},
    {TemplateFunction::epoch_ms, 1},
    {TemplateFunction::add, 2},
    {TemplateFunction::uuid, 0},
    {TemplateFunction::sha256, 1},
    {TemplateFunction::hmac_sha256, 2},
}};
constexpr std::array<std::string_view, 13> kFunctionNames{"base64", "base64url", "urlencode",  "json",     "lower",
                                                          "upper",  "date",      "epoch",      "epoch_ms", "add",
                                                          "uuid",   "sha256",    "hmac_sha256"};

enum class Steps : unsigned char { none, needed, allowed };
/// How a root may be followed; where members are given, by these only.
struct RootInfo {
    std::string_view name;
    Steps steps;
    std::array<std::string_view, 2> members;
};
constexpr std::array<RootInfo, 13> kRoots{{
    {"connector", Steps::needed, {}},
    {"connection", Steps::needed, {}},
    {"credential", Steps::allowed, {"username", "password"}},
    {"token", Steps::allowed, {}},
    {"callback", Steps::needed, {}},
    {"response", Steps::needed, {}},
    {"headers", Steps::needed, {}},
    {"watermark", Steps::none, {}},
    {"window", Steps::needed, {"start", "end"}},
    {"page", Steps::needed, {}},
    {"parent", Steps::needed, {}},
    {"now", Steps::none, {}},
    {"run", Steps::needed, {"id", ""}},
}};
constexpr auto kRootNames = [] {
    std::array<std::string_view, kRoots.size()> names{};
    for (std::size_t i = 0; i < kRoots.size(); ++i) names[i] = kRoots[i].name;
    return names;
}();

std::string listed(std::span<const std::string_view> names) {
    std::string list;
    for (const auto name : names) list.append(list.empty() ? "" : ", ").append(name);
    return list;
}

bool is_name(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_'; }
/// A step may be a header name or a key of somebody else's JSON.
bool is_step(char c) {
    return is_name(c) || c == '-' || c == '@' || c == '$' || c == ':' || static_cast<unsigned char>(c) > 0x7F;
}

/// Recursive descent over the text within one pair of braces, which it finds the end of.
class ExpressionParser {
public:
    ExpressionParser(std::string_view text, std::string_view where) : rest_(text), where_(where) {}

    /// Up to and including the closing brace.
    Result<TemplateExpression> parse() {
        PG_PULL_ASSIGN(auto expression, fallback(0));
        skip_space();
        if (!take('}')) return rest_.empty() ? problem("has a \"${\" without its \"}\"") : unexpected();
        return expression;
    }
    [[nodiscard]] std::string_view rest() const { return rest_; }

private:
    Result<TemplateExpression> fallback(std::size_t depth) {
        if (depth > kDeepest) return problem("has an expression nested too deep");
        PG_PULL_ASSIGN(auto first, term(depth));
        skip_space();
        if (!rest_.starts_with("||")) return first;
        TemplateExpression all;
        all.kind = Kind::fallback;
        all.arguments.push_back(std::move(first));
        while (rest_.starts_with("||")) {
            rest_.remove_prefix(2);
            PG_PULL_ASSIGN(auto next, term(depth));
            all.arguments.push_back(std::move(next));
            skip_space();
        }
        return all;
    }

    Result<TemplateExpression> term(std::size_t depth) {
        skip_space();
        if (rest_.starts_with('\'')) return literal();
        const std::string_view name = word(is_name);
        if (name.empty()) return rest_.empty() ? problem("has a \"${\" without its \"}\"") : unexpected();
        skip_space();
        if (take('(')) return call(name, depth);
        return path(name);
    }

    Result<TemplateExpression> literal() {
        TemplateExpression result;
        for (std::size_t i = 1; i < rest_.size(); ++i) {
            if (rest_[i] != '\'') {
                result.literal.push_back(rest_[i]);
            } else if (i + 1 < rest_.size() && rest_[i + 1] == '\'') {
                result.literal.push_back(rest_[i++]);
            } else {
                rest_.remove_prefix(i + 1);
                return result;
            }
        }
        return problem("has a text without its closing quote");
    }

    Result<TemplateExpression> call(std::string_view name, std::size_t depth) {
        const auto* const found = std::find(kFunctionNames.begin(), kFunctionNames.end(), name);
        if (found == kFunctionNames.end())
            return problem("uses the unknown function \"" + std::string(name) + "\"")
                .with_hint("Functions are " + listed(kFunctionNames) + ".");
        const FunctionInfo& info = kFunctions[static_cast<std::size_t>(found - kFunctionNames.begin())];
        TemplateExpression result;
        result.kind = Kind::call;
        result.function = info.function;
        skip_space();
        if (!take(')')) {
            do {
                PG_PULL_ASSIGN(auto argument, fallback(depth + 1));
                result.arguments.push_back(std::move(argument));
                skip_space();
            } while (take(','));
            if (!take(')')) return rest_.empty() ? problem("has a \"(\" without its \")\"") : unexpected();
        }
        if (result.arguments.size() != info.arguments)
            return problem("calls " + std::string(name) + " with " + std::to_string(result.arguments.size()) +
                           " arguments instead of " + std::to_string(info.arguments));
        PG_PULL_CHECK(check_constants(result));
        return result;
    }

    /// Formats and durations that are written out are judged at once.
    [[nodiscard]] Result<void> check_constants(const TemplateExpression& call) const {
        if (call.arguments.size() != 2 || call.arguments[1].kind != Kind::literal) return {};
        const std::string& text = call.arguments[1].literal;
        std::optional<Error> error;
        if (call.function == TemplateFunction::date) {
            if (auto format = parse_watermark_format(text); !format.ok()) error = std::move(format).error();
        } else if (call.function == TemplateFunction::add) {
            if (auto duration = parse_duration(text); !duration.ok()) error = std::move(duration).error();
        }
        if (!error) return {};
        return problem("holds a wrong argument: " + error->message).with_hint(error->hint);
    }

    Result<TemplateExpression> path(std::string_view name) {
        TemplateExpression result;
        result.kind = Kind::path;
        result.path.emplace_back(name);
        while (take('.')) {
            const std::string_view step = word(is_step);
            if (step.empty()) return rest_.empty() ? problem("has a \"${\" without its \"}\"") : unexpected();
            result.path.emplace_back(step);
        }
        PG_PULL_CHECK(check_path(result.path));
        return result;
    }

    Result<void> check_path(const std::vector<std::string>& path) const {
        const auto* const root = std::find_if(kRoots.begin(), kRoots.end(),
                                              [&path](const RootInfo& info) { return info.name == path.front(); });
        if (root == kRoots.end())
            return problem("uses the unknown name \"" + path.front() + "\"")
                .with_hint("Names are " + listed(kRootNames) + ".");
        if (root->steps == Steps::none && path.size() > 1)
            return problem("uses \"" + path.front() + "\", which has no parts");
        if (root->steps == Steps::needed && path.size() == 1)
            return problem("uses \"" + path.front() + "\" without naming a part of it");
        const auto& members = root->members;
        if (path.size() > 1 && !members.front().empty() &&
            (path.size() > 2 || std::find(members.begin(), members.end(), path[1]) == members.end()))
            return problem("uses the unknown name \"" + path[0] + "." + path[1] + "\"");
        return {};
    }

    template <class Fits>
    std::string_view word(Fits fits) {
        const auto* const end = std::find_if_not(rest_.begin(), rest_.end(), fits);
        const std::string_view result = rest_.substr(0, static_cast<std::size_t>(end - rest_.begin()));
        rest_.remove_prefix(result.size());
        return result;
    }
    void skip_space() {
        while (rest_.starts_with(' ')) rest_.remove_prefix(1);
    }
    bool take(char c) {
        if (!rest_.starts_with(c)) return false;
        rest_.remove_prefix(1);
        return true;
    }
    [[nodiscard]] Error problem(const std::string& what) const {
        return fail(Reason::invalid_configuration, std::string(where_) + " " + what);
    }
    [[nodiscard]] Error unexpected() const {
        std::size_t size = 1;  // a whole character, so that the message stays UTF-8
        while (size < rest_.size() && (static_cast<unsigned char>(rest_[size]) & 0xC0) == 0x80) ++size;
        return problem("has an unexpected \"" + std::string(rest_.substr(0, size)) + "\" within \"${…}\"");
    }

    std::string_view rest_;
    std::string_view where_;
};

}  // namespace

std::span<const std::string_view> template_roots() noexcept { return kRootNames; }
std::span<const std::string_view> template_functions() noexcept { return kFunctionNames; }

Result<Template::Program> parse_template(std::string_view text, std::string_view where) {
    Template::Program program;
    program.source = text;
    program.where = where;
    const auto add_text = [&program](std::string_view piece) {
        if (!piece.empty()) program.pieces.push_back({false, std::string(piece), {}});
    };
    while (true) {
        const std::size_t open = text.find("${");
        add_text(text.substr(0, open));
        if (open == std::string_view::npos) return program;
        ExpressionParser parser(text.substr(open + 2), where);
        PG_PULL_ASSIGN(auto expression, parser.parse());
        const std::size_t size = text.size() - open - parser.rest().size();
        program.pieces.push_back({true, std::string(text.substr(open, size)), std::move(expression)});
        text = parser.rest();
    }
}

}  // namespace pg_pull
