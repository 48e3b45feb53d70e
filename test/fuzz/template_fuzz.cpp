#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "core/request/context.h"

// Any text is compiled, and what compiles is rendered for every place. Beside crashes: a rendered header never holds a line
// break, and a rendered path never gets a segment of dots from a value.
namespace {

using namespace pg_pull;

class NoClock final : public Clock {
public:
    [[nodiscard]] WallTime now() const override { return {}; }
    [[nodiscard]] std::chrono::steady_clock::time_point steady() const override { return {}; }
};

void check(bool holds) {
    if (!holds) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    const auto compiled = Template::compile(text, "fuzz");
    if (!compiled.ok()) return 0;
    const NoClock clock;
    JsonContext context(clock, [] { return std::string("u"); });
    context.set("connection", {{"a", "..\r\n/?#&%"}, {"b", 5}, {"c", "2024-05-01"}, {"d", ".."}});
    context.set("parent", {{"id", std::string(text.substr(0, 20))}});
    context.set_secret("credential", Secret("secret"));
    for (const Place place :
         {Place::text, Place::url, Place::path, Place::query, Place::form, Place::json_string, Place::header}) {
        const auto rendered = compiled->render(context, place);
        if (!rendered.ok() || !*rendered) continue;
        if (place == Place::header) check((*rendered)->text.find_first_of("\r\n") == std::string::npos);
        if (compiled->uses("credential") && compiled->is_single_expression() && (*rendered)->text == "secret")
            check((*rendered)->secret);
    }
    (void)compiled->value(context);
    return 0;
}
