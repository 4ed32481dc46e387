/** The explanation of an error to the user: what happened, what it means, and what to do. */

import type { ErrorCode, FailureReason } from "polyseal";
import { namesOf, partOf } from "../shared/format.js";
import type { EntryFacts, Failure, SecretKind } from "../shared/protocol.js";
import { counted } from "../shared/totals.js";

export interface Explanation {
  readonly what: string;
  readonly meaning: string;
  readonly action: string;
}

/** Known facts about the file, so that the explanation can say more. */
export interface Circumstances {
  secret?: SecretKind | undefined;
  suite?: string | undefined;
  /** The length of the plaintext. */
  size?: number | undefined;
  segmentSize?: number | undefined;
}

const askAgain = "Ask the sender for the file again, or fetch it again from where you got it.";

const wrongKey: Record<SecretKind, Explanation> = {
  "passphrase": {
    what: "The passphrase does not open this file.",
    meaning: "The file is for another passphrase, or there is a typing mistake.",
    action: "Check capital letters, spaces and hyphens, and try again.",
  },
  "key-file": {
    what: "This key file does not open the file.",
    meaning: "The file was encrypted for another key.",
    action: "Choose another key file, or ask the sender which one it is.",
  },
  "age": {
    what: "This age identity does not open the file.",
    meaning: "The file was encrypted for other recipients.",
    action: "Try another identity, or send the sender the recipient of yours, which begins with age1.",
  },
};

/** Codes of the library with a text that depends on more, and those that this page cannot bring about. */
type Elsewhere = "no-matching-key" | "unsupported-suite" | "corrupt-segment" | "not-as-signed" | "bad-signers" | "invalid-argument" | "no-such-entry" | "no-ranges";

/** Codes of this page. */
type PageCode =
  | "no-key-yet" | "no-recipient-yet" | "passphrase-not-kept" | "one-file" | "cancelled" | "cancelled-folder" | "disk-full" | "write-refused" | "not-shown" | "not-text";

const texts: Record<Exclude<ErrorCode, Elsewhere> | PageCode, Explanation> = {
  "not-a-polyseal-file": {
    what: "This is not a file of Polyseal or age.",
    meaning: "It does not begin as one. It is of another kind, or its beginning is damaged.",
    action: "Choose the file that you were sent. Its name often ends in .polyseal or .age. If its header came as a separate file, choose that, too.",
  },
  "unsupported-version": {
    what: "This file has a newer version of the format.",
    meaning: "This page knows version 1.",
    action: "Look whether there is a newer version of this page.",
  },
  "truncated-header": {
    what: "The file ends too early.",
    meaning: "Not even its header is complete, so the file was cut off on its way to you.",
    action: askAgain,
  },
  "bad-header": {
    what: "The header of the file is not valid.",
    meaning: "The file is damaged, or was made by a faulty program.",
    action: askAgain,
  },
  "header-not-authentic": {
    what: "The header of the file has been altered.",
    meaning: "The key fits, but the header is not the one that was written with it. Nothing was opened.",
    action: askAgain,
  },
  "context-missing": {
    what: "The file is bound to a context.",
    meaning: "It opens only together with a text that the sender chose, such as a name or a purpose.",
    action: "Enter the context. Ask the sender if you do not know it.",
  },
  "context-differs": {
    what: "The context is not the right one.",
    meaning: "The key fits. The file is bound to another text, so it may not be the file that you think it is.",
    action: "Check the spelling, capital letters and spaces included. Ask the sender if you are not sure.",
  },
  "context-unexpected": {
    what: "The file has no context.",
    meaning: "You entered one, but the file is not bound to any. It may not be the file that you expect.",
    action: "Leave the context empty if the sender did not give you one.",
  },
  "truncated-payload": {
    what: "The file is incomplete or altered.",
    meaning: "It has a length that no complete file has: it was cut short or extended, perhaps while it was sent. Nothing was saved.",
    action: askAgain,
  },
  "payload-too-long": {
    what: "The file is too long.",
    meaning: "It has more parts than its algorithm may be used for.",
    action: askAgain,
  },
  "bad-armor": {
    what: "The text form of the file is damaged.",
    meaning: "An encrypted file as text must be complete, from its BEGIN line to its END line, without changes.",
    action: "Copy the whole text again, or ask for the file as an attachment.",
  },
  "bad-key-file": {
    what: "This is not a key file.",
    meaning: "A key file has a line that begins with polyseal-key-1-, or exactly 32 bytes.",
    action: "Choose the key file that you were given or have made.",
  },
  "bad-identity": {
    what: "This is not an age identity that this page can use.",
    meaning: "An identity is a line that begins with AGE-SECRET-KEY-. SSH keys and plugins need the tool.",
    action: "Copy the whole line, or choose the identity file.",
  },
  "bad-recipient": {
    what: "One of these lines is not an age recipient.",
    meaning: "A recipient is a line that begins with age1 and is complete.",
    action: "Copy the whole line again. Put each recipient on a line of its own.",
  },
  "bad-passphrase": {
    what: "There is no passphrase, or it is too long.",
    meaning: "A passphrase has 1 to 4096 bytes.",
    action: "Enter the passphrase.",
  },
  "too-much-work": {
    what: "Opening this file would take too much work.",
    meaning: "Whoever made it demands more memory for its passphrase, or has put more recipients into it, than this page spends.",
    action: "Open it with the program age, if you trust the sender.",
  },
  "invalid-recipients": {
    what: "These recipients cannot be used together.",
    meaning: "Post-quantum recipients, which begin with age1pq, cannot be mixed with others: the file would be no stronger than the weakest.",
    action: "Use recipients of one kind.",
  },
  "header-full": {
    what: "There are too many recipients.",
    meaning: "A file has room for 128 recipients, or 41 post-quantum ones.",
    action: "Use fewer recipients.",
  },
  "source-failed": {
    what: "The file cannot be read.",
    meaning: "It was moved, deleted or changed since you chose it, or its disk does not answer.",
    action: "Choose the file again.",
  },
  "source-changed": {
    what: "The file changed while it was read.",
    meaning: "What was read is not what was there before. Nothing was saved.",
    action: "Wait until no other program writes to the file, and choose it again.",
  },
  "bad-manifest": {
    what: "The manifest of this folder is not valid.",
    meaning: "It opens, but it breaks a rule, so none of the folder is taken as a tree.",
    action: "Ask the sender for the folder again. Its files still open one by one, without being checked against the manifest.",
  },
  "unsupported-manifest-version": {
    what: "The manifest of this folder has a newer version.",
    meaning: "This page knows versions 2 and 3.",
    action: "Look whether there is a newer version of this page.",
  },
  "unbound-manifest": {
    what: "The manifest of this folder is of the old version 1.",
    meaning: "It does not bind the contents of files: anyone who can open one file could have replaced its contents.",
    action: "Ask the sender for a new tree. The tool opens this one with --allow-unbound-contents.",
  },
  "no-manifest": {
    what: "There is no manifest among these files.",
    meaning: "Without it nobody knows which files belong together.",
    action: "Choose the whole folder, hidden files included. The manifest is called .polyseal-manifest.polyseal.",
  },
  "missing-file": {
    what: "This file is missing.",
    meaning: "The manifest lists it, but it is not among the files that you chose.",
    action: "Choose the whole folder, or ask the sender for the missing file.",
  },
  "does-not-belong": {
    what: "This is not the file that the manifest lists.",
    meaning: "Somebody replaced, renamed or swapped it. It opens with your key, and still is not given out under this name.",
    action: "Ask the sender for the folder again.",
  },
  "no-statement": {
    what: "There is no signature.",
    meaning: "You gave signers that you trust, so only a file that one of them has signed is opened. Folders, and files of age, have no signatures that this page reads.",
    action: "Choose the signature, whose name ends in .sig, or ask the sender for it. Without signers, the file opens unchecked.",
  },
  "unsupported-statement-version": {
    what: "The signature has a newer version.",
    meaning: "This page knows version 1. Nothing was opened.",
    action: "Look whether there is a newer version of this page.",
  },
  "bad-statement": {
    what: "The signature is damaged.",
    meaning: "Its text is not one that can be signed, or this is no signature of a file.",
    action: "Ask the sender for the signature again, whose name ends in .sig.",
  },
  "bad-signature": {
    what: "This is not a signature that can be read.",
    meaning: "It has no part that somebody has signed, or that part is damaged.",
    action: "Choose the signature, whose name ends in .sig, or ask the sender for it again.",
  },
  "bad-hashes": {
    what: "The end of the signature is damaged.",
    meaning: "It has one hash for each part of the file, and these are not the ones that were signed.",
    action: "Ask the sender for the signature again.",
  },
  "not-accepted": {
    what: "None of your signers has signed this file.",
    meaning: "There is a signature. It is of another key, of a time that the list does not allow, or of other words. Nothing was opened.",
    action: "Ask the signer which key it is, by another way than the file came. If you trust it, add it to the list.",
  },
  "other-file": {
    what: "The signature is about another file.",
    meaning: "One of your signers has signed something, and it is not this file. Nothing was opened.",
    action: "Choose the signature that belongs to the file, or ask the sender for both again.",
  },
  "cancelled": {
    what: "Stopped.",
    meaning: "You or the browser stopped the work. No file was saved.",
    action: "Start again when you like.",
  },
  "cancelled-folder": {
    what: "Stopped before all was saved.",
    meaning: "You or the browser stopped the work. The files that are in the new folder are whole, and others are missing.",
    action: "Save all again when you like. That makes another folder.",
  },
  "disk-full": {
    what: "There is not enough space.",
    meaning: "The disk, or the space that the browser gives to this page, is full. No file was saved.",
    action: "Free some space, or choose another place.",
  },
  "write-refused": {
    what: "The file cannot be written.",
    meaning: "The browser or the system refused access to that place. No file was saved.",
    action: "Choose another folder or another name.",
  },
  "no-key-yet": {
    what: "There is no key yet.",
    meaning: "The file opens only with the key that it was encrypted for.",
    action: "Enter the key or choose its file, and press Open again.",
  },
  "no-recipient-yet": {
    what: "Nobody could open this file yet.",
    meaning: "There is no key file and no recipient that it would be encrypted for.",
    action: "Make or choose a key file, or enter a recipient.",
  },
  "passphrase-not-kept": {
    what: "Keep the passphrase first.",
    meaning: "Nobody can open the file without it, and it is not shown again.",
    action: "Write it down or copy it to a safe place, tick the box, and press the button again.",
  },
  "one-file": {
    what: "These are several files.",
    meaning: "This page encrypts one file at a time.",
    action: "Choose one, or put them into an archive (zip, tar) first. The tool polyseal encrypts whole folders.",
  },
  "suite-failed": {
    what: "A part of this page could not be loaded or run.",
    meaning: "This file needs a part that computes its algorithm. It did not arrive, it is not the one that belongs to this page, or this browser is too old for it.",
    action: "Check the connection, load the page again and try once more. If that does not help, try a current browser.",
  },
  "not-shown": {
    what: "The browser cannot show this file.",
    meaning: "The file opened without an error, but the browser does not know this kind of picture, sound or video.",
    action: "Save the file, and open it with another program.",
  },
  "not-text": {
    what: "This file is not shown.",
    meaning: "The file opened without an error, but it is not plain text in UTF-8.",
    action: "Save the file, and open it with another program.",
  },
};

export function explain({ code, message, segment, isLast, line }: Failure, { secret, suite, size, segmentSize }: Circumstances = {}): Explanation {
  if (code === "no-matching-key" && secret !== undefined) return wrongKey[secret];
  if (code === "unsupported-suite") {
    return {
      what: `This page cannot compute the algorithm ${suite ?? "of this file"}.`,
      meaning: "The file is valid. It was encrypted with an algorithm that the browser does not have.",
      action: "Ask the sender to make it for every reader: polyseal encrypt --portable. Or open it with the tool polyseal.",
    };
  }
  if (code === "bad-signers") {
    return {
      what: `Line ${line ?? 1} of the signers is not understood.`,
      meaning: "A line has a name and then a public SSH key, as ssh-keygen has them. Nobody knows what a line with something else would forbid.",
      action: "Correct the line, or remove it. A key is what is in a file whose name ends in .pub.",
    };
  }
  const where = segment === undefined || segmentSize === undefined || size === undefined ? `part ${(segment ?? 0) + 1}` : partOf(segment, segmentSize, size);
  if (code === "not-as-signed") {
    return {
      what: "The file is not as it was signed.",
      meaning: `It differs at ${where}. Somebody has changed it after it was signed, or it is incomplete. Nothing of the file is saved or shown.`,
      action: askAgain,
    };
  }
  if (code === "corrupt-segment" && segment !== undefined) {
    return {
      what: isLast === true ? "The file is incomplete or altered." : "The file has been altered.",
      meaning: isLast === true
        ? `It does not open at its end, ${where}. The end may be missing, as when a download broke off, or it was extended or changed. Nothing of it is saved or shown.`
        : `It does not open at ${where}. That part is not what was encrypted. Nothing of the file is saved or shown.`,
      action: askAgain,
    };
  }
  return (texts as Record<string, Explanation>)[code] ?? {
    what: "That did not work.",
    meaning: message || "Something happened that this page does not expect.",
    action: "Load the page again and try once more. If it happens again, try another browser.",
  };
}

const notTakenBecause: Record<FailureReason, string> = {
  "permission-denied": "permission was denied",
  "unreadable": "it could not be read",
  "not-written": "its encrypted file could not be written",
  "unsupported-type": "it is neither a file nor a folder nor a link",
  "changed": "it changed while it was read",
  "unsuitable-name": "its name cannot be used in an encrypted folder",
  "unknown": "this page does not know the reason",
};

/** Why an entry of a tree could not be taken, and what is there of it instead. Empty if it was taken. */
export function notTaken({ type, notTaken: reason }: Pick<EntryFacts, "type" | "notTaken">): string {
  if (reason === null) return "";
  const because = notTakenBecause[reason];
  if (type === "absent") return `Could not be taken: ${because}.`;
  if (type === "directory") return `What is in it could not be listed: ${because}.`;
  return `From an earlier time. It could not be taken again: ${because}.`;
}

/** Why a tree is not complete, in sentences. None if it is. */
export function notComplete({ entries, interrupted }: { entries: readonly Pick<EntryFacts, "type" | "name" | "notTaken">[]; interrupted: boolean }): string[] {
  const failed = entries.filter((entry) => entry.notTaken !== null);
  const folders = failed.filter(({ type }) => type === "directory").length;
  const parts = [[failed.length - folders, "file"], [folders, "folder"]] as const;
  const named = parts.filter(([number]) => number > 0).map(([number, noun]) => counted(number, noun)).join(" and ");
  return [
    ...(failed.length > 0 ? [`${named} could not be taken when this was made: ${namesOf(failed.map(({ name }) => name))}. The list says why.`] : []),
    ...(interrupted ? ["An update of this folder was interrupted. Each file is as it was before the update or after it, and is checked as usual."] : []),
  ];
}
