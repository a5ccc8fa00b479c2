/** Roles of reStructuredText that name something in words. The text of all others is code. */
const proseRoles = /:(?:ref|term|doc|dfn|abbr|guilabel|menuselection):`([^`<]*)(?:<[^`>]*>)?`/g

/** The prose of a message: markup, inline code, placeholders and URLs are removed. */
export function withoutMarkup(message: string): string {
  return message
    .replace(proseRoles, ' $1 ')
    .replace(/:[\w:+.-]+:`[^`]*`/g, ' ')
    .replace(/``.*?``/gs, ' ')
    .replace(/`([^`<]*)(?:<[^`>]*>)?`_{0,2}/g, ' $1 ')
    .replace(/\*{1,2}[\w.]+\*{1,2}|\|[^|\s]*\|_{0,2}/g, ' ')
    .replace(/<\/?[a-zA-Z][^>\n]{0,200}>|&[a-zA-Z][\w.-]*;/g, ' ')
    .replace(/\b[a-z][a-z0-9+.-]*:\/\/\S+/gi, ' ')
    .replace(/%(?:\(\w+\))?[-+#0-9.]*[a-z]\b|\{\w*\}/gi, ' ')
}
