// The rest provider over real sockets.

#include <gtest/gtest.h>

#include "http_fault_server.h"
#include "http_gzip.h"
#include "http_poll_waiter.h"
#include "rest_fixture.h"
#include "source/http/curl_client.h"

namespace pg_pull::test {
namespace {

class RestLiveTest : public ::testing::Test {
protected:
    void serve(FaultServer::Handler handler) {
        server_ = std::make_unique<FaultServer>(std::move(handler));
        request_.connector = "shop";
        request_.config = {{"base_url", server_->origin()},
                           {"retry", {{"initial", "PT0.01S"}, {"attempts", 3}}},
                           {"timeouts", {{"request", "PT2S"}, {"stall", "PT0.3S"}}}};
        request_.source = {{"path", "/items"}};
        context_.private_addresses_allowed = true;
    }
    /// The number of records, or -1 and the error.
    int read_all() {
        auto source = rest::open_source(context_, request_);
        if (!source.ok()) return error_ = source.error(), -1;
        int records = 0;
        while (true) {
            auto page = (*source)->next();
            if (!page.ok()) return error_ = page.error(), -1;
            if (!page->has_value()) return records;
            records += static_cast<int>(std::get<RecordPage>((*page)->content).size());
        }
    }

    SystemClock clock_;
    PollWaiter waiter_;
    http::CurlClient http_{waiter_, clock_, http::AllowedHosts()};
    ScriptedRate rate_;
    Redactor redactor_;
    RunCounters counters_;
    SourceContext context_{clock_, waiter_, http_, rate_, redactor_, counters_, [] { return std::uint64_t{0}; },
                           {},     "1",     {},    {},    false};
    SourceRequest request_;
    std::unique_ptr<FaultServer> server_;
    Error error_;
};

TEST_F(RestLiveTest, ManyPagesComeOverOneConnection) {
    serve([](ServerConnection& to, const ReceivedRequest& asked) {
        const int page = std::stoi(asked.target.substr(asked.target.find("page=") + 5));
        to.answer("200 OK", page <= 50 ? "[{\"id\":1},{\"page\":" + std::to_string(page) + "}]" : "[]");
    });
    request_.pagination = {{"type", "page"}, {"size", 2}};
    EXPECT_EQ(read_all(), 100) << error_.message;
    EXPECT_EQ(server_->connections(), 1);
    EXPECT_EQ(counters_.requests, 51);
}

TEST_F(RestLiveTest, FaultsOfTheLineAreSurvived) {
    int count = 0;
    const std::string whole = gzip(R"([{"id":1}])");
    serve([&](ServerConnection& to, const ReceivedRequest&) {
        switch (count++) {
            case 0:
                to.reset();
                break;
            case 1:
                to.answer("200 OK", std::string_view(whole).substr(0, whole.size() - 12), "Content-Encoding: gzip\r\n");
                break;
            default:
                to.answer("200 OK", whole, "Content-Encoding: gzip\r\n");
        }
    });
    EXPECT_EQ(read_all(), 1) << error_.message << error_.detail;
    EXPECT_EQ(counters_.retries, 2);
}

TEST_F(RestLiveTest, AStallingSourceIsGivenUpInTheEnd) {
    serve([](ServerConnection& to, const ReceivedRequest&) {
        to.send("HTTP/1.1 200 OK\r\nContent-Length: 50\r\n\r\n[{\"id\":1}");
        to.stall();
    });
    EXPECT_EQ(read_all(), -1);
    EXPECT_EQ(error_.reason, Reason::network);
    EXPECT_NE(error_.message.find("sent nothing for 300 ms"), std::string::npos) << error_.message;
    EXPECT_NE(error_.detail.find("3 attempts"), std::string::npos) << error_.detail;
}

TEST_F(RestLiveTest, APageThatIsTooLargeIsAnError) {
    const std::string bomb = gzip_bomb(8'000);  // two million bytes
    serve(
        [&](ServerConnection& to, const ReceivedRequest&) { to.answer("200 OK", bomb, "Content-Encoding: gzip\r\n"); });
    request_.config["max_page_bytes"] = 1'000'000;
    EXPECT_EQ(read_all(), -1);
    EXPECT_EQ(error_.reason, Reason::upstream_not_ok);
    EXPECT_NE(error_.message.find("larger than 1000000 bytes"), std::string::npos) << error_.message;
    EXPECT_EQ(server_->requests().size(), 1U);
}

TEST_F(RestLiveTest, AnInterruptLeavesTheSourceDestructible) {
    serve([](ServerConnection& to, const ReceivedRequest&) { to.stall(); });
    waiter_.interrupt_after(Millis(100));
    EXPECT_THROW((void)read_all(), Interrupted);
}

TEST_F(RestLiveTest, LoopbackIsRefusedToOthersThanSuperusers) {
    serve([](ServerConnection& to, const ReceivedRequest&) { to.answer("200 OK", "[]"); });
    context_.private_addresses_allowed = false;
    EXPECT_EQ(read_all(), -1);
    EXPECT_EQ(error_.reason, Reason::egress_denied);
    EXPECT_NE(error_.hint.find("pg_pull.allowed_hosts"), std::string::npos);
    EXPECT_EQ(server_->connections(), 0);
}

}  // namespace
}  // namespace pg_pull::test
