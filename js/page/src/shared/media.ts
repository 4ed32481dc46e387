/**
 * The kinds of contents that may be shown in the page, told by the first bytes of a plaintext. The name of a file plays
 * no part. Plain text is another matter: text.ts.
 *
 * The list has only formats that cannot run code: no HTML, no SVG, no XML. A file that is two formats at once is shown
 * as the one of this list, and the browser is told not to guess (`nosniff`).
 */

export type MediaKind = "video" | "audio" | "image" | "pdf" | "text";

export interface Media {
  readonly type: string;
  readonly kind: MediaKind;
  /** For people. */
  readonly label: string;
}

const media = (type: string, kind: MediaKind, label: string): Media => ({ type, kind, label });

const formats = {
  png: media("image/png", "image", "PNG picture"),
  jpeg: media("image/jpeg", "image", "JPEG picture"),
  gif: media("image/gif", "image", "GIF picture"),
  webp: media("image/webp", "image", "WebP picture"),
  avif: media("image/avif", "image", "AVIF picture"),
  mp4: media("video/mp4", "video", "MP4 video"),
  webm: media("video/webm", "video", "WebM video"),
  oggVideo: media("video/ogg", "video", "Ogg video"),
  mp4Audio: media("audio/mp4", "audio", "MP4 audio"),
  oggAudio: media("audio/ogg", "audio", "Ogg audio"),
  mp3: media("audio/mpeg", "audio", "MP3 audio"),
  aac: media("audio/aac", "audio", "AAC audio"),
  flac: media("audio/flac", "audio", "FLAC audio"),
  wav: media("audio/wav", "audio", "WAV audio"),
  pdf: media("application/pdf", "pdf", "PDF document"),
};

/** How many bytes of a plaintext {@link sniff} looks at. */
export const sniffedLength = 512;

const shownTypes = new Set(Object.values(formats).map(({ type }) => type));

/** Whether the page may make a document or an element of this type. */
export const isShownType = (type: string): boolean => shownTypes.has(type);

/** The format of a plaintext that begins with `start`, or null if it is none that is shown. */
export function sniff(start: Uint8Array): Media | null {
  const text = Array.from(start.subarray(0, sniffedLength), (byte) => String.fromCharCode(byte)).join("");
  const at = (offset: number, magic: string): boolean => text.startsWith(magic, offset);
  if (at(0, "\x89PNG\r\n\x1a\n")) return formats.png;
  if (at(0, "\xff\xd8\xff")) return formats.jpeg;
  if (at(0, "GIF87a") || at(0, "GIF89a")) return formats.gif;
  if (at(0, "%PDF-")) return formats.pdf;
  if (at(0, "RIFF")) return at(8, "WEBP") ? formats.webp : at(8, "WAVE") ? formats.wav : null;
  if (at(4, "ftyp")) return isoMedia(text.slice(8, 12));
  // EBML, whose document type says which of its formats it is.
  if (at(0, "\x1a\x45\xdf\xa3")) return text.slice(4, 64).includes("webm") ? formats.webm : null;
  if (at(0, "OggS")) return text.includes("\x80theora") ? formats.oggVideo : formats.oggAudio;
  if (at(0, "fLaC")) return formats.flac;
  if (at(0, "ID3")) return formats.mp3;
  return mpegAudio(start);
}

/** The ISO base media file format, by its major brand. */
function isoMedia(brand: string): Media | null {
  if (brand === "avif" || brand === "avis") return formats.avif;
  if (brand === "M4A " || brand === "M4B ") return formats.mp4Audio;
  // QuickTime is the parent of MP4. Browsers play what they can of it as MP4.
  if (/^(isom|iso[2-9]|mp4[12]|avc1|M4V |MSNV|dash|qt {2}|3gp[4-9])$/.test(brand)) return formats.mp4;
  return null;
}

/** A frame header of MPEG audio or of AAC in ADTS, whose reserved values do not occur. */
function mpegAudio(start: Uint8Array): Media | null {
  const [first = 0, second = 0, third = 0] = start;
  if (first !== 0xff || (second & 0xe0) !== 0xe0 || start.length < 3) return null;
  if ((second & 0xf6) === 0xf0) return (third >> 2 & 15) < 13 ? formats.aac : null;
  const version = second >> 3 & 3, layer = second >> 1 & 3, bitRate = third >> 4, sampleRate = third >> 2 & 3;
  return version !== 1 && layer === 1 && bitRate !== 0 && bitRate !== 15 && sampleRate !== 3 ? formats.mp3 : null;
}
