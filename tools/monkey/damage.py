"""Files as they come from a broken disk, a cut connection or the wrong editor."""

from random import Random


def damaged(random: Random, content: bytes) -> bytes:
    """The content, changed somewhere."""
    if not content:
        return b"\0"
    kind = random.randrange(9)
    place = random.randrange(len(content))
    if kind == 0:
        return content[:place]
    if kind == 1:  # a few bits
        changed = bytearray(content)
        for _ in range(random.randint(1, 4)):
            changed[random.randrange(len(changed))] ^= 1 << random.randrange(8)
        return bytes(changed)
    if kind == 2:
        return content[:place] + random.randbytes(random.randint(1, 16)) + content[place:]
    if kind == 3:
        return content[:place] + content[place + random.randint(1, 16) :]
    if kind == 4:
        return content + random.randbytes(random.randint(1, 100))
    if kind == 5:
        return random.choice((b"", b"\0", b"\n", b"\xef\xbb\xbf" + content, content.replace(b"\n", b"\r\n"), content * 2))
    if kind == 6:
        return _with_other_number(random, content)
    if kind == 7:  # a block repeated
        return content[:place] + content[place : place + 64] * 2 + content[place + 64 :]
    end = random.randrange(len(content))
    return content[:place] + bytes(random.randrange(256) for _ in range(max(0, min(end - place, 64)))) + content[end:]


def _with_other_number(random: Random, content: bytes) -> bytes:
    """One number of a text in place of another."""
    words = content.split(b" ")
    numbers = [i for i, word in enumerate(words) if word.strip().lstrip(b"-").replace(b".", b"", 1).isdigit()]
    if not numbers:
        return content[::-1]
    other = (b"-1", b"0", b"1e400", b"nan", b"99999999999999999999", b"2147483648", b"1e-320", b"0x10", b"1,5", b"")
    words[random.choice(numbers)] = random.choice(other)
    return b" ".join(words)
