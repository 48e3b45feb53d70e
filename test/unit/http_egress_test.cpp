#include "source/http/egress.h"

#include <gtest/gtest.h>
#include <netdb.h>
#include <sys/socket.h>

namespace pg_pull::http {
namespace {

AllowedHosts allowed(std::string_view text) {
    auto parsed = AllowedHosts::parse(text);
    EXPECT_TRUE(parsed.ok()) << text;
    return parsed.value();
}

bool lets(std::string_view list, std::string_view host, std::string_view address, bool private_allowed = false) {
    return !deny_reason(allowed(list), host, Address::parse(address).value(), private_allowed);
}

/// As a resolver would give it: the odd spellings of IPv4 included.
Address resolved(const char* text) {
    addrinfo hints{};
    hints.ai_flags = AI_NUMERICHOST;
    addrinfo* found = nullptr;
    EXPECT_EQ(getaddrinfo(text, nullptr, &hints, &found), 0) << text;
    const Address address = Address::of(found->ai_addr, found->ai_addrlen).value();
    freeaddrinfo(found);
    return address;
}

TEST(Egress, PublicAddressesNeedNoEntry) {
    EXPECT_TRUE(lets("", "api.example.com", "93.184.216.34"));
    EXPECT_TRUE(lets("", "api.example.com", "2606:2800:220:1::1"));
    EXPECT_TRUE(lets(" * ", "api.example.com", "93.184.216.34"));
}

TEST(Egress, LocalAddressesNeedAnEntryOrASuperusersConnector) {
    for (const char* address : {"127.0.0.1", "127.255.0.9", "10.0.0.1", "172.16.0.1", "172.31.255.255", "192.168.1.1",
                                "100.64.0.1", "198.18.0.1", "::1", "fc00::1", "fd12:3456::1", "fec0::1"}) {
        EXPECT_FALSE(lets("", "h.example", address)) << address;
        EXPECT_FALSE(lets("*", "h.example", address)) << address;
        EXPECT_TRUE(lets("", "h.example", address, true)) << address;
        EXPECT_TRUE(lets("h.example", "h.example", address)) << address;
        EXPECT_TRUE(lets("*.example", "h.example", address)) << address;
        EXPECT_TRUE(lets(address, "h.example", address)) << address;
    }
    EXPECT_TRUE(lets("", "h.example", "172.32.0.1"));
    EXPECT_TRUE(lets("", "h.example", "100.128.0.1"));
}

TEST(Egress, SpecialAddressesNeedAnEntryOfTheAddressWhoeverAsks) {
    for (const char* address :
         {"169.254.169.254", "169.254.0.1", "100.100.100.200", "168.63.129.16", "192.0.0.192", "0.0.0.0", "0.1.2.3",
          "224.0.0.1", "239.255.255.255", "255.255.255.255", "240.0.0.1", "fe80::1", "febf::1", "fd00:ec2::254",
          "fd20:ce::254", "::", "ff02::1", "2001:db8::1", "2001:0:1:2::3"}) {
        EXPECT_FALSE(lets("", "h.example", address, true)) << address;
        EXPECT_FALSE(lets("h.example, *.example, *", "h.example", address, true)) << address;
        EXPECT_TRUE(lets(address, "h.example", address)) << address;
    }
}

TEST(Egress, EmbeddedIpv4IsJudgedAsItself) {
    for (const char* prefix : {"::ffff:", "64:ff9b::", "64:ff9b:1::", "::ffff:0:"}) {
        const std::string local = std::string(prefix) + "10.0.0.1", special = std::string(prefix) + "169.254.169.254";
        EXPECT_FALSE(lets("", "h.example", local)) << local;
        EXPECT_TRUE(lets("", "h.example", local, true)) << local;
        EXPECT_FALSE(lets("", "h.example", special, true)) << special;
        EXPECT_TRUE(lets("", "h.example", std::string(prefix) + "93.184.216.34")) << prefix;
    }
    EXPECT_FALSE(lets("", "h.example", "2002:a9fe:a9fe::1", true));  // 6to4 of 169.254.169.254
    EXPECT_FALSE(lets("", "h.example", "2002:7f00:1::"));            // of 127.0.0.1
    EXPECT_TRUE(lets("", "h.example", "2002:5db8:d822::1"));
    EXPECT_FALSE(lets("", "h.example", "64:ff9b:1:a9fe:00a9:fe00::", true));  // RFC 6052 with a /48 prefix
    EXPECT_FALSE(lets("", "h.example", "::7f00:1"));                          // compatible form of 127.0.0.1
    EXPECT_TRUE(lets("10.0.0.0/8", "h.example", "::ffff:10.0.0.1"));
    EXPECT_TRUE(lets("10.0.0.0/8", "h.example", "64:ff9b::10.0.0.1"));
}

TEST(Egress, OddSpellingsEndAtTheSameAddress) {
    for (const char* text : {"2852039166", "0xa9fea9fe", "0251.0376.0251.0376", "169.16689662", "0xa9.254.0251.254"})
        EXPECT_EQ(resolved(text).to_string(), "169.254.169.254") << text;
    for (const char* text : {"127.1", "0x7f000001", "2130706433", "017700000001", "0"})
        EXPECT_TRUE(deny_reason(allowed(""), text, resolved(text), false)) << text;
}

TEST(Egress, AListIsAListOfAllThatIsAllowed) {
    EXPECT_TRUE(lets("api.example.com", "api.example.com", "93.184.216.34"));
    EXPECT_FALSE(lets("api.example.com", "evil.example.com", "93.184.216.34", true));
    EXPECT_FALSE(lets("api.example.com", "api.example.com.evil.net", "93.184.216.34"));
    EXPECT_TRUE(lets("api.example.com, *", "evil.example.com", "93.184.216.34"));
    EXPECT_TRUE(lets("93.184.0.0/16", "any.example", "93.184.216.34"));
}

TEST(Egress, StarCoversHostsBelowAndNotTheHostItself) {
    EXPECT_TRUE(lets("*.example.com", "a.b.example.com", "10.0.0.1"));
    EXPECT_FALSE(lets("*.example.com", "example.com", "10.0.0.1"));
    EXPECT_FALSE(lets("*.example.com", "badexample.com", "10.0.0.1"));
    EXPECT_TRUE(lets("API.Example.com.", "api.example.com", "10.0.0.1"));
    EXPECT_TRUE(lets("api.example.com", "api.example.com.", "10.0.0.1"));
}

TEST(Egress, NetworksKeepTheirBorders) {
    EXPECT_TRUE(lets("10.1.0.0/20", "h.example", "10.1.15.255"));
    EXPECT_FALSE(lets("10.1.0.0/20", "h.example", "10.1.16.0"));
    EXPECT_TRUE(lets("fd00::/9", "h.example", "fd7f::1"));
    EXPECT_FALSE(lets("fd00::/9", "h.example", "fd80::1"));
    EXPECT_TRUE(lets("[::1]", "[::1]", "::1"));
    EXPECT_TRUE(lets("0.0.0.0/0", "h.example", "169.254.169.254"));
}

TEST(Egress, WrongEntriesAreNamed) {
    for (const char* text : {"10.0.0.0/33", "http://x.example", "a..b", "10.0.0", "ex*mple.com", "::1/129",
                             "x.example:443", "10.0.0.0/", ".example"}) {
        const auto parsed = AllowedHosts::parse(text);
        ASSERT_FALSE(parsed.ok()) << text;
        EXPECT_EQ(parsed.error().reason, Reason::invalid_configuration);
        EXPECT_NE(parsed.error().message.find(text), std::string::npos);
    }
}

TEST(Egress, TheErrorNamesHostAddressAndSetting) {
    const Error error = egress_error("api.example.com", Address::parse("10.0.0.7").value(), "private or loopback");
    EXPECT_EQ(error.reason, Reason::egress_denied);
    EXPECT_EQ(error.message, "connection to host \"api.example.com\" at address 10.0.0.7 is not allowed");
    EXPECT_EQ(error.hint, "A superuser can add api.example.com or 10.0.0.7 to pg_pull.allowed_hosts.");
    EXPECT_EQ(egress_error("[::1]", Address::parse("::1").value(), "private or loopback").hint,
              "A superuser can add ::1 to pg_pull.allowed_hosts.");
}

}  // namespace
}  // namespace pg_pull::http
