#include <gtest/gtest.h>

#include "core/base/error_text.h"
#include "core/json/utf8.h"

namespace pg_pull::test {
namespace {

TEST(ErrorText, ControlCharactersAreShownAsSigns) {
    EXPECT_EQ(one_line("mapping \"a\nLOG:  all is well\" is\tgone\x01\x7F", 1000),
              "mapping \"a\\nLOG:  all is well\" is\\tgone\\x01\\x7f");
    EXPECT_EQ(one_line("Zürich, 東京", 1000), "Zürich, 東京");
}

TEST(ErrorText, WhatIsTooLongLosesItsMiddle) {
    const std::string name(5'000'000, 'x');
    const std::string text = one_line("mapping \"" + name + "\" does not exist", 1000);
    EXPECT_LE(text.size(), 1000U);
    EXPECT_TRUE(text.starts_with("mapping \"xxx"));
    EXPECT_TRUE(text.ends_with("xxx\" does not exist"));
    EXPECT_NE(text.find(" … "), std::string::npos);
}

TEST(ErrorText, NoCharacterIsCutAndNoLimitExceeded) {
    for (const char* unit : {"é", "東", "🐘", "\n", "a\x01é"}) {
        for (std::size_t blanks = 0; blanks < 8; ++blanks) {
            std::string text(blanks, ' ');
            while (text.size() < 700) text += unit;
            std::string shown = one_line(text, 200);
            EXPECT_LE(shown.size(), 200U);
            EXPECT_TRUE(replace_bad_utf8(shown, '?').empty()) << shown;
        }
    }
}

TEST(ErrorText, EveryPartOfAnErrorIsMadePresentable) {
    const Error error = presentable(
        fail(Reason::unknown_key, "a\nb").with_detail(std::string(20'000, 'd')).with_hint(std::string(9'000, '\n')));
    EXPECT_EQ(error.message, "a\\nb");
    EXPECT_LE(error.detail.size(), 8000U);
    EXPECT_LE(error.hint.size(), 2000U);
    EXPECT_EQ(error.reason, Reason::unknown_key);
}

}  // namespace
}  // namespace pg_pull::test
