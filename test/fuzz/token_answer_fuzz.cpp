#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "core/oauth/token_answer.h"

namespace {

using namespace pg_pull;

class FixedClock final : public Clock {
public:
    [[nodiscard]] WallTime now() const override { return WallTime{std::chrono::seconds(1'714'521'600)}; }
    [[nodiscard]] std::chrono::steady_clock::time_point steady() const override { return {}; }
};

oauth::Client make_client(const Clock& clock) {
    oauth::Client client;
    client.connector = "fuzz";
    auto auth = parse_auth(nlohmann::json::parse(R"({"type":"oauth2","client_id":"c","credential_ref":"R",
        "authorize":"https://a.example/a","introspect":"https://a.example/i","token":{"url":"https://a.example/t",
        "response":{"keep":{"tenant":"id_token.tid","team":"team","list":"a.*.b"}}}})"));
    if (!auth.ok()) std::abort();
    client.auth = std::move(auth).value();
    client.secret = Secret("canary-s3cret");
    client.clock = &clock;
    client.random = [] { return std::uint64_t{4}; };
    return client;
}

void check(bool holds) {
    if (!holds) std::abort();
}

}  // namespace

// The first byte chooses status and content type, the rest is the body: a grant always has a usable token and a bounded lifetime, anything
// else none, texts are short and hold neither secrets nor control characters, and what is kept can be written as JSON.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    static const FixedClock clock;
    static const oauth::Client client = make_client(clock);
    if (size == 0) return 0;
    constexpr int statuses[] = {200, 201, 302, 400, 401, 403, 429, 503};
    constexpr const char* types[] = {"application/json", "application/x-www-form-urlencoded", "text/html",
                                     "text/plain"};
    HttpResponse response;
    response.status = statuses[data[0] & 7];
    response.headers = {{"content-type", types[(data[0] >> 3) & 3]}};
    response.body.assign(reinterpret_cast<const char*>(data) + 1, size - 1);
    for (const auto call : {oauth::TokenCall::exchange, oauth::TokenCall::refresh}) {
        const auto answer = oauth::read_token_answer(client, call, response, clock.now(), Millis(60'000));
        const bool granted = answer.kind == oauth::TokenAnswer::Kind::granted;
        check(granted == !answer.token.empty());
        check(!granted || (response.status >= 200 && response.status < 300));
        check(answer.token.reveal().find_first_of(" \r\n\t") == std::string_view::npos);
        check(!answer.lifetime || (answer.lifetime->count() > 0 && *answer.lifetime <= std::chrono::hours(24 * 3661)));
        check(answer.lifetime.has_value() == answer.expires_at.has_value());
        for (const std::string* const text : {&answer.error, &answer.error_description}) {
            check(text->size() < 1000 && text->find("canary-s3cret") == std::string::npos);
            for (const char c : *text) check(static_cast<unsigned char>(c) >= 0x20);
        }
        static_cast<void>(answer.keep.dump());
        static_cast<void>(answer.account.dump());
    }
    static_cast<void>(oauth::read_introspection(client, response, clock.now()));
    return 0;
}
