/** The steps of colour on the map, from few to many requests. */
export const levels = [1, 2, 3, 4, 5] as const

/** The step of a count, 0 for none. The steps are even on a logarithmic scale, so that one large country does not hide the others. */
export function levelOf(count: number, max: number): number {
  if (count <= 0) return 0
  if (max <= 1) return levels.length
  return Math.min(levels.length, 1 + Math.floor((Math.log(count) / Math.log(max)) * levels.length))
}
