import { expect, test } from 'vitest'
import { siteLanguages } from '../../../../../shared/reading/discover/languages/site-languages.ts'

test.each<[string, string, string[], string | undefined]>([
  [
    'website/docusaurus.config.ts',
    `export default { i18n: { defaultLocale: 'en', locales: ['en', 'fr', 'zh-cn'] } }`,
    ['en', 'fr', 'zh-CN'],
    'en',
  ],
  [
    'docs/.vitepress/config.ts',
    `export default defineConfig({ locales: { root: { label: 'English', lang: 'en-US' }, zh: { label: 'x', themeConfig: { nav: [] } } } })`,
    ['en-US', 'zh'],
    'en-US',
  ],
  [
    'docs/.vuepress/config.js',
    `module.exports = { locales: { '/': { lang: 'en' }, '/zh/': { lang: 'zh-CN' } } }`,
    ['en', 'zh'],
    'en',
  ],
  [
    'docs/astro.config.mjs',
    `export const locales = { root: { lang: 'en' }, 'pt-br': { lang: 'pt-BR' } }\nexport default defineConfig({ integrations: [starlight({ locales })] })`,
    ['en', 'pt-BR'],
    'en',
  ],
  ['LANGS.md', '# Languages\n\n* [English](en/)\n* [简体中文](./zh-hans)\n- [Magyar](hu/README.md)', ['en', 'zh-Hans'], 'en'],
  ['astro.config.mjs', `starlight({ defaultLocale: 'de', locales: { de: {}, 'en': {} } })`, ['de', 'en'], 'de'],
  [
    'mkdocs.yml',
    'theme:\n  locale: xx\nplugins:\n  - i18n:\n      languages:\n        - locale: en\n          default: true\n        - locale: de\n          name: Deutsch\n',
    ['en', 'de'],
    'en',
  ],
  [
    'site/hugo.toml',
    'defaultContentLanguage = "en"\n[languages]\n  [languages.en]\n  contentDir = "content/en"\n  [languages.zh-hans]\n',
    ['en', 'zh-Hans'],
    'en',
  ],
  ['hugo.yaml', 'languages:\n  en:\n    weight: 1\n  fr:\n    weight: 2\n', ['en', 'fr'], undefined],
  ['config/_default/languages.toml', '[en]\nweight = 1\n[ja]\nweight = 2\n', ['en', 'ja'], undefined],
  ['_config.yml', 'title: x\nlanguage:\n  - ja\n  - en\n', ['ja', 'en'], 'ja'],
  ['_config.yml', 'language: en\n', ['en'], 'en'],
  [
    'crowdin.yml',
    'files:\n  - source: /docs/de/**/*.md\n    translation: /docs/%two_letters_code%/**/%original_file_name%\n',
    ['de'],
    'de',
  ],
])('the configuration %s names the languages of its site', async (path, text, codes, main) => {
  const site = await siteLanguages(path, text)
  expect(site).toMatchObject({ codes: expect.arrayContaining(codes), main })
  expect(site?.codes).toHaveLength(codes.length)
})

test('the folder of a site is the one above its configuration', async () => {
  expect(await siteLanguages('docs/.vitepress/config.mts', `x = { locales: ['en'] }`)).toMatchObject({ folder: 'docs' })
  expect(await siteLanguages('site/config/_default/hugo.toml', 'defaultContentLanguage = "en"')).toMatchObject({ folder: 'site' })
})

test.each(['docusaurus.config.js', 'mkdocs.yml', 'hugo.toml', '_config.yml', 'crowdin.yml'])(
  'a configuration without languages names none: %s',
  async (path) => {
    expect(await siteLanguages(path, 'title = "x"\n{[(')).toBeUndefined()
    expect(await siteLanguages(path, `${'locales: { '.repeat(20_000)}`)).toBeUndefined()
  },
)
