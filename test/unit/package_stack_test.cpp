#include "core/package/stack.h"

#include <gtest/gtest.h>

#include "core/package/stack_keys.h"

namespace pg_pull {
namespace {

using nlohmann::json;

json minimal() {
    return json::parse(R"({"manifest": {"id": "com.acme.crm", "namespace": "crm", "version": "1.0.0"},
        "connectors": [{"name": "crm", "provider": "rest", "config": {"base_url": "https://crm.example.com"}}],
        "mappings": [{"name": "people", "connector": "crm", "source": {"path": "/people"}, "target": "people",
                      "fields": {"id": "id"}}]})");
}

std::string refusal(const json& document) {
    const auto stack = parse_stack(document);
    return stack.ok() ? "accepted" : stack.error().message;
}

TEST(PackageStack, DefaultsAreThoseOfTheFunctions) {
    const auto stack = parse_stack(minimal());
    ASSERT_TRUE(stack.ok()) << stack.error().message;
    EXPECT_EQ(stack->id, "com.acme.crm");
    ASSERT_EQ(stack->connectors.size(), 1U);
    EXPECT_EQ(stack->connectors[0].auth, (json{{"type", "none"}}));
    EXPECT_FALSE(stack->connectors[0].description);
    ASSERT_EQ(stack->mappings.size(), 1U);
    const StackMapping& m = stack->mappings[0];
    EXPECT_EQ(m.mode, "insert");
    EXPECT_EQ(m.pagination, (json{{"type", "none"}}));
    EXPECT_FALSE(m.scope);
    EXPECT_EQ(m.max_rejects, 100);
    EXPECT_EQ(m.on_error, "reject");
    EXPECT_TRUE(m.enabled);
}

TEST(PackageStack, EveryArgumentOfAMappingIsRead) {
    json document = minimal();
    document["mappings"][0].update(json::parse(R"({"mode": "upsert", "key": ["id"], "watermark": {"field": "at"},
        "pagination": {"type": "page"}, "scope": [], "delete_mode": "soft", "deleted_when": {"path": "gone", "exists": true},
        "deleted_at": "gone_at", "max_delete_fraction": 0.25, "commit": "page", "missing": "keep", "on_error": "fail",
        "max_rejects": 7, "full_every": "1 day", "connector_package": "com.other.pack", "description": "d", "enabled": false})"));
    const auto stack = parse_stack(document);
    ASSERT_TRUE(stack.ok()) << stack.error().message;
    const StackMapping& m = stack->mappings[0];
    EXPECT_EQ(m.mode, "upsert");
    EXPECT_EQ(m.key, std::vector<std::string>{"id"});
    EXPECT_EQ(m.watermark->at("field"), "at");
    EXPECT_EQ(m.pagination.at("type"), "page");
    ASSERT_TRUE(m.scope);
    EXPECT_TRUE(m.scope->empty());
    EXPECT_EQ(m.delete_mode, "soft");
    EXPECT_EQ(m.deleted_when->at("path"), "gone");
    EXPECT_EQ(m.deleted_at, "gone_at");
    EXPECT_EQ(m.max_delete_fraction, 0.25);
    EXPECT_EQ(m.commit, "page");
    EXPECT_EQ(m.missing, "keep");
    EXPECT_EQ(m.on_error, "fail");
    EXPECT_EQ(m.max_rejects, 7);
    EXPECT_EQ(m.full_every, "1 day");
    EXPECT_EQ(m.connector_package, "com.other.pack");
    EXPECT_EQ(m.description, "d");
    EXPECT_FALSE(m.enabled);
}

TEST(PackageStack, CamelCaseSaysTheSameAsSnakeCase) {
    const json camel = json::parse(R"({"manifest": {"id": "com.acme.crm", "namespace": "crm", "version": "1"},
        "connectors": [{"name": "crm", "provider": "rest", "label": "CRM",
            "providerConfig": {"baseUrl": "https://crm.example.com", "rateLimit": {"requests": 5, "per": "PT1S"}},
            "auth": {"type": "api-key", "credentialRef": "key"}}],
        "mappings": [{"name": "people", "targetObject": "people", "mode": "upsert", "upsertKey": "id", "onError": "fail",
            "fieldMapping": [{"source": "fullName", "target": "name", "transform": "map", "params": {"valueMap": {"aB": "c"}}}],
            "connectorSource": {"connector": "crm", "action": "request", "input": {"path": "/people"},
                                "recordsPath": "items", "watermark": {"field": "updatedAt", "endParam": "to"}}}]})");
    const json snake = json::parse(R"({"manifest": {"id": "com.acme.crm", "namespace": "crm", "version": "1"},
        "connectors": [{"name": "crm", "provider": "rest", "description": "CRM",
            "config": {"base_url": "https://crm.example.com", "rate_limit": {"requests": 5, "per": "PT1S"}},
            "auth": {"type": "api_key", "credential_ref": "key"}}],
        "mappings": [{"name": "people", "target": "people", "mode": "upsert", "key": ["id"], "on_error": "fail",
            "fields": [{"source": "fullName", "target": "name", "transform": "map", "params": {"value_map": {"aB": "c"}}}],
            "connector": "crm", "source": {"path": "/people", "records_path": "items"},
            "watermark": {"field": "updatedAt", "end_param": "to"}}]})");
    const auto a = parse_stack(camel);
    const auto b = parse_stack(snake);
    ASSERT_TRUE(a.ok()) << a.error().message;
    ASSERT_TRUE(b.ok()) << b.error().message;
    EXPECT_EQ(a->normalized, b->normalized);
    EXPECT_EQ(a->hash, b->hash);
}

TEST(PackageStack, NamesOfTheRemoteStayAsWritten) {
    const json config = json::parse(R"({"baseUrl": "u", "headers": {"X-ApiVersion": "2"}, "query": {"pageSize": "5"},
        "errors": [{"when": {"header": {"X-RateLimited": "1"}}, "then": "retry"}], "maxPageBytes": 1})");
    const auto converted = with_snake_keys_deep(config, "config");
    ASSERT_TRUE(converted.ok());
    EXPECT_EQ(*converted, json::parse(R"({"base_url": "u", "headers": {"X-ApiVersion": "2"}, "query": {"pageSize": "5"},
        "errors": [{"when": {"header": {"X-RateLimited": "1"}}, "then": "retry"}], "max_page_bytes": 1})"));
}

TEST(PackageStack, OtherActionsKeepTheirName) {
    json document = minimal();
    document["mappings"][0].erase("connector");
    document["mappings"][0].erase("source");
    document["mappings"][0]["connectorSource"] =
        json{{"connector", "crm"}, {"action", "listPeople"}, {"input", {{"pageSize", 5}}}, {"recordsPath", "items"}};
    const auto stack = parse_stack(document);
    ASSERT_TRUE(stack.ok()) << stack.error().message;
    EXPECT_EQ(stack->mappings[0].source,
              (json{{"action", "listPeople"}, {"input", {{"pageSize", 5}}}, {"records_path", "items"}}));
}

TEST(PackageStack, TheHashFollowsTheContentAndNothingElse) {
    const auto before = parse_stack(minimal());
    json document = minimal();
    document["mappings"][0]["description"] = nullptr;
    const auto same = parse_stack(document);
    document["mappings"][0]["mode"] = "update";
    const auto other = parse_stack(document);
    EXPECT_EQ(before->hash, same->hash);
    EXPECT_NE(before->hash, other->hash);
    EXPECT_EQ(before->hash.size(), 64U);
}

TEST(PackageStack, ItsNormalizedFormIsAStackThatSaysTheSame) {
    const auto once = parse_stack(minimal());
    const auto twice = parse_stack(once->normalized);
    ASSERT_TRUE(twice.ok()) << twice.error().message;
    EXPECT_EQ(once->hash, twice->hash);
}

TEST(PackageStack, IdsAreReverseDomains) {
    for (const char* id : {"com.acme", "com.acme.crm", "org.a-b.c_d", "io.x.2"}) EXPECT_TRUE(is_package_id(id)) << id;
    for (const char* id : {"", "__runtime__", "acme", "com.Acme", "com..x", ".com.x", "com.x.", "com.a b", "com.-a",
                           "com.a-", "1.com", "com.a\n", "com.\xc3\xa4"})
        EXPECT_FALSE(is_package_id(id)) << id;
    EXPECT_FALSE(is_package_id("com." + std::string(200, 'a')));
}

TEST(PackageStack, RefusalsNameThePlace) {
    json document = minimal();
    document["connectors"].push_back(json{{"name", "b"}, {"provider", "rest"}, {"auth", "none"}});
    EXPECT_EQ(refusal(document), "connectors[1].auth must be a JSON object");
    document["connectors"][1] = json{{"name", "b"}, {"provider", "rest"}, {"confg", json::object()}};
    const auto misspelt = parse_stack(document);
    ASSERT_FALSE(misspelt.ok());
    EXPECT_EQ(misspelt.error().reason, Reason::unknown_key);
    EXPECT_EQ(misspelt.error().message, "connectors[1] has no key \"confg\"");
    document["connectors"][1] = json{{"name", "crm"}, {"provider", "rest"}};
    const auto twice = parse_stack(document);
    ASSERT_FALSE(twice.ok());
    EXPECT_EQ(twice.error().reason, Reason::duplicate_name);
    EXPECT_EQ(twice.error().message, "connectors[1].name \"crm\" is taken by an entry before it");
    document["connectors"][1] =
        json{{"name", "b"}, {"provider", "rest"}, {"config", {{"baseUrl", 1}, {"base_url", 1}}}};
    EXPECT_NE(refusal(document).find("connectors[1].config."), std::string::npos);
    document["connectors"][1] = 5;
    EXPECT_EQ(refusal(document), "connectors[1] must be a JSON object");
    document["connectors"] = json::object();
    EXPECT_EQ(refusal(document), "connectors must be a list");
}

TEST(PackageStack, TwoWaysToSayOneThingAreRefused) {
    json document = minimal();
    document["mappings"][0]["targetObject"] = "other";
    EXPECT_EQ(refusal(document), "mappings[0] can have only one of \"target_object\", \"target\"");
    document = minimal();
    document["mappings"][0]["connectorSource"] = json{{"connector", "crm"}};
    EXPECT_EQ(refusal(document), "mappings[0] can have only one of \"connectorSource\", \"connector\"");
}

TEST(PackageStack, ValuesOfAWrongTypeAreRefused) {
    for (const char* wrong :
         {R"({"max_rejects": 1.5})", R"({"max_rejects": -1})", R"({"enabled": "yes"})", R"({"key": [1]})",
          R"({"name": ""})", R"({"target": 5})", R"({"max_delete_fraction": 2})", R"({"source": null})"}) {
        json document = minimal();
        document["mappings"][0].update(json::parse(wrong));
        EXPECT_NE(refusal(document), "accepted") << wrong;
    }
}

}  // namespace
}  // namespace pg_pull
