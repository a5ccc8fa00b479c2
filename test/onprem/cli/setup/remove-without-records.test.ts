import { existsSync, mkdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { type ClientName, clientNames } from '../../../../shared/clients/entries.ts'
import { addressName } from './client-files.ts'
import { scopesOf } from './client-paths.ts'
import { setupHome } from './setup-home.ts'

const read = (path: string) => readFileSync(path, 'utf8')

/** A user whose home folder lost the records of setup. */
async function forgetful(clients: ClientName[], { project = false, enabled = true } = {}) {
  const user = setupHome({ project })
  await user.setup(clients, { enabled })
  rmSync(join(user.home, '.local'), { recursive: true })
  user.printed()
  return user
}
const filesIn = (tree: Record<string, string>) => Object.keys(tree).filter((path) => !path.endsWith('/'))

describe('setup --remove without its records', () => {
  test.each(clientNames.flatMap((client) => [true, false].map((enabled) => [client, enabled] as const)))(
    'deletes the entries and files of %s that are exactly as setup writes them, with a key: %s',
    async (client, enabled) => {
      for (const project of scopesOf(client)) {
        const user = await forgetful([client], { project, enabled })
        expect(user.remove([], true)).toMatchObject({ changed: 3, failed: 0 })
        expect(filesIn(user.tree())).toHaveLength(3)
        expect(user.remove()).toMatchObject({ changed: 3, failed: 0 })
        expect(filesIn(user.tree())).toEqual([])
        expect(existsSync(join(user.paths(client).skill, '..'))).toBe(false)
        user.printed()
        user.remove()
        expect(user.printed()).toContain('Nothing of Carrel was found')
      }
    },
  )

  test.each(clientNames)('leaves the rest of a file of %s unchanged', async (client) => {
    const user = setupHome()
    const { config, rule } = user.paths(client)
    const text = client === 'codex' ? '# mine\nmodel = "o9"\n' : '{\n  "theme": "dark"\n}\n'
    user.write(config, text)
    const isShared = ['codex', 'opencode', 'gemini', 'windsurf', 'zed'].includes(client)
    if (isShared) user.write(rule, '# Rules\n')
    await user.setup([client], { enabled: true })
    rmSync(join(user.home, '.local'), { recursive: true })
    expect(user.remove()).toMatchObject({ changed: 3, failed: 0 })
    expect(read(config)).toBe(text)
    if (isShared) expect(read(rule)).toBe('# Rules\n')
  })

  test('deletes an entry that Codex wrote again, without its type', async () => {
    const user = await forgetful(['codex'])
    const { config } = user.paths('codex')
    user.write(config, read(config).replace('type = "http"\n', ''))
    expect(user.remove()).toMatchObject({ changed: 3, failed: 0 })
    expect(existsSync(config)).toBe(false)
  })
})

describe('setup --remove of changed files without its records', () => {
  test('keeps entries that differ, and reports what to delete', async () => {
    for (const client of clientNames) {
      const user = await forgetful([client])
      const { config, rule, skill } = user.paths(client)
      const option =
        client === 'codex'
          ? ['url =', 'enabled = false\nurl =']
          : [`"${addressName(client)}":`, `"timeout": 5, "${addressName(client)}":`]
      user.write(config, read(config).replace(option[0] ?? '', option[1] ?? ''))
      user.write(rule, read(rule).replace('Prefer it', 'Always prefer it'))
      user.write(skill, `${read(skill)}Be kind.\n`)
      const before = user.tree()
      expect(user.remove()).toEqual({ changed: 0, failed: 0 })
      expect(user.tree()).toEqual(before)
      const printed = user.printed()
      expect(printed).toMatch(/MCP server +kept .*\(not as setup writes it: delete the server "carrel" in it yourself\)/)
      expect(printed).toMatch(/rule +kept .*\(not as setup writes it: delete what Carrel wrote yourself\)/)
      expect(printed).toMatch(/skill +kept .*\(not as setup writes it: delete what Carrel wrote yourself\)/)
    }
  })

  test('keeps files that a client still uses', async () => {
    const user = await forgetful(['codex', 'opencode'], { project: true })
    expect(user.remove(['codex'])).toMatchObject({ changed: 1, failed: 0 })
    expect(user.printed()).toMatch(
      /AGENTS\.md \(used by OpenCode\)\n.*SKILL\.md \(used by OpenCode\)|SKILL\.md \(used by OpenCode\)\n.*AGENTS\.md \(used by OpenCode\)/,
    )
    expect(filesIn(user.tree()).sort()).toEqual(['.agents/skills/carrel-mcp/SKILL.md', 'AGENTS.md', 'opencode.json'])
    user.remove()
    expect(filesIn(user.tree())).toEqual([])
  })

  test('keeps the target of a symbolic link in a project', async () => {
    const user = await forgetful(['claude'], { project: true })
    const elsewhere = join(user.home, 'elsewhere.json')
    user.write(elsewhere, read(user.paths('claude').config))
    rmSync(user.paths('claude').config)
    symlinkSync(elsewhere, user.paths('claude').config)
    expect(user.remove()).toMatchObject({ failed: 1 })
    expect(read(elsewhere)).toContain('carrel')
  })

  test('keeps an entry that is not ours in a file with our name', async () => {
    const user = setupHome()
    mkdirSync(join(user.home, '.cursor'))
    user.write(user.paths('cursor').config, '{ "mcpServers": { "carrel": { "command": "carrel-the-editor" } } }\n')
    const before = user.tree()
    user.remove()
    expect(user.tree()).toEqual(before)
    expect(user.printed()).toContain('delete the server "carrel" in it yourself')
  })
})

test('the records of a project are not used for those of the user', async () => {
  const user = await forgetful(['claude'])
  const records = join(user.home, '.local/state/carrel/setup/0000000000000000/change.json')
  user.write(records, JSON.stringify({ path: '/x', what: 'rule', project: '/x', clients: ['claude'], folders: [], written: '' }))
  expect(user.remove()).toMatchObject({ changed: 3, failed: 0 })
})
