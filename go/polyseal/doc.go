// Package polyseal reads and writes Polyseal's encrypted files, version 1 of
// the format. It is written from docs/spec/file-format.md alone, and takes
// nothing from the implementation in Rust.
//
// A file is a header of 4096 to 65536 bytes, which says who can open it, and a
// payload of segments of 4096 bytes to 16 MiB, 64 KiB by default. Each segment
// is encrypted and authenticated by itself, under its number, so any part can
// be read without the rest.
//
//   - [NewWriter] seals a stream, and [NewReader] opens one.
//   - [Open] opens a file of which parts are read, as an [io.ReaderAt].
//   - [ReadHeader] shows a header without a key. [Rekey] changes who can open
//     a file, and leaves the payload where it is.
//   - [NewArmorReader] and [NewArmorWriter] are ASCII armour.
//   - [ParseSigners] reads a list of signers, for files that are signed.
//   - [OpenTree] reads an encrypted tree, which has a manifest of version 3, 2
//     or 1.
//
// # Keys
//
// A file opens with a key file ([ParseKey]), with a passphrase
// ([NewPassphrase]), or with an identity of age ([AgeIdentity]) of any type:
// X25519, hybrid post-quantum, SSH or a plugin. A file may have up to 128
// recipients, but a passphrase stands alone.
//
// # Suites
//
// The default is AES-256-GCM, which every reader of the format has. AEGIS,
// which the tool takes by default, and the suites that are made of AES-GCM,
// HMAC and HKDF are computed as well. DNDK, Flex and OMD are known by name: such
// a file is refused with [ErrUnsupportedSuite] after its header was opened. Use
// the tool, or `polyseal encrypt --portable` to write files for this package.
//
// AEGIS is fast on amd64 and arm64 with instructions for AES. Elsewhere, and
// with the build tag purego, it is portable, in constant time and slow.
//
// # What is certain
//
// Only plaintext that is authentic is given. If a [Reader] fails, it has given
// the beginning of the plaintext, and the file must be taken as altered or
// truncated: a program must not use what it read before it sees [io.EOF]. A
// [File] has opened the last segment first, so its size is authentic; a segment
// that was altered is an error when it is read.
//
// A file does not say who wrote it. A statement beside it does, which
// `polyseal sign` makes: with [ReadOptions].Statement, from
// [Signers.ReadStatement], nothing of a segment is given before it was compared
// with what an allowed signer has signed. An older version of a file, put back,
// is a good file. Lengths are visible.
//
// # Memory and time
//
// A reader or writer has at most 32 MiB of buffers (a [Writer] twice), or one
// segment (a Writer two) where that is more. Opening a passphrase takes at
// most 256 MiB and 10 passes of Argon2id. Keys are overwritten after use where
// Go allows it; expanded AES keys stay in memory until they are collected.
package polyseal
