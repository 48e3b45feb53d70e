#include "core/seal/seal.h"

#include <gtest/gtest.h>

#include <set>

#include "core/seal/key_ring.h"

namespace pg_pull {
namespace {

const Secret kValue("canary-4711");

TEST(Seal, OpensWithTheSameKeyAndTheSamePlace) {
    const SealKey key = make_key();
    const std::string sealed = seal(key, kValue, {"alice", "token", "secret"});
    const auto opened = open_sealed(key, sealed, {"alice", "token", "secret"});
    ASSERT_TRUE(opened.ok());
    EXPECT_EQ(opened->reveal(), kValue.reveal());
}

TEST(Seal, EmptyAndLongValuesSurvive) {
    const SealKey key = make_key();
    for (const std::size_t size : {0UL, 1UL, 100'000UL}) {
        const std::string sealed = seal(key, Secret(std::string(size, '\0')), {});
        const auto opened = open_sealed(key, sealed, {});
        ASSERT_TRUE(opened.ok());
        EXPECT_EQ(opened->reveal(), std::string(size, '\0'));
    }
}

TEST(Seal, TheSealedTextHidesTheValueAndNeverRepeats) {
    const SealKey key = make_key();
    std::set<std::string> seen;
    for (int i = 0; i < 100; ++i) {
        const std::string sealed = seal(key, kValue, {});
        EXPECT_EQ(sealed.find("canary"), std::string::npos);
        EXPECT_TRUE(seen.insert(sealed).second);
    }
}

TEST(Seal, AnotherPlaceDoesNotOpenIt) {
    const SealKey key = make_key();
    const std::string sealed = seal(key, kValue, {"ab", "c"});
    for (const Associated& other : {Associated{"a", "bc"}, Associated{"abc"}, Associated{"ab", "c", ""},
                                    Associated{"ab"}, Associated{"c", "ab"}, Associated{"", "ab", "c"}, Associated{}}) {
        const auto opened = open_sealed(key, sealed, other);
        ASSERT_FALSE(opened.ok());
        EXPECT_EQ(opened.error().reason, Reason::key_mismatch);
        EXPECT_EQ(opened.error().code(), "58P01");
    }
}

TEST(Seal, AnotherKeyDoesNotOpenIt) {
    const std::string sealed = seal(make_key(), kValue, {});
    EXPECT_FALSE(open_sealed(make_key(), sealed, {}).ok());
}

TEST(Seal, EveryChangedBitAndEveryCutIsNoticed) {
    const SealKey key = make_key();
    const std::string sealed = seal(key, kValue, {"x"});
    for (std::size_t at = 0; at < sealed.size(); ++at)
        for (int bit = 0; bit < 8; ++bit) {
            std::string changed = sealed;
            changed[at] = static_cast<char>(changed[at] ^ (1 << bit));
            EXPECT_FALSE(open_sealed(key, changed, {"x"}).ok()) << "byte " << at << " bit " << bit;
        }
    for (std::size_t size = 0; size < sealed.size(); ++size)
        EXPECT_FALSE(open_sealed(key, std::string_view(sealed).substr(0, size), {"x"}).ok()) << size << " bytes";
}

TEST(KeyRing, SealsWithTheLastKeyAndOpensWithAll) {
    KeyRing ring;
    ring.add(make_key());
    const std::string old_id = ring.current().id;
    const std::string sealed = seal(ring.current(), kValue, {"x"});
    ring.add(make_key());
    EXPECT_NE(ring.current().id, old_id);
    const auto opened = open_sealed(ring, old_id, sealed, {"x"});
    ASSERT_TRUE(opened.ok());
    EXPECT_EQ(opened->reveal(), kValue.reveal());
}

TEST(KeyRing, ItsTextBringsBackTheSameKeysInOrder) {
    KeyRing ring;
    for (int i = 0; i < 3; ++i) ring.add(make_key());
    const auto again = KeyRing::parse(ring.to_text());
    ASSERT_TRUE(again.ok());
    EXPECT_EQ(again->current().id, ring.current().id);
    EXPECT_EQ(again->to_text().reveal(), ring.to_text().reveal());
}

TEST(KeyRing, CommentsBlanksAndCarriageReturnsMeanNothing) {
    KeyRing ring;
    ring.add(make_key());
    std::string text(ring.to_text().reveal());
    text = "\n  # a comment\r\n\n" + text.substr(0, text.size() - 1) + "  \r\n\n";
    const auto again = KeyRing::parse(Secret(text));
    ASSERT_TRUE(again.ok());
    EXPECT_EQ(again->current().id, ring.current().id);
}

TEST(KeyRing, TheOnlyLineMayLackItsEnd) {
    KeyRing ring;
    ring.add(make_key());
    const std::string text(ring.to_text().reveal());
    EXPECT_TRUE(KeyRing::parse(Secret(text.substr(0, text.size() - 1))).ok());
}

std::string refusal(std::string text) {
    const auto ring = KeyRing::parse(Secret(std::move(text)));
    if (ring.ok()) return "accepted";
    EXPECT_EQ(ring.error().reason, Reason::key_unavailable);
    return ring.error().message + " | " + ring.error().detail;
}

TEST(KeyRing, WhatIsNoRingIsRefusedWithoutShowingIt) {
    KeyRing ring;
    ring.add(make_key());
    const std::string text(ring.to_text().reveal());
    const std::string line = text.substr(text.rfind('\n', text.size() - 2) + 1);
    EXPECT_EQ(refusal(""), "the key ring holds no key | ");
    EXPECT_EQ(refusal("# only a comment\n"), "the key ring holds no key | ");
    EXPECT_EQ(refusal("canary"), "the key ring cannot be read | Line 1 is not a key id and a key.");
    EXPECT_EQ(refusal("#\nx canary"),
              "the key ring cannot be read | Line 2 does not hold a key of 32 bytes in base64.");
    EXPECT_EQ(refusal("0000000000000000" + line.substr(16)),
              "the key ring cannot be read | Line 1 has an id that does not belong to its key.");
    std::string damaged = line;
    damaged[20] = damaged[20] == 'A' ? 'B' : 'A';
    EXPECT_EQ(refusal(damaged), "the key ring cannot be read | Line 1 has an id that does not belong to its key.");
    EXPECT_EQ(refusal(line.substr(0, 30)),
              "the key ring cannot be read | Line 1 does not hold a key of 32 bytes in base64.");
}

TEST(KeyRing, AMissingKeyIsNamed) {
    KeyRing ring;
    ring.add(make_key());
    const auto opened = open_sealed(ring, "0123456789abcdef", "whatever", {});
    ASSERT_FALSE(opened.ok());
    EXPECT_EQ(opened.error().reason, Reason::key_mismatch);
    EXPECT_EQ(opened.error().message, "the key ring has no key \"0123456789abcdef\"");
}

}  // namespace
}  // namespace pg_pull
