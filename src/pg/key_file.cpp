#include "pg/key_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace pg_pull::pg {
namespace {

/// A ring has a line of about 62 bytes a key; whatever is longer than this is another file.
constexpr off_t kMaxBytes = 1 << 20;

/// Closed when its scope ends, which is before anything of the server is called.
class File {
public:
    explicit File(int fd) noexcept : fd_(fd) {}
    ~File() {
        if (fd_ >= 0) ::close(fd_);
    }
    File(const File&) = delete;
    File& operator=(const File&) = delete;
    [[nodiscard]] int fd() const noexcept { return fd_; }

private:
    int fd_;
};

Error unavailable(const char* could_not, const std::string& path, int error_number) {
    return fail(Reason::key_unavailable,
                std::string("could not ") + could_not + " key file \"" + path + "\": " + strerror(error_number))
        .with_hint("Restore the key file from a copy, or correct pg_pull.key_file.");
}

Result<void> check_access(const struct stat& status, const std::string& path) {
    if (!S_ISREG(status.st_mode))
        return fail(Reason::key_unavailable, "key file \"" + path + "\" is not a regular file");
    // as with the server's TLS key: a file of root's may be read by the server through its group
    const mode_t forbidden = status.st_uid == 0 ? (S_IWGRP | S_IXGRP | S_IRWXO) : (S_IRWXG | S_IRWXO);
    if ((status.st_mode & forbidden) != 0)
        return fail(Reason::key_unavailable, "key file \"" + path + "\" can be read or written by others")
            .with_hint("Set its permissions to 0600.");
    if (status.st_size > kMaxBytes)
        return fail(Reason::key_unavailable, "key file \"" + path + "\" is too large for a key ring");
    return {};
}

Result<std::string> read_all(int fd, const std::string& path) {
    std::string text;
    char buffer[4096];
    for (;;) {
        const ssize_t got = ::read(fd, buffer, sizeof buffer);
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) return unavailable("read", path, errno);
        if (got == 0) return text;
        text.append(buffer, static_cast<std::size_t>(got));
    }
}

Result<void> write_all(int fd, std::string_view text, const std::string& path) {
    while (!text.empty()) {
        const ssize_t put = ::write(fd, text.data(), text.size());
        if (put < 0 && errno == EINTR) continue;
        if (put < 0) return unavailable("write", path, errno);
        text.remove_prefix(static_cast<std::size_t>(put));
    }
    if (::fsync(fd) != 0) return unavailable("fsync", path, errno);
    return {};
}

Result<void> sync_directory_of(const std::string& path) {
    const std::size_t slash = path.rfind('/');
    const std::string directory = slash == std::string::npos ? "." : slash == 0 ? "/" : path.substr(0, slash);
    const File file(::open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (file.fd() < 0 || ::fsync(file.fd()) != 0) return unavailable("fsync the directory of", path, errno);
    return {};
}

Result<void> write_beside(const std::string& beside, const Secret& text) {
    if (::unlink(beside.c_str()) != 0 && errno != ENOENT)
        return unavailable("remove", beside, errno);  // left behind by a crash
    const File file(::open(beside.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, S_IRUSR | S_IWUSR));
    if (file.fd() < 0) return unavailable("create", beside, errno);
    if (::fchmod(file.fd(), S_IRUSR | S_IWUSR) != 0) return unavailable("set permissions of", beside, errno);
    return write_all(file.fd(), text.reveal(), beside);
}

}  // namespace

Result<std::optional<Secret>> read_key_file(const std::string& path) {
    const File file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
    if (file.fd() < 0 && errno == ENOENT) return std::optional<Secret>();
    if (file.fd() < 0) return unavailable("open", path, errno);
    struct stat status {};
    if (::fstat(file.fd(), &status) != 0) return unavailable("look at", path, errno);
    PG_PULL_CHECK(check_access(status, path));
    PG_PULL_ASSIGN(std::string text, read_all(file.fd(), path));
    return std::optional(Secret(std::move(text)));
}

Result<bool> write_key_file(const std::string& path, const Secret& text, bool replace) {
    const std::string beside = path + ".new";
    PG_PULL_CHECK(write_beside(beside, text));
    if (replace) {
        if (::rename(beside.c_str(), path.c_str()) != 0) return unavailable("replace", path, errno);
    } else {
        // unlike a rename, a link never takes the place of a file that is there
        const int failed = ::link(beside.c_str(), path.c_str()) != 0 ? errno : 0;
        ::unlink(beside.c_str());
        if (failed == EEXIST) return false;
        if (failed != 0) return unavailable("create", path, failed);
    }
    PG_PULL_CHECK(sync_directory_of(path));
    return true;
}

}  // namespace pg_pull::pg
