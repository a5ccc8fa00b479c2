import { Readable } from 'node:stream'
import { GetObjectCommand, ListObjectsV2Command, PutObjectCommand, type S3Client } from '@aws-sdk/client-s3'

export type StoredFile = { path: string; bytes: number }
export type ListedFile = StoredFile & { writtenAtMs: number }
/** The bytes from `from` up to, but without, `to`. */
export type ByteRange = { from: number; to: number }

/** The files of LanceDB's tables where they are stored, by their path below the database. */
export type StoredFiles = {
  /** All files below a folder. */
  list(folder: string): Promise<ListedFile[]>
  write(path: string, text: string): Promise<void>
  /** Returns undefined if there is no such file. */
  read(path: string, options: { range?: ByteRange; signal: AbortSignal }): Promise<Readable | undefined>
}

/** The files below `prefix` in a bucket. */
export function s3Files(s3: S3Client, bucket: string, prefix: string): StoredFiles {
  const at = (path: string) => ({ Bucket: bucket, Key: `${prefix}/${path}` })
  return {
    async list(folder) {
      const files: ListedFile[] = []
      for (let token: string | undefined; ; ) {
        const command = new ListObjectsV2Command({
          Bucket: bucket,
          Prefix: `${prefix}/${folder}/`,
          ...(token && { ContinuationToken: token }),
        })
        const { Contents = [], NextContinuationToken } = await s3.send(command)
        for (const { Key = '', Size = 0, LastModified } of Contents)
          files.push({ path: Key.slice(prefix.length + 1), bytes: Size, writtenAtMs: LastModified?.getTime() ?? 0 })
        token = NextContinuationToken
        if (!token) return files
      }
    },
    async write(path, text) {
      await s3.send(new PutObjectCommand({ ...at(path), Body: text, ContentType: 'application/json' }))
    },
    async read(path, { range, signal }) {
      const command = new GetObjectCommand({ ...at(path), ...(range && { Range: `bytes=${range.from}-${range.to - 1}` }) })
      const answer = await s3.send(command, { abortSignal: signal }).catch(unlessAbsent)
      return answer?.Body instanceof Readable ? answer.Body : undefined
    },
  }
}

function unlessAbsent(error: unknown): undefined {
  if ((error as { name?: string }).name === 'NoSuchKey') return undefined
  throw error
}
