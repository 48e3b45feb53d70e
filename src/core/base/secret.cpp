#include "core/base/secret.h"

namespace pg_pull {

void Secret::wipe() noexcept {
    // volatile keeps the compiler from dropping a write to memory that nobody reads again
    volatile char* at = text_.data();
    for (std::size_t i = 0; i < text_.size(); ++i) at[i] = 0;
    text_.clear();
}

}  // namespace pg_pull
