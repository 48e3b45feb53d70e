// What a good programmer would write by hand for one API and one table: libcurl in a helper thread, simdjson, COPY to a temporary
// table over libpq, one statement to apply. The yardstick for pulls of the rest provider. No error handling beyond stopping.
//
//   rest_baseline URL_PREFIX PAGES CONNINFO
//
// Pages are URL_PREFIX1.json … URL_PREFIX<PAGES>.json, arrays of records as test/bench/make_pages.py writes them.

#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <mutex>
#include <string>
#include <thread>

#include <curl/curl.h>
#include <libpq-fe.h>
#include <simdjson.h>

namespace {

[[noreturn]] void stop(const std::string& message) {
    std::fprintf(stderr, "rest_baseline: %s\n", message.c_str());
    std::exit(1);
}

class Pages {
public:
    Pages(std::string prefix, int count)
        : prefix_(std::move(prefix)), count_(count), fetcher_([this] { fetch_all(); }) {}
    ~Pages() { fetcher_.join(); }
    std::string next() {
        std::unique_lock lock(mutex_);
        changed_.wait(lock, [this] { return !ready_.empty(); });
        std::string page = std::move(ready_.front());
        ready_.pop_front();
        changed_.notify_all();
        return page;
    }

private:
    static std::size_t append(char* data, std::size_t, std::size_t size, void* body) {
        static_cast<std::string*>(body)->append(data, size);
        return size;
    }
    void fetch_all() {
        CURL* curl = curl_easy_init();
        for (int page = 1; page <= count_; ++page) {
            std::string body;
            const std::string url = prefix_ + std::to_string(page) + ".json";
            curl_easy_setopt(curl, CURLOPT_URL, url.c_str());
            curl_easy_setopt(curl, CURLOPT_WRITEFUNCTION, &Pages::append);
            curl_easy_setopt(curl, CURLOPT_WRITEDATA, &body);
            curl_easy_setopt(curl, CURLOPT_FAILONERROR, 1L);
            if (curl_easy_perform(curl) != CURLE_OK) stop("could not fetch " + url);
            std::unique_lock lock(mutex_);
            changed_.wait(lock, [this] { return ready_.size() < 4; });
            ready_.push_back(std::move(body));
            changed_.notify_all();
        }
        curl_easy_cleanup(curl);
    }

    std::string prefix_;
    int count_;
    std::mutex mutex_;
    std::condition_variable changed_;
    std::deque<std::string> ready_;
    std::thread fetcher_;
};

void copy_text(std::string& line, std::string_view text) {
    for (const char c : text) {
        switch (c) {
            case '\\':
                line += "\\\\";
                break;
            case '\t':
                line += "\\t";
                break;
            case '\n':
                line += "\\n";
                break;
            case '\r':
                line += "\\r";
                break;
            default:
                line += c;
        }
    }
}

void encode(simdjson::ondemand::parser& parser, const std::string& body, std::string& lines) {
    lines.clear();
    simdjson::padded_string padded(body);
    auto document = parser.iterate(padded);
    for (auto record : document.get_array()) {
        simdjson::ondemand::object object = record.get_object();
        copy_text(lines, std::string_view(object["id"].raw_json_token()));
        lines += '\t';
        copy_text(lines, object["title"].get_string().value());
        lines += '\t';
        copy_text(lines, object["user"]["login"].get_string().value());
        lines += '\t';
        copy_text(lines, object["state"].get_string().value());
        lines += '\t';
        copy_text(lines, std::string_view(object["comments"].raw_json_token()));
        lines += '\t';
        copy_text(lines, object["body"].get_string().value());
        lines += '\t';
        copy_text(lines, std::string_view(simdjson::to_json_string(object["labels"]).value()));
        lines += '\t';
        copy_text(lines, object["updated_at"].get_string().value());
        lines += '\n';
    }
}

void run(PGconn* connection, const char* statement) {
    PGresult* result = PQexec(connection, statement);
    const auto status = PQresultStatus(result);
    if (status != PGRES_COMMAND_OK && status != PGRES_COPY_IN) stop(PQerrorMessage(connection));
    PQclear(result);
}

}  // namespace

int main(int argc, char** argv) {
    if (argc != 4) stop("usage: rest_baseline URL_PREFIX PAGES CONNINFO");
    curl_global_init(CURL_GLOBAL_DEFAULT);
    PGconn* connection = PQconnectdb(argv[3]);
    if (PQstatus(connection) != CONNECTION_OK) stop(PQerrorMessage(connection));
    run(connection,
        "CREATE TEMP TABLE stage (id bigint, title text, author text, state text, comments integer, body text,"
        " labels jsonb, updated_at timestamptz)");
    run(connection, "BEGIN");
    run(connection, "COPY stage FROM STDIN");
    const int count = std::atoi(argv[2]);
    {
        Pages pages(argv[1], count);
        simdjson::ondemand::parser parser;
        std::string lines;
        for (int page = 0; page < count; ++page) {
            encode(parser, pages.next(), lines);
            if (PQputCopyData(connection, lines.data(), static_cast<int>(lines.size())) != 1)
                stop(PQerrorMessage(connection));
        }
    }
    if (PQputCopyEnd(connection, nullptr) != 1) stop(PQerrorMessage(connection));
    while (PGresult* result = PQgetResult(connection)) {
        if (PQresultStatus(result) != PGRES_COMMAND_OK) stop(PQerrorMessage(connection));
        PQclear(result);
    }
    run(connection,
        "INSERT INTO bench_issues SELECT DISTINCT ON (id) * FROM stage ORDER BY id ON CONFLICT (id) DO UPDATE SET"
        " title = excluded.title, author = excluded.author, state = excluded.state, comments = excluded.comments,"
        " body = excluded.body, labels = excluded.labels, updated_at = excluded.updated_at");
    run(connection, "COMMIT");
    PQfinish(connection);
    return 0;
}
