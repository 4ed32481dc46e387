"""Section 2 of the specification: suites."""

import polyseal_file as f

from .draft import flip
from .entry import BAD, attempt, corrupt, no, ok, setting


def in_file_names(suite):
    return suite.replace(":tag=32", "-tag-32").replace(":kc=1", "-kc")


def section_2(kit):
    for suite in f.SUITES:
        name = in_file_names(suite)
        kit.draft(f"suite-{name}", "2", f"The suite {suite}: a full segment and a short one.",
                  lambda draft, suite=suite: setting(suite=suite)(draft.long(4096 + 5)), ok())
        kit.draft(f"suite-{name}-empty", "2", f"The suite {suite}: an empty file.",
                  setting(suite=suite, plaintext=b""), ok())
    for name, text, rule in (
            ("empty", "", "The suite is not empty."),
            ("unknown", "aegis-512", "A suite that is not in the table."),
            ("upper-case", "AEGIS-256X2", "A suite has one spelling: lower case."),
            ("prefix", "aegis-256x", "A suite has one spelling: not a prefix of it."),
            ("default-tag-written-out", "aegis-256x2:tag=16", "A default is never written out."),
            ("no-option-after-colon", "aegis-256x2:",
             "A suite has one spelling: no colon without an option."),
            ("option-twice", "aegis-256x2:tag=32,tag=32", "A suite has one spelling: an option once."),
            ("option-leading-zero", "aegis-256x2:tag=032",
             "A suite has one spelling: numbers without leading zeros."),
            ("option-unknown", "aegis-256x2:degree=2", "An option that the suite does not have."),
            ("tag-8", "aegis-256x2:tag=8", "No tag below 16 bytes."),
            ("trailing-space", "aegis-256x2 ", "The suite is followed by zeros, not by a space."),
            ("leading-space", " aegis-256x2", "The suite begins at the beginning of the field."),
            ("mac", "aegis-256x2-mac", "No MAC is a suite."),
            ("version-1-0", "aegis-256x-v1", "No algorithm of the version 1.0 paper is a suite."),
            ("aes-192-gcm", "aes-192-gcm", "A suite that is not in the table."),
            ("aes-256-gcm-tag-12", "aes-256-gcm:tag=12", "No tag below 16 bytes."),
            ("aes-256-gcm-nonce-16", "aes-256-gcm:nonce=16", "No other nonce length."),
            ("kc-xaes-256-gcm-nonce-20", "kc-xaes-256-gcm:nonce=20", "No other nonce length."),
            ("dndk-gcm-version-1", "dndk-gcm:version=1", "No other parameter."),
            ("dndk-gcm-version-1-kc", "dndk-gcm:version=1,kc=1", "No other parameter."),
            ("dndk-gcm-default-written-out", "dndk-gcm:kc=0", "A default is never written out."),
            ("dndk-gcm-true", "dndk-gcm:kc=true", "A suite has one spelling: numbers in digits."),
            ("kc-xaes-256-gcm-tag-16", "kc-xaes-256-gcm:tag=16", "A commitment is never left out."),
            ("ctx-aegis-256x2-tag-16", "ctx-aegis-256x2:tag=16", "No other tag length."),
            ("flex-any-configuration", "flex", "Only configurations of Flex that have a name of their own."),
            ("flex-configuration", "flex:cfg=0100012018000000", "A suite has one spelling: its name."),
            ("flex-och-stream", "flex-och-stream", "Nothing that has segments of its own is a suite."),
            ("flex-civ-stream", "flex-civ-stream", "Nothing that has segments of its own is a suite."),
            ("flex-civ-public-nonce-0", "flex-civ-public:nonce=0", "No other nonce length."),
            ("flex-och-key-16", "flex-och:key=16", "No other key length."),
            ("omd-sha512-tag-32", "omd-sha512:tag=32", "No other tag length."),
            ("omd-sha256-key-16", "omd-sha256:key=16", "No other key length."),
            ("omd-sha256-version-1", "omd-sha256:version=1", "No algorithm of a legacy rule is a suite."),
            ("omd-blake2b-reference", "omd-blake2b:rule=reference", "No algorithm of a legacy rule is a suite."),
            ("64-bytes", "aegis-256x2:tag=16" + ",tag=16" * 6 + "    ",
             "A field that is full is no suite.")):
        kit.draft(f"suite-bad-{name}", "2", rule, setting(suite_field=f.suite_field(text)), BAD)
    field = f.suite_field(f.DEFAULT_SUITE)
    kit.draft("suite-bad-not-followed-by-zeros", "2",
              "The suite is followed by zeros up to the end of the field.",
              setting(suite_field=field[:-1] + b"x"), BAD)
    kit.draft("suite-bad-option-behind-zero", "2",
              "The suite is followed by zeros up to the end of the field.",
              setting(suite_field=b"aegis-256x2\0:tag=32".ljust(64, b"\0")), BAD)


def section_2_tags(kit):
    """The rules of section 6 for tags of RFC 10032, for the others: a short file each."""
    def other_nonce(d, suite):
        """The tag is right, for the nonce that is hidden."""
        d.suite = suite
        payload = d.payload()
        C, T = payload.aead.Encrypt(d.plaintext, b"", payload.key, payload.nonce(1, True), 512)
        return d.header() + C + T

    for suite, (_, _, t) in f.SUITES.items():
        if suite.startswith("aegis"):
            continue

        def case(what, rule, edit, attempt, suite=suite):
            kit.draft(f"suite-{in_file_names(suite)}-{what}", "2", f"The suite {suite}: {rule}",
                      lambda draft: edit(setting(suite=suite)(draft) or draft.file()), attempt)

        case("damaged-first-byte-of-tag", "the tag is checked.",
             lambda data, t=t: flip(data, -t), corrupt(0))
        case("damaged-last-byte-of-tag", f"all {t} bytes of the tag are checked.",
             lambda data: flip(data, -1), corrupt(0))
        case("cut", "a last segment that was cut does not open.", lambda data: data[:-1], corrupt(0))
        case("cut-in-the-tag", "a segment has a whole tag.",
             lambda data, t=t: data[:4096 + t - 1], no("truncated-payload"))
        if t == 48:
            case("damaged-commitment", "what follows T in the tag is checked.",
                 lambda data: flip(data, 16 - 48), corrupt(0))
        if suite in ("flex-och", "flex-civ"):
            case("damaged-nonce", "the encrypted nonce is checked.", lambda data: flip(data, 31 - 64), corrupt(0))
            kit.draft(f"suite-{suite}-other-nonce", "2",
                      f"The suite {suite}: the nonce that comes out is the segment's.",
                      lambda d, suite=suite: other_nonce(d, suite), corrupt(0))

    def padding_not_zero(d):
        """GCM's own tag is right."""
        d.suite = "padding-fix-aes-256-gcm"
        payload = d.payload()
        C, T = payload.aead.aead.Encrypt(bytes(31) + b"\1" + d.plaintext, b"", payload.key,
                                         payload.nonce(0, True))
        return d.header() + C[32:] + T + C[:32]

    kit.draft("suite-padding-fix-aes-256-gcm-not-zero", "2",
              "The suite padding-fix-aes-256-gcm: the zeros are checked.", padding_not_zero, corrupt(0))
