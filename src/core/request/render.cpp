#include <algorithm>

#include "core/base/encoding.h"
#include "core/base/url.h"
#include "core/request/request.h"

namespace pg_pull {
namespace {

using nlohmann::json;

/// The parts of one request while they are put together; `secret_` tells whether a credential stands in URL or body.
class RequestRenderer {
public:
    RequestRenderer(const RequestTemplate& request, const TemplateContext& context, const RequestBase& base)
        : request_(request), context_(context), base_(base) {}

    Result<HttpRequest> render() {
        PG_PULL_CHECK(make_url());
        PG_PULL_CHECK(make_headers());
        PG_PULL_CHECK(make_body());
        out_.url = url_.to_string();
        out_.method = request_.method;
        if (out_.method.empty()) out_.method = has_body_ ? "POST" : "GET";
        out_.credential_in_url_or_body = secret_;
        out_.credential_origins = base_.credential_origins;
        PG_PULL_CHECK(check_credential_origin(out_));
        return std::move(out_);
    }

private:
    struct HeaderValue {
        std::string name;
        std::string value;
        bool secret = false;
    };

    Result<void> make_url() {
        if (base_.overlay.url) {
            // A link of the source, followed unchanged: it already holds every parameter, credentials among them perhaps.
            PG_PULL_ASSIGN(url_, parse_url(*base_.overlay.url));
            return {};
        }
        std::optional<std::string> own_query;
        PG_PULL_CHECK(request_.url ? make_absolute_url(own_query) : join_path(own_query));
        for (const ParameterList* const list : base_.query) PG_PULL_CHECK(apply_query(*list));
        replace_query(own_query);
        PG_PULL_CHECK(apply_query(request_.query));
        for (const auto& [key, value] : base_.overlay.query) set_query_parameter(url_, key, value);
        return {};
    }

    Result<std::string> render_url(const Template& text, Place place) {
        PG_PULL_ASSIGN(auto rendered, text.render(context_, place));
        if (!rendered)
            return fail(Reason::invalid_configuration, "the address has no value for \"" + text.source() + "\"");
        secret_ = secret_ || rendered->secret;
        return std::move(rendered->text);
    }

    Result<void> make_absolute_url(std::optional<std::string>& own_query) {
        PG_PULL_ASSIGN(const std::string text, render_url(*request_.url, Place::url));
        PG_PULL_ASSIGN(url_, parse_url(text));
        own_query = std::exchange(url_.query, std::nullopt);
        return {};
    }

    /// Concatenates the paths; a query behind the template's path is its own.
    Result<void> join_path(std::optional<std::string>& own_query) {
        PG_PULL_ASSIGN(url_, parse_url(base_.base_url));
        secret_ = secret_ || base_.base_url_secret;
        if (!request_.path) return {};
        PG_PULL_ASSIGN(std::string path, render_url(*request_.path, Place::path));
        std::string joined = url_.path;
        while (joined.ends_with('/')) joined.pop_back();
        if (path.empty() || path.front() == '?')
            joined = url_.path;
        else if (path.front() != '/')
            joined.push_back('/');
        // Not as a reference: a path that begins with two slashes would name another host there.
        PG_PULL_ASSIGN(Url together, parse_url(url_.origin() + joined + path));
        own_query = std::exchange(together.query, url_.query);
        url_ = std::move(together);
        return {};
    }

    void replace_query(const std::optional<std::string>& query) {
        if (!query) return;
        Url own;
        own.query = query;
        for (const auto& [key, value] : query_parameters(own)) remove_query_parameter(url_, key);
        // Its exact text, so that a signed query stays as it was written.
        url_.query = url_.query ? *url_.query + "&" + *query : *query;
    }

    Result<void> apply_query(const ParameterList& list) {
        for (const NamedTemplates& entry : list) {
            std::vector<std::string> values;
            for (const Template& text : entry.values) {
                PG_PULL_ASSIGN(auto rendered, text.render(context_, Place::query));
                if (!rendered) continue;
                secret_ = secret_ || rendered->secret;
                values.push_back(std::move(rendered->text));
            }
            if (!entry.omit && values.empty()) continue;
            remove_query_parameter(url_, entry.name);
            for (const std::string& value : values) add_query_parameter(url_, entry.name, value);
        }
        return {};
    }

    Result<void> make_headers() {
        for (const ParameterList* const list : base_.headers) PG_PULL_CHECK(apply_headers(*list));
        PG_PULL_CHECK(apply_headers(request_.headers));
        for (const auto& [name, value] : base_.overlay.headers) {
            if (value.find_first_of(std::string_view("\r\n\0", 3)) != std::string::npos)
                return fail(Reason::invalid_configuration, "header \"" + name + "\" would hold a line break");
            set_header({name, value, false});
        }
        if (find_header("accept") == headers_.end())
            headers_.push_back({"Accept", "application/json, */*;q=0.5", false});
        for (HeaderValue& header : headers_) {
            const bool bound = header.secret || !is_harmless_header(header.name);
            (bound ? out_.credential_headers : out_.headers)
                .emplace_back(std::move(header.name), std::move(header.value));
        }
        return {};
    }

    std::vector<HeaderValue>::iterator find_header(std::string_view name) {
        return std::find_if(headers_.begin(), headers_.end(),
                            [name](const HeaderValue& header) { return equals_ignoring_case(header.name, name); });
    }

    void set_header(HeaderValue header) {
        const auto old = find_header(header.name);
        if (old == headers_.end())
            headers_.push_back(std::move(header));
        else
            *old = std::move(header);
    }

    Result<void> apply_headers(const ParameterList& list) {
        for (const NamedTemplates& entry : list) {
            if (entry.omit) {
                if (const auto old = find_header(entry.name); old != headers_.end()) headers_.erase(old);
                continue;
            }
            PG_PULL_ASSIGN(auto rendered, entry.values.front().render(context_, Place::header));
            if (rendered) set_header({entry.name, std::move(rendered->text), rendered->secret});
        }
        return {};
    }

    Result<void> make_body() {
        const bool form = request_.format == BodyFormat::form;
        has_body_ = request_.body.has_value() || !base_.overlay.body.empty();
        if (!has_body_) return {};
        if (request_.body && request_.body->is_text()) {
            PG_PULL_ASSIGN(auto text, request_.body->render_text(context_, form ? Place::form : Place::json_string));
            secret_ = secret_ || text.secret;
            out_.body = std::move(text.text);
            if (!base_.overlay.body.empty())
                return fail(Reason::invalid_configuration,
                            "a body that is one string has no place for the cursor of a page");
        } else {
            json body = json::object();
            if (request_.body) {
                PG_PULL_ASSIGN(body, request_.body->render(context_, secret_));
            }
            add_overlay(body, form);
            out_.body = form ? form_text(body) : dump_body(body);
        }
        set_content_type(form ? "application/x-www-form-urlencoded" : "application/json");
        return {};
    }

    void add_overlay(json& body, bool form) const {
        for (const auto& [path, value] : base_.overlay.body) {
            if (form)
                body[path.text] = value.to_text();
            else
                set_at(body, path, value.to_json());
        }
    }

    void set_content_type(std::string_view type) {
        for (const auto& [name, value] : out_.headers)
            if (equals_ignoring_case(name, "content-type")) return;
        out_.headers.emplace_back("Content-Type", type);
    }

    const RequestTemplate& request_;
    const TemplateContext& context_;
    const RequestBase& base_;
    HttpRequest out_;
    Url url_;
    std::vector<HeaderValue> headers_;
    bool secret_ = false;
    bool has_body_ = false;
};

}  // namespace

Result<HttpRequest> render_request(const RequestTemplate& request, const TemplateContext& context,
                                   const RequestBase& base) {
    return RequestRenderer(request, context, base).render();
}

Result<void> check_origin(std::string_view url, const std::vector<std::string>& origins) {
    PG_PULL_ASSIGN(const std::string origin, origin_of(url));
    if (std::find(origins.begin(), origins.end(), origin) != origins.end()) return {};
    return fail(Reason::egress_denied, "the connector's credentials may not be sent to \"" + origin + "\"")
        .with_hint("If that address is right, add it to \"origins\" of the connector's config.");
}

Result<void> check_credential_origin(const HttpRequest& request) {
    if (request.credential_headers.empty() && !request.credential_in_url_or_body) return {};
    return check_origin(request.url, request.credential_origins);
}

}  // namespace pg_pull
