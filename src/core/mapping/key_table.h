#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

namespace pg_pull {

/// A small map from JSON keys to numbers that is looked up once for every member of every record: open addressing, at most
/// half full, hashed from the length and the first and last eight bytes. Keys are never removed.
class KeyTable {
public:
    static constexpr std::uint32_t kMissing = UINT32_MAX;

    [[nodiscard]] std::uint32_t find(std::string_view key) const noexcept {
        if (places_.empty()) return kMissing;
        const std::size_t mask = places_.size() - 1;
        for (std::size_t i = hash(key) & mask;; i = (i + 1) & mask) {
            const Place& place = places_[i];
            if (place.value == kMissing) return kMissing;
            if (place.size == key.size() && std::memcmp(pool_.data() + place.offset, key.data(), key.size()) == 0)
                return place.value;
        }
    }
    /// `key` must not be there, `value` not be kMissing.
    void add(std::string_view key, std::uint32_t value) {
        if ((count_ + 1) * 2 > places_.size()) grow();
        put({static_cast<std::uint32_t>(pool_.size()), static_cast<std::uint32_t>(key.size()), value}, key);
        pool_.append(key);
        ++count_;
    }
    [[nodiscard]] bool empty() const noexcept { return count_ == 0; }

private:
    struct Place {
        std::uint32_t offset = 0;
        std::uint32_t size = 0;
        std::uint32_t value = kMissing;
    };

    template <class T>
    static std::uint64_t load(const char* from) noexcept {
        T bytes;
        std::memcpy(&bytes, from, sizeof bytes);
        return bytes;
    }
    static std::size_t hash(std::string_view key) noexcept {
        std::uint64_t head = 0, tail = 0;
        if (key.size() >= 8) {
            head = load<std::uint64_t>(key.data());
            tail = load<std::uint64_t>(key.data() + key.size() - 8);
        } else if (key.size() >= 4) {
            head = load<std::uint32_t>(key.data());
            tail = load<std::uint32_t>(key.data() + key.size() - 4);
        } else if (!key.empty()) {
            head = static_cast<unsigned char>(key.front());
            tail = static_cast<std::uint64_t>(static_cast<unsigned char>(key[key.size() / 2])) << 8 |
                   static_cast<unsigned char>(key.back());
        }
        const std::uint64_t mixed = (head ^ std::rotl(tail, 29) ^ key.size()) * 0x9E3779B97F4A7C15U;
        return static_cast<std::size_t>(mixed >> 32);
    }
    void put(Place place, std::string_view key) noexcept {
        const std::size_t mask = places_.size() - 1;
        std::size_t i = hash(key) & mask;
        while (places_[i].value != kMissing) i = (i + 1) & mask;
        places_[i] = place;
    }
    void grow() {
        std::vector<Place> old(places_.empty() ? 8 : places_.size() * 2);
        old.swap(places_);
        for (const Place& place : old)
            if (place.value != kMissing) put(place, std::string_view(pool_).substr(place.offset, place.size));
    }

    std::string pool_;  ///< the keys, one behind the other
    std::vector<Place> places_;
    std::size_t count_ = 0;
};

}  // namespace pg_pull
