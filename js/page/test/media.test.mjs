import assert from "node:assert/strict";
import { test } from "node:test";
import { shared } from "./shared.mjs";

const { sniff, isShownType, sniffedLength } = await shared("media");

const bytes = (text) => Uint8Array.from(text, (character) => character.charCodeAt(0));
const typeOf = (text) => sniff(bytes(text))?.type ?? null;

const known = [
  ["\x89PNG\r\n\x1a\n\0\0\0\rIHDR", "image/png"],
  ["\xff\xd8\xff\xe0\0\x10JFIF", "image/jpeg"],
  ["GIF87a", "image/gif"], ["GIF89a\x01", "image/gif"],
  ["RIFF\x10\0\0\0WEBPVP8 ", "image/webp"],
  ["\0\0\0\x1cftypavif\0\0\0\0", "image/avif"],
  ["\0\0\0\x20ftypisom\0\0\x02\0", "video/mp4"], ["\0\0\0\x14ftypqt  \0\0", "video/mp4"], ["\0\0\0\x18ftypM4V ", "video/mp4"],
  ["\0\0\0\x20ftypM4A ", "audio/mp4"],
  ["\x1a\x45\xdf\xa3\x9f\x42\x86\x81\x01\x42\xf7\x81\x01\x42\x82\x84webm", "video/webm"],
  ["OggS\0\x02" + "\0".repeat(22) + "\x80theora", "video/ogg"],
  ["OggS\0\x02" + "\0".repeat(22) + "OpusHead", "audio/ogg"],
  ["ID3\x04\0\0", "audio/mpeg"], ["\xff\xfb\x90\x64", "audio/mpeg"], ["\xff\xf3\x40\xc0", "audio/mpeg"],
  ["\xff\xf1\x50\x80", "audio/aac"],
  ["fLaC\0\0\0\x22", "audio/flac"],
  ["RIFF\x24\0\0\0WAVEfmt ", "audio/wav"],
  ["%PDF-1.7\n", "application/pdf"],
];

test("each format is told by its first bytes, and may be shown", () => {
  for (const [start, type] of known) {
    assert.equal(typeOf(start), type, JSON.stringify(start));
    assert.ok(isShownType(type));
  }
});

test("a format that is cut within its magic is not taken for it", () => {
  for (const magic of ["\x89PNG\r\n\x1a", "\xff\xd8", "GIF8", "RIFF\x10\0\0\0WEB", "\0\0\0\x1cftypavi", "OggX", "%PDF", "\xff\xfb"]) assert.equal(typeOf(magic), null, JSON.stringify(magic));
});

test("what can run code is not shown, nor anything unknown", () => {
  const others = [
    "", "<!doctype html><script>alert(1)</script>", "<html>", " <HTML>", "\ufeff<!DOCTYPE html>".replace("\ufeff", "\xef\xbb\xbf"),
    "<svg xmlns='http://www.w3.org/2000/svg'/>", "<?xml version='1.0'?><svg/>", "MZ\x90\0", "\x7fELF\x02", "#!/bin/sh\n", "PK\x03\x04", "\x1f\x8b\x08",
    "\0asm\x01\0\0\0", "BM\x36", "%!PS-Adobe", "RIFF\x10\0\0\0AVI ", "\0\0\0\x18ftypcrx ", "\x1a\x45\xdf\xa3\x9f\x42\x82\x88matroska",
    " %PDF-1.7", "plain text", "\xff\xff\xff\xff", "\xff\xfb\xf0\x00", "\xff\xe9\x90\x64",
  ];
  for (const start of others) assert.equal(typeOf(start), null, JSON.stringify(start));
  for (const type of ["text/html", "image/svg+xml", "application/xml", "text/xml", "application/xhtml+xml", "text/javascript", "text/plain", "", "IMAGE/PNG", "image/png; x"]) {
    assert.equal(isShownType(type), false, type);
  }
});

test("only the beginning counts: what follows, or is in it, changes nothing", () => {
  for (const [start, type] of known) {
    assert.equal(typeOf(start + "<script>alert(1)</script>"), type);
    assert.equal(typeOf(`<!--${start}-->`), null);
    assert.equal(typeOf(start.padEnd(sniffedLength, "\0") + "webm\x80theora"), type);
  }
});

test("no beginning of any bytes gives a type that may not be shown, or an error", () => {
  let state = 1;
  const next = () => (state = Math.imul(state, 1103515245) + 12345 >>> 0) >>> 16 & 255;
  for (let i = 0; i < 20000; i++) {
    const start = Uint8Array.from({ length: i % 40 }, next);
    if (i % 3 === 0 && start.length > 2) start.set([0xff, 0xe0 | next()]);
    const found = sniff(start);
    if (found !== null) assert.ok(isShownType(found.type));
  }
});
