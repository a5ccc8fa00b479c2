/** A piece of text as pdf.js finds it. `transform` ends with its place, in points from the lower left corner. */
export type TextItem = { str: string; transform: number[]; width: number; height: number; fontName: string; hasEOL: boolean }

/** A printed line. `size` is that of its font in points, `x` and `y` its start from the lower left corner. */
export type Line = { text: string; size: number; isCode: boolean; x: number; y: number }

type Part = { text: string; x: number; width: number }
type OpenLine = { parts: Part[]; size: number; y: number; codeChars: number; chars: number }

/** Joins the pieces of a page to lines, in the order in which the page has them. `isMono` tells the fonts of code. */
export function pdfLines(items: readonly TextItem[], isMono: (fontName: string) => boolean): Line[] {
  const lines: Line[] = []
  let open: OpenLine | undefined
  const close = () => {
    if (open && open.chars > 0) lines.push(lineOf(open))
    open = undefined
  }
  for (const { str, transform, width, fontName, hasEOL } of items) {
    const [, , c = 0, d = 0, x = 0, y = 0] = transform
    const size = Math.round(Math.hypot(c, d) * 10) / 10
    if (open && str !== '' && Math.abs(open.y - y) > Math.max(2, Math.min(size, open.size) * 0.5)) close()
    if (str !== '') {
      open ??= { parts: [], size: 0, y, codeChars: 0, chars: 0 }
      const chars = str.replace(/\s+/g, '').length
      open.parts.push({ text: str, x, width })
      open.chars += chars
      if (isMono(fontName)) open.codeChars += chars
      if (chars > 0) open.size = Math.max(open.size, size)
    }
    if (hasEOL) close()
  }
  close()
  return lines
}

function lineOf({ parts, size, y, codeChars, chars }: OpenLine): Line {
  const isCode = codeChars > chars * 0.9
  const text = parts.map(({ text: part }) => part).join('')
  const first = parts.find((part) => part.text.trim() !== '')
  return { text: isCode ? text.trimEnd() : text.replace(/\s+/g, ' ').trim(), size, isCode, x: first?.x ?? 0, y }
}
