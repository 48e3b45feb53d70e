#include "core/mapping/encoder.h"

#include <limits>
#include <utility>

#include "core/json/document.h"
#include "core/json/raw.h"
#include "core/json/utf8.h"
#include "core/mapping/line_encoder.h"

namespace pg_pull {
namespace {

struct Refusal {
    std::string_view code;
    std::string_view message;
};

constexpr Refusal kNotUtf8 = {"22021", "invalid byte sequence for encoding \"UTF8\""};
constexpr Refusal kNotJson = {"22P02", "invalid input syntax for type json"};
constexpr Refusal kTooDeep = {"54001", "objects and arrays of the record are nested too deeply"};

Refusal refusal_of(ValueFault fault) noexcept {
    switch (fault) {
        case ValueFault::nul:
            return {"22P05", "unsupported Unicode escape sequence: \\u0000 cannot be converted to text"};
        case ValueFault::surrogate:
            return {"22P05",
                    "unsupported Unicode escape sequence: half of a surrogate pair cannot be converted to text"};
        case ValueFault::not_array:
            return {"22P02", "malformed array literal: the JSON value is neither an array nor a string"};
        case ValueFault::not_composite:
            return {"22P02", "malformed record literal: the JSON value is neither an object nor a string"};
        case ValueFault::not_epoch:
            return {"22007", "invalid input syntax for an epoch: the JSON value is not a number"};
        case ValueFault::epoch_range:
            return {"22008", "timestamp out of range"};
        case ValueFault::none:
            break;
    }
    return {"XX000", "the record could not be encoded"};
}

/// What StagedPage::raw needs, shared with it.
struct Origin {
    RecordPage page;
    std::vector<std::uint32_t> ordinals;
};

}  // namespace

struct RecordEncoder::Impl {
    std::unique_ptr<LineEncoder> lines;
    std::int64_t sequence = 0;
    std::size_t copied_before = 0;  ///< size of the page before, as a guess for the next

    Result<void> encode_record(const RecordPage& page, std::size_t index, StagedPage& out);
    void reject(const RecordPage& page, std::size_t index, Refusal refusal, std::string_view column, StagedPage& out);
    Result<void> reject_damaged(const RecordPage& page, std::size_t index, StagedPage& out);
};

namespace {

Error no_object(const RecordPage& page, std::size_t index, std::int64_t page_number) {
    return fail(Reason::record_not_object, "record " + std::to_string(index + 1) + " of page " +
                                               std::to_string(page_number) + " is not a JSON object")
        .with_detail("It is " + std::string(raw_type_name(page.record(index))) + ".");
}

Error bad_record(const RecordPage& page, std::size_t index, std::size_t offset) {
    const auto begin = static_cast<std::size_t>(page.record(index).data() - page.body().data());
    return not_json("record " + std::to_string(index + 1) + " is no JSON", begin + offset);
}

}  // namespace

void RecordEncoder::Impl::reject(const RecordPage& page, std::size_t index, Refusal refusal, std::string_view column,
                                 StagedPage& out) {
    Reject& reject = out.rejects.emplace_back();
    const bool is_text = !page.is_damaged(index) && refusal.code != kTooDeep.code;
    (is_text ? reject.raw.json : reject.raw.bytes).emplace(page.record(index));
    reject.page = out.number;
    reject.ordinal = static_cast<std::int64_t>(index) + 1;
    reject.column = column;
    reject.code = refusal.code;
    reject.message = refusal.message;
}

/// The key is read from a copy in which every bad byte is marked; a key that holds such a mark cannot be told.
Result<void> RecordEncoder::Impl::reject_damaged(const RecordPage& page, std::size_t index, StagedPage& out) {
    std::string mended(page.record(index));
    const bool is_utf8 = replace_bad_utf8(mended, kBadByteMark).empty();
    const auto outcome = lines->scan(mended);
    if (outcome == RecordScanner::Outcome::not_object) return no_object(page, index, out.number);
    if (outcome == RecordScanner::Outcome::syntax && page.format() == RecordFormat::json)
        return bad_record(page, index, lines->scanner().offset());
    reject(page, index, is_utf8 ? kNotJson : kNotUtf8, {}, out);
    if (outcome != RecordScanner::Outcome::object) return {};
    auto key = lines->key(mended);
    if (key && key->find(kBadByteMark) == std::string::npos) out.rejects.back().key = std::move(key);
    return {};
}

Result<void> RecordEncoder::Impl::encode_record(const RecordPage& page, std::size_t index, StagedPage& out) {
    ++sequence;
    if (page.is_damaged(index)) return reject_damaged(page, index, out);
    const std::string_view record = page.record(index);
    switch (lines->scan(record)) {
        case RecordScanner::Outcome::not_object:
            return no_object(page, index, out.number);
        case RecordScanner::Outcome::syntax:
            return bad_record(page, index, lines->scanner().offset());
        case RecordScanner::Outcome::too_deep:
            reject(page, index, kTooDeep, {}, out);
            return {};
        case RecordScanner::Outcome::object:
            break;
    }
    const std::size_t begin = out.copy.size();
    const LineEncoder::Fault fault = lines->append_line(record, sequence, out.copy);
    if (fault.fault != ValueFault::none) {
        out.copy.resize(begin);
        reject(page, index, refusal_of(fault.fault), fault.column, out);
        out.rejects.back().key = lines->key(record);
        return {};
    }
    if (out.copy.size() > std::numeric_limits<std::uint32_t>::max())
        return fail(Reason::upstream_not_ok,
                    "page " + std::to_string(out.number) + " is larger than 4 GB once decoded");
    out.line_ends.push_back(static_cast<std::uint32_t>(out.copy.size()));
    out.ordinals.push_back(static_cast<std::uint32_t>(index + 1));
    return {};
}

RecordEncoder::RecordEncoder(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
RecordEncoder::RecordEncoder(RecordEncoder&&) noexcept = default;
RecordEncoder& RecordEncoder::operator=(RecordEncoder&&) noexcept = default;
RecordEncoder::~RecordEncoder() = default;

Result<RecordEncoder> RecordEncoder::create(const std::vector<Field>& fields, const StagePlan& plan,
                                            EncoderOptions options) {
    auto impl = std::make_unique<Impl>();
    PG_PULL_ASSIGN(impl->lines, LineEncoder::create(fields, plan, std::move(options)));
    return RecordEncoder(std::move(impl));
}

Result<StagedPage> RecordEncoder::encode(RecordPage page, std::int64_t page_number) {
    StagedPage out;
    out.number = page_number;
    out.copy.reserve(impl_->copied_before > 0 ? impl_->copied_before + impl_->copied_before / 8 : page.body().size());
    out.line_ends.reserve(page.size());
    out.ordinals.reserve(page.size());
    for (std::size_t i = 0; i < page.size(); ++i) PG_PULL_CHECK(impl_->encode_record(page, i, out));
    impl_->copied_before = out.copy.size();
    out.unmapped_keys = impl_->lines->scanner().take_new_keys();
    const auto origin = std::make_shared<const Origin>(Origin{std::move(page), out.ordinals});
    out.raw = [origin](std::size_t line) {
        return RawRecord{std::string(origin->page.record(origin->ordinals[line] - 1)), std::nullopt};
    };
    return out;
}

}  // namespace pg_pull
