#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/clock.h"
#include "core/base/error.h"
#include "core/request/value.h"

namespace pg_pull {

/// Where the names in templates get their values.
class TemplateContext {
public:
    virtual ~TemplateContext() = default;
    /// The value at e.g. {"connection", "subdomain"}; nothing where it is absent or JSON null. `now` is not asked for here.
    /// The first step is one of template_roots().
    [[nodiscard]] virtual std::optional<TemplateValue> lookup(std::span<const std::string> path) const = 0;
    [[nodiscard]] virtual WallTime now() const = 0;
    /// A fresh random UUID at each call.
    [[nodiscard]] virtual std::string uuid() const = 0;
};

/// The closed set of first names, and of functions (DESIGN.md 5.1).
[[nodiscard]] std::span<const std::string_view> template_roots() noexcept;
[[nodiscard]] std::span<const std::string_view> template_functions() noexcept;

/// Where a value stands decides how it is encoded.
enum class Place : unsigned char {
    text,  ///< as it is
    url,  ///< an absolute URL: by the part of it that the value stands in; a value at its very beginning is taken as it
          ///< is (`${token.instance_url}/services`), one in the host may only hold letters, digits and `.-_:[]`
    path,         ///< a path, perhaps with a query behind it
    query,        ///< query key or value: as it is; whoever builds the query encodes it
    form,         ///< within the text of a form body: form-encoded
    json_string,  ///< within a JSON text: escaped as in a string
    header,       ///< CR, LF, NUL and other control characters are refused
};

struct RenderedText {
    std::string text;
    bool secret = false;  ///< a credential went into it
};

/// A string with `${…}`. Grammar within the braces:
///   expression = term { "||" term };  term = 'text' | function "(" [expression {"," expression}] ")" | name {"." step}
/// A quote within 'text' is doubled. `||` takes the first term that is there; an absent argument makes a call absent.
/// Functions: base64(v) base64url(v) urlencode(v) json(v) lower(v) upper(v) date(v, format) epoch(v) epoch_ms(v)
/// add(v, duration) uuid() sha256(v) hmac_sha256(v, key). Hashes read as hexadecimal; base64 and base64url take their bytes.
/// Immutable once compiled; cheap to copy.
class Template {
public:
    /// An empty text.
    Template();
    /// `where` names the place in errors ("source query \"since\""). Refuses unbalanced braces, unknown names and functions (the
    /// known ones are in the hint), wrong numbers of arguments.
    static Result<Template> compile(std::string_view text, std::string_view where);

    /// The text; nothing where it is one `${…}` without a value. Errors name the absent expression.
    Result<std::optional<RenderedText>> render(const TemplateContext& context, Place place) const;
    /// Where the text is one `${…}`: its value with its type; otherwise the text.
    Result<std::optional<TemplateValue>> value(const TemplateContext& context) const;

    [[nodiscard]] const std::string& source() const noexcept;
    [[nodiscard]] bool is_constant() const noexcept;           ///< no `${…}`
    [[nodiscard]] bool is_single_expression() const noexcept;  ///< exactly one `${…}` and nothing else
    /// Does any expression begin with this name?
    [[nodiscard]] bool uses(std::string_view root) const noexcept;
    /// Could a value of the context stand in it (anything but constants, now and uuid)?
    [[nodiscard]] bool takes_values() const noexcept;

    struct Program;  ///< internal

private:
    std::shared_ptr<const Program> program_;
};

}  // namespace pg_pull
