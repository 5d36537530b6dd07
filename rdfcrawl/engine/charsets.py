"""Character sets by the names that servers and pages use, as browsers understand them."""

from __future__ import annotations

import codecs
import re
from typing import Final

UTF_8: Final = "utf-8"

# By Python's names. Browsers take these for the larger ones that programs mean by them.
_LARGER: Final = {
    **dict.fromkeys(("ascii", "iso8859-1"), "cp1252"),
    "iso8859-9": "cp1254",
    **dict.fromkeys(("iso8859-11", "tis-620"), "cp874"),
    **dict.fromkeys(("gb2312", "gbk"), "gb18030"),
    "shift_jis": "cp932",
    "euc_kr": "cp949",
    "big5": "big5hkscs",
}
# Python has encodings that are no character sets, and some of them take for ever.
_CHARACTER_SET: Final = re.compile(
    r"utf-(?:8|16|32)(?:-[bl]e)?|cp[0-9]+|iso8859-[0-9]+|koi8-[rtu]|mac-[a-z]+|euc_jp|iso2022_jp|gb18030|big5hkscs"
)


def codec_of(charset: str) -> str | None:
    """Python's name of a character set; nothing if there is none of that name."""
    try:
        known = codecs.lookup(charset).name
    except (LookupError, ValueError):
        return None
    name = _LARGER.get(known, known)
    return name if _CHARACTER_SET.fullmatch(name) else None


def sending_codec(charset: str | None) -> str:
    """What a page in a character set sends in: UTF-8 if it is in any form of Unicode, or unknown."""
    name = codec_of(charset) if charset else None
    return UTF_8 if name is None or name.startswith("utf-") else name


def decoded(body: bytes, charset: str, errors: str = "replace") -> str | None:
    """The text of a body in a character set; nothing if there is none of that name."""
    name = codec_of(charset)
    if name is None:
        return None
    if codecs.lookup(charset).name == "ascii":
        # Some servers say so of everything.
        try:
            return body.decode()
        except UnicodeDecodeError:
            pass
    return body.decode(name, errors)
