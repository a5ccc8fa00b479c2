/** A title and a description as their source has them: neither cleaned nor limited. */
export type Titled = { title?: string | undefined; description?: string | undefined }
