#include "core/paging/paginator.h"

#include "core/paging/page_value.h"
#include "unit/request_support.h"

namespace pg_pull {
namespace {

using nlohmann::json;
using test::got;

std::string shown(const RequestOverlay& overlay) {
    std::string out = overlay.url.value_or("");
    for (const auto& [key, value] : overlay.query) out += (out.empty() ? "?" : "&") + key + "=" + value;
    for (const auto& [key, value] : overlay.headers) out += key + ": " + value;
    for (const auto& [path, value] : overlay.body) out += path.text + " := " + dump_body(value.to_json());
    return out.empty() ? "(first)" : out;
}

/// A server's side of a conversation with one paginator.
struct Conversation {
    std::unique_ptr<Paginator> paginator;
    std::string start;

    explicit Conversation(const json& config, const std::optional<std::string>& resume = std::nullopt) {
        auto made = make_paginator(got(parse_pagination(config)));
        EXPECT_TRUE(made.ok());
        paginator = std::move(made).value();
        const auto overlay = paginator->first(resume);
        start = overlay.ok() ? shown(*overlay) : "error: " + overlay.error().message;
    }
    Result<std::optional<RequestOverlay>> answer(std::string_view body, std::size_t records, std::string_view last = {},
                                                 const Headers& headers = {},
                                                 const char* url = "https://a.example/v1/items") const {
        const json envelope = body.empty() ? json() : json::parse(body);
        PageAnswer answer;
        answer.envelope = &envelope;
        answer.body = body;
        answer.records = records;
        answer.last_record = last;
        answer.headers = &headers;
        answer.effective_url = url;
        return paginator->next(answer);
    }
    std::string next(std::string_view body, std::size_t records, std::string_view last = {},
                     const Headers& headers = {}, const char* url = "https://a.example/v1/items") const {
        const auto overlay = answer(body, records, last, headers, url);
        if (!overlay.ok()) return std::string(info(overlay.error().reason).name);
        return *overlay ? shown(**overlay) : "(end)";
    }
};

TEST(PagePaginator, CountsUntilAShortOrEmptyPage) {
    const Conversation c({{"type", "page"}, {"size", 2}, {"size_param", "per_page"}});
    EXPECT_EQ(c.start, "?page=1&per_page=2");
    EXPECT_EQ(c.next("[1]", 2), "?page=2&per_page=2");
    EXPECT_EQ(c.next("[2]", 2), "?page=3&per_page=2");
    EXPECT_EQ(c.paginator->resume_token(), "3");
    EXPECT_EQ(c.next("[3]", 1), "(end)");
    const Conversation unsized({{"type", "page"}, {"param", "p"}, {"start", 0}});
    EXPECT_EQ(unsized.start, "?p=0");
    EXPECT_EQ(unsized.next("[1]", 5), "?p=1");
    EXPECT_EQ(unsized.next("[2]", 1), "?p=2");
    EXPECT_EQ(unsized.next("[]", 0), "(end)");
}

TEST(PagePaginator, StopsAtTheTotal) {
    const Conversation records({{"type", "page"}, {"size", 2}, {"total", "meta.total"}});
    EXPECT_EQ(records.next(R"({"meta":{"total":4},"x":1})", 2), "?page=2");
    EXPECT_EQ(records.next(R"({"meta":{"total":"4"},"x":2})", 2), "(end)");
    const Conversation pages({{"type", "page"}, {"total_pages", "pages"}});
    EXPECT_EQ(pages.next(R"({"pages":2,"x":1})", 9), "?page=2");
    EXPECT_EQ(pages.next(R"({"pages":2,"x":2})", 9), "(end)");
}

TEST(PagePaginator, GoesOnAfterAShortPageThatTheTotalContradicts) {
    // The server gives 100 a page whatever it is asked for: ending there would be a silent partial.
    const Conversation c({{"type", "offset"}, {"size", 1000}, {"total", "total"}});
    EXPECT_EQ(c.start, "?offset=0&limit=1000");
    EXPECT_EQ(c.next(R"({"total":250,"x":1})", 100), "?offset=100&limit=1000");
    EXPECT_EQ(c.next(R"({"total":250,"x":2})", 100), "?offset=200&limit=1000");
    EXPECT_EQ(c.next(R"({"total":250,"x":3})", 50), "(end)");
}

TEST(PagePaginator, SeesAServerThatIgnoresThePage) {
    const Conversation c({{"type", "page"}, {"size", 1}});
    EXPECT_EQ(c.next("[1]", 1), "?page=2");
    EXPECT_EQ(c.next("[2]", 1), "?page=3");
    EXPECT_EQ(c.next("[1]", 1), "pagination_loop") << "not only neighbours are compared";
}

TEST(PagePaginator, RefusesToStopSilentlyAtMaxPages) {
    const Conversation c({{"type", "page"}, {"size", 1}, {"max_pages", 2}});
    EXPECT_EQ(c.next("[1]", 1), "?page=2");
    EXPECT_EQ(c.next("[2]", 1), "too_many_pages");
    const Conversation fits({{"type", "page"}, {"size", 1}, {"max_pages", 2}});
    EXPECT_EQ(fits.next("[1]", 1), "?page=2");
    EXPECT_EQ(fits.next("[]", 0), "(end)");
}

TEST(PagePaginator, KnowsThePagesAhead) {
    const Conversation c({{"type", "page"}, {"size", 10}, {"total", "t"}, {"max_pages", 4}});
    EXPECT_TRUE(c.paginator->can_prefetch_ahead());
    EXPECT_EQ(shown(c.paginator->ahead(1).value()), "?page=2");
    EXPECT_EQ(shown(c.paginator->ahead(3).value()), "?page=4");
    EXPECT_FALSE(c.paginator->ahead(4)) << "max_pages";
    EXPECT_FALSE(c.paginator->ahead(0));
    const auto second = c.answer(R"({"t":25,"x":1})", 10);
    EXPECT_EQ(shown(**second), "?page=2");
    EXPECT_EQ(shown(c.paginator->ahead(1).value()), "?page=3");
    EXPECT_FALSE(c.paginator->ahead(2)) << "25 records are three pages";
    const Conversation offset({{"type", "offset"}, {"size", 10}});
    EXPECT_EQ(shown(offset.paginator->ahead(2).value()), "?offset=20&limit=10");
    const RequestOverlay fetched_ahead = offset.paginator->ahead(1).value();
    EXPECT_TRUE(fetched_ahead == *got(offset.answer("[1]", 10))) << "what came ahead is what next() asks for";
}

TEST(PagePaginator, IsTakenUpAgain) {
    const Conversation c({{"type", "page"}, {"size", 2}, {"total", "t"}}, "3");
    EXPECT_EQ(c.start, "?page=3");
    EXPECT_EQ(c.next(R"({"t":6})", 2), "(end)");
    EXPECT_EQ(Conversation({{"type", "page"}}, "x").start.substr(0, 6), "error:");
    EXPECT_EQ(Conversation({{"type", "offset"}, {"size", 5}, {"size_param", nullptr}}, "10").start, "?offset=10");
}

TEST(CursorPaginator, FollowsACursorInTheBody) {
    const Conversation c({{"type", "cursor"}, {"path", "next.cursor"}, {"param", "after"}});
    EXPECT_EQ(c.start, "(first)");
    EXPECT_FALSE(c.paginator->resume_token());
    EXPECT_EQ(c.next(R"({"next":{"cursor":"a b"}})", 1), "?after=a b");
    EXPECT_EQ(c.paginator->resume_token(), "t:a b");
    EXPECT_EQ(c.next(R"({"next":{"cursor":"c"}})", 0), "?after=c") << "an empty page with a cursor is not the end";
    for (const char* end : {R"({"next":{"cursor":null}})", R"({"next":{"cursor":""}})", R"({"next":{"cursor":false}})",
                            R"({"next":{}})", R"({})", R"({"next":null})", R"({"next":{"cursor":[]}})"})
        EXPECT_EQ(Conversation({{"type", "cursor"}, {"path", "next.cursor"}, {"param", "after"}}).next(end, 1), "(end)")
            << end;
}

TEST(CursorPaginator, KeepsTheDigitsOfNumbers) {
    const json config = {{"type", "cursor"}, {"path", "c"}, {"param", "after"}};
    for (const char* number : {"1.10", "18446744073709551615", "9007199254740993",
                               "1234567890123456789012345678901234567890", "1e3", "-0.50", "0"})
        EXPECT_EQ(Conversation(config).next("{\"c\": " + std::string(number) + "}", 1),
                  "?after=" + std::string(number));
    const Conversation body({{"type", "cursor"}, {"path", "c"}, {"body", "page.after"}});
    EXPECT_EQ(body.next(R"({"c": 1.10})", 1), "page.after := 1.10");
    EXPECT_EQ(body.next(R"({"c": "x\"y"})", 1), "page.after := \"x\\\"y\"");
    EXPECT_EQ(body.next(R"({"c": ["k", 5]})", 1), "page.after := [\"k\",5]");
    EXPECT_EQ(body.paginator->resume_token(), "j:[\"k\",5]");
    EXPECT_EQ(Conversation({{"type", "cursor"}, {"path", "c"}, {"body", "a"}}, "n:1.10").start, "a := 1.10");
}

TEST(CursorPaginator, KnowsHasMoreHeadersAndInitialValues) {
    const json more = {{"type", "cursor"}, {"path", "c"}, {"param", "p"}, {"has_more", "more"}};
    EXPECT_EQ(Conversation(more).next(R"({"c":"x","more":true})", 1), "?p=x");
    for (const char* no : {"false", "0", "\"false\"", "null", "\"\""})
        EXPECT_EQ(Conversation(more).next(R"({"c":"x","more":)" + std::string(no) + "}", 1), "(end)") << no;
    EXPECT_EQ(Conversation(more).next(R"({"more":true})", 1), "(end)");
    EXPECT_EQ(Conversation(more).next(R"({"c":"x"})", 1), "?p=x");
    const Conversation header(
        {{"type", "cursor"}, {"header", "X-Next"}, {"send_header", "X-Cursor"}, {"initial", "*"}});
    EXPECT_EQ(header.start, "X-Cursor: *");
    EXPECT_EQ(header.next("", 1, "", {{"x-next", "n"}}), "X-Cursor: n");
    EXPECT_EQ(header.next("", 1, "", {{"x-next", ""}}), "(end)");
    EXPECT_EQ(Conversation({{"type", "cursor"}, {"path", "c"}, {"body", "b"}, {"initial", 0}}).start, "b := 0");
}

TEST(CursorPaginator, SeesLoops) {
    const json config = {{"type", "cursor"}, {"path", "c"}, {"param", "p"}, {"initial", "i"}};
    const Conversation c(config);
    EXPECT_EQ(c.next(R"({"c":"a"})", 1), "?p=a");
    EXPECT_EQ(c.next(R"({"c":"b"})", 1), "?p=b");
    EXPECT_EQ(c.next(R"({"c":"a"})", 1), "pagination_loop");
    EXPECT_EQ(Conversation(config).next(R"({"c":"i"})", 1), "pagination_loop") << "back to the initial value";
}

TEST(UrlPaginator, FollowsTheNextAddress) {
    const Conversation c({{"type", "next_url"}, {"path", "links.next"}});
    EXPECT_EQ(c.start, "(first)");
    EXPECT_EQ(c.next(R"({"links":{"next":"?page=2"}})", 1), "https://a.example/v1/items?page=2");
    EXPECT_EQ(c.next(R"({"links":{"next":"https://b.example/x"}})", 1), "https://b.example/x")
        << "judged by the caller";
    EXPECT_EQ(c.next(R"({"links":{"next":"/y"}})", 1, "", {}, "https://b.example/x"), "https://b.example/y");
    EXPECT_EQ(c.paginator->resume_token(), "https://b.example/y");
    EXPECT_EQ(c.next(R"({"links":{"next":"https://a.example/v1/items?page=2#x"}})", 1), "pagination_loop");
    for (const char* end :
         {R"({"links":{"next":null}})", R"({"links":{"next":""}})", R"({"links":{"next":false}})", R"({})"})
        EXPECT_EQ(Conversation({{"type", "next_url"}, {"path", "links.next"}}).next(end, 1), "(end)");
    EXPECT_EQ(Conversation({{"type", "next_url"}, {"path", "n"}}).next(R"({"n":"file:///etc/passwd"})", 1),
              "upstream_not_ok");
    EXPECT_EQ(Conversation({{"type", "next_url"}, {"path", "n"}}).next(R"({"n":5})", 1), "upstream_not_ok");
    EXPECT_EQ(Conversation({{"type", "next_url"}, {"path", "n"}}).next(R"({"n":"/v1/items"})", 1), "pagination_loop")
        << "the first page";
    EXPECT_EQ(Conversation({{"type", "next_url"}, {"header", "X-Next"}}).next("", 1, "", {{"x-next", "/z"}}),
              "https://a.example/z");
    EXPECT_EQ(Conversation({{"type", "next_url"}, {"path", "n"}}, "https://a.example/7").start, "https://a.example/7");
}

TEST(UrlPaginator, FollowsLinkHeaders) {
    const Conversation c(json{{"type", "link_header"}});
    EXPECT_EQ(c.next("[]", 1, "", {{"link", "<https://a.example/?p=1>; rel=first, <?p=2>; rel=\"next\""}}),
              "https://a.example/v1/items?p=2");
    EXPECT_EQ(c.next("[]", 1, "", {{"link", "<?p=1>; rel=first"}}), "(end)");
    EXPECT_EQ(
        Conversation({{"type", "link_header"}, {"rel", "older"}}).next("[]", 1, "", {{"link", "</o>; rel=older"}}),
        "https://a.example/o");
}

TEST(KeysetPaginator, GoesOnBehindTheLastRecord) {
    const Conversation c(
        {{"type", "keyset"}, {"field", "meta.id"}, {"param", "since"}, {"size", 2}, {"size_param", "limit"}});
    EXPECT_EQ(c.start, "?limit=2");
    EXPECT_EQ(c.next("[]", 2, R"({"meta":{"id":12345678901234567890123}})"), "?since=12345678901234567890123&limit=2");
    EXPECT_EQ(c.next("[]", 2, R"({"meta":{"id":1.10}})"), "?since=1.10&limit=2");
    EXPECT_EQ(c.paginator->resume_token(), "1.10");
    EXPECT_EQ(c.next("[]", 1, R"({"meta":{"id":3}})"), "(end)");
    const Conversation unsized({{"type", "keyset"}, {"field", "id"}, {"param", "since"}});
    EXPECT_EQ(unsized.next("[]", 1, R"({"id":"b"})"), "?since=b");
    EXPECT_EQ(unsized.next("[]", 1, R"({"id":"b"})"), "pagination_loop");
    EXPECT_EQ(Conversation({{"type", "keyset"}, {"field", "id"}, {"param", "since"}}).next("[]", 1, "{}"),
              "invalid_configuration");
    EXPECT_EQ(Conversation({{"type", "keyset"}, {"field", "id"}, {"param", "since"}}).next("[]", 0), "(end)");
}

TEST(SinglePage, IsTheOnlyOne) {
    const Conversation c(json{{"type", "none"}});
    EXPECT_EQ(c.start, "(first)");
    EXPECT_EQ(c.next(R"({"next":"x"})", 5), "(end)");
}

TEST(PaginationConfig, NamesTheKeyThatIsWrong) {
    const struct {
        const char* config;
        const char* message;
    } cases[] = {
        {R"({})", "pagination \"type\" is missing"},
        {R"({"type": "pages"})", "pagination \"type\" cannot be \"pages\""},
        {R"({"type": "none", "size": 1})", "pagination has no key \"size\""},
        {R"({"type": "page", "size_param": "n"})", "pagination \"size\" is missing"},
        {R"({"type": "page", "size": 0})", "pagination \"size\" must be an integer from 1 to 1000000"},
        {R"({"type": "offset"})", "pagination \"size\" is missing"},
        {R"({"type": "cursor", "param": "x"})", "pagination needs one of \"path\", \"header\""},
        {R"({"type": "cursor", "path": "x"})", "pagination needs one of \"param\", \"send_header\", \"body\""},
        {R"({"type": "cursor", "path": "x", "header": "y", "param": "z"})",
         "pagination can have only one of \"path\", \"header\""},
        {R"({"type": "cursor", "path": "x", "body": "a.*.b"})", "pagination \"body\" cannot hold \"*\""},
        {R"({"type": "cursor", "path": "x", "send_header": "a b"})", "pagination \"send_header\" is not a header name"},
        {R"({"type": "next_url"})", "pagination needs one of \"path\", \"header\""},
        {R"({"type": "keyset", "param": "x"})", "pagination \"field\" is missing"},
        {R"({"type": "relay"})", "pagination \"path\" is missing"},
        {R"({"type": "page", "max_pages": 0})", "pagination \"max_pages\" must be an integer from 1 to 1000000000"},
    };
    for (const auto& c : cases)
        EXPECT_EQ(test::message_of(parse_pagination(json::parse(c.config))), c.message) << c.config;
    for (const char* config : {R"({"type": "odata"})", R"({"type": "relay", "path": "data.items"})"}) {
        const auto made = make_paginator(got(parse_pagination(json::parse(config))));
        ASSERT_FALSE(made.ok());
        EXPECT_EQ(made.error().code(), "0A000");
    }
}

TEST(ExactNumber, IsFoundInTheText) {
    const auto found = [](const char* text, const char* path) {
        return exact_number(text, got(parse_path(path))).value_or("(none)");
    };
    EXPECT_EQ(found(R"({"a": [{"b": 1.10}, 2]})", "a.0.b"), "1.10");
    EXPECT_EQ(found(R"( {"x": "{\"a\":1}", "a" : 2.0 })", "a"), "2.0");
    EXPECT_EQ(found(R"({"a": 1.0, "a": 2.0})", "a"), "2.0");
    EXPECT_EQ(found("\xEF\xBB\xBF{\"\\u0061\": 3.0}", "a"), "3.0");
    EXPECT_EQ(found(R"({"a": "1.0"})", "a"), "(none)");
    EXPECT_EQ(found(R"({"a": 1.0})", "b"), "(none)");
    EXPECT_EQ(found(R"({"a": )", "a"), "(none)");
    EXPECT_EQ(found("", "a"), "(none)");
}

}  // namespace
}  // namespace pg_pull
