#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_set>

#include <nlohmann/json.hpp>

#include "core/base/error.h"
#include "core/base/http.h"
#include "core/paging/pagination_config.h"
#include "core/request/request.h"

namespace pg_pull {

/// What a page's answer was. Everything is only looked at during the call.
struct PageAnswer {
    const nlohmann::json* envelope = nullptr;  ///< RecordPage::envelope(); may be null
    std::string_view body;             ///< as received; read again only where a number of the envelope lost its digits
    std::size_t records = 0;           ///< before any filter
    std::string_view last_record;      ///< JSON text; empty where there is none
    const Headers* headers = nullptr;  ///< names in lower case; may be null
    std::string_view effective_url;    ///< relative links start here
};

/// Decides, page after page, which request comes next. One object for each sequence of pages (each parent has its own).
///
///   overlay = first(); repeat { send request with overlay; overlay = next(answer) } until nothing comes back.
///
/// Errors of next(): pagination_loop where a cursor, address or non-empty body came before in this sequence; too_many_pages
/// where `max_pages` are read and there would be more. A page whose call was ignored ends the sequence (the caller stops
/// asking); one that is `empty` counts as a page without records.
class Paginator {
public:
    virtual ~Paginator() = default;
    Paginator(const Paginator&) = delete;
    Paginator& operator=(const Paginator&) = delete;

    /// The first page, or the one that `resume` (a resume_token() of an earlier run) stands for.
    Result<RequestOverlay> first(const std::optional<std::string>& resume = std::nullopt);
    /// The page after the one that brought `answer`; nothing at the end. A next address is resolved against effective_url; whether
    /// its origin may be asked is the caller's check (check_origin).
    Result<std::optional<RequestOverlay>> next(const PageAnswer& answer);
    /// Pages answered so far.
    [[nodiscard]] std::int64_t pages() const noexcept { return pages_; }
    /// Where the sequence stands: the page that next() returned last. Nothing where it cannot be taken up later.
    [[nodiscard]] virtual std::optional<std::string> resume_token() const = 0;

    /// Addresses do not depend on answers: pages may be asked for ahead, but are given to next() in order. A page that was asked
    /// for ahead counts only if next() comes to return the same overlay (they compare); otherwise it is dropped and the
    /// overlay of next() is asked for: a server may give shorter pages than it was asked for.
    [[nodiscard]] virtual bool can_prefetch_ahead() const noexcept { return false; }
    /// The page `distance` pages behind the one asked for last (1 = the next); nothing where the known total or max_pages rules it
    /// out. For can_prefetch_ahead() only. A page past the end is to be expected, and is dropped once next() returned nothing.
    [[nodiscard]] virtual std::optional<RequestOverlay> ahead(std::int64_t distance) const {
        (void)distance;
        return std::nullopt;
    }

protected:
    explicit Paginator(const PaginationConfig& config) : config_(config) {}
    [[nodiscard]] const PaginationConfig& config() const noexcept { return config_; }
    /// Takes a position for visited that advance() did not choose. False if it was known.
    bool mark_seen(std::string_view position);

private:
    virtual Result<RequestOverlay> begin(const std::optional<std::string>& resume) = 0;
    /// Moves on; nothing at the end. Loops, and max_pages, are watched by next().
    virtual Result<std::optional<RequestOverlay>> advance(const PageAnswer& answer) = 0;
    /// What must never come twice: the cursor or address that begin() or advance() has just chosen. Empty: nothing yet.
    [[nodiscard]] virtual std::string position() const = 0;
    /// Are the bodies watched too (positions that we count ourselves say nothing about the server)?
    [[nodiscard]] virtual bool watches_bodies() const noexcept { return false; }

    PaginationConfig config_;
    std::int64_t pages_ = 0;
    std::unordered_set<std::uint64_t> seen_;
};

/// Refuses what check_supported() refuses.
Result<std::unique_ptr<Paginator>> make_paginator(const PaginationConfig& config);

}  // namespace pg_pull
