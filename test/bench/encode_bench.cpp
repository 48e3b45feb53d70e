// Records to COPY lines: pages of 1000 records of about 1.8 kB like GitHub's issues, twelve columns.

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <string>

#include "core/mapping/encoder.h"

namespace pg_pull {
namespace {

constexpr int kRecords = 1000;

std::string user(int i) {
    const std::string name = "user" + std::to_string(i % 97), base = "https://api.github.example/users/" + name;
    return R"({"login":")" + name + R"(","id":)" + std::to_string(90071992547409930 + i) +
           R"(,"node_id":"MDQ6VXNlcjE=","avatar_url":")" + base + R"(/avatar","url":")" + base +
           R"(","followers_url":")" + base + R"(/followers","repos_url":")" + base +
           R"(/repos","type":"User","site_admin":false})";
}

std::string record(int i) {
    const std::string number = std::to_string(i), base = "https://api.github.example/repos/o/r/issues/" + number;
    return R"({"url":")" + base + R"(","repository_url":"https://api.github.example/repos/o/r","labels_url":")" + base +
           R"(/labels{/name}","comments_url":")" + base + R"(/comments","events_url":")" + base + R"(/events","id":)" +
           std::to_string(90071992547409930 + i) + R"(,"node_id":"MDU6SXNzdWUx","number":)" + number +
           R"(,"title":"Crash when \"opening\" the file \u00e9t\u00e9 \ud83d\ude00 number )" + number + R"(","user":)" +
           user(i) +
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
    for (int i = 0; i < kRecords; ++i) body += (i == 0 ? "" : ",") + record(i);
    return body + "]";
}

RecordEncoder encoder() {
    const auto fields =
        parse_fields(nlohmann::json::parse(R"({"id":"id","number":"number","title":"title","author":"user.login",
        "author_id":"user.id","assignee":"assignee.login","state":"state","comments":"comments","created_at":"created_at",
        "updated_at":"updated_at","score":"score","labels":"labels"})"))
            .value();
    StagePlan plan;
    for (const Field& field : fields) plan.columns.push_back({field.targets[0], {}});
    return RecordEncoder::create(fields, plan, {}).value();
}

/// The best of some rounds, which is what the machine can do when nobody disturbs it.
template <class Round>
void measure(const char* name, std::size_t bytes, Round round) {
    using Clock = std::chrono::steady_clock;
    double best = 1e9;
    const auto end = Clock::now() + std::chrono::seconds(2);
    while (Clock::now() < end) {
        const auto begin = Clock::now();
        round();
        best = std::min(best, std::chrono::duration<double>(Clock::now() - begin).count());
    }
    std::printf("%-16s %7.0f us/page %8.0f records/s %7.0f MB/s\n", name, best * 1e6, kRecords / best,
                static_cast<double>(bytes) / best / 1e6);
}

int run() {
    const std::string body = page_body();
    std::printf("page of %d records, %zu bytes\n", kRecords, body.size());
    const auto open = [&body] { return RecordPage::open(body, RecordFormat::json, std::nullopt, false).value(); };
    const RecordPage page = open();
    RecordEncoder encode = encoder();
    std::size_t bytes_made = 0;
    measure("open", body.size(), [&] { bytes_made += open().size(); });
    measure("encode", body.size(), [&] { bytes_made += encode.encode(page, 1)->copy.size(); });
    measure("open and encode", body.size(), [&] { bytes_made += encode.encode(open(), 1)->copy.size(); });
    return bytes_made == 0 ? 1 : 0;
}

}  // namespace
}  // namespace pg_pull

int main() { return pg_pull::run(); }
