import { lstatSync, mkdirSync, readdirSync, readFileSync, readlinkSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { onTestFinished, vi } from 'vitest'
import { removeSetup, runSetup } from '../../../../onprem/cli/setup/run-setup.ts'
import type { ClientName } from '../../../../shared/clients/entries.ts'
import { recordingServer } from '../../../fixtures/recording-server.ts'
import { tempDir } from '../../../fixtures/temp-dir.ts'
import { clientPaths, projectPaths } from './client-paths.ts'

export const testKey = 'carrel_op_of-a-test'

/** A deployment that requires a key or not. */
export const deployment = ({ enabled }: { enabled: boolean }) =>
  recordingServer((_, response) => response.end(JSON.stringify({ enabled })))

/** The home folder of a user, in which setup runs in this process. */
export function setupHome({ project = false, platform = 'linux' }: { project?: boolean; platform?: NodeJS.Platform } = {}) {
  const home = tempDir()
  const folder = project ? tempDir() : home
  const env: Record<string, string> = {}
  const place = { home: { home, env, platform }, project: project ? folder : undefined }
  const printed: string[] = []
  for (const output of [process.stdout, process.stderr]) {
    const spy = vi.spyOn(output, 'write').mockImplementation((text) => printed.push(String(text)) > 0)
    onTestFinished(() => spy.mockRestore())
  }
  return {
    home,
    /** The variables that name folders of clients. */
    env,
    folder,
    /** The text that was printed, in both outputs. */
    printed: () => printed.splice(0).join(''),
    /** The files of a client while no variable is set. */
    paths(client: ClientName) {
      const [config, rule, skill] = (project && projectPaths(client)) || clientPaths[client].user
      return { config: join(folder, config), rule: join(folder, rule), skill: join(folder, skill) }
    },
    write(path: string, content: string | Uint8Array, mode = 0o644) {
      mkdirSync(dirname(path), { recursive: true })
      writeFileSync(path, content, { mode })
    },
    /** Runs setup with a new deployment, unless `root` names one. */
    async setup(names: ClientName[], { enabled = false, dryRun = false, key = testKey, root = '' } = {}) {
      const server = root ? { url: root, close: async () => {} } : await deployment({ enabled })
      const ports = { env: {}, terminal: () => undefined, command: () => 'carrel' }
      const run = { clients: names, place, dryRun, root: server.url, apiKey: key, yes: true }
      const outcome = await runSetup(run, ports).finally(server.close)
      return { ...outcome, url: `${server.url}/mcp` }
    },
    remove: (names: ClientName[] = [], dryRun = false) => removeSetup({ clients: names, place, dryRun }),
    /** Every file and folder with its content, mode and time, except the backups of setup. */
    tree: () => treeOf(folder),
  }
}

const backups = '.local'

function treeOf(folder: string, inside = ''): Record<string, string> {
  const found = readdirSync(join(folder, inside)).filter((name) => join(inside, name) !== backups)
  return Object.assign(
    {},
    ...found.map((name) => {
      const path = join(inside, name)
      const stats = lstatSync(join(folder, path))
      if (stats.isSymbolicLink()) return { [path]: `link to ${readlinkSync(join(folder, path))}` }
      if (stats.isDirectory()) return { [`${path}/`]: '', ...treeOf(folder, path) }
      return { [path]: `${(stats.mode & 0o777).toString(8)} ${readFileSync(join(folder, path), 'base64')}` }
    }),
  )
}

export const modeOf = (path: string): string => (statSync(path).mode & 0o777).toString(8)
