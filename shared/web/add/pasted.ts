import type { RecognizedSources } from '../../packages/recognized-sources.ts'

/** A text that a person typed, pasted or dropped. */
export type Pasted = { text: string; fileName?: string }

export type { RecognizedSources }
export type RecognizedRepository = RecognizedSources['repositories'][number]

/** The repositories that a text names, and the largest file that may be sent. */
export type Recognizer = { recognize: (pasted: Pasted) => Promise<RecognizedSources>; maxBytes: number }
