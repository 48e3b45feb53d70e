// Names and what they resolve to: the resolver is replaced, for names below .pg-pull-test only.

#include <arpa/inet.h>
#include <dlfcn.h>
#include <gtest/gtest.h>
#include <netdb.h>
#include <netinet/in.h>
#include <signal.h>

#include <atomic>
#include <chrono>
#include <cstring>
#include <memory>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "http_fault_server.h"
#include "http_poll_waiter.h"
#include "source/http/curl_client.h"

namespace {

std::atomic<bool> resolver_saw_signals_open{false};
std::atomic<int> resolver_calls{0};

/// getaddrinfo's result for IPv4 addresses, from its own allocator, so that freeaddrinfo() fits.
int resolve_numeric(const std::vector<const char*>& addresses, const char* service, const addrinfo* hints,
                    addrinfo** found) {
    using Resolver = int (*)(const char*, const char*, const addrinfo*, addrinfo**);
    static const auto real = reinterpret_cast<Resolver>(dlsym(RTLD_NEXT, "getaddrinfo"));
    addrinfo** tail = found;
    for (const char* address : addresses) {
        addrinfo numeric = hints != nullptr ? *hints : addrinfo{};
        numeric.ai_flags |= AI_NUMERICHOST;
        numeric.ai_family = AF_UNSPEC;
        if (const int error = real(address, service, &numeric, tail); error != 0) return error;
        while (*tail != nullptr) tail = &(*tail)->ai_next;
    }
    return 0;
}

}  // namespace

extern "C" int getaddrinfo(const char* name, const char* service, const addrinfo* hints,
                           addrinfo** found) noexcept(false) {
    using Resolver = int (*)(const char*, const char*, const addrinfo*, addrinfo**);
    static const auto real = reinterpret_cast<Resolver>(dlsym(RTLD_NEXT, "getaddrinfo"));
    const std::string_view host(name != nullptr ? name : "");
    if (!host.ends_with(".pg-pull-test")) return real(name, service, hints, found);
    ++resolver_calls;
    sigset_t mask;
    pthread_sigmask(SIG_SETMASK, nullptr, &mask);
    for (const int signal : {SIGTERM, SIGINT, SIGUSR1, SIGHUP, SIGALRM})
        if (sigismember(&mask, signal) == 0) resolver_saw_signals_open = true;
    if (host.starts_with("slow.")) std::this_thread::sleep_for(std::chrono::seconds(2));
    if (host.starts_with("nobody.")) return EAI_NONAME;
    if (host.starts_with("metadata.")) return resolve_numeric({"169.254.169.254"}, service, hints, found);
    if (host.starts_with("mixed.")) return resolve_numeric({"169.254.169.254", "127.0.0.1"}, service, hints, found);
    return resolve_numeric({"127.0.0.1"}, service, hints, found);
}

namespace pg_pull::http {
namespace {

using test::FaultServer;
using test::Interrupted;
using test::PollWaiter;
using test::ReceivedRequest;
using test::ServerConnection;
using namespace std::chrono_literals;

class HttpResolverTest : public ::testing::Test {
protected:
    HttpRequest get(const std::string& host) {
        HttpRequest request;
        request.url = server_.url("/", host + ".pg-pull-test");
        return request;
    }
    HttpOutcome send(HttpRequest request, const std::string& allowed = "") {
        client_ = std::make_unique<CurlClient>(waiter_, clock_, AllowedHosts::parse(allowed).value());
        return client_->send(std::move(request));
    }
    Error error_of(const HttpOutcome& outcome) {
        if (const auto* failure = std::get_if<HttpFailure>(&outcome)) return failure->error;
        ADD_FAILURE() << "answered";
        return {};
    }

    FaultServer server_{[](ServerConnection& to, const ReceivedRequest&) { to.answer("200 OK", "[]"); }};
    PollWaiter waiter_;
    SystemClock clock_;
    std::unique_ptr<CurlClient> client_;
};

TEST_F(HttpResolverTest, ANameIsJudgedByWhatItResolvesTo) {
    const Error local = error_of(send(get("local")));
    EXPECT_EQ(local.reason, Reason::egress_denied);
    EXPECT_EQ(local.message, "connection to host \"local.pg-pull-test\" at address 127.0.0.1 is not allowed");
    EXPECT_EQ(server_.connections(), 0);
    EXPECT_EQ(std::get<HttpResponse>(send(get("local"), "*.pg-pull-test")).status, 200);
    EXPECT_EQ(std::get<HttpResponse>(send(get("local"), "127.0.0.0/8")).status, 200);
}

TEST_F(HttpResolverTest, ASuperusersConnectorReachesNoMetadataService) {
    HttpRequest request = get("metadata");
    request.private_addresses_allowed = true;
    EXPECT_EQ(error_of(send(request)).reason, Reason::egress_denied);
    EXPECT_EQ(error_of(send(request, "metadata.pg-pull-test")).reason, Reason::egress_denied);
}

TEST_F(HttpResolverTest, OfSeveralAddressesTheAllowedOnesAreUsed) {
    HttpRequest request = get("mixed");
    request.private_addresses_allowed = true;
    EXPECT_EQ(std::get<HttpResponse>(send(request)).status, 200);
}

TEST_F(HttpResolverTest, AnUnknownNameIsAPassingFault) {
    const HttpOutcome outcome = send(get("nobody"));
    const auto& failure = std::get<HttpFailure>(outcome);
    EXPECT_EQ(failure.error.reason, Reason::network);
    EXPECT_TRUE(failure.error.message.starts_with("could not resolve the name of nobody.pg-pull-test:"))
        << failure.error.message;
    EXPECT_TRUE(failure.may_retry);
    EXPECT_TRUE(failure.surely_unsent);
}

TEST_F(HttpResolverTest, AnInterruptDoesNotWaitForTheResolver) {
    waiter_.interrupt_after(150ms);
    const auto begun = std::chrono::steady_clock::now();
    EXPECT_THROW((void)send(get("slow"), "*.pg-pull-test"), Interrupted);
    client_.reset();
    EXPECT_LT(std::chrono::steady_clock::now() - begun, 500ms);
}

TEST_F(HttpResolverTest, ASlowResolverCountsAgainstTheConnectTimeout) {
    HttpRequest request = get("slow");
    request.timeouts.connect = 200ms;
    const auto begun = std::chrono::steady_clock::now();
    const HttpOutcome outcome = send(request, "*.pg-pull-test");
    client_.reset();
    EXPECT_LT(std::chrono::steady_clock::now() - begun, 1s);
    const auto& failure = std::get<HttpFailure>(outcome);
    EXPECT_NE(failure.error.message.find("within 200 ms"), std::string::npos) << failure.error.message;
    EXPECT_TRUE(failure.surely_unsent);
}

TEST_F(HttpResolverTest, ResolverThreadsRunWithAllSignalsBlocked) {
    resolver_calls = 0;
    resolver_saw_signals_open = false;
    sigset_t before, after;
    pthread_sigmask(SIG_SETMASK, nullptr, &before);
    (void)send(get("local"), "*");
    pthread_sigmask(SIG_SETMASK, nullptr, &after);
    EXPECT_GT(resolver_calls, 0);
    EXPECT_FALSE(resolver_saw_signals_open);
    EXPECT_EQ(sigismember(&after, SIGTERM), sigismember(&before, SIGTERM));
}

}  // namespace
}  // namespace pg_pull::http
