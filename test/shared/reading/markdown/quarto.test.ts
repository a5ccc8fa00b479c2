import { expect, test } from 'vitest'
import { readPage } from '../../../../shared/reading/read-page.ts'
import { contextOf, pageText } from '../page-text.ts'

const print = async (text: string, path = 'docs/page.qmd', files: Record<string, string> = {}) =>
  pageText(await readPage(text, contextOf(path, files)))

test.each(['qmd', 'Rmd', 'livemd', 'mdoc', 'mdown', 'mkd', 'mkdn', 'mdwn'])(
  'a file with the extension %s is Markdown',
  async (extension) => {
    expect(await print('# Kit\n\nPaint it.', `docs/page.${extension}`)).toBe('# Kit\n\nPaint it.')
  },
)

test('callouts of Quarto are notes, cells lose their options, and those that are not shown go', async () => {
  const text = `---
title: Callouts
---

::: {.callout-note}
Text.
:::

\`\`\`{python}
#| echo: false
#| label: fig-kit

# a comment
x = 1
\`\`\`

\`\`\`{r setup, include=FALSE}
library(hidden)
\`\`\`

\`\`\`{r}
#| label: setup
#| include: false
library(hidden)
\`\`\`

\`\`\`{r, echo = FALSE}
library(kit)
\`\`\`

\`\`\`{ojs}
//| output: all
viewof x
\`\`\`
`
  expect(await print(text)).toBe(`# Callouts

**Note**

Text.

~~~ python
# a comment
x = 1
~~~

~~~ r
library(kit)
~~~

~~~ ojs
viewof x
~~~`)
})

test('a cell that is shown as source keeps its options, and other code keeps lines like them', async () => {
  expect(await print('```{{python}}\n#| echo: false\nx\n```\n\n```sql\n--| not an option\nx\n```')).toBe(
    '# (no title)\n\n~~~ python\n#| echo: false\nx\n~~~\n\n~~~ sql\n--| not an option\nx\n~~~',
  )
})

test('headings in a tabset of Quarto are the labels of tabs, and the page continues after it', async () => {
  const text = `## Install

::: {.panel-tabset group="system"}
### Linux {#linux}

\`\`\`bash
apt install kit
\`\`\`

::: {.callout-tip}
#### Try it
Now.
:::

### Mac

Use a package.

:::

### Next

Paint it.
`
  expect(await print(text)).toBe(`# (no title)

## Install

~~~ bash, "Linux", group 1
apt install kit
~~~

**Tip**

**Try it**

Now.

**Mac**

Use a package.

## Install > Next

Paint it.`)
})

test('an include of Quarto is replaced by its file, and attributes of words go', async () => {
  const text = 'Read [this first]{.underline} and `[x]{.y}`.\n\n{{< include parts/_shared.qmd >}}\n'
  expect(await print(text, 'docs/page.qmd', { 'docs/parts/_shared.qmd': 'Shared **text**.' })).toBe(
    '# (no title)\n\nRead this first and `[x]{.y}`.\n\nShared **text**.',
  )
})
