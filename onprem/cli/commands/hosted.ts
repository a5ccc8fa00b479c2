import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { Command } from 'commander'
import { AppError } from '../../../shared/errors.ts'

/** Development dependencies: a production install has none. */
const hostedPackage = '@aws-sdk/client-dynamodb'

/** Adds a command of the hosted half. If it is not installed, the command is not listed and fails with the reason. */
export function hostedCommand(program: Command, name: 'hosted' | 'license', description: string): void {
  const executableFile = fileURLToPath(new URL(`../../../functions/cli/${name}.ts`, import.meta.url))
  if (existsSync(executableFile) && isInstalled(hostedPackage)) {
    program.command(name, description, { executableFile })
    return
  }
  program
    .command(name, { hidden: true })
    .argument('[words...]')
    .allowUnknownOption()
    .helpOption(false)
    .action(() => {
      throw new AppError('forbidden', notInstalled)
    })
}

const notInstalled =
  'The hosted half is not part of this install. Run this command in a checkout of Carrel, after "npm ci" with its development packages.'

function isInstalled(name: string): boolean {
  try {
    import.meta.resolve(name)
    return true
  } catch {
    return false
  }
}
