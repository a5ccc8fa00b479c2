/** A `traceparent` of W3C Trace Context: version, trace id, parent id and flags. */
const pattern = /^(?!ff)[\da-f]{2}-(?!0{32})[\da-f]{32}-(?!0{16})[\da-f]{16}-[\da-f]{2}$/

/** Undefined for a value of another format, which may be any text of a client. */
export const readTraceparent = (value: unknown): string | undefined =>
  typeof value === 'string' && pattern.test(value) ? value : undefined
