const mb = 2 ** 20

/** The limits of a request with one API description, and of one with files. */
export const openapiBytes = 4 * mb
export const filesBytes = 200 * mb
export const uploadLimits = { files: 10_000, fileBytes: 100 * mb, zipEntries: 20_000, unpackedBytes: 500 * mb }

/** The names of API descriptions. */
export const describedFile = /\.(?:json|ya?ml|graphqls?|gql)$/i
