import { release } from 'node:os'
import { z } from 'zod'
import manifest from '../../package.json' with { type: 'json' }
import type { GitHealth } from '../../shared/reading/git/git-health.ts'
import { folderSize } from '../support/folder-size.ts'

export const AboutAnswer = z
  .object({
    version: z.string(),
    node: z.string(),
    lancedb: z.string(),
    git: z.string().nullable().describe('Null if git cannot be run'),
    platform: z.string().describe('Operating system with its release, and processor'),
    dataDir: z.string(),
    dataBytes: z.int().nullable().describe('Bytes of the files in dataDir; null if counting them takes more than a second'),
    reachable: z.boolean().describe('Whether other machines can reach the server'),
  })
  .meta({ id: 'About' })

export type AboutPorts = {
  version: string
  dataDir: string
  git: Pick<GitHealth, 'version'>
  /** True if only this machine can reach the server. */
  loopback: boolean
}

const maxCountingMs = 1_000

export async function about({ version, dataDir, git, loopback }: AboutPorts): Promise<z.infer<typeof AboutAnswer>> {
  const [gitVersion, dataBytes] = await Promise.all([
    git.version(),
    folderSize(dataDir, AbortSignal.timeout(maxCountingMs)).catch(() => null),
  ])
  return {
    version,
    node: process.versions.node,
    lancedb: manifest.dependencies['@lancedb/lancedb'],
    git: gitVersion ?? null,
    platform: `${process.platform} ${release()} ${process.arch}`,
    dataDir,
    dataBytes,
    reachable: !loopback,
  }
}
