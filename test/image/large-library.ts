/** A library of an import, ten snippets per page. */
export function largeLibrary(count: number) {
  const snippet = (n: number) => ({
    id: `https://example.com/${Math.floor(n / 10)}#${n}`,
    breadcrumb: `Page ${Math.floor(n / 10)} > Part ${n}`,
    pageTitle: `Page ${Math.floor(n / 10)}`,
    title: `Part ${n}`,
    page: Math.floor(n / 10),
    section: n % 10,
    order: n,
    tokens: 1,
    content: `The lever turns wheel ${n}, which lifts ${n * 7} kilograms by pulley${n % 100}.`,
  })
  return {
    project: '/acme/large',
    title: 'Large',
    totalSnippets: count,
    codeSnippets: [],
    infoSnippets: Array.from({ length: count }, (_, n) => snippet(n)),
  }
}
