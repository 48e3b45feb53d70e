#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/json/scan.h"
#include "core/mapping/key_table.h"

namespace pg_pull {

/// Reads one record at a time in a single pass: checks all of it, and finds the values at the paths that were asked for, each
/// as its exact text. The paths form a tree that is walked along with the record; what lies outside of it is only checked.
class RecordScanner {
public:
    /// What is done with a top-level key.
    enum class Use : unsigned char {
        field,      ///< a field's path begins with it: not part of the rest
        condition,  ///< only something else than a field needs it
    };
    enum class Outcome : unsigned char { object, not_object, syntax, too_deep };

    RecordScanner();
    /// The number under which value() gives what lies at `steps` (no wildcards). Steps must not be empty.
    std::size_t add(std::span<const std::string> steps, Use use);
    /// Gathers the members that no field uses, see rest().
    void keep_rest() noexcept { keeps_rest_ = true; }
    /// Remembers top-level keys that add() never met, up to a limit, see take_new_keys().
    void watch_keys() noexcept { watches_keys_ = true; }

    /// The views given below live as long as the text of the record does, and until the next scan.
    Outcome scan(std::string_view record);
    /// Where in the record the last scan went wrong.
    [[nodiscard]] std::size_t offset() const noexcept { return offset_; }
    /// Empty: absent. JSON null where the path leads on through a null: the source says that there is nothing.
    [[nodiscard]] std::string_view value(std::size_t number) const noexcept { return values_[number]; }
    /// Key and value, quotes and all, of the members that no field uses.
    [[nodiscard]] const std::vector<std::string_view>& rest() const noexcept { return rest_; }
    [[nodiscard]] std::vector<std::string> take_new_keys() { return std::exchange(new_keys_, {}); }

private:
    static constexpr std::uint32_t kNoValue = UINT32_MAX;
    struct Node {
        KeyTable children;                                            ///< key to node
        std::vector<std::pair<std::size_t, std::uint32_t>> elements;  ///< index to node
        std::vector<std::uint32_t> below;                             ///< values that belong to nodes further down
        std::uint32_t value = kNoValue;
        std::uint64_t visited_in = 0;  ///< number of the record: the second visit is a repeated key
        Use use = Use::condition;
    };

    std::uint32_t child_of(std::uint32_t node, const std::string& step);
    bool walk_value(Scanner& scanner, std::uint32_t node, unsigned depth);
    bool walk_object(Scanner& scanner, std::uint32_t node, unsigned depth);
    bool walk_array(Scanner& scanner, std::uint32_t node, unsigned depth);
    bool walk_top_level(Scanner& scanner);
    std::uint32_t find_child(std::uint32_t node, std::string_view inside, bool has_escapes);
    void meet_unknown(std::string_view inside);

    std::vector<Node> nodes_;  ///< the first one is the record, the second one stands for known keys that nothing uses
    std::vector<std::string_view> values_;
    std::vector<std::string_view> rest_;
    std::vector<std::string> new_keys_;
    std::string key_;  ///< of a key with escapes
    std::uint64_t record_number_ = 0;
    std::size_t offset_ = 0;
    std::size_t known_unused_ = 0;
    bool keeps_rest_ = false;
    bool watches_keys_ = false;
};

}  // namespace pg_pull
