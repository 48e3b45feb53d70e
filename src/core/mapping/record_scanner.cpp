#include "core/mapping/record_scanner.h"

#include <algorithm>

#include "core/json/lookup.h"
#include "core/json/text.h"

namespace pg_pull {
namespace {

constexpr std::uint32_t kRecord = 0, kUnused = 1;
/// A source that uses names of things as keys must not fill the memory.
constexpr std::size_t kMostUnusedKeys = 1000, kLongestUnusedKey = 255;

std::string_view between(const char* begin, const char* end) noexcept {
    return {begin, static_cast<std::size_t>(end - begin)};
}

}  // namespace

RecordScanner::RecordScanner() : nodes_(2) {}

std::uint32_t RecordScanner::child_of(std::uint32_t node, const std::string& step) {
    if (const std::uint32_t known = nodes_[node].children.find(step); known != KeyTable::kMissing) return known;
    const auto child = static_cast<std::uint32_t>(nodes_.size());
    nodes_[node].children.add(step, child);
    if (const auto index = index_of_step(step)) nodes_[node].elements.emplace_back(*index, child);
    nodes_.emplace_back();
    return child;
}

std::size_t RecordScanner::add(std::span<const std::string> steps, Use use) {
    std::vector<std::uint32_t> way;
    std::uint32_t node = kRecord;
    for (const std::string& step : steps) {
        node = child_of(node, step);
        way.push_back(node);
    }
    if (use == Use::field) nodes_[way.front()].use = Use::field;
    way.pop_back();
    if (nodes_[node].value != kNoValue) return nodes_[node].value;
    const auto number = static_cast<std::uint32_t>(values_.size());
    values_.emplace_back();
    nodes_[node].value = number;
    for (const std::uint32_t above : way) nodes_[above].below.push_back(number);
    return number;
}

RecordScanner::Outcome RecordScanner::scan(std::string_view record) {
    std::fill(values_.begin(), values_.end(), std::string_view());
    rest_.clear();
    ++record_number_;
    Scanner scanner(record);
    const bool is_object = scanner.peek() == '{';
    const bool sound =
        (is_object ? walk_top_level(scanner) : scanner.skip_value(0)) && (scanner.finished() || scanner.syntax());
    offset_ = scanner.offset();
    if (sound) return is_object ? Outcome::object : Outcome::not_object;
    return scanner.problem() == Scanner::Problem::too_deep ? Outcome::too_deep : Outcome::syntax;
}

bool RecordScanner::walk_top_level(Scanner& scanner) {
    ++scanner.at;
    scanner.skip_space();
    if (scanner.peek() == '}') return ++scanner.at, true;
    while (true) {
        bool has_escapes = false;
        const char* const begin = scanner.at;
        if (!scanner.read_string(has_escapes)) return false;
        const std::string_view inside = between(begin + 1, scanner.at - 1);
        scanner.skip_space();
        if (!scanner.expect(':')) return false;
        scanner.skip_space();
        const std::uint32_t child = find_child(kRecord, inside, has_escapes);
        if (child == KeyTable::kMissing) {
            if (watches_keys_) meet_unknown(inside);
            if (!scanner.skip_value(1)) return false;
        } else if (!walk_value(scanner, child, 1)) {
            return false;
        }
        if (keeps_rest_ && (child == KeyTable::kMissing || nodes_[child].use != Use::field))
            rest_.push_back(between(begin, scanner.at));
        scanner.skip_space();
        if (scanner.peek() == '}') return ++scanner.at, true;
        if (!scanner.expect(',')) return false;
        scanner.skip_space();
    }
}

bool RecordScanner::walk_value(Scanner& scanner, std::uint32_t number, unsigned depth) {
    Node& node = nodes_[number];
    const char* const begin = scanner.at;
    const char first = scanner.peek();
    if (node.visited_in == record_number_)  // a repeated key: the last one wins, with all that is below
        for (const std::uint32_t value : node.below) values_[value] = {};
    node.visited_in = record_number_;
    bool sound = false;
    if (first == '{' && !node.children.empty())
        sound = depth < kMaxNesting ? walk_object(scanner, number, depth + 1) : scanner.too_deep();
    else if (first == '[' && !node.elements.empty())
        sound = depth < kMaxNesting ? walk_array(scanner, number, depth + 1) : scanner.too_deep();
    else
        sound = scanner.skip_value(depth);
    if (!sound) return false;
    const std::string_view raw = between(begin, scanner.at);
    if (node.value != kNoValue) values_[node.value] = raw;
    if (first == 'n')
        for (const std::uint32_t value : node.below) values_[value] = raw;
    return true;
}

bool RecordScanner::walk_object(Scanner& scanner, std::uint32_t node, unsigned depth) {
    ++scanner.at;
    scanner.skip_space();
    if (scanner.peek() == '}') return ++scanner.at, true;
    while (true) {
        bool has_escapes = false;
        const char* const begin = scanner.at;
        if (!scanner.read_string(has_escapes)) return false;
        const std::uint32_t child = find_child(node, between(begin + 1, scanner.at - 1), has_escapes);
        scanner.skip_space();
        if (!scanner.expect(':')) return false;
        scanner.skip_space();
        if (!(child == KeyTable::kMissing ? scanner.skip_value(depth) : walk_value(scanner, child, depth)))
            return false;
        scanner.skip_space();
        if (scanner.peek() == '}') return ++scanner.at, true;
        if (!scanner.expect(',')) return false;
        scanner.skip_space();
    }
}

bool RecordScanner::walk_array(Scanner& scanner, std::uint32_t node, unsigned depth) {
    ++scanner.at;
    scanner.skip_space();
    if (scanner.peek() == ']') return ++scanner.at, true;
    for (std::size_t index = 0;; ++index) {
        std::uint32_t child = KeyTable::kMissing;
        for (const auto& [wanted, element] : nodes_[node].elements)
            if (wanted == index) child = element;
        if (!(child == KeyTable::kMissing ? scanner.skip_value(depth) : walk_value(scanner, child, depth)))
            return false;
        scanner.skip_space();
        if (scanner.peek() == ']') return ++scanner.at, true;
        if (!scanner.expect(',')) return false;
        scanner.skip_space();
    }
}

std::uint32_t RecordScanner::find_child(std::uint32_t node, std::string_view inside, bool has_escapes) {
    if (!has_escapes) return nodes_[node].children.find(inside);
    key_.clear();
    if (append_decoded(inside, key_) != TextFault::none) return KeyTable::kMissing;
    return nodes_[node].children.find(key_);
}

void RecordScanner::meet_unknown(std::string_view inside) {
    if (known_unused_ == kMostUnusedKeys || inside.size() > kLongestUnusedKey) return;
    std::string key;
    if (append_decoded(inside, key) != TextFault::none) return;
    nodes_[kRecord].children.add(key, kUnused);
    ++known_unused_;
    new_keys_.push_back(std::move(key));
}

}  // namespace pg_pull
