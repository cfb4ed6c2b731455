// evariste.h as a C++ program uses it: the object in a class that wipes it, and errors as exceptions.

#include <evariste.h>

#include <cstdio>
#include <cstring>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace {

void check(int status)
{
    if (status != EVARISTE_OK)
        throw std::runtime_error(evariste_strerror(status));
}

class Gcm {
public:
    explicit Gcm(const std::vector<uint8_t> &key)
    {
        check(evariste_aead_init(get(), sizeof storage, EVARISTE_AES_256_GCM, key.data(), key.size(), 16, 0));
    }
    ~Gcm() { evariste_aead_cleanup(get()); }
    Gcm(const Gcm &) = delete;
    Gcm &operator=(const Gcm &) = delete;

    std::vector<uint8_t> seal(const std::vector<uint8_t> &nonce, const std::string &aad, const std::string &text) const
    {
        std::vector<uint8_t> out(text.size() + evariste_aead_tag_len(get()));
        size_t len = 0;
        check(evariste_aead_seal(get(), out.data(), &len, out.size(), nonce.data(), nonce.size(), bytes(aad),
                                 aad.size(), bytes(text), text.size()));
        return out;
    }

    std::string open(const std::vector<uint8_t> &nonce, const std::string &aad, std::vector<uint8_t> sealed) const
    {
        size_t len = 0;
        check(evariste_aead_open(get(), sealed.data(), &len, sealed.size(), nonce.data(), nonce.size(), bytes(aad),
                                 aad.size(), sealed.data(), sealed.size()));
        return std::string(sealed.begin(), sealed.begin() + static_cast<std::ptrdiff_t>(len));
    }

private:
    static const uint8_t *bytes(const std::string &s) { return reinterpret_cast<const uint8_t *>(s.data()); }
    evariste_aead *get() { return reinterpret_cast<evariste_aead *>(storage); }
    const evariste_aead *get() const { return reinterpret_cast<const evariste_aead *>(storage); }

    alignas(EVARISTE_STORAGE_ALIGN) unsigned char storage[EVARISTE_AEAD_STORAGE];
};

struct Free {
    void operator()(evariste_ctr *ctr) const { evariste_ctr_free(ctr); }
};

bool run()
{
    const std::vector<uint8_t> nonce(12, 1);
    const Gcm gcm(std::vector<uint8_t>(32, 7));
    const auto sealed = gcm.seal(nonce, "header", "attack at dawn");
    if (gcm.open(nonce, "header", sealed) != "attack at dawn")
        return false;
    try {
        gcm.open(nonce, "another", sealed);
        return false;
    } catch (const std::runtime_error &error) {
        if (std::string("the message is not authentic") != error.what())
            return false;
    }
    try {
        Gcm(std::vector<uint8_t>(31));
        return false;
    } catch (const std::runtime_error &) {
    }

    // Nothing has a place.
    if (gcm.open(nonce, "", gcm.seal(nonce, "", "")) != "")
        return false;

    evariste_ctr *made = nullptr;
    const uint8_t zeros[16] = {};
    check(evariste_ctr_new(&made, zeros, sizeof zeros, zeros, sizeof zeros));
    const std::unique_ptr<evariste_ctr, Free> ctr(made);
    uint8_t block[16] = {};
    check(evariste_ctr_apply(ctr.get(), block, sizeof block, block, sizeof block));
    // FIPS 197's cipher of zeros under zeros.
    if (std::memcmp(block, "\x66\xe9\x4b\xd4\xef\x8a\x2c\x3b\x88\x4c\xfa\x59\xca\x34\x2b\x2e", 16) != 0)
        return false;

    std::vector<std::thread> threads;
    std::vector<int> right(8);
    for (size_t n = 0; n < right.size(); n++)
        threads.emplace_back([&, n] { right[n] = gcm.seal(nonce, "header", "attack at dawn") == sealed; });
    for (auto &thread : threads)
        thread.join();
    return right == std::vector<int>(8, 1);
}

} // namespace

int main()
{
    try {
        const bool right = run();
        std::printf("%s\n", right ? "0 failures" : "FAILED");
        return !right;
    } catch (const std::exception &error) {
        std::printf("FAILED: %s\n", error.what());
        return 1;
    }
}
