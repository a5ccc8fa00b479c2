import { Command } from 'commander'
import { type Install, remark } from '../../shared/cli/install.ts'
import { addSettingsCommands } from '../../shared/cli/settings.ts'
import { vendorDir } from '../../shared/keys/dev-pairs.ts'
import { openDataDir } from '../../shared/store/data-dir.ts'
import { addKeysCommands } from './keys.ts'
import { addInstallLicenseCommands } from './license.ts'

const { DATA_DIR, HOST, LICENSE_KEY } = process.env

const install: Install = {
  dataDir: () => openDataDir(DATA_DIR || './data'),
  env: { licenseKey: LICENSE_KEY, host: HOST || '127.0.0.1' },
  vendorDir,
  now: () => new Date(),
}

const program = new Command('carrel')
  .description('Sets up the install that DATA_DIR names (./data), also while its server runs.')
  .configureOutput({ outputError: (text) => remark(withAdvice(oneLine(text.replace(/^error: /, '')))) })

addKeysCommands(program, install)
addSettingsCommands(program, install)
addInstallLicenseCommands(program, install)

try {
  await program.parseAsync()
} catch (error) {
  remark(oneLine(error instanceof Error ? error.message : String(error)))
  process.exitCode = 1
}

/** Some of commander's messages already say what is right. */
function withAdvice(message: string): string {
  if (/\(Did you mean |Allowed choices are /.test(message)) return message
  return `${message.replace(/\.$/, '')}; add --help to see what is expected.`
}

function oneLine(text: string): string {
  return text.trim().replaceAll(/\s*\n\s*/g, ' ')
}
