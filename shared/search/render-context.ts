import { isCode, pageTitleOf, proseOf, type Snippet, titleOf } from '../snippet.ts'
import type { Context } from './get-context.ts'

const separator = `\n\n${'-'.repeat(32)}\n\n`

/** Context as text for a model: blocks in rank order, each with its heading, source and Markdown. */
export function renderText({ snippets, rules }: Context): string {
  return [...(rules.length > 0 ? [rulesBlock(rules)] : []), ...snippets.map(renderSnippet)].join(separator)
}

export function renderSnippet(snippet: Snippet): string {
  return `### ${snippet.breadcrumb.join(' > ')}\n\nSource: ${snippet.url}\n\n${snippet.content}`
}

/** Context as JSON: code and info snippets apart, `rank` (1 = best) across both. */
export function renderJson({ snippets, rules }: Context) {
  const ranked = snippets.map((snippet, i) => ({ snippet, rank: i + 1 }))
  return {
    codeSnippets: ranked
      .filter(({ snippet }) => isCode(snippet))
      .map(({ snippet, rank }) => ({
        codeTitle: titleOf(snippet),
        codeDescription: proseOf(snippet),
        codeLanguage: snippet.code[0]?.language ?? '',
        codeTokens: snippet.tokens,
        codeId: snippet.url,
        pageTitle: pageTitleOf(snippet),
        breadcrumb: snippet.breadcrumb.join(' > '),
        codeList: snippet.code,
        rank,
      })),
    infoSnippets: ranked
      .filter(({ snippet }) => !isCode(snippet))
      .map(({ snippet, rank }) => ({
        pageId: snippet.url,
        breadcrumb: snippet.breadcrumb.join(' > '),
        content: snippet.content,
        contentTokens: snippet.tokens,
        rank,
      })),
    ...(rules.length > 0 ? { rules: { libraryOwn: rules } } : {}),
  }
}

function rulesBlock(rules: string[]): string {
  return `### Guidance from the library's maintainers\n\n${rules.map((rule) => `- ${rule}`).join('\n')}`
}
