"""What an address really says: its host as the network sees it, and what about it is odd."""

from __future__ import annotations

import ipaddress
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from urllib.parse import SplitResult, urlsplit

_WEB = frozenset({"http", "https"})
_HARMLESS = frozenset({*_WEB, "mailto"})
LONGEST = 4000
_MOST_OPENED = 2000


@dataclass(frozen=True, slots=True)
class Address:
    """`host` is in its ASCII form, empty where there is none; `remarks` are sentences.

    Only an address that `can_open` is ever handed to another program, and only when asked to.
    """

    written: str
    host: str
    remarks: tuple[str, ...]
    can_open: bool


def read_address(written: str) -> Address:
    """Read anything that stands where an address would."""
    try:
        parts = urlsplit(written)
        host = _ascii_host(parts.hostname or "")
        remarks = tuple(_remarks(written, parts, host))
    except ValueError:
        return Address(written, "", ("It is no valid address.",), can_open=False)
    is_web = parts.scheme.lower() in _WEB and bool(host)
    is_plain = all(" " < character < "\x7f" and character != "\\" for character in written)
    can_open = is_web and is_plain and not parts.username and len(written) <= _MOST_OPENED
    return Address(written, host, remarks, can_open)


def told(address: Address, most: int = LONGEST) -> str:
    """What the user is shown: all of it, and where it leads."""
    lines = ["This link leads out of zib:", "", address.written[:most]]
    if len(address.written) > most:
        lines.append(f"… and {len(address.written) - most:,} characters more")
    if address.host:
        lines += ["", f"Host: {address.host}"]
    if address.remarks:
        lines += ["", *address.remarks]
    return "\n".join(lines)


def _remarks(written: str, parts: SplitResult, host: str) -> Iterator[str]:
    scheme = parts.scheme.lower()
    if scheme and scheme not in _HARMLESS:
        yield f"“{scheme}:” is not a web address; zib never opens it."
    elif not scheme:
        yield "It does not say what kind of address it is."
    if parts.username is not None:
        yield "What stands before the @ is not the place it leads to."
    if "xn--" in host:
        yield "The host is written with letters that may look like others."
    if _is_number(host):
        yield "The host is a number, not a name."
    if "\\" in written:
        yield "It has backslashes, which programs read in different ways."
    if any(unicodedata.category(each) in {"Cf", "Cc", "Zl", "Zp"} for each in written):
        yield "It has characters in it that cannot be seen."
    if parts.query and len(parts.query) > 60:
        yield "It carries a long text behind the ?, which whoever runs the host would read."


def _ascii_host(host: str) -> str:
    if host.isascii():
        return host.lower()
    try:
        return host.encode("idna").decode()
    except UnicodeError:
        labels = host.split(".")
        return ".".join(
            label if label.isascii() else f"xn--{label.encode('punycode').decode()}"
            for label in labels
        )


def _is_number(host: str) -> bool:
    try:
        ipaddress.ip_address(host)
    except ValueError:
        return bool(host) and all(
            part.isdigit() or part.lower().startswith("0x") for part in host.split(".") if part
        )
    return True
