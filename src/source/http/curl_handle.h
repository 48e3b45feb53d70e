#pragma once

#include <curl/curl.h>

#include <memory>
#include <new>
#include <string>

namespace pg_pull::http {

struct EasyDelete {
    void operator()(CURL* handle) const noexcept { curl_easy_cleanup(handle); }
};
struct MultiDelete {
    void operator()(CURLM* handle) const noexcept { curl_multi_cleanup(handle); }
};
using EasyHandle = std::unique_ptr<CURL, EasyDelete>;
using MultiHandle = std::unique_ptr<CURLM, MultiDelete>;

/// A list of header lines; libcurl reads it until the transfer is over.
class HeaderLines {
public:
    HeaderLines() = default;
    ~HeaderLines() { curl_slist_free_all(list_); }
    HeaderLines(const HeaderLines&) = delete;
    HeaderLines& operator=(const HeaderLines&) = delete;

    void add(const std::string& line) {
        curl_slist* longer = curl_slist_append(list_, line.c_str());
        if (longer == nullptr) throw std::bad_alloc();
        list_ = longer;
    }
    [[nodiscard]] curl_slist* get() const noexcept { return list_; }

private:
    curl_slist* list_ = nullptr;
};

}  // namespace pg_pull::http
