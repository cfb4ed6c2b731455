"""AES-GCM and its kin from Python, by ctypes: nothing to compile.

    cargo xtask install-capi
    python3 crates/evariste-capi/examples/python/evariste.py

The library is the one that the loader finds, or what EVARISTE_LIBRARY names.
"""

import ctypes
import os

_lib = ctypes.CDLL(os.environ.get("EVARISTE_LIBRARY", "libevariste.so.0.1"))

_pointer, _size, _int = ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int
_lib.evariste_strerror.restype = ctypes.c_char_p
_lib.evariste_version.restype = ctypes.c_char_p
_lib.evariste_backend_name.restype = ctypes.c_char_p
_lib.evariste_backend_name.argtypes = [_pointer]
_lib.evariste_aead_new.argtypes = [ctypes.POINTER(_pointer), _int, ctypes.c_char_p, _size, _size, ctypes.c_uint]
_lib.evariste_aead_free.argtypes = [_pointer]
_lib.evariste_aead_free.restype = None
_lib.evariste_aead_tag_len.argtypes = [_pointer]
_lib.evariste_aead_tag_len.restype = _size
for _call in (_lib.evariste_aead_seal, _lib.evariste_aead_open):
    _call.argtypes = [
        _pointer, _pointer, ctypes.POINTER(_size), _size,
        ctypes.c_char_p, _size, ctypes.c_char_p, _size, ctypes.c_char_p, _size,
    ]  # fmt: skip

AES_128_GCM, AES_192_GCM, AES_256_GCM = 1, 2, 3
AES_128_CCM, AES_192_CCM, AES_256_CCM = 4, 5, 6
AES_128_GCM_SIV, AES_256_GCM_SIV, XAES_256_GCM = 7, 8, 9


class Error(Exception):
    """The library's word for what is wrong with a call."""


class NotAuthentic(Error):
    """The message is not what was sealed under this key."""


def _check(status):
    if status != 0:
        kind = NotAuthentic if status == -1 else Error
        raise kind(_lib.evariste_strerror(status).decode())


class Aead:
    """A key. Any number of threads may use it; ctypes lets go of the interpreter's lock during a call."""

    def __init__(self, algorithm, key, tag_len=0):
        self._aead = _pointer()
        _check(_lib.evariste_aead_new(self._aead, algorithm, key, len(key), tag_len, 0))

    def __del__(self):
        _lib.evariste_aead_free(self._aead)

    @property
    def backend(self):
        return _lib.evariste_backend_name(self._aead).decode()

    def seal(self, nonce, text, aad=b""):
        """The text encrypted, and the tag."""
        return self._call(_lib.evariste_aead_seal, len(text) + _lib.evariste_aead_tag_len(self._aead), nonce, text, aad)

    def open(self, nonce, sealed, aad=b""):
        """The text, or NotAuthentic."""
        return self._call(_lib.evariste_aead_open, len(sealed), nonce, sealed, aad)

    def _call(self, call, room, nonce, data, aad):
        out, length = ctypes.create_string_buffer(room), _size()
        _check(call(self._aead, out, length, room, nonce, len(nonce), aad, len(aad), data, len(data)))
        return out.raw[: length.value]


def main():
    print("evariste", _lib.evariste_version().decode())
    # XAES-256-GCM (C2SP), the first test vector.
    xaes = Aead(XAES_256_GCM, b"\x01" * 32)
    nonce = b"ABCDEFGHIJKLMNOPQRSTUVWX"
    sealed = xaes.seal(nonce, b"XAES-256-GCM")
    assert sealed.hex() == "ce546ef63c9cc60765923609b33a9a1974e96e52daf2fcf7075e2271"
    assert xaes.open(nonce, sealed) == b"XAES-256-GCM"

    gcm = Aead(AES_256_GCM, os.urandom(32))
    print("backend", gcm.backend)
    for text in (b"", b"attack at dawn", os.urandom(100_000)):
        nonce = os.urandom(12)
        sealed = gcm.seal(nonce, text, b"header")
        assert len(sealed) == len(text) + 16
        assert gcm.open(nonce, sealed, b"header") == text
        for damaged in (sealed[:-1], sealed[:-1] + bytes([sealed[-1] ^ 1]), sealed + b"\0", sealed[:10]):
            try:
                gcm.open(nonce, damaged, b"header")
            except NotAuthentic:
                continue
            raise AssertionError("a damaged message was opened")
    for wrong in ((AES_128_GCM, bytes(15), 0), (0, bytes(16), 0), (AES_128_GCM, bytes(16), 8)):
        try:
            Aead(*wrong)
        except Error as error:
            print("refused:", error)
        else:
            raise AssertionError(wrong)
    print("0 failures")


if __name__ == "__main__":
    main()
