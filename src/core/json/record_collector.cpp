#include "core/json/record_collector.h"

#include <algorithm>
#include <memory>
#include <new>
#include <unordered_map>
#include <utility>

#include <simdjson.h>

#include "core/json/document.h"
#include "core/json/lookup.h"
#include "core/json/raw.h"

namespace pg_pull {
namespace {

namespace ondemand = simdjson::ondemand;

static_assert(kBodyPadding == simdjson::SIMDJSON_PADDING);

/// A parser's buffers grow with the largest body it met (seven bytes a byte, most never touched), so it is kept from page to
/// page only while that is little.
constexpr std::size_t kKeptCapacity = std::size_t{16} << 20;

class ParserLease {
public:
    ParserLease() : parser_(kept() ? std::move(kept()) : std::make_unique<ondemand::parser>()) {}
    ~ParserLease() {
        if (parser_->capacity() <= kKeptCapacity) kept() = std::move(parser_);
    }
    ParserLease(const ParserLease&) = delete;
    ParserLease& operator=(const ParserLease&) = delete;
    ondemand::parser& operator*() noexcept { return *parser_; }

private:
    static std::unique_ptr<ondemand::parser>& kept() {
        static thread_local std::unique_ptr<ondemand::parser> parser;
        return parser;
    }
    std::unique_ptr<ondemand::parser> parser_;
};

Error not_an_array(const std::optional<Path>& path, std::string_view raw) {
    std::string where = path ? " at \"" + path->text + "\"" : std::string();
    return fail(Reason::records_not_array, "the answer holds no list of records" + where)
        .with_detail("What is there is " + std::string(raw_type_name(raw)) + ".");
}

/// Walks down the path and gathers the arrays at its end. Every object on the way is read to its end, so that a repeated key's
/// last value wins and the structure of the whole body is checked.
class Collector {
public:
    Collector(const std::string& body, const std::optional<Path>& path)
        : body_(body), path_(path), steps_(path ? path->steps.size() : 0) {}

    bool collect_root(ondemand::document& document, CollectedRecords& out) {
        bool going = false;
        ondemand::json_type type = ondemand::json_type::null;
        if (!check(document.type().get(type))) return false;
        if (type == ondemand::json_type::array) {
            ondemand::array array;
            if (!check(document.get_array().get(array))) return false;
            going = steps_ == 0 ? gather(array, 0, out) : through_array(array, 0, out);
        } else {
            ondemand::object object;
            if (!check(document.get_object().get(object))) return false;
            going = steps_ == 0 ? add_text(object.raw_json(), out) : through_object(object, 0, out);
        }
        if (!going) return false;
        const char* behind = nullptr;  // the next token, which must not be there
        return document.current_location().get(behind) == simdjson::OUT_OF_BOUNDS || check(simdjson::TAPE_ERROR);
    }
    [[nodiscard]] Error&& error() && { return std::move(*error_); }
    [[nodiscard]] bool check(simdjson::error_code code) {
        if (code == simdjson::SUCCESS) return true;
        if (code == simdjson::MEMALLOC) throw std::bad_alloc();
        Scanner scanner(body_);
        if (!scanner.skip_document() && scanner.problem() == Scanner::Problem::syntax)
            error_ = not_json(scanner.finished() ? "the text ends too early" : "the text is no JSON", scanner.offset());
        else
            error_ =
                not_json("the text cannot be read: " + std::string(simdjson::error_message(code)), scanner.offset());
        return false;
    }

private:
    using Span = RecordPage::Span;

    /// What lies below `value` from step `step` on.
    bool collect(ondemand::value value, std::size_t step, CollectedRecords& out) {
        ondemand::json_type type = ondemand::json_type::null;
        if (!check(value.type().get(type))) return false;
        if (type == ondemand::json_type::array) {
            const std::size_t begin = offset(value.raw_json_token().data());
            ondemand::array array;
            if (!check(value.get_array().get(array))) return false;
            return step == steps_ ? gather(array, begin, out) : through_array(array, step, out);
        }
        if (step == steps_ && type == ondemand::json_type::null) return true;
        if (step == steps_) {
            error_ = not_an_array(path_, value.raw_json_token());
            return false;
        }
        out.absent = true;
        if (type != ondemand::json_type::object) return true;
        ondemand::object object;
        return check(value.get_object().get(object)) && through_object(object, step, out);
    }

    bool through_object(ondemand::object& object, std::size_t step, CollectedRecords& out) {
        const std::string& name = path_->steps[step];
        const bool every = name == "*" && !path_->pointer;
        std::vector<CollectedRecords> members;
        std::unordered_map<std::string, std::size_t> places;
        for (auto result : object) {
            ondemand::field field;
            if (!check(std::move(result).get(field))) return false;
            std::string key = key_of(field);
            if (!every && key != name) continue;
            const auto [place, is_new] = places.try_emplace(std::move(key), members.size());
            if (is_new) members.emplace_back();
            CollectedRecords& member = members[place->second];
            member = {};
            if (!collect(field.value(), step + 1, member)) return false;
        }
        merge(members, every, out);
        return true;
    }

    bool through_array(ondemand::array& array, std::size_t step, CollectedRecords& out) {
        const std::string& name = path_->steps[step];
        const bool every = name == "*" && !path_->pointer;
        const auto wanted = index_of_step(name);
        std::vector<CollectedRecords> elements;
        std::size_t index = 0;
        for (auto result : array) {
            ondemand::value value;
            if (!check(std::move(result).get(value))) return false;
            if (!every && wanted != index++) continue;
            if (!collect(value, step + 1, elements.emplace_back())) return false;
        }
        merge(elements, every, out);
        return true;
    }

    /// A wildcard over nothing is no records; over something, one of them must have what the path leads to.
    static void merge(std::vector<CollectedRecords>& parts, bool every, CollectedRecords& out) {
        out.absent = parts.empty() ? !every : true;
        for (CollectedRecords& part : parts) {
            out.absent = out.absent && part.absent;
            out.records.insert(out.records.end(), part.records.begin(), part.records.end());
            out.arrays.insert(out.arrays.end(), part.arrays.begin(), part.arrays.end());
        }
    }

    /// The elements of the array that begins at byte `begin`, or of the body's outermost one.
    bool gather(ondemand::array& array, std::size_t begin, CollectedRecords& out) {
        begin = body_.find('[', begin);
        std::size_t past = begin + 1;
        for (auto result : array) {
            ondemand::value record;
            if (!check(std::move(result).get(record)) || !add(record, out)) return false;
            past = out.records.back().begin + out.records.back().size;
        }
        past = body_.find(']', past) + 1;  // only space is before it: simdjson has just read it
        out.arrays.push_back({static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(past - begin)});
        return true;
    }

    bool add(ondemand::value record, CollectedRecords& out) {
        ondemand::json_type type = ondemand::json_type::null;
        if (!check(record.type().get(type))) return false;
        if (type == ondemand::json_type::object) {
            ondemand::object object;
            return check(record.get_object().get(object)) && add_text(object.raw_json(), out);
        }
        if (type == ondemand::json_type::array) {
            ondemand::array array;
            return check(record.get_array().get(array)) && add_text(array.raw_json(), out);
        }
        return add_text(record.raw_json_token(), out) && ends_element(out.records.back());
    }

    /// simdjson takes a string before a colon for a key, wherever it stands; in an array that is no JSON.
    bool ends_element(const Span& record) {
        const std::size_t behind = body_.find_first_not_of(" \t\r\n", record.begin + record.size);
        const bool ends = behind != std::string::npos && (body_[behind] == ',' || body_[behind] == ']');
        return ends || check(simdjson::TAPE_ERROR);
    }

    /// simdjson's views reach to the next token: the space at their end is cut off.
    bool add_text(simdjson::simdjson_result<std::string_view> result, CollectedRecords& out) {
        std::string_view raw;
        if (!check(std::move(result).get(raw))) return false;
        const std::size_t size = raw.find_last_not_of(" \t\r\n") + 1;
        out.records.push_back({static_cast<std::uint32_t>(offset(raw.data())), static_cast<std::uint32_t>(size)});
        return true;
    }

    [[nodiscard]] std::size_t offset(const char* at) const { return static_cast<std::size_t>(at - body_.data()); }

    [[nodiscard]] std::string key_of(ondemand::field& field) const {
        const char* const begin = field.key().raw();  // behind the quote
        Scanner scanner(std::string_view(body_).substr(offset(begin) - 1));
        bool has_escapes = false;
        std::string key;
        if (!scanner.read_string(has_escapes))
            return key;  // stands in for what matches nothing: the envelope refuses it
        append_decoded_leniently(std::string_view(begin, scanner.offset() - 2), key);
        return key;
    }

    const std::string& body_;
    const std::optional<Path>& path_;
    const std::size_t steps_;
    std::optional<Error> error_;
};

}  // namespace

bool is_utf8(std::string_view text) noexcept { return simdjson::validate_utf8(text.data(), text.size()); }

Result<CollectedRecords> collect_records(const std::string& body, const std::optional<Path>& path) {
    ParserLease parser;
    Collector collector(body, path);
    CollectedRecords found;
    ondemand::document document;
    const auto code =
        (*parser).iterate(simdjson::padded_string_view(body.data(), body.size(), body.capacity())).get(document);
    if (!collector.check(code) || !collector.collect_root(document, found)) return std::move(collector).error();
    // A repeated key under a wildcard takes the place of the first one with the value of the last.
    const auto by_place = [](const RecordPage::Span& a, const RecordPage::Span& b) { return a.begin < b.begin; };
    std::sort(found.arrays.begin(), found.arrays.end(), by_place);
    if (!std::is_sorted(found.records.begin(), found.records.end(), by_place))
        std::sort(found.records.begin(), found.records.end(), by_place);
    return found;
}

}  // namespace pg_pull
