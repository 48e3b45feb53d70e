#include "core/base/url.h"

#include "unit/request_support.h"

namespace pg_pull {
namespace {

std::string text_of(const Result<Url>& url) { return url.ok() ? url->to_string() : "error: " + url.error().message; }

TEST(Url, NormalisesWhatItReads) {
    const struct {
        const char* text;
        const char* wanted;
        const char* origin;
    } cases[] = {
        {"HTTPS://API.Example.COM", "https://api.example.com/", "https://api.example.com:443"},
        {"http://a.example:80/x", "http://a.example/x", "http://a.example:80"},
        {"https://a.example:8443/x/../y/./z?q=1#f", "https://a.example:8443/y/z?q=1", "https://a.example:8443"},
        {"http://[2001:DB8::0:1]:80/", "http://[2001:db8::1]/", "http://[2001:db8::1]:80"},
        {"https://a.example?q", "https://a.example/?q", "https://a.example:443"},
        {"https://a.example/a b/é?x=\"|\"", "https://a.example/a%20b/%C3%A9?x=%22%7C%22", "https://a.example:443"},
        {"https://a.example/%7euser/%2F?sig=a%2bb", "https://a.example/%7euser/%2F?sig=a%2bb", "https://a.example:443"},
        {"https://a.example/x/%2e%2E/y", "https://a.example/y", "https://a.example:443"},
        {"https://a.example/../../x", "https://a.example/x", "https://a.example:443"},
        {"https://a.example/x/..", "https://a.example/", "https://a.example:443"},
        {"https://a.example/100%", "https://a.example/100%25", "https://a.example:443"},
        {"https://a.example/f?filter[a]=1&filter[b]=2", "https://a.example/f?filter[a]=1&filter[b]=2",
         "https://a.example:443"},
        {"https://a.example//x//y/", "https://a.example//x//y/", "https://a.example:443"},
    };
    for (const auto& c : cases) {
        const auto url = parse_url(c.text);
        EXPECT_EQ(text_of(url), c.wanted);
        EXPECT_EQ(url.ok() ? url->origin() : "", c.origin);
    }
}

TEST(Url, RefusesWhatCouldDeceive) {
    for (const char* text : {"",
                             "a.example",
                             "/x",
                             "//a.example/x",
                             "ftp://a.example",
                             "file:///etc/passwd",
                             "javascript:alert(1)",
                             "https:/a.example",
                             "https:a.example",
                             "https://",
                             "https:///x",
                             "https://user@a.example",
                             "https://user:pw@a.example/",
                             "https://a.example\\@b.example",
                             "https://a.example\\x",
                             "https://a.example/x\n",
                             "https://a.exa\tmple/",
                             "https://a..example/",
                             "https://.example/",
                             "https://a example/",
                             "https://a%2eexample/",
                             "https://bücher.example/",
                             "https://a.example:0/",
                             "https://a.example:65536/",
                             "https://a.example:8a/",
                             "https://a.example:-1/",
                             "https://[::1",
                             "https://[::1%25eth0]/",
                             "https://[1.2.3.4]/",
                             "https://[]/",
                             "https://::1/",
                             "https://a.example:80:80/",
                             " https://a.example/"})
        EXPECT_EQ(test::reason_of(parse_url(text)), Reason::invalid_configuration) << text;
    EXPECT_FALSE(parse_url(std::string("https://a.example/\0x", 20)).ok());
    EXPECT_FALSE(parse_url("https://a.example/" + std::string(70'000, 'x')).ok());
}

// RFC 3986 section 5.4, for an http base.
TEST(Url, ResolvesReferences) {
    const Url base = test::got(parse_url("http://a/b/c/d;p?q"));
    const struct {
        const char* reference;
        const char* wanted;
    } cases[] = {
        {"g", "http://a/b/c/g"},
        {"./g", "http://a/b/c/g"},
        {"g/", "http://a/b/c/g/"},
        {"/g", "http://a/g"},
        {"//g", "http://g/"},
        {"?y", "http://a/b/c/d;p?y"},
        {"g?y", "http://a/b/c/g?y"},
        {"#s", "http://a/b/c/d;p?q"},
        {"g#s", "http://a/b/c/g"},
        {";x", "http://a/b/c/;x"},
        {"", "http://a/b/c/d;p?q"},
        {".", "http://a/b/c/"},
        {"..", "http://a/b/"},
        {"../g", "http://a/b/g"},
        {"../../g", "http://a/g"},
        {"../../../g", "http://a/g"},
        {"g;x=1/../y", "http://a/b/c/y"},
        {"g?y/./x", "http://a/b/c/g?y/./x"},
        {"https://b.example/x", "https://b.example/x"},
        {"a:b", "error: the URL is neither http nor https"},
        {"\\\\evil.example", "error: the URL holds a backslash"},
    };
    for (const auto& c : cases) EXPECT_EQ(text_of(resolve(base, c.reference)), c.wanted) << c.reference;
}

TEST(Url, SetsAddsAndRemovesQueryParameters) {
    Url url = test::got(parse_url("https://a.example/?a=1&b=%20&a=2&sig=x%2by"));
    set_query_parameter(url, "a", "n&w");
    EXPECT_EQ(url.query, "a=n%26w&b=%20&sig=x%2by");
    add_query_parameter(url, "c", "é");
    add_query_parameter(url, "c", "2");
    EXPECT_TRUE(remove_query_parameter(url, "b"));
    EXPECT_FALSE(remove_query_parameter(url, "zz"));
    EXPECT_EQ(url.query, "a=n%26w&sig=x%2by&c=%C3%A9&c=2");
    EXPECT_EQ(query_parameters(url), (QueryPairs{{"a", "n&w"}, {"sig", "x+y"}, {"c", "é"}, {"c", "2"}}));
    Url bare = test::got(parse_url("https://a.example/"));
    set_query_parameter(bare, "k", "");
    EXPECT_EQ(bare.to_string(), "https://a.example/?k=");
    remove_query_parameter(bare, "k");
    EXPECT_EQ(bare.to_string(), "https://a.example/");
}

TEST(Url, EncodesForEachPlace) {
    EXPECT_EQ(percent_encode("a b/c?d&e=f+g~é"), "a%20b%2Fc%3Fd%26e%3Df%2Bg~%C3%A9");
    EXPECT_EQ(form_encode("a b+c&d"), "a+b%2Bc%26d");
    EXPECT_EQ(percent_decode("a%20b%2", false), "a b%2");
    EXPECT_EQ(percent_decode("a+b%zz", true), "a b%zz");
    std::string all;
    for (int c = 0; c < 256; ++c) all.push_back(static_cast<char>(c));
    EXPECT_EQ(percent_decode(percent_encode(all)), all);
    EXPECT_EQ(percent_decode(form_encode(all), true), all);
}

}  // namespace
}  // namespace pg_pull
