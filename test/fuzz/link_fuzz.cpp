#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "core/paging/link_header.h"

// Any header value: every target found must stand in it, and the relation asked for must be one of the link's.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string value(reinterpret_cast<const char*>(data), size);
    for (const auto& link : pg_pull::parse_links(value))
        if (value.find(link.target) == std::string::npos) std::abort();
    const auto next = pg_pull::find_link({{"link", value}, {"Link", value}}, "next");
    if (next && value.find(*next) == std::string::npos) std::abort();
    return 0;
}
