import { Argument, type Command } from 'commander'
import { z } from 'zod'
import { printAnswer } from '../../../shared/cli/print.ts'
import {
  isSetting,
  type SecretName,
  type SettingName,
  Settings,
  secretNames,
  settingNames,
} from '../../../shared/settings/settings.ts'
import { completionTable, type KnownArguments } from '../completion/completion-table.ts'
import { fishScript } from '../completion/fish-script.ts'
import { posixScript } from '../completion/posix-script.ts'

const shells = ['bash', 'zsh', 'fish'] as const
type Shell = (typeof shells)[number]

const use = `
Examples:
  bash:  echo 'source <(carrel completion bash)' >> ~/.bashrc
  zsh:   echo 'source <(carrel completion zsh)' >> ~/.zshrc        (after compinit)
  fish:  carrel completion fish > ~/.config/fish/completions/carrel.fish`

export function completionCommand(program: Command): void {
  program
    .command('completion')
    .description('print a script that lets a shell complete commands, options and settings')
    .addArgument(new Argument('<shell>', 'the shell').choices(shells))
    .addHelpText('after', use)
    .action((shell: Shell) => {
      const table = completionTable(program, knownArguments(program))
      printAnswer((shell === 'fish' ? fishScript(table) : posixScript(table, shell)).trimEnd())
    })
}

function knownArguments(program: Command): KnownArguments {
  const names = [...settingNames, ...secretNames].map((word) => ({ word, followers: [] }))
  const commands = program.createHelp().visibleCommands(program)
  return {
    'carrel help': commands.map((each) => ({ word: each.name(), followers: [] })),
    'carrel completion': shells.map((word) => ({ word, followers: [] })),
    'carrel settings get': names,
    'carrel settings unset': names,
    'carrel settings set': names.map(({ word }) => ({ word, followers: settingChoices(word) })),
  }
}

/** The values of a setting that has only a few. */
function settingChoices(name: SettingName | SecretName): readonly string[] {
  if (!isSetting(name)) return []
  const schema = Settings.shape[name]
  if (schema.parse(undefined) === false) return ['true', 'false']
  const inner = schema.unwrap()
  return inner instanceof z.ZodEnum ? inner.options : []
}
