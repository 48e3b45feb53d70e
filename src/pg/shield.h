#pragma once

#include "pg/shared.h"

namespace pg_pull::pg {

/// While it lives, a cancel does not stop this worker, and whoever called it does not wait for its end: an answer is awaited that
/// is given only once (a code's exchange, a refresh with rotation), and has to be stored. A cancel that comes meanwhile is served
/// afterwards. A termination is served at once.
class Shield {
public:
    explicit Shield(SharedCall& shared);
    ~Shield();
    Shield(const Shield&) = delete;
    Shield& operator=(const Shield&) = delete;

private:
    SharedCall& shared_;
};

}  // namespace pg_pull::pg
