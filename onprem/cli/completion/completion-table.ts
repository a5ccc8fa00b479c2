import type { Command } from 'commander'

export type Candidate = { word: string; description: string }

/** The words that can follow the words `at`, such as `carrel keys`: commands or arguments, and options. */
export type CompletionNode = { at: string; names: Candidate[]; options: Candidate[] }

export type CompletionTable = {
  nodes: CompletionNode[]
  /** Options with a value, such as `carrel keys create --role`, with its choices. Without choices, it is a text or a file. */
  values: { at: string; choices: readonly string[] }[]
}

/** The first argument of some commands, by their words, and the words that can follow it. */
export type KnownArguments = Record<string, { word: string; followers: readonly string[] }[]>

/** All words that a shell can complete: the commands and options of the help, and known arguments. */
export function completionTable(program: Command, knownArguments: KnownArguments): CompletionTable {
  const table: CompletionTable = { nodes: [], values: [] }
  addNodes(table, program, program.name(), knownArguments)
  return table
}

function addNodes(table: CompletionTable, command: Command, at: string, knownArguments: KnownArguments): void {
  const help = command.createHelp()
  const commands = help.visibleCommands(command)
  const options = help.visibleOptions(command)
  const words = knownArguments[at] ?? []
  table.nodes.push({
    at,
    names: [
      ...commands.map((each) => ({ word: each.name(), description: help.subcommandDescription(each) })),
      ...words.map(({ word }) => ({ word, description: '' })),
    ],
    options: options.flatMap(({ long, description }) => (long ? [{ word: long, description }] : [])),
  })
  for (const { word, followers } of words)
    table.nodes.push({ at: `${at} ${word}`, names: followers.map((each) => ({ word: each, description: '' })), options: [] })
  for (const { long, short, required, optional, argChoices = [] } of options) {
    if (!required && !optional) continue
    for (const flag of [long, short]) if (flag) table.values.push({ at: `${at} ${flag}`, choices: argChoices })
  }
  for (const each of commands) addNodes(table, each, `${at} ${each.name()}`, knownArguments)
}
