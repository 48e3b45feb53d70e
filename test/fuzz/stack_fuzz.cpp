// A stack document as any JSON: accepted, or an Error that says why. What is accepted says the same when it is read again in its
// normalized form, and declares no name twice.

#include <cstdint>
#include <cstdlib>
#include <set>
#include <string>

#include "core/json/document.h"
#include "core/package/stack.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace pg_pull;
    const auto document = parse_document(std::string_view(reinterpret_cast<const char*>(data), size));
    if (!document.ok()) return 0;
    const auto stack = parse_stack(*document);
    if (!stack.ok()) {
        if (stack.error().message.empty()) std::abort();
        return 0;
    }
    if (!is_package_id(stack->id)) std::abort();
    std::set<std::string> names;
    for (const auto& connector : stack->connectors)
        if (connector.name.empty() || !names.insert(connector.name).second) std::abort();
    const auto again = parse_stack(stack->normalized);
    if (!again.ok() || again->hash != stack->hash) std::abort();
    return 0;
}
