import { attribute, childrenOf, type HtmlNode, tagOf } from './html-node.ts'

const byClass = /(?:^|[\s;])(?:language-|lang-|highlight-source-|highlight-(?=[a-z])|brush:\s{0,5}|sourceCode\s{1,5})([\w+#.-]+)/
const byHljs = /(?:^|\s)hljs\s+(?!language-|lang-)([\w+#-]+)/
const noLanguage = new Set(['default', 'none', 'text', 'plaintext', 'plain', 'notranslate', 'source', 'wrapper'])

/** The language of a `<pre>` from the attributes of its `<code>`, itself or its ancestors; empty if none names one. */
export function htmlLanguage(pre: HtmlNode): string {
  const code = [...childrenOf(pre)].find((child) => tagOf(child) === 'code')
  for (const node of [code, pre, pre.parentNode, pre.parentNode?.parentNode]) {
    const named = node ? languageIn(node).toLowerCase() : ''
    if (named !== '') return noLanguage.has(named) ? '' : named
  }
  return ''
}

function languageIn(node: HtmlNode): string {
  const classes = attribute(node, 'class')
  const named = attribute(node, 'data-lang') || attribute(node, 'data-language')
  return named || (byClass.exec(classes)?.[1] ?? byHljs.exec(classes)?.[1] ?? '')
}
