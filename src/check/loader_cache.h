// /etc/ld.so.cache, in which the loader finds libraries by name. Also finds the list of GPU code in
// a build.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace holdfast::check {

// Name to path. If a name appears several times, the first one for this kind of machine counts, as
// for the loader.
using LoaderCache = std::map<std::string, std::string, std::less<>>;

// glibc's format since 2.2, alone or behind the older format. Leaves out invalid entries.
LoaderCache parse_loader_cache(std::string_view bytes);

// "sm_75 sm_80 sm_90": torch's builds carry it as one text.
std::optional<std::string> find_gpu_code(std::string_view bytes);

}  // namespace holdfast::check
