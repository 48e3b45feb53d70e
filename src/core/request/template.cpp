#include "core/request/template.h"

#include <algorithm>

#include "core/base/url.h"
#include "core/request/template_evaluator.h"
#include "core/request/template_parser.h"

namespace pg_pull {
namespace {

using Program = Template::Program;

enum class UrlPart : unsigned char { beginning, host, path, query };

/// The part of a URL that follows `text`. A fragment is like a query: a value in it is percent-encoded.
UrlPart part_behind(std::string_view text, bool absolute) {
    if (text.find_first_of("?#") != std::string_view::npos) return UrlPart::query;
    if (!absolute) return UrlPart::path;
    if (text.empty()) return UrlPart::beginning;
    const std::size_t scheme = text.find("://");
    if (scheme == std::string_view::npos) return text.front() == '/' ? UrlPart::path : UrlPart::host;
    return text.find('/', scheme + 3) == std::string_view::npos ? UrlPart::host : UrlPart::path;
}

bool fits_host(std::string_view value) {
    return std::all_of(value.begin(), value.end(), [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
               std::string_view(".-_:[]").find(c) != std::string_view::npos;
    });
}

bool fits_header(std::string_view value) {
    return std::all_of(value.begin(), value.end(), [](char c) {
        const auto byte = static_cast<unsigned char>(c);
        return (byte >= 0x20 && byte != 0x7F) || c == '\t';
    });
}

/// Puts the pieces of one template together.
class Renderer {
public:
    Renderer(const Program& program, Place place) : program_(program), place_(place) {}

    void add_text(std::string_view text) { out_ += text; }

    Result<void> add_value(const Program::Piece& piece, const TemplateValue& value) {
        secret_ = secret_ || value.secret;
        const std::string text = value.to_text();
        const std::size_t begin = out_.size();
        switch (place_) {
            case Place::text:
            case Place::query:
                out_ += text;
                break;
            case Place::form:
                out_ += form_encode(text);
                break;
            case Place::json_string:
                add_json(value);
                break;
            case Place::header:
                out_ += text;
                break;
            case Place::url:
            case Place::path:
                PG_PULL_CHECK(add_to_url(piece, text));
                break;
        }
        inserted_.emplace_back(begin, out_.size());
        return {};
    }

    Result<RenderedText> finish() {
        if (place_ == Place::header && !fits_header(out_))
            return problem("would hold a line break or control character");
        if ((place_ == Place::url || place_ == Place::path) && dots_were_inserted())
            return problem("would hold \".\" or \"..\" as a path segment");
        return RenderedText{std::move(out_), secret_};
    }

    [[nodiscard]] Error problem(const std::string& what) const {
        return fail(Reason::invalid_configuration, program_.where + " " + what);
    }

private:
    void add_json(const TemplateValue& value) {
        // The inside of a string: the template has the quotes. Numbers and booleans pass as they are, so they need none.
        const std::string text = dump_body(nlohmann::json(value.to_text()));
        out_ += text.substr(1, text.size() - 2);
    }

    Result<void> add_to_url(const Program::Piece& piece, const std::string& text) {
        switch (part_behind(out_, place_ == Place::url)) {
            case UrlPart::beginning:
                out_ += text;
                return {};
            case UrlPart::host:
                if (!fits_host(text))
                    return problem("has a value for \"" + piece.text + "\" that cannot stand in a host name");
                out_ += text;
                return {};
            case UrlPart::path:
            case UrlPart::query:
                out_ += percent_encode(text);
                return {};
        }
        return {};
    }

    /// Is any path segment that a value went into `.` or `..`? Servers would take it for a step in the tree.
    [[nodiscard]] bool dots_were_inserted() const {
        const std::size_t path_end = std::min(out_.find_first_of("?#"), out_.size());
        for (const auto& [begin, end] : inserted_) {
            if (begin > path_end || (begin == 0 && place_ == Place::url)) continue;
            const std::size_t slash = out_.rfind('/', begin == 0 ? std::string::npos : begin - 1);
            const std::size_t first = begin == 0 || slash == std::string::npos ? 0 : slash + 1;
            const std::size_t last = std::min(out_.find('/', end), path_end);
            // Decoded, since `%2e` is a dot too; what a value brought as `%` is `%25` here and stays one.
            const std::string segment = percent_decode(std::string_view(out_).substr(first, last - first));
            if (segment == "." || segment == "..") return true;
        }
        return false;
    }

    const Program& program_;
    Place place_;
    std::string out_;
    bool secret_ = false;
    std::vector<std::pair<std::size_t, std::size_t>> inserted_;
};

bool uses_root(const TemplateExpression& expression, std::string_view root) {
    if (expression.kind == TemplateExpression::Kind::path) return expression.path.front() == root;
    return std::any_of(expression.arguments.begin(), expression.arguments.end(),
                       [root](const TemplateExpression& argument) { return uses_root(argument, root); });
}

Error with_place(Error error, const Program& program) {
    error.message = program.where + ": " + error.message;
    return error;
}

}  // namespace

Template::Template() : program_(std::make_shared<Program>()) {}

Result<Template> Template::compile(std::string_view text, std::string_view where) {
    PG_PULL_ASSIGN(auto program, parse_template(text, where));
    Template result;
    result.program_ = std::make_shared<const Program>(std::move(program));
    return result;
}

Result<std::optional<RenderedText>> Template::render(const TemplateContext& context, Place place) const {
    Renderer renderer(*program_, place);
    for (const auto& piece : program_->pieces) {
        if (!piece.is_expression) {
            renderer.add_text(piece.text);
            continue;
        }
        auto value = evaluate(piece.expression, context);
        if (!value.ok()) return with_place(std::move(value).error(), *program_);
        if (!*value && is_single_expression()) return std::optional<RenderedText>();
        if (!*value) return renderer.problem("has no value for \"" + piece.text + "\"");
        PG_PULL_CHECK(renderer.add_value(piece, **value));
    }
    PG_PULL_ASSIGN(auto text, renderer.finish());
    return std::optional(std::move(text));
}

Result<std::optional<TemplateValue>> Template::value(const TemplateContext& context) const {
    if (is_single_expression()) {
        auto value = evaluate(program_->pieces.front().expression, context);
        if (!value.ok()) return with_place(std::move(value).error(), *program_);
        return value;
    }
    PG_PULL_ASSIGN(auto text, render(context, Place::text));
    if (!text) return std::optional<TemplateValue>();
    return std::optional(TemplateValue::of_text(std::move(text->text), text->secret));
}

const std::string& Template::source() const noexcept { return program_->source; }

bool Template::is_constant() const noexcept {
    return std::none_of(program_->pieces.begin(), program_->pieces.end(),
                        [](const auto& piece) { return piece.is_expression; });
}

bool Template::is_single_expression() const noexcept {
    return program_->pieces.size() == 1 && program_->pieces.front().is_expression;
}

bool Template::uses(std::string_view root) const noexcept {
    return std::any_of(program_->pieces.begin(), program_->pieces.end(),
                       [root](const auto& piece) { return piece.is_expression && uses_root(piece.expression, root); });
}

bool Template::takes_values() const noexcept {
    const auto roots = template_roots();
    return std::any_of(roots.begin(), roots.end(),
                       [this](std::string_view root) { return root != "now" && uses(root); });
}

}  // namespace pg_pull
