const split = (words: string) => new Set(words.split(/\s+/))

/** Words for a documentation site or for a page of it. */
const pageWords = split(`doc docs documentation website websites site sites web webpage www homepage home page pages wiki blog
readme introduction intro overview about index welcome start started getting quickstart quick install installation usage
features license example examples table contents toc the a an of for to and our with official 文档 文檔 ドキュメント`)
/** Further words in names of repositories. */
const repositoryWords = split(
  'repository repo project monorepo root core main source app framework handbook guide guides manual book',
)
const words = /[\p{L}\p{N}]+/gu

const wordsIn = (name: string): string[] => name.toLowerCase().match(words) ?? []

/** True if a title names only a page: `Documentation`, `Getting started`. */
export const isPageName = (title: string): boolean => wordsIn(title).every((word) => pageWords.has(word))

/** True if a repository's name does not distinguish it from those of other owners: `docs`, `website`, `handbook`. */
export const isGenericName = (name: string): boolean =>
  wordsIn(name).every((word) => pageWords.has(word) || repositoryWords.has(word))
