#pragma once

#include <optional>
#include <string>

#include "core/paging/paginator.h"

namespace pg_pull {

/// `none`: one request, one page.
class SinglePage final : public Paginator {
public:
    explicit SinglePage(const PaginationConfig& config) : Paginator(config) {}
    [[nodiscard]] std::optional<std::string> resume_token() const override { return std::nullopt; }

private:
    Result<RequestOverlay> begin(const std::optional<std::string>&) override { return RequestOverlay{}; }
    Result<std::optional<RequestOverlay>> advance(const PageAnswer&) override {
        return std::optional<RequestOverlay>();
    }
    [[nodiscard]] std::string position() const override { return {}; }
};

/// `page` and `offset`: we count, the server does not say where the next page is.
/// The end: an empty page; the total (of records or pages) where the answer has one; otherwise a page shorter than `size`. A
/// total outranks a short page, because a server may give less than it was asked for.
class CountedPaginator final : public Paginator {
public:
    explicit CountedPaginator(const PaginationConfig& config) : Paginator(config) {}
    [[nodiscard]] std::optional<std::string> resume_token() const override { return std::to_string(at_); }
    [[nodiscard]] bool can_prefetch_ahead() const noexcept override { return true; }
    [[nodiscard]] std::optional<RequestOverlay> ahead(std::int64_t distance) const override;

private:
    Result<RequestOverlay> begin(const std::optional<std::string>& resume) override;
    Result<std::optional<RequestOverlay>> advance(const PageAnswer& answer) override;
    [[nodiscard]] std::string position() const override { return std::to_string(at_); }
    [[nodiscard]] bool watches_bodies() const noexcept override { return true; }

    [[nodiscard]] bool is_page() const noexcept { return config().type == PaginationType::page; }
    [[nodiscard]] RequestOverlay overlay_at(std::int64_t at) const;
    /// By the totals: nothing where the answers have none.
    [[nodiscard]] std::optional<bool> is_beyond_total(std::int64_t at, std::int64_t records_before) const;

    std::int64_t at_ = 0;       ///< page number, or offset
    std::int64_t records_ = 0;  ///< read or skipped before at_
    std::optional<std::int64_t> total_;
    std::optional<std::int64_t> total_pages_;
};

/// `cursor`: the server's own token, from body or header, into query, header or body.
class CursorPaginator final : public Paginator {
public:
    explicit CursorPaginator(const PaginationConfig& config) : Paginator(config) {}
    [[nodiscard]] std::optional<std::string> resume_token() const override;

private:
    Result<RequestOverlay> begin(const std::optional<std::string>& resume) override;
    Result<std::optional<RequestOverlay>> advance(const PageAnswer& answer) override;
    [[nodiscard]] std::string position() const override { return cursor_ ? "cursor " + cursor_->text : std::string(); }
    [[nodiscard]] RequestOverlay overlay() const;

    std::optional<TemplateValue> cursor_;
};

/// `next_url` and `link_header`: the address of the next page, followed unchanged.
class UrlPaginator final : public Paginator {
public:
    explicit UrlPaginator(const PaginationConfig& config) : Paginator(config) {}
    [[nodiscard]] std::optional<std::string> resume_token() const override;

private:
    Result<RequestOverlay> begin(const std::optional<std::string>& resume) override;
    Result<std::optional<RequestOverlay>> advance(const PageAnswer& answer) override;
    [[nodiscard]] std::string position() const override { return url_; }
    [[nodiscard]] Result<std::string> find_address(const PageAnswer& answer) const;

    std::string url_;
};

/// `keyset`: everything behind the key of the last record. The end: an empty page, or one shorter than `size`.
class KeysetPaginator final : public Paginator {
public:
    explicit KeysetPaginator(const PaginationConfig& config) : Paginator(config) {}
    [[nodiscard]] std::optional<std::string> resume_token() const override;

private:
    Result<RequestOverlay> begin(const std::optional<std::string>& resume) override;
    Result<std::optional<RequestOverlay>> advance(const PageAnswer& answer) override;
    [[nodiscard]] std::string position() const override { return key_ ? "key " + *key_ : std::string(); }
    [[nodiscard]] RequestOverlay overlay() const;

    std::optional<std::string> key_;
};

}  // namespace pg_pull
