#include "core/connection/variable_names.h"

#include <gtest/gtest.h>

namespace pg_pull {
namespace {

TEST(VariableNames, OnlyListedNamesAndPatternsAreAllowed) {
    EXPECT_TRUE(variable_allowed("PG_PULL_*", "PG_PULL_GITHUB"));
    EXPECT_TRUE(variable_allowed("PG_PULL_*", "PG_PULL_"));
    EXPECT_FALSE(variable_allowed("PG_PULL_*", "PG_PULL"));
    EXPECT_FALSE(variable_allowed("PG_PULL_*", "XPG_PULL_A"));
    EXPECT_FALSE(variable_allowed("PG_PULL_*", "pg_pull_a"));
    EXPECT_FALSE(variable_allowed("PG_PULL_*", "PGPASSWORD"));
    EXPECT_TRUE(variable_allowed("A, B_* ,C", "B_1"));
    EXPECT_TRUE(variable_allowed("A, B_* ,C", "C"));
    EXPECT_FALSE(variable_allowed("A, B_* ,C", "CC"));
}

TEST(VariableNames, AnEmptyListAllowsNothing) {
    for (const char* patterns : {"", ",", " , "}) EXPECT_FALSE(variable_allowed(patterns, "A")) << patterns;
}

TEST(VariableNames, StarsStandForAnythingAnywhere) {
    EXPECT_TRUE(variable_allowed("*", "ANY"));
    EXPECT_TRUE(variable_allowed("*_TOKEN", "A_TOKEN_TOKEN"));
    EXPECT_FALSE(variable_allowed("*_TOKEN", "A_TOKEN_"));
    EXPECT_TRUE(variable_allowed("A*B*C", "AxBBxCC"));
    EXPECT_FALSE(variable_allowed("A*B*C", "AxCxB"));
    EXPECT_TRUE(variable_allowed("A**", "A"));
}

TEST(VariableNames, WhatNoVariableIsCalledIsRefused) {
    EXPECT_FALSE(variable_allowed("*", ""));
    EXPECT_FALSE(variable_allowed("*", "A=B"));
    EXPECT_FALSE(variable_allowed("*", std::string_view("A\0B", 3)));
}

}  // namespace
}  // namespace pg_pull
