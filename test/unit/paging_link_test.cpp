#include "core/paging/link_header.h"

#include "unit/request_support.h"

namespace pg_pull {
namespace {

TEST(LinkHeader, FindsARelation) {
    const struct {
        const char* value;
        const char* wanted;
    } cases[] = {
        {"<https://a/?page=2>; rel=\"next\"", "https://a/?page=2"},
        {"<https://a/?page=2>; rel=next", "https://a/?page=2"},
        {"<https://a/1>; rel=\"prev\", <https://a/3>; rel=\"next\"", "https://a/3"},
        {"<https://a/1>;rel=prev,<https://a/3>;rel=next", "https://a/3"},
        {"<https://a/9>; rel=\"last next\"", "https://a/9"},
        {"<https://a/9>; REL=\"Next\"", "https://a/9"},
        {"</x?a=1,2&b=<3>; rel=\"next\"", "/x?a=1,2&b=<3"},
        {"<?page=2>; title=\"a, <b>; rel=next\"; rel=\"next\"", "?page=2"},
        {"<a>; title=\"q\\\"; rel=next\"; rel=prev, <b>; rel=next", "b"},
        {"<a>; rel=prev; rel=next", "(none)"},
        {"<a>; anchor=\"#x\"; rel=next", "(none)"},
        {"< a >; rel = \"next\" ; x", "a"},
        {"<a>", "(none)"},
        {"", "(none)"},
        {"<a", "(none)"},
        {"garbage, <a>; rel=next", "a"},
        {"\"<x>; rel=next\", <a>; rel=next", "a"},
        {"<a>; rel=\"next", "a"},
        {"<a>;;; rel=next", "a"},
        {"<a>; =; rel=next", "a"},
    };
    for (const auto& c : cases)
        EXPECT_EQ(find_link({{"link", c.value}}, "next").value_or("(none)"), c.wanted) << c.value;
}

TEST(LinkHeader, LooksThroughAllHeaders) {
    const Headers headers{{"link", "<p>; rel=prev"}, {"x", "<n>; rel=next"}, {"Link", "<n2>; rel=\"NEXT\""}};
    EXPECT_EQ(find_link(headers, "next"), "n2");
    EXPECT_EQ(find_link(headers, "https://example.com/rel"), std::nullopt);
    EXPECT_EQ(parse_links("<a>; rel=\"x  y\", <b>; rel=z").size(), 2u);
}

}  // namespace
}  // namespace pg_pull
