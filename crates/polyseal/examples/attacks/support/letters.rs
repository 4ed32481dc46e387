//! Two letters, and a format in which a message holds either and the other is not read.
//!
//! The format is MIME's multipart (RFC 2046, 5.1.1), in which whatever stands before the first
//! boundary and behind the last one is to be ignored. An attacker needs no more of a format: in
//! PDF, ZIP, HTML and many others there are places that nobody reads.

/// The associated data that both recipients are sent in clear.
pub(crate) const HEADER: &[u8] = b"Content-Type: multipart/mixed; boundary=letter";

pub(crate) const LETTERS: [&str; 2] = [
    "Dear Bob,\r\n\r\nI sell you my house in Mill Lane for 500,000 euros.\r\n\r\nAlice",
    "Dear Carol,\r\n\r\nMy house in Mill Lane is yours. It is a gift.\r\n\r\nAlice",
];

/// The body that holds `letter`.
pub(crate) fn body(letter: &str) -> String {
    format!("\r\n--letter\r\n\r\n{letter}\r\n--letter--\r\n")
}

/// The letter of a body, if there is one.
pub(crate) fn read(body: &[u8]) -> Option<&str> {
    let behind = |bytes: &'_ [u8], mark: &[u8]| {
        bytes.windows(mark.len()).position(|w| w == mark).map(|at| (at, at + mark.len()))
    };
    let (_, start) = behind(body, b"\r\n--letter\r\n\r\n")?;
    let (end, _) = behind(&body[start..], b"\r\n--letter--\r\n")?;
    str::from_utf8(&body[start..start + end]).ok()
}
