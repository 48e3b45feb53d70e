#include "core/apply/copy_line.h"

#include <gtest/gtest.h>

namespace pg_pull::apply {
namespace {

TEST(CopyLine, GivesTheColumnAskedForWithoutItsEscapes) {
    const std::string line = "1\tone\\ttwo\\nthree\\\\four\t\\N\t\n";
    EXPECT_EQ(copy_field(line, 0), "1");
    EXPECT_EQ(copy_field(line, 1), "one\ttwo\nthree\\four");
    EXPECT_EQ(copy_field(line, 2), std::nullopt);
    EXPECT_EQ(copy_field(line, 3), "");
    EXPECT_EQ(copy_field(line, 4), std::nullopt);
}

TEST(CopyLine, TellsTheTextBackslashNFromNull) {
    EXPECT_EQ(copy_field("\\\\N\n", 0), "\\N");
    EXPECT_EQ(copy_field("\\N\n", 0), std::nullopt);
}

TEST(KeyText, IsThePlainTextOfOneColumnAndAnArrayOfSeveral) {
    EXPECT_EQ(key_text({"a\"b"}), "a\"b");
    EXPECT_EQ(key_text({"a\"b", "2"}), R"(["a\"b","2"])");
}

TEST(KeyText, IsUnreadableWhereAPartIsNullOrNothingIsThere) {
    EXPECT_EQ(key_text({"a", std::nullopt}), std::nullopt);
    EXPECT_EQ(key_text({}), std::nullopt);
}

TEST(KeyParts, ReadsBackWhatKeyTextWrote) {
    const std::vector<std::string> parts{"x,y", "\"", "\n"};
    const auto text = key_text({parts[0], parts[1], parts[2]});
    ASSERT_TRUE(text.has_value());
    EXPECT_EQ(key_parts(*text, 3), parts);
    EXPECT_EQ(key_parts("[1, 2]", 1), std::vector<std::string>{"[1, 2]"});
}

TEST(KeyParts, RefusesWhatHoldsOtherThanThatManyTexts) {
    EXPECT_EQ(key_parts("[\"a\"]", 2), std::nullopt);
    EXPECT_EQ(key_parts("[1, 2]", 2), std::nullopt);
    EXPECT_EQ(key_parts("no json", 2), std::nullopt);
}

}  // namespace
}  // namespace pg_pull::apply
