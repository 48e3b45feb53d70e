#include "core/base/redact.h"

#include <gtest/gtest.h>

#include "core/base/decimal.h"
#include "core/base/encoding.h"
#include "core/base/url.h"

namespace pg_pull {
namespace {

constexpr const char* kSecret = "pä55/w\"or+d\\x";

TEST(Redactor, HidesEveryFormInWhichASecretTravels) {
    Redactor redactor;
    redactor.add(Secret(kSecret));
    const std::string text = kSecret;
    const std::string forms[] = {text,
                                 percent_encode(text),
                                 form_encode(text),
                                 "p%c3%a455%2fw%22or%2bd%5cx",
                                 base64_encode(text),
                                 base64url_encode(text),
                                 "pä55/w\\\"or+d\\\\x",
                                 "pä55\\/w\\\"or+d\\\\x"};
    for (const std::string& form : forms)
        EXPECT_EQ(redactor.redact("<" + form + ">").find(form), std::string::npos) << form;
    EXPECT_EQ(redactor.redact("<" + text + "> and <" + text + ">"), "<***> and <***>");
}

TEST(Redactor, HidesASecretWithinBasicCredentials) {
    Redactor redactor;
    redactor.add(Secret("correct-horse-battery"));
    for (const std::string user : {"", "u", "us", "user"}) {
        const std::string basic = base64_encode(user + ":correct-horse-battery");
        const std::string shown = redactor.redact("Basic " + basic);
        EXPECT_NE(shown.find("***"), std::string::npos) << basic;
        // What is left is too little to say more than a letter of either end.
        EXPECT_LE(shown.size(), std::string("Basic ***").size() + 4 + user.size() * 4 / 3 + 4) << shown;
    }
}

TEST(Redactor, LeavesNoTailOfALongerSecret) {
    Redactor redactor;
    redactor.add(Secret("token-1"));
    redactor.add(Secret("token-1-and-more"));
    EXPECT_EQ(redactor.redact("x token-1-and-more y"), "x *** y");
    redactor.add(Secret("more-token"));
    EXPECT_EQ(redactor.redact("token-1-and-more-token"), "***") << "overlapping secrets";
}

TEST(Redactor, ReplacesShortSecretsAsWholeWordsOnly) {
    Redactor redactor;
    redactor.add(Secret("abc"));
    redactor.add(Secret(""));
    EXPECT_EQ(redactor.redact("abc abcd \"abc\" xabc"), "*** abcd \"***\" xabc");
}

TEST(Excerpt, CutsAtACharacterAndShowsNoControls) {
    Redactor redactor;
    EXPECT_EQ(excerpt("ab\r\n\x01\xC3\xA9", redactor, 200), "ab   \xC3\xA9");
    EXPECT_EQ(excerpt("abc\xC3\xA9", redactor, 4), "abc");
    EXPECT_EQ(excerpt("a\xFF\xC3z", redactor, 200), "a??z");
    EXPECT_EQ(excerpt("", redactor), "");
    EXPECT_EQ(excerpt(std::string(500, 'x'), redactor).size(), 200u);
}

TEST(Excerpt, RedactsBeforeItCuts) {
    Redactor redactor;
    redactor.add(Secret("a-long-secret-value"));
    EXPECT_EQ(excerpt("12345 a-long-secret-value", redactor, 10), "12345 ***");
}

TEST(Encoding, AgreesWithKnownValues) {
    EXPECT_EQ(base64_encode("\xFB\xFF"), "+/8=");
    EXPECT_EQ(base64url_encode("\xFB\xFF"), "-_8");
    EXPECT_EQ(base64_decode("+/8="), "\xFB\xFF");
    EXPECT_EQ(base64_decode("-_8"), "\xFB\xFF");
    EXPECT_EQ(base64_decode(""), "");
    EXPECT_FALSE(base64_decode("a b"));
    EXPECT_EQ(hex_encode(sha256("abc")), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    // RFC 4231, test case 2.
    EXPECT_EQ(hex_encode(hmac_sha256("what do ya want for nothing?", "Jefe")),
              "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843");
}

TEST(Decimal, HasOneFormForEachNumber) {
    const struct {
        const char* text;
        const char* wanted;
    } cases[] = {{"0", "0"},           {"-0", "0"},
                 {"-0.00", "0"},       {"007", "7"},
                 {"+1.50", "1.5"},     {"1e3", "1000"},
                 {"1.5E-3", "0.0015"}, {".5", "0.5"},
                 {"-12.0e1", "-120"},  {"123456789012345678901234567890", "123456789012345678901234567890"}};
    for (const auto& c : cases) EXPECT_EQ(canonical_decimal(c.text), c.wanted) << c.text;
    for (const char* text : {"", "-", ".", "e5", "1e", "NaN", "1x", "1e99999", "0x10", " 1"})
        EXPECT_FALSE(canonical_decimal(text)) << text;
}

TEST(Decimal, ComparesByValue) {
    const char* ascending[] = {
        "-100", "-99.5", "-1", "-0.5", "0", "0.05", "0.5", "0.55", "9", "10", "99999999999999999999"};
    for (std::size_t i = 0; i < std::size(ascending); ++i)
        for (std::size_t j = 0; j < std::size(ascending); ++j)
            EXPECT_EQ(compare_decimals(ascending[i], ascending[j]), i < j   ? -1
                                                                    : i > j ? 1
                                                                            : 0)
                << ascending[i] << " " << ascending[j];
}

}  // namespace
}  // namespace pg_pull
