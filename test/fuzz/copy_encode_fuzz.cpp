// Records to COPY lines, compared with nlohmann's parser: what it refuses is refused, each line has its columns, and the text
// of a column is the value that nlohmann finds at the path.

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <string>

#include "core/json/document.h"
#include "core/json/lookup.h"
#include "core/json/text.h"
#include "core/mapping/encoder.h"

namespace {

using namespace pg_pull;

const char* const kFields = R"([
    {"source": "a", "target": "t"}, {"source": "a.b", "target": "u"}, {"source": "a.0", "target": "v"},
    {"source": "a.*.b", "target": "arr"}, {"source": "a", "target": "j"}, {"source": "b", "target": "list"},
    {"source": "b", "target": "row"}, {"source": "$rest", "target": "rest"},
    {"source": "c", "target": ["s1", "s2"], "transform": "split"},
    {"source": ["c", "b.*"], "target": "joined", "transform": "join"},
    {"source": "d", "target": "e", "transform": "epoch"},
    {"source": "c", "target": "m", "transform": "map", "params": {"value_map": {"x": 1, "y": null}}}])";

StagePlan plan_of(const std::vector<Field>& fields) {
    StagePlan plan;
    const auto text = std::make_shared<const ColumnType>(ColumnType{ValueKind::text, nullptr, ',', {}});
    for (const Field& field : fields) {
        for (const std::string& target : field.targets) {
            Column column{target, *text};
            if (target == "arr" || target == "list") column.type = {ValueKind::array, text, ',', {}};
            if (target == "j" || target == "rest") column.type.kind = ValueKind::json;
            if (target == "row")
                column.type = {
                    ValueKind::composite, nullptr, ',', {{"a", *text}, {"b", {ValueKind::array, text, ',', {}}}}};
            plan.columns.push_back(column);
        }
    }
    plan.key = {"t", "u"};
    plan.record = plan.presence = plan.tombstone = plan.watermark = true;
    return plan;
}

void check_line(std::string_view line, const StagePlan& plan, std::string_view raw) {
    const auto columns = static_cast<std::size_t>(std::count(line.begin(), line.end(), '\t')) + 1;
    if (columns != plan.columns.size() + 5 || line.find('\n') != std::string_view::npos) std::abort();
    const auto document = parse_document(raw);
    if (!document.ok()) std::abort();
    const std::string_view text = line.substr(0, line.find('\t'));
    const nlohmann::json* value = find_value(*document, parse_path("a").value());
    if (value == nullptr || value->is_null()) {
        if (text != "\\N") std::abort();
    } else if (value->is_string() && raw.find("\\u") == std::string_view::npos) {
        // numbers that fit nothing are strings there as well, with the same digits
        if (from_copy(text) != value->get_ref<const std::string&>()) std::abort();
    }
}

void encode(const std::vector<Field>& fields, const StagePlan& plan, const std::string& body, RecordFormat format) {
    auto page = RecordPage::open(body, format, std::nullopt, false);
    if (!page.ok()) return;
    EncoderOptions options;
    options.watermark_field = parse_path("a.b").value();
    options.deleted_when =
        parse_predicates(nlohmann::json::parse(R"({"path": "c.*", "equals": 1})"), "deleted_when").value();
    auto encoder = RecordEncoder::create(fields, plan, options);
    const std::size_t records = page->size();
    const auto staged = encoder->encode(*std::move(page), 1);
    if (!staged.ok()) return;
    if (staged->lines() + staged->rejects.size() != records) std::abort();
    std::size_t begin = 0;
    for (std::size_t i = 0; i < staged->lines(); ++i) {
        check_line(std::string_view(staged->copy).substr(begin, staged->line_ends[i] - 1 - begin), plan,
                   *staged->raw(i).json);
        begin = staged->line_ends[i];
    }
    if (begin != staged->copy.size()) std::abort();
    for (const Reject& reject : staged->rejects)
        if (reject.code.size() != 5 || reject.raw.json.has_value() == reject.raw.bytes.has_value()) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const auto fields = parse_fields(nlohmann::json::parse(kFields)).value();
    const StagePlan plan = plan_of(fields);
    const std::string body(reinterpret_cast<const char*>(data), size);
    encode(fields, plan, body, RecordFormat::json);
    encode(fields, plan, body, RecordFormat::ndjson);
    return 0;
}
