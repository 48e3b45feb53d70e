#include <gtest/gtest.h>

#include "core/request/stored_request.h"

namespace pg_pull {
namespace {

TEST(StoredRequest, KeepsAllThatIsSent) {
    HttpRequest request;
    request.method = "POST";
    request.url = "https://idp.example/revoke?a=b";
    request.headers = {{"Accept", "application/json"}};
    request.credential_headers = {{"Authorization", "Basic eDp5"}};
    request.credential_in_url_or_body = true;
    request.credential_origins = {"https://idp.example:443"};
    request.body = "token=t";
    request.tls.ca = "ca";
    request.tls.client_cert = Secret("cert");
    request.tls.client_key = Secret("key");
    request.max_redirects = 0;
    request.private_addresses_allowed = true;
    const auto kept = unpack_requests(pack_requests({request, HttpRequest{}}));
    ASSERT_TRUE(kept.ok());
    ASSERT_EQ(kept->size(), 2U);
    const HttpRequest& again = kept->front();
    EXPECT_EQ(again.method, request.method);
    EXPECT_EQ(again.url, request.url);
    EXPECT_EQ(again.headers, request.headers);
    EXPECT_EQ(again.credential_headers, request.credential_headers);
    EXPECT_TRUE(again.credential_in_url_or_body);
    EXPECT_EQ(again.credential_origins, request.credential_origins);
    EXPECT_EQ(again.body, request.body);
    EXPECT_EQ(again.tls.ca, request.tls.ca);
    EXPECT_EQ(again.tls.client_cert.reveal(), "cert");
    EXPECT_EQ(again.tls.client_key.reveal(), "key");
    EXPECT_EQ(again.max_redirects, 0);
    EXPECT_TRUE(again.private_addresses_allowed);
}

TEST(StoredRequest, RefusesWhatIsNone) {
    EXPECT_FALSE(unpack_requests(Secret("[{}]")).ok());
    EXPECT_FALSE(unpack_requests(Secret("nonsense")).ok());
}

}  // namespace
}  // namespace pg_pull
