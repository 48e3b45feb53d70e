#include "source/http/curl_client.h"

#include <gtest/gtest.h>
#include <signal.h>

#include <chrono>
#include <cstring>

#include "http_fault_server.h"
#include "http_gzip.h"
#include "http_poll_waiter.h"

namespace pg_pull::http {
namespace {

using test::FaultServer;
using test::Interrupted;
using test::PollWaiter;
using test::ReceivedRequest;
using test::ServerConnection;
using namespace std::chrono_literals;

class HttpClientTest : public ::testing::Test {
protected:
    void serve(FaultServer::Handler handler) { server_ = std::make_unique<FaultServer>(std::move(handler)); }
    HttpRequest get(const std::string& path = "/") {
        HttpRequest request;
        request.url = server_->url(path);
        request.private_addresses_allowed = true;
        return request;
    }
    HttpResponse answer(HttpRequest request) {
        HttpOutcome outcome = client().send(std::move(request));
        if (auto* failure = std::get_if<HttpFailure>(&outcome)) {
            ADD_FAILURE() << failure->error.message << " / " << failure->error.detail;
            return {};
        }
        return std::get<HttpResponse>(std::move(outcome));
    }
    HttpFailure failure(HttpRequest request) {
        HttpOutcome outcome = client().send(std::move(request));
        if (std::holds_alternative<HttpResponse>(outcome)) {
            ADD_FAILURE() << "answered " << std::get<HttpResponse>(outcome).status;
            return {};
        }
        return std::get<HttpFailure>(std::move(outcome));
    }
    CurlClient& client() {
        if (!client_) client_ = std::make_unique<CurlClient>(waiter_, clock_, AllowedHosts::parse(allowed_).value());
        return *client_;
    }

    std::string allowed_;
    PollWaiter waiter_;
    SystemClock clock_;
    std::unique_ptr<FaultServer> server_;
    std::unique_ptr<CurlClient> client_;
};

TEST_F(HttpClientTest, AnswersComeWholeWithHeadersInLowerCase) {
    serve([](ServerConnection& to, const ReceivedRequest&) {
        to.answer("201 Made", "{\"a\":1}", "X-Thing: One\r\nx-thing:   two  \r\nContent-Type: application/json\r\n");
    });
    const HttpResponse response = answer(get("/a?b=c"));
    EXPECT_EQ(response.status, 201);
    EXPECT_EQ(response.body, "{\"a\":1}");
    EXPECT_EQ(response.bytes, 7);
    EXPECT_EQ(response.header("x-thing"), "One");
    EXPECT_EQ(response.headers[1].second, "two");
    EXPECT_EQ(response.effective_url, server_->url("/a?b=c"));
    const auto seen = server_->requests().at(0);
    EXPECT_EQ(seen.method, "GET");
    EXPECT_EQ(seen.target, "/a?b=c");
    EXPECT_EQ(seen.header("accept-encoding"), "gzip, deflate");
    EXPECT_EQ(seen.header("user-agent"), "pg_pull");
}

TEST_F(HttpClientTest, ConnectionsAreUsedAgain) {
    serve([](ServerConnection& to, const ReceivedRequest&) { to.answer("200 OK", "[]"); });
    for (int i = 0; i < 5; ++i) EXPECT_EQ(answer(get()).status, 200);
    EXPECT_EQ(server_->connections(), 1);
    EXPECT_EQ(waiter_.open_fds, 1);
    client_.reset();
    EXPECT_EQ(waiter_.open_fds, 0);
}

TEST_F(HttpClientTest, SeveralTransfersRunAtOnce) {
    serve([](ServerConnection& to, const ReceivedRequest& request) {
        to.pause(200);
        to.answer("200 OK", request.target);
    });
    const auto begun = std::chrono::steady_clock::now();
    std::vector<HttpClient::Ticket> tickets;
    for (int i = 0; i < 4; ++i) tickets.push_back(client().start(get("/" + std::to_string(i))));
    for (int i = 3; i >= 0; --i)
        EXPECT_EQ(std::get<HttpResponse>(client().wait(tickets[static_cast<std::size_t>(i)])).body,
                  "/" + std::to_string(i));
    EXPECT_LT(std::chrono::steady_clock::now() - begun, 600ms);
}

TEST_F(HttpClientTest, BodiesAndMethodsAreSentAsGiven) {
    serve([](ServerConnection& to, const ReceivedRequest&) { to.answer("200 OK", ""); });
    HttpRequest request = get();
    request.method = "POST";
    request.body = std::string("{\"x\":\0}", 7);
    request.headers = {{"Content-Type", "application/json"}, {"X-Empty", ""}};
    answer(request);
    request.method = "PATCH";
    request.body = "";
    answer(request);
    request.method = "DELETE";
    answer(request);
    request.method = "GET";
    request.body = "{}";
    answer(request);
    const auto seen = server_->requests();
    EXPECT_EQ(seen[0].method, "POST");
    EXPECT_EQ(seen[0].body, std::string("{\"x\":\0}", 7));
    EXPECT_EQ(seen[0].header("content-type"), "application/json");
    EXPECT_EQ(seen[0].headers.count("x-empty"), 1U);
    EXPECT_EQ(seen[0].headers.count("expect"), 0U);
    EXPECT_EQ(seen[1].method, "PATCH");
    EXPECT_EQ(seen[1].header("content-length"), "0");
    EXPECT_EQ(seen[2].method, "DELETE");
    EXPECT_EQ(seen[3].method, "GET");
    EXPECT_EQ(seen[3].body, "{}");
}

TEST_F(HttpClientTest, HeadHasNoBody) {
    serve([](ServerConnection& to, const ReceivedRequest&) {
        to.send("HTTP/1.1 200 OK\r\nContent-Length: 1000000000000\r\n\r\n");
    });
    HttpRequest request = get();
    request.method = "HEAD";
    EXPECT_EQ(answer(request).body, "");
}

TEST_F(HttpClientTest, CompressedAndChunkedBodiesAreUndone) {
    const std::string text(100'000, 'x');
    serve([&](ServerConnection& to, const ReceivedRequest& request) {
        if (request.target == "/gzip") to.answer("200 OK", test::gzip(text), "Content-Encoding: gzip\r\n");
        if (request.target == "/deflate") to.answer("200 OK", test::zlib(text), "Content-Encoding: deflate\r\n");
        if (request.target == "/chunked")
            to.send(
                "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n2\r\nde\r\n0\r\nX-Trailer: "
                "t\r\n\r\n");
    });
    EXPECT_EQ(answer(get("/gzip")).body, text);
    EXPECT_EQ(answer(get("/deflate")).body, text);
    const HttpResponse chunked = answer(get("/chunked"));
    EXPECT_EQ(chunked.body, "abcde");
    EXPECT_FALSE(chunked.header("x-trailer"));
}

TEST_F(HttpClientTest, TheBodyLimitCountsAfterDecompression) {
    const std::string bomb = test::gzip_bomb(8'000);  // two million bytes out of 13 thousand
    serve(
        [&](ServerConnection& to, const ReceivedRequest&) { to.answer("200 OK", bomb, "Content-Encoding: gzip\r\n"); });
    HttpRequest request = get();
    request.max_body_bytes = 1 << 20;
    const HttpFailure failed = failure(request);
    EXPECT_EQ(failed.error.reason, Reason::upstream_not_ok);
    EXPECT_NE(failed.error.message.find("is larger than 1048576 bytes"), std::string::npos) << failed.error.message;
    EXPECT_FALSE(failed.may_retry);
}

TEST_F(HttpClientTest, APromisedLengthAboveTheLimitIsNotRead) {
    serve([](ServerConnection& to, const ReceivedRequest&) {
        to.send("HTTP/1.1 200 OK\r\nContent-Length: 1000000000000\r\n\r\n");
        to.stall();
    });
    const HttpFailure failed = failure(get());
    EXPECT_EQ(failed.error.reason, Reason::upstream_not_ok);
    EXPECT_FALSE(failed.may_retry);
}

TEST_F(HttpClientTest, EndlessHeadersAreCutOff) {
    serve([](ServerConnection& to, const ReceivedRequest& request) {
        const bool interim = request.target == "/interim";
        if (!interim) to.send("HTTP/1.1 200 OK\r\n");
        const std::string line =
            interim ? "HTTP/1.1 103 Early Hints\r\n\r\n" : "X-A: " + std::string(1000, 'a') + "\r\n";
        while (to.send(line)) {
        }
    });
    for (const char* path : {"/long", "/interim"}) {
        const HttpFailure failed = failure(get(path));
        EXPECT_EQ(failed.error.reason, Reason::upstream_not_ok);
        EXPECT_NE(failed.error.message.find("headers of the answer"), std::string::npos) << failed.error.message;
    }
}

TEST_F(HttpClientTest, WhatIsCutShortMayBeTriedAgain) {
    serve([](ServerConnection& to, const ReceivedRequest& request) {
        to.close_after();
        if (request.target == "/length") to.send("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nshort");
        if (request.target == "/chunk") to.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n64\r\nshort");
        if (request.target == "/lastchunk")
            to.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nshort\r\n");
        if (request.target == "/badchunk")
            to.send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\nshort\r\n0\r\n\r\n");
        if (request.target == "/gzip") to.answer("200 OK", "this is no gzip at all", "Content-Encoding: gzip\r\n");
        if (request.target == "/flipped") {
            std::string whole = test::gzip("{\"id\": 12345678}");
            whole[whole.size() - 6] ^= 1;  // the checksum
            to.answer("200 OK", whole, "Content-Encoding: gzip\r\n");
        }
        if (request.target == "/reset") to.reset();
        if (request.target == "/headers") to.send("HTTP/1.1 200 OK\r\nContent-Le");
    });
    for (const char* path :
         {"/length", "/chunk", "/lastchunk", "/badchunk", "/gzip", "/flipped", "/reset", "/headers", "/nothing"}) {
        SCOPED_TRACE(path);
        const HttpFailure failed = failure(get(path));
        EXPECT_EQ(failed.error.reason, Reason::network) << failed.error.message;
        EXPECT_TRUE(failed.may_retry) << failed.error.message;
        EXPECT_FALSE(failed.surely_unsent);
    }
}

TEST_F(HttpClientTest, WhatIsNotHttpIsNotTriedAgain) {
    serve([](ServerConnection& to, const ReceivedRequest&) {
        to.send("220 mail.example ESMTP\r\n");
        to.close_after();
    });
    const HttpFailure failed = failure(get());
    EXPECT_EQ(failed.error.reason, Reason::upstream_not_ok) << failed.error.message;
    EXPECT_FALSE(failed.may_retry);
}

TEST_F(HttpClientTest, ARefusedConnectionIsSurelyUnsentAndNamesItsCause) {
    HttpRequest request;
    {
        FaultServer gone([](ServerConnection&, const ReceivedRequest&) {});
        request.url = gone.url("/secret-free?key=s3cret");
    }
    request.private_addresses_allowed = true;
    const HttpFailure failed = failure(request);
    EXPECT_EQ(failed.error.reason, Reason::network);
    EXPECT_TRUE(failed.error.message.starts_with("could not connect to 127.0.0.1:")) << failed.error.message;
    EXPECT_TRUE(failed.error.message.ends_with("Connection refused")) << failed.error.message;
    EXPECT_EQ((failed.error.message + failed.error.detail).find("s3cret"), std::string::npos);
    EXPECT_TRUE(failed.may_retry);
    EXPECT_TRUE(failed.surely_unsent);
}

TEST_F(HttpClientTest, TimeoutsOfRequestAndStallAreTold) {
    serve([](ServerConnection& to, const ReceivedRequest& request) {
        if (request.target == "/drip") {
            to.send("HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n");
            while (to.pause(50) && to.send("x")) {
            }
        }
        to.send("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nab");
        to.stall();
    });
    HttpRequest drip = get("/drip");
    drip.timeouts.request = 400ms;
    drip.timeouts.stall = 200ms;
    const HttpFailure slow = failure(drip);
    EXPECT_NE(slow.error.message.find("did not answer completely within 400 ms"), std::string::npos)
        << slow.error.message;
    EXPECT_TRUE(slow.may_retry);
    HttpRequest stalling = get("/stall");
    stalling.timeouts.stall = 200ms;
    const HttpFailure stalled = failure(stalling);
    EXPECT_NE(stalled.error.message.find("sent nothing for 200 ms"), std::string::npos) << stalled.error.message;
    EXPECT_TRUE(stalled.may_retry);
    EXPECT_FALSE(stalled.surely_unsent);
}

TEST_F(HttpClientTest, ABusyCallerLosesNoAnswerToATimeout) {
    serve([](ServerConnection& to, const ReceivedRequest&) { to.answer("200 OK", "[1]"); });
    HttpRequest request = get();
    request.timeouts.request = 300ms;
    request.timeouts.stall = 300ms;
    const auto ticket = client().start(request);
    for (int i = 0; i < 5; ++i) client().pump();
    std::this_thread::sleep_for(700ms);
    const HttpOutcome outcome = client().wait(ticket);
    ASSERT_TRUE(std::holds_alternative<HttpResponse>(outcome)) << std::get<HttpFailure>(outcome).error.message;
}

TEST_F(HttpClientTest, PumpAloneBringsATransferToItsEnd) {
    serve([](ServerConnection& to, const ReceivedRequest&) { to.answer("200 OK", "[1]"); });
    const auto ticket = client().start(get());
    for (int i = 0; i < 200; ++i) {
        client().pump();
        std::this_thread::sleep_for(1ms);
    }
    waiter_.waits = 0;
    EXPECT_EQ(std::get<HttpResponse>(client().wait(ticket)).body, "[1]");
    EXPECT_EQ(waiter_.waits, 0);
}

TEST_F(HttpClientTest, RedirectsAreFollowedToTheirEnd) {
    serve([](ServerConnection& to, const ReceivedRequest& request) {
        if (request.target == "/a")
            to.answer("302 Found", "gone", "Location: b?c=d#frag\r\n");
        else if (request.target == "/big")
            to.send("HTTP/1.1 301 Moved\r\nLocation: /b\r\n\r\n" + std::string(1 << 20, 'x')), to.close_after();
        else
            to.answer("200 OK", request.method + request.target);
    });
    const HttpResponse response = answer(get("/a"));
    EXPECT_EQ(response.body, "GET/b?c=d");
    EXPECT_EQ(response.redirects, 1);
    EXPECT_EQ(response.effective_url, server_->url("/b?c=d"));
    EXPECT_EQ(answer(get("/big")).body, "GET/b");
}

TEST_F(HttpClientTest, RedirectLoopsEndAtTheLimit) {
    serve([](ServerConnection& to, const ReceivedRequest&) { to.answer("307 Again", "", "Location: /\r\n"); });
    const HttpFailure failed = failure(get());
    EXPECT_EQ(failed.error.reason, Reason::upstream_not_ok);
    EXPECT_EQ(failed.error.message, "more than 5 redirects");
    EXPECT_EQ(server_->requests().size(), 6U);
    EXPECT_FALSE(failed.may_retry);
}

TEST_F(HttpClientTest, CredentialsDoNotFollowToAnotherOrigin) {
    FaultServer other([](ServerConnection& to, const ReceivedRequest&) { to.answer("200 OK", "[]"); });
    serve([&](ServerConnection& to, const ReceivedRequest& request) {
        to.answer("302 Found", "", "Location: " + (request.target == "/away" ? other.url("/there") : "/here") + "\r\n");
        if (request.target == "/here") to.close_after();
    });
    allowed_ = "127.0.0.1";
    HttpRequest request = get("/away");
    request.credential_headers = {{"Authorization", "Bearer s3cret"}};
    request.credential_origins = {server_->origin()};
    answer(request);
    ASSERT_EQ(other.requests().size(), 1U);
    EXPECT_EQ(other.requests()[0].header("authorization"), "");
    EXPECT_EQ(server_->requests()[0].header("authorization"), "Bearer s3cret");

    request.credential_origins.push_back(other.origin());
    answer(request);
    EXPECT_EQ(other.requests()[1].header("authorization"), "Bearer s3cret");

    request.credential_origins = {other.origin()};
    EXPECT_EQ(failure(request).error.reason, Reason::egress_denied);
}

TEST_F(HttpClientTest, ARedirectToAPrivateAddressIsJudgedOnItsOwn) {
    FaultServer other([](ServerConnection& to, const ReceivedRequest&) { to.answer("200 OK", "[]"); });
    serve([&](ServerConnection& to, const ReceivedRequest&) {
        to.answer("302 Found", "", "Location: " + other.url() + "\r\n");
    });
    const HttpFailure failed = failure(get());  // private addresses are allowed for the first origin only
    EXPECT_EQ(failed.error.reason, Reason::egress_denied);
    EXPECT_TRUE(other.requests().empty());
}

TEST_F(HttpClientTest, LoopbackNeedsAnEntryUnlessAllowed) {
    serve([](ServerConnection& to, const ReceivedRequest&) { to.answer("200 OK", "[]"); });
    HttpRequest request = get();
    request.private_addresses_allowed = false;
    const HttpFailure failed = failure(request);
    EXPECT_EQ(failed.error.reason, Reason::egress_denied);
    EXPECT_EQ(failed.error.message, "connection to host \"127.0.0.1\" at address 127.0.0.1 is not allowed");
    EXPECT_NE(failed.error.hint.find("pg_pull.allowed_hosts"), std::string::npos);
    EXPECT_TRUE(server_->requests().empty());
    EXPECT_EQ(server_->connections(), 0);
    EXPECT_EQ(waiter_.open_fds, 0);

    request.url = "http://localhost:" + std::to_string(server_->port()) + "/";
    EXPECT_EQ(failure(request).error.reason, Reason::egress_denied);
    for (const char* odd : {"0x7f.1", "2130706433", "[::ffff:127.0.0.1]"}) {
        request.url = "http://" + std::string(odd) + ":" + std::to_string(server_->port()) + "/";
        EXPECT_EQ(failure(request).error.reason, Reason::egress_denied) << odd;
    }
    client_.reset();
    allowed_ = "localhost";
    request.url = "http://localhost:" + std::to_string(server_->port()) + "/";
    EXPECT_EQ(answer(request).status, 200);
}

TEST_F(HttpClientTest, AKeptConnectionIsJudgedAgain) {
    serve([](ServerConnection& to, const ReceivedRequest&) { to.answer("200 OK", "[]"); });
    answer(get());
    HttpRequest request = get();
    request.private_addresses_allowed = false;
    EXPECT_EQ(failure(request).error.reason, Reason::egress_denied);
    EXPECT_EQ(server_->requests().size(), 1U);
}

TEST_F(HttpClientTest, OtherSchemesAndLineBreaksAreRefused) {
    serve([](ServerConnection& to, const ReceivedRequest&) { to.answer("200 OK", "[]"); });
    HttpRequest request = get();
    request.url = "file:///etc/passwd";
    EXPECT_EQ(failure(request).error.reason, Reason::invalid_configuration);
    request = get();
    request.headers = {{"X-A", "1\r\nX-B: 2"}};
    EXPECT_EQ(failure(request).error.reason, Reason::invalid_configuration);
    EXPECT_TRUE(server_->requests().empty());
}

TEST_F(HttpClientTest, NoDescriptorLeftIsAPassingFault) {
    serve([](ServerConnection& to, const ReceivedRequest&) { to.answer("200 OK", "[]"); });
    waiter_.max_fds = 0;
    const HttpFailure failed = failure(get());
    EXPECT_EQ(failed.error.reason, Reason::network);
    EXPECT_TRUE(failed.may_retry);
    EXPECT_TRUE(failed.surely_unsent);
    waiter_.max_fds = 1;
    EXPECT_EQ(answer(get()).status, 200);
}

TEST_F(HttpClientTest, AnAbandonedTransferIsGoneAndTheOthersGoOn) {
    serve([](ServerConnection& to, const ReceivedRequest& request) {
        if (request.target == "/never") to.stall();
        to.answer("200 OK", "[]");
    });
    const auto never = client().start(get("/never"));
    const auto soon = client().start(get("/soon"));
    client().abandon(never);
    client().abandon(never);
    EXPECT_EQ(std::get<HttpResponse>(client().wait(soon)).status, 200);
    EXPECT_THROW((void)client().wait(never), std::logic_error);
}

TEST_F(HttpClientTest, AnInterruptLeavesAtOnceInEveryState) {
    serve([](ServerConnection& to, const ReceivedRequest& request) {
        if (request.target == "/body") to.send("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nab");
        if (request.target == "/headers") to.send("HTTP/1.1 200 OK\r\nConte");
        to.stall();
    });
    for (const char* path : {"/", "/headers", "/body"}) {
        SCOPED_TRACE(path);
        waiter_.interrupt_after(150ms);
        const auto begun = std::chrono::steady_clock::now();
        EXPECT_THROW((void)client().send(get(path)), Interrupted);
        client_.reset();
        EXPECT_LT(std::chrono::steady_clock::now() - begun, 350ms);
        waiter_.interrupt_at.reset();
        EXPECT_EQ(waiter_.open_fds, 0);
    }
}

TEST_F(HttpClientTest, AfterAnInterruptTheTransferCanBeWaitedForAgain) {
    serve([](ServerConnection& to, const ReceivedRequest&) {
        to.pause(300);
        to.answer("200 OK", "[]");
    });
    const auto ticket = client().start(get());
    waiter_.interrupt_after(50ms);
    EXPECT_THROW((void)client().wait(ticket), Interrupted);
    waiter_.interrupt_at.reset();
    EXPECT_EQ(std::get<HttpResponse>(client().wait(ticket)).status, 200);
}

}  // namespace
}  // namespace pg_pull::http
