import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { readerOf } from './documentation/reader.ts'
import { commandsOf } from './documentation/shell-blocks.ts'
import { runInShell } from './documentation/shell-session.ts'

const root = new URL('../..', import.meta.url).pathname
const pages = ['README.md', 'examples/README.md', ...readdirSync(join(root, 'docs')).map((name) => `docs/${name}`)]
  .filter((name) => name.endsWith('.md'))
  .map((name) => ({ name, commands: commandsOf(root, name) }))
  .filter(({ commands }) => commands.length > 0)

/** Commands that another file runs, because they install, build, or start a server that does not end; and the words of that file that do so. */
const runElsewhere: [RegExp, string, string][] = [
  [/^npm ci$/, '.ci/run', 'npm ci'],
  [/^npm ci && npm start$/, 'test/onprem/main.test.ts', "spawn('npm', ['start'"],
  [/^npm ci && npm test$/, '.ci/run', 'npm test'],
  [/^npm install --global \.\/carrel-/, 'test/fixtures/packed-install.ts', "npm(folder, 'install', "],
  [/^carrel start$/, 'test/onprem/cli/start.test.ts', "startCarrel(['start']"],
  [/^npm run hosted$/, 'test/fixtures/hosted-process.ts', 'scripts.hosted'],
  [/^(CARREL_KEY=\S+ )?examples\/curl\.sh /, 'test/e2e/examples.test.ts', "join(examples, 'curl.sh')"],
  [/^(CARREL_KEY=\S+ )?node examples\/client\.ts /, 'test/e2e/examples.test.ts', "join(examples, 'client.ts')"],
]

/** Commands that need an AWS account, a server that is read over ssh, packages of 290 MB, a model from the hub, a builder of images, Docker or a cluster. `npm run test:image` does the same with podman. */
const runNowhere =
  /^npx sst |^aws |^ssh-keyscan |^carrel models |^npm install .*onnxruntime-node@|^npm run image |^(docker|helm|kubectl) |^sha256sum --check carrel-/

/** Commands that report a problem: of a repository without a token, and of models that nobody has copied here. */
const fails = ['carrel add acme/secret --private', 'npm run -s carrel -- doctor']

const program = 'curl -fsSLo carrel.mjs https://carrel.example.com/cli.mjs && node carrel.mjs'

/** Turns the words of a page into the command of its reader. */
const typed: Record<string, (command: string) => string> = {
  // The reader has no terminal to choose a client on.
  [`${program} setup --base-url https://carrel.example.com`]: (command) => `${command} --claude --yes`,
  'node carrel.mjs doctor': (command) => `${command} | grep 'Claude Code.* responds over MCP'`,
  'npm run -s carrel -- groups members payments --set mia': (command) =>
    `echo 'a password of mine' | carrel users create mia --role admin && ${command}`,
  'carrel users create mia --role admin': (command) => `echo 'a password of mine' | ${command}`,
  'npm run -s carrel -- settings set github.token -': (command) => `${command} < token.txt`,
  'npm run -s carrel -- settings set git.hosts.forge.token -': (command) => `${command} < token.txt`,
  'carrel settings set sso.issuers.corp.clientSecret -': (command) => `echo a-secret-of-mine | ${command}`,
  'carrel settings set sso.issuers.corp.scimToken -': (command) =>
    `echo a-provisioning-token-of-at-least-32-characters | ${command}`,
  'carrel settings set confluence.token -': (command) => `${command} < token.txt`,
  // The site of the reader is not on a host of atlassian.net.
  'carrel add https://example.atlassian.net/wiki/spaces/DOC --title Handbook --wait': (command) => `${command} --kind confluence`,
  'carrel settings set notifications.webhookUrl -': (command) => `${command} < address-of-webhook.txt`,
  'carrel settings set audit.webhookUrl -': (command) => `${command} < address-of-webhook.txt`,
  'carrel settings set notifications.webhookKey -': (command) => `echo a-key-of-mine | ${command}`,
  'carrel settings set notifications.smtpUser -': (command) => `echo carrel | ${command}`,
  'carrel settings set notifications.smtpPassword -': (command) => `echo a-password-of-mine | ${command}`,
  // The page has the libraries of its reader.
  'carrel export acme/handbook honojs/website@v4 -o for-the-lab.zip': (command) =>
    `carrel add https://github.com/acme/handbook --wait && carrel add honojs/website --version v4 --force --wait && ${command}`,
  'carrel hooks add --kind github --library /acme/docs': (command) =>
    `carrel add https://github.com/acme/docs --wait && ${command}`,
  // The address and the secret are those that the reader was shown.
  'time=$(date +%s)': (command) =>
    `carrel hooks add --kind generic --library /acme/docs > hook.txt
    ADDRESS=http://127.0.0.1:3000$(sed -n 's|^Address: ||p' hook.txt) SECRET=$(sed -n 's|^Secret: ||p' hook.txt)
    ${command}`,
  "carrel backup - | ssh backup-host 'cat > carrel-monday.tar.zst'": (command) => command.replace('ssh backup-host', 'sh -c'),
  // The server of the page runs on the other data directory.
  'carrel restore /mnt/backups/carrel-monday.tar.zst': (command) => `DATA_DIR=restored ${command}`,
  // The page adds the default repository to a stage of AWS, and this one here.
  'npm run -s carrel -- hosted smoke --base-url https://carrel.example.com --key "$KEY" --license "$LICENSE"': (command) =>
    `${command} --repository https://github.com/honojs/website`,
  'hosted key revoke ID': (command) => command.replace('ID', '$(hosted key list --teamspace acme | tail -n 1 | cut -f 1)'),
  // Two chapters of the runbook delete it.
  'hosted teamspace delete NAME': (command) => `hosted teamspace create NAME && ${command}`,
  'npm run -s carrel -- keys revoke ID': (command) => command.replace('ID', '$(carrel keys list | tail -n 1 | cut -f 1)'),
}

const isRunHere = (command: string): boolean =>
  !runNowhere.test(command) && !runElsewhere.some(([pattern]) => pattern.test(command))

test.each(pages)('every command of $name works as written', async ({ name, commands }) => {
  const reader = await readerOf(name)
  const lines = commands.filter(isRunHere)
  await runInShell(
    lines.map((command) => {
      const line = reader.here(typed[command]?.(command) ?? command)
      return fails.includes(command) ? `if ${line}; then exit 99; fi` : line
    }),
    reader,
  )
})

test('a command that is run elsewhere is on a page, and the other file runs it', () => {
  const all = pages.flatMap(({ commands }) => commands)
  for (const [pattern, file, words] of runElsewhere) {
    expect(all.filter((command) => pattern.test(command))).not.toEqual([])
    expect(readFileSync(join(root, file), 'utf8')).toContain(words)
  }
  expect(fails.filter((command) => !all.includes(command))).toEqual([])
  expect(Object.keys(typed).filter((command) => !all.includes(command))).toEqual([])
})
