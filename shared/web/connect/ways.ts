import { type ClientName, clients, packageCommand, setupCommand } from './clients.ts'

/** A way to add the server to a client: a command, a link that opens the client, or text for a file. */
export type Way = { title: string } & (
  | { kind: 'command'; about?: string; command: string }
  | { kind: 'link'; href: string }
  | { kind: 'file'; file: string | undefined; text: string; language: 'json' | 'ini' }
)

export type Connection = {
  /** The address of the deployment, without a slash at its end. */
  root: string
  /** The key that the client needs. */
  key?: string | undefined
  /** False if the setup writes no key, because the deployment requires none. */
  setupWritesKey?: boolean
  /** The npm package of the program that sets up clients. */
  programPackage?: string | undefined
}

/** The ways to add the server to a client, the simplest one first. Commands and links of clients hold no key. */
export function waysOf(name: ClientName, { root, key, setupWritesKey = true, programPackage }: Connection): Way[] {
  const { label, file, language, configuration, link, command } = clients[name]
  const url = `${root}/mcp`
  const setup = key === undefined || setupWritesKey ? setupCommand(name, root) : undefined
  const byPackage = setup && programPackage && packageCommand(programPackage, name, root)
  const ways: (Way | undefined | '')[] = [
    setup && { title: 'By the setup of Carrel', kind: 'command', about: aboutSetup, command: setup },
    byPackage && { title: `With the package ${programPackage}`, kind: 'command', command: byPackage },
    link && key === undefined ? { title: 'By one click', kind: 'link', href: link(url) } : undefined,
    command && key === undefined ? { title: `By the command of ${label}`, kind: 'command', command: command(url) } : undefined,
    { title: 'By its configuration', kind: 'file', file, text: configuration(url, key), language },
  ]
  return ways.filter((way): way is Way => Boolean(way))
}

const aboutSetup =
  'Run this on your machine. It needs only Node 18 or later, stores a small program in the current folder, writes the configuration, a rule and a skill, and shows how to undo that:'

/** The instruction for the text of a file, as the parts before and after the name of the file. */
export function placeOf(file: string | undefined): [before: string, after: string] {
  if (file === undefined) return ['Any client that speaks Streamable HTTP can connect to this address. Many read this form:', '']
  const where = file.startsWith('~') ? '' : ' in your project'
  return ['Put this into ', `${where}. If the file has other servers, add only the entry carrel:`]
}
