#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "core/base/url.h"

// A URL that is accepted must be its own normal form when read again, with the same origin: what is checked is what is sent.
// A reference that resolves must do so to an absolute URL that is read again unchanged.
namespace {

void check_stable(const pg_pull::Url& url) {
    const auto again = pg_pull::parse_url(url.to_string());
    if (!again.ok() || again->to_string() != url.to_string() || again->origin() != url.origin()) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace pg_pull;
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    const auto url = parse_url(text);
    if (url.ok()) {
        check_stable(*url);
        Url changed = *url;
        set_query_parameter(changed, text.substr(0, size / 2), text.substr(size / 2));
        check_stable(changed);
    }
    const auto base = parse_url("https://api.example.com:8443/v1/items?page=1");
    if (const auto resolved = resolve(*base, text); resolved.ok()) check_stable(*resolved);
    if (percent_decode(percent_encode(text)) != text || percent_decode(form_encode(text), true) != text) std::abort();
    return 0;
}
