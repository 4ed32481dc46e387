/** Plaintexts that the service worker may ask for, and the conversation in which it gets them. */

import { isShownType } from "../shared/media.js";
import type { Failure, PlaintextChunk, PlaintextPull, PlaintextReply } from "../shared/protocol.js";
import { answer, type Offer } from "../shared/plaintext-response.js";
import { failureOf } from "./failure.js";
import { pieces } from "./pieces.js";

const pieceLength = 262144;

interface OfferedStream extends Offer {
  open(start: number, end: number | null): ReadableStream<Uint8Array>;
  /** Only one answer is given, as for a download. */
  once: boolean;
  /** Called when the body of an answer has been given, or could not be. */
  ended(failure: Failure | null): void;
}

const offers = new Map<string, OfferedStream>();

export function offer(token: string, offered: OfferedStream): void {
  if (offered.type !== null && !isShownType(offered.type)) throw new Error(`${offered.type} is not shown.`);
  offers.set(token, offered);
}

export function withdraw(token: string): void {
  offers.delete(token);
}

/** Answers one request of the service worker, over the port that came with it. */
export function serve(token: string, range: string | null, port: MessagePort): void {
  const offered = offers.get(token);
  const send = (message: PlaintextReply | PlaintextChunk, transfer: Transferable[] = []): void => port.postMessage(message, transfer);
  if (offered === undefined) {
    send(null);
    return;
  }
  if (offered.once) offers.delete(token);
  const { status, headers, start, end } = answer(offered, range);
  const body = pieces(offered.open(start, end), pieceLength);
  // Pulls come one at a time. The chain keeps a cancellation behind the pull before it.
  let turn: Promise<unknown> = Promise.resolve();
  const pull = async (): Promise<void> => {
    try {
      const next = await body.next();
      if (next.done === true) {
        send({ end: true });
        port.close();
        offered.ended(null);
      } else {
        send({ chunk: next.value }, [next.value.buffer]);
      }
    } catch (error) {
      send({ failed: true });
      port.close();
      offered.ended(failureOf(error));
    }
  };
  port.onmessage = ({ data }: MessageEvent<PlaintextPull>) => {
    if (data === "pull") {
      turn = turn.then(pull);
      return;
    }
    port.close();
    turn = turn.then(() => body.return(undefined)).then(() => {
      if (offered.once) offered.ended({ code: "cancelled", message: "The browser stopped the download." });
    });
  };
  send({ status, headers });
}
