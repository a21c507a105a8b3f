"""Promises of bundles: one that is not whole is not kept, a hostile one is kept and not opened, nothing ends a run."""

import hashlib
import io
import stat
import struct
import time
import tracemalloc
import unicodedata
import warnings
import zipfile
import zlib
from contextlib import closing
from dataclasses import replace

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from propsync.documents.csv_rows import csv_tables
from propsync.documents.zips.bundle import Bounds, Bundle, Member, member_pieces, read_bundle
from propsync.errors import DocumentDamaged

BOUNDS = Bounds()
CONTENTS = {
    "report.pdf": b"%PDF-1.7 " + bytes(range(256)) * 40,
    "actions.csv": b"Ref,Action\r\nA1,Fix the door\r\n" * 20,
    "images/": b"",
    "images/controls/C01.png": b"\x89PNG" + hashlib.sha256(b"a picture").digest() * 30,
    "attachments/llythyr \u0175.txt": "Annwyl breswylydd \u0175".encode(),
}
ENTRY, HEADER, END = b"PK\x01\x02", b"PK\x03\x04", b"PK\x05\x06"


def zipped(contents=CONTENTS, method=zipfile.ZIP_DEFLATED):
    """A ZIP of (name, content), or of name → content; zipfile warns where a name comes twice."""
    packed = io.BytesIO()
    with warnings.catch_warnings(), zipfile.ZipFile(packed, "w") as folder:
        warnings.simplefilter("ignore", UserWarning)
        for name, content in contents.items() if isinstance(contents, dict) else contents:
            # zipfile cuts a name at its first NUL
            member = zipfile.ZipInfo(name.replace("\0", "\1"), (2026, 3, 2, 6, 0, 0))
            member.compress_type = method
            folder.writestr(member, content)
    return packed.getvalue()


def patched(packed, signature, offset, form, number, which=0):
    """A ZIP with another number in one of its records: the `which`th that opens with `signature`."""
    place = -1
    for _ in range(which + 1):
        place = packed.index(signature, place + 1)
    changed = bytearray(packed)
    struct.pack_into(form, changed, place + offset, number)
    return bytes(changed)


def in_directory(packed, offset, form, number, which=0):
    return patched(packed, ENTRY, offset, form, number, which)


def symlink(name, target):
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as folder:
        link = zipfile.ZipInfo(name)
        link.external_attr = (stat.S_IFLNK | 0o777) << 16
        folder.writestr(link, target)
        folder.writestr("actions.csv", b"Ref\r\nA1\r\n")
    return packed.getvalue()


def overlapping():
    """Three names for the bytes of one member."""
    packed = zipped({"a.bin": bytes(1000)}, zipfile.ZIP_STORED)
    place, end = packed.index(ENTRY), packed.index(END)
    entry = packed[place:end]
    directory = b"".join(entry.replace(b"a.bin", name) for name in (b"a.bin", b"b.bin", b"c.bin"))
    return packed[:place] + directory + struct.pack("<4s4H2LH", END, 0, 0, 3, 3, len(directory), place, 0)


def streamed(contents=CONTENTS):
    """As servers stream it: sizes and checksums come after each member, in a data descriptor."""

    class Pipe(io.BytesIO):
        def seekable(self):
            return False

        def seek(self, *_):
            raise io.UnsupportedOperation

        def tell(self):
            raise io.UnsupportedOperation

    packed = Pipe()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as folder:
        for name, content in contents.items():
            folder.writestr(name, content)
    return packed.getvalue()


def wide(contents=CONTENTS):
    """Every number of the directory and of its end in its zip64 place."""
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as folder:
        for name, content in contents.items():
            with folder.open(name, "w", force_zip64=True) as member:
                member.write(content)
    first, directory = packed.getvalue(), b""
    place, end = first.index(ENTRY), first.index(END)
    at = place
    while at < end:
        fields = list(struct.unpack_from("<4s6H3L5H2L", first, at))
        name = first[at + 46 : at + 46 + fields[10]]
        extra = struct.pack("<2H3Q", 1, 24, fields[9], fields[8], fields[16])
        at += 46 + fields[10] + fields[11] + fields[12]
        fields[8] = fields[9] = fields[16] = 0xFFFF_FFFF
        fields[11], fields[12] = 4 + len(extra), 0
        directory += struct.pack("<4s6H3L5H2L", *fields) + name + b"\xfe\xca\0\0" + extra
    count, wide_at = len(contents), place + len(directory)
    record = struct.pack("<4sQ2H2L4Q", b"PK\6\6", 44, 45, 45, 0, 0, count, count, len(directory), place)
    locator = struct.pack("<4sLQL", b"PK\6\7", 0, wide_at, 1)
    told = struct.pack("<4s4H2LH", END, 0, 0, 0xFFFF, 0xFFFF, 0xFFFF_FFFF, 0xFFFF_FFFF, 0)
    return first[:place] + directory + record + locator + told


def with_comment(comment):
    packed = io.BytesIO(zipped())
    with zipfile.ZipFile(packed, "a") as folder:
        folder.comment = comment
    return packed.getvalue()


@pytest.fixture
def read(tmp_path):
    """Reads bytes as a bundle."""

    def reading(packed, bounds=BOUNDS):
        path = tmp_path / "bundle.zip"
        path.write_bytes(packed)
        return read_bundle(path, bounds)

    return reading


# --- whole ones ------------------------------------------------------------------------------------------------------

WHOLE = {
    "deflated": (zipped(), CONTENTS),
    "stored": (zipped(method=zipfile.ZIP_STORED), CONTENTS),
    "with data descriptors": (streamed(), CONTENTS),
    "zip64": (wide(), CONTENTS),
    "with a comment": (with_comment(b"made by hand"), CONTENTS),
    # by this one zipfile itself is deceived
    "with a comment that looks like an end": (with_comment(b"see " + END + bytes(18) + b", and more"), CONTENTS),
    "empty": (zipped({}), {}),
}


@pytest.mark.parametrize(("packed", "contents"), WHOLE.values(), ids=WHOLE)
def test_members_are_listed_in_their_order_as_the_zip_has_them_with_their_hash(read, packed, contents):
    expected = [
        Member(name, len(content), zlib.crc32(content), hashlib.sha256(content).hexdigest(), None)
        for name, content in contents.items()
    ]
    assert read(packed) == Bundle(tuple(expected), None)


def test_a_name_is_utf_8_with_and_without_its_flag_and_else_of_the_old_code_page(read):
    packed = zipped({"\u0175.txt": b"1", "plain1.txt": b"2", "old1.txt": b"3"})
    unflagged = in_directory(packed, 8, "<H", 0)
    old = unflagged.replace(b"old1", b"old\x82")
    assert [member.name for member in read(old).members] == ["\u0175.txt", "plain1.txt", "old\u00e9.txt"]


def test_a_small_member_may_be_packed_tightly(read):
    contents = {
        "zeros.bin": bytes(900_000),
        "noise.bin": b"".join(hashlib.sha256(b"%d" % n).digest() for n in range(900)),
    }
    assert read(zipped(contents)).refused is None


def test_a_word_document_is_no_archive_though_its_format_is_a_zip(read):
    bundle = read(zipped({"actions.csv": b"Ref\r\n", "attachments/Letter.DOCX": zipped()}))
    assert bundle.refused is None
    assert all(member.sha256 for member in bundle.members)


def test_a_member_is_read_again_by_its_name(read, tmp_path):
    bundle = read(zipped())
    for name, content in CONTENTS.items():
        assert b"".join(member_pieces(tmp_path / "bundle.zip", bundle, name)) == content


def test_a_member_that_was_refused_is_not_read_by_its_name_either(read, tmp_path):
    bundle = read(zipped({"../actions.csv": b"Ref\r\n"}))
    for name in ("../actions.csv", "no such member"):
        with pytest.raises(KeyError):
            next(member_pieces(tmp_path / "bundle.zip", bundle, name))


@pytest.mark.parametrize("other", [{}, {"a.txt": b"1"}, dict(CONTENTS, more=b"1")], ids=["empty", "fewer", "more"])
def test_a_zip_that_is_another_by_now_is_damaged(read, tmp_path, other):
    bundle = read(zipped())
    (tmp_path / "bundle.zip").write_bytes(zipped(other))
    with pytest.raises(DocumentDamaged, match="it is not the ZIP whose directory propsync read"):
        next(member_pieces(tmp_path / "bundle.zip", bundle, "report.pdf"))


# --- members that are not read ---------------------------------------------------------------------------------------

NOT_READ = {
    "../../etc/passwd": "its name leaves the folder",
    "images/../../actions.csv": "its name leaves the folder",
    "images/.. /actions.csv": "its name leaves the folder",
    "..": "its name leaves the folder",
    "/etc/passwd": "its name is absolute",
    "//server/share/actions.csv": "its name is absolute",
    "C:/Windows/actions.csv": "its name has a drive letter",
    "c:actions.csv": "its name has a drive letter",
    "..\\..\\actions.csv": "its name has a backslash",
    "images\\actions.csv": "its name has a backslash",
    "actions.csv\nFAKE LINE": "its name has control characters",
    "actions.csv\x1b[2J": "its name has control characters",
    "actions.csv\0.png": "its name has control characters",
}


@pytest.mark.parametrize(("name", "reason"), NOT_READ.items(), ids=map(ascii, NOT_READ))
def test_a_member_that_would_leave_the_folder_is_listed_and_not_read(read, name, reason):
    packed = zipped([("report.pdf", b"%PDF"), (name, b"hostile"), ("elements.csv", b"Ref\r\n")])
    spelt = name.replace("\0", "\1")
    packed = packed.replace(spelt.encode(), name.encode())
    first, refused, last = read(packed).members
    assert refused == Member(name, 7, zlib.crc32(b"hostile"), None, reason)
    assert first.sha256 == hashlib.sha256(b"%PDF").hexdigest()
    assert last.sha256 == hashlib.sha256(b"Ref\r\n").hexdigest()


def test_a_member_without_a_name_is_listed_and_not_read(read):
    packed = zipped({"actions.csv": b"Ref\r\n", "x": b"1"})
    nameless = in_directory(patched(packed, HEADER, 26, "<H", 0, 1), 28, "<H", 0, 1)
    place = nameless.rindex(ENTRY)
    # the byte that was its name goes from the directory; in its header it is taken for the first packed one
    shorter = nameless[: place + 46] + nameless[place + 47 :]
    end = patched(shorter, END, 12, "<L", shorter.index(END) - shorter.index(ENTRY))
    assert read(end).members[1] == Member("", 1, zlib.crc32(b"1"), None, "it has no name")


def test_a_symlink_is_listed_and_not_read(read):
    link, csv = read(symlink("images/link", "../../etc/passwd")).members
    assert (link.name, link.sha256, link.refused) == ("images/link", None, "it is a symlink")
    assert csv.sha256


def test_what_is_not_read_counts_as_unpacked_all_the_same(read):
    packed = zipped({"../bomb": bytes(10**7)})
    assert read(packed).refused == f"it unpacks to {10**7 // len(packed):,} times its size"


# --- whole and hostile -----------------------------------------------------------------------------------------------

ONE = {"actions.csv": b"Ref\r\nA1\r\n", "report.pdf": b"%PDF-1.7 " * 50}
NOISE = b"".join(hashlib.sha256(b"%d" % number).digest() for number in range(40_000))
BOMB = zipped({"bomb.bin": bytes(10**7)})
TIMES = 10**7 // struct.unpack_from("<L", BOMB, BOMB.index(ENTRY) + 20)[0]
HOSTILE = {
    "a bomb by its ratio": (BOMB, f"it unpacks to {10**7 // len(BOMB):,} times its size"),
    "a bomb among what cannot be packed": (
        zipped({"noise.bin": NOISE, "bomb.bin": bytes(10**7)}),
        f"a member unpacks to {TIMES:,} times its size",
    ),
    "a bomb that declares no packed bytes": (
        in_directory(zipped({"noise.bin": NOISE, "bomb.bin": bytes(10**7)}), 20, "<L", 0, 1),
        "a member unpacks to 10,000,000 times its size",
    ),
    "encrypted": (in_directory(zipped(ONE), 8, "<H", 1, 1), "a member is encrypted"),
    "encrypted, by its own header alone": (patched(zipped(ONE), HEADER, 6, "<H", 1, 1), "a member is encrypted"),
    "strongly encrypted": (in_directory(zipped(ONE), 8, "<H", 1 << 6), "a member is encrypted"),
    "an unknown method": (
        in_directory(zipped(ONE), 10, "<H", 97),
        "a member is packed by method 97, which propsync does not read",
    ),
    "bzip2": (zipped(ONE, zipfile.ZIP_BZIP2), "a member is packed by method 12, which propsync does not read"),
    "lzma": (zipped(ONE, zipfile.ZIP_LZMA), "a member is packed by method 14, which propsync does not read"),
    "overlapping members": (overlapping(), "members overlap"),
}
SIZE, OWN = (
    "a member's size is not what the directory declares",
    "a member's own header is not what the directory declares",
)
GOOD = zipped(ONE)
PLAIN = zipped(ONE, zipfile.ZIP_STORED)
HOSTILE |= {
    "a declared size that is smaller": (in_directory(GOOD, 24, "<L", 400, 1), SIZE),
    "a declared size that is one smaller": (in_directory(GOOD, 24, "<L", 449, 1), SIZE),
    "a declared size that is larger": (in_directory(GOOD, 24, "<L", 451, 1), SIZE),
    "a declared size of nothing": (in_directory(GOOD, 24, "<L", 0, 1), SIZE),
    "a stored member declared smaller": (in_directory(PLAIN, 24, "<L", 8), SIZE),
    "a stored member declared larger": (in_directory(PLAIN, 24, "<L", 10), SIZE),
    "packed bytes declared fewer": (in_directory(GOOD, 20, "<L", 8), SIZE),
    "a size of its own header": (patched(GOOD, HEADER, 22, "<L", 449, 1), OWN),
    "packed bytes of its own header": (patched(GOOD, HEADER, 18, "<L", 8), OWN),
    "a checksum of its own header": (patched(GOOD, HEADER, 14, "<L", 1), OWN),
    "a header that has another name": (GOOD.replace(b"actions.csv", b"actionz.csv", 1), OWN),
    "a size in both places": (patched(in_directory(GOOD, 24, "<L", 451, 1), HEADER, 22, "<L", 451, 1), SIZE),
}


@pytest.mark.parametrize(("packed", "reason"), HOSTILE.values(), ids=HOSTILE)
def test_a_hostile_zip_is_kept_and_not_opened_further(read, packed, reason):
    assert read(packed) == Bundle((), reason)


TWIN, ARCHIVE = "another member has nearly its name", "it is an archive itself"
ODD = {
    "one name": ([("a.txt", b"1"), ("a.txt", b"2")], "another member has its name"),
    "one name for a table": ([("controls.csv", b"1"), ("controls.csv", b"2")], "another member has its name"),
    "one name in two cases": ([("A.txt", b"1"), ("a.TXT", b"2")], TWIN),
    "one name with ./": ([("x/a.txt", b"1"), ("./x/./a.txt", b"2")], TWIN),
    "one name with two slashes": ([("x/a.txt", b"1"), ("x//a.txt", b"2")], TWIN),
    "one name in two compositions": (
        [(unicodedata.normalize(form, "\u0175.txt"), b"1") for form in ("NFC", "NFD")],
        TWIN,
    ),
    "a file and a folder of one name": ([("a", b"1"), ("a/", b"")], TWIN),
    "a table in two cases": ([("Controls.csv", b"1"), ("controls.CSV", b"2")], TWIN),
    "a ZIP": ([("inner.ZIP", zipped(ONE))], ARCHIVE),
    "a ZIP under another name": ([("inner.png", zipped(ONE))], ARCHIVE),
    "a ZIP that is called a table": ([("controls.csv", zipped(ONE))], ARCHIVE),
    "a ZIP by its name alone": ([("inner.zip", b"no ZIP")], ARCHIVE),
}


def test_a_zip_whose_members_all_have_one_name_takes_no_longer_than_another(read):
    def seconds(packed):
        began = time.process_time()
        assert read(packed).refused is None
        return time.process_time() - began

    contents = [b"%d" % number for number in range(8_000)]
    other = seconds(zipped([(f"{number}.jpg", content) for number, content in enumerate(contents)]))
    assert seconds(zipped([("image.jpg", content) for content in contents])) < 5 * other


@pytest.mark.parametrize(("odd", "reason"), ODD.values(), ids=ODD)
def test_a_member_that_programs_could_confuse_costs_itself_alone(read, tmp_path, odd, reason):
    bundle = read(zipped([*odd, *ONE.items()]))
    assert bundle.refused is None
    refused = {one.name: (one.sha256, one.refused, one.size_bytes) for one in bundle.members if one.refused}
    assert refused == {name: (None, reason, len(content)) for name, content in odd}
    assert {one.name for one in bundle.members} == {*refused, *ONE}
    for name, content in ONE.items():
        assert b"".join(member_pieces(tmp_path / "bundle.zip", bundle, name)) == content
    with pytest.raises(KeyError):
        next(member_pieces(tmp_path / "bundle.zip", bundle, odd[0][0]))


def test_a_member_that_is_there_twice_with_the_same_bytes_is_read(read, tmp_path):
    bundle = read(zipped([("a.txt", b"1"), *ONE.items(), ("a.txt", b"1")]))
    assert [(one.name, one.refused) for one in bundle.members] == [(name, None) for name in ("a.txt", *ONE, "a.txt")]
    assert b"".join(member_pieces(tmp_path / "bundle.zip", bundle, "a.txt")) == b"1"


def test_too_many_members_are_told_by_the_end_before_the_directory_is_read(read):
    packed = zipped({f"{number}.txt": b"" for number in range(11)})
    assert read(packed, Bounds(members=11)).refused is None
    broken = in_directory(packed, 0, "<L", 0)
    assert read(broken, Bounds(members=10)) == Bundle((), "it has 11 members, more than 10")


def test_too_many_members_that_the_end_does_not_tell_are_not_listed_either(read):
    packed = zipped({f"{number}.txt": b"" for number in range(11)})
    lying = patched(patched(packed, END, 8, "<H", 3), END, 10, "<H", 3)
    assert read(lying, Bounds(members=10)) == Bundle((), "it has more than 10 members")


def test_more_members_than_the_bound_of_every_day_are_refused(read):
    packed = zipped({f"{number}": b"" for number in range(60_000)}, zipfile.ZIP_STORED)
    assert read(packed) == Bundle((), "it has 60,000 members, more than 50,000")


def test_a_directory_too_long_to_be_held_is_refused(read):
    length = 600
    name = "n" * 60_000
    packed = zipped({f"{number}{name}": b"" for number in range(length)}, zipfile.ZIP_STORED)
    assert read(packed).refused == "its directory takes 36,029,290 bytes, more than 32,000,000"


def test_a_zip_that_unpacks_to_more_than_the_bound_is_refused(read):
    packed = zipped({"noise.bin": NOISE[:600], "more.bin": NOISE[600:1201]})
    assert read(packed, Bounds(unpacked_bytes=1201)).refused is None
    assert read(packed, Bounds(unpacked_bytes=1200)) == Bundle((), "it unpacks to 1,201 bytes, more than 1,200")


@pytest.mark.parametrize("packed", [GOOD, with_comment(b"by hand"), zipped({})])
@pytest.mark.parametrize("after", [b"\n", b"<!-- 0.2 s -->", b"\0" * 1_024])
def test_a_little_may_follow_a_zip(read, packed, after):
    """Every reader of ZIPs passes over it; a bundle that came so each time was never archived."""
    assert read(packed + after) == read(packed)


# --- not whole -------------------------------------------------------------------------------------------------------

DAMAGED = {
    "an empty file": (b"", "it is empty"),
    "HTML": (b"<!DOCTYPE html><html><body>Back soon</body></html>", "it does not begin as a ZIP does"),
    "a PDF": (b"%PDF-1.7\n%%EOF\n", "it does not begin as a ZIP does"),
    "two bytes": (b"PK", "it does not begin as a ZIP does"),
    "garbage before it": (b"\nNotice: Undefined index\n" + GOOD, "it does not begin as a ZIP does"),
    "a member before it that it does not know": (
        GOOD[: GOOD.index(ENTRY)] + GOOD,
        "its directory is not where its end says",
    ),
    "garbage after it": (GOOD + b"\n" * 1_025, "its end is cut off, or something follows it"),
    "the end of another after it": (GOOD + zipped({})[:-1], "its end is cut off, or something follows it"),
    "the directory of another after it": (GOOD + zipped({"b": b""}) + b"\n", "its directory is not where its end says"),
    "no directory": (GOOD[: GOOD.index(ENTRY)], "it has no directory"),
    "half of it": (GOOD[: len(GOOD) // 2], "it has no directory"),
    "its last byte cut off": (GOOD[:-1], "its end is cut off, or something follows it"),
    "its comment cut off": (with_comment(b"by hand")[:-1], "its end is cut off, or something follows it"),
    "bytes lost in the middle": (GOOD[:60] + GOOD[70:], "its directory is not where its end says"),
    "a broken directory": (in_directory(GOOD, 0, "<L", 0), "its directory is damaged"),
    "a directory that ends within a name": (in_directory(GOOD, 28, "<H", 9999, 1), "its directory is damaged"),
    "a directory of fewer members": (
        patched(GOOD, END, 10, "<H", 3),
        "its directory has 2 members, its end declares 3",
    ),
    "a directory elsewhere": (patched(GOOD, END, 16, "<L", 5), "its directory is not where its end says"),
    "one part of several": (patched(GOOD, END, 4, "<H", 1), "it is one part of a split ZIP"),
    "a broken zip64 end": (patched(wide(), b"PK\6\6", 0, "<L", 0), "its zip64 end is damaged"),
    "a zip64 end beyond the file": (patched(wide(), b"PK\6\7", 8, "<Q", 2**63), "it is cut short"),
    "packed bytes declared more": (
        in_directory(GOOD, 20, "<L", 999, 1),
        "member 2 does not fit before the directory",
    ),
    "packed bytes declared past any file": (
        in_directory(in_directory(wide(), 20, "<L", 0xFFFF_FFFF), 42, "<L", 0xFFFF_FFFF).replace(
            struct.pack("<2H2Q", 1, 24, len(CONTENTS["report.pdf"]), len(CONTENTS["report.pdf"])),
            struct.pack("<2H2Q", 1, 24, len(CONTENTS["report.pdf"]), 2**64 - 1),
        ),
        "member 1 does not fit before the directory",
    ),
    "a wrong checksum in the directory": (
        in_directory(GOOD, 16, "<L", 1),
        "member 1 has a checksum that differs from the directory",
    ),
    "another byte in a stored member": (
        PLAIN.replace(b"A1\r\n", b"A2\r\n"),
        "member 1 has a checksum that differs from the directory",
    ),
    "broken packed bytes": (patched(GOOD, HEADER, 30 + 11, "<L", 0xFFFF_FFFF), "member 1 cannot be unpacked"),
    "a header that is none": (patched(GOOD, HEADER, 0, "<L", 0, 1), "member 2 is not where the directory says"),
    "a header that reaches into the next": (
        patched(GOOD, HEADER, 28, "<H", 9),
        "member 1 is not where the directory says",
    ),
}


@pytest.mark.parametrize(("packed", "what"), DAMAGED.values(), ids=DAMAGED)
def test_a_zip_that_is_not_whole_is_damaged(read, packed, what):
    with pytest.raises(DocumentDamaged) as raised:
        read(packed)
    assert (raised.value.where, raised.value.what) == ("bundle.zip", what)


@pytest.mark.parametrize("member", [b"PK\5\6", b"PK\6\6"])
def test_a_zip_may_begin_with_its_end_only_where_it_is_empty(read, member):
    with pytest.raises(DocumentDamaged):
        read(member + GOOD)


def test_a_zip_cut_anywhere_is_damaged(read):
    for length in range(len(GOOD)):
        with pytest.raises(DocumentDamaged):
            read(GOOD[:length])


def test_a_hostile_zip_is_kept_only_if_it_is_whole(read):
    broken = zipped([("a.txt", b"first"), ("a.txt", b"second"), ("b.zip", b"third")], zipfile.ZIP_STORED)
    with pytest.raises(DocumentDamaged, match="member 3 has a checksum that differs"):
        read(broken.replace(b"third", b"thirt"))


def test_a_zip_that_lies_about_a_size_is_kept_only_if_it_is_whole(read):
    lying = in_directory(zipped(ONE | {"last.txt": b"third"}, zipfile.ZIP_STORED), 24, "<L", 400, 1)
    assert read(lying).refused == SIZE
    with pytest.raises(DocumentDamaged, match="member 3 has a checksum that differs"):
        read(lying.replace(b"third", b"thirt"))


MORE = "a member unpacks to more than it declares, and than it may"


def test_a_bomb_that_declares_a_small_size_is_not_unpacked_to_find_out(read):
    packed = in_directory(zipped({"bomb.bin": bytes(200_000_000)}), 24, "<L", 1000)
    tracemalloc.start()
    try:
        assert read(packed) == Bundle((), MORE)
        assert tracemalloc.get_traced_memory()[1] < 5_000_000
    finally:
        tracemalloc.stop()


def test_many_members_that_declare_small_sizes_are_held_to_the_bounds_of_the_whole(read):
    packed = zipped({f"{number}.bin": bytes(900_000) for number in range(5)} | {"noise.bin": NOISE[:1000]})
    for number in range(5):
        packed = in_directory(packed, 24, "<L", 1000, number)
    assert read(packed) == Bundle((), MORE)
    assert read(packed, Bounds(unpacked_bytes=2_000_000)) == Bundle((), MORE)
    assert read(packed, Bounds(ratio=10_000)) == Bundle((), SIZE)


def test_a_missing_file_is_an_error_of_the_disk(tmp_path):
    with pytest.raises(FileNotFoundError):
        read_bundle(tmp_path / "none.zip", BOUNDS)


# --- whatever the bytes ----------------------------------------------------------------------------------------------

SEEDS = [GOOD, PLAIN, streamed(ONE), wide(ONE), overlapping(), symlink("link", "x"), with_comment(END)]
places = st.integers(0, 1 << 16)
edits = st.one_of(
    st.tuples(st.just("set"), places, st.binary(min_size=1, max_size=8)),
    st.tuples(st.just("insert"), places, st.binary(min_size=1, max_size=60)),
    st.tuples(st.just("remove"), places, st.integers(1, 60)),
    st.tuples(st.just("repeat"), places, st.integers(1, 200)),
)


def edited(packed, changes):
    for how, place, what in changes:
        place %= len(packed) + 1
        if how == "set":
            packed = packed[:place] + what + packed[place + len(what) :]
        elif how == "insert":
            packed = packed[:place] + what + packed[place:]
        elif how == "remove":
            packed = packed[:place] + packed[place + what :]
        else:
            packed = packed[: place + what] + packed[place:]
    return packed


def rows_of(path, bundle):
    return [(table, [row for lot in lots for row in lot]) for table, lots in csv_tables(path, bundle)]


@settings(max_examples=400)
@given(packed=st.builds(edited, st.sampled_from(SEEDS), st.lists(edits, min_size=1, max_size=4)))
@example(packed=END + bytes(18))
@example(packed=b"PK\6\6" + bytes(52) + struct.pack("<4sLQL", b"PK\6\7", 0, 0, 1) + END + bytes(18))
def test_whatever_the_bytes_a_zip_is_read_refused_or_damaged(tmp_path_factory, packed):
    path = tmp_path_factory.getbasetemp() / "any.zip"
    path.write_bytes(packed)
    try:
        bundle = read_bundle(path, replace(BOUNDS, members=50))
    except DocumentDamaged:
        return
    assert bundle.refused is None or bundle.members == ()
    rows_of(path, bundle)


@settings(max_examples=50)
@given(
    contents=st.dictionaries(
        st.text("abcwxyzÉß/. ", min_size=1, max_size=12).filter(lambda name: not name.startswith("/")),
        st.binary(max_size=300).filter(lambda content: not content.startswith(HEADER)),
        max_size=6,
    ),
    method=st.sampled_from([zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED]),
)
def test_whatever_is_packed_is_read_as_it_was(tmp_path_factory, contents, method):
    path = tmp_path_factory.getbasetemp() / "good.zip"
    path.write_bytes(zipped(contents, method))
    bundle = read_bundle(path, BOUNDS)
    if bundle.refused is not None:
        assert bundle.refused == "two members have one name"
        return
    hashes = {name: hashlib.sha256(content).hexdigest() for name, content in contents.items()}
    assert {one.name: one.sha256 or hashes[one.name] for one in bundle.members} == hashes


def test_a_large_member_does_not_show_in_memory(tmp_path):
    path, piece = tmp_path / "large.zip", NOISE[: 1 << 20]
    with zipfile.ZipFile(path, "w") as folder, folder.open("video.mp4", "w") as member:
        for _ in range(300):
            member.write(piece)
    tracemalloc.start()
    try:
        bundle = read_bundle(path, BOUNDS)
        with closing(member_pieces(path, bundle, "video.mp4")) as pieces:
            assert max(map(len, pieces)) <= 1 << 20
        assert tracemalloc.get_traced_memory()[1] < 20_000_000
    finally:
        tracemalloc.stop()
        path.unlink()
    assert [(one.size_bytes, one.refused) for one in bundle.members] == [(300 << 20, None)]
