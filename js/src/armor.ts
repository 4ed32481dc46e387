/**
 * The ASCII armour of section 9, both ways, in pieces of any length. It authenticates nothing.
 *
 * Limits: a decoder keeps at most one line, and gives out what it has decoded before it has seen the end.
 */

import { base64 } from "@scure/base";
import { ascii, asciiText, concat, type Bytes } from "./bytes.js";
import { PolysealError } from "./errors.js";
import { bytesGiven, type BytesLike } from "./given.js";

/** The lines around the text. */
export interface ArmorForm {
  readonly begin: string;
  readonly end: string;
  /** As age has it: nothing may stand between them, and a carriage return alone outside. */
  readonly lenient: boolean;
}

const polysealForm: ArmorForm = { begin: "-----BEGIN POLYSEAL FILE-----", end: "-----END POLYSEAL FILE-----", lenient: false };
const { begin: beginLine, end: endLine } = polysealForm;
const lineLength = 64;
const bytesInLine = 48;

const bad = (what: string): PolysealError => new PolysealError("bad-armor", `This is not valid ASCII armour: ${what}.`);

/** Whether a file that begins so is armour: section 9. */
export const isArmor = (start: Uint8Array): boolean => start.length > 0 && [0x2d, 0x20, 9, 10, 13].includes(start[0] as number);

/** A decoder to which text is given in pieces. */
class Decoder {
  #state: "before" | "first" | "lines" | "after" = "before";
  #line = "";
  #empty = true;
  #lastLineWasShort = false;
  #carriageReturn = false;
  readonly #form: ArmorForm;

  constructor(form: ArmorForm) {
    this.#form = form;
  }

  push(text: string): Bytes {
    const decoded = new Uint8Array(Math.ceil(text.length / 4) * 3 + bytesInLine);
    let length = 0;
    for (let at = 0; at < text.length;) {
      if (this.#state === "after") {
        this.#blanks(text, at);
        break;
      }
      if (this.#state === "before") {
        at = this.#blanks(text, at);
        if (at === text.length) break;
        this.#state = "first";
      }
      const end = text.indexOf("\n", at);
      const piece = text.slice(at, end < 0 ? text.length : end);
      this.#line += piece;
      if (this.#state === "lines" && this.#line.startsWith("-")) {
        // Text behind the last line need not begin on a line of its own.
        const endLine = this.#form.end;
        if (this.#line.length < endLine.length && end < 0) break;
        const behind = this.#line.slice(endLine.length);
        if (!this.#line.startsWith(endLine) || this.#empty && !this.#form.lenient) throw bad("it does not end as it should");
        this.#state = "after";
        this.#line = "";
        this.#blanks(behind, 0);
        // The end of the line itself is a blank.
        at += piece.length;
        continue;
      }
      if (this.#line.length > lineLength + 1) throw bad("a line is too long");
      if (end < 0) break;
      const bytes = this.#takeLine();
      decoded.set(bytes, length);
      length += bytes.length;
      at = end + 1;
    }
    return decoded.slice(0, length);
  }

  /** Passes over blanks from `at` on. Anything else ends that before the armour, and is an error behind it. */
  #blanks(text: string, at: number): number {
    for (; at < text.length; at++) {
      const character = text[at] as string;
      if (this.#carriageReturn && !this.#form.lenient && character !== "\n") throw bad("it has a carriage return without a line feed");
      this.#carriageReturn = character === "\r";
      if (" \t\r\n".includes(character)) continue;
      if (this.#state === "after") throw bad("something follows it");
      break;
    }
    return at;
  }

  /** The decoded bytes of the line that has ended. */
  #takeLine(): Uint8Array {
    const line = this.#line.endsWith("\r") ? this.#line.slice(0, -1) : this.#line;
    this.#line = "";
    if (this.#state === "first") {
      if (line !== this.#form.begin) throw bad("it does not begin as it should");
      this.#state = "lines";
      return new Uint8Array(0);
    }
    if (this.#lastLineWasShort) throw bad("a line before the last one is short");
    if (line === "" || line.length > lineLength) throw bad("a line is empty or too long");
    const bytes = decodeLine(line);
    this.#empty = false;
    this.#lastLineWasShort = bytes.length < bytesInLine;
    return bytes;
  }

  /** To be called once, when all has been pushed. */
  end(): void {
    if (this.#state !== "after" || this.#carriageReturn && !this.#form.lenient) throw bad("it is not complete");
  }
}

function decodeLine(line: string): Uint8Array {
  let bytes: Uint8Array;
  try {
    bytes = base64.decode(line);
  } catch {
    throw bad("a line is not Base64");
  }
  if (base64.encode(bytes) !== line) throw bad("a line is not canonical Base64");
  return bytes;
}

/** The file in an armoured file. */
export const decodeArmor = (armored: BytesLike | string): Bytes => decodeArmorOf(polysealForm, armored);

export function decodeArmorOf(form: ArmorForm, armored: BytesLike | string): Bytes {
  const decoder = new Decoder(form);
  const file = decoder.push(typeof armored === "string" ? armored : asciiText(bytesGiven(armored, "ASCII armour, if it is no text,")));
  decoder.end();
  return file;
}

export function encodeArmor(file: BytesLike): string {
  const bytes = bytesGiven(file, "A file");
  const lines: string[] = [beginLine];
  for (let at = 0; at < bytes.length; at += bytesInLine) lines.push(base64.encode(bytes.subarray(at, at + bytesInLine)));
  return [...lines, endLine, ""].join("\n");
}

/** From armour to the file in it. */
export function armorDecoder(): TransformStream<Uint8Array, Bytes> {
  const decoder = new Decoder(polysealForm);
  return new TransformStream({
    transform(chunk, controller) {
      const bytes = decoder.push(asciiText(bytesGiven(chunk, "What a stream gives")));
      if (bytes.length > 0) controller.enqueue(bytes);
    },
    flush: () => decoder.end(),
  });
}

/** From a file to its armour. */
export function armorEncoder(): TransformStream<Uint8Array, Bytes> {
  let rest: Bytes = new Uint8Array(0);
  const lines = (bytes: Uint8Array) => {
    let text = "";
    for (let at = 0; at < bytes.length; at += bytesInLine) text += `${base64.encode(bytes.subarray(at, at + bytesInLine))}\n`;
    return ascii(text);
  };
  return new TransformStream({
    start: (controller) => controller.enqueue(ascii(`${beginLine}\n`)),
    transform(chunk, controller) {
      const bytes = concat(rest, bytesGiven(chunk, "What a stream gives"));
      const whole = bytes.length - bytes.length % bytesInLine;
      if (whole > 0) controller.enqueue(lines(bytes.subarray(0, whole)));
      rest = bytes.slice(whole);
    },
    flush(controller) {
      if (rest.length > 0) controller.enqueue(lines(rest));
      controller.enqueue(ascii(`${endLine}\n`));
    },
  });
}
