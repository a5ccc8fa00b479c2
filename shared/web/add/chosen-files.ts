/** A file and its path below what was chosen or dropped. */
export type ChosenFile = { path: string; file: File }

/** Hidden files and packages of others, which are in most folders and are never read. */
const ignored = /(?:^|\/)(?:\.[^/]+|node_modules)(?:\/|$)/

/** The files of a choice or a drop. A dropped folder gives its files with their paths. */
export function chosenFiles(files: readonly File[]): ChosenFile[] {
  return files
    .map((file) => ({ path: pathOf(file).replace(/^\.?\//, ''), file }))
    .filter(({ path }) => !ignored.test(path))
    .sort((a, b) => (a.path < b.path ? -1 : 1))
}

const pathOf = (file: File & { path?: string }): string => file.webkitRelativePath || file.path || file.name

export const sizeOf = (files: readonly ChosenFile[]): number => files.reduce((sum, { file }) => sum + file.size, 0)
