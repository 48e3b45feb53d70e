// The `fields` of a mapping and its predicates, as any JSON: accepted, or an Error that says why. What is accepted keeps what
// the encoder builds upon.

#include <cstdint>
#include <cstdlib>
#include <string>

#include "core/json/document.h"
#include "core/mapping/fields.h"
#include "core/mapping/predicate.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace pg_pull;
    const auto config = parse_document(std::string_view(reinterpret_cast<const char*>(data), size));
    if (!config.ok()) return 0;
    const auto fields = parse_fields(*config);
    if (!fields.ok() && fields.error().message.empty()) std::abort();
    if (fields.ok()) {
        for (const Field& field : *fields) {
            if (field.targets.empty()) std::abort();
            const bool may_lack_source = field.transform == Transform::constant || field.transform == Transform::sql;
            if (field.sources.empty() && !may_lack_source) std::abort();
            for (const FieldSource& source : field.sources)
                if (source.pseudo == Pseudo::none && source.path.steps.empty()) std::abort();
        }
    }
    const auto predicates = parse_predicates(*config, "deleted_when");
    if (predicates.ok()) static_cast<void>(holds(*predicates, *config));
    return 0;
}
