import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import { AppError } from '../../../shared/errors.ts'
import { pathAdvice } from '../../../shared/system/machine-error.ts'

const ServerFacts = z.object({
  pid: z.int(),
  /** The address of the server on this machine, without a path. */
  url: z.url(),
  version: z.string(),
  token: z.string(),
})
const CommandFacts = z.object({ pid: z.int(), command: z.string() })

/** The data with which commands on this machine find and call the running server. */
export type ServerFacts = z.infer<typeof ServerFacts>
/** The command that uses the data directory while no server runs. */
export type CommandFacts = z.infer<typeof CommandFacts>

const schemas = { 'server.json': ServerFacts, 'command.json': CommandFacts }
type Name = keyof typeof schemas

/** Writes the file. Only the process that holds the lock of the data directory may call this. */
export const writeServerFile = (dataDir: string, facts: ServerFacts): void => write(dataDir, 'server.json', facts)
export const writeCommandFile = (dataDir: string, facts: CommandFacts): void => write(dataDir, 'command.json', facts)

/** Reads the file. Undefined if it is missing or damaged. It can be older than its server: a killed process leaves it behind. */
export const readServerFile = (dataDir: string): ServerFacts | undefined => read(dataDir, 'server.json', ServerFacts)
export const readCommandFile = (dataDir: string): CommandFacts | undefined => read(dataDir, 'command.json', CommandFacts)

/**
 * Deletes both files, those of a killed process too. Only the process that holds the lock of the data directory may call this. Throws
 * cannot_start if it cannot.
 */
export function removeServerFiles(dataDir: string): void {
  for (const path of Object.keys(schemas).map((name) => join(dataDir, name))) {
    try {
      rmSync(path, { force: true })
    } catch (error) {
      const advice = pathAdvice(error, dataDir) ?? 'Delete it by hand.'
      throw new AppError('cannot_start', `The file ${path} cannot be deleted. ${advice}`, { cause: error })
    }
  }
}

/** Replaces the file in one step, so that no reader sees half of it. The other file is new, so that its mode and owner are right. */
function write(dataDir: string, name: Name, facts: object): void {
  const path = join(dataDir, name)
  rmSync(`${path}.new`, { force: true })
  writeFileSync(`${path}.new`, `${JSON.stringify(facts)}\n`, { mode: 0o600, flag: 'wx' })
  renameSync(`${path}.new`, path)
}

function read<Schema extends z.ZodType>(dataDir: string, name: Name, schema: Schema): z.output<Schema> | undefined {
  try {
    return schema.safeParse(JSON.parse(readFileSync(join(dataDir, name), 'utf8'))).data
  } catch {
    return undefined
  }
}
