const section = /^name$/i
const named = /^[`*_]{0,3}([\w.:+#@/-]{2,60})[`*_]{0,3}[ \t]{1,9}(?:-{1,2}|[–—])[ \t]{1,9}\S/

/** The title of a page that is written like a manual page: a section `Name` with `kit - Paints everything` is about `kit`. */
export const namedTitle = (heading: string, prose: string): string =>
  section.test(heading) ? (named.exec(prose)?.[1] ?? heading) : heading
