"""Section 8 of the specification: key files."""

from .keys import KEY_1


def section_8(kit):
    line = b"polyseal-key-1-" + KEY_1.hex().encode()
    good, bad = (lambda *case: kit.key_file(*case, KEY_1)), kit.key_file
    good("key-file-raw", "Exactly 32 bytes are the key itself.", KEY_1)
    good("key-file-text", "One line of text.", line + b"\n")
    good("key-file-text-crlf", "Lines end with LF or CRLF.", b"# a key\r\n\r\n" + line + b"\r\n")
    good("key-file-text-comments", "Lines that are empty or begin with # are passed over.",
         b"# a key\n\n" + line + b"\n#\n\n# the end\n")
    good("key-file-text-upper-case-digits", "Hexadecimal digits of either case.",
         b"polyseal-key-1-" + KEY_1.hex().upper().encode() + b"\n")
    padding = 16384 - len(line) - 3
    good("key-file-text-of-16384-bytes", "Text of at most 16384 bytes.",
         b"#" * (padding + 1) + b"\n" + line + b"\n")
    bad("key-file-text-of-16385-bytes", "Text of at most 16384 bytes.",
        b"#" * (padding + 2) + b"\n" + line + b"\n")
    bad("key-file-of-32-printable-characters", "32 characters that are all printable are a password.",
        b"0123456789abcdefghijklmnopqrstuv")
    bad("key-file-empty", "A key file has a key.", b"")
    bad("key-file-raw-of-31-bytes", "Exactly 32 bytes.", KEY_1[:31])
    bad("key-file-raw-of-33-bytes", "Exactly 32 bytes.", KEY_1 + KEY_1[:1])
    bad("key-file-raw-and-line-feed", "Exactly 32 bytes.", KEY_1 + b"\n")
    bad("key-file-text-two-keys", "Exactly one line with a key.", line + b"\n" + line + b"\n")
    bad("key-file-text-no-key", "Exactly one line with a key.", b"# nothing here\n")
    bad("key-file-text-63-digits", "64 hexadecimal digits.", line[:-1] + b"\n")
    bad("key-file-text-65-digits", "64 hexadecimal digits.", line + b"0\n")
    bad("key-file-text-not-hexadecimal", "64 hexadecimal digits.", line[:-1] + b"g\n")
    blanks = "Spaces and tabs may stand before and after what each line has."
    good("key-file-text-leading-space", blanks, b" " + line + b"\n")
    good("key-file-text-trailing-space", blanks, line + b" \n")
    good("key-file-text-blanks", blanks, b" \t# a key\r\n\t \r\n\t " + line + b" \t\r\n ")
    bad("key-file-text-space-within", blanks, line.replace(b"-1-", b"-1- ", 1) + b"\n")
    bad("key-file-text-form-feed", "Nothing else stands in the line.", line + b"\x0c\n")
    ends = "Lines end with LF or CRLF; the last one may lack that."
    good("key-file-text-no-end", ends, line)
    good("key-file-text-crlf-and-no-end", ends, b"#\r\n" + line)
    good("key-file-text-ends-mixed", ends, b"# a key\n\r\n\n" + line + b"\r\n#\n")
    good("key-file-text-empty-lines-alone-around", ends, b"\n\r\n" + line + b"\n\n\r\n")
    bad("key-file-text-cr", ends, line + b"\r")
    bad("key-file-text-cr-alone", ends, b"# a key\r" + line + b"\r")
    bad("key-file-text-cr-before", ends, b"\r" + line + b"\n")
    bad("key-file-text-cr-line-at-the-end", ends, line + b"\n\r")
    bad("key-file-text-crlf-and-cr", ends, line + b"\r\n\r")
    bad("key-file-text-lf-cr", ends, b"#\n\r" + line + b"\n\r")
    bad("key-file-text-blank-and-cr", ends, line + b" \r")
    bad("key-file-text-cr-and-blank", ends, line + b"\r \n")
    bad("key-file-text-cr-cr-lf", "Lines end with LF or CRLF.", line + b"\r\r\n")
    bad("key-file-text-comment-behind-key", "Nothing else stands in the line.", line + b" # mine\n")
    bad("key-file-text-version-2", "The line begins with polyseal-key-1-.",
        line.replace(b"-1-", b"-2-", 1) + b"\n")
    bad("key-file-text-upper-case-prefix", "The line begins with polyseal-key-1-.",
        line.replace(b"p", b"P", 1) + b"\n")
    bad("key-file-text-hexadecimal-alone", "The line begins with polyseal-key-1-.",
        KEY_1.hex().encode() + b"\n")
    mark, one = b"\xef\xbb\xbf", "One byte order mark of UTF-8 may stand before all of it."
    good("key-file-text-byte-order-mark", one, mark + line + b"\n")
    bad("key-file-text-two-byte-order-marks", one, mark + mark + line + b"\n")
    bad("key-file-text-byte-order-mark-within", one, b"#\n" + mark + line + b"\n")
    bad("key-file-text-utf-16", "Anything else is refused.", b"\xff\xfe" + (line + b"\n").decode().encode("utf-16-le"))
    bad("key-file-text-other-line", "Anything else is refused.", line + b"\nmy key\n")
