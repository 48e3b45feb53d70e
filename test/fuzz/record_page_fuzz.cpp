// Bodies of remote systems: whatever comes, a page opens or an Error is given; records lie within the body, and a body that
// opens without a path is JSON for nlohmann's parser too, as long as all its values are sound.

#include <cstdint>
#include <cstdlib>
#include <string>

#include "core/json/record_page.h"
#include "core/json/scan.h"

namespace {

using namespace pg_pull;

void open(const std::string& body, RecordFormat format, const std::optional<Path>& path) {
    const auto page = RecordPage::open(body, format, path, false);
    if (!page.ok()) {
        if (page.error().reason == Reason::none || page.error().message.empty()) std::abort();
        return;
    }
    bool sound = true;
    for (std::size_t i = 0; i < page->size(); ++i) {
        const std::string_view record = page->record(i);
        if (record.empty() || record.data() < page->body().data() ||
            record.data() + record.size() > page->body().data() + page->body().size())
            std::abort();
        sound = sound && !page->is_damaged(i) && Scanner(record).skip_document();
    }
    // An array of sound records, commas between them: the whole must be sound.
    Scanner whole(page->body());
    if (sound && format == RecordFormat::json && !whole.skip_document() && whole.problem() == Scanner::Problem::syntax)
        std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string body(reinterpret_cast<const char*>(data), size);
    open(body, RecordFormat::json, std::nullopt);
    open(body, RecordFormat::json, parse_path("a").value());
    open(body, RecordFormat::json, parse_path("a.*.0").value());
    open(body, RecordFormat::ndjson, std::nullopt);
    return 0;
}
