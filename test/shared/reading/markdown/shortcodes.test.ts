import { describe, expect, test } from 'vitest'
import { findMarkdownIncludes } from '../../../../shared/reading/markdown/expand-includes.ts'
import { markdownReader } from '../../../../shared/reading/markdown/reader.ts'
import { codeOf, contextOf, pageText } from '../page-text.ts'

const print = async (text: string, files: Record<string, string> = {}) =>
  pageText(await markdownReader(text, contextOf('docs/page.md', files)))
const blocks = async (text: string) => codeOf(await markdownReader(text, contextOf('docs/page.md')))

const yaml = 'kit:\n  # the items\n\n  items:\n    - "{{ one }}"\n\n\t- {% two %}\n```'

describe('code in tags', () => {
  test.each([
    ['Jekyll', '{% highlight yaml linenos %}', '{% endhighlight %}'],
    ['Jekyll with trimmed space', '{%- highlight yaml -%}', '{%- endhighlight -%}'],
    ['Hugo', '{{< highlight yaml "linenos=table" >}}', '{{< /highlight >}}'],
    ['Hugo with Markdown', '{{% highlight yaml %}}', '{{% /highlight %}}'],
    ['Grav', '[prism classes="language-yaml line-numbers"]', '[/prism]'],
    ['Hexo', '{% codeblock lang:yaml %}', '{% endcodeblock %}'],
    ['Markdoc', '{% code language="yaml" %}', '{% /code %}'],
  ])('is kept byte for byte: %s', async (_, open, close) => {
    expect(await blocks(`Text\n${open}\n${yaml}\n${close}\nText`)).toMatchObject([{ code: yaml, language: 'yaml', line: 2 }])
  })

  test('has the title that its tag gives', async () => {
    const text =
      '{% codeblock Array.map lang:js line_number:false https://example.com/map docs %}\na.map()\n{% endcodeblock %}\n\n{{< code file="app.go" lang="go" >}}\nmain()\n{{< /code >}}\n\n{% code title="a.js" overflow="wrap" %}\n```js\nx()\n```\n{% endcode %}'
    expect(await blocks(text)).toMatchObject([
      { code: 'a.map()', language: 'js', label: 'Array.map' },
      { code: 'main()', language: 'go', label: 'app.go' },
      { code: 'x()', language: 'js', label: 'a.js' },
    ])
  })

  test('is TOML or YAML in a code-toggle of Hugo', async () => {
    const toggle = (code: string) => `{{< code-toggle file=hugo >}}\n${code}\n{{< /code-toggle >}}\n\n`
    expect(await blocks(`${toggle('[a]\nb = 1')}${toggle('a:\n  b: 1')}{{< code-toggle config=build />}}\n\nText`)).toMatchObject(
      [
        { language: 'toml', label: 'hugo' },
        { language: 'yaml', label: 'hugo' },
      ],
    )
  })

  test('stays in its list item, without the indentation of the item', async () => {
    const text =
      '1. Do\n\n   {% highlight sh %}\n   run\n     deep\n   {% endhighlight %}\n\n2. {{< highlight sh >}}\nflat\n{{< /highlight >}}\n3. Then'
    expect(await print(text)).toMatchInlineSnapshot(`
      "# (no title)

      1. Do

      ~~~ sh
      run
        deep
      ~~~

      ~~~ sh
      flat
      ~~~

      3. Then"
    `)
  })

  test('is inline code in a sentence', async () => {
    expect(await print('Call {% highlight js %}run(){% endhighlight %} now.')).toBe('# (no title)\n\nCall `run()` now.')
  })
})

describe('tags around text', () => {
  test('tabs label their code, also that of Docsy without a fence', async () => {
    const text = `{{< tabpane lang="sh" >}}{{< tab header="Linux" >}}
apt install kit
{{< /tab >}}{{< tab header="macOS" lang="zsh" >}}
brew install kit
{{< /tab >}}{{< /tabpane >}}

{{< tabs name="t" >}}
{{< tab name="YAML" codelang="yaml" >}}
a: 1
{{< /tab >}}
{{% tab name="Words" %}}
Some **text**.
{{% /tab %}}
{{< /tabs >}}

{% tabs %}
{% tab title="npm" %}
\`\`\`sh
npm i
\`\`\`
{% endtab %}

{% tab title="pnpm" %}
Run it.
{% endtab %}
{% endtabs %}

{% tabs kit %}
<!-- tab First -->
One.
<!-- endtab -->
{% endtabs %}

[ui-tabs active="0"]
[ui-tab title="Grav"]
Two.
[/ui-tab]
[/ui-tabs]`
    expect(await print(text)).toMatchInlineSnapshot(`
      "# (no title)

      ~~~ sh, "Linux", group 1
      apt install kit
      ~~~

      ~~~ zsh, "macOS", group 1
      brew install kit
      ~~~

      ~~~ yaml, group 2
      a: 1
      ~~~

      **Words**

      Some **text**.

      ~~~ sh, "npm", group 3
      npm i
      ~~~

      **pnpm**

      Run it.

      **First**

      One.

      **Grav**

      Two."
    `)
  })

  test('notices are notes', async () => {
    const text = `{% hint style="warning" %}Keys are shown once.{% endhint %}

{{% notice tip "Read this" %}}
A *tip*.
{{% /notice %}}

{{< alert color="primary" >}}Plain.{{< /alert >}}

{{< alert title="Careful" color="danger" >}}
Hot.

# Not a heading of the page
{{< /alert >}}

{% note info %}
Of Hexo.
{% endnote %}

{{< caution >}}
Of Kubernetes.
{{< /caution >}}

{{< details title="More" >}}
Hidden.
{{< /details >}}

After.`
    expect(await print(text)).toMatchInlineSnapshot(`
      "# (no title)

      **Warning**

      Keys are shown once.

      **Tip**

      A *tip*.

      **Note**

      Plain.

      **Careful**

      Hot.

      **Not a heading of the page**

      **Note**

      Of Hexo.

      **Caution**

      Of Kubernetes.

      **More**

      Hidden.

      After."
    `)
  })

  test('unknown tags vanish, and their bodies stay', async () => {
    const text = `{{< cols count="2" >}}
Left *part*.

{{< /cols >}}
{% if site.x == "{{ y }}" %}Yes{% else %}No{% endif %} and {{< badge "new" >}} {{< mystery "arg" >}}{{< button href="x" >}}Go{{< /button >}}.

PHP [version=15]5.6[/version][version=16]7.1[/version] has [brackets] and a [link](x).

## Title {% #anchor %}

{{< figure
  src="a.png"
  caption="A kit" >}}`
    expect(await print(text)).toMatchInlineSnapshot(`
      "# (no title)

      Left *part*.

      YesNo and new Go.

      PHP 5.67.1 has [brackets] and a link.

      ## Title

      A kit"
    `)
  })

  test('comments go with their text, and raw text stays as it is', async () => {
    const text =
      '{% comment %}\nHidden.\n{% endcomment %}\n\n{% raw %}\nWrite {% include x.html %} or {{ y }}.\n{% endraw %}\n\n```liquid\n{% raw %}\n{% if a %}\n{% endraw %}\n```\n\n`{{</* ref "x" */>}}` is Hugo.'
    expect(await print(text)).toMatchInlineSnapshot(`
      "# (no title)

      Write {% include x.html %} or {{ y }}.

      ~~~ liquid
      {% if a %}
      ~~~

      \`{{< ref "x" >}}\` is Hugo."
    `)
  })

  test('tags inside code are code', async () => {
    expect(await print('Use `{% if %}` or ``{{< x >}}``.\n\n```\n{{< tabs >}}\n```')).toBe(
      '# (no title)\n\nUse `{% if %}` or ``{{< x >}}``.\n\n~~~\n{{< tabs >}}\n~~~',
    )
  })

  test('a tag in a sentence gives its text, and a tag in the target of a link nothing', async () => {
    const text =
      'A {{< glossary_tooltip text="Pod" term_id="pod" >}} or {{< glossary_tooltip term_id="replica-set" >}} runs, {{< new-in 0.112.0 />}}: see [this]({{< ref "x.md#y" >}}) and [that]({% link _posts/x.md %}).\n\n## {{% heading "prerequisites" %}}\n\nx'
    expect(await print(text)).toMatchInlineSnapshot(`
      "# (no title)

      A Pod or replica set runs, New in 0.112.0: see this and that.

      ## prerequisites

      x"
    `)
  })
})

describe('tags that include files', () => {
  const files = {
    'docs/part/shared.md': '---\ntitle: x\n---\nShared {% hint %}x{% endhint %}',
    'docs/_includes/setup.md': 'Set up.',
    'docs/marked.md': 'no\n<!--start-->\nyes\n<!--end-->\nno',
    'docs/examples/pod.yaml': 'kind: Pod\n',
    'data/reusables/login/steps.md': 'Log in.\n\nThen go on.',
  }

  test.each([
    ['{% include-markdown "part/shared.md" %}', 'Shared\n\n**Note**\n\nx'],
    ['{%\n  include-markdown "marked.md"\n  start="<!--start-->"\n  end="<!--end-->"\n%}', 'yes'],
    ['{% include setup.md %}', 'Set up.'],
    ['{% include_relative _includes/setup.md %}', 'Set up.'],
    ['{{% include "/_includes/setup.md" %}}', 'Set up.'],
    ['{{< readfile file="/_includes/setup.md" >}}', 'Set up.'],
    ['{% partial file="_includes/setup.md" /%}', 'Set up.'],
    ['{{% code_sample file="pod.yaml" %}}', '~~~ yaml\nkind: Pod\n~~~'],
    ['1. {% data reusables.login.steps %}', '1. Log in.\n\n   Then go on.'],
    ['{% include page.html title="x" %}', 'After'],
    ['{% include ../../secret.md %}', 'After'],
  ])('%s is resolved', async (tag, expected) => {
    const text = await print(`${tag}\n\nAfter`, files)
    expect(text.replace(/\n\nAfter$/, '')).toBe(expected === 'After' ? '# (no title)' : `# (no title)\n\n${expected}`)
  })

  test('a document that is included whole is no page of its own', () => {
    expect(findMarkdownIncludes('{% include-markdown "part/shared.md" %}', { path: 'docs/page.md' })).toContain(
      'docs/part/shared.md',
    )
  })

  test('files that include each other end', async () => {
    const text = await print('{% include-markdown "a.md" %}', {
      'docs/a.md': 'A\n\n{% include-markdown "page.md" %}',
      'docs/page.md': 'x',
    })
    expect(text).toBe('# (no title)\n\nA')
  })
})

describe('hostile tags are read within the limit of a test', () => {
  test.each([
    ['unclosed', '{{< tabs >}}\n'.repeat(50_000)],
    ['nested', `${'{{< note >}}\n'.repeat(100_000)}x\n${'{{< /note >}}\n'.repeat(100_000)}`],
    ['nested on one line', `${'{% hint %}'.repeat(100_000)}x${'{% endhint %}'.repeat(100_000)}`],
    ['nested code', `${'{% code %}\n```\n'.repeat(20_000)}x\n${'{% endcode %}\n'.repeat(20_000)}`],
    ['unclosed code', '{% highlight js %}\n'.repeat(30_000)],
    ['without an end', '{{< x '.repeat(100_000)],
    ['of many names', Array.from({ length: 20_000 }, (_, i) => `[a${i}]x[/a${i}]`).join('\n')],
    ['closed in the wrong order', `${'{% a %}{% b %}'.repeat(15_000)}${'{% enda %}{% endb %}'.repeat(15_000)}`],
    ['with an endless argument', `{{< x ${'a="'.repeat(100_000)} >}}`],
  ])('%s', async (_, text) => {
    expect((await markdownReader(text, contextOf('docs/page.md'))).sections).toBeInstanceOf(Array)
  })
})
