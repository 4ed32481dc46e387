/** Polyseal's encrypted files: what this package exports to Node and to browsers. */

export { PolysealError, type ErrorCode } from "./errors.js";
export { open, type OpenedFile, type OpenOptions, type RangeOptions } from "./open.js";
export { decryptStream, type DecryptedStream } from "./decrypt-stream.js";
export { encrypt, encryptDetached, encryptedSize, type EncryptOptions, type Plaintext } from "./encrypt.js";
export { changeRecipients, type ChangeOptions, type FileOptions } from "./write-header.js";
export { inspect, type HeaderInfo, type HeaderOptions, type StanzaInfo } from "./inspect.js";
export {
  ageIdentity, ageRecipient, generateAgeIdentity, keyFile, parseAgeIdentities, parseAgeRecipients, passphrase,
  type AgeIdentity, type AgeRecipient, type Key, type KeyFile, type Passphrase, type Recipient,
} from "./keys.js";
export { RejectedStanza, type AgeUnwrapper, type AgeWrapper } from "./age.js";
export type { RecipientStanza } from "./age-stanzas.js";
export { inspectAge, isAgeFile, openAge, type AgeHeaderInfo, type AgeOptions, type OpenedAgeFile } from "./age/open.js";
export { generateKeyFile, parseKeyFile } from "./key-file.js";
export { armorDecoder, armorEncoder, decodeArmor, encodeArmor } from "./armor.js";
export { verifySigned, type SignedOptions, type Signer, type VerifyOptions } from "./statement/statement.js";
export { httpSource, type HttpOptions } from "./source-http.js";
export type { HeadersLike } from "./http-headers.js";
export type { Bytes } from "./bytes.js";
export type { BytesLike } from "./given.js";
export type { ByteInput, ByteStream } from "./streams.js";
export type { Source, SourceLike } from "./source.js";
export { suiteNames, type SegmentCipher, type SuiteImplementation, type Suites } from "./suites.js";
export { builtInSuiteNames } from "./unlock.js";
export { openTree, type Tree, type TreeFile, type TreeFiles, type TreeOptions } from "./tree.js";
export type { AbsentEntry, DirectoryEntry, EntryState, FailureReason, FileEntry, LinkEntry, TreeEntry } from "./manifest.js";
