import { expect, test } from 'vitest'
import { markdownReader } from '../../../../shared/reading/markdown/reader.ts'
import { contextOf, pageText } from '../page-text.ts'

const print = async (text: string, files: Record<string, string> = {}) =>
  pageText(await markdownReader(text, contextOf('site/content/en/docs/v3/page.md', files)))

test('parameters of Hugo are those of the page, of a cascade above it, or of the site', async () => {
  const files = {
    'site/hugo.toml': '[params]\nkit = "1.0"\ntag = "site"\n[params.urls]\nSlack = "chat.example"',
    'site/content/en/docs/v3/_index.md': '---\ntitle: v3\ncascade:\n  version: v3.7\n  tag: v3.7.1\n---\nText',
  }
  const text = `---
title: Run
level: 2
---
Version {{< param version >}}, level {{% param "level" %}}, kit {{<param kit>}}, {{< param "urls.slack" >}}, {{< siteparam tag >}}.

\`\`\`sh
git checkout {{< param tag >}}
\`\`\``
  expect(await print(text, files)).toMatchInlineSnapshot(`
    "# Run

    Version v3.7, level 2, kit 1.0, chat.example, site.

    ~~~ sh
    git checkout v3.7.1
    ~~~"
  `)
})

test.each<[string, string]>([
  ['site/config/_default/params.yaml', 'kit: "2.0"'],
  ['site/config/_default/hugo.yaml', 'params: {kit: "2.0"}'],
  ['config.yaml', 'params:\n  kit: "2.0"'],
])('parameters of the site are in %s', async (path, text) => {
  expect(await print('Kit {{< param kit >}}.', { [path]: text })).toBe('# (no title)\n\nKit 2.0.')
})

test('unknown parameters and settings that cannot be read leave no tag', async () => {
  expect(await print('Kit {{< param kit >}} runs.', { 'site/hugo.toml': '[params' })).toBe('# (no title)\n\nKit  runs.')
})

test('parameters that grow a page without limit are left out', async () => {
  const text = `---\nbig: ${'x'.repeat(50_000)}\n---\n${'{{< param big >}}\n\n'.repeat(50)}`
  expect((await print(text)).length).toBeLessThan(210_000)
})

test('metadata and variables of Quarto are replaced, also in the title', async () => {
  const files = {
    'site/_quarto.yml': 'project: {type: website}\nversion: "1.8"',
    'site/content/_metadata.yml': 'kit-title: Pre-release',
    'site/_variables.yml': 'urls:\n  chat: chat.example',
  }
  const text =
    '---\ntitle: "{{< meta kit-title >}} builds"\nown: mine\n---\n{{< meta version >}}, {{< meta own >}}, {{< var urls.chat >}}.'
  expect(await print(text, files)).toBe('# Pre-release builds\n\n1.8, mine, chat.example.')
})

test('tags that a page of Quarto shows stay', async () => {
  const fence = (info: string) => `\`\`\`${info}\n{{< meta own >}}\n\`\`\``
  const text = `---\nown: mine\n---\nUse \`{{{< meta own >}}}\`.\n\n${fence('{.markdown shortcodes="false"}')}\n\n${fence('bash')}`
  expect(await print(text)).toBe(
    '# (no title)\n\nUse `{{{< meta own >}}}`.\n\n~~~ markdown\n{{< meta own >}}\n~~~\n\n~~~ bash\nmine\n~~~',
  )
})
