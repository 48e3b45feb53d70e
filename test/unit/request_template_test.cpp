#include "core/request/template.h"

#include "unit/request_support.h"

namespace pg_pull {
namespace {

using test::Context;

std::string rendered(const char* text, Place place = Place::text) {
    const Context context;
    const auto compiled = Template::compile(text, "source \"x\"");
    if (!compiled.ok()) return "refused: " + compiled.error().message;
    const auto result = compiled->render(context.values, place);
    if (!result.ok()) return "error: " + result.error().message;
    return *result ? (*result)->text : "(omitted)";
}

TEST(Template, FillsInValues) {
    const struct {
        const char* text;
        const char* wanted;
    } cases[] = {
        {"", ""},
        {"plain $x {y} }", "plain $x {y} }"},
        {"a${connection.subdomain}b", "aacmeb"},
        {"${ connection.count }", "42"},
        {"${connection.flag}", "true"},
        {"${connection.list}", "[\"x\",\"y\"]"},
        {"${connection.list.1}", "y"},
        {"${connection.absent || connection.nothing || 'x''y'}", "x'y"},
        {"${connection.absent||'}'}", "}"},
        {"${'${'}", "${"},
        {"${connection.empty || 'x'}", ""},
        {"${connection.absent}", "(omitted)"},
        {"${connection.nothing}", "(omitted)"},
        {"${upper(connection.absent)}", "(omitted)"},
        {"${upper(connection.absent) || 'none'}", "none"},
        {"a${connection.absent}", "error: source \"x\" has no value for \"${connection.absent}\""},
        {"${headers.X-Next}", "n1"},
        {"${token.access_token}", "tok"},
        {"${now}", "2024-05-01T10:20:30Z"},
        {"${uuid()}", "11111111-2222-4333-8444-555555555555"},
        {"${parent.id}/${parent.id}", "7/7"},
    };
    for (const auto& c : cases) EXPECT_EQ(rendered(c.text), c.wanted) << c.text;
}

TEST(Template, KnowsItsFunctions) {
    const struct {
        const char* text;
        const char* wanted;
    } cases[] = {
        {"${base64('a:b')}", "YTpi"},
        {"${base64url('?>?')}", "Pz4_"},
        {"${urlencode('a b/')}", "a%20b%2F"},
        {"${json('a\"b')}", "\"a\\\"b\""},
        {"${json(connection.count)}", "42"},
        {"${lower('AbÄ')}${upper('aB')}", "abÄAB"},
        {"${sha256('abc')}", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"},
        {"${base64(sha256('abc'))}", "ungWv48Bz+pBQUDeXa4iI7ADYaOWF3qctBD/YfIAFa0="},
        {"${hmac_sha256('what do ya want for nothing?', 'Jefe')}",
         "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"},
        {"${date(now, 'YYYY-MM-DD')}", "2024-05-01"},
        {"${date(now, 'iso_date')}", "2024-05-01"},
        {"${date(watermark, 'epoch')}", "1714435200"},
        {"${epoch(now)}", "1714558830"},
        {"${epoch_ms(now)}", "1714558830456"},
        {"${add(now, '-P1D')}", "2024-04-30T10:20:30Z"},
        {"${add(watermark, 'PT1H')}", "2024-04-30T01:00:00+00:00"},
        {"${epoch(add(now, 'P1M'))}", "1717237230"},
        {"${add('1714558830', 'PT10S')}", "1714558840"},
        {"${add('1714558830456', 'PT10S')}", "1714558840456"},
        {"${date('1714558830', 'YYYY')}", "2024"},
        {"${epoch(connection.subdomain)}", "error: source \"x\": a value is not a time"},
    };
    for (const auto& c : cases) EXPECT_EQ(rendered(c.text), c.wanted) << c.text;
}

TEST(Template, RefusesAtCompilation) {
    const struct {
        const char* text;
        const char* message;
    } cases[] = {
        {"${", "has a \"${\" without its \"}\""},
        {"${connection.a", "has a \"${\" without its \"}\""},
        {"${'abc}", "has a text without its closing quote"},
        {"${}", "has an unexpected \"}\" within \"${…}\""},
        {"${a || }", "uses the unknown name \"a\""},
        {"${conection.x}", "uses the unknown name \"conection\""},
        {"${connection}", "uses \"connection\" without naming a part of it"},
        {"${now.x}", "uses \"now\", which has no parts"},
        {"${credential.x}", "uses the unknown name \"credential.x\""},
        {"${window.middle}", "uses the unknown name \"window.middle\""},
        {"${window.start.x}", "uses the unknown name \"window.start\""},
        {"${eval('x')}", "uses the unknown function \"eval\""},
        {"${base64()}", "calls base64 with 0 arguments instead of 1"},
        {"${date(now)}", "calls date with 1 arguments instead of 2"},
        {"${date(now, 'hello')}", "holds a wrong argument: \"hello\" is no time format"},
        {"${add(now, '5 days')}", "holds a wrong argument: \"5 days\" is not an ISO 8601 duration"},
        {"${now ü}", "has an unexpected \"ü\" within \"${…}\""},
        {"${base64('x'}", "has an unexpected \"}\" within \"${…}\""},
    };
    for (const auto& c : cases)
        EXPECT_EQ(rendered(c.text), std::string("refused: source \"x\" ") + c.message) << c.text;
    EXPECT_NE(Template::compile("${foo.x}", "x").error().hint.find("connection"), std::string::npos);
    EXPECT_NE(Template::compile("${foo(now)}", "x").error().hint.find("hmac_sha256"), std::string::npos);
    std::string deep = "${";
    for (int i = 0; i < 10'000; ++i) deep += "base64(";
    EXPECT_FALSE(Template::compile(deep, "x").ok());
}

TEST(Template, EncodesForThePlace) {
    const struct {
        const char* text;
        Place place;
        const char* wanted;
    } cases[] = {
        {"/a/${connection.name}/b", Place::path, "/a/a%20b%26c%3Dd%2F%C3%A9/b"},
        {"/a?n=${connection.name}", Place::path, "/a?n=a%20b%26c%3Dd%2F%C3%A9"},
        {"n=${connection.name}", Place::form, "n=a+b%26c%3Dd%2F%C3%A9"},
        {"{\"n\": \"${connection.line}\"}", Place::json_string, "{\"n\": \"a\\r\\nX-Evil: 1\"}"},
        {"${connection.name}", Place::query, "a b&c=d/é"},
        {"x ${connection.subdomain}", Place::header, "x acme"},
        {"x ${connection.line}", Place::header, "error: source \"x\" would hold a line break or control character"},
        {"https://${connection.subdomain}.example.com/${connection.subdomain}", Place::url,
         "https://acme.example.com/acme"},
        {"https://${connection.host}.example.com/", Place::url,
         "error: source \"x\" has a value for \"${connection.host}\" that cannot stand in a host name"},
        {"${token.instance_url}/services/${connection.name}", Place::url,
         "https://eu1.example.com/services/a%20b%26c%3Dd%2F%C3%A9"},
    };
    for (const auto& c : cases) EXPECT_EQ(rendered(c.text, c.place), c.wanted) << c.text;
}

TEST(Template, RefusesDotsAsAPathSegment) {
    const char* const problem = "error: source \"x\" would hold \".\" or \"..\" as a path segment";
    for (const char* text : {"/a/${connection.dots}/b", "/a/${connection.dots}", "${connection.dots}", "/a/.${'.'}",
                             "/a/%2E${'.'}", "/a/${'.'}${'.'}/x", "/a/${connection.dots}?x=1"})
        EXPECT_EQ(rendered(text, Place::path), problem) << text;
    EXPECT_EQ(rendered("/a/${connection.dots}.json", Place::path), "/a/...json");
    EXPECT_EQ(rendered("/a?x=${connection.dots}", Place::path), "/a?x=..");
    EXPECT_EQ(rendered("https://a.example/${connection.dots}", Place::url), problem);
}

TEST(Template, KnowsWhetherACredentialWentIn) {
    const Context context;
    const struct {
        const char* text;
        bool secret;
    } cases[] = {{"${credential}", true},
                 {"Bearer ${credential}", true},
                 {"${base64(credential)}", true},
                 {"${connection.absent || credential}", true},
                 {"${hmac_sha256(now, credential)}", true},
                 {"${json(lower(token.access_token))}", true},
                 {"${connection.subdomain || credential}", false},
                 {"${token.instance_url}", false}};
    for (const auto& c : cases) {
        const auto text = test::got(test::got(Result<std::optional<Template>>(Template::compile(c.text, "x").value()))
                                        ->render(context.values, Place::text));
        ASSERT_TRUE(text) << c.text;
        EXPECT_EQ(text->secret, c.secret) << c.text;
    }
}

TEST(Template, KeepsTheTypeOfASingleValue) {
    const Context context;
    const auto value = [&context](const char* text) {
        return *test::got(Template::compile(text, "x")->value(context.values));
    };
    EXPECT_EQ(value("${connection.count}").kind, TemplateValue::Kind::number);
    EXPECT_EQ(value("${connection.flag}").kind, TemplateValue::Kind::boolean);
    EXPECT_EQ(value("${connection.list}").kind, TemplateValue::Kind::json);
    EXPECT_EQ(value("x${connection.count}").kind, TemplateValue::Kind::text);
    EXPECT_EQ(value("${epoch(now)}").to_json(), raw_json("1714558830"));
}

TEST(TemplateValue, KeepsDigits) {
    EXPECT_EQ(dump_body({{"a", raw_json("1.10")}, {"b", {1, nullptr, "x\"y"}}}),
              "{\"a\":1.10,\"b\":[1,null,\"x\\\"y\"]}");
    EXPECT_EQ(TemplateValue::number("123456789012345678901234567890").to_json(),
              raw_json("123456789012345678901234567890"));
    EXPECT_EQ(TemplateValue::number("12,5").kind, TemplateValue::Kind::text);
    for (const char* text : {"0", "-1", "1.5", "1e5", "-0.1E+2"}) EXPECT_TRUE(is_json_number(text)) << text;
    for (const char* text : {"", "-", "01", "1.", ".5", "1e", "+1", "1 ", "NaN"})
        EXPECT_FALSE(is_json_number(text)) << text;
}

}  // namespace
}  // namespace pg_pull
