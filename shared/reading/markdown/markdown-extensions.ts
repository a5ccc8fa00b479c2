/** Extensions of Markdown and its dialects, without those of MDX. */
export const markdownExtensions = ['.md', '.markdown', '.mdown', '.mkd', '.mkdn', '.mdwn', '.mdoc', '.qmd', '.rmd', '.livemd']
