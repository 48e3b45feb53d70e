#pragma once

#include <ostream>
#include <string>
#include <string_view>
#include <utility>

namespace pg_pull {

/// A credential, token or key. Prints as stars, wipes its memory when it goes; only reveal() gives the text, so that every
/// place where one leaves can be found by that word.
class Secret {
public:
    Secret() = default;
    explicit Secret(std::string text) : text_(std::move(text)) {}
    Secret(const Secret&) = default;
    Secret(Secret&& other) noexcept : text_(std::move(other.text_)) { other.wipe(); }
    Secret& operator=(const Secret& other) {
        if (this != &other) {
            wipe();
            text_ = other.text_;
        }
        return *this;
    }
    Secret& operator=(Secret&& other) noexcept {
        if (this != &other) {
            wipe();
            text_ = std::move(other.text_);
            other.wipe();
        }
        return *this;
    }
    ~Secret() { wipe(); }

    [[nodiscard]] std::string_view reveal() const noexcept { return text_; }
    [[nodiscard]] bool empty() const noexcept { return text_.empty(); }

private:
    void wipe() noexcept;
    std::string text_;
};

inline std::ostream& operator<<(std::ostream& out, const Secret&) { return out << "***"; }

}  // namespace pg_pull
