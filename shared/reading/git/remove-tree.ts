import { execFile } from 'node:child_process'
import { promisify } from 'node:util'

const run = promisify(execFile)

/**
 * Deletes a folder with its content, if it exists. Uses a separate process, since Node's recursive `rm` blocks the event loop.
 */
export async function removeTree(dir: string): Promise<void> {
  await run('rm', ['-rf', '--', dir])
}
