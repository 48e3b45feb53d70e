#include "source/http/redirect.h"

#include <gtest/gtest.h>

namespace pg_pull::http {
namespace {

HttpRequest request(std::string method, std::string url) {
    HttpRequest made;
    made.method = std::move(method);
    made.url = std::move(url);
    made.body = made.method == "GET" ? "" : "{}";
    made.headers = {{"Accept", "*/*"}, {"Content-Type", "application/json"}};
    return made;
}

std::string method_after(int status, std::string method) {
    auto next = follow(request(std::move(method), "https://a.example/x"), status, "/y");
    EXPECT_TRUE(next.ok());
    return next->method + (next->body.empty() ? "" : " with body");
}

TEST(Redirect, MethodsFollowTheStatus) {
    EXPECT_EQ(method_after(301, "POST"), "GET");
    EXPECT_EQ(method_after(302, "POST"), "GET");
    EXPECT_EQ(method_after(303, "POST"), "GET");
    EXPECT_EQ(method_after(303, "PUT"), "GET");
    EXPECT_EQ(method_after(303, "HEAD"), "HEAD with body");
    EXPECT_EQ(method_after(301, "PUT"), "PUT with body");
    EXPECT_EQ(method_after(307, "POST"), "POST with body");
    EXPECT_EQ(method_after(308, "POST"), "POST with body");
    EXPECT_EQ(method_after(302, "GET"), "GET");
}

TEST(Redirect, AGetThatWasMadeSaysNothingOfABody) {
    const auto next = follow(request("POST", "https://a.example/x"), 303, "y?z=1");
    EXPECT_EQ(next->url, "https://a.example/y?z=1");
    ASSERT_EQ(next->headers.size(), 1U);
    EXPECT_EQ(next->headers[0].first, "Accept");
}

TEST(Redirect, NeverFromHttpsToHttp) {
    const auto next = follow(request("GET", "https://a.example/x"), 302, "http://a.example/x");
    ASSERT_FALSE(next.ok());
    EXPECT_EQ(next.error().reason, Reason::egress_denied);
    EXPECT_EQ(next.error().message, "redirect from https://a.example:443 to http://a.example:80 is refused");
    EXPECT_TRUE(follow(request("GET", "http://a.example/x"), 302, "https://a.example/x").ok());
}

TEST(Redirect, ACredentialInTheUrlNeverLeavesItsOrigin) {
    HttpRequest secret = request("GET", "https://a.example/x?key=s3cret");
    secret.credential_in_url_or_body = true;
    secret.credential_origins = {"https://a.example:443", "https://b.example:443"};
    const auto refused = follow(secret, 302, "https://b.example/x");
    ASSERT_FALSE(refused.ok());
    EXPECT_EQ(refused.error().reason, Reason::egress_denied);
    EXPECT_EQ(refused.error().message.find("s3cret"), std::string::npos);
    EXPECT_TRUE(follow(secret, 302, "/z").ok());
    EXPECT_FALSE(follow(secret, 302, "https://a.example:8443/x").ok());
}

TEST(Redirect, OnlyHttpAddressesAreFollowed) {
    for (const char* location :
         {"ftp://a.example/", "file:///etc/passwd", "javascript:alert(1)", "https://u:p@a.example/"}) {
        const auto next = follow(request("GET", "https://a.example/x?q=hidden"), 302, location);
        ASSERT_FALSE(next.ok()) << location;
        EXPECT_EQ(next.error().reason, Reason::upstream_not_ok);
        EXPECT_EQ(next.error().detail.find("hidden"), std::string::npos);
    }
}

TEST(Redirect, CredentialsAreForListedOriginsOnly) {
    HttpRequest with_key = request("GET", "https://a.example/");
    with_key.credential_headers = {{"X-Api-Key", "k"}};
    with_key.credential_origins = {"https://a.example:443"};
    EXPECT_TRUE(credentials_go_to(with_key, "https://a.example:443"));
    EXPECT_FALSE(credentials_go_to(with_key, "http://a.example:443"));
    EXPECT_TRUE(check_first_origin(with_key, "https://a.example:443").ok());
    const auto refused = check_first_origin(with_key, "https://b.example:443");
    ASSERT_FALSE(refused.ok());
    EXPECT_EQ(refused.error().reason, Reason::egress_denied);
}

}  // namespace
}  // namespace pg_pull::http
