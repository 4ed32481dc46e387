"""Section 9 of the specification: armour."""

import polyseal_file as f

from .draft import Draft, flip
from .entry import no, ok


def section_9(kit):
    def case(name, rule, edit, outcome=None, length=None):
        """`edit` of the armour's lines, without their ends, gives text."""
        draft = Draft(f"armor-{name}")
        if length is not None:
            draft.long(length)
        lines = f.armor(draft.file()).split(b"\n")[:-1]
        result = no(outcome) if outcome else ok()(draft)
        kit.add(draft.name, "9", rule, edit(lines), result, armored=True)

    def text(lines, end=b"\n"):
        return b"".join(line + end for line in lines)

    def wrapped(characters, width):
        return [characters[k:k + width] for k in range(0, len(characters), width)]

    def bad(name, rule, edit):
        case(name, rule, edit, "bad-armor")

    case("lf", "Lines that end with LF.", text)
    case("crlf", "Lines that end with CRLF.", lambda lines: text(lines, b"\r\n"))
    # The file has 4112 + n bytes, a line stands for 48, a group of four characters for 3.
    for n, rule in ((0, "padding of one character"), (1, "no padding"), (2, "padding of two characters"),
                    (16, "a last line of 64 characters"), (17, "a last line of 4 characters")):
        case(f"plaintext-of-{n}", f"A plaintext of {n} bytes: {rule}.", text, length=n)
    case("space-around", "Spaces, tabs and ends of lines may stand around the armour.",
         lambda lines: b" \t\n\r\n \n" + text(lines) + b"\n \t\r\n")
    case("space-around-without-ends-of-lines",
         "Spaces, tabs and ends of lines may stand around the armour.",
         lambda lines: b"\t " + text(lines)[:-1] + b" \t")
    for name, between, rule in (
            ("form-feed", b"\f", "form feed"), ("vertical-tab", b"\v", "vertical tab"),
            ("lone-carriage-return", b"\r", "carriage return that ends no line"),
            ("nul", b"\0", "NUL"), ("next-line", b"\x85", "other white space"),
            ("no-break-space", "\u00a0".encode(), "other white space"),
            ("byte-order-mark", "\ufeff".encode(), "byte order mark")):
        rule = f"Around the armour are spaces, tabs and ends of lines only: no {rule}."
        bad(f"{name}-before", rule, lambda lines, between=between: between + text(lines))
        bad(f"{name}-behind", rule, lambda lines, between=between: text(lines) + between)
    bad("lone-carriage-return-before-a-space", "A carriage return is followed by a line feed.",
        lambda lines: b"\r \n" + text(lines))
    bad("two-carriage-returns-before", "A carriage return is followed by a line feed.",
        lambda lines: b"\r\r\n" + text(lines))
    bad("two-carriage-returns-behind", "A carriage return is followed by a line feed.",
        lambda lines: text(lines) + b"\r\r\n")
    bad("form-feed-between-spaces-before", "A form feed is not white space around armour.",
        lambda lines: b" \n\f\n" + text(lines))
    bad("lone-carriage-return-ends-the-last-line", "The last line ends with LF, CRLF or the text.",
        lambda lines: text(lines)[:-1] + b"\r")
    bad("begin-missing", "The first line.", lambda lines: text(lines[1:]))
    bad("end-missing", "The last line.", lambda lines: text(lines[:-1]))
    bad("label-other", "The label is POLYSEAL FILE.", lambda lines: text(
        [b"-----BEGIN POLYSEAL KEY-----", *lines[1:-1], b"-----END POLYSEAL KEY-----"]))
    bad("label-of-age", "The label is POLYSEAL FILE.", lambda lines: text(
        [b"-----BEGIN AGE ENCRYPTED FILE-----", *lines[1:-1], b"-----END AGE ENCRYPTED FILE-----"]))
    bad("label-of-end-other", "Both lines have the label.",
        lambda lines: text([*lines[:-1], b"-----END POLYSEAL KEY-----"]))
    bad("label-lower-case", "The label is in upper case.",
        lambda lines: text([lines[0].lower(), *lines[1:]]))
    bad("text-before", "Nothing else stands before the first line.",
        lambda lines: b"Hello\n" + text(lines))
    bad("text-behind", "Nothing else stands after the last line.", lambda lines: text(lines) + b"Bye\n")
    bad("twice", "Nothing else stands after the last line.", lambda lines: text(lines) * 2)
    bad("header-line", "Nothing stands between the first line and the Base64.",
        lambda lines: text([lines[0], b"Comment: none", b"", *lines[1:]]))
    bad("empty-line-first", "No line is empty.", lambda lines: text([lines[0], b"", *lines[1:]]))
    bad("empty-line-within", "No line is empty.", lambda lines: text([*lines[:9], b"", *lines[9:]]))
    bad("empty-line-last", "No line is empty.", lambda lines: text([*lines[:-1], b"", lines[-1]]))
    bad("short-line-within", "Every line but the last has 64 characters.",
        lambda lines: text([*lines[:9], lines[9][:60], lines[9][60:], *lines[10:]]))
    bad("long-line-within", "Every line but the last has 64 characters.",
        lambda lines: text([*lines[:9], lines[9] + lines[10], *lines[11:]]))
    for width in (60, 68, 76):
        bad(f"lines-of-{width}", "Every line but the last has 64 characters.",
            lambda lines, width=width: text([lines[0], *wrapped(b"".join(lines[1:-1]), width), lines[-1]]))
    bad("one-line", "Every line but the last has 64 characters.",
        lambda lines: text([lines[0], b"".join(lines[1:-1]), lines[-1]]))
    bad("trailing-space-within", "Nothing else stands in a line.",
        lambda lines: text([*lines[:9], lines[9] + b" ", *lines[10:]]))
    bad("leading-space-within", "Nothing else stands in a line.",
        lambda lines: text([*lines[:9], b" " + lines[9], *lines[10:]]))
    bad("lone-carriage-return", "Lines end with LF or CRLF, not with CR.",
        lambda lines: text(lines, b"\r"))
    bad("character-of-base64url", "The alphabet of RFC 4648, section 4.",
        lambda lines: text([*lines[:9], b"-" + lines[9][1:], *lines[10:]]))
    bad("character-non-ascii", "The alphabet of RFC 4648, section 4.",
        lambda lines: text([*lines[:9], b"\xff" + lines[9][1:], *lines[10:]]))

    def last_line(change):
        return lambda lines: text([*lines[:-2], change(lines[-2]), lines[-1]])

    def padded(name, rule, length, change):
        case(name, rule, last_line(change), "bad-armor", length)

    def bits_left_over(line):
        """The character before the padding, with its lowest bit set."""
        at = len(line.rstrip(b"=")) - 1
        alphabet = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
        return line[:at] + alphabet[alphabet.index(line[at]) + 1:][:1] + line[at + 1:]

    padded("bits-left-over-of-two", "The bits that padding leaves over are zero.", 0, bits_left_over)
    padded("bits-left-over-of-four", "The bits that padding leaves over are zero.", 2, bits_left_over)
    padded("padding-missing", "Base64 is padded.", 0, lambda line: line.rstrip(b"="))
    padded("padding-of-one-missing", "Base64 is padded.", 2, lambda line: line[:-1])
    padded("padding-too-much", "Base64 is padded up to a multiple of four, no further.", 1,
           lambda line: line + b"====")
    padded("padding-only-group", "A group has at most two characters of padding.", 1,
           lambda line: line + b"A===")
    case("file-cut", "Armour authenticates nothing: the file in it was cut.",
         lambda lines: f.armor(Draft("armor-file-cut").file()[:4096 + 5]), "truncated-payload")
    case("file-damaged", "Armour authenticates nothing: the file in it was damaged.",
         lambda lines: f.armor(flip(Draft("armor-file-damaged").file(), 4096)), "corrupt-segment")
    kit.tests[-1]["segment"] = 0
