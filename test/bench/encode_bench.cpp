// Records to COPY lines: pages of 1000 records of about 1.8 kB like GitHub's issues, twelve columns.

#include <string>
#include <utility>

#include <benchmark/benchmark.h>

#include "core/mapping/encoder.h"

namespace pg_pull {
namespace {

std::string user(int i) {
    const std::string name = "user" + std::to_string(i % 97), base = "https://api.github.example/users/" + name;
    return R"({"login":")" + name + R"(","id":)" + std::to_string(90071992547409930 + i) + R"(,"node_id":"MDQ6VXNlcjE=","avatar_url":")" +
           base + R"(/avatar","url":")" + base + R"(","followers_url":")" + base + R"(/followers","repos_url":")" + base +
           R"(/repos","type":"User","site_admin":false})";
}

std::string record(int i) {
    const std::string number = std::to_string(i), base = "https://api.github.example/repos/o/r/issues/" + number;
    return R"({"url":")" + base + R"(","repository_url":"https://api.github.example/repos/o/r","labels_url":")" + base +
           R"(/labels{/name}","comments_url":")" + base + R"(/comments","events_url":")" + base + R"(/events","id":)" +
           std::to_string(90071992547409930 + i) + R"(,"node_id":"MDU6SXNzdWUx","number":)" + number +
           R"(,"title":"Crash when \"opening\" the file \u00e9t\u00e9 \ud83d\ude00 number )" + number + R"(","user":)" + user(i) +
           R"(,"labels":[{"id":1,"name":"bug","color":"d73a4a","default":true},{"id":2,"name":"help wanted","color":"008672","default":false}])" +
           R"(,"state":"open","locked":false,"assignee":)" + (i % 3 == 0 ? "null" : user(i + 1)) +
           R"(,"milestone":null,"comments":)" + std::to_string(i % 50) +
           R"(,"created_at":"2023-11-14T22:13:20Z","updated_at":"2024-01-02T03:04:05Z","closed_at":null,"author_association":"NONE")" +
           R"(,"score":1234567890.12345678901234567,"body":"Steps to reproduce:\r\n\r\n1. Open the file\r\n2. Press the button and wait )" +
           R"(for a while until nothing more happens\r\n3. See the error\r\n\r\nExpected: no error. The log says nothing of use, )" +
           R"(but it is long, so here are some more words to bring the record to the length that the real ones have."})";
}

std::string page_body() {
    std::string body = "[";
    for (int i = 0; i < 1000; ++i) body += (i == 0 ? "" : ",") + record(i);
    return body + "]";
}

RecordEncoder encoder() {
    const auto fields = parse_fields(nlohmann::json::parse(R"({"id":"id","number":"number","title":"title","author":"user.login",
        "author_id":"user.id","assignee":"assignee.login","state":"state","comments":"comments","created_at":"created_at",
        "updated_at":"updated_at","score":"score","labels":"labels"})")).value();
    StagePlan plan;
    for (const Field& field : fields) plan.columns.push_back({field.targets[0], {}});
    return RecordEncoder::create(fields, plan, {}).value();
}

void report(benchmark::State& state, std::size_t bytes) {
    state.SetBytesProcessed(static_cast<std::int64_t>(state.iterations() * bytes));
    state.SetItemsProcessed(static_cast<std::int64_t>(state.iterations() * 1000));
}

void open_page(benchmark::State& state) {
    const std::string body = page_body();
    for (auto _ : state) benchmark::DoNotOptimize(RecordPage::open(body, RecordFormat::json, std::nullopt, false)->size());
    report(state, body.size());
}

void encode_page(benchmark::State& state) {
    const std::string body = page_body();
    const RecordPage page = RecordPage::open(body, RecordFormat::json, std::nullopt, false).value();
    RecordEncoder encode = encoder();
    for (auto _ : state) benchmark::DoNotOptimize(encode.encode(page, 1)->copy.size());
    report(state, body.size());
}

void open_and_encode(benchmark::State& state) {
    const std::string body = page_body();
    RecordEncoder encode = encoder();
    for (auto _ : state) {
        auto page = RecordPage::open(body, RecordFormat::json, std::nullopt, false);
        benchmark::DoNotOptimize(encode.encode(*std::move(page), 1)->copy.size());
    }
    report(state, body.size());
}

BENCHMARK(open_page)->Unit(benchmark::kMicrosecond);
BENCHMARK(encode_page)->Unit(benchmark::kMicrosecond);
BENCHMARK(open_and_encode)->Unit(benchmark::kMicrosecond);

}  // namespace
}  // namespace pg_pull

BENCHMARK_MAIN();
