#include <gtest/gtest.h>

#include "core/json/document.h"
#include "core/json/scan.h"
#include "core/json/text.h"
#include "core/json/utf8.h"

namespace pg_pull {
namespace {

using nlohmann::json;

bool is_json(std::string_view text) { return Scanner(text).skip_document(); }

TEST(JsonScanner, AcceptsWhatTheGrammarAllows) {
    for (const char* text : {"0", "-0", "-0.0e+10", "1E400", "12.50", "\"\"", "\"\\u0000\\ud800\\/\\b\"", " [ ] ", "{}",
                             "null", "[1,[2,{\"a\":[]}],true,false]", "\t{\"a\" : 1 , \"a\":2}\r\n", "\"\x7f\""})
        EXPECT_TRUE(is_json(text)) << text;
}

TEST(JsonScanner, RefusesWhatItDoesNot) {
    for (const char* text :
         {"",    " ",       "01",          "-",        "+1",         "1.",      ".5",       "1e",
          "1e+", "0x1",     "NaN",         "Infinity", "tru",        "True",    "nul",      "'a'",
          "\"",  "\"\\x\"", "\"\\u12g4\"", "\"\\u123", "\"a\nb\"",   "[1,]",    "[,1]",     "[1 2]",
          "[1",  "]",       "{\"a\"}",     "{\"a\":}", "{\"a\":1,}", "{a:1}",   "{\"a\":1", "{\"a\":[1}",
          "1 2", "[] []",   "nullx",       "// c\n1",  "[1]x",       "\"a\tb\""})
        EXPECT_FALSE(is_json(text)) << text;
}

TEST(JsonScanner, StopsAtTheNestingLimit) {
    const auto nested = [](unsigned depth) { return std::string(depth, '[') + std::string(depth, ']'); };
    EXPECT_TRUE(is_json(nested(kMaxNesting)));
    const std::string deep = nested(kMaxNesting + 1), abyss = nested(5000000);
    Scanner scanner(deep);
    EXPECT_FALSE(scanner.skip_document());
    EXPECT_EQ(scanner.problem(), Scanner::Problem::too_deep);
    EXPECT_FALSE(is_json(abyss));
}

TEST(JsonScanner, FindsTheEndOfStringsOfEveryLength) {
    for (std::size_t size = 0; size < 70; ++size) {
        const std::string token = "\"" + std::string(size, 'x') + "\"";
        EXPECT_TRUE(is_json(token)) << size;
        EXPECT_FALSE(is_json(std::string_view(token).substr(0, size + 1))) << size;
        for (std::size_t at = 1; at <= size; ++at) {
            std::string broken = token;
            broken[at] = '\x1f';
            EXPECT_FALSE(is_json(broken)) << size << " " << at;
        }
    }
}

TEST(JsonText, DecodesEscapes) {
    std::string out;
    EXPECT_EQ(append_decoded(R"(a\"\\\/\b\f\n\r\t\u00e9\u20AC\ud83d\ude00z)", out), TextFault::none);
    EXPECT_EQ(out, "a\"\\/\b\f\n\r\té€😀z");
    for (const char* half : {R"(\ud83d)", R"(\ud83dx)", R"(\ude00)", R"(\ud83d\u0041)", R"(\ud83d\n12345)"})
        EXPECT_EQ(append_decoded(half, out), TextFault::surrogate) << half;
    EXPECT_EQ(append_decoded(R"(\u0000)", out), TextFault::nul);
}

TEST(JsonText, EscapesForCopyAndBack) {
    for (const char* inside : {R"(plain)", R"(\n\r\t\\ \" \/ \b\f)", R"(\u000a\u0009\u000d\u005c\u000b)",
                               R"(a long text with \\ far behind it, \\)"}) {
        std::string decoded, direct, copied;
        ASSERT_EQ(append_decoded(inside, decoded), TextFault::none);
        ASSERT_EQ(append_decoded_for_copy(inside, direct), TextFault::none);
        append_for_copy(decoded, copied);
        EXPECT_EQ(direct, copied);
        EXPECT_EQ(direct.find_first_of("\n\r\t"), std::string::npos);
        EXPECT_EQ(from_copy(direct), decoded);
    }
    std::string line;
    append_for_copy("\\.", line);
    append_for_copy("\\N", line);
    EXPECT_EQ(line, "\\\\.\\\\N");
}

TEST(JsonDocument, KeepsNumbersThatFitNothing) {
    EXPECT_EQ(parse_document("9223372036854775807").value(), 9223372036854775807);
    EXPECT_EQ(parse_document("18446744073709551615").value(), 18446744073709551615U);
    EXPECT_EQ(parse_document("1234567890123456789012").value(), "1234567890123456789012");
    EXPECT_EQ(parse_document("1e400").value(), "1e400");
    EXPECT_EQ(parse_document("-2.5e1").value(), -25.0);
}

TEST(JsonDocument, ReadsWhatNlohmannReads) {
    for (const char* text : {R"({"a":[1,2,{"b":null}],"c":{"d":"x\u00e9"},"e":[],"f":{}})", "[]", "{}", "[[],[[]]]",
                             R"("s")", " true ", R"({"a":1,"a":{"b":2}})"})
        EXPECT_EQ(parse_document(text).value(), json::parse(text)) << text;
    EXPECT_EQ(parse_document(R"("\ud800x")").value(), "\xEF\xBF\xBDx");
}

TEST(JsonDocument, SaysWhereTheTextGoesWrong) {
    const auto result = parse_document(R"({"a":tru})");
    ASSERT_FALSE(result.ok());
    EXPECT_EQ(result.error().reason, Reason::upstream_not_ok);
    EXPECT_EQ(result.error().detail, "At byte 5 the text is no JSON.");
    EXPECT_EQ(parse_document(R"({"a":[1)").error().detail, "At byte 7 the text ends too early.");
    EXPECT_FALSE(parse_document(std::string(100000, '[')).ok());
}

TEST(Utf8, MarksBytesThatAreNoPartOfACharacter) {
    std::string text = "a\xC3\xA9\xFFz\xC3";  // a é <FF> z <cut>
    EXPECT_EQ(replace_bad_utf8(text, '?'), (std::vector<std::uint32_t>{3, 5}));
    EXPECT_EQ(text, "a\xC3\xA9?z?");
    for (const char* bad : {"\xC0\xAF", "\xED\xA0\x80", "\xF4\x90\x80\x80", "\xE0\x80\x80", "\xF0\x80\x80\x80", "\x80",
                            "\xF5\x80\x80\x80"}) {
        std::string copy = bad;
        EXPECT_EQ(replace_bad_utf8(copy, '?').size(), copy.size()) << copy;
    }
    EXPECT_EQ(utf8_cut("aéb", 2), 1U);
    EXPECT_EQ(utf8_cut("aéb", 3), 3U);
}

}  // namespace
}  // namespace pg_pull
