#include "source/http/exchange.h"

#include <algorithm>
#include <charconv>
#include <stdexcept>

#include "core/base/encoding.h"
#include "source/http/failure.h"
#include "source/http/redirect.h"

namespace pg_pull::http {
namespace {

/// Nobody reads the body of a redirect; up to here it is cheaper to drain it than to open a new connection.
constexpr std::size_t kRedirectBody = 64 * 1024;
/// A Content-Length is a promise, not a reason to take that much memory at once.
constexpr std::int64_t kMaxReserve = 64LL << 20;

template <class T>
void set(CURL* easy, CURLoption option, T value) {
    const CURLcode code = curl_easy_setopt(easy, option, value);
    if (code == CURLE_OUT_OF_MEMORY) throw std::bad_alloc();
    if (code != CURLE_OK) throw std::logic_error(std::string("libcurl option refused: ") + curl_easy_strerror(code));
}

std::string_view trimmed(std::string_view text) {
    const auto first = text.find_first_not_of(" \t\r\n");
    if (first == std::string_view::npos) return {};
    return text.substr(first, text.find_last_not_of(" \t\r\n") - first + 1);
}

bool has_header(const HttpRequest& request, std::string_view lower_case_name) {
    const auto is = [&](const auto& header) { return equals_ignoring_case(header.first, lower_case_name); };
    return std::any_of(request.headers.begin(), request.headers.end(), is) ||
           std::any_of(request.credential_headers.begin(), request.credential_headers.end(), is);
}

std::string host_and_port(const Url& url) { return url.host + ":" + std::to_string(url.port); }

curl_blob blob_of(std::string_view text) {
    // Not copied: libcurl would leave its copy of a key in freed memory.
    return {const_cast<char*>(text.data()), text.size(), CURL_BLOB_NOCOPY};
}

}  // namespace

Exchange::Exchange(const HttpRequest& request, const Url& url, const ExchangeTerms& terms, SocketGate& gate,
                   const Clock& clock)
    : request_(request),
      gate_(gate),
      clock_(clock),
      peer_(host_and_port(url)),
      origin_(url.origin()),
      easy_(curl_easy_init()),
      last_byte_(clock.steady()) {
    if (!easy_) throw std::bad_alloc();
    passage_.host = url.host;
    passage_.private_allowed = terms.private_allowed;
    set_options(url);
    set_method();
    set_headers(terms.with_credentials);
    set_tls();
    set_callbacks();
}

void Exchange::set_options(const Url& url) {
    CURL* easy = easy_.get();
    set(easy, CURLOPT_URL, url.to_string().c_str());
    set(easy, CURLOPT_NOSIGNAL, 1L);
    // Without it, giving up a transfer would wait for the resolver's thread, however long the name server takes.
    set(easy, CURLOPT_QUICK_EXIT, 1L);
    set(easy, CURLOPT_PROTOCOLS_STR, "http,https");
    set(easy, CURLOPT_HTTP_VERSION, static_cast<long>(CURL_HTTP_VERSION_1_1));
    // Both: an empty proxy alone would still let NO_PROXY and the *_proxy variables be read.
    set(easy, CURLOPT_PROXY, "");
    set(easy, CURLOPT_NOPROXY, "*");
    set(easy, CURLOPT_NETRC, static_cast<long>(CURL_NETRC_IGNORED));
    set(easy, CURLOPT_FOLLOWLOCATION, 0L);
    set(easy, CURLOPT_DISALLOW_USERNAME_IN_URL, 1L);
    set(easy, CURLOPT_PATH_AS_IS, 1L);
    set(easy, CURLOPT_TCP_NODELAY, 1L);
    set(easy, CURLOPT_TCP_KEEPALIVE, 1L);
    set(easy, CURLOPT_ACCEPT_ENCODING, "gzip, deflate");
    set(easy, CURLOPT_BUFFERSIZE, 128L * 1024);  // pages of a megabyte and more: fewer rounds through the waiter
    set(easy, CURLOPT_CONNECTTIMEOUT_MS,
        static_cast<long>(std::max<std::int64_t>(1, request_.timeouts.connect.count())));
    set(easy, CURLOPT_ERRORBUFFER, curl_text_);
}

void Exchange::set_method() {
    CURL* easy = easy_.get();
    const std::string& method = request_.method;
    const bool sends_body = !request_.body.empty() || method == "POST" || method == "PUT" || method == "PATCH";
    if (method == "HEAD") {
        set(easy, CURLOPT_NOBODY, 1L);
        return;
    }
    if (sends_body) {
        set(easy, CURLOPT_POSTFIELDSIZE_LARGE, static_cast<curl_off_t>(request_.body.size()));
        set(easy, CURLOPT_POSTFIELDS, request_.body.c_str());
    }
    set(easy, CURLOPT_CUSTOMREQUEST, method.c_str());
    // libcurl repeats a request by itself when a kept connection turns out to be closed. A token request that rotates a
    // credential must not be sent twice on a guess.
    if (sends_body && request_.credential_in_url_or_body) set(easy, CURLOPT_FRESH_CONNECT, 1L);
}

void Exchange::set_headers(bool with_credentials) {
    const auto add = [this](const auto& header) {
        // "Name;" is how libcurl is told to send a header without a value.
        lines_.add(header.second.empty() ? header.first + ";" : header.first + ": " + header.second);
    };
    for (const auto& header : request_.headers) add(header);
    if (with_credentials)
        for (const auto& header : request_.credential_headers) add(header);
    lines_.add("Expect:");  // no 100-continue: it costs a second with servers that do not know it
    if (!has_header(request_, "content-type")) lines_.add("Content-Type:");
    if (!has_header(request_, "user-agent")) lines_.add("User-Agent: pg_pull");
    set(easy_.get(), CURLOPT_HTTPHEADER, lines_.get());
}

void Exchange::set_tls() {
    CURL* easy = easy_.get();
    set(easy, CURLOPT_SSL_VERIFYPEER, 1L);
    set(easy, CURLOPT_SSL_VERIFYHOST, 2L);
    const HttpTls& tls = request_.tls;
    if (!tls.ca.empty()) {
        curl_blob blob = blob_of(tls.ca);
        set(easy, CURLOPT_CAINFO_BLOB, &blob);
        set(easy, CURLOPT_CAPATH, static_cast<char*>(nullptr));  // the given authorities only
    }
    if (!tls.client_cert.empty()) {
        curl_blob blob = blob_of(tls.client_cert.reveal());
        set(easy, CURLOPT_SSLCERT_BLOB, &blob);
        set(easy, CURLOPT_SSLCERTTYPE, "PEM");
    }
    if (!tls.client_key.empty()) {
        curl_blob blob = blob_of(tls.client_key.reveal());
        set(easy, CURLOPT_SSLKEY_BLOB, &blob);
        set(easy, CURLOPT_SSLKEYTYPE, "PEM");
    }
}

void Exchange::set_callbacks() {
    CURL* easy = easy_.get();
    set(easy, CURLOPT_OPENSOCKETFUNCTION, &Exchange::on_open);
    set(easy, CURLOPT_OPENSOCKETDATA, this);
    set(easy, CURLOPT_CLOSESOCKETFUNCTION, &Exchange::on_close);
    set(easy, CURLOPT_CLOSESOCKETDATA, &gate_);  // not the exchange: a kept connection outlives it
    set(easy, CURLOPT_PREREQFUNCTION, &Exchange::on_ready);
    set(easy, CURLOPT_PREREQDATA, this);
    set(easy, CURLOPT_HEADERFUNCTION, &Exchange::on_header);
    set(easy, CURLOPT_HEADERDATA, this);
    set(easy, CURLOPT_WRITEFUNCTION, &Exchange::on_body);
    set(easy, CURLOPT_WRITEDATA, this);
}

curl_socket_t Exchange::on_open(void* self, curlsocktype, curl_sockaddr* address) noexcept {
    auto& exchange = *static_cast<Exchange*>(self);
    return exchange.gate_.open(exchange.passage_, *address);
}

int Exchange::on_close(void* gate, curl_socket_t fd) noexcept { return static_cast<SocketGate*>(gate)->close(fd); }

int Exchange::on_ready(void* self, char* remote_ip, char*, int, int) noexcept {
    auto& exchange = *static_cast<Exchange*>(self);
    if (!exchange.gate_.may_use(exchange.passage_, remote_ip)) return CURL_PREREQFUNC_ABORT;
    exchange.request_left_ = true;
    exchange.last_byte_ = exchange.clock_.steady();
    return CURL_PREREQFUNC_OK;
}

std::size_t Exchange::on_header(char* data, std::size_t size, std::size_t count, void* self) noexcept {
    auto& exchange = *static_cast<Exchange*>(self);
    try {
        return exchange.take_header({data, size * count}) ? size * count : 0;
    } catch (...) {
        exchange.gate_.keep_exception();
        return 0;
    }
}

std::size_t Exchange::on_body(char* data, std::size_t size, std::size_t count, void* self) noexcept {
    auto& exchange = *static_cast<Exchange*>(self);
    try {
        return exchange.take_body({data, size * count}) ? size * count : 0;
    } catch (...) {
        exchange.gate_.keep_exception();
        return 0;
    }
}

bool Exchange::stop(std::string message) {
    stopped_ = fail(Reason::upstream_not_ok, std::move(message));
    return false;
}

bool Exchange::stop_too_large() {
    return stop("answer of " + peer_ + " is larger than " + std::to_string(request_.max_body_bytes) + " bytes");
}

bool Exchange::take_header(std::string_view line) {
    last_byte_ = clock_.steady();
    header_bytes_ += line.size();
    if (header_bytes_ > kMaxHeaderBytes)
        return stop("headers of the answer of " + peer_ + " are longer than " + std::to_string(kMaxHeaderBytes) +
                    " bytes");
    if (line.starts_with("HTTP/") && !headers_complete_) return take_status_line(line);
    if (headers_complete_) return true;  // trailers: nothing here depends on them
    if (trimmed(line).empty()) return end_of_headers();
    if ((line.front() == ' ' || line.front() == '\t') && !answer_.headers.empty()) {  // obs-fold, RFC 9112 section 5.2
        answer_.headers.back().second += ' ' + std::string(trimmed(line));
        return true;
    }
    const auto colon = line.find(':');
    if (colon == std::string_view::npos) return true;
    answer_.headers.emplace_back(ascii_lower(trimmed(line.substr(0, colon))), trimmed(line.substr(colon + 1)));
    return true;
}

bool Exchange::take_status_line(std::string_view line) {
    const auto space = line.find(' ');
    answer_.status = 0;
    if (space != std::string_view::npos)
        std::from_chars(line.data() + space + 1, line.data() + line.size(), answer_.status);
    answer_.headers.clear();
    return true;
}

bool Exchange::end_of_headers() {
    if (answer_.status < 200) return true;  // an interim answer: the real one follows
    headers_complete_ = true;
    const auto length_text = answer_.header("content-length");
    std::int64_t length = 0;
    if (!length_text || request_.method == "HEAD") return true;
    std::from_chars(length_text->data(), length_text->data() + length_text->size(), length);
    if (length > request_.max_body_bytes && !is_redirect(answer_.status, answer_.headers)) return stop_too_large();
    if (length > 0) answer_.body.reserve(static_cast<std::size_t>(std::min(length, kMaxReserve)));
    return true;
}

bool Exchange::take_body(std::string_view bytes) {
    last_byte_ = clock_.steady();
    if (is_redirect(answer_.status, answer_.headers)) {
        if (answer_.body.size() + bytes.size() > kRedirectBody) {
            enough_ = true;
            return false;
        }
    } else if (answer_.body.size() + bytes.size() > static_cast<std::size_t>(request_.max_body_bytes)) {
        return stop_too_large();
    }
    answer_.body.append(bytes);
    return true;
}

HttpOutcome Exchange::finish(CURLcode code) {
    if (stopped_) return HttpFailure{*std::move(stopped_), false, false};
    // libcurl takes headers that end in mid-line, by a closed connection, for a complete answer.
    if (code == CURLE_OK && !headers_complete_) code = CURLE_PARTIAL_FILE;
    if (code == CURLE_OK || enough_) {
        answer_.bytes = static_cast<std::int64_t>(answer_.body.size());
        answer_.effective_url = request_.url;
        return std::move(answer_);
    }
    Broken broken;
    broken.code = code;
    broken.peer = peer_;
    broken.request_left = request_left_;
    broken.connect_timeout = request_.timeouts.connect;
    curl_easy_getinfo(easy_.get(), CURLINFO_OS_ERRNO, &broken.os_error);
    broken.curl_text = curl_text_;
    broken.passage = &passage_;
    return failure_of(broken);
}

}  // namespace pg_pull::http
