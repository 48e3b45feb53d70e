extern "C" {
#include "postgres.h"

#include "storage/buffile.h"
#include "utils/memutils.h"
}

#include "pg/border.h"
#include "pg/spool.h"

namespace pg_pull::pg {

struct Spool::File {
    MemoryContext context;
    BufFile* file;
};

namespace {

BufFile* open_file(MemoryContext context) {
    MemoryContext before = MemoryContextSwitchTo(context);
    constexpr bool across_transactions = true;
    BufFile* file = BufFileCreateTemp(across_transactions);
    MemoryContextSwitchTo(before);
    return file;
}

void read_exactly(BufFile* file, void* data, std::size_t size) {
    if (BufFileRead(file, data, size) != size)
        ereport(ERROR, (errcode_for_file_access(), errmsg("could not read a page back from a temporary file")));
}

}  // namespace

void Spool::append(const std::string& page) {
    if (file_ == nullptr) {
        file_ = call([] {
            MemoryContext context = AllocSetContextCreate(TopMemoryContext, "pg_pull spool", ALLOCSET_DEFAULT_SIZES);
            auto* made = static_cast<File*>(MemoryContextAlloc(context, sizeof(File)));
            made->context = context;
            made->file = open_file(context);
            return made;
        });
    }
    const char* data = page.data();
    std::uint64_t size = page.size();
    BufFile* file = file_->file;
    call([=]() mutable {
        BufFileWrite(file, &size, sizeof size);
        BufFileWrite(file, const_cast<char*>(data), size);
    });
    ++unread_;
}

void Spool::rewind() {
    if (file_ == nullptr) return;
    BufFile* file = file_->file;
    call([file] {
        if (BufFileSeek(file, 0, 0, SEEK_SET) != 0)
            ereport(ERROR, (errcode_for_file_access(), errmsg("could not rewind a temporary file")));
    });
}

std::optional<std::string> Spool::next() {
    if (unread_ == 0) return std::nullopt;
    BufFile* file = file_->file;
    const auto size = call([file] {
        std::uint64_t length = 0;
        read_exactly(file, &length, sizeof length);
        return length;
    });
    std::string page(size, '\0');
    char* data = page.data();
    call([=] { read_exactly(file, data, size); });
    --unread_;
    return page;
}

Spool::~Spool() {
    if (file_ == nullptr) return;
    // neither raises; what cannot be removed now is removed when the process ends
    MemoryContext context = file_->context;
    BufFileClose(file_->file);
    MemoryContextDelete(context);
}

}  // namespace pg_pull::pg
