// JPEG files by libjpeg-turbo alone, on threads that share nothing but a counter: the best that a
// loader can come near to. Reads, decodes, and with --resize makes the image smaller; no batches,
// no order, no Python. usage: bare_jpeg THREADS HEIGHT WIDTH PASSES [--resize] < NAMES prints
// {"samples": count, "wall": seconds, "cpu": seconds}
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <iostream>
#include <string>
#include <thread>
#include <vector>

// Needs <cstdio> before it.
#include <jpeglib.h>

#include "loader/scaler.h"

namespace {

using holdfast::loader::CropBox;
using holdfast::loader::ImageSize;
using holdfast::loader::RowSink;
using holdfast::loader::Scaler;
using holdfast::loader::Scratch;

class Image : public RowSink {
public:
    explicit Image(ImageSize size)
        : width_(size.width), pixels_(std::size_t{size.height} * size.width * 3) {}
    void row(std::uint32_t y, const std::uint8_t* pixels) override {
        std::memcpy(pixels_.data() + std::size_t{y} * width_ * 3, pixels, std::size_t{width_} * 3);
    }

private:
    std::uint32_t width_;
    std::vector<std::uint8_t> pixels_;
};

bool read_file(const std::string& path, std::vector<std::uint8_t>& bytes) {
    const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
    struct stat facts {};
    if (fd < 0 || ::fstat(fd, &facts) != 0) return false;
    bytes.resize(static_cast<std::size_t>(facts.st_size));
    const bool whole = ::read(fd, bytes.data(), bytes.size()) == facts.st_size;
    ::close(fd);
    return whole;
}

class Worker {
public:
    Worker(ImageSize out, bool resize)
        : out_(out), resize_(resize), image_(out), room_(1U << 20U) {}

    void decode(const std::string& path) {
        if (!read_file(path, bytes_)) std::exit(1);
        jpeg_decompress_struct info;
        jpeg_error_mgr errors;
        info.err = jpeg_std_error(&errors);
        jpeg_create_decompress(&info);
        jpeg_mem_src(&info, bytes_.data(), static_cast<unsigned long>(bytes_.size()));
        jpeg_read_header(&info, TRUE);
        info.out_color_space = JCS_RGB;
        jpeg_start_decompress(&info);
        const ImageSize in{info.output_height, info.output_width};
        Scratch scratch(room_);
        Scaler scaler;
        row_.resize(std::size_t{in.width} * 3 + 64);
        const CropBox whole{0, 0, static_cast<double>(in.width), static_cast<double>(in.height)};
        if (resize_ && !scaler.begin(scratch, in, whole, out_, 3, image_)) std::exit(1);
        while (info.output_scanline < info.output_height) {
            JSAMPROW into = resize_ ? scaler.next_row() : row_.data();
            jpeg_read_scanlines(&info, &into, 1);
            if (resize_) scaler.row_done();
        }
        jpeg_finish_decompress(&info);
        jpeg_destroy_decompress(&info);
    }

private:
    ImageSize out_;
    bool resize_;
    Image image_;
    std::vector<std::byte> room_;
    std::vector<std::uint8_t> bytes_;
    std::vector<std::uint8_t> row_;
};

double cpu_seconds() {
    rusage used{};
    ::getrusage(RUSAGE_SELF, &used);
    const auto seconds = [](const timeval& time) {
        return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) * 1e-6;
    };
    return seconds(used.ru_utime) + seconds(used.ru_stime);
}

}  // namespace

int main(int argc, char** argv) {
    if (argc < 5) {
        std::fprintf(stderr, "usage: bare_jpeg THREADS HEIGHT WIDTH PASSES [--resize] < NAMES\n");
        return 2;
    }
    const int count = std::atoi(argv[1]);
    const ImageSize out{static_cast<std::uint32_t>(std::atoi(argv[2])),
                        static_cast<std::uint32_t>(std::atoi(argv[3]))};
    const auto passes = static_cast<std::size_t>(std::atoi(argv[4]));
    const bool resize = argc > 5 && std::strcmp(argv[5], "--resize") == 0;
    std::vector<std::string> names;
    for (std::string name; std::getline(std::cin, name);) names.push_back(name);
    const auto started = std::chrono::steady_clock::now();
    const double before = cpu_seconds();
    std::atomic<std::size_t> next = 0;
    std::vector<std::thread> threads;
    for (int i = 0; i < count; ++i)
        threads.emplace_back([&] {
            Worker worker(out, resize);
            for (std::size_t at = next++; at < names.size() * passes; at = next++)
                worker.decode(names[at % names.size()]);
        });
    for (std::thread& thread : threads) thread.join();
    const std::chrono::duration<double> wall = std::chrono::steady_clock::now() - started;
    std::printf("{\"samples\": %zu, \"wall\": %.6f, \"cpu\": %.6f, \"peak\": 0}\n",
                names.size() * passes, wall.count(), cpu_seconds() - before);
    return 0;
}
