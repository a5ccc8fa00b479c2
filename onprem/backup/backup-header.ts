import { z } from 'zod'

/** Increment it when an older version could not read the archive. */
export const backupFormat = 1

/** The names of the first and the last file of every archive. */
export const headerName = 'backup.json'
export const sumsName = 'sha256sums'

/** The first file of an archive, which describes the others. */
export const BackupHeader = z.object({
  product: z.literal('carrel-backup'),
  format: z.int().min(1),
  /** The version of Carrel. */
  version: z.string().regex(/^\d{1,6}\.\d{1,6}\.\d{1,6}/),
  /** The version of the schema of `carrel.db`. */
  schema: z.int().min(1),
  createdAt: z.iso.datetime(),
  withKeys: z.boolean(),
  /** Identifies `secrets.key` without revealing it; null if the install had none. */
  secretsKeyId: z.string().nullable(),
  /** The settings that are encrypted with `secrets.key`. */
  secrets: z.array(z.string()),
  /** `version` is '' for the default content. Not complete if the install had lost files of it. */
  libraries: z.array(z.object({ library: z.string(), version: z.string(), snippets: z.int(), complete: z.boolean() })),
  /** Number and bytes of the files between this one and the sums. */
  files: z.int().min(1),
  sizeBytes: z.int().min(1),
})
export type BackupHeader = z.infer<typeof BackupHeader>
