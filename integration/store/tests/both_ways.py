"""Opens messages with cryptography's Cobblestone and seals others.

For each folder named as an argument: `ours`, sealed under `key` and `context`, goes to `opened`, and `text` to `theirs`.
"""

import pathlib
import sys

from cryptography import cobblestone


def through(machine, data):
    """In pieces that end nowhere near the chunks'."""
    pieces = [machine.update(data[i : i + 100_003]) for i in range(0, len(data), 100_003)]
    return b"".join(pieces) + machine.finalize()


for argument in sys.argv[1:]:
    case = pathlib.Path(argument)
    key = (case / "key").read_bytes()
    context = (case / "context").read_bytes()
    suites = {
        16: (cobblestone.Cobblestone128Encryptor, cobblestone.Cobblestone128Decryptor),
        32: (cobblestone.Cobblestone256Encryptor, cobblestone.Cobblestone256Decryptor),
    }
    encryptor, decryptor = suites[len(key)]
    (case / "opened").write_bytes(through(decryptor(key, context), (case / "ours").read_bytes()))
    (case / "theirs").write_bytes(through(encryptor(key, context), (case / "text").read_bytes()))
