/** A file or folder that is not read, and the reason, as the report of a job shows it. */
export type Skipped = { path: string; reason: string }
