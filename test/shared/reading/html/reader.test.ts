import { describe, expect, test } from 'vitest'
import { htmlReader } from '../../../../shared/reading/html/reader.ts'
import { codeOf, contextOf, pageText, proseOf } from '../page-text.ts'

const read = async (html: string) => htmlReader(html, contextOf('docs/page.html'))

const sphinx = `<!DOCTYPE html><html><head><title>Quickstart — Acme 2.0 documentation</title><style>p {}</style></head>
<body><nav><a href="/">Home</a></nav><div class="sphinxsidebar"><ul><li>Contents</li></ul></div>
<div role="main"><section><h1>Quickstart<a class="headerlink" href="#q">¶</a></h1>
<p>Call <code class="docutils literal"><span class="pre">acme.run()</span></code> from <a href="x.html">your
   code</a> &amp; wait.</p>
<section><h2>Install</h2>
<ol><li><p>Get it:</p><div class="highlight-bash notranslate"><div class="highlight"><pre><span></span>pip install <span class="n">acme</span>
</pre></div></div></li><li>Use it<ul><li>here</li><li>there</li></ul></li></ol>
<table><tr><th>Name</th><th>Default</th></tr><tr><td><code>a|b</code></td><td>1</td></tr></table>
<h3>Notes</h3><aside class="admonition">Mind the gap.</aside></section></section></div>
<footer>© Acme</footer><script>alert("x")</script></body></html>`

/** The main part of a page as Docusaurus 3 writes it. */
const docusaurus = `<body><main><article><div class="theme-doc-markdown markdown"><header><h1>Use</h1></header>
<p>Intro to the page.</p>
<div class="theme-tabs-container tabs-container tabList__CuJ"><ul role="tablist" aria-orientation="horizontal" class="tabs"><li role="tab" tabindex="0" aria-selected="true" class="tabs__item tabItem_LNqP tabs__item--active">npm</li><li role="tab" tabindex="-1" class="tabs__item tabItem_LNqP">Yarn</li></ul><div class="margin-top--md"><div role="tabpanel" class="tabItem_Ymn6"><div class="language-bash codeBlockContainer_Ckt0 theme-code-block"><div class="codeBlockContent_QJqH"><pre tabindex="0" class="prism-code language-bash codeBlock_bY9V thin-scrollbar"><code class="codeBlockLines_e6Vv"><span class="token-line"><span class="token plain">npm i acme</span><br></span></code></pre></div></div></div><div role="tabpanel" class="tabItem_Ymn6" hidden><p>With Yarn:</p><pre class="prism-code language-bash"><code>yarn add acme</code></pre></div></div></div>
<div class="theme-admonition theme-admonition-tip admonition_xJq3 alert alert--success"><div class="admonitionHeading_Gvgb"><span class="admonitionIcon_Rf37"><svg viewBox="0 0 12 16"></svg></span>tip</div><div class="admonitionContent_BuS1"><p>Use it daily.</p></div></div>
<div class="language-js codeBlockContainer_Ckt0 theme-code-block"><div class="codeBlockTitle_OeMC">src/app.js</div><div class="codeBlockContent_QJqH"><pre class="prism-code language-js"><code><span class="token-line">start()<br></span><span class="token-line">end()<br></span></code></pre><div class="buttonGroup_M5ko"><button type="button" aria-label="Copy code" class="clean-btn"><span class="copyButtonIcons_IEyt"></span></button></div></div></div>
</div></article></main></body>`

/** The main part of a page as VitePress 1 writes it. */
const vitepress = `<body><main class="main"><div class="vp-doc"><div><h1 id="x">Install <a class="header-anchor" href="#x">​</a></h1><div class="vp-code-group vp-adaptive-theme"><div class="tabs"><input type="radio" name="group-1" id="tab-1" checked><label data-title="npm" for="tab-1">npm</label><input type="radio" name="group-1" id="tab-2"><label data-title="pnpm" for="tab-2">pnpm</label></div><div class="blocks"><div class="language-sh vp-adaptive-theme active"><button title="Copy Code" class="copy"></button><span class="lang">sh</span><pre class="shiki"><code><span class="line">npm add -D x</span></code></pre></div><div class="language-sh vp-adaptive-theme"><button class="copy"></button><span class="lang">sh</span><pre class="shiki"><code><span class="line">pnpm add -D x</span></code></pre></div></div></div>
<div class="warning custom-block"><p class="custom-block-title">WARNING</p><p>Careful.</p></div>
<div class="language-ts line-numbers-mode"><button class="copy"></button><span class="lang">ts</span><pre class="shiki"><code>a()
b()</code></pre><div class="line-numbers-wrapper" aria-hidden="true"><span class="line-number">1</span><br><span class="line-number">2</span><br></div></div><details class="details custom-block"><summary>More</summary><p>Hidden text.</p></details></div></div></main></body>`

/** The main part of a page as Material for MkDocs 9 writes it. */
const material = `<body><article class="md-content__inner md-typeset"><h1>Extras<a class="headerlink">¶</a></h1><div class="tabbed-set tabbed-alternate" data-tabs="1:2"><input checked="checked" type="radio"><input type="radio"><div class="tabbed-labels"><label for="__tabbed_1_1">Redis</label><label for="__tabbed_1_2">Audio</label></div>
<div class="tabbed-content"><div class="tabbed-block"><p>Persist run state.</p><div class="language-bash highlight"><pre><span></span><code><span id="__span-1-1"><a href="#"></a>pip install "x[redis]"
</span></code></pre></div></div><div class="tabbed-block"><p>Speech.</p></div></div></div>
<div class="language-py highlight"><span class="filename">bubble_sort.py</span><pre><code>sort()</code></pre></div>
<div class="admonition note"><p class="admonition-title">Phasellus</p><p>Lorem.</p></div></article></body>`

describe('an HTML page', () => {
  test.each([
    ['<p>Do <b>not </b>run, <em>ever</em>.</p>', 'Do **not** run, *ever*.'],
    ['<p><strong><em>Both</em></strong> <i class="icon"></i> and <b>a <code>b</code></b></p>', '*Both* and **a `b`**'],
    ['<p>Before <b>the<div>block</div></b></p>', 'Before the\n\nblock'],
  ])('marks the emphasised words of %s', async (html, prose) => {
    expect(proseOf(await read(html))).toBe(prose)
  })

  test.each([
    ['Docusaurus', docusaurus, ['npm', 'Yarn', 'src/app.js'], ['**Yarn**', '**tip**']],
    ['VitePress', vitepress, ['npm', 'pnpm', undefined], ['**WARNING**']],
    ['Material for MkDocs', material, ['Redis', 'bubble_sort.py'], ['**Redis**', '**Audio**', '**Phasellus**']],
  ])('keeps the names of tabs, listings and admonitions of %s, without line numbers', async (_, html, labels, bold) => {
    const blocks = (await read(html)).sections.flatMap((section) => section.blocks)
    expect(blocks.flatMap((block) => (block.kind === 'code' ? [block.label] : []))).toEqual(labels)
    const prose = blocks.flatMap((block) => (block.kind === 'prose' ? [block.text] : [])).join('\n\n')
    expect(prose.match(/^\*\*.*\*\*$/gm)).toEqual(bold)
    expect(prose).not.toMatch(/\d/)
  })

  test('keeps the headings of Docusaurus and the ends of regular expressions of Prism, which have the class of a link', async () => {
    const html = `<main><article><h1>Birds</h1><p>Before.</p><h2 class="anchor anchorTargetStickyNavbar_Vzrq" id="nests">Nests<a href="#nests" class="hash-link" aria-label="Direct link to Nests" title="Direct link to Nests" translate="no">​</a></h2>
<pre class="prism-code language-js"><code><span class="token-line"><span class="token regex regex-source language-regex anchor function">^</span><span class="token regex">egg</span><span class="token regex anchor function">$</span><br></span></code></pre></article></main>`
    expect(pageText(await read(html))).toMatchInlineSnapshot(`
      "# Birds

      Before.

      ## Nests

      ~~~ js
      ^egg$
      ~~~"
    `)
  })

  test.each([
    ['VuePress', '<h2 id="n" tabindex="-1"><a class="header-anchor" href="#n"><span>Nests</span></a></h2>', '## Nests'],
    ['rustdoc', '<h2 id="n"><a class="doc-anchor" href="#n">§</a>Nests</h2>', '## Nests'],
    [
      'old VitePress',
      '<h2 id="n">Nests <a class="header-anchor" href="#n"><span class="visually-hidden">Permalink to Nests</span></a></h2>',
      '## Nests',
    ],
    ['a theme', '<h2 id="n">Nests <a class="anchor-link" href="#n">Permalink</a></h2>', '## Nests'],
    ['a sentence', '<p>See <a class="anchor" href="#n">the nests</a> here.</p>', 'See the nests here.'],
  ])('keeps the words of links that have the class of a link of headings to themselves: %s', async (_, part, expected) => {
    const page = await read(`<main><h1>Birds</h1>${part}<pre>lay()</pre></main>`)
    expect(pageText(page)).toContain(`\n\n${expected}\n\n`)
  })

  test('keeps the signatures and inline tabs of Sphinx, without links to source files', async () => {
    const html = `<main><h1>Birds</h1><dl class="py function"><dt class="sig sig-object py" id="birds.lay"><span class="sig-prename descclassname"><span class="pre">birds.</span></span><span class="sig-name descname"><span class="pre">lay</span></span><span class="sig-paren">(</span><em class="sig-param"><span class="n"><span class="pre">eggs</span></span></em>, <em class="sig-param"><span class="n"><span class="pre">*</span></span></em><span class="sig-paren">)</span><a class="reference internal" href="../_modules/birds/#lay"><span class="viewcode-link"><span class="pre">[source]</span></span></a><a class="headerlink" href="#birds.lay">¶</a></dt><dd><p>Lays eggs.</p></dd></dl>
<div class="tab-set docutils"><input checked="checked" class="tab-input" id="tab-set--0-input--1" name="tab-set--0" type="radio"><label class="tab-label" for="tab-set--0-input--1">Wren</label><div class="tab-content docutils"><p>Small eggs.</p></div><input class="tab-input" id="tab-set--0-input--2" name="tab-set--0" type="radio"><label class="tab-label" for="tab-set--0-input--2">Owl</label><div class="tab-content docutils"><div class="highlight-sh notranslate"><div class="highlight"><pre>lay --large</pre></div></div></div></div></main>`
    const page = await read(html)
    expect(proseOf(page)).toBe('`birds.lay(eggs, *)`\n\nLays eggs.\n\n**Wren**\n\nSmall eggs.')
    expect(codeOf(page)).toMatchObject([{ code: 'lay --large', language: 'sh', label: 'Owl' }])
  })

  test.each([
    [
      'Docusaurus',
      `<p>An egg<sup><a href="#fn-1" id="fnref-1" data-footnote-ref="true" aria-describedby="footnote-label">1</a></sup>.</p><section data-footnotes="true" class="footnotes"><ol><li id="fn-1"><p>Or two. <a href="#fnref-1" data-footnote-backref="" class="data-footnote-backref">↩</a></p></li></ol></section>`,
    ],
    [
      'MkDocs',
      `<p>An egg<sup id="fnref:1"><a class="footnote-ref" href="#fn:1">1</a></sup>.</p><div class="footnote"><ol><li id="fn:1"><p>Or two.&#160;<a class="footnote-backref" href="#fnref:1" title="Jump back">&#8617;</a></p></li></ol></div>`,
    ],
    [
      'Starlight',
      `<p>An egg<sup><a href="#user-content-fn-1" id="user-content-fnref-1" data-footnote-ref="" aria-describedby="footnote-label">1</a></sup>.</p><section data-footnotes="" class="footnotes"><ol><li id="user-content-fn-1"><p>Or two. <a href="#user-content-fnref-1" data-footnote-backref="" aria-label="Back to reference 1" class="data-footnote-backref">↩<sup>2</sup></a></p></li></ol></section>`,
    ],
  ])('tells footnotes of %s from figures of the text', async (_, html) => {
    expect(proseOf(await read(html))).toBe('An egg[1].\n\n1. Or two.')
  })

  test('keeps quotes, with their lists, tables and quotes in them', async () => {
    const html = `<p>Before.</p><blockquote><p>Note:</p><p>Do not<br>run.</p><ul><li>one</li><li>two</li></ul>
<table><tr><th>a</th></tr><tr><td>1</td></tr></table><blockquote>inner</blockquote><pre>code()</pre><p>end</p></blockquote><blockquote>Next.</blockquote><p>After.</p>`
    expect(pageText(await read(html))).toMatchInlineSnapshot(`
      "# (no title)

      Before.

      > Note:
      >
      > Do not run.
      >
      > - one
      > - two
      >
      > | a |
      > | --- |
      > | 1 |

      > > inner

      ~~~
      code()
      ~~~

      > end
      >
      > Next.

      After."
    `)
  })

  test('is read as its main part, without the page frame', async () => {
    expect(pageText(await read(sphinx))).toMatchInlineSnapshot(`
      "# Quickstart

      Call \`acme.run()\` from your code & wait.

      ## Install

      1. Get it:

      ~~~ bash
      pip install acme
      ~~~

      2. Use it
         - here
         - there

      | Name | Default |
      | --- | --- |
      | \`a\\|b\` | 1 |

      ## Install > Notes

      Mind the gap."
    `)
  })

  test('takes its title from <title> if it has no top heading', async () => {
    expect((await read('<html><head><title>Guide</title></head><body><h2>First</h2><p>x</p></body></html>')).title).toBe('Guide')
  })

  test('is read without its sidebars and menus if it has no main part', async () => {
    const html =
      '<body><div class="toc">On this page</div><nav>Home</nav><div>Words</div><div role="navigation">Next</div></body>'
    expect(proseOf(await read(html))).toBe('Words')
  })

  test('is read only in its one article or main part', async () => {
    expect(proseOf(await read('<body><div>Banner</div><article><p>Words of a page</p></article><div>Ad</div></body>'))).toBe(
      'Words of a page',
    )
    expect(proseOf(await read('<body><article>One</article><article>Two</article></body>'))).toBe('One\n\nTwo')
  })

  const words = '<h1>Guide</h1><p>All the words of a page.</p><pre>code()</pre>'
  test.each([
    `<body class="has-sidebar">${words}</body>`,
    `<body class="navigation">${words}</body>`,
    `<body><div class="content no-toc">${words}</div></body>`,
    `<body><div class="toc">${words}</div></body>`,
    `<body><form id="aspnet">${words}</form></body>`,
    `<body>${words}<article class="card"><p>See also</p></article></body>`,
    `<body><main></main>${words}</body>`,
    `<body><main><p>${'A long introduction. '.repeat(5)}</p></main>${words}</body>`,
    `<html><body></body></html>${words}`,
  ])('keeps its words and code in any place: %s', async (html) => {
    const text = pageText(await read(html))
    expect(text).toContain('# Guide')
    expect(text).toContain('All the words of a page.')
    expect(text).toContain('code()')
  })

  test('loses a menu of links, however long it is', async () => {
    const menu = '<li><a href="x">Another page of this site</a></li>'.repeat(100)
    for (const aside of [`<nav>${menu}</nav>`, `<div class="sidebar">${menu}</div>`])
      expect(proseOf(await read(`<body>${aside}<p>Words</p></body>`))).toBe('Words')
  })

  test('keeps cells below a row span in their column, and merges the rows of a head', async () => {
    const html = `<table><thead><tr><th rowspan="2">Field</th><th colspan="2">Part</th></tr><tr><th>name</th><th>meaning</th></tr></thead>
<tr><td rowspan="2">range</td><td>from</td><td>the start</td></tr><tr><td>to</td><td>the end</td></tr>
<tr><td>more</td><td colspan="2"><ul><li>one</li><li>two</li></ul></td></tr></table>`
    expect(proseOf(await read(html))).toBe(`| Field | Part name | meaning |
| --- | --- | --- |
| range | from | the start |
|  | to | the end |
| more | - one - two |  |`)
  })

  test('has a small table in a cell of a table as words, and reads tables that are the layout of a page as text', async () => {
    const small = '<table><tr><th>Kind</th><td><table><tr><td>a</td><td>b</td></tr><tr><td>c</td></tr></table></td></tr></table>'
    expect(proseOf(await read(small))).toBe('| Kind | a, b; c |\n| --- | --- |')
    const row = `<tr><td>${'word '.repeat(200)}</td><td>x</td></tr>`
    const layout = `<table><tr><td><p>Menu</p></td><td><table>${row}</table></td></tr></table>`
    expect(proseOf(await read(layout))).toMatch(/^Menu\n\n\| word/)
  })

  test('keeps the caption of a table', async () => {
    expect(proseOf(await read('<table><caption>Options of <code>run</code></caption><tr><th>Name</th></tr></table>'))).toBe(
      'Options of `run`\n\n| Name |\n| --- |',
    )
  })

  test('may be a fragment', async () => {
    expect(pageText(await read('Some words <b>and</b> more\n<pre>code</pre>'))).toMatchInlineSnapshot(`
      "# (no title)

      Some words **and** more

      ~~~
      code
      ~~~"
    `)
  })

  test.each([
    ['<pre><code class="language-ts">x</code></pre>', 'ts'],
    ['<pre class="language-js line-numbers"><code>x</code></pre>', 'js'],
    ['<pre class="mermaid"><code>x</code></pre>', 'mermaid'],
    ['<div class="highlight highlight-source-js"><pre>x</pre></div>', 'js'],
    ['<div class="highlight-python notranslate"><div class="highlight"><pre>x</pre></div></div>', 'python'],
    ['<div class="highlight-default notranslate"><div class="highlight"><pre>x</pre></div></div>', ''],
    ['<pre class="brush: java; toolbar: false">x</pre>', 'java'],
    ['<pre><code class="hljs ruby">x</code></pre>', 'ruby'],
    ['<div class="sourceCode"><pre class="sourceCode haskell">x</pre></div>', 'haskell'],
    ['<pre data-lang="go">x</pre>', 'go'],
    ['<pre>x</pre>', ''],
  ])('detects the language of %s', async (html, language) => {
    expect(codeOf(await read(html)).map((block) => [block.code, block.language])).toEqual([['x', language]])
  })

  test('keeps code verbatim, without line numbers and copy buttons', async () => {
    const html = `<table><tr><td class="gutter"><pre>1
2</pre></td><td><pre><button>Copy</button><code>if (a &lt; b) {<br>    go()
}</code></pre></td></tr></table>`
    expect(codeOf(await read(html)).map((block) => block.code)).toEqual(['if (a < b) {\n    go()\n}'])
  })

  test('never has prose that opens a fence', async () => {
    expect(proseOf(await read('<p>```js</p><ul><li>~~~ x</li></ul>'))).toBe('\\```js\n\n- \\~~~ x')
  })

  test.each(['', '<', '<!-- ', '<html>', '<frameset></frameset>', '<svg><p>x', '<pre>', '<table><td><table><td>'])(
    'may be broken: %j',
    async (html) => {
      expect((await read(html)).sections.length).toBeLessThan(2)
    },
  )

  test('is rejected with a clear message if it is nested 10,000 levels deep', async () => {
    await expect(read(`<body>${'<div>'.repeat(10_000)}<p>x</p></body>`)).rejects.toThrow('nested more than 500 levels')
  })

  test('is read in one pass if it has tables in tables', async () => {
    expect(codeOf(await read(`${'<table><tr><td>'.repeat(100)}<pre>x</pre>`))).toHaveLength(1)
  })
})
