#!/usr/bin/env python3
"""Test values for the header of docs/formats.md, written from that document alone, without evariste.

    pip install argon2-cffi cryptography
    python3 tests/header_vectors.py > tests/data/header.txt

Argon2id is that of argon2-cffi, AES-GCM and HKDF-Expand those of cryptography, hashes those of hashlib.
"""

import hashlib

from argon2.low_level import Type, hash_secret_raw
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.hashes import SHA512
from cryptography.hazmat.primitives.kdf.hkdf import HKDFExpand

TEXT = b"attack at dawn"
PASSPHRASE = "correct horse battery stäple".encode()


def count(first, n):
    return bytes(range(first, first + n))


def expand(prk, info, n):
    return HKDFExpand(SHA512(), n, info).derive(prk)


def close(sector):
    assert len(sector) <= 496
    sector = sector.ljust(496, b"\0")
    return sector + hashlib.sha512(sector).digest()[:16]


def immutable(suite, content, file_id):
    magic = bytes.fromhex("894556520d0a1a0a")
    return close(magic + (1).to_bytes(2, "big") + bytes([suite, content]) + bytes(4) + file_id)


def wrap(fixed, parameters, prk, data_key):
    assert len(parameters) == 64
    keys = expand(prk, b"evariste file slot v1\0" + fixed + parameters, 64)
    aad = parameters + keys[32:]
    return close(aad + AESGCM(keys[:32]).encrypt(bytes(12), data_key.ljust(32, b"\0"), aad))


def passphrase_slot(fixed, salt, data_key, m, t, p):
    prk = hash_secret_raw(PASSPHRASE, salt, t, m, p, 32, Type.ID, 0x13)
    numbers = b"".join(n.to_bytes(4, "big") for n in (m, t, p))
    return wrap(fixed, b"\1\0\0\0" + numbers + salt + bytes(16), prk, data_key)


def key_file_slot(fixed, salt, data_key, key_file):
    key_id = expand(key_file, b"evariste key file id v1", 16)
    return wrap(fixed, b"\2" + bytes(15) + salt + key_id, key_file, data_key)


def message(data_key, context, salt):
    """One chunk, of C2SP chunked encryption."""
    n = len(data_key)
    aead = {16: b"AEAD_AES_128_GCM", 32: b"AEAD_AES_256_GCM"}[n]
    keys = expand(data_key, b"c2sp.org/chunked-encryption@v1+" + aead + b"\0" + salt + context, n + 44)
    return salt + keys[n + 12:] + AESGCM(keys[:n]).encrypt(keys[n:n + 12], TEXT, b"")


def case(name, suite, content, first, m, t, p):
    n = 16 * suite
    fixed = immutable(suite, content, count(first, 16))
    data_key = count(first + 16, n)
    key_file = count(first + 64, n)
    slots = [
        passphrase_slot(fixed, count(first + 112, 32), data_key, m, t, p),
        key_file_slot(fixed, count(first + 128, 32), data_key, key_file),
    ]
    header = (fixed + b"".join(slots)).ljust(4096, b"\0")
    file = header + message(data_key, fixed, count(first + 96, 24))
    for key, value in [
        ("immutable checksum", fixed[496:]),
        ("slot 0", slots[0][:144]),
        ("slot 0 checksum", slots[0][496:]),
        ("slot 1", slots[1][:144]),
        ("slot 1 checksum", slots[1][496:]),
        ("header sha-256", hashlib.sha256(header).digest()),
        ("message", file[4096:]),
    ]:
        print(f"{name} {key}: {value.hex()}")


case("A", 2, 0, 0x10, 64, 3, 4)
case("B", 1, 1, 0x50, 8, 1, 1)
